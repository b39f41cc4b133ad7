/** What becomes of items in tables: the same cases in all destinations that have any. */
import { ids, json } from '../answers.mjs';
import { TABLES } from '../columns.mjs';

/** One of each kind: files of texts, files and bases with types, a server. */
const SOME = ['csv', 'duckdb', 'postgres'];

/** A run for each list of items, into the same tables. */
const inRuns = (name, job, lists, more = {}) => ({
  name: `table-${name}`,
  config: { api: {}, config: { jobs: [{ endpoint: 'boats', ...job }] } },
  runs: lists.map(() => ({})),
  answer: ({ run }) => json(lists[run]),
  to: TABLES,
  ...more,
});

const mapped = (name, mapping, items) => ({
  name: `table-${name}`,
  config: {
    api: {},
    config: {
      userData: { source: 'river-api' },
      mappings: { boxes: mapping },
      jobs: [{ endpoint: 'boxes' }],
    },
  },
  answer: () => json(items),
  to: TABLES,
});

const nested = [
  { id: 1, owner: { name: 'Ann', age: 40 }, tags: ['red', 'fast'], crew: [{ name: 'Bo' }, { name: 'Cy', no: 2 }] },
  { id: 2, owner: null, tags: [], crew: [{ name: 'Di' }] },
];

export const tables = [
  inRuns('nested', {}, [nested]),
  inRuns('nested-json', { nested: 'json' }, [nested]),
  inRuns('types', {}, [
    [
      { a: 1, b: true, c: '2021-04-01', d: '2021-04-01T10:00:00Z', e: 1.5, f: null, g: 'x', h: 1 },
      { a: 4294967296, b: null, c: '2021-04-02', d: '2021-04-02T10:00:00+02:00', e: 2, f: null, g: 7, h: 'two' },
    ],
  ]),
  inRuns('replace', {}, [[...ids(1, 3), { id: 4, old: 'x' }], ids(2, 2, (id) => ({ fresh: `n${id}` }))]),
  inRuns('append', { load: 'append' }, [ids(1, 3), ids(3, 2, () => ({ late: 'yes' }))]),
  inRuns('merge', { load: 'merge', primaryKey: 'id' }, [
    ids(1, 3, (id) => ({ v: id, tags: [`t${id}`, 'all'] })),
    [
      { id: 2, v: 20, tags: ['t20'] },
      { id: 3, v: 3, tags: ['t3', 'all'] },
      { id: 4, v: 4, tags: [] },
      { id: 4, v: 5, tags: ['last'] },
    ],
  ]),
  inRuns(
    'merge-two-keys',
    { load: 'merge', primaryKey: ['river', 'no'] },
    [
      [
        { river: 'ald', no: 1, cm: 5 },
        { river: 'elm', no: 1, cm: 6 },
      ],
      [{ river: 'elm', no: 1, cm: 7 }],
    ],
    { to: SOME },
  ),
  inRuns('emptied', {}, [ids(1, 2), []], { to: SOME }),
  inRuns('allow-empty', {}, [ids(1, 2), {}], { options: ['--allow-empty'], to: SOME }),
  inRuns('run-columns', {}, [ids(1, 2)], { options: ['--with-run-columns'], to: SOME }),
  inRuns('names', { dataType: 'v2/boats.json', tableName: 'fleet' }, [
    [{ 'a b': 1, 'a-b': 2, Name: 'x', name: 'y', 10: 'ten', __proto__: 'z' }],
  ]),
  inRuns('column-types', { columnTypes: { id: 'string', price: 'decimal(10,2)' } }, [
    [
      { id: 7, price: 1.5 },
      { id: 8, price: '2.25' },
    ],
  ]),
  mapped(
    'mapping',
    {
      id: { mapping: { destination: 'box_id', primaryKey: true } },
      'owner.name': 'owner',
      engine: { mapping: { destination: 'engine' }, forceType: true },
      source: { type: 'user', mapping: { destination: 'source' } },
    },
    [{ id: 1, owner: { name: 'Ann', age: 40 }, engine: { kw: 90 } }, { id: 2 }],
  ),
  mapped(
    'mapping-children',
    {
      id: { mapping: { destination: 'id', primaryKey: true } },
      tags: { type: 'table', destination: 'tag', tableMapping: { '.': 'name' } },
    },
    [{ id: 1, tags: ['red', 'blue'] }, { id: 2 }],
  ),
  {
    name: 'table-two-jobs',
    config: {
      api: {},
      config: {
        jobs: [
          { endpoint: 'north', dataType: 'boats' },
          { endpoint: 'south', dataType: 'boats', params: { kind: 'tug' } },
        ],
      },
    },
    answer: ({ path, query }) => json(path === '/north' ? ids(1, 2) : ids(5, 1, () => ({ kind: query.kind }))),
    to: TABLES,
  },
];
