/** The contract of rows of several runs. */
import { ADDING, KEYED, KEYED_BY_TWO, rivers, SIX, THREE, pageOf } from './fixture';
import type { ContractRule } from './fixture';

/** The rules for sinks that make tables. */
export const TABLES: readonly ContractRule[] = [
  {
    name: 'replaces the rows of the last run',
    keep: async (fixture) => {
      await fixture.run('run-1', THREE);
      await fixture.run('run-2', [rivers([5, 7])]);
      await fixture.expectIds([5, 7], 'the rows are not those of the second run');
    },
  },
  {
    name: 'empties a table whose pages have no items any more, and leaves tables that a run does not have',
    keep: async (fixture) => {
      await fixture.run('run-1', [...THREE, pageOf('lakes', [{ id: 9, name: 'lake' }], { call: [0, 1] })]);
      await fixture.run('run-2', [rivers([])]);
      await fixture.expectIds([], 'old rows pass for those of the second run');
      await fixture.expectIds([9], 'a table that the run does not have', 'lakes');
    },
  },
  {
    name: 'adds rows to those of earlier runs where the runs are incremental',
    keep: async (fixture) => {
      await fixture.run('run-1', THREE, ADDING);
      await fixture.run('run-2', [rivers([7]), rivers([8], { pages: 2 })], ADDING);
      await fixture.expectIds([...SIX, 7, 8], 'rows were lost, or stored twice');
    },
  },
  {
    name: 'lets rows take the place of those with the same primary key; the last one counts',
    keep: async (fixture) => {
      await fixture.run('run-1', THREE, KEYED);
      const again = pageOf('rivers', [
        { id: 2, name: 'first' },
        { id: 7, name: 'new' },
        { id: 2, name: 'last' },
      ]);
      await fixture.run('run-2', [again], KEYED);
      await fixture.expectIds([...SIX, 7], 'a key has more than one row, or none');
      const rows = await fixture.place.read('rivers');
      const nameOf = (id: number): unknown => rows.find((row) => Number(row['id']) === id)?.['name'];
      if (nameOf(2) !== 'last' || nameOf(7) !== 'new' || nameOf(3) !== 'river 3')
        throw new Error(`the rows have the names ${[2, 7, 3].map((id) => String(nameOf(id))).join(', ')}`);
    },
  },
  {
    name: 'adds nothing when the commit of added rows is asked for again',
    keep: async (fixture) => {
      const sink = await fixture.begun('run-1', THREE, ADDING);
      await sink.commit({});
      // A sink may treat this as an error or not.
      await sink.commit({}).catch(() => undefined);
      await fixture.expectIds(SIX, 'a second commit stored rows twice');
    },
  },
  {
    name: 'tells keys of several columns apart, also where their values are equal when they are joined',
    keep: async (fixture) => {
      const items = [
        { id: 1, name: '11' },
        { id: 11, name: '1' },
      ];
      await fixture.run('run-1', [pageOf('rivers', items)], KEYED_BY_TWO);
      await fixture.run('run-2', [pageOf('rivers', items.slice(1))], KEYED_BY_TWO);
      await fixture.expectIds([1, 11], 'a row took the place of one with another key');
    },
  },
];

/** The rules for sinks that only append. */
export const MESSAGES: readonly ContractRule[] = [
  {
    name: 'adds what each run brings',
    keep: async (fixture) => {
      await fixture.run('run-1', THREE);
      await fixture.run('run-2', [rivers([5, 7])]);
      await fixture.expectIds([1, 2, 3, 4, 5, 5, 6, 7], 'messages were lost, or are there twice');
    },
  },
];
