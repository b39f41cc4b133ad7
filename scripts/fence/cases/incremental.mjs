/** Several runs in a row, each of which asks for what is new since the one before. */
import { json } from '../answers.mjs';

const levels = [
  { id: 1, at: '2021-05-01T10:00:00Z', cm: 10 },
  { id: 2, at: '2021-05-01T11:00:00Z', cm: 11 },
  { id: 2, at: '2021-05-02T09:00:00Z', cm: 21 },
  { id: 3, at: '2021-05-03T09:00:00Z', cm: 30 },
];
/** How many of the rows the API has in each run. */
const KNOWN = [2, 3, 4];

const since = ({ run, query }) =>
  json(levels.slice(0, KNOWN[run]).filter(({ at }) => query.since === undefined || at >= query.since));

const incremental = (job = {}) => ({
  api: {},
  config: {
    jobs: [{ id: 'levels', endpoint: 'levels', incremental: { field: 'at', param: 'since' }, ...job }],
  },
});

const merged = { load: 'merge', primaryKey: 'id' };

export const incrementalCases = [
  {
    name: 'incremental-merge',
    config: incremental(merged),
    runs: KNOWN.map(() => ({})),
    answer: since,
    to: ['ndjson', 'csv', 'parquet', 'duckdb', 'sqlite', 'postgres'],
  },
  {
    name: 'incremental-append',
    config: incremental({ load: 'append' }),
    runs: KNOWN.map(() => ({})),
    answer: since,
    to: ['ndjson', 'csv', 'duckdb'],
  },
  {
    name: 'incremental-state-file',
    config: incremental({
      ...merged,
      incremental: { field: 'at', param: 'since', initial: '2021-01-01T00:00:00Z', lag: 300 },
    }),
    options: ['--state', 'state.json'],
    runs: KNOWN.map(() => ({})),
    answer: since,
    to: ['stdout', 'ndjson', 'duckdb'],
  },
  {
    name: 'incremental-children',
    config: {
      api: {},
      config: {
        jobs: [
          {
            endpoint: 'levels',
            incremental: { field: 'at', param: 'since' },
            ...merged,
            children: [
              {
                endpoint: 'levels/{id}/notes',
                dataType: 'notes',
                placeholders: { id: 'id' },
                load: 'merge',
                primaryKey: ['parent_id', 'no'],
              },
            ],
          },
        ],
      },
    },
    runs: [{}, {}, {}],
    answer: (request) =>
      request.path === '/levels' ? since(request) : json([{ no: 1, text: `in run ${request.run}` }, { no: 2 }]),
    to: ['csv', 'duckdb', 'postgres'],
  },
  {
    name: 'incremental-replaced',
    // Refused before the first request: the new rows would take the place of all others.
    config: incremental(),
    answer: since,
    to: ['ndjson', 'duckdb'],
  },
  {
    name: 'incremental-reset',
    // The second run asks for something else, and starts over.
    config: incremental(merged),
    runs: [{}, { config: incremental({ ...merged, params: { river: 'ald' } }) }],
    answer: since,
    to: ['ndjson', 'duckdb'],
  },
];
