/** APIs that differ in what they give. */
import type { JsonObject } from '../../../src';
import { bytes, json } from '../answers';
import type { Handler } from '../api-server';
import { zipOf } from '../zip';
import { STATIONS, numberIn, sliceOf, urlOf } from './shape';
import type { Shape, Station } from './shape';

const AUTHORS = STATIONS.slice(0, 12).map(({ id }) => ({
  id,
  name: `Author ${id}`,
}));
const BOOKS: readonly (readonly JsonObject[])[] = AUTHORS.map((_, at) =>
  Array.from({ length: at }, (_none, of) => ({ title: `Book ${at + 1}.${of + 1}` })),
);

/** Every author has as many books as there are authors before; five of them on a page. */
export const parentsAndChildren: Shape = {
  items: { authors: AUTHORS, books: BOOKS.flat() },
  // The first author has none.
  warns: ['NO_DATA'],
  answers: (request) => {
    const url = urlOf(request);
    const author = /^\/v1\/authors\/(\d+)\/books$/.exec(url.pathname)?.[1];
    const all = author === undefined ? AUTHORS : (BOOKS[Number(author) - 1] ?? []);
    const [page, size] = [numberIn(url, 'page', 1), numberIn(url, 'per_page', 5)];
    return json({ data: sliceOf(all, (page - 1) * size, size), page, total_pages: Math.ceil(all.length / size) });
  },
  slip: { api: { pagination: { method: 'multiple', scrollers: { list: { method: 'pagenum' } } } } },
  reported: 'NEXT_PAGE_NOT_TAKEN',
};

/** An export that is asked for, is ready at the third look, and is a file of CSV. */
export function asynchronousExport(): Shape {
  let looked = 0;
  const answers: Handler = ({ method, url, body }) => {
    if (method === 'POST') {
      const { kind } = JSON.parse(body) as { readonly kind?: string };
      return json({ export: { id: kind === 'stations' ? 'e7' : 'e8' } }, 202);
    }
    if (url === '/v1/exports/e8') return json({ state: 'failed', reason: 'no such kind' });
    looked += 1;
    if (url === '/v1/exports/e7') return json({ state: looked < 3 ? 'running' : 'done' });
    return bytes(csvOf(STATIONS), { 'content-type': 'text/csv' });
  };
  return {
    items: { stations: STATIONS.map(({ id, name }) => ({ id: String(id), name })) },
    answers,
    slip: { config: { jobs: [exportOf('station')] } },
    reported: 'JOB_FAILED',
  };
}

const exportOf = (kind: string): JsonObject => ({
  endpoint: 'exports/{submit.id}/file',
  format: 'csv',
  asynchronous: {
    submit: { endpoint: 'exports', params: { kind }, values: { id: 'export.id' } },
    poll: {
      endpoint: 'exports/{submit.id}',
      until: { field: 'state', is: 'done' },
      failed: { field: 'state', is: 'failed' },
    },
  },
});

const csvOf = (rows: readonly Station[]): string =>
  ['id,name', ...rows.map(({ id, name }) => `${id},${name}`)].join('\n');

/** A round number of items would look like a page. */
const ALL = STATIONS.slice(1);

/** Four representations of the same stations. */
export const otherShapes: Shape = {
  items: {
    map: ALL,
    lines: ALL,
    xml: ALL.map(({ id, name }) => ({ '@id': String(id), name })),
    zip: ALL.map(({ id, name }) => ({ id: String(id), name })),
  },
  answers: ({ url }) => {
    const lines = ALL.map((station) => JSON.stringify(station)).join('\n');
    const elements = ALL.map(({ id, name }) => `<station id="${id}"><name>${name}</name></station>`);
    switch (url) {
      case '/v1/stations/1.json':
        return json({ stations: mapOf(STATIONS.slice(0, 2)) });
      case '/v1/stations.ndjson':
        return bytes(lines, { 'content-type': 'application/x-ndjson' });
      case '/v1/stations.xml':
        return bytes(`<stations>${elements.join('')}</stations>`, { 'content-type': 'application/xml' });
      case '/v1/stations.zip':
        return bytes(zipOf([{ name: 'stations.csv', content: csvOf(ALL) }]), {
          'content-type': 'application/zip',
        });
      default:
        return json({ stations: mapOf(ALL) });
    }
  },
  slip: { config: { jobs: [{ endpoint: 'stations.xml', format: 'xml', dataField: 'stations.stations' }] } },
  reported: 'DATA_NOT_FOUND',
};

const mapOf = (stations: readonly Station[]): JsonObject =>
  Object.fromEntries(stations.map((station) => [`s${station.id}`, station]));

const CAP = 10_000;
const START = Date.UTC(2024, 0, 1);
const EVENTS: readonly JsonObject[] = Array.from({ length: 25_000 }, (_, at) => ({
  id: at + 1,
  at: new Date(START + at * 60_000).toISOString(),
}));

const minuteOf = (at = START): number => Math.max(0, Math.ceil((at - START) / 60_000));

/** 25,000 events, one a minute, of which no question gets more than 10,000. */
export const cappedSearch: Shape = {
  items: { events: EVENTS },
  answers: (request) => {
    const url = urlOf(request);
    const [from, to] = ['from', 'to'].map((name) => Date.parse(url.searchParams.get(name) ?? ''));
    const within = EVENTS.slice(minuteOf(from), minuteOf(to));
    return json({ events: within.slice(0, CAP), total: within.length });
  },
  slip: { config: { jobs: [windowOf(undefined)] } },
  reported: 'TOTAL_NOT_REACHED',
};

function windowOf(cap: number | undefined): JsonObject {
  const window = { from: '2024-01-01', to: '2024-02-01', step: '1 month', ...(cap === undefined ? {} : { cap }) };
  return { endpoint: 'events', params: { from: { window: 'from' }, to: { window: 'to' } }, window };
}

export const ORDERS = STATIONS.map(({ id }) => ({
  id,
  customer: { name: `Customer ${id}`, city: 'Bern' },
  lines: Array.from({ length: id % 3 }, (_, at) => ({ sku: `s${at + 1}`, quantity: at + 1 })),
}));

export const nestedLists: Shape = {
  items: { orders: ORDERS },
  answers: (request) => {
    const url = urlOf(request);
    const [limit, offset] = [numberIn(url, 'limit', 20), numberIn(url, 'offset', 0)];
    return json({ orders: sliceOf(ORDERS, offset, limit), total: ORDERS.length });
  },
  slip: { config: { jobs: [{ endpoint: 'orders', unnest: 'line' }] } },
  reported: 'FIELD_NOT_FOUND',
};
