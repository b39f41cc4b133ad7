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

  it('the number for jobs may be given from outside', () => {
    const runs = [run(4), run(5)];
    const concurrency = createConcurrency(runs, 7);
    expect(runs.map((each) => concurrency.ofIteration(each).value)).toEqual([7, 7]);
  });

  it('is changed at any depth, and for the jobs of all runs', () => {
    const detail = job('detail', 3);
    const runs = [run(1, job('users', 2, detail)), run(1)];
    const concurrency = createConcurrency(runs);
    concurrency.set('detail', 9);
    concurrency.set(undefined, 6);
    expect(concurrency.ofJob(detail).value).toBe(9);
    expect(runs.map((each) => concurrency.ofIteration(each).value)).toEqual([6, 6]);
  });

  it('refuses what is no number of jobs, and jobs that are not there', () => {
    const { set } = createConcurrency([run(1, job('users', 1))]);
    for (const wrong of [0, -1, 1.5, NaN, Infinity]) expect(() => set('users', wrong)).toThrow(RangeError);
    expect(() => set('user', 2)).toThrow('setConcurrency: there is no job with the id "user"');
  });
});
