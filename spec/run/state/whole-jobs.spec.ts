import type { Outcome } from '../../../src/core/events';
import type { JobPlace, OutputPlan } from '../../../src/plan/plan';
import { wholeJobs } from '../../../src/run/state/whole-jobs';
import { anOutput } from '../../support/durable';

const placeOf = (id: string): JobPlace => ({ id, dataType: id, path: `at.${id}` });
/** A job that asks only for what is new, and those below it. */
const asking = (id: string, ...below: readonly string[]): OutputPlan =>
  anOutput({ incrementalJobs: [{ ...placeOf(id), field: 'at', param: 'since', lag: 0, below: below.map(placeOf) }] });
const ended = (ends: Readonly<Record<string, Outcome>>) =>
  Object.entries(ends).map(([id, outcome]) => ({ id, path: `at.${id}`, outcome }));

describe('a job that asks only for what is new', () => {
  const outputs = [asking('orders', 'lines', 'marks'), asking('orders', 'lines'), anOutput()];
  const whole = (ends: Readonly<Record<string, Outcome>>) => {
    const { isWhole, lackingBelow } = wholeJobs(outputs, ended(ends));
    return [isWhole('orders'), lackingBelow('orders')];
  };

  it('counts as having come where it came, and all below it, as far as the configuration wants them', () => {
    expect(whole({})).toEqual([true, []]);
    expect(whole({ orders: 'complete', lines: 'stopped', marks: 'complete', other: 'failed' })).toEqual([true, []]);
    expect(whole({ orders: 'stopped' })).toEqual([true, []]);
    expect(whole({ orders: 'incomplete' })).toEqual([false, []]);
    expect(whole({ orders: 'failed' })).toEqual(['failed', []]);
  });

  it('counts as not having come where a job below it lacks anything, each named once', () => {
    expect(whole({ orders: 'complete', lines: 'incomplete' })).toEqual(['failed', ['at.lines']]);
    expect(whole({ orders: 'incomplete', lines: 'incomplete', marks: 'failed' })).toEqual([
      'failed',
      ['at.lines', 'at.marks'],
    ]);
  });

  it('is judged by its own end where nothing is known of jobs below it', () => {
    expect(wholeJobs([anOutput()], ended({ orders: 'incomplete' })).isWhole('orders')).toBe(false);
  });
});
