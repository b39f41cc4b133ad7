import type { JsonObject } from '../../../src/core/model';
import type { OutputPlan } from '../../../src/plan/plan';
import { withOwnState } from '../../../src/sinks/state';
import { withJobsOf } from '../../../src/run/state/by-job';
import { createCursorTracker } from '../../../src/run/state/cursors';
import { missingFields, resetDestinations, resetJobs } from '../../../src/run/state/incremental-warnings';
import { anOutput } from '../../support/durable';

/** Jobs that ask only for what is new, by their ids. */
const asking = (ids: readonly string[], sincePrevious?: readonly string[]): OutputPlan =>
  anOutput({
    incrementalJobs: ids.map((id) => ({
      id,
      dataType: id,
      path: `jobs.${id}`,
      field: `${id}.at`,
      param: 'since',
      lag: 0,
    })),
    ...(sincePrevious === undefined ? {} : { sincePrevious: sincePrevious.map((path) => ({ path })) }),
  });
const cursors = (ids: readonly string[]): JsonObject => ({
  'headwater.cursors': Object.fromEntries(ids.map((id) => [id, { '': 1 }])),
});
const pathsOf = (faults: readonly { readonly path: string }[]): readonly string[] => faults.map(({ path }) => path);

describe('fields that no item of a run had', () => {
  it('are named with their place, where a job got items; each place once', () => {
    const book = createCursorTracker({});
    for (const job of ['a', 'b']) book.add({ job, items: 1 });
    book.add({ job: 'b', items: 1, cursor: { parent: '', value: 1, least: 1, ascends: true } });
    const faults = missingFields([asking(['a', 'b', 'c']), asking(['a']), anOutput()], book);
    expect(faults).toEqual([
      { path: 'jobs.a.incremental.field', message: expect.stringContaining('"a.at"') as string },
    ]);
  });
});

describe('destinations whose state counts no more', () => {
  const outputs = [asking(['a'], ['jobs.b.params']), asking(['a'], ['jobs.b.params']), anOutput()];
  const reset = (state: JsonObject, forgotten?: string) =>
    resetDestinations(
      [{ name: 'csv:out', standing: { state, ...(forgotten === undefined ? {} : { forgotten }) } }],
      outputs,
      { fingerprint: 'mine', jobKeys: new Map([['a', { asked: 'key of a', below: [] }]]) },
    );

  it('are named for each place that asks only for what is new', () => {
    const faults = reset({}, 'its files are gone');
    expect(pathsOf(faults)).toEqual(['jobs.a.incremental', 'jobs.b.params']);
    for (const { message } of faults) expect(message).toContain('csv:out: its files are gone');
  });

  it('are named where they know runs of other configurations only', () => {
    const other = (own: JsonObject) => withOwnState({}, 'other', own);
    expect(pathsOf(reset(other(cursors(['x']))))).toEqual(['jobs.a.incremental', 'jobs.b.params']);
    // Runs without cursors tell when they began, and no more.
    expect(pathsOf(reset(other({ time: { previousStart: 1 } })))).toEqual(['jobs.b.params']);
    const many = withOwnState(other(cursors(['x'])), 'third', {});
    expect(pathsOf(reset(many))).toEqual(['jobs.a.incremental', 'jobs.b.params']);
    expect(reset(many)[0]?.message).toContain('csv:out knows runs of other configurations only');
  });

  it('are not named for a job that another configuration has asked for in the same way', () => {
    const own = cursors(['a']);
    const state = withJobsOf(withOwnState({}, 'other', own), own, new Map([['a', { asked: 'key of a', below: [] }]]));
    expect(pathsOf(reset(state))).toEqual(['jobs.b.params']);
  });

  it('are not named where they are empty, or know this configuration', () => {
    expect(reset({})).toEqual([]);
    const both = withOwnState(withOwnState({}, 'other', cursors(['x'])), 'mine', { time: { previousStart: 1 } });
    expect(reset(both)).toEqual([]);
  });
});

describe('jobs that a given state does not know', () => {
  it('are named while it knows one that is no longer there', () => {
    const faults = resetJobs(cursors(['a', 'gone']), [asking(['a', 'b', 'c']), asking(['b'])]);
    expect(pathsOf(faults)).toEqual(['jobs.b.incremental', 'jobs.c.incremental']);
    expect(faults[0]?.message).toContain('starts over');
  });

  it('are new ones where it knows all that it has', () => {
    expect(resetJobs(cursors(['a']), [asking(['a', 'b'])])).toEqual([]);
    expect(resetJobs({}, [asking(['a'])])).toEqual([]);
    expect(resetJobs(cursors(['gone']), [anOutput()])).toEqual([]);
  });
});
