import type { Item } from '../../src/core/model';
import type { ChildJobPlan, JobPlan, PlaceholderPlan } from '../../src/plan/plan';
import { batchesOf } from '../../src/sources/batches';
import { topLevelCall } from '../../src/sources/call';
import type { CallInput } from '../../src/sources/call';

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

describe('docs/extensions/batches.md', () => {
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
