/** Which pages of a list are shared, by its first pages: pure. */
import type { JsonObject } from '../../../src';
import type { Reached } from '../../../src/core/model';
import { partName, partsBefore } from '../../../src/core/run-parts';
import type { JobPlan } from '../../../src/plan/plan';
import { firstPages, knownPages } from '../../../src/run/deliver/known-pages';
import { prepare } from '../../../src/run/validate';

const planOf = (job: JsonObject = {}, pagination: JsonObject = { method: 'offset', limit: 10 }): JobPlan => {
  const config = { api: { baseUrl: 'https://api.test', pagination }, config: { jobs: [{ endpoint: 'x', ...job }] } };
  const [plan] = prepare(config, {}).planned.iterations.flatMap(({ jobs }) => jobs);
  if (plan === undefined) throw new Error('no job');
  return plan;
};
const total = (value: number, more: object = {}) => ({ value, isSteady: true, isOfAll: true, ...more });
const first: Reached = { pages: 1, items: 10, position: 10 };
const second = (items: number, more: Partial<Reached> = {}): Reached => ({
  ...{ pages: 2, items: 20, position: 20, total: total(items) },
  ...more,
});

describe('knownPages', () => {
  it('are those behind the first two and before the last one', () => {
    const pages = knownPages(planOf(), first, second(503));
    expect(pages).toEqual({ from: 2, to: 50, position: 20, stride: 10, every: 20 });
    if (pages === undefined) throw new Error('none');
    const rest = { kind: 'rest', call: [0, 0], behind: pages } as const;
    const parts = partsBefore(rest);
    expect(parts.map(({ pages: { from, to, position } }) => [from, to, position])).toEqual([
      [2, 22, 20],
      [22, 42, 220],
      [42, 50, 420],
    ]);
    const names = [{ kind: 'job', call: [0, 0], below: false } as const, ...parts, rest].map(partName);
    expect([...names].sort()).toEqual(names);
    expect(names.every((name) => name < partName({ kind: 'job', call: [0, 1], below: false }))).toBe(true);
  });

  it('are at most 500 parts, however many pages there are', () => {
    const behind = knownPages(planOf({ requestLimit: 1e6 }), first, second(1e6));
    expect(behind).toMatchObject({ to: 99_999, every: 200 });
    if (behind !== undefined) expect(partsBefore({ call: [0, 0], behind })).toHaveLength(500);
  });

  it('are counted by page numbers, too', () => {
    const plan = planOf({}, { method: 'pagenum', limit: 10 });
    const reached = second(500, { position: 3 });
    expect(knownPages(plan, { ...first, position: 2 }, reached)).toMatchObject({ position: 3, stride: 1, to: 49 });
  });

  it.each<[string, JobPlan, Reached]>([
    ['a short list', planOf(), second(400)],
    ['no total', planOf(), { pages: 2, items: 20, position: 20 }],
    ['a total that changes', planOf(), second(900, { total: total(900, { isSteady: false }) })],
    ['a total of the page', planOf(), second(900, { total: total(900, { isOfAll: false }) })],
    ['a page that is not full', planOf(), second(900, { items: 19 })],
    ['positions of another kind', planOf(), second(900, { position: 'b' })],
    ['positions that depend on items', planOf(), second(900, { position: 27 })],
    ['a stop', planOf({}, { method: 'offset', limit: 10, forceStop: { pages: 80 } }), second(900)],
    ['keys that have to be compared', planOf({ unique: 'id' }), second(900)],
    ['more pages than may be requested', planOf({ requestLimit: 60 }), second(900)],
    ['tokens', planOf({}, { method: 'cursor', idKey: 'id', param: 'after' }), second(900)],
  ])('are none of %s', (_, plan, reached) => expect(knownPages(plan, first, reached)).toBeUndefined());
});

describe('firstPages', () => {
  it('are two, and then the rest is left to others or read here', () => {
    const { pagesHere, left, mayBeShared } = firstPages(planOf());
    expect(pagesHere([0, 0], { pages: 0, items: 0 })).toBe(2);
    expect(pagesHere([0, 0], first)).toBe(1);
    expect(pagesHere([0, 0], second(900))).toBe(0);
    expect(left()).toMatchObject({ from: 2, to: 89 });
    expect([mayBeShared(2), mayBeShared(3)]).toEqual([true, false]);
    const short = firstPages(planOf());
    expect([first, second(30)].map((reached) => short.pagesHere([0, 0], reached))).toEqual([1, Infinity]);
    expect(short.left()).toBeUndefined();
  });

  it('are known from the checkpoints of an earlier attempt', () => {
    const { had, left } = firstPages(planOf());
    const checkpoint = { call: [0, 0], job: 'x', volume: 0 };
    had({ ...checkpoint, ...first, evidence: { total: 900 } });
    had({ ...checkpoint, ...second(900), evidence: { total: 900 } });
    expect(left()).toMatchObject({ to: 89 });
  });

  it('are all pages of a job that cannot be shared', () => {
    const { pagesHere, mayBeShared } = firstPages(planOf({ unique: 'id' }));
    expect([pagesHere([0, 0], { pages: 0, items: 0 }), mayBeShared(1)]).toEqual([Infinity, false]);
  });
});
