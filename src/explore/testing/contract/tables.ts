/** The contract of rows of several runs. */
import assert from 'node:assert/strict';
import type { Stored } from '../../../core/durable-sink';
import { stringifyJson } from '../../../core/json/stringify';
import type { Item, Json, JsonObject } from '../../../core/model';
import type { OutputPlan } from '../../../plan/plan';
import { ADDING, KEYED, KEYED_BY_TWO, manifestOf, rivers, rule, SIX, TABLE, THREE, pageOf } from './fixture';
import type { ContractRule, ReadRow, SinkFixture } from './fixture';

/** Lists of these items are tables, whatever the destination makes of them else. */
const SPLIT = { nested: new Map([[TABLE, 'tables' as const]]) };
const REPLACED_BY_KEY: readonly OutputPlan[] = KEYED.map((output) => ({ ...output, incremental: false }));
const MERGED_LISTS: readonly OutputPlan[] = KEYED.map((output) => ({ ...output, ...SPLIT }));
const REPLACED_LISTS: readonly OutputPlan[] = REPLACED_BY_KEY.map((output) => ({ ...output, ...SPLIT }));
const MAPPINGS: JsonObject = {
  rivers: {
    id: { mapping: { destination: 'id', primaryKey: true } },
    gauges: {
      type: 'table',
      destination: 'gauges',
      tableMapping: {
        name: 'name',
        levels: { type: 'table', destination: 'levels', tableMapping: { '.': 'level' } },
      },
    },
  },
};
const MAPPED: readonly OutputPlan[] = ADDING.map((output) => ({ ...output, mappings: MAPPINGS }));

/** Returns the text of a cell; what a destination writes for nothing is empty. */
const textOf = (value: unknown): string =>
  value === null || value === undefined ? '' : typeof value === 'string' ? value : stringifyJson(value as Json);

/** Expects the cells of these columns as texts, a row a list, in any order. */
async function expectCells(
  { place }: SinkFixture,
  table: string,
  columns: readonly string[],
  expected: readonly (readonly string[])[],
): Promise<void> {
  const found = (await place.read(table)).map((row: ReadRow) => columns.map((column) => textOf(row[column])));
  assert.deepEqual(found.sort(inOrder), [...expected].sort(inOrder), `the columns ${columns.join(', ')} of ${table}`);
}

const inOrder = (one: readonly string[], other: readonly string[]): number => (one.join() < other.join() ? -1 : 1);

/** Expects the counts of a commit to be these; those that a destination does not have are not missed. */
function expectCounts(stored: readonly Stored[], expected: Omit<Stored, 'name'>): void {
  const counted = stored.find(({ name }) => name === TABLE || name.startsWith(`${TABLE}.`));
  assert.ok(counted, 'the commit has no counts of the table');
  for (const [key, number] of Object.entries(expected))
    if (key in counted)
      assert.equal(counted[key as keyof Stored], number, `it counts another number of rows that are ${key}`);
}

/** Stores a run, and returns the counts of its commit. */
async function stored(
  fixture: SinkFixture,
  id: string,
  items: readonly Item[],
  outputs: readonly OutputPlan[],
): Promise<readonly Stored[]> {
  const { sink, standing } = await fixture.opened(outputs);
  await sink.begin(manifestOf(id), standing.state);
  await sink.write(pageOf(TABLE, items));
  const tables = await sink.commit(standing.state);
  await sink.close();
  return tables;
}

/** The rules for sinks that make tables. */
export const TABLES: readonly ContractRule[] = [
  rule('replaces the rows of the last run', async (fixture) => {
    await fixture.run('run-1', THREE);
    await fixture.run('run-2', [rivers([5, 7])]);
    await fixture.expectIds([5, 7], 'the rows are not those of the second run');
  }),
  rule(
    'empties a table whose pages have no items any more, and leaves tables that a run does not have',
    async (fixture) => {
      await fixture.run('run-1', [...THREE, pageOf('lakes', [{ id: 9, name: 'lake' }], { call: [0, 1] })]);
      await fixture.run('run-2', [rivers([])]);
      await fixture.expectIds([], 'old rows pass for those of the second run');
      await fixture.expectIds([9], 'a table that the run does not have', 'lakes');
    },
  ),
  rule('replaces a table by one with other columns', async (fixture) => {
    await fixture.run('run-1', [pageOf(TABLE, [{ id: 1, name: 'a', level: 5 }])]);
    await fixture.run('run-2', [pageOf(TABLE, [{ id: 'x', level: 'low', more: true }])]);
    await expectCells(fixture, TABLE, ['id', 'level', 'name'], [['x', 'low', '']]);
  }),
  rule('adds rows to those of earlier runs where the runs are incremental', async (fixture) => {
    await fixture.run('run-1', THREE, ADDING);
    await fixture.run('run-2', [rivers([7]), rivers([8], { pages: 2 })], ADDING);
    await fixture.expectIds([...SIX, 7, 8], 'rows were lost, or stored twice');
  }),
  rule('adds columns, and widens their types, for rows of later runs, and keeps what is there', async (fixture) => {
    const items: readonly Item[] = [
      { id: 1, level: 1, none: null },
      { id: 2, level: 3_000_000_000, name: 'b' },
      { id: 3, level: 2.5, none: 7 },
      { id: 4, name: null, level: 'low' },
    ];
    for (const [at, item] of items.entries()) await stored(fixture, `run-${at}`, [item], ADDING);
    const columns = ['id', 'level', 'none', 'name'];
    await expectCells(fixture, TABLE, columns, [
      ['1', '1', '', ''],
      ['2', '3000000000', '', 'b'],
      ['3', '2.5', '7', ''],
      ['4', 'low', '', ''],
    ]);
  }),
  rule('has columns for names that SQL would not take, and for those that differ in their case', async (fixture) => {
    const item = {
      id: 1,
      select: 'a',
      'say "hi"': 'b',
      "it's; --": 'c',
      'ö ?': 'd',
      Name: 'e',
      name: 'f',
      rowid: 'g',
    };
    for (const run of [1, 2]) await stored(fixture, `run-${run}`, [item], KEYED);
    const [row = {}, ...more] = await fixture.place.read(TABLE);
    assert.equal(more.length, 0, 'the row is there twice');
    const values = Object.values(row).map(textOf);
    assert.deepEqual(values.sort(), ['1', 'a', 'b', 'c', 'd', 'e', 'f', 'g']);
  }),
  rule('lets rows take the place of those with the same primary key; the last one counts', async (fixture) => {
    await fixture.run('run-1', THREE, KEYED);
    const again = [
      { id: 2, name: 'first' },
      { id: 7, name: 'new' },
      { id: 2, name: 'last' },
      { id: 3, name: 'river 3' },
    ];
    const tables = await stored(fixture, 'run-2', again, KEYED);
    expectCounts(tables, { rows: 3, repeated: 1, added: 1, changed: 1, unchanged: 1, removed: 0, total: 7 });
    const names = ['river 1', 'last', 'river 3', 'river 4', 'river 5', 'river 6', 'new'];
    const rows = names.map((name, at) => [String(at + 1), name]);
    await expectCells(fixture, TABLE, ['id', 'name'], rows);
  }),
  rule('puts whole rows in the place of others: what they lack becomes nothing', async (fixture) => {
    const first = [1, 2, 3].map((id) => ({ id, name: `n${id}`, level: id }));
    await stored(fixture, 'run-1', first, KEYED);
    await stored(fixture, 'run-2', [{ id: 1 }, { id: 2, name: 'new' }], KEYED);
    await stored(fixture, 'run-3', [{ id: 3 }], KEYED);
    await expectCells(fixture, TABLE, ['id', 'name', 'level'], [['1', '', ''], ['2', 'new', ''], ['3', '', '']]); // prettier-ignore
  }),
  rule('has one row a key in a table that is replaced, too', async (fixture) => {
    const items = [1, 2, 1].map((id, at) => ({ id, name: `n${at}` }));
    expectCounts(await stored(fixture, 'run-1', items, REPLACED_BY_KEY), {
      rows: 2,
      repeated: 1,
      added: 2,
      total: 2,
    });
    const tables = await stored(fixture, 'run-2', items, REPLACED_BY_KEY);
    expectCounts(tables, { rows: 2, repeated: 1, added: 0, changed: 0, unchanged: 2, removed: 0, total: 2 });
    await expectCells(fixture, TABLE, ['id', 'name'], [['1', 'n2'], ['2', 'n1']]); // prettier-ignore
  }),
  rule('adds nothing when the commit of added rows is asked for again', async (fixture) => {
    const sink = await fixture.begun('run-1', THREE, ADDING);
    await sink.commit({});
    // A sink may treat this as an error or not.
    await sink.commit({}).catch(() => undefined);
    await fixture.expectIds(SIX, 'a second commit stored rows twice');
  }),
  rule(
    'keeps keys of several columns apart, also where their values are equal when they are joined',
    async (fixture) => {
      const items = [
        { id: 1, name: '11' },
        { id: 11, name: '1' },
      ];
      await fixture.run('run-1', [pageOf('rivers', items)], KEYED_BY_TWO);
      await fixture.run('run-2', [pageOf('rivers', items.slice(1))], KEYED_BY_TWO);
      await fixture.expectIds([1, 11], 'a row took the place of one with another key');
    },
  ),
  rule('has lists as tables, whose rows go with those of their items, at any depth', async (fixture) => {
    // Without a state, nobody knows which tables earlier runs had.
    if (fixture.subject.keepsNothing === true) return;
    const gauges = [{ no: 1, levels: [{ m: 1 }, { m: 2 }] }, { no: 2 }];
    await stored(fixture, 'run-1', [{ id: 1, gauges }, { id: 2, gauges: [{ no: 3, levels: [{ m: 9 }] }] }], MERGED_LISTS); // prettier-ignore
    await expectCells(fixture, 'rivers_gauges_levels', ['m'], [['1'], ['2'], ['9']]);
    await stored(fixture, 'run-2', [{ id: 1, gauges: [{ no: 4 }] }], MERGED_LISTS);
    await expectCells(fixture, 'rivers_gauges', ['no'], [['3'], ['4']]);
    await expectCells(fixture, 'rivers_gauges_levels', ['m'], [['9']]);
    // The run has two items with one key: only the lists of the last one stay.
    const again = [5, 6].map((no) => ({ id: 2, gauges: [{ no, levels: [{ m: no }] }] }));
    await stored(fixture, 'run-3', again, MERGED_LISTS);
    await expectCells(fixture, 'rivers_gauges', ['no'], [['4'], ['6']]);
    await expectCells(fixture, 'rivers_gauges_levels', ['m'], [['6']]);
    await stored(fixture, 'run-4', again, REPLACED_LISTS);
    await expectCells(fixture, 'rivers_gauges', ['no'], [['6']]);
    await expectCells(fixture, 'rivers_gauges_levels', ['m'], [['6']]);
    await stored(fixture, 'run-5', [{ id: 3 }], REPLACED_LISTS);
    await expectCells(fixture, 'rivers_gauges', ['no'], []);
    await fixture.expectIds([3], 'the rows of the items');
  }),
  rule(
    'has the child tables of a mapping, whose rows go with those of their parents, at any depth',
    async (fixture) => {
      if (fixture.subject.makes === 'tables' && fixture.sink(MAPPED).maps !== true) return;
      const item = (id: number, name: string): Item => ({ id, gauges: [{ name, levels: [`${name}1`, `${name}2`] }] });
      await stored(fixture, 'run-1', [item(1, 'a'), item(2, 'b')], MAPPED);
      await stored(fixture, 'run-2', [item(1, 'c'), { id: 3, gauges: [] }], MAPPED);
      await fixture.expectIds([1, 2, 3], 'the rows of the items');
      await expectCells(fixture, 'gauges', ['name'], [['b'], ['c']]);
      await expectCells(fixture, 'levels', ['level'], [['b1'], ['b2'], ['c1'], ['c2']]);
    },
  ),
  rule(
    'stores nothing where one of the tables cannot be stored, and all when the commit is asked for again',
    async (fixture) => {
      await fixture.run('run-1', THREE, KEYED);
      const lake = pageOf('lakes', [{ id: 9, name: 'lake' }], { call: [0, 1] });
      const refused = KEYED.map((output) => ({
        ...output,
        primaryKeys: new Map([...(output.primaryKeys ?? []), ['lakes', ['nothing']] as const]),
      }));
      const sink = await fixture.begun('run-2', [rivers([6, 7]), lake], refused);
      await assert.rejects(sink.commit({ n: 2 }), 'a key that no item has is no error');
      await sink.close();
      await fixture.expectIds(SIX, 'a commit that failed stored rows of one table');
      await fixture.expectIds([], 'a commit that failed stored rows of the table that cannot be stored', 'lakes');
      if (fixture.subject.keepsNothing === true) return;
      const { sink: next, standing } = await fixture.opened(KEYED);
      assert.equal(standing.finished, 'run-1', 'the receipt is that of a commit that failed');
      assert.equal(standing.unfinished?.manifest.id, 'run-2', 'the pages of a commit that failed are gone');
      await next.commit({ n: 2 });
      await fixture.expectIds([...SIX, 7], 'the commit that was asked for again');
      await fixture.expectIds([9], 'the table that could not be stored', 'lakes');
    },
  ),
];

/** The rules for sinks that only append. */
export const MESSAGES: readonly ContractRule[] = [
  rule('adds what each run brings', async (fixture) => {
    await fixture.run('run-1', THREE);
    await fixture.run('run-2', [rivers([5, 7])]);
    await fixture.expectIds([1, 2, 3, 4, 5, 5, 6, 7], 'messages were lost, or are there twice');
  }),
];
