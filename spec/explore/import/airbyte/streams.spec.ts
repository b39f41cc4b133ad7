/** Streams of a small manifest, written for this spec, as configurations; and what a run of them requests. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { lastValueFrom, toArray } from 'rxjs';
import { extract, fromAirbyte, readAirbyteManifest } from '../../../../src';
import type { Json, JsonObject } from '../../../../src';
import { json } from '../../../support/answers';
import { startServer } from '../../../support/api-server';
import { newFolder } from '../../../support/opened';

const NOW = Date.UTC(2024, 2, 5, 12);

interface Changes {
  readonly stream?: JsonObject;
  readonly retriever?: JsonObject;
  readonly requester?: JsonObject;
  readonly selector?: JsonObject;
}

/** A manifest with one stream `ships`, and with these things in it. */
const manifestWith = ({ stream = {}, retriever = {}, requester = {}, selector = {} }: Changes): JsonObject => ({
  version: '6.0.0',
  type: 'DeclarativeSource',
  definitions: {
    requester: {
      type: 'HttpRequester',
      url_base: "{{ config['url'] }}",
      path: "{{ parameters['path'] }}",
      ...requester,
    },
    selector: {
      type: 'RecordSelector',
      extractor: { type: 'DpathExtractor', field_path: ['data'] },
      ...selector,
    },
  },
  streams: [
    {
      type: 'DeclarativeStream',
      $parameters: { name: 'ships', path: '/v1/ships' },
      retriever: {
        type: 'SimpleRetriever',
        requester: { $ref: '#/definitions/requester' },
        record_selector: { $ref: '#/definitions/selector' },
        ...retriever,
      },
      ...stream,
    },
  ],
});

const CONFIG = { url: 'https://h.example/api', key: 'k1', start: '2024-02-20T00:00:00Z', kind: 'b' };

function translated(changes: Changes, config: JsonObject = CONFIG): JsonObject {
  const { configuration, leftOut } = fromAirbyte(manifestWith(changes), config, { now: NOW });
  expect(leftOut).toEqual([]);
  return configuration;
}

const jobIn = (configuration: JsonObject): JsonObject =>
  ((configuration['config'] as JsonObject)['jobs'] as readonly JsonObject[])[0] ?? {};
const jobOf = (changes: Changes, config?: JsonObject): JsonObject => jobIn(translated(changes, config));
const paginationOf = (paginator: JsonObject): Json => {
  const { api } = translated({ retriever: { paginator: { type: 'DefaultPaginator', ...paginator } } });
  return (api as JsonObject)['pagination'] ?? null;
};
const option = (name: string, into = 'request_parameter'): JsonObject => ({
  type: 'RequestOption',
  field_name: name,
  inject_into: into,
});

describe('a stream of a manifest', () => {
  it('has references and parameters put where they are meant', () => {
    expect(translated({})).toEqual({
      api: { baseUrl: 'https://h.example/api' },
      config: { completeness: 'off', jobs: [{ endpoint: 'v1/ships', dataType: 'ships', dataField: 'data' }] },
    });
  });

  it.each<[string, JsonObject, JsonObject]>([
    ['a text', { a: 'x' }, { a: 'x' }],
    ['a number and a truth value as Python writes them', { a: 5, b: true }, { a: '5', b: 'True' }],
    ['a constant of the config', { a: "{{ config['kind'] }}-{{ 1 + 1 }}" }, { a: 'b-2' }],
    ['nothing of what is not there', { a: "{{ config['x']['y'] }}", b: "{{ config.get('x') or '' }}" }, {}],
    ['the word None, as the CDK sends it', { a: "{{ config.get('x') }}" }, { a: 'None' }],
    ['a list', { a: "{{ ['x', 'y'] }}" }, { a: ['x', 'y'] }],
    ['dates', { a: '{{ today_utc() }}' }, { a: '2024-03-05' }],
  ])('sends parameters: %s', (_, request_parameters, params) => {
    expect(jobOf({ requester: { request_parameters } })['params'] ?? {}).toEqual(params);
  });

  it.each<[string, JsonObject, JsonObject]>([
    [
      'a bearer',
      { type: 'BearerAuthenticator', api_token: "{{ config['key'] }}" },
      { authentication: { type: 'bearer', token: 'k1' } },
    ],
    [
      'a name and a password',
      { type: 'BasicHttpAuthenticator', username: "{{ config['key'] }}" },
      { headers: { Authorization: `Basic ${Buffer.from('k1:').toString('base64')}` } },
    ],
    [
      'a key in the query',
      { type: 'ApiKeyAuthenticator', api_token: "{{ config['key'] }}", inject_into: option('key') },
      { authentication: { type: 'apiKey', name: 'key', key: 'k1', in: 'query' } },
    ],
    [
      'one of several',
      {
        type: 'SelectiveAuthenticator',
        authenticator_selection_path: ['kind'],
        authenticators: {
          a: { type: 'NoAuth' },
          b: { type: 'ApiKeyAuthenticator', api_token: 'k2', header: 'X-Key' },
        },
      },
      { authentication: { type: 'apiKey', name: 'X-Key', key: 'k2' } },
    ],
  ])('logs in by %s', (_, authenticator, wanted) => {
    const configuration = translated({ requester: { authenticator } });
    expect({ ...jobIn(configuration), ...(configuration['api'] as JsonObject) }).toMatchObject(wanted);
  });

  it('repeats the name for each scope of a login', () => {
    const scopes = ['read', 'write'];
    const oauth = { type: 'OAuthAuthenticator', token_refresh_endpoint: 'https://h.example/token', scopes };
    const { authentication = null } = translated({ requester: { authenticator: oauth } })['api'] as JsonObject;
    expect(authentication).toMatchObject({
      type: 'login',
      loginRequest: { method: 'FORM', params: { scopes }, batchStyle: 'repeat' },
    });
  });

  it.each([
    ['one of the configuration', 's1', { type: 'apiKey', name: 'X-Session', key: 's1' }],
    [
      'one that a login gives',
      '',
      {
        type: 'login',
        loginRequest: {
          endpoint: 'https://h.example/api/session',
          method: 'POST',
          params: { username: 'u', password: 'p' },
        },
        apiRequest: { headers: { 'X-Session': { response: 'id' } } },
      },
    ],
  ])('has the token of a session: %s', (_, session_token, authentication) => {
    const authenticator = {
      ...{ type: 'LegacySessionTokenAuthenticator', api_url: 'https://h.example/api', login_url: '/session' },
      ...{ header: 'X-Session', session_token, session_token_response_key: 'id', username: 'u', password: 'p' },
    };
    expect(translated({ requester: { authenticator } })['api']).toMatchObject({ authentication });
  });

  it.each([
    ['a header', { header: 'X-Key' }, { headers: { 'X-Key': '' } }],
    [
      'a parameter',
      { inject_into: { type: 'RequestOption', field_name: 'key', inject_into: 'request_parameter' } },
      { params: { key: '' } },
    ],
  ])('sends an empty key in %s, as the CDK does', (_, place, job) => {
    const authenticator = { type: 'ApiKeyAuthenticator', api_token: '', ...place };
    const { api, config } = translated({ requester: { authenticator } }) as Record<string, JsonObject>;
    expect(api).not.toHaveProperty('authentication');
    expect(config).toMatchObject({ jobs: [job] });
  });

  it('has credentials in each job where jobs have different ones, or go to another host', () => {
    const bearer = { type: 'BearerAuthenticator', api_token: "{{ config['key'] }}" };
    const manifest = manifestWith({ requester: { authenticator: bearer } });
    const stream = (name: string, requester: JsonObject): JsonObject => ({
      type: 'DeclarativeStream',
      name,
      retriever: {
        type: 'SimpleRetriever',
        requester: { type: 'HttpRequester', url_base: "{{ config['url'] }}", path: name, ...requester },
        record_selector: { type: 'RecordSelector', extractor: { type: 'DpathExtractor', field_path: [] } },
      },
    });
    const both = (other: JsonObject): JsonObject => ({
      ...manifest,
      streams: [...(manifest['streams'] as readonly JsonObject[]), other],
    });
    const apiOf = (other: JsonObject): Json => fromAirbyte(both(other), CONFIG).configuration['api'] ?? null;
    expect(apiOf(stream('boats', { authenticator: bearer }))).toHaveProperty('authentication');
    expect(apiOf(stream('boats', {}))).not.toHaveProperty('authentication');
    const elsewhere = { authenticator: bearer, url_base: 'https://i.example' };
    expect(apiOf(stream('boats', elsewhere))).not.toHaveProperty('authentication');
  });

  it('has ways of paging by name where jobs page differently', () => {
    const manifest = manifestWith({});
    const [ships = {}] = manifest['streams'] as readonly JsonObject[];
    const paged = (name: string, size: number | undefined): JsonObject => ({
      ...ships,
      name,
      retriever: {
        ...(ships['retriever'] as JsonObject),
        ...(size === undefined
          ? {}
          : {
              paginator: {
                type: 'DefaultPaginator',
                pagination_strategy: { type: 'PageIncrement', page_size: size },
                page_token_option: option('page'),
              },
            }),
      },
    });
    const streams = [paged('a', 3), paged('b', 3), paged('c', 4), paged('d', undefined)];
    const { configuration } = fromAirbyte({ ...manifest, streams }, CONFIG);
    const common = { method: 'pagenum', pageParam: 'page', firstPage: 0, sendLimit: false, firstPageParams: false };
    expect(configuration['api']).toMatchObject({
      pagination: {
        method: 'multiple',
        scrollers: { pagenum: { ...common, limit: 3 }, pagenum_2: { ...common, limit: 4 } },
      },
    });
    const { jobs } = configuration['config'] as JsonObject;
    expect((jobs as readonly JsonObject[]).map(({ scroller }) => scroller)).toEqual([
      'pagenum',
      'pagenum',
      'pagenum_2',
      undefined,
    ]);
  });

  const page = { type: 'PageIncrement', page_size: 3 };
  const position = { type: 'OffsetIncrement', page_size: 3 };
  const token = (cursor_value: string, stop_condition?: string): JsonObject => ({
    pagination_strategy: {
      type: 'CursorPagination',
      cursor_value,
      ...(stop_condition === undefined ? {} : { stop_condition }),
    },
    page_token_option: option('after'),
  });
  const address = (cursor_value: string, stop_condition?: string): JsonObject => ({
    ...token(cursor_value, stop_condition),
    page_token_option: { type: 'RequestPath' },
  });
  const PARAM = { method: 'response.param', responseParam: 'next', queryParam: 'after', includeParams: true };
  const URL = { method: 'response.url', urlKey: 'links.next', relativeTo: 'base', includeParams: 'beside' };

  it.each<[string, JsonObject, JsonObject]>([
    [
      'by the number of the page',
      {
        pagination_strategy: { ...page, start_from_page: 1, inject_on_first_request: true },
        page_token_option: option('page'),
        page_size_option: option('size'),
      },
      { method: 'pagenum', pageParam: 'page', limit: 3, limitParam: 'size' },
    ],
    [
      'by the number of the page, which the first request does not have',
      { pagination_strategy: page, page_token_option: option('p'), page_size_option: option('size') },
      {
        method: 'pagenum',
        ...{ pageParam: 'p', firstPage: 0, limit: 3, limitParam: 'size', firstPageParams: 'limit' },
      },
    ],
    [
      'by a position, with a size that is not sent',
      { pagination_strategy: position, page_token_option: option('skip') },
      {
        method: 'offset',
        ...{ offsetParam: 'skip', limit: 3, sendLimit: false, firstPageParams: false, advance: 'items' },
      },
    ],
    [
      'by a position without a size',
      { pagination_strategy: { type: 'OffsetIncrement' }, page_token_option: option('skip') },
      {
        method: 'jinja',
        next: '{{ (token if token is not none else 0) + last_page_size }}',
        stop: '{{ last_page_size == 0 or last_page_size < 0 }}',
        ...{ zeroEnds: false, param: 'skip' },
      },
    ],
    ['by a token', token("{{ response['next'] }}", "{{ not response.get('next', {}) }}"), PARAM],
    ['by a token that may be missing', token('{{ response.next }}', "{{ 'next' not in response }}"), PARAM],
    ['by a token that may be null', token('{{ response.next }}', '{{ response.next is none }}'), PARAM],
    [
      'by a token, and a flag',
      token("{{ response.get('meta', {}).get('next') }}", '{{ not response.has_more }}'),
      { ...PARAM, responseParam: 'meta.next', nextPageFlag: { field: 'has_more', stopOn: false } },
    ],
    [
      'by a token, up to an empty page',
      token('{{ response.next }}', '{{ last_page_size == 0 }}'),
      { ...PARAM, stopWhenEmpty: true },
    ],
    [
      'by a token of a header',
      { ...token("{{ headers['X-Next'] }}"), page_token_option: option('after', 'header') },
      {
        method: 'response.param',
        responseHeader: 'X-Next',
        queryParam: { header: 'after', template: '{value}' },
        includeParams: true,
      },
    ],
    [
      'by an address',
      address(
        '{{ (response.links or {}).next }}',
        "{{ response.links is not defined or not response['links'] or response.links.next == '' }}",
      ),
      URL,
    ],
    [
      'by a link',
      address("{{ headers['link']['next']['url'] }}", "{{ 'next' not in headers['link'] }}"),
      { method: 'response.link', includeParams: 'beside' },
    ],
    [
      'by an address in a header',
      address("{{ headers['X-Next'] }}"),
      { method: 'response.url', urlHeader: 'X-Next', relativeTo: 'base', includeParams: 'beside' },
    ],
  ])('pages %s', (_, paginator, wanted) => {
    expect(paginationOf(paginator)).toEqual(wanted);
  });

  it.each<[string, string, string | undefined]>([
    ['a value of the last record', "{{ last_record['id'] }}", undefined],
    ['a calculation', '{{ response.page + 1 }}', undefined],
    ['a method of a dictionary', '{{ response.items }}', undefined],
    ['an element of an array', '{{ response[0] }}', undefined],
    ['more than an expression', 'x{{ response.next }}', undefined],
    ['a condition that holds where there is a value', '{{ response.next }}', '{{ response.next == response.last }}'],
    ['a flag that may be missing', '{{ response.next }}', '{{ response.more is false }}'],
    ['a size', '{{ response.next }}', "{{ last_page_size < config['key'] | length }}"],
  ])('pages by a template where it is %s', (_, value, stop) => {
    expect(paginationOf(token(value, stop))).toMatchObject({ method: 'jinja', next: value });
  });

  it('pages by a template where the job has a parameter of the same name, and where the response is an array', () => {
    const paginator = { type: 'DefaultPaginator', pagination_strategy: page, page_token_option: option('page') };
    const pagination = (changes: Changes): Json => (translated(changes)['api'] as JsonObject)['pagination'] ?? null;
    const own = { requester: { request_parameters: { page: '7' } }, retriever: { paginator } };
    expect(pagination(own)).toMatchObject({ method: 'jinja' });
    const array = {
      retriever: { paginator: { type: 'DefaultPaginator', ...token('{{ response.next }}') } },
      selector: { extractor: { type: 'DpathExtractor', field_path: [] } },
    };
    expect(pagination(array)).toMatchObject({ method: 'jinja' });
  });

  const cursor = {
    type: 'DatetimeBasedCursor',
    cursor_field: 'updated',
    datetime_format: '%Y-%m-%d',
    start_datetime: {
      type: 'MinMaxDatetime',
      datetime: "{{ config['start'] }}",
      datetime_format: '%Y-%m-%dT%H:%M:%SZ',
    },
    start_time_option: option('from'),
    end_time_option: option('to'),
  };

  it('asks for one page where a paginator has no type, as the CDK does', () => {
    const paginator = {
      pagination_strategy: { type: 'PageIncrement', page_size: 5 },
      page_size_option: option('size'),
    };
    expect(jobOf({ retriever: { paginator } })).not.toHaveProperty('params');
  });

  it('has windows that go on from its cursor', () => {
    const job = jobOf({
      stream: {
        primary_key: ['id'],
        incremental_sync: { ...cursor, step: 'P5D', cursor_granularity: 'P1D', lookback_window: 'P1D' },
      },
    });
    expect(job).toMatchObject({
      id: 'ships',
      params: { from: '{window.from}', to: '{window.to}' },
      window: { step: 'P5D', format: '%Y-%m-%d', granularity: 'P1D' },
      incremental: { field: 'updated', format: '%Y-%m-%d', initial: '2024-02-20T00:00:00Z', lag: 86_400 },
      ...{ load: 'merge', primaryKey: 'id' },
    });
  });

  it('has no window where nothing sends it, and leaves out what is old where it says so', () => {
    const unsent: JsonObject = { ...cursor, start_time_option: null, end_time_option: null };
    const job = jobOf({ stream: { incremental_sync: { ...unsent, is_client_side_incremental: true } } });
    expect(job).not.toHaveProperty('window');
    expect(job).toMatchObject({ incremental: { older: 'drop', initial: '2024-02-20T00:00:00Z' }, load: 'append' });
    const feed = jobOf({ stream: { incremental_sync: { ...unsent, is_data_feed: true } } });
    expect(feed).toMatchObject({ incremental: { older: 'end' } });
  });

  it('has filters before transformations, as steps', () => {
    const job = jobOf({
      selector: { record_filter: { type: 'RecordFilter', condition: "{{ record['kind'] == config['kind'] }}" } },
      stream: {
        transformations: [
          { type: 'AddFields', fields: [{ path: ['a', 'b'], value: '{{ record.x }}' }] },
          { type: 'RemoveFields', field_pointers: [['c']] },
        ],
      },
    });
    expect(job['steps']).toEqual([
      { keep: { jinja: "{{ record['kind'] == config['kind'] }}", with: { config: { kind: 'b' } } } },
      { set: ['a', 'b'], value: { jinja: '{{ record.x }}' } },
      { remove: ['c'] },
    ]);
  });

  it('has error handlers as rules, each condition of a filter one, with the waits of its strategies', () => {
    const handler = {
      type: 'DefaultErrorHandler',
      response_filters: [
        { type: 'HttpResponseFilter', action: 'IGNORE', http_codes: [404], error_message_contains: 'gone (all)' },
        { type: 'HttpResponseFilter', action: 'RETRY', predicate: "{{ response.code == config['kind'] }}" },
        { type: 'HttpResponseFilter', action: 'FAIL', http_codes: [400], error_message: "Not {{ config['kind'] }}" },
      ],
      backoff_strategies: [
        { type: 'WaitTimeFromHeader', header: 'X-Wait', regex: '(\\d+)' },
        { type: 'ConstantBackoffStrategy', backoff_time_in_seconds: 30 },
      ],
    };
    const wait = { header: 'X-Wait', matches: '(\\d+)', seconds: 30 };
    const rules = jobOf({ requester: { error_handler: handler } })['rules'];
    expect(rules).toEqual([
      { when: { status: [404] }, do: 'skip' },
      { when: { matches: 'gone \\(all\\)' }, do: 'skip' },
      {
        when: { jinja: '{% set config = {"kind":"b"} %}{{ response.code == config[\'kind\'] }}' },
        do: 'retry',
        wait,
      },
      { when: { status: [400] }, do: 'fail', message: 'Not b' },
      { when: { status: [408, 429, '5xx'] }, do: 'retry', wait },
    ]);
    const grows = { backoff_strategies: [{ type: 'ExponentialBackoffStrategy', factor: 4 }] };
    const composite = { type: 'CompositeErrorHandler', error_handlers: [grows] };
    expect(jobOf({ requester: { error_handler: composite } })['rules']).toEqual([
      { when: { status: [408, 429, '5xx'] }, do: 'retry', wait: { seconds: 8, doubles: true } },
    ]);
  });

  it('sends a page size without a name as the CDK does', () => {
    const job = jobOf({
      retriever: {
        paginator: {
          type: 'DefaultPaginator',
          pagination_strategy: { type: 'PageIncrement', page_size: 3 },
          page_token_option: option('page'),
          page_size_option: option(''),
        },
      },
    });
    expect(job).toMatchObject({ endpoint: 'v1/ships?=3' });
    expect(job).not.toHaveProperty('params');
  });

  it.each<[string, Changes]>([
    ['CustomRetriever', { stream: { retriever: { type: 'CustomRetriever', class_name: 'a.B' } } }],
    ['a class in Python', { selector: { extractor: { class_name: 'a.B', field_path: [] } } }],
    ['a class in Python', { requester: { authenticator: { class_name: 'a.B' } } }],
    ['JwtAuthenticator', { requester: { authenticator: { type: 'JwtAuthenticator' } } }],
    ['record_expander', { selector: { extractor: { type: 'DpathExtractor', field_path: [], record_expander: {} } } }],
    ['CustomErrorHandler', { requester: { error_handler: { type: 'CustomErrorHandler' } } }],
    ['FlattenFields', { stream: { transformations: [{ type: 'FlattenFields' }] } }],
    ['Jinja', { requester: { path: '{{ 1 + }}' } }],
  ])('is left out for %s', (construct, changes) => {
    const { configuration, streams, leftOut } = fromAirbyte(manifestWith(changes), CONFIG, { now: NOW });
    expect({ streams, leftOut }).toMatchObject({ streams: [], leftOut: [{ stream: 'ships', construct }] });
    expect(configuration['config']).toEqual({ completeness: 'off', jobs: [] });
  });

  it('is refused where there is none of the name, and where the manifest is none', () => {
    expect(() => fromAirbyte(manifestWith({}), CONFIG, { streams: ['boats'] })).toThrow('It has: ships.');
    expect(() => fromAirbyte([], CONFIG)).toThrow('is no object');
    expect(() => fromAirbyte({ streams: [{ $ref: '#/a' }], a: { $ref: '#/a' } }, CONFIG)).toThrow('leads back');
    expect(() => fromAirbyte({ streams: [{ $ref: '#/b' }] }, CONFIG)).toThrow('leads nowhere');
  });
});

describe('a run of a stream', () => {
  const PARENT = manifestWith({});
  const [parent = {}] = PARENT['streams'] as readonly JsonObject[];

  it('requests its pages below those of its parent, and makes its records', async () => {
    const server = await startServer(({ url }) => {
      const { pathname, searchParams } = new URL(url, 'http://h');
      if (pathname === '/v1/ships') return json({ data: [{ id: 1, kind: 'tug' }, { id: 'b' }] });
      return searchParams.get('at') === null && pathname.endsWith('/1/ports')
        ? json({ data: [{ n: 1 }, { n: 2 }], next: 'p2' })
        : json({ data: [{ n: 3, hidden: true }] });
    });
    const manifest = manifestWith({
      stream: {
        $parameters: { name: 'ports' },
        transformations: [
          { type: 'AddFields', fields: [{ path: ['ship'], value: '{{ stream_partition.ship }}' }] },
          { type: 'AddFields', fields: [{ path: ['kind'], value: "{{ stream_slice.extra_fields['kind'] }}" }] },
          { type: 'RemoveFields', field_pointers: [['hidden']] },
        ],
      },
      requester: {
        path: '/v1/ships/{{ stream_partition.ship }}/ports',
        request_parameters: { sort: "{{ config['kind'] }}" },
      },
      retriever: {
        partition_router: {
          type: 'SubstreamPartitionRouter',
          parent_stream_configs: [
            {
              type: 'ParentStreamConfig',
              parent_key: 'id',
              partition_field: 'ship',
              extra_fields: [['kind']],
              // The items in the parent's are those of the first page, which is requested all the same.
              lazy_read_pointer: ['ports'],
              stream: {
                ...parent,
                retriever: {
                  type: 'SimpleRetriever',
                  requester: { type: 'HttpRequester', url_base: "{{ config['url'] }}", path: '/v1/ships' },
                  record_selector: {
                    type: 'RecordSelector',
                    extractor: { type: 'DpathExtractor', field_path: ['data'] },
                  },
                },
              },
            },
          ],
        },
        paginator: {
          type: 'DefaultPaginator',
          pagination_strategy: { type: 'CursorPagination', cursor_value: "{{ response.get('next') or '' }}" },
          page_token_option: option('at'),
        },
      },
    });
    const { configuration } = fromAirbyte(manifest, { ...CONFIG, url: server.origin });
    const items = await lastValueFrom(extract(configuration).items$.pipe(toArray()));
    expect(server.requests.map(({ url }) => url)).toEqual([
      ...['/v1/ships', '/v1/ships/1/ports?sort=b', '/v1/ships/1/ports?sort=b&at=p2', '/v1/ships/b/ports?sort=b'],
    ]);
    expect(items.filter((item) => Object.hasOwn(item as object, 'ship'))).toEqual([
      { n: 1, ship: 1, kind: 'tug' },
      { n: 2, ship: 1, kind: 'tug' },
      { n: 3, ship: 1, kind: 'tug' },
      { n: 3, ship: 'b', kind: '' },
    ]);
  });

  it('writes the page and the window into a query language, and the window into a header', async () => {
    const server = await startServer(({ url }) =>
      json({
        data: url.includes('from%201')
          ? [
              { n: 1, at: '2024-03-01' },
              { n: 2, at: '2024-03-01' },
            ]
          : [],
      }),
    );
    const manifest = manifestWith({
      requester: {
        request_parameters: {
          q: 'after {{ stream_slice.start_time[:7] }} from {{ (next_page_token.next_page_token or 0) + 1 }}',
        },
        request_headers: { 'X-Month': "{{ stream_slice['start_time'][:7] }}" },
      },
      retriever: {
        paginator: { type: 'DefaultPaginator', pagination_strategy: { type: 'OffsetIncrement', page_size: 2 } },
      },
      stream: {
        $parameters: { name: 'ships', path: '/v1/ships' },
        incremental_sync: {
          type: 'DatetimeBasedCursor',
          cursor_field: 'at',
          datetime_format: '%Y-%m-%d',
          start_datetime: '2024-02-20',
          end_datetime: '2024-03-10',
          step: 'P10D',
          cursor_granularity: 'P1D',
        },
      },
    });
    const { configuration, leftOut } = fromAirbyte(manifest, { ...CONFIG, url: server.origin }, { now: NOW });
    expect(leftOut).toEqual([]);
    await lastValueFrom(extract(configuration).items$.pipe(toArray()));
    expect(server.requests.map(({ url, headers }) => [decodeURIComponent(url), headers['x-month']])).toEqual([
      ['/v1/ships?q=after 2024-02 from 1', '2024-02'],
      ['/v1/ships?q=after 2024-02 from 3', '2024-02'],
      ['/v1/ships?q=after 2024-03 from 1', '2024-03'],
      ['/v1/ships?q=after 2024-03 from 3', '2024-03'],
    ]);
  });

  it('sends forms and queries by POST', async () => {
    const server = await startServer(() => json({ data: [{ id: 1 }] }));
    const run = async (requester: JsonObject): Promise<void> => {
      const { configuration } = fromAirbyte(manifestWith({ requester }), { ...CONFIG, url: server.origin });
      await lastValueFrom(extract(configuration).items$.pipe(toArray()));
    };
    await run({ http_method: 'POST', request_body_data: { a: 'b c' }, request_parameters: { d: 'e' } });
    await run({ http_method: 'POST', request_parameters: { d: 'e' } });
    await run({ http_method: 'POST', request_body_json: { a: '{{ 1 }}', b: "{{ config['x'] }}" } });
    expect(server.requests.map(({ method, url, body }) => [method, url, body])).toEqual([
      ['POST', '/v1/ships?d=e', 'a=b%20c'],
      ['POST', '/v1/ships?d=e', ''],
      ['POST', '/v1/ships', '{"a":1}'],
    ]);
  });
});

describe('readAirbyteManifest', () => {
  const folder = newFolder();
  writeFileSync(join(folder, 'manifest.yaml'), 'streams: []\n');
  mkdirSync(join(folder, 'schemas'));
  writeFileSync(join(folder, 'schemas', 'ships.json'), '{"type": "object"}');

  it.each([folder, join(folder, 'manifest.yaml')])('reads %s with the schemas beside it', async (place) => {
    const { manifest, schemas } = await readAirbyteManifest(place);
    expect(manifest).toEqual({ streams: [] });
    expect([...schemas]).toEqual([['schemas/ships.json', { type: 'object' }]]);
  });

  it('says what it cannot read', async () => {
    await expect(readAirbyteManifest(join(folder, 'no.yaml'))).rejects.toThrow('there is no such file');
    writeFileSync(join(folder, 'broken.yaml'), 'a: [');
    await expect(readAirbyteManifest(join(folder, 'broken.yaml'))).rejects.toMatchObject({ code: 'CONFIG_UNREADABLE' });
  });
});
