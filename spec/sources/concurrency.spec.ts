import type { JobPlan, IterationPlan } from '../../src/plan/plan';
import { createConcurrency } from '../../src/sources/concurrency';

const job = (id: string, concurrency: number, ...children: readonly JobPlan[]): JobPlan =>
  ({ id, concurrency, children: children.map((each) => ({ job: each })) }) as unknown as JobPlan;
const run = (concurrency: number, ...jobs: readonly JobPlan[]): IterationPlan =>
  ({ flow: { concurrency, prefetch: 1, ordered: true }, jobs }) as unknown as IterationPlan;

describe('createConcurrency', () => {
  it('begins with what the plans say', () => {
    const detail = job('detail', 3);
    const users = job('users', 2, detail);
    const runs = [run(4, users), run(5)];
    const concurrency = createConcurrency(runs);
    expect(runs.map((each) => concurrency.ofIteration(each).value)).toEqual([4, 5]);
    expect([users, detail].map((each) => concurrency.ofJob(each).value)).toEqual([2, 3]);
  });

  it('begins with a few where the number is to be found out', () => {
    const users = { ...job('users', 1), concurrency: 'auto' as const };
    const concurrency = createConcurrency([run(1, users)]);
    expect(concurrency.ofJob(users).value).toBe(4);
  });

  it('is changed at any depth, and for the jobs of all runs', () => {
    const detail = job('detail', 3);
    const runs = [run(1, job('users', 2, detail)), run(1)];
    const concurrency = createConcurrency(runs);
    concurrency.set('concurrency', 'detail', 9);
    concurrency.set('concurrency', undefined, 6);
    expect(concurrency.ofJob(detail).value).toBe(9);
    expect(runs.map((each) => concurrency.ofIteration(each).value)).toEqual([6, 6]);
  });

  it('parallel and prefetch: what is set for a job, for the run, or written', () => {
    const pages = { ...job('pages', 1), prefetch: 3, pagination: { parallel: 2 } } as unknown as JobPlan;
    const other = { ...job('other', 1), pagination: { parallel: 1 } } as unknown as JobPlan;
    const concurrency = createConcurrency([run(1, pages, other)]);
    const now = () => [pages, other].map((each) => [concurrency.parallelOf(each), concurrency.prefetchOf(each, 1)]);
    expect(now()).toEqual([
      [2, 3],
      [1, 1],
    ]);
    concurrency.set('parallel', undefined, 8);
    concurrency.set('prefetch', undefined, 7);
    expect(now()).toEqual([
      [8, 3],
      [8, 7],
    ]);
    concurrency.set('parallel', 'pages', 5);
    concurrency.set('prefetch', 'pages', 0);
    expect(now()).toEqual([
      [5, 0],
      [8, 7],
    ]);
  });
});
