/** What the pagination methods do, as rows of a table: contract.spec.ts says what holds for each of them. */
import type { Json, JsonObject } from '../../../src/core/model';
import type { Reply } from '../../support/pagination';

/** A request as `playPages` tells of it, and the answer to it. */
export type Exchange = readonly [asked: string, data: Json, headers?: Reply['headers']];

/** A run of one method: its requests, one by one, and what they are answered. The last answer is the end. */
export interface Row {
  readonly method: string;
  readonly what: string;
  /** The options, and the stops. */
  readonly options: JsonObject;
  /** More of the job, which is at `users`. */
  readonly job?: JsonObject;
  /** A header of requests that is part of what they are. */
  readonly header?: string;
  readonly exchanges: readonly Exchange[];
  /** Absent: all that the answers have. */
  readonly items?: readonly Json[];
  /** Absent: none. */
  readonly warnings?: readonly string[];
  /** Absent: none. */
  readonly doubts?: readonly string[];
}

type Run = Omit<Row, 'method' | 'what' | 'options' | 'exchanges'>;

const rowOf =
  (method: string) =>
  (what: string, options: JsonObject, exchanges: readonly Exchange[], run: Run = {}): Row => ({
    ...{ method, what, options, exchanges },
    ...run,
  });

/** Of a job whose items stand in an object. */
const FOLLOWED = { dataField: 'items' };
const NO_DATA = ['dataField items contains no data!'];

const SHIPS = 'query($first: Int, $offset: Int) { ships(first: $first, offset: $offset) }';
const offset = rowOf('offset');
const OFFSET: readonly Row[] = [
  offset('at its defaults', { limit: 2 }, [
    ['GET /users?limit=2&offset=0', [1, 2]],
    ['GET /users?limit=2&offset=2', [3, 4]],
    ['GET /users?limit=2&offset=4', [5, 6]],
    ['GET /users?limit=2&offset=6', [7]],
  ]),
  offset('a last page that is full costs a request', { limit: 2 }, [
    ['GET /users?limit=2&offset=0', [1, 2]],
    ['GET /users?limit=2&offset=2', []],
  ]),
  offset('a page of more items than asked for', { limit: 2 }, [
    ['GET /users?limit=2&offset=0', [1, 2, 3]],
    ['GET /users?limit=2&offset=2', [4]],
  ]),
  offset('a page of more items than asked for, where pages begin behind the items', { limit: 2, advance: 'items' }, [
    ['GET /users?limit=2&offset=0', [1, 2, 3]],
    ['GET /users?limit=2&offset=3', [4]],
  ]),
  offset('the page size alone with the first request', { limit: 2, firstPageParams: 'limit' }, [
    ['GET /users?limit=2', [1, 2]],
    ['GET /users?limit=2&offset=2', [3]],
  ]),
  offset('a page size that is not sent', { limit: 2, sendLimit: false }, [
    ['GET /users?offset=0', [1, 2]],
    ['GET /users?offset=2', [3]],
  ]),
  offset(
    'renamed, behind parameters of the job',
    { limit: 2, limitParam: 'size', offsetParam: 'skip' },
    [
      ['GET /users?q=x&size=2&skip=0', [1, 2]],
      ['GET /users?q=x&size=2&skip=2', [3]],
    ],
    { job: { params: { q: 'x' } } },
  ),
  offset(
    'a job with a page size of its own, which is text',
    { limit: 2, limitParam: 'count' },
    [
      ['GET /users?count=3&offset=0', [1, 2, 3]],
      ['GET /users?count=3&offset=3', [4, 5]],
    ],
    { job: { params: { count: '3' } } },
  ),
  offset('a job whose page size is blank', { limit: 2 }, [['GET /users?limit=2&offset=0', [1]]], {
    job: { params: { limit: '' } },
  }),
  offset(
    'a job that says where it starts',
    { limit: 2, offsetFromJob: true },
    [
      ['GET /users?offset=10&limit=2', [1, 2]],
      ['GET /users?offset=12&limit=2', [3]],
    ],
    { job: { params: { offset: '10' } } },
  ),
  offset('a job that does not say where it starts', { limit: 2, offsetFromJob: true }, [
    ['GET /users?limit=2&offset=0', [1, 2]],
    ['GET /users?limit=2&offset=2', [3]],
  ]),
  offset(
    'parameters of the job with its names keep their places',
    { limit: 2 },
    [
      ['GET /users?offset=0&q=1&limit=3', [1, 2, 3]],
      ['GET /users?offset=3&q=1&limit=3', [4]],
    ],
    { job: { params: { offset: 9, q: 1, limit: 3 } } },
  ),
  offset(
    'no parameters with the first request',
    { limit: 2, firstPageParams: false },
    [
      ['GET /users?q=1', [1, 2]],
      ['GET /users?q=1&limit=2&offset=2', [3]],
    ],
    { job: { params: { q: 1 } } },
  ),
  offset(
    'no parameters with the first request, nor a start that is not asked for',
    { limit: 2, firstPageParams: false },
    [
      ['GET /users?q=1', [1, 2]],
      ['GET /users?offset=2&q=1&limit=2', [3]],
    ],
    { job: { params: { offset: 10, q: 1 } } },
  ),
  offset(
    'no parameters with the first request but a start',
    { limit: 2, firstPageParams: false, offsetFromJob: true },
    [
      ['GET /users?offset=5', [1, 2]],
      ['GET /users?offset=7&limit=2', [3]],
    ],
    { job: { params: { offset: 5 } } },
  ),
  offset('short pages that are capped', { limit: 2, shortPage: 'capped' }, [
    ['GET /users?limit=2&offset=0', [1]],
    ['GET /users?limit=2&offset=1', [2, 3]],
    ['GET /users?limit=2&offset=3', [4, 5, 6]],
    ['GET /users?limit=2&offset=5', []],
  ]),
  offset('short pages that are filtered', { limit: 2, shortPage: 'filtered' }, [
    ['GET /users?limit=2&offset=0', [1]],
    ['GET /users?limit=2&offset=2', [2, 3]],
    ['GET /users?limit=2&offset=4', []],
  ]),
  offset(
    'a range in a header, in place of that of the job',
    { limit: 2, offsetParam: { header: 'Range', template: 'items={from}-{to}' } },
    [
      ['GET /users [range: items=0-1]', [1, 2]],
      ['GET /users [range: items=2-3]', [3]],
    ],
    { job: { headers: { range: 'none' } }, header: 'range' },
  ),
  ...['params', 'body'].map((place) =>
    offset(
      `variables of GraphQL, with the query in the ${place} of the job`,
      {
        limit: 2,
        limitParam: ['variables', 'first'],
        offsetParam: ['variables', 'offset'],
      },
      [0, 2, 4].map((at) => [
        `POST /users {"query":"${SHIPS}","variables":{"kind":"tug","first":2,"offset":${at}}}`,
        { data: { ships: at < 4 ? [at, at + 1] : [at] } },
      ]),
      {
        job: { method: 'POST', dataField: 'data.ships', [place]: { query: SHIPS, variables: { kind: 'tug' } } },
      },
    ),
  ),
];

const pagenum = rowOf('pagenum');
const PAGENUM: readonly Row[] = [
  pagenum(
    'at its defaults: no page size',
    {},
    [
      ['GET /users?page=1', { items: [1, 2] }],
      ['GET /users?page=2', { items: [3] }],
      ['GET /users?page=3', { items: [] }],
    ],
    { job: FOLLOWED, warnings: NO_DATA },
  ),
  pagenum('renamed, with a page size', { pageParam: 'p', limit: 2, limitParam: 'size' }, [
    ['GET /users?p=1&size=2', [1, 2]],
    ['GET /users?p=2&size=2', [3, 4, 5]],
    ['GET /users?p=3&size=2', [6]],
  ]),
  ...[0, 5, -1].map((firstPage) =>
    pagenum(`counts from ${firstPage}`, { firstPage }, [
      [`GET /users?page=${firstPage}`, [1]],
      [`GET /users?page=${firstPage + 1}`, [2]],
      [`GET /users?page=${firstPage + 2}`, []],
    ]),
  ),
  ...['capped', 'filtered'].map((shortPage) =>
    pagenum(`short pages that are ${shortPage}`, { limit: 2, shortPage }, [
      ['GET /users?page=1&limit=2', [1]],
      ['GET /users?page=2&limit=2', [2, 3]],
      ['GET /users?page=3&limit=2', []],
    ]),
  ),
  pagenum(
    'a job with a page of its own, which is replaced in its place',
    {},
    [
      ['GET /users?page=1&q=x', [1]],
      ['GET /users?page=2&q=x', []],
    ],
    { job: { params: { page: 7, q: 'x' } } },
  ),
  pagenum(
    'no parameters with the first request',
    { limit: 2, firstPageParams: false },
    [
      ['GET /users?q=x&page=9', [1, 2]],
      ['GET /users?q=x&page=2&limit=2', [3]],
    ],
    { job: { params: { q: 'x', page: 9 } } },
  ),
  pagenum('the page size alone with the first request', { limit: 2, firstPageParams: 'limit' }, [
    ['GET /users?limit=2', [1, 2]],
    ['GET /users?page=2&limit=2', [3]],
  ]),
  pagenum('a page size that is not sent', { limit: 2, sendLimit: false }, [
    ['GET /users?page=1', [1, 2]],
    ['GET /users?page=2', [3]],
  ]),
  pagenum('no parameters with the first request, which is page 0', { firstPage: 0, firstPageParams: false }, [
    ['GET /users', [1]],
    ['GET /users?page=1', []],
  ]),
  pagenum(
    'a job with a page size of its own, which is text',
    { limit: 2 },
    [
      ['GET /users?limit=3&page=1', [1, 2, 3]],
      ['GET /users?limit=3&page=2', [4, 5]],
    ],
    { job: { params: { limit: '3' } } },
  ),
  pagenum(
    'a job with a page size where the options have none',
    {},
    [
      ['GET /users?limit=3&page=1', [1, 2, 3]],
      ['GET /users?limit=3&page=2', [4, 5]],
    ],
    { job: { params: { limit: 3 } } },
  ),
  pagenum('a job whose page size is blank', { limit: 2 }, [['GET /users?limit=2&page=1', [1]]], {
    job: { params: { limit: '' } },
  }),
  pagenum(
    'a job whose page size is 0, which is blank',
    {},
    [
      ['GET /users?limit=0&page=1', [1]],
      ['GET /users?limit=0&page=2', []],
    ],
    { job: { params: { limit: 0 } } },
  ),
  pagenum(
    'page and size in one template',
    { firstPage: 0, limit: 2, pageParam: { param: 'q', template: '(page:{value},page_size:{limit})' } },
    [
      ['GET /users?q=(page:0,page_size:2)', [1, 2]],
      ['GET /users?q=(page:1,page_size:2)', [3]],
    ],
  ),
];

const ids = (...all: readonly Json[]): JsonObject[] => all.map((id) => ({ id }));
const cursor = rowOf('cursor');
const CURSOR = { idKey: 'id', param: 'after' };
const CURSORS: readonly Row[] = [
  cursor('at its defaults: the highest number of all pages so far', CURSOR, [
    ['GET /users', ids(1, 2)],
    ['GET /users?after=2', ids(3)],
    ['GET /users?after=3', ids(7, 9)],
    ['GET /users?after=9', ids(8)],
    ['GET /users?after=9', []],
  ]),
  cursor('reverse: the lowest number', { ...CURSOR, reverse: true }, [
    ['GET /users', ids(7, 3)],
    ['GET /users?after=3', ids(5)],
    ['GET /users?after=3', ids(-2)],
    ['GET /users?after=-2', []],
  ]),
  ...[1, -2].map((increment) =>
    cursor(`an increment of ${increment}, once`, { ...CURSOR, increment }, [
      ['GET /users', ids(7)],
      [`GET /users?after=${7 + increment}`, ids(2)],
      [`GET /users?after=${7 + increment}`, []],
    ]),
  ),
  cursor('reverse with an increment', { ...CURSOR, reverse: true, increment: -1 }, [
    ['GET /users', ids(7, 3)],
    ['GET /users?after=2', ids(5)],
    ['GET /users?after=2', []],
  ]),
  cursor('a number inside of items', { ...CURSOR, idKey: 'fields.id' }, [
    ['GET /users', [{ fields: { id: 4 } }]],
    ['GET /users?after=4', []],
  ]),
  cursor('items that are numbers', { ...CURSOR, idKey: '.' }, [
    ['GET /users', [4, 6]],
    ['GET /users?after=6', []],
  ]),
  cursor(
    'a job with a cursor of its own, which is replaced in its place',
    CURSOR,
    [
      ['GET /users?after=1&q=x', ids(4)],
      ['GET /users?after=4&q=x', []],
    ],
    { job: { params: { after: 1, q: 'x' } } },
  ),
];

const keyset = rowOf('keyset');
const KEYSET = { key: 'id', param: 'after' };
const at = (...all: readonly (readonly [string, number])[]): JsonObject[] => all.map(([day, id]) => ({ at: day, id }));
const KEYSETS: readonly Row[] = [
  keyset('at its defaults: the key of the last item, whatever the alphabet', KEYSET, [
    ['GET /users', ids('b', 'a')],
    ['GET /users?after=a', ids('c')],
    ['GET /users?after=c', []],
  ]),
  keyset('every digit of a number', KEYSET, [
    ['GET /users', ids(9007199254740993n)],
    ['GET /users?after=9007199254740993', []],
  ]),
  keyset('renamed, with a page size', { ...KEYSET, param: 'from', limit: 2, limitParam: 'size' }, [
    ['GET /users?size=2', ids(1, 2)],
    ['GET /users?size=2&from=2', ids(3)],
  ]),
  keyset(
    'a job with a page size of its own',
    { ...KEYSET, limit: 2 },
    [
      ['GET /users?q=x&limit=3', ids(1, 2, 3)],
      ['GET /users?q=x&limit=3&after=3', ids(4, 5)],
    ],
    { job: { params: { q: 'x', limit: 3 } } },
  ),
  keyset(
    'a job with a page size where the options have none',
    KEYSET,
    [
      ['GET /users?limit=2', ids(1, 2)],
      ['GET /users?limit=2&after=2', ids(3)],
    ],
    { job: { params: { limit: '2' } } },
  ),
  ...['capped', 'filtered'].map((shortPage) =>
    keyset(`short pages that are ${shortPage}`, { ...KEYSET, limit: 2, shortPage }, [
      ['GET /users?limit=2', ids(1)],
      ['GET /users?limit=2&after=1', ids(2, 3)],
      ['GET /users?limit=2&after=3', []],
    ]),
  ),
  keyset('several keys in a place each', { key: ['at', 'id'], param: ['after_at', 'after_id'] }, [
    ['GET /users', at(['2023', 7], ['2024', 3])],
    ['GET /users?after_at=2024&after_id=3', []],
  ]),
  keyset(
    'several keys in one place',
    { key: ['at', 'id'], param: 'search_after' },
    [
      ['POST /users []', at(['2023', 7], ['2024', 3])],
      ['POST /users {"search_after":["2024",3]}', []],
    ],
    { job: { method: 'POST' } },
  ),
  keyset(
    'several keys, one of them in a header',
    { key: ['at', 'id'], param: [['v', 'at'], { header: 'X-Id' }] },
    [
      ['GET /users', at(['2023', 7], ['2024', 3])],
      ['GET /users?v[at]=2024 [x-id: 3]', []],
    ],
    { header: 'x-id' },
  ),
  keyset(
    'pages that begin at the key',
    { ...KEYSET, inclusive: true, limit: 2 },
    [
      ['GET /users?limit=2', ids(1, 2)],
      ['GET /users?limit=2&after=2', ids(2, 3)],
      ['GET /users?limit=2&after=3', ids(3)],
    ],
    { items: ids(1, 2, 3) },
  ),
];

const url = rowOf('response.url');
const URLS: readonly Row[] = [
  url(
    'at its defaults: the address alone',
    {},
    [
      ['GET /users?q=x', { items: [1], next_page: 'https://api.example/other?page=2' }],
      ['GET /other?page=2', { items: [2], next_page: '/users?page=3' }],
      ['GET /users?page=3', { items: [3], next_page: null }],
    ],
    { job: { ...FOLLOWED, params: { q: 'x' } } },
  ),
  url(
    'renamed, with a delimiter of choice',
    { urlKey: 'a.b|next', delimiter: '|' },
    [
      ['GET /users', { items: [1], 'a.b': { next: '/p2' } }],
      ['GET /p2', { items: [2], 'a.b': {} }],
    ],
    { job: FOLLOWED },
  ),
  url(
    'a misspelled path ends after the first page',
    { urlKey: 'nextpage' },
    [['GET /users', { items: [1], next_page: '/p2' }]],
    { job: FOLLOWED, doubts: ['NEXT_PAGE_NOT_TAKEN'] },
  ),
  url(
    'with the parameters of the job, which overwrite those of the address',
    { includeParams: true },
    [
      ['GET /users?page=1', { items: [1], next_page: '/p?page=2&q=x' }],
      ['GET /p?page=1&q=x', { items: [2] }],
    ],
    { job: { ...FOLLOWED, params: { page: 1 } } },
  ),
  url(
    'with the parameters of the job beside those of the address',
    { includeParams: 'beside' },
    [
      ['GET /users?page=1&q=x', { items: [1], next_page: '/p?page=2&q=x' }],
      ['GET /p?page=2&q=x&page=1', { items: [2] }],
    ],
    { job: { ...FOLLOWED, params: { page: 1, q: 'x' } } },
  ),
  url(
    'a query',
    { paramIsQuery: true },
    [
      ['GET /users?q=x', { items: [1], next_page: '?page=2' }],
      ['GET /users?page=2', { items: [2], next_page: 'page=3' }],
      ['GET /users?page=3', { items: [3] }],
    ],
    { job: { ...FOLLOWED, params: { q: 'x' } } },
  ),
  url(
    'a query, with the parameters of the job',
    { paramIsQuery: true, includeParams: true },
    [
      ['GET /users?page=1&q=x', { items: [1], next_page: '?page=2' }],
      ['GET /users?page=2&q=x', { items: [2] }],
    ],
    { job: { ...FOLLOWED, params: { page: 1, q: 'x' } } },
  ),
  url(
    'an address in a header',
    { urlHeader: 'Next-Page' },
    [
      ['GET /users', { items: [1] }, { 'next-page': 'https://api.example/p2' }],
      ['GET /p2', { items: [2], next_page: '/no' }],
    ],
    { job: FOLLOWED },
  ),
];

const zendesk = rowOf('zendesk.response.url');
const RECENT = Math.floor(Date.now() / 1000);
const ZENDESK: readonly Row[] = [
  zendesk(
    'at its defaults',
    {},
    [
      ['GET /users?q=x', { items: [1], next_page: '/users?start_time=1' }],
      ['GET /users?start_time=1', { items: [2], next_page: '/users?start_time=2' }],
      ['GET /users?start_time=2', { items: [3], next_page: null }],
    ],
    { job: { ...FOLLOWED, params: { q: 'x' } } },
  ),
  zendesk(
    'renamed',
    { urlKey: 'meta.next' },
    [
      ['GET /users', { items: [1], meta: { next: '/deep' } }],
      ['GET /deep', { items: [2], meta: {} }],
    ],
    { job: FOLLOWED },
  ),
  zendesk(
    'with the parameters of the job',
    { includeParams: true },
    [
      ['GET /users?q=x', { items: [1], next_page: '/p' }],
      ['GET /p?q=x', { items: [2] }],
    ],
    { job: { ...FOLLOWED, params: { q: 'x' } } },
  ),
  zendesk(
    'a query',
    { paramIsQuery: true },
    [
      ['GET /users', { items: [1], next_page: '?start_time=1' }],
      ['GET /users?start_time=1', { items: [2] }],
    ],
    { job: FOLLOWED },
  ),
  zendesk(
    'the next page is too recent',
    {},
    [
      ['GET /users', { items: [1], next_page: '/users?start_time=1' }],
      ['GET /users?start_time=1', { items: [2], next_page: `/users?start_time=${RECENT}` }],
    ],
    { job: FOLLOWED },
  ),
];

const link = rowOf('response.link');
const LINKS: readonly Row[] = [
  link(
    'at its defaults: the address alone',
    {},
    [
      ['GET /users?q=x', [1], { link: '<https://api.example/p?c=2>; rel="next"' }],
      ['GET /p?c=2', [2], { link: '<?c=3>; rel=next, </p>; rel="first"' }],
      ['GET /p?c=3', [3], { link: '</p>; rel="first"' }],
    ],
    { job: { params: { q: 'x' } } },
  ),
  link('another relation', { rel: 'older' }, [
    ['GET /users', [1], { link: '<https://api.example/p>; rel="next", <https://api.example/older>; rel="older"' }],
    ['GET /older', [2]],
  ]),
  link(
    'with the parameters of the job',
    { includeParams: true },
    [
      ['GET /users?q=x', [1], { link: '<https://api.example/p>; rel="next"' }],
      ['GET /p?q=x', [2]],
    ],
    { job: { params: { q: 'x' } } },
  ),
];

const param = rowOf('response.param');
const SHIPS_AFTER = 'query($after: String) { ships(after: $after) }';
const TOKEN = { responseParam: 'scroll.token', queryParam: 'token' };
const SCROLL = { responseParam: '_scroll_id', queryParam: 'scroll_id', stopWhenEmpty: true };
const hits = (...all: readonly number[]): Json => ({
  total: { value: 3, relation: 'eq' },
  hits: all.map((_id) => ({ _id })),
});
const PARAMS: readonly Row[] = [
  param(
    'a token',
    TOKEN,
    [
      ['GET /users', { items: [1], scroll: { token: 't1' } }],
      ['GET /users?token=t1', { items: [], scroll: { token: 17 } }],
      ['GET /users?token=17', { items: [2], scroll: { token: null } }],
    ],
    { job: FOLLOWED, warnings: NO_DATA },
  ),
  param(
    'without the parameters of the job',
    { ...TOKEN, includeParams: false },
    [
      ['GET /users?q=x', { items: [1], scroll: { token: 't1' } }],
      ['GET /users?token=t1', { items: [2] }],
    ],
    { job: { ...FOLLOWED, params: { q: 'x' } } },
  ),
  param(
    'with the parameters of the job, of which it replaces one in its place',
    { ...TOKEN, includeParams: true },
    [
      ['GET /users?token[first]=1&q=x', { items: [1], scroll: { token: 't1' } }],
      ['GET /users?token=t1&q=x', { items: [2] }],
    ],
    { job: { ...FOLLOWED, params: { token: { first: true }, q: 'x' } } },
  ),
  param('a value of a header', { responseHeader: 'X-Cursor', queryParam: 'token' }, [
    ['GET /users', [1], { 'x-cursor': 't2' }],
    ['GET /users?token=t2', [2], { 'x-cursor': 't3' }],
    ['GET /users?token=t3', [3]],
  ]),
  param(
    'from header to header',
    { responseHeader: 'x-ms-continuation', queryParam: { header: 'X-MS-Continuation' } },
    [
      ['GET /users', [1], { 'x-ms-continuation': 'c1' }],
      ['GET /users [x-ms-continuation: c1]', [2]],
    ],
    { header: 'x-ms-continuation' },
  ),
  param(
    'in the body of a POST, with the parameters of the job',
    { responseParam: 'next', queryParam: 'token', includeParams: true },
    [
      ['POST /users {"q":"x"}', { items: [1], next: 'a' }],
      ['POST /users {"q":"x","token":"a"}', { items: [2] }],
    ],
    { job: { ...FOLLOWED, method: 'POST', params: { q: 'x' } } },
  ),
  param(
    'variables of GraphQL, with the query in the body',
    { responseParam: 'data.next', queryParam: ['variables', 'after'] },
    [
      [`POST /users {"query":"${SHIPS_AFTER}"}`, { data: { ships: [1], next: 'a' } }],
      [`POST /users {"query":"${SHIPS_AFTER}","variables":{"after":"a"}}`, { data: { ships: [2], next: null } }],
    ],
    { job: { method: 'POST', dataField: 'data.ships', body: { query: SHIPS_AFTER } } },
  ),
  param(
    'later requests that go elsewhere',
    { ...TOKEN, scrollRequest: { endpoint: 'results', method: 'GET' } },
    [
      ['POST /search {"object":"users"}', { scroll: { token: 'a' } }],
      ['GET /results?token=a', { items: [1, 2], scroll: { token: 'b' } }],
      ['GET /results?token=b', { items: [3], scroll: {} }],
    ],
    {
      job: { ...FOLLOWED, endpoint: 'search', method: 'POST', params: { object: 'users' } },
      warnings: NO_DATA,
    },
  ),
  param(
    'later requests with parameters of their own',
    { ...TOKEN, scrollRequest: { endpoint: 'results', params: { size: 2 } } },
    [
      ['GET /users?q=x', { items: [1], scroll: { token: 't1' } }],
      ['GET /results?size=2&token=t1', { items: [2] }],
    ],
    { job: { ...FOLLOWED, params: { q: 'x' } } },
  ),
  param(
    'tokens that never end, but pages do',
    { ...SCROLL, scrollRequest: { endpoint: '_search/scroll', params: { scroll: '1m' } } },
    [
      ['GET /ships/_search?scroll=1m', { _scroll_id: 'a', hits: hits(1, 2) }],
      ['GET /_search/scroll?scroll=1m&scroll_id=a', { _scroll_id: 'b', hits: hits(3) }],
      ['GET /_search/scroll?scroll=1m&scroll_id=b', { _scroll_id: 'c', took: 1, hits: hits() }],
    ],
    {
      job: { endpoint: 'ships/_search?scroll=1m', dataField: 'hits.hits' },
      warnings: ['dataField hits.hits contains no data!'],
    },
  ),
  param(
    'changes whose position never ends, but pages do',
    { responseParam: 'last_seq', queryParam: 'since', stopWhenEmpty: true },
    [
      ['GET /_changes', { results: [{ seq: '1-x' }], last_seq: '1-x', pending: 1 }],
      ['GET /_changes?since=1-x', { results: [{ seq: '2-y' }], last_seq: '2-y', pending: 0 }],
      ['GET /_changes?since=2-y', { results: [], last_seq: '2-z', pending: 0 }],
    ],
    { job: { endpoint: '_changes', dataField: 'results' }, warnings: ['dataField results contains no data!'] },
  ),
];

const connection = rowOf('connection');
const QUERY = 'query($after: String) { ships(after: $after) { nodes { id } pageInfo { hasNextPage endCursor } } }';
const CURSOR_QUERY = 'query($c: String) { ships(after: $c) { nodes { id } } }';
export const ships = (nodes: Json, pageInfo: Json, more: JsonObject = {}): Json => ({
  data: { ships: { nodes, pageInfo } },
  ...more,
});
const GRAPHQL = { method: 'POST', dataField: 'data.ships.nodes' };
const CONNECTIONS: readonly Row[] = [
  connection(
    'at its defaults',
    {},
    [
      [`POST /users {"query":"${QUERY}"}`, ships([1, 2], { hasNextPage: true, endCursor: 'c1' })],
      [`POST /users {"query":"${QUERY}","variables":{"after":"c1"}}`, ships([3], { hasNextPage: true, endCursor: 7 })],
      [`POST /users {"query":"${QUERY}","variables":{"after":7}}`, ships([4], { hasNextPage: false, endCursor: 'c3' })],
    ],
    { job: { ...GRAPHQL, body: { query: QUERY } } },
  ),
  connection(
    'beside variables of the job, of which it replaces one',
    {},
    [
      [
        `POST /users {"query":"${QUERY}","variables":{"first":2,"after":"c0"}}`,
        ships([1], { hasNextPage: true, endCursor: 'c1' }),
      ],
      [`POST /users {"query":"${QUERY}","variables":{"first":2,"after":"c1"}}`, ships([2], { hasNextPage: false })],
    ],
    { job: { ...GRAPHQL, body: { query: QUERY, variables: { first: 2, after: 'c0' } } } },
  ),
  connection(
    'renamed, of two connections',
    { afterParam: ['variables', 'c'], pageInfo: 'data.ships.pageInfo' },
    [
      [
        `POST /users {"query":"${CURSOR_QUERY}"}`,
        { data: { a: { pageInfo: {} }, ships: { nodes: [1], pageInfo: { hasNextPage: true, endCursor: 'c1' } } } },
      ],
      [`POST /users {"query":"${CURSOR_QUERY}","variables":{"c":"c1"}}`, ships([2], { hasNextPage: false })],
    ],
    { job: { ...GRAPHQL, body: { query: CURSOR_QUERY } } },
  ),
];

const none = rowOf('none');
const NONE: readonly Row[] = [
  none('one request, as the job says', {}, [['GET /users?q=x&offset=3', [1, 2]]], {
    job: { params: { q: 'x', offset: 3 } },
  }),
];

const multiple = rowOf('multiple');
const SCROLLERS = { list: { method: 'offset', limit: 2 }, search: { method: 'pagenum' } };
const MULTIPLE: readonly Row[] = [
  multiple(
    'the scroller of the job',
    { scrollers: SCROLLERS, default: 'list' },
    [
      ['GET /users?page=1', [1]],
      ['GET /users?page=2', []],
    ],
    { job: { scroller: 'search' } },
  ),
  multiple('the scroller by default', { scrollers: SCROLLERS, default: 'list' }, [
    ['GET /users?limit=2&offset=0', [1, 2]],
    ['GET /users?limit=2&offset=2', [3]],
  ]),
  multiple(
    'a stop of all scrollers',
    { scrollers: SCROLLERS, default: 'search', nextPageFlag: { field: 'more', stopOn: false, ifNotSet: true } },
    [
      ['GET /users?page=1', { items: [1], more: true }],
      ['GET /users?page=2', { items: [2], more: false }],
    ],
    { job: FOLLOWED },
  ),
  multiple('neither: one request', { scrollers: SCROLLERS }, [['GET /users', [1, 2]]]),
];

/** All rows. */
const jinja = rowOf('jinja');
const TEMPLATES: readonly Row[] = [
  jinja(
    'a token of the response',
    { next: '{{ response.next }}', param: 'token' },
    [
      ['GET /users', { items: [1], next: 'a' }],
      ['GET /users?token=a', { items: [2], next: '' }],
    ],
    { job: FOLLOWED },
  ),
  jinja(
    'pages by their number, until one is not full',
    { next: '{{ token + 1 }}', stop: '{{ last_page_size < most }}', first: 1, param: 'page', with: { most: 2 } },
    [
      ['GET /users?page=1', [1, 2]],
      ['GET /users?page=2', [3]],
    ],
  ),
  jinja(
    'positions from 0 on, without one in the first request',
    { next: '{{ (token or 0) + last_page_size }}', stop: '{{ last_page_size == 0 }}', param: 'skip', zeroEnds: false },
    [
      ['GET /users', [1, 2]],
      ['GET /users?skip=2', [3, 4, 5]],
      ['GET /users?skip=5', []],
    ],
  ),
  jinja(
    'an address, to which parameters of the job are added',
    { next: '{{ response.next }}' },
    [
      ['GET /users?size=2&sort=up', { items: [1], next: '/users?at=7&size=2' }],
      ['GET /users?at=7&size=2&sort=up', { items: [2] }],
    ],
    { job: { ...FOLLOWED, params: { size: 2, sort: 'up' } } },
  ),
  jinja(
    'parameters that depend on the page',
    { next: '{{ response.next }}', param: 'token', params: { since: "{{ '' if token else '2024' }}" } },
    [
      ['GET /users?since=2024', { items: [1], next: 'a' }],
      ['GET /users?token=a', { items: [2] }],
    ],
    { job: FOLLOWED },
  ),
  jinja('a link of the headers', { next: "{{ headers.link['next'].url if 'next' in headers.link }}" }, [
    ['GET /users', [1], { link: '<https://api.example/users?at=2>; rel="next"' }],
    ['GET /users?at=2', [2], {}],
  ]),
];

export const ROWS: readonly Row[] = [
  ...[OFFSET, PAGENUM, CURSORS, KEYSETS, URLS, ZENDESK, LINKS, PARAMS, CONNECTIONS, TEMPLATES, NONE, MULTIPLE].flat(),
];
