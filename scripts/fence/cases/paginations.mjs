/** One case for each way of paging. What arrives is the same in all destinations: a few columns are enough. */
import { ids, json, slice } from '../answers.mjs';
import { PLAIN } from '../columns.mjs';

const LIBRARY = [...PLAIN, 'extract'];
const ships = ids(1, 5, (id) => ({ name: `Ship ${id}` }));

const paged = (pagination, job = {}, more = {}) => ({
  api: { pagination },
  config: { jobs: [{ endpoint: 'ships', ...job }], ...more },
});

export const paginations = [
  {
    name: 'none',
    config: { api: {}, config: { jobs: [{ endpoint: 'ships' }] } },
    answer: () => json(ships),
    to: PLAIN,
  },
  {
    name: 'offset',
    config: paged({ method: 'offset', limit: 2 }),
    answer: (request) => json(slice(ships, request)),
    to: [...LIBRARY, 'deliver'],
  },
  {
    name: 'offset-large',
    config: paged({ method: 'offset', limit: 250 }),
    answer: (request) => json(slice(ids(1, 1100), request)),
    to: PLAIN,
  },
  {
    name: 'offset-parallel',
    // Pages come in their order, but they are requested at once.
    unordered: true,
    config: paged({ method: 'offset', limit: 2, parallel: 3, total: { path: 'total' } }, { dataField: 'rows' }),
    answer: (request) => json({ total: 5, rows: slice(ships, request) }),
    to: PLAIN,
  },
  {
    name: 'pagenum',
    config: paged({ method: 'pagenum', firstPage: 0, limit: 2, limitParam: 'size' }),
    answer: ({ query }) => json(ships.slice(query.page * 2, query.page * 2 + 2)),
    to: LIBRARY,
  },
  {
    name: 'cursor',
    config: paged({ method: 'cursor', idKey: 'id', param: 'since_id' }),
    answer: ({ query }) => json(ships.filter(({ id }) => id > (query.since_id ?? 0)).slice(0, 2)),
    to: LIBRARY,
  },
  {
    name: 'keyset',
    config: paged({ method: 'keyset', key: 'name', param: 'starting_after', limit: 2 }),
    answer: ({ query }) => json(ships.filter(({ name }) => name > (query.starting_after ?? '')).slice(0, 2)),
    to: LIBRARY,
  },
  {
    name: 'response-url',
    config: paged({ method: 'response.url', urlKey: 'links.next' }, { dataField: 'ships', params: { kind: 'sail' } }),
    answer: ({ query, origin }) => {
      const page = Number(query.page ?? 1);
      return json({
        ships: ids(page, 1),
        links: { next: page < 3 ? `${origin}/ships?kind=sail&page=${page + 1}` : null },
      });
    },
    to: LIBRARY,
  },
  {
    name: 'response-param',
    config: paged(
      { method: 'response.param', responseParam: 'next', queryParam: 'token', includeParams: true },
      { dataField: 'ships', params: { kind: 'sail' } },
    ),
    answer: ({ query }) => {
      const page = Number(query.token ?? 1);
      return json({ ships: ids(page, 1), ...(page < 3 && { next: page + 1 }) });
    },
    to: LIBRARY,
  },
  {
    name: 'response-param-scroll',
    config: paged(
      {
        method: 'response.param',
        responseParam: 'scroll',
        queryParam: 'scroll_id',
        scrollRequest: { endpoint: 'scroll', method: 'POST' },
      },
      { dataField: 'ships' },
    ),
    answer: ({ path, nth }) =>
      json({ ships: ids(nth, 1), ...(path !== '/scroll' || nth < 3 ? { scroll: `s${nth}` } : {}) }),
    to: PLAIN,
  },
  {
    name: 'response-link',
    config: paged({ method: 'response.link' }),
    answer: ({ query }) =>
      query.page === '2'
        ? json(ids(3, 1))
        : json(ids(1, 2), { headers: { link: '</ships?page=2>; rel="next", </ships?page=1>; rel="first"' } }),
    to: LIBRARY,
  },
  {
    name: 'zendesk-response-url',
    config: paged({ method: 'zendesk.response.url' }, { endpoint: 'tickets', dataField: 'tickets' }),
    answer: ({ query, origin }) =>
      query.start_time === undefined
        ? json({ tickets: ids(1, 1), next_page: `${origin}/tickets?start_time=1500000000` })
        : json({ tickets: ids(2, 1), next_page: null }),
    to: PLAIN,
  },
  {
    name: 'multiple',
    config: {
      api: {
        pagination: {
          method: 'multiple',
          default: 'plain',
          scrollers: {
            plain: { method: 'offset', limit: 2 },
            feed: { method: 'cursor', idKey: 'seq', param: 'after' },
          },
        },
      },
      config: { jobs: [{ endpoint: 'stations' }, { endpoint: 'alerts', scroller: 'feed' }] },
    },
    answer: (request) => {
      if (request.path === '/stations') return json(slice(ids(1, 3), request));
      return json(request.query.after === undefined ? [{ seq: 8 }, { seq: 9 }] : []);
    },
    to: PLAIN,
  },
  {
    name: 'connection',
    config: {
      api: {},
      config: {
        jobs: [
          {
            method: 'graphql',
            endpoint: 'graphql',
            dataType: 'ships',
            query: 'query($after: String) { ships(after: $after) { nodes { id } pageInfo { hasNextPage endCursor } } }',
            dataField: 'data.ships',
          },
        ],
      },
    },
    answer: ({ body }) => {
      const after = Number(JSON.parse(body).variables?.after ?? 0);
      const pageInfo = { hasNextPage: after < 2, endCursor: String(after + 1) };
      return json({ data: { ships: { nodes: ids(after + 1, 1), pageInfo } } });
    },
    to: LIBRARY,
  },
  {
    name: 'force-stop',
    config: paged({ method: 'pagenum', forceStop: { pages: 2 } }),
    answer: ({ query }) => json(ids(Number(query.page) * 2, 2)),
    to: PLAIN,
  },
  {
    name: 'next-page-flag',
    config: paged({ method: 'pagenum', nextPageFlag: { field: 'more', stopOn: false } }, { dataField: 'rows' }),
    answer: ({ query }) => json({ rows: ids(Number(query.page), 1), more: query.page !== '3' }),
    to: PLAIN,
  },
];
