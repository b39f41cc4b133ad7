/** Small servers that page as few well-known APIs do, in ways that lose items where they are misread. */
import type { Api, Answered } from './apis';

interface Boat {
  readonly boat_id: string;
  readonly hull: string;
  readonly tons: number;
}

const COUNT = 11;
export const BOATS: readonly Boat[] = Array.from({ length: COUNT }, (_, at) => ({
  boat_id: `b-${(at + 3) * 7}`,
  hull: at % 2 === 0 ? 'oak' : 'steel',
  tons: 40 + at,
}));

const number = (url: URL, name: string, fallback: number): number => Number(url.searchParams.get(name) ?? fallback);
const slice = (from: number, size: number): readonly Boat[] => BOATS.slice(from, from + size);
const behind = (id: string | null, size: number): readonly Boat[] =>
  slice(id === null ? 0 : BOATS.findIndex(({ boat_id }) => boat_id === id) + 1, size);
const json = (body: unknown, headers: Readonly<Record<string, string>> = {}): Answered => ({ body, headers });
const csv = (boats: readonly Boat[]): string =>
  ['boat_id,hull,tons', ...boats.map(({ boat_id, hull, tons }) => `${boat_id},${hull},${tons}`), ''].join('\n');

const inXml = ({ boat_id, hull, tons }: Boat) => ({ boat_id, hull, tons: String(tons) });
const element = ({ boat_id, hull, tons }: Boat): string =>
  `<boat><boat_id>${boat_id}</boat_id><hull>${hull}</hull><tons>${tons}</tons></boat>`;
const xml = (body: string): Answered => ({ headers: { 'content-type': 'application/xml' }, body });

/** An API with what a run has to give of it, row by row; absent: its boats. */
export interface OddApi extends Api {
  readonly holds?: readonly unknown[];
}

/** An API that takes a search in the body of a POST: `read` says where the page begins. */
const search = (
  body: Readonly<Record<string, unknown>>,
  read: (sent: Readonly<Record<string, unknown>>) => number,
  around: (boats: readonly Boat[], next: number) => Answered = (hits) => json({ hits }),
) => ({
  path: '/boats/search',
  method: 'POST' as const,
  body,
  answer: ({ body: sent }: Parameters<Api['answer']>[0]): Answered => {
    const at = read(sent);
    return around(slice(at, 4), at + 4);
  },
});
const memberOf = (value: unknown, name: string): unknown => (value as Readonly<Record<string, unknown>>)[name];
const numberIn = (value: unknown): number => (typeof value === 'number' ? value : 0);

const ODD: readonly OddApi[] = [
  {
    name: 'from and size in the body of a POST',
    how: 'nothing in the response; from counts items',
    expected: 'found',
    ...search({ query: { match_all: {} }, from: 0, size: 4 }, ({ from }) => numberIn(from)),
  },
  {
    name: 'offset and limit in the body of a POST',
    how: 'a total; offset counts items',
    expected: 'found',
    ...search(
      { offset: 0, limit: 4 },
      ({ offset }) => numberIn(offset),
      (hits) => json({ total: COUNT, hits }),
    ),
  },
  {
    name: 'page in the body of a POST',
    how: 'nothing in the response; page counts from 1',
    expected: 'found',
    ...search({ page: 1, filter: { hull: null } }, ({ page }) => (numberIn(page) - 1) * 4),
  },
  {
    name: 'page in an object of the body of a POST',
    how: 'nothing in the response; paging.page counts from 1',
    expected: 'found',
    ...search({ paging: { page: 1, size: 4 } }, ({ paging }) => (numberIn(memberOf(paging, 'page')) - 1) * 4),
  },
  {
    name: 'page.number in the body of a POST',
    how: 'nothing in the response; page.number counts from 1',
    expected: 'found',
    ...search({ page: { number: 1 } }, ({ page }) => (numberIn(memberOf(page, 'number')) - 1) * 4),
  },
  {
    name: 'offset in an object of the body of a POST',
    how: 'a total; pagination.offset counts items',
    expected: 'found',
    ...search(
      { pagination: { offset: 0, limit: 4 } },
      ({ pagination }) => numberIn(memberOf(pagination, 'offset')),
      (hits) => json({ total: COUNT, hits }),
    ),
  },
  {
    name: 'cursor in the body of a POST',
    how: 'next_cursor, and cursor in the body takes it',
    expected: 'found',
    ...search(
      { cursor: null },
      ({ cursor }) => (typeof cursor === 'string' ? Number(cursor.slice(1)) : 0),
      (hits, next) => json({ hits, next_cursor: next >= COUNT ? null : `c${next}` }),
    ),
  },
  {
    name: 'cursor in a header',
    how: 'the header X-Continuation, and continuation_token takes it',
    path: '/headers/more',
    expected: 'found',
    answer: ({ url }) => {
      const at = Number(url.searchParams.get('continuation_token')?.slice(1) ?? 0);
      return json(slice(at, 4), at + 4 >= COUNT ? {} : { 'x-continuation': `c${at + 4}` });
    },
  },
  {
    name: 'the number of the next page, by the parameter of the request',
    how: 'next is a number, and _page takes it; other parameters filter',
    path: '/next/boats?_page=1',
    expected: 'found',
    answer: ({ url }) => {
      const at = number(url, '_page', 1);
      const isFiltered = [...url.searchParams.keys()].some((name) => name !== '_page');
      return json({ next: at < 3 ? at + 1 : null, data: isFiltered ? [] : slice((at - 1) * 4, 4) });
    },
  },
  {
    name: 'page numbers that begin again',
    how: 'page counts; behind the last page comes the first one',
    path: '/ring/boats',
    expected: 'unsure',
    answer: ({ url }) => json({ boats: slice(((number(url, 'page', 1) - 1) % 3) * 4, 4) }),
  },
  {
    name: 'a total that is none',
    how: 'total counts what no filter has; offset and limit',
    path: '/total/boats',
    // Items may be missing as well.
    expected: 'unsure',
    answer: ({ url }) =>
      json({ total: 900, boats: slice(number(url, 'offset', 0), Math.min(number(url, 'limit', 4), 4)) }),
  },
  {
    name: 'links by their relation, further down',
    how: 'metadata.links has a relation next; a page too far is refused',
    path: '/links/boats',
    expected: 'found',
    answer: ({ url }) => {
      const at = number(url, 'page', 0);
      const links = [
        { rel: 'self', href: url.href },
        ...(at < 2 ? [{ rel: 'next', href: `${url.pathname}?page=${at + 1}` }] : []),
      ];
      return at > 2 ? { status: 400, body: {} } : json({ metadata: { number: at, links }, boats: slice(at * 4, 4) });
    },
  },
  {
    name: 'relative Link header',
    how: 'the header Link, with an address that is relative to the request, in another parameter order',
    path: '/v3/fleet/boats?sort=hull&size=4',
    expected: 'found',
    answer: ({ url }) => {
      const at = number(url, 'start', 0);
      const next = `<boats?start=${at + 4}&size=4&sort=hull>; title="next, please"; REL=next`;
      return json(slice(at, 4), at + 4 >= COUNT ? {} : { link: `<boats>; rel="first", ${next}` });
    },
  },
  {
    name: 'JSON:API by cursor',
    holds: BOATS.map(({ boat_id, ...attributes }) => ({ type: 'boats', id: boat_id, attributes })),
    how: 'links.next, an object with href and meta',
    path: '/boats?page[size]=3',
    expected: 'found',
    answer: ({ url }) => {
      const after = url.searchParams.get('page[after]');
      const data = behind(after, 3);
      const last = data.at(-1)?.boat_id;
      const isLast = last === undefined || last === BOATS.at(-1)?.boat_id;
      const href = `/boats?page[size]=3&page[after]=${last}`;
      return json({
        jsonapi: { version: '1.1' },
        links: { self: url.href, next: isLast ? null : { href, meta: { count: 3 } } },
        data: data.map(({ boat_id, ...attributes }) => ({ type: 'boats', id: boat_id, attributes })),
      });
    },
  },
  {
    name: 'OData with a relative nextLink',
    how: '@odata.nextLink without a leading slash, and $count of the page',
    path: '/odata/Boats',
    expected: 'found',
    answer: ({ url }) => {
      const at = number(url, '$skip', 0);
      return json({
        '@odata.context': '$metadata#Boats',
        value: slice(at, 5),
        ...(at + 5 >= COUNT ? {} : { '@odata.nextLink': `Boats?$skip=${at + 5}` }),
      });
    },
  },
  {
    name: 'cursor inside a nested object',
    how: 'result.page.position.forward; the parameter is called so',
    path: '/nested/boats',
    expected: 'found',
    answer: ({ url }) => {
      const at = number(url, 'cursor', 0);
      return json({
        result: {
          page: { position: { next_cursor: at + 4 >= COUNT ? null : String(at + 4), previous_cursor: null } },
          rows: slice(at, 4),
        },
      });
    },
  },
  {
    name: 'last id without a flag',
    how: 'nothing in the response; since_id takes the last id',
    path: '/last/boats?limit=50',
    expected: 'found',
    answer: ({ url }) => json({ boats: behind(url.searchParams.get('since_id'), 4) }),
  },
  {
    name: 'last id, a flag as a string',
    how: 'hasMore is "true" or "false", and starting_after takes the last id',
    path: '/flag/boats',
    expected: 'found',
    answer: ({ url }) => {
      const boats = behind(url.searchParams.get('starting_after'), 4);
      return json({ hasMore: String(boats.length > 0 && boats.at(-1)?.boat_id !== BOATS.at(-1)?.boat_id), boats });
    },
  },
  {
    name: 'flag as a string beside a page number',
    how: 'hasMore is "true" or "false"; page counts, and a page too far is the last one again',
    path: '/flag/pages',
    expected: 'unsure',
    answer: ({ url }) => {
      const at = Math.min(number(url, 'page', 1), 3);
      return json({ page: at, hasMore: at < 3 ? 'true' : 'false', boats: slice((at - 1) * 4, 4) });
    },
  },
  {
    name: 'page token in the body of a POST',
    how: 'nextPageToken in the response shows that the POST reads, and pageToken in the body takes it',
    path: '/search/boats',
    expected: 'found',
    method: 'POST',
    body: { filter: { hull: 'any' } },
    answer: ({ body }) => {
      const at = Number(body['pageToken'] ?? 0);
      return json({ boats: slice(at, 4), ...(at + 4 >= COUNT ? {} : { nextPageToken: String(at + 4) }) });
    },
  },
  {
    name: 'GraphQL, a connection of edges below an alias',
    how: 'pageInfo two levels down; the variable is called cursor',
    path: '/api/graph',
    expected: 'found',
    method: 'POST',
    body: {
      query:
        'query Fleet($cursor: String, $n: Int = 4) { me { fleet: boats(first: $n, after: $cursor) { edges { cursor node { boat_id hull tons } } pageInfo { endCursor hasNextPage } } } }',
    },
    answer: ({ body }) => {
      const { cursor } = (body['variables'] ?? {}) as { readonly cursor?: string | null };
      const boats = behind(cursor ?? null, 4);
      const endCursor = boats.at(-1)?.boat_id ?? null;
      const edges = boats.map((node) => ({ cursor: node.boat_id, node }));
      const pageInfo = { endCursor, hasNextPage: endCursor !== BOATS.at(-1)?.boat_id };
      return json({ data: { me: { fleet: { edges, pageInfo } } } });
    },
  },
  {
    name: 'page count in the header X-Total-Pages',
    how: 'an array; pages are counted from 1, a page too far is empty',
    path: '/headers/boats',
    expected: 'found',
    answer: ({ url }) => json(slice((number(url, 'page', 1) - 1) * 4, 4), { 'x-total-pages': '3' }),
  },
  {
    name: 'lines of JSON, by offset',
    how: 'NDJSON in pages; nothing says so',
    path: '/lines/boats?limit=4',
    expected: 'found',
    answer: ({ url }) => ({
      headers: { 'content-type': 'application/x-ndjson' },
      body: slice(number(url, 'offset', 0), number(url, 'limit', 4))
        .map((boat) => `${JSON.stringify(boat)}\n`)
        .join(''),
    }),
  },
  {
    name: 'CSV with a next link',
    holds: BOATS.map(inXml),
    how: 'the header Link; rows of CSV',
    path: '/csv/boats',
    expected: 'found',
    answer: ({ url }) => {
      const at = number(url, 'from', 0);
      const link = `<${url.origin}/csv/boats?from=${at + 4}>; rel="next"`;
      return {
        headers: { 'content-type': 'text/csv; charset=utf-8', ...(at + 4 >= COUNT ? {} : { link }) },
        body: csv(slice(at, 4)),
      };
    },
  },
  {
    name: 'an object keyed by id, in pages',
    how: 'each boat under its id at the root; page counts',
    path: '/keyed/boats',
    expected: 'found',
    answer: ({ url }) =>
      json(Object.fromEntries(slice((number(url, 'page', 1) - 1) * 4, 4).map((boat) => [boat.boat_id, boat]))),
  },
  {
    name: 'an empty first page',
    how: 'a page without boats, and yet a next cursor',
    path: '/empty/boats',
    expected: 'found',
    answer: ({ url }) => {
      const at = Number((url.searchParams.get('cursor') ?? 'c-4').slice(1));
      return json({ items: at < 0 ? [] : slice(at, 4), ...(at + 4 >= COUNT ? {} : { next_cursor: `c${at + 4}` }) });
    },
  },
  {
    name: 'a list of one item a page',
    how: 'page and pages; each page has one boat',
    path: '/one/boats',
    expected: 'found',
    answer: ({ url }) => {
      const at = number(url, 'page', 1);
      return json({ page: at, pages: COUNT, boats: slice(at - 1, 1) });
    },
  },
  {
    name: 'pages from 0 that nothing counts',
    how: 'page=0 is the first, and nothing in the response',
    path: '/zero/boats',
    expected: 'found',
    answer: ({ url }) => json({ boats: slice(number(url, 'page', 0) * 4, 4) }),
  },
  {
    name: 'pages of which 0 and 1 are the same',
    how: 'page=0 and page=1 are the first, and nothing in the response',
    path: '/same/boats',
    expected: 'found',
    answer: ({ url }) => json({ boats: slice((Math.max(number(url, 'page', 1), 1) - 1) * 4, 4) }),
  },
  {
    name: 'a cap that nothing tells',
    how: 'limit=100 gives 4, silently; offset counts',
    path: '/cap/boats?limit=100',
    expected: 'found',
    answer: ({ url }) => json({ data: slice(number(url, 'offset', 0), Math.min(number(url, 'limit', 4), 4)) }),
  },
  {
    name: 'a cap beside page numbers',
    how: 'limit=100 gives 4, silently; page counts',
    path: '/cap/pages?limit=100&page=1',
    expected: 'found',
    answer: ({ url }) => json({ data: slice((number(url, 'page', 1) - 1) * 4, 4) }),
  },
  {
    name: 'a total of another thing',
    how: 'total counts the boats of the page; offset and limit',
    path: '/total/boats',
    expected: 'found',
    answer: ({ url }) => {
      const boats = slice(number(url, 'offset', 0), number(url, 'limit', 4));
      return json({ total: boats.length, boats });
    },
  },
  {
    name: 'a cursor that stays on the last page',
    how: 'next is there on each page; the last page has no boats',
    path: '/stays/boats',
    expected: 'found',
    answer: ({ url }) => {
      const at = number(url, 'bookmark', 0);
      return json({ bookmark: String(Math.min(at + 4, COUNT)), docs: slice(at, 4) });
    },
  },
  {
    name: 'an estimate beside a token',
    how: 'pageToken; pageInfo.totalResults is a million, and there are eleven',
    path: '/tube/search',
    expected: 'found',
    answer: ({ url }) => {
      const at = number(url, 'pageToken', 0);
      const next = at + 4 >= COUNT ? {} : { nextPageToken: String(at + 4) };
      return json({ ...next, pageInfo: { totalResults: 1_000_000, resultsPerPage: 4 }, items: slice(at, 4) });
    },
  },
  {
    name: 'empty pages between others',
    how: 'each second page has no list, and yet a next token',
    path: '/gaps/boats',
    expected: 'found',
    answer: ({ url }) => {
      const at = number(url, 'pageToken', 0);
      const boats = at % 2 === 0 ? slice(at * 2, 4) : [];
      return json({ ...(boats.length > 0 ? { boats } : {}), ...(at < 4 ? { nextPageToken: String(at + 1) } : {}) });
    },
  },
  {
    name: 'strict parameters',
    how: 'from and size; what is unknown is refused, and all of it named',
    path: '/strict/boats',
    expected: 'found',
    answer: ({ url }) => {
      const unknown = [...url.searchParams.keys()].filter((name) => !['from', 'size', 'sort'].includes(name));
      if (unknown.length > 0)
        return { status: 400, body: { error: `unrecognized parameters: [${unknown.join('], [')}]` } };
      const from = number(url, 'from', 0);
      return json({ total: { value: COUNT }, boats: slice(from, number(url, 'size', 4)) });
    },
  },
  {
    name: 'a strict search by POST',
    how: 'next_cursor, and start_cursor in the body takes it; other members are refused',
    path: '/strict/search',
    expected: 'found',
    method: 'POST',
    body: {},
    answer: ({ body }) => {
      if (Object.keys(body).some((name) => name !== 'start_cursor')) return { status: 400, body: { message: 'no' } };
      const at = Number(body['start_cursor'] ?? 0);
      const next = at + 4 >= COUNT ? null : String(at + 4);
      return json({ results: slice(at, 4), next_cursor: next, has_more: next !== null });
    },
  },
  {
    name: 'a search by POST with a size alone',
    how: 'a total above the size shows that the POST reads, and from in the body counts',
    path: '/sized/search',
    expected: 'found',
    method: 'POST',
    body: { query: { match_all: {} }, size: 4 },
    answer: ({ body }) => json({ hits: { total: { value: COUNT }, hits: slice(numberIn(body['from']), 4) } }),
  },
  {
    name: 'tokens in XML',
    holds: BOATS.map(inXml),
    how: 'NextContinuationToken, and continuation-token takes it; IsTruncated is a string',
    path: '/bucket',
    expected: 'found',
    answer: ({ url }) => {
      const at = Number((url.searchParams.get('continuation-token') ?? 'p0').slice(1));
      const next = at + 4 >= COUNT ? '' : `<NextContinuationToken>p${at + 4}</NextContinuationToken>`;
      return xml(`<List><IsTruncated>${next !== ''}</IsTruncated>${next}${slice(at, 4).map(element).join('')}</List>`);
    },
  },
  {
    name: 'links in a feed',
    holds: BOATS.map(inXml),
    how: 'Atom: link elements with rel and href',
    path: '/feed',
    expected: 'found',
    answer: ({ url }) => {
      const page = number(url, 'page', 1);
      const next = page < 3 ? `<link rel="next" href="${url.origin}/feed?page=${page + 1}"/>` : '';
      const boats = slice((page - 1) * 4, 4)
        .map(element)
        .join('');
      return xml(`<feed><link rel="self" href="${url.origin}/feed?page=${page}"/>${next}${boats}</feed>`);
    },
  },
  {
    name: 'CSV, by page',
    holds: BOATS.map(inXml),
    how: 'nothing says so; page counts, and a page too far has only the header',
    path: '/csv/pages',
    expected: 'found',
    answer: ({ url }) => ({
      headers: { 'content-type': 'text/csv' },
      body: csv(slice((number(url, 'page', 1) - 1) * 4, 4)),
    }),
  },
  {
    name: 'an object of parameters for the next page',
    how: 'continue.bcontinue, and bcontinue takes it',
    path: '/w/api',
    expected: 'found',
    answer: ({ url }) => {
      const at = Number((url.searchParams.get('bcontinue') ?? 'b0').slice(1));
      const more = at + 4 >= COUNT ? {} : { continue: { bcontinue: `b${at + 4}`, continue: '-||' } };
      return json({ batchcomplete: '', ...more, query: { boats: slice(at, 4) } });
    },
  },
];

/** All of them, of eleven boats each. */
export const ODD_APIS = ODD.map((api) => ({ holds: BOATS, count: COUNT, ...api }));
