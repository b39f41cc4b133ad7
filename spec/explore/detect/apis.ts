/** Small servers that page as well-known APIs do, each with seven items, three a page. */
import type { IncomingHttpHeaders } from 'node:http';

export interface Asked {
  readonly url: URL;
  readonly body: Readonly<Record<string, unknown>>;
  readonly headers: IncomingHttpHeaders;
  /** Scheme, host and port of the server. */
  readonly origin: string;
}

export interface Answered {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** A string is sent as it is. */
  readonly body: unknown;
}

/** What detection has to come to: `found`: a run gives all items; `unsure`: it says that it does not know. */
export type Expected = 'found' | 'unsure';

export interface Api {
  readonly name: string;
  /** How it pages, in words. */
  readonly how: string;
  readonly path: string;
  readonly expected: Expected;
  /** Written after the rules, and not looked at before. */
  readonly isHeldOut?: boolean;
  readonly method?: 'POST';
  readonly body?: unknown;
  readonly count?: number;
  readonly answer: (asked: Asked) => Answered;
}

export const COUNT = 7;
const SIZE = 3;

export interface Ship {
  readonly id: number;
  readonly name: string;
  readonly updated_at: string;
}

export const SHIPS: readonly Ship[] = Array.from({ length: COUNT }, (_, at) => ({
  id: 11 + at * 3,
  name: `Ship ${String.fromCharCode(65 + at)}`,
  updated_at: `2024-03-0${at + 1}T08:00:00Z`,
}));

const number = (url: URL, name: string, fallback: number): number => {
  const text = url.searchParams.get(name);
  return text === null || text === '' ? fallback : Number(text);
};
const from = (offset: number, size = SIZE): readonly Ship[] => SHIPS.slice(offset, offset + size);
const page = (index: number, size = SIZE): readonly Ship[] => from(index * size, size);
const behind = (id: number, size = SIZE): readonly Ship[] => SHIPS.filter((ship) => ship.id > id).slice(0, size);
const isLast = (offset: number, size = SIZE): boolean => offset + size >= COUNT;
const token = (offset: number): string => Buffer.from(`o:${offset}`).toString('base64url');
const offsetOf = (text: string | null | undefined): number =>
  text === null || text === undefined || text === '' ? 0 : Number(Buffer.from(text, 'base64url').toString().slice(2));
const json = (body: unknown, headers: Readonly<Record<string, string>> = {}): Answered => ({ body, headers });
const withParam = (url: URL, name: string, value: string | number): string => {
  const next = new URL(url);
  next.searchParams.set(name, String(value));
  return next.href;
};

/** An API with a token in a query parameter: `wrap` makes the body of the items and of the next token. */
const tokens = (param: string, wrap: (items: readonly Ship[], next: string | undefined) => unknown) => ({
  answer: ({ url }: Asked): Answered => {
    const offset = offsetOf(url.searchParams.get(param));
    return json(wrap(from(offset), isLast(offset) ? undefined : token(offset + SIZE)));
  },
});

export const APIS: readonly Api[] = [
  {
    name: 'GitHub',
    how: 'the header Link with rel="next"',
    path: '/repos/acme/fleet/ships',
    expected: 'found',
    answer: ({ url }) => {
      const at = number(url, 'page', 1);
      const links = [
        ...(isLast((at - 1) * SIZE)
          ? []
          : [`<${withParam(url, 'page', at + 1)}>; rel="next"`, `<${withParam(url, 'page', 3)}>; rel="last"`]),
        ...(at === 1 ? [] : [`<${withParam(url, 'page', 1)}>; rel="first"`]),
      ];
      return json(page(at - 1), links.length === 0 ? {} : { link: links.join(', ') });
    },
  },
  {
    name: 'Stripe',
    how: 'has_more, and starting_after takes the last id',
    path: '/v1/ships',
    expected: 'found',
    answer: ({ url }) => {
      const items = behind(number(url, 'starting_after', 0));
      return json({ object: 'list', url: '/v1/ships', has_more: items.at(-1)?.id !== SHIPS.at(-1)?.id, data: items });
    },
  },
  {
    name: 'Slack',
    how: 'response_metadata.next_cursor, empty at the end',
    path: '/api/conversations.list',
    expected: 'found',
    ...tokens('cursor', (items, next) => ({
      ok: true,
      channels: items,
      response_metadata: { next_cursor: next ?? '' },
    })),
  },
  {
    name: 'Google',
    how: 'nextPageToken, and pageToken takes it',
    path: '/drive/v3/files',
    expected: 'found',
    ...tokens('pageToken', (items, next) => ({
      kind: 'drive#fileList',
      incompleteSearch: false,
      files: items,
      ...(next === undefined ? {} : { nextPageToken: next }),
    })),
  },
  {
    name: 'OData (Microsoft Graph)',
    how: '@odata.nextLink',
    path: '/v1.0/users',
    expected: 'found',
    answer: ({ url, origin }) => {
      const offset = offsetOf(url.searchParams.get('$skiptoken'));
      return json({
        '@odata.context': `${origin}/v1.0/$metadata#users`,
        ...(isLast(offset) ? {} : { '@odata.nextLink': withParam(url, '$skiptoken', token(offset + SIZE)) }),
        value: from(offset),
      });
    },
  },
  {
    name: 'JSON:API',
    how: 'links.next',
    path: '/articles',
    expected: 'found',
    answer: ({ url }) => {
      const at = number(url, 'page[number]', 1);
      const next = isLast((at - 1) * SIZE) ? null : withParam(url, 'page[number]', at + 1);
      return json({
        links: {
          self: url.href,
          first: withParam(url, 'page[number]', 1),
          last: withParam(url, 'page[number]', 3),
          next,
        },
        data: page(at - 1).map(({ id, ...attributes }) => ({ type: 'ships', id: String(id), attributes })),
        included: [{ type: 'people', id: '9', attributes: { name: 'Dan' } }],
      });
    },
  },
  {
    name: 'HAL',
    how: '_links.next.href, items in _embedded',
    path: '/orders',
    expected: 'found',
    answer: ({ url }) => {
      const at = number(url, 'page', 1);
      return json({
        _links: {
          self: { href: url.pathname + url.search },
          ...(isLast((at - 1) * SIZE) ? {} : { next: { href: `/orders?page=${at + 1}` } }),
        },
        count: page(at - 1).length,
        total: COUNT,
        _embedded: { orders: page(at - 1) },
      });
    },
  },
  {
    name: 'Django REST framework',
    how: 'count, next, previous',
    path: '/api/ships/',
    expected: 'found',
    answer: ({ url }) => {
      const at = number(url, 'page', 1);
      if (page(at - 1).length === 0) return { status: 404, body: { detail: 'Invalid page.' } };
      return json({
        count: COUNT,
        next: isLast((at - 1) * SIZE) ? null : withParam(url, 'page', at + 1),
        previous: at === 1 ? null : withParam(url, 'page', at - 1),
        results: page(at - 1),
      });
    },
  },
  {
    name: 'Datasette',
    how: 'next and next_url, rows',
    path: '/fixtures/ships.json',
    expected: 'found',
    answer: ({ url }) => {
      const items = behind(number(url, '_next', 0));
      const last = items.at(-1)?.id;
      const next = last === undefined || last === SHIPS.at(-1)?.id ? null : String(last);
      return json({
        ok: true,
        next,
        next_url: next === null ? null : withParam(url, '_next', next),
        rows: items,
        truncated: false,
      });
    },
  },
  {
    name: 'Directus',
    how: 'nothing in the response; offset and limit',
    path: '/items/ships',
    expected: 'found',
    answer: ({ url }) => json({ data: from(number(url, 'offset', 0), number(url, 'limit', SIZE)) }),
  },
  {
    name: 'PocketBase',
    how: 'page, perPage, totalPages',
    path: '/api/collections/ships/records',
    expected: 'found',
    answer: ({ url }) => {
      const at = number(url, 'page', 1);
      return json({ page: at, perPage: SIZE, totalItems: COUNT, totalPages: 3, items: page(at - 1) });
    },
  },
  {
    name: 'Keycloak',
    how: 'nothing in the response; first and max',
    path: '/admin/realms/acme/users',
    expected: 'found',
    answer: ({ url }) => json(from(number(url, 'first', 0), number(url, 'max', SIZE))),
  },
  {
    name: 'Elasticsearch',
    how: 'hits.total, and from and size',
    path: '/ships/_search',
    expected: 'found',
    answer: ({ url }) => {
      const items = from(number(url, 'from', 0), number(url, 'size', SIZE));
      return json({
        took: 2,
        timed_out: false,
        _shards: { total: 1, successful: 1, skipped: 0, failed: 0 },
        hits: {
          total: { value: COUNT, relation: 'eq' },
          max_score: 1,
          hits: items.map((ship) => ({ _index: 'ships', _id: String(ship.id), _score: 1, _source: ship })),
        },
      });
    },
  },
  {
    name: 'Salesforce',
    how: 'nextRecordsUrl, done, totalSize',
    path: '/services/data/v60.0/query?q=SELECT+Id+FROM+Ship',
    expected: 'found',
    answer: ({ url }) => {
      const offset = Number(/-(\d+)$/.exec(url.pathname)?.[1] ?? 0);
      return json({
        totalSize: COUNT,
        done: isLast(offset),
        ...(isLast(offset) ? {} : { nextRecordsUrl: `/services/data/v60.0/query/01gD0000002HU6K-${offset + SIZE}` }),
        records: from(offset).map((ship) => ({
          attributes: { type: 'Ship', url: `/services/data/v60.0/sobjects/Ship/${ship.id}` },
          ...ship,
        })),
      });
    },
  },
  {
    name: 'Shopify',
    how: 'the header Link with page_info',
    path: '/admin/api/2024-01/products.json',
    expected: 'found',
    answer: ({ url }) => {
      const offset = offsetOf(url.searchParams.get('page_info'));
      const next = `<${url.origin}${url.pathname}?page_info=${token(offset + SIZE)}&limit=${SIZE}>; rel="next"`;
      return json({ products: from(offset) }, isLast(offset) ? {} : { link: next });
    },
  },
  {
    name: 'Zendesk',
    how: 'links.next and meta.has_more, also on the last page',
    path: '/api/v2/tickets',
    expected: 'found',
    answer: ({ url }) => {
      const offset = offsetOf(url.searchParams.get('page[after]'));
      const after = token(Math.min(offset + SIZE, COUNT));
      return json({
        tickets: from(offset),
        meta: { has_more: !isLast(offset), after_cursor: after, before_cursor: token(offset) },
        links: {
          prev: withParam(url, 'page[before]', token(offset)),
          next: isLast(offset) ? null : withParam(url, 'page[after]', after),
        },
      });
    },
  },
  {
    name: 'HubSpot',
    how: 'paging.next.after, with a link beside it',
    path: '/crm/v3/objects/contacts',
    expected: 'found',
    answer: ({ url }) => {
      const offset = offsetOf(url.searchParams.get('after'));
      const after = token(offset + SIZE);
      return json({
        results: from(offset),
        ...(isLast(offset) ? {} : { paging: { next: { after, link: withParam(url, 'after', after) } } }),
      });
    },
  },
  {
    name: 'Jira',
    how: 'startAt, maxResults, total',
    path: '/rest/api/2/search',
    expected: 'found',
    answer: ({ url }) => {
      const startAt = number(url, 'startAt', 0);
      const maxResults = Math.min(number(url, 'maxResults', SIZE), SIZE);
      return json({ expand: 'schema,names', startAt, maxResults, total: COUNT, issues: from(startAt, maxResults) });
    },
  },
  {
    name: 'GitLab',
    how: 'the header X-Next-Page, a number',
    path: '/api/v4/projects',
    expected: 'found',
    answer: ({ url }) => {
      const at = number(url, 'page', 1);
      const next = isLast((at - 1) * SIZE) ? '' : String(at + 1);
      return json(page(at - 1), {
        'x-page': String(at),
        'x-per-page': String(SIZE),
        'x-next-page': next,
        'x-total': String(COUNT),
        'x-total-pages': '3',
      });
    },
  },
  {
    name: 'WordPress',
    how: 'the headers X-WP-Total and X-WP-TotalPages; a page too far is refused',
    path: '/wp-json/wp/v2/posts',
    expected: 'found',
    answer: ({ url }) => {
      const at = number(url, 'page', 1);
      if (at > 3)
        return {
          status: 400,
          body: { code: 'rest_post_invalid_page_number', message: 'too far', data: { status: 400 } },
        };
      return json(page(at - 1), { 'x-wp-total': String(COUNT), 'x-wp-totalpages': '3' });
    },
  },
  {
    name: 'Airtable',
    how: 'offset, a token',
    path: '/v0/app1/Ships',
    expected: 'found',
    answer: ({ url }) => {
      const offset = Number(/\d+$/.exec(url.searchParams.get('offset') ?? '0')?.[0] ?? 0);
      return json({
        records: from(offset).map(({ id, updated_at, ...fields }) => ({
          id: `rec${id}`,
          createdTime: updated_at,
          fields,
        })),
        ...(isLast(offset) ? {} : { offset: `itrXyz/rec${offset + SIZE}` }),
      });
    },
  },
  {
    name: 'Notion',
    how: 'next_cursor and has_more; start_cursor takes it',
    path: '/v1/users',
    expected: 'found',
    ...tokens('start_cursor', (results, next) => ({
      object: 'list',
      results,
      next_cursor: next ?? null,
      has_more: next !== undefined,
    })),
  },
  {
    name: 'X (Twitter)',
    how: 'meta.next_token; pagination_token takes it',
    path: '/2/users/12/tweets',
    expected: 'found',
    ...tokens('pagination_token', (data, next) => ({
      data,
      meta: {
        result_count: data.length,
        newest_id: '9',
        oldest_id: '1',
        ...(next === undefined ? {} : { next_token: next }),
      },
    })),
  },
  {
    name: 'CouchDB',
    how: 'total_rows and offset; skip and limit',
    path: '/ships/_all_docs?limit=3',
    expected: 'found',
    answer: ({ url }) => {
      const skip = number(url, 'skip', 0);
      const rows = from(skip, number(url, 'limit', COUNT)).map((ship) => ({
        id: `s${ship.id}`,
        key: `s${ship.id}`,
        value: { rev: '1-a' },
      }));
      return json({ total_rows: COUNT, offset: skip, rows });
    },
  },
  {
    name: 'Spring Data',
    how: 'page.number from 0, page.totalPages',
    path: '/api/boats',
    expected: 'found',
    answer: ({ url }) => {
      const at = number(url, 'page', 0);
      return json({ content: page(at), page: { size: SIZE, number: at, totalElements: COUNT, totalPages: 3 } });
    },
  },
  {
    name: 'Kinto',
    how: 'the header Next-Page, an address',
    path: '/v1/buckets/b/collections/ships/records',
    expected: 'found',
    answer: ({ url }) => {
      const offset = offsetOf(url.searchParams.get('_token'));
      return json(
        { data: from(offset) },
        {
          'total-records': String(COUNT),
          etag: '"1"',
          ...(isLast(offset) ? {} : { 'next-page': withParam(url, '_token', token(offset + SIZE)) }),
        },
      );
    },
  },
  {
    name: 'json-server 0.17',
    how: 'X-Total-Count beside _page and _limit',
    path: '/ships?_limit=3',
    expected: 'found',
    answer: ({ url }) => json(page(number(url, '_page', 1) - 1), { 'x-total-count': String(COUNT) }),
  },
  {
    name: 'SODA (Socrata)',
    how: 'nothing in the response; $limit and $offset',
    path: '/resource/ships.json',
    expected: 'found',
    answer: ({ url }) => json(from(number(url, '$offset', 0), number(url, '$limit', SIZE))),
  },
  {
    name: 'GraphQL',
    how: 'a connection with pageInfo',
    path: '/graphql',
    expected: 'found',
    method: 'POST',
    body: {
      query:
        'query($after: String) { ships(first: 3, after: $after) { nodes { id name updated_at } pageInfo { hasNextPage endCursor } } }',
    },
    answer: ({ body }) => {
      const variables = (body['variables'] ?? {}) as { readonly after?: string };
      const offset = offsetOf(variables.after);
      return json({
        data: {
          ships: { nodes: from(offset), pageInfo: { hasNextPage: !isLast(offset), endCursor: token(offset + SIZE) } },
        },
      });
    },
  },
  {
    name: 'an array without any sign, all of it',
    how: 'no paging at all',
    path: '/all/ships',
    expected: 'unsure',
    answer: () => json(SHIPS),
  },
  {
    name: 'a map of objects',
    how: 'each item under its id; no paging',
    path: '/map/ships',
    expected: 'unsure',
    answer: () => json(Object.fromEntries(SHIPS.map((ship) => [`s${ship.id}`, ship]))),
  },
  {
    name: 'an empty list',
    how: 'nothing to look at',
    path: '/none/ships',
    expected: 'unsure',
    count: 0,
    answer: () => json({ ships: [] }),
  },
  {
    name: 'a total, and parameters that nobody guesses',
    how: 'a total of 7; the parameter is called "tranche"',
    path: '/odd/ships',
    expected: 'unsure',
    answer: ({ url }) => json({ total: COUNT, ships: page(number(url, 'tranche', 1) - 1) }),
  },
  {
    name: 'lines of JSON',
    how: 'an export; no paging',
    path: '/export/ships.jsonl',
    expected: 'unsure',
    answer: () => ({
      headers: { 'content-type': 'application/x-ndjson' },
      body: `${SHIPS.map((ship) => JSON.stringify(ship)).join('\n')}\n`,
    }),
  },
  {
    name: 'JSON lines with a cursor',
    how: 'a cursor in a header, since JSON lines have no envelope',
    path: '/events',
    expected: 'found',
    answer: ({ url }) => {
      const from = number(url, 'token', 0);
      return {
        headers: {
          'content-type': 'application/x-ndjson',
          ...(isLast(from) ? {} : { 'x-next-token': String(from + SIZE) }),
        },
        body: `${
          from < COUNT
            ? SHIPS.slice(from, from + SIZE)
                .map((ship) => JSON.stringify(ship))
                .join('\n')
            : ''
        }\n`,
      };
    },
  },
  {
    name: 'Intercom',
    how: 'the token in the object of the next page, beside its number',
    path: '/contacts',
    expected: 'found',
    answer: ({ url }) => {
      const from = number(url, 'starting_after', 0);
      const next = { page: from / SIZE + 2, starting_after: String(from + SIZE) };
      return json({
        type: 'list',
        data: SHIPS.slice(from, from + SIZE),
        total_count: COUNT,
        pages: { type: 'pages', page: from / SIZE + 1, per_page: SIZE, ...(isLast(from) ? {} : { next }) },
      });
    },
  },
  {
    name: 'FHIR',
    how: 'a bundle: links by their relation, items in entry',
    path: '/fhir/Patient',
    expected: 'found',
    isHeldOut: true,
    answer: ({ url }) => {
      const offset = number(url, '_getpagesoffset', 0);
      const link = [
        { relation: 'self', url: url.href },
        ...(isLast(offset) ? [] : [{ relation: 'next', url: withParam(url, '_getpagesoffset', offset + SIZE) }]),
      ];
      return json({
        resourceType: 'Bundle',
        id: 'b1',
        type: 'searchset',
        total: COUNT,
        link,
        entry: from(offset).map((resource) => ({ fullUrl: `urn:${resource.id}`, resource })),
      });
    },
  },
  {
    name: 'Feathers',
    how: 'skip, limit and total; $skip and $limit, and other parameters are filters or refused',
    path: '/ships',
    expected: 'found',
    answer: ({ url }) => {
      const refused = [...url.searchParams.keys()].find((name) => /^\$(?!skip$|limit$)/.test(name));
      if (refused !== undefined)
        return { status: 400, body: { name: 'BadRequest', message: `Invalid query parameter ${refused}`, code: 400 } };
      const filters = [...url.searchParams].filter(([name]) => !name.startsWith('$'));
      const [skip, limit] = [number(url, '$skip', 0), Math.min(number(url, '$limit', SIZE), SIZE)];
      const all = filters.length === 0 ? SHIPS : [];
      return json({ total: all.length, limit, skip, data: all.slice(skip, skip + limit) });
    },
  },
  {
    name: 'Contentful',
    how: 'skip, limit, total',
    path: '/spaces/s1/entries',
    expected: 'found',
    isHeldOut: true,
    answer: ({ url }) => {
      const skip = number(url, 'skip', 0);
      const limit = number(url, 'limit', SIZE);
      return json({
        sys: { type: 'Array' },
        total: COUNT,
        skip,
        limit,
        items: from(skip, limit).map((fields) => ({
          sys: { id: `e${fields.id}`, updatedAt: fields.updated_at },
          fields,
        })),
      });
    },
  },
  {
    name: 'Solr',
    how: 'response.numFound and response.start; start and rows',
    path: '/solr/ships/select?q=*:*',
    expected: 'found',
    isHeldOut: true,
    answer: ({ url }) => {
      const start = number(url, 'start', 0);
      const docs = from(start, number(url, 'rows', SIZE));
      return json({
        responseHeader: { status: 0, QTime: 1, params: { q: '*:*' } },
        response: { numFound: COUNT, start, numFoundExact: true, docs },
      });
    },
  },
  {
    name: 'Reddit',
    how: 'data.after, and after takes it',
    path: '/r/ships/new.json',
    expected: 'found',
    isHeldOut: true,
    answer: ({ url }) => {
      const offset = offsetOf(url.searchParams.get('after'));
      return json({
        kind: 'Listing',
        data: {
          after: isLast(offset) ? null : token(offset + SIZE),
          before: null,
          dist: SIZE,
          modhash: '',
          children: from(offset).map((data) => ({ kind: 't3', data })),
        },
      });
    },
  },
  {
    name: 'MediaWiki',
    how: 'continue, an object of two values that both have to be sent',
    path: '/w/api.php?action=query&list=allpages&format=json',
    expected: 'unsure',
    isHeldOut: true,
    answer: ({ url }) => {
      const offset = url.searchParams.get('continue') === '-||' ? number(url, 'apcontinue', 0) : 0;
      return json({
        batchcomplete: '',
        ...(isLast(offset) ? {} : { continue: { apcontinue: String(offset + SIZE), continue: '-||' } }),
        query: { allpages: from(offset).map(({ id, name }) => ({ pageid: id, ns: 0, title: name })) },
      });
    },
  },
  {
    name: 'SCIM',
    how: 'startIndex from 1, count, totalResults',
    path: '/scim/v2/Users',
    expected: 'unsure',
    isHeldOut: true,
    answer: ({ url }) => {
      const startIndex = Math.max(number(url, 'startIndex', 1), 1);
      const Resources = from(startIndex - 1, Math.min(number(url, 'count', SIZE), SIZE));
      return json({
        schemas: ['urn:ietf:params:scim:api:messages:2.0:ListResponse'],
        totalResults: COUNT,
        startIndex,
        itemsPerPage: SIZE,
        Resources,
      });
    },
  },
];
