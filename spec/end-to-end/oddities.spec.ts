/** What real configurations contain that a tidy reader would not expect. None of it may break a run. */
import { lastValueFrom, toArray } from 'rxjs';
import { ConfigurationError, extract, validate } from '../../src';
import type { Item, JsonObject } from '../../src';
import { json } from '../support/answers';
import { startServer } from '../support/api-server';
import type { ApiServer } from '../support/api-server';
import { asksForDebug } from '../../src/cli/debug';

type Part = JsonObject;

describe('oddities of real configurations', () => {
  let server: ApiServer;
  let elsewhere: ApiServer;
  beforeEach(async () => {
    server = await startServer(() => json([{ id: 1 }]));
    elsewhere = await startServer(() => json({ key: 'K' }));
  });
  afterEach(() => Promise.all([server.close(), elsewhere.close()]));

  const configuration = (job: Part, { api = {}, config = {}, root = {} }: Record<string, Part> = {}): Part => ({
    parameters: {
      api: { baseUrl: server.origin, ...api },
      config: { jobs: [{ endpoint: 'items', ...job }], ...config },
    },
    ...root,
  });
  const itemsOf = (input: Part): Promise<Item[]> =>
    lastValueFrom(extract(input, { lenient: true }).items$.pipe(toArray()));
  /** What a run asks for, decoded. */
  const askedBy = async (input: Part): Promise<string[]> => {
    expect(await itemsOf(input)).not.toEqual([]);
    return server.requests.map(({ method, url, body }) => `${method} ${decodeURIComponent(url)} ${body}`.trimEnd());
  };
  const warningsOf = (input: Part): string[] =>
    validate(input, { lenient: true }).warnings.map(({ path, message }) => `${path}: ${message}`);

  it('language 0.2: [] where an object is meant is the empty object', async () => {
    const input = configuration(
      { params: [], headers: [], placeholders: [], children: [], userData: [] },
      { api: { http: [], pagination: [], authentication: [], retryConfig: [] }, config: { mappings: [], http: [] } },
    );
    expect(await askedBy(input)).toEqual(['GET /items']);
    expect(warningsOf(input)).toEqual([]);
  });

  it('language 1.3: an empty list of jobs is never more than a stated fault at its place', () => {
    const input = configuration({}, { config: { jobs: [] } });
    let places: readonly string[];
    try {
      places = validate(input, { lenient: true }).warnings.map(({ path }) => path);
    } catch (error) {
      places = error instanceof ConfigurationError ? error.faults.map(({ path }) => path) : [String(error)];
    }
    expect(places).toEqual(['config.jobs']);
  });

  it('language 3.2: null among params is left out', async () => {
    expect(await askedBy(configuration({ params: { group: null, id: 3 } }))).toEqual(['GET /items?id=3']);
  });

  it('language 3.2: "" for a date is an empty value', async () => {
    const params = { start_time: '', end_time: { attr: 'until' } };
    expect(await askedBy(configuration({ params }, { config: { until: '' } }))).toEqual([
      'GET /items?start_time=&end_time=',
    ]);
  });

  it('language 0.2: "limit": "100" is the number 100', async () => {
    const api = { pagination: { method: 'offset', limit: '100' } };
    expect(await askedBy(configuration({}, { api }))).toEqual(['GET /items?limit=100&offset=0']);
  });

  it.each([
    [0, false],
    [1, true],
    ['1', true],
    ['0', false],
    ['', false],
    [null, false],
  ])('language 0.2: debug %j means %j', async (debug, meant) => {
    const input = configuration({}, { config: { debug } });
    expect(asksForDebug(input)).toBe(meant);
    expect(await askedBy(input)).toEqual(['GET /items']);
  });

  it('language 3.1: "method": "post" is POST', async () => {
    expect(await askedBy(configuration({ method: 'post', params: { a: 1 } }))).toEqual(['POST /items {"a":1}']);
  });

  describe('settings without effect where they stand: a warning names the place and what is likely meant', () => {
    it('iterations inside config', () => {
      const input = configuration({}, { config: { iterations: [{ region: 'north' }] } });
      expect(warningsOf(input)).toEqual([
        'config.iterations: has no effect here, but as a user attribute; it belongs to the root, beside api and config',
      ]);
    });

    it('api.http.Headers', () => {
      const input = configuration({}, { api: { http: { Headers: { Accept: 'application/json' } } } });
      expect(warningsOf(input)).toEqual(['api.http.Headers: has no effect: unknown key; did you mean "headers"?']);
    });

    it('the dotted key "pagination.method"', () => {
      const input = configuration({}, { api: { 'pagination.method': 'offset' } });
      expect(warningsOf(input)).toEqual([
        'api["pagination.method"]: has no effect: a key is one name, not a path; did you mean "method" inside "pagination"?',
      ]);
    });

    it('a scroller with a method other than multiple', () => {
      const input = configuration({ scroller: 'pages' }, { api: { pagination: { method: 'pagenum' } } });
      expect(warningsOf(input)).toEqual([
        'config.jobs[0].scroller: has no effect: api.pagination.method is not multiple',
      ]);
    });

    it('a placeholder that is in no endpoint', () => {
      const child = { endpoint: 'items/{item-id}', placeholders: { 'item-id': 'id', itemid: 'id' } };
      const other = { endpoint: 'items/{itemId}', placeholders: { 'item-id': 'id' } };
      const place = String.raw`^config\.jobs\[0\]\.children`;
      expect(warningsOf(configuration({ children: [child, other] }))).toEqual([
        expect.stringMatching(new RegExp(String.raw`${place}\[0\]\.placeholders\.itemid: is in no endpoint`)),
        expect.stringMatching(
          new RegExp(String.raw`${place}\[1\]\.placeholders\.item-id: is in no endpoint.*; did you mean "itemId"\?$`),
        ),
      ]);
    });

    it('none of them stops a run', async () => {
      const api = { http: { Headers: { Accept: 'a' } }, 'pagination.method': 'offset' };
      const config = { iterations: [{ region: 'north' }] };
      const input = configuration({ scroller: 'pages', placeholders: { 'item-id': 'id' } }, { api, config });
      expect(await askedBy(input)).toEqual(['GET /items']);
    });
  });

  it.each([
    ['a query', 'items?kind=old&part=1', 'GET /items?kind=old&part=1'],
    ['[0] in its query', 'items?ids[0]=a&ids[1]=b', 'GET /items?ids[0]=a&ids[1]=b'],
    ['colons in its query', 'items?at=urn:x:item:1', 'GET /items?at=urn:x:item:1'],
    ['a raw space in its query', 'items?fields=id,name, size', 'GET /items?fields=id,name, size'],
    ['a colon in its path', 'reports:run', 'GET /reports:run'],
    ['a leading slash', '/items', 'GET /items'],
  ])('language 2.2: an endpoint with %s', async (_, endpoint, asked) => {
    expect(await askedBy(configuration({ endpoint }))).toEqual([asked]);
  });

  it('language 2.2: a base URL with no slash at the end keeps its last segment', async () => {
    const api = { baseUrl: `${server.origin}/api/v2` };
    expect(await askedBy(configuration({}, { api }))).toEqual(['GET /api/v2/items']);
  });

  it('language 3.2: names such as page[size] and dateRange.start.day are sent as they are', async () => {
    const params = { 'page[size]': 100, 'dateRange.start.day': 1, 'sizes.list[0]': 'XL' };
    expect(await askedBy(configuration({ params }))).toEqual([
      'GET /items?page[size]=100&dateRange.start.day=1&sizes.list[0]=XL',
    ]);
  });

  it('language 4.5.1: a login on another host, by its absolute URL', async () => {
    const authentication = {
      type: 'login',
      loginRequest: { endpoint: `${elsewhere.origin}/enter`, method: 'FORM', params: { user: 'u' } },
      apiRequest: { headers: { 'X-Key': 'key' } },
    };
    expect(await askedBy(configuration({}, { api: { authentication } }))).toEqual(['GET /items']);
    expect(elsewhere.requests.map(({ method, url, body }) => [method, url, body])).toEqual([
      ['POST', '/enter', 'user=u'],
    ]);
    expect(server.requests[0]?.headers['x-key']).toBe('K');
  });

  it('language 1.2: keys of editors and tools are ignored', async () => {
    const mapping = { id: { propertyOrder: 1, mapping: { destination: 'id', propertyOrder: 2 } } };
    const input = configuration(
      { __NAME: 'root', propertyOrder: 3 },
      { config: { mappings: { items: mapping } }, root: { processors: { after: [{ definition: {} }] } } },
    );
    expect(await askedBy(input)).toEqual(['GET /items']);
    expect(warningsOf(input)).toEqual([
      'config.jobs[0].__NAME: has no effect: unknown key',
      'config.jobs[0].propertyOrder: has no effect: unknown key',
      'processors: has no effect: unknown key',
    ]);
  });

  it('language 7.3: a missing attribute is named, without a list of all mappings', () => {
    const input = configuration(
      { params: { since: { attr: 'since' } } },
      { config: { token: 't', mappings: { items: { id: 'id', name: 'name' } } } },
    );
    expect(() => validate(input)).toThrow(
      /config\.jobs\[0\]\.params\.since: .*attr 'since' not found! Known: 'token'\.$/,
    );
  });

  it('language 8.10: the entry of a child table beside the mappings is one fault, that says where it belongs', () => {
    const refunds = { type: 'table', destination: 'refunds', parentKey: { destination: 'id' }, amount: 'amount' };
    const input = configuration({}, { config: { mappings: { items: { id: 'id' }, refunds } } });
    expect(() => validate(input)).toThrow(
      'The configuration cannot be used.\n  config.mappings.refunds: expected columns, found an entry of type "table": ' +
        'it belongs inside the mapping of the items that hold its list',
    );
  });
});
