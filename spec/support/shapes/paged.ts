/** APIs that differ in how one gets to the next page. */
import { json } from '../answers';
import { STATIONS, addressOf, numberIn, sliceOf, urlOf } from './shape';
import type { Shape } from './shape';

const items = { stations: STATIONS };
const withoutPagination = { api: { pagination: null } };

export const pageNumbers: Shape = {
  items,
  answers: (request) => {
    const url = urlOf(request);
    const size = numberIn(url, 'per_page', 20);
    const page = numberIn(url, 'page', 1);
    const data = sliceOf(STATIONS, (page - 1) * size, size);
    return json({ data, page, total_pages: Math.ceil(STATIONS.length / size), total: STATIONS.length });
  },
  slip: withoutPagination,
  reported: 'NEXT_PAGE_NOT_TAKEN',
};

export const offsetAndLimit: Shape = {
  items,
  answers: (request) => {
    const url = urlOf(request);
    const [limit, offset] = [numberIn(url, 'limit', 20), numberIn(url, 'offset', 0)];
    return json({ stations: sliceOf(STATIONS, offset, limit), total: STATIONS.length });
  },
  slip: { api: { pagination: { offsetParam: 'start' } } },
  reported: 'POSITION_IGNORED',
};

export const cursor: Shape = {
  items,
  answers: (request) => {
    const url = urlOf(request);
    const from = Number((url.searchParams.get('cursor') ?? 'c0').slice(1));
    const limit = numberIn(url, 'limit', 20);
    const next = from + limit < STATIONS.length ? `c${from + limit}` : null;
    return json({ stations: sliceOf(STATIONS, from, limit), next_cursor: next });
  },
  slip: { api: { pagination: { responseParam: 'cursor' } } },
  reported: 'NEXT_PAGE_NOT_TAKEN',
};

export const nextLink: Shape = {
  items,
  answers: (request) => {
    const url = urlOf(request);
    const [page, size] = [numberIn(url, 'page', 1), numberIn(url, 'size', 20)];
    const next = page * size < STATIONS.length ? addressOf(request, { page: page + 1 }) : null;
    return json({ data: sliceOf(STATIONS, (page - 1) * size, size), links: { next } });
  },
  slip: { api: { pagination: { urlKey: 'next' } } },
  reported: 'NEXT_PAGE_NOT_TAKEN',
};

export const linkHeader: Shape = {
  items,
  answers: (request) => {
    const url = urlOf(request);
    const [page, size] = [numberIn(url, 'page', 1), numberIn(url, 'per_page', 20)];
    const next = page * size < STATIONS.length ? `<${addressOf(request, { page: page + 1 })}>; rel="next"` : '';
    return json(sliceOf(STATIONS, (page - 1) * size, size), 200, next === '' ? {} : { link: next });
  },
  slip: withoutPagination,
  reported: 'NEXT_PAGE_NOT_TAKEN',
};

export const lastId: Shape = {
  items,
  answers: (request) => {
    const url = urlOf(request);
    const after = numberIn(url, 'starting_after', 0);
    const data = sliceOf(STATIONS, after, numberIn(url, 'limit', 20));
    return json({ data, has_more: after + data.length < STATIONS.length });
  },
  slip: { api: { pagination: { param: 'after' } } },
  reported: 'API_SHAPE',
};

/** A search whose body says from where on. */
export const searchByPost: Shape = {
  items,
  answers: ({ body }) => {
    const { from = 0, size = 20 } = JSON.parse(body) as { readonly from?: number; readonly size?: number };
    return json({ hits: { total: { value: STATIONS.length }, hits: sliceOf(STATIONS, from, size) } });
  },
  slip: { api: { pagination: { offsetParam: 'from' } } },
  reported: 'POSITION_IGNORED',
};

export const graphqlConnection: Shape = {
  items,
  answers: ({ body }) => {
    const { query, variables = {} } = JSON.parse(body) as {
      readonly query: string;
      readonly variables?: { readonly after?: string | null };
    };
    const first = Number(/first: (\d+)/.exec(query)?.[1] ?? 20);
    const from = Number((variables.after ?? 'c0').slice(1));
    const to = from + first;
    const pageInfo = { hasNextPage: to < STATIONS.length, endCursor: `c${Math.min(to, STATIONS.length)}` };
    return json({ data: { stations: { nodes: sliceOf(STATIONS, from, first), pageInfo } } });
  },
  slip: {
    config: {
      jobs: [
        {
          method: 'graphql',
          query: '{ stations(first: 100) { nodes { id name } pageInfo { hasNextPage endCursor } } }',
          dataField: 'data.stations',
        },
      ],
    },
  },
  reported: 'CONFIG_INVALID',
};
