/** How jobs are divided and nested: children, windows, partitions, submitted work, GraphQL, several at once. */
import { ids, json, slice, text } from '../answers.mjs';
import { ALL, PLAIN } from '../columns.mjs';

const ofDays = ({ query }) => json([{ since: query.since, until: query.until, cm: 250 }]);

export const jobs = [
  {
    name: 'children',
    options: ['--tag-extra'],
    config: {
      api: { pagination: { method: 'offset', limit: 2 } },
      config: {
        jobs: [
          {
            endpoint: 'rivers',
            children: [
              {
                endpoint: 'rivers/{river}/stations',
                dataType: 'stations',
                placeholders: { river: 'id' },
                children: [
                  {
                    endpoint: 'levels/{2:river}/{station}',
                    dataType: 'levels',
                    placeholders: { '2:river': 'id', station: 'id' },
                    userData: { source: 'gauge' },
                  },
                ],
              },
            ],
          },
        ],
      },
    },
    answer: (request) => {
      const [kind, river, more] = request.path.slice(1).split('/');
      if (kind === 'levels') return json(slice([{ cm: Number(river) * 100 + Number(more) }], request));
      return json(slice(more === undefined ? ids(1, 3) : ids(Number(river) * 10, 2), request));
    },
    to: [...ALL, 'extract', 'deliver'],
  },
  {
    name: 'children-filtered',
    config: {
      api: {},
      config: {
        jobs: [
          {
            endpoint: 'stations',
            children: [
              {
                endpoint: 'stations/{id}',
                dataType: 'details',
                dataField: '.',
                placeholders: { id: 'id' },
                recursionFilter: 'size>=10&kind==weir|kind~~lock%',
              },
            ],
          },
        ],
      },
    },
    answer: ({ path }) =>
      path === '/stations'
        ? json([
            { id: 1, size: 12, kind: 'weir' },
            { id: 2, size: 8, kind: 'weir' },
            { id: 3, size: 1, kind: 'lock 4' },
          ])
        : json({ detail: path }),
    to: PLAIN,
  },
  {
    name: 'children-batched',
    config: {
      api: {},
      config: {
        jobs: [
          {
            endpoint: 'stations',
            children: [
              {
                endpoint: 'levels/{ids}',
                dataType: 'levels',
                placeholders: { ids: 'id' },
                batch: 2,
                batchSeparator: ';',
              },
            ],
          },
        ],
      },
    },
    answer: ({ path }) =>
      path === '/stations'
        ? json(ids(1, 3))
        : json(
            decodeURIComponent(path.slice(8))
              .split(';')
              .map((station) => ({ station })),
          ),
    to: PLAIN,
  },
  {
    name: 'windows',
    config: {
      api: { pagination: { method: 'pagenum', limit: 2 } },
      config: {
        jobs: [
          {
            endpoint: 'levels/{river}',
            dataType: 'level',
            params: { since: { window: 'from' }, until: { window: 'to' } },
            partitions: { river: ['ald', 'elm'] },
            window: { from: '2021-04-15', to: '2021-06-16', step: '1 month' },
            userData: { river: { partition: 'river' } },
          },
        ],
      },
    },
    answer: ofDays,
    to: [...PLAIN, 'csv', 'extract'],
  },
  {
    name: 'windows-capped',
    config: {
      api: {},
      config: {
        jobs: [
          {
            endpoint: 'levels/{window.from}/{window.to}',
            dataType: 'levels',
            window: { from: '2021-06-01', to: '2021-06-04', step: '1 week', cap: 3 },
          },
        ],
      },
    },
    answer: ({ path }) => {
      const [, , from, to] = path.split('/');
      const days = (new Date(to) - new Date(from)) / 86_400_000;
      return json(ids(Number(from.slice(-2)) * 10, Math.min(days, 3)));
    },
    to: PLAIN,
  },
  {
    name: 'asynchronous',
    config: {
      api: {},
      config: {
        jobs: [
          {
            endpoint: 'exports/{submit.id}/file',
            dataType: 'order',
            format: 'csv',
            stream: true,
            asynchronous: {
              submit: { endpoint: 'exports', params: { kind: 'orders' }, values: { id: 'export.id' } },
              poll: {
                endpoint: 'exports/{submit.id}',
                every: 0.2,
                until: { field: 'state', is: 'done' },
                failed: { field: 'state', is: ['failed', 'cancelled'] },
              },
            },
          },
        ],
      },
    },
    answer: ({ method, path, nth }) => {
      if (method === 'POST') return json({ export: { id: 'e7' } }, { status: 202 });
      if (path === '/exports/e7/file') return text('id,total\n1,20\n2,15\n', 'text/csv');
      return json({ state: nth < 4 ? 'running' : 'done' });
    },
    to: [...PLAIN, 'extract'],
  },
  {
    name: 'asynchronous-failed',
    config: {
      api: {},
      config: {
        jobs: [
          {
            endpoint: 'exports/{submit.id}/rows',
            dataType: 'order',
            asynchronous: {
              submit: { endpoint: 'exports', values: { id: 'id' } },
              poll: {
                endpoint: 'exports/{submit.id}',
                every: 0.2,
                until: { field: 'state', is: 'done' },
                failed: { field: 'state', matches: '^fail' },
              },
            },
          },
        ],
      },
    },
    answer: ({ method }) => json(method === 'POST' ? { id: 5 } : { state: 'failed', reason: 'no such kind' }),
    to: PLAIN,
  },
  {
    name: 'graphql',
    config: {
      api: { pagination: { method: 'offset', limit: 2, limitParam: 'first' } },
      config: {
        river: 'ALD',
        jobs: [
          {
            method: 'graphql',
            endpoint: 'graphql',
            dataType: 'ships',
            query:
              'query($river: String, $first: Int, $offset: Int) { ships(river: $river, first: $first, offset: $offset) { id } }',
            variables: { river: { attr: 'river' } },
            dataField: 'data.ships',
          },
        ],
      },
    },
    answer: ({ body }) => {
      const { first, offset = 0 } = JSON.parse(body).variables;
      return json({ data: { ships: ids(1, 3).slice(offset, offset + first) } });
    },
    to: PLAIN,
  },
  {
    name: 'graphql-errors',
    config: {
      api: {},
      config: {
        jobs: [{ method: 'graphql', endpoint: 'graphql', query: '{ ships { id captain } }', dataField: 'data.ships' }],
      },
    },
    answer: () =>
      json({ data: { ships: ids(1, 1) }, errors: [{ message: 'No captain', path: ['ships', 0, 'captain'] }] }),
    to: [...PLAIN, 'extract'],
  },
  {
    name: 'concurrency',
    unordered: true,
    options: ['--concurrency', '3'],
    config: {
      api: { pagination: { method: 'offset', limit: 2 } },
      config: { jobs: [{ endpoint: 'ships' }, { endpoint: 'ports' }, { endpoint: 'crews' }] },
    },
    answer: (request) => json(slice(ids(request.path.length, 3), request)),
    to: ['ndjson', 'csv', 'duckdb'],
  },
  {
    name: 'iterations',
    config: {
      api: {},
      config: {
        jobs: [{ endpoint: 'levels', params: { river: { attr: 'river' } } }],
        outputBucket: 'rivers',
      },
      iterations: [{ river: 'ald' }, { river: 'elm' }],
    },
    answer: ({ query }) => json([{ river: query.river ?? 'none' }]),
    to: PLAIN,
  },
  {
    name: 'items',
    config: {
      api: {},
      config: {
        jobs: [
          {
            endpoint: 'orders',
            filter: 'parent_status==open',
            compute: { source: 'shop' },
            rename: { parent_no: 'id' },
            unnest: 'lines',
          },
        ],
      },
    },
    answer: () =>
      json([
        { no: 1, status: 'open', lines: [{ article: 'a' }, { article: 'b' }] },
        { no: 2, status: 'closed', lines: [{ article: 'c' }] },
        { no: 3, status: 'open', lines: [] },
      ]),
    to: [...PLAIN, 'extract'],
  },
];
