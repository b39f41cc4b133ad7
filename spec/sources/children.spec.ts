import { EMPTY, lastValueFrom, of, toArray } from 'rxjs';
import type { Item } from '../../src/core/model';
import type { ChildJobPlan, JobPlan, PlaceholderPlan } from '../../src/plan/plan';
import { topLevelCall } from '../../src/sources/call';
import type { Call, CallInput } from '../../src/sources/call';
import { batchesOf, runChildren } from '../../src/sources/children';
import type { ChildrenContext } from '../../src/sources/children';
import { createConcurrency } from '../../src/sources/concurrency';
import { chosenPagination } from '../support/pagination';
import { recorder } from '../support/requests';

describe('children', () => {
  const aChild = (changes: Partial<ChildJobPlan> = {}): ChildJobPlan => ({
    job: {
      id: 'child',
      name: 'child',
      path: 'config.jobs[0].children[0]',
      endpoint: 'users/{id}',
      dataType: 'detail',
      table: 'detail',
      bind: () => ({ url: '', params: {}, secrets: [], request: () => Promise.reject(new Error()) as never }),
      responseFilter: { paths: [], delimiter: '.', keepScalars: false },
      equalPages: 'stop',
      userData: () => [],
      items: { delimiter: '.' },
      pagination: chosenPagination({ method: 'offset', limit: 2 }),
      stops: [],
      requestLimit: 1,
      concurrency: 1,
      children: [],
    },
    placeholders: [{ name: 'id', level: 1, path: 'id' }],
    ...changes,
  });
  const top: Call = { key: [0, 3], lineage: [], bindings: new Map() };

  /** What all calls are made with. */
  const common = () => ({
    concurrency: createConcurrency([]).ofJob(aChild().job),
    ordered: true,
    gate: () => EMPTY,
    counts: () => true,
    reporter: { report: () => undefined },
  });

  /** The calls that are made for the children of a page. */
  function calls(
    children: readonly ChildJobPlan[],
    items: readonly Item[],
    parent = top,
    changes: Partial<ChildrenContext<Call>> = {},
  ): Promise<Call[]> {
    const run = (_: ChildJobPlan, call: Call) => of(call);
    const context = { ...common(), parent, page: 7, run, ...changes };
    return lastValueFrom(runChildren(children, () => items, context).pipe(toArray()));
  }
  const texts = (made: readonly Call[]): unknown[] => made.map(({ bindings }) => bindings.get('id')?.text);

  describe('the calls of the children of a page', () => {
    const items = [{ id: 'a' }, { id: 'b' }];

    it('know the call above them, its page, and their number: by that they are found again', async () => {
      const made = await calls([aChild(), aChild()], items);
      expect(made.map(({ key }) => key)).toEqual([
        [0, 3, 7, 0],
        [0, 3, 7, 1],
        [0, 3, 7, 2],
        [0, 3, 7, 3],
      ]);
      expect(texts(made)).toEqual(['a', 'b', 'a', 'b']);
    });

    it('are one for each item and each child, with the item before those above it', async () => {
      const made = await calls([aChild()], items, { ...top, lineage: [{ id: 'above' }] });
      expect(made.map(({ lineage }) => lineage)).toEqual([
        [{ id: 'a' }, { id: 'above' }],
        [{ id: 'b' }, { id: 'above' }],
      ]);
    });

    it('are none of a child without placeholders, unless it inherits some', async () => {
      const plain = aChild({ placeholders: [] });
      expect(await calls([plain, aChild()], items)).toHaveLength(2);
      const bindings = new Map([['id', { text: 'inherited', path: 'id' }]]);
      expect(texts(await calls([plain], items, { ...top, bindings }))).toEqual(['inherited', 'inherited']);
    });

    it('are those of the items that the filter of the child accepts', async () => {
      expect(texts(await calls([aChild({ filter: 'id!=a' })], items))).toEqual(['b']);
      const batch = { size: 2, separator: ',', style: 'join' as const };
      expect(texts(await calls([aChild({ batch })], items))).toEqual(['a,b']);
      expect(texts(await calls([aChild({ batch, filter: 'id!=a' })], items))).toEqual(['b']);
    });

    it('are of the children that are needed alone, and of the calls that are made here; numbers stay those of all', async () => {
      const other = aChild({ job: { ...aChild().job, id: 'other' } });
      const isNeeded = ({ id }: ChildJobPlan['job']): boolean => id === 'other';
      const needed = await calls([aChild(), other], [{ id: 'a' }], top, { isNeeded });
      expect(needed.map(({ key }) => key)).toEqual([[0, 3, 7, 0]]);
      const owns = (key: Call['key']): boolean => key.at(-1) === 1;
      const owned = await calls([aChild()], items, top, { owns });
      expect(owned.map(({ key }) => key)).toEqual([[0, 3, 7, 1]]);
      expect(texts(owned)).toEqual(['b']);
    });

    it('have the slice of the call above them, if it has one', async () => {
      const slice = { number: 2 } as unknown as NonNullable<Call['slice']>;
      const [sliced] = await calls([aChild()], items, { ...top, slice });
      expect(sliced?.slice).toBe(slice);
      const [whole] = await calls([aChild()], items);
      expect(whole).not.toHaveProperty('slice');
    });

    it('warn once of a value that has the separator of its batch, and name the job', async () => {
      const { events, report } = recorder();
      const batch = { size: 2, separator: ',', style: 'join' as const };
      const reporter = { report, warnOnce: new Set<string>() };
      await calls([aChild({ batch })], [{ id: 'a,b' }, { id: 'c' }, { id: 'd,e' }], top, { reporter });
      const { id, path, endpoint, dataType } = aChild().job;
      const job = { id, path, endpoint, dataType };
      expect(events).toMatchObject([{ type: 'warning', code: 'SEPARATOR_IN_VALUE', job }]);
      await calls([aChild({ batch })], [{ id: 'a,b' }], top, { reporter: { report } });
      expect(events).toHaveLength(2);
    });

    it('do not read the items of a page that has no children', async () => {
      const read = jest.fn(() => items);
      const none$ = runChildren([], read, { ...common(), parent: top, page: 0, run: () => EMPTY });
      expect(await lastValueFrom(none$.pipe(toArray()))).toEqual([]);
      expect(read).not.toHaveBeenCalled();
    });
  });
});

describe('batches', () => {
  const placeholder = (name: string, path: string, level = 1): PlaceholderPlan => ({ name, path, level });
  const aChild = (...placeholders: readonly PlaceholderPlan[]): ChildJobPlan => ({
    placeholders,
    job: { path: 'config.jobs[0].children[0]' } as JobPlan,
  });
  const texts = (calls: readonly CallInput[]): object[] =>
    calls.map(({ bindings }) => Object.fromEntries([...bindings].map(([name, { text }]) => [name, text])));
  const batched = (
    child: ChildJobPlan,
    items: readonly Item[],
    size = 2,
    parent: CallInput = topLevelCall(0, 0),
  ): readonly CallInput[] => batchesOf(child, { size, separator: ',' }, items, parent);

  describe('docs/language/jobs.md#batches', () => {
    const ids = [{ id: 1 }, { id: 2 }, { id: 3 }];

    it('joins the values of several items, and keeps the single values', () => {
      const calls = batched(aChild(placeholder('id', 'id')), ids);
      expect(texts(calls)).toEqual([{ id: '1,2' }, { id: '3' }]);
      expect(calls[0]?.bindings.get('id')).toEqual({ text: '1,2', values: ['1', '2'], path: 'id' });
    });

    it('has no one item above it', () => {
      const [call] = batched(aChild(placeholder('id', 'id')), ids, 5, { lineage: [{ box: 9 }], bindings: new Map() });
      expect(call?.lineage).toEqual([null, { box: 9 }]);
    });

    it('leaves out repetitions before it counts', () => {
      const items = [{ id: 1 }, { id: 1 }, { id: 2 }, { id: '1' }, { id: 3 }];
      expect(texts(batched(aChild(placeholder('id', 'id')), items))).toEqual([{ id: '1,2' }, { id: '3' }]);
    });

    it('several placeholders keep their values in step', () => {
      const child = aChild(placeholder('a', 'a'), placeholder('b', 'b'));
      const items = [
        { a: 1, b: 'x' },
        { a: 1, b: 'y' },
        { a: 1, b: 'x' },
      ];
      expect(texts(batched(child, items, 9))).toEqual([{ a: '1,1', b: 'x,y' }]);
    });

    it('language 6.6 rule 4: the elements of a list count one by one', () => {
      expect(texts(batched(aChild(placeholder('id', 'ids')), [{ ids: [1, 2, 3] }, { ids: [] }, { ids: 4 }]))).toEqual([
        { id: '1,2' },
        { id: '3,4' },
      ]);
    });

    it('inherited placeholders and those of higher levels are not joined', () => {
      const child = aChild(placeholder('id', 'id'), placeholder('2:box', 'box', 2));
      const parent = { lineage: [{ box: ['A', 'B'] }], bindings: new Map([['day', { text: 'mon', path: 'day' }]]) };
      expect(texts(batched(child, ids, 9, parent))).toEqual([
        { day: 'mon', id: '1,2,3', '2:box': 'A' },
        { day: 'mon', id: '1,2,3', '2:box': 'B' },
      ]);
    });

    it('no items, no call', () => {
      expect(batched(aChild(placeholder('id', 'id')), [])).toEqual([]);
    });
  });
});
