/** What is recorded although it is known to be wrong: who mends one of these records it again, and removes its mark. */
import { ids, json, unfinished } from '../answers.mjs';

const KILL_BEFORE_STORED = new URL('../kill-before-stored.cjs', import.meta.url).pathname;

const single = (job, api = {}) => ({ api, config: { jobs: [{ endpoint: 'rows', ...job }] } });

/** An hour from now, at the first request of the cell: later ones have to see the same. */
const ahead = (memory) => (memory.ahead ??= `${new Date(Date.now() + 3_600_000).toISOString().slice(0, 19)}Z`);

/** Thirty rows, in which each page of six ends between two equal keys. */
const EQUAL = [6, 13, 20, 27];
const keyed = ids(1, 30, (id) => ({ key: EQUAL.includes(id - 1) ? id - 1 : id }));

export const defects = [
  {
    name: 'wrong-resume-after-commit',
    config: single({ load: 'append' }),
    runs: [{ variables: { NODE_OPTIONS: `--require ${KILL_BEFORE_STORED}` } }, { options: ['--resume'] }],
    answer: () => json(ids(1, 3)),
    to: ['ndjson', 'csv', 'duckdb', 'sqlite'],
  },
  {
    name: 'wrong-reset-csv',
    config: single({ format: 'csv' }, { retryConfig: { maxRetries: 1 } }),
    answer: () => unfinished('id,name\n1,Mill\n2,We', 'text/csv', 'reset'),
    to: ['stdout', 'csv', 'duckdb', 'extract'],
  },
  {
    name: 'wrong-reset-jsonl',
    config: single({ format: 'jsonl' }, { retryConfig: { maxRetries: 1 } }),
    answer: () => unfinished('{"id":1}\n{"id":2}\n', 'application/x-ndjson', 'reset'),
    to: ['stdout', 'ndjson', 'duckdb', 'extract'],
  },
  {
    name: 'end-unknown',
    // The counterpart, which is right: such a body that is closed in order has its end, and a warning.
    config: single({ format: 'jsonl' }, { retryConfig: { maxRetries: 1 } }),
    answer: () => unfinished('{"id":1}\n{"id":2}\n', 'application/x-ndjson', 'close'),
    to: ['stdout', 'duckdb'],
  },
  {
    name: 'wrong-incremental-ahead',
    config: single({ load: 'merge', primaryKey: 'id', incremental: { field: 'at', param: 'since' } }),
    runs: [{}, {}],
    answer: ({ memory, run, query }) => {
      const rows = [
        { id: 1, at: '2021-05-01T10:00:00Z' },
        { id: 2, at: ahead(memory) },
      ];
      if (run > 0) rows.push({ id: 3, at: '2021-05-02T10:00:00Z' });
      return json(rows.filter(({ at }) => query.since === undefined || at >= query.since));
    },
    aliases: (memory) =>
      [ahead(memory), encodeURIComponent(ahead(memory)), `${ahead(memory).slice(0, 19).replace('T', ' ')}+00`].map(
        (spelling) => [spelling, '<an hour ahead>'],
      ),
    to: ['ndjson', 'csv', 'duckdb'],
  },
  {
    name: 'wrong-key-of-no-item',
    config: single({ primaryKey: 'number' }),
    answer: () => json(ids(1, 3)),
    to: ['stdout', 'ndjson', 'csv', 'parquet', 'duckdb', 'sqlite', 'postgres'],
  },
  {
    name: 'wrong-keys-repeated',
    config: single({ primaryKey: 'id' }),
    answer: () => json([...ids(1, 500), ...ids(1, 3, () => ({ again: true }))]),
    to: ['ndjson', 'csv', 'parquet', 'duckdb', 'sqlite', 'postgres'],
  },
  {
    name: 'wrong-child-of-one-object',
    config: {
      api: {},
      config: {
        jobs: [
          {
            endpoint: 'rivers',
            children: [{ endpoint: 'rivers/{id}/stations', dataType: 'stations', placeholders: { id: 'id' } }],
          },
        ],
      },
    },
    answer: ({ path }) => {
      if (path === '/rivers') return json(ids(1, 3));
      return json(path === '/rivers/2/stations' ? { id: 20, name: 'Mill' } : ids(Number(path.split('/')[2]) * 10, 2));
    },
    to: ['stdout', 'ndjson', 'csv', 'duckdb', 'extract'],
  },
  {
    name: 'wrong-keyset-equal-keys',
    knownWrong: 'paging behind a key loses rows where a page ends between equal keys: 26 of 30 come',
    config: single({}, { pagination: { method: 'keyset', key: 'key', param: 'after', limit: 6 } }),
    answer: ({ query }) => json(keyed.filter(({ key }) => key > Number(query.after ?? 0)).slice(0, 6)),
    to: ['stdout', 'ndjson', 'duckdb', 'extract'],
  },
];
