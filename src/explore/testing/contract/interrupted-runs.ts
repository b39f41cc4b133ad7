/** The contract of interrupted runs. They are ended by `close`, which leaves the same state as the end of a process. */
import assert from 'node:assert/strict';
import type { DurableSink, Standing } from '../../../core/durable-sink';
import { HeadwaterError } from '../../../core/errors/errors';
import { assertKept, checkpointsOf, manifestOf, rivers, rule, SIX, THREE } from './fixture';
import type { SinkFixture, ContractRule } from './fixture';

/** Resumes the run of {@link THREE}, and commits it. */
async function finish(fixture: SinkFixture, sink: DurableSink, standing: Standing): Promise<void> {
  const { length } = await checkpointsOf(standing);
  for (const page of THREE.slice(length)) await sink.write(page);
  await sink.commit({ done: true });
  await fixture.expectIds(SIX, 'a run that went on has not each item once');
}

const afterPages = (count: number): ContractRule =>
  rule(`resumes a run that was interrupted after ${count} of 3 pages`, async (fixture) => {
    await (await fixture.begun('run-1', THREE.slice(0, count))).close();
    await fixture.expectHidden([], 'readers see pages of an unfinished run');
    const { sink, standing } = await fixture.opened();
    assert.deepEqual(standing.unfinished?.manifest, manifestOf('run-1'));
    assert.deepEqual(
      await checkpointsOf(standing),
      THREE.slice(0, count).map(({ checkpoint }) => checkpoint),
    );
    await finish(fixture, sink, standing);
  });

/** The rules for sinks that keep a record of runs. */
export const INTERRUPTED: readonly ContractRule[] = [
  rule('has no unfinished run when it was only opened', async (fixture) => {
    await (await fixture.opened()).sink.close();
    assert.deepEqual((await fixture.opened()).standing, { state: {} });
  }),
  ...[0, 1, 2, 3].map(afterPages),
  rule('has a page and its checkpoint, or neither, when it is closed while one is written', async (fixture) => {
    const sink = await fixture.begun('run-1', THREE.slice(0, 1));
    await Promise.allSettled([sink.write(THREE[1] ?? rivers([])), sink.close()]);
    const next = await fixture.opened();
    const { length } = await checkpointsOf(next.standing);
    assert.ok(length === 1 || length === 2, `there are ${length} pages`);
    await finish(fixture, next.sink, next.standing);
  }),
  rule('has committed, or can commit, when it is closed while it commits', async (fixture) => {
    const sink = await fixture.begun('run-1', THREE);
    await Promise.allSettled([sink.commit({ done: true }), sink.close()]);
    const { sink: next, standing } = await fixture.opened();
    if (standing.unfinished !== undefined) await finish(fixture, next, standing);
    else assert.equal(standing.finished, 'run-1');
    await fixture.expectIds(SIX, 'an interrupted commit lost items, or stored them twice');
  }),
  rule('has a run that was committed and not reported, until it is marked as reported', async (fixture) => {
    const sink = await fixture.begun('run-1', THREE);
    if (sink.markReported === undefined) return;
    await sink.commit({ done: true });
    await sink.close();
    for (let open = 0; open < 2; open += 1) {
      const { sink: next, standing } = await fixture.opened();
      assert.deepEqual(standing.unreported, manifestOf('run-1'));
      assert.deepEqual([standing.finished, standing.unfinished], ['run-1', undefined]);
      if (open > 0) await next.markReported?.();
      await next.close();
    }
    const { standing } = await fixture.opened();
    assert.deepEqual([standing.finished, standing.unreported], ['run-1', undefined]);
    await fixture.expectIds(SIX, 'a run that was reported has not each item once');
  }),
  rule('can be interrupted again and again', async (fixture) => {
    await (await fixture.begun('run-1', [])).close();
    for (const page of THREE) {
      const { sink } = await fixture.opened();
      await sink.write(page);
      await sink.close();
    }
    const { sink, standing } = await fixture.opened();
    await finish(fixture, sink, standing);
  }),
  rule('drops an unfinished run when another one begins', async (fixture) => {
    // A page of a call that the other run lacks, so that nothing replaces it.
    await (await fixture.begun('run-1', [...THREE, rivers([20], { call: [0, 1] })])).close();
    const sink = await fixture.begun('run-2', [rivers([8])]);
    await sink.commit({});
    await sink.close();
    const { standing } = await fixture.opened();
    assert.deepEqual([standing.finished, standing.unfinished], ['run-2', undefined]);
    const ids = await fixture.ids();
    if (fixture.subject.visible === 'at-once') assert.ok(ids.includes(8));
    else assert.deepEqual(ids, [8]);
  }),
  rule('keeps the last run and its state while another one is unfinished', async (fixture) => {
    await fixture.run('run-1', THREE, undefined, { n: 1 });
    await (await fixture.begun('run-2', [rivers([8])])).close();
    await fixture.expectHidden(SIX, 'an unfinished run changed what readers see');
    const { standing } = await fixture.opened();
    assert.equal(standing.finished, 'run-1');
    assertKept(standing.state, { n: 1 });
    assert.equal(standing.unfinished?.manifest.id, 'run-2');
  }),
  rule(
    'lets the pages of a call that begins again take the place of its pages, and of calls below it',
    async (fixture) => {
      const call = [0, 1];
      const three = [1, 2, 3].map((pages) => rivers([2 * pages - 1, 2 * pages], { call, pages }));
      const below = rivers([10], { call: [0, 1, 0, 0] });
      // The key of this call begins with that of the restarted one, but it is not below it.
      const other = rivers([20], { call: [0, 10] });
      await (await fixture.begun('run-1', [...three, below, other])).close();
      const { sink } = await fixture.opened();
      await sink.write(rivers([30], { call }));
      await sink.close();
      const { sink: last, standing } = await fixture.opened();
      const { length } = await checkpointsOf(standing);
      assert.ok(length >= 2, 'the page of another call is gone');
      await last.commit({});
      const ids = await fixture.ids();
      if (fixture.subject.visible === 'at-once') assert.ok([20, 30].every((id) => ids.includes(id)));
      else assert.deepEqual(ids, [20, 30]);
    },
  ),
];

const DAMAGED = ['JOURNAL_DAMAGED', 'DESTINATION_DAMAGED'];

/** The rule for sinks whose stored pages can be changed by others. */
export const DAMAGE: ContractRule = rule('says that pages were damaged, and takes another run', async (fixture) => {
  const first = await fixture.begun('run-1', THREE);
  await first.close();
  await fixture.place.damage?.();
  const sink = fixture.sink();
  const goOn = async (): Promise<void> => {
    const standing = await sink.open();
    if (standing.damage !== undefined) throw standing.damage;
    await finish(fixture, sink, standing);
  };
  await assert.rejects(goOn, (error) => {
    assert.ok(error instanceof HeadwaterError, String(error));
    assert.ok(DAMAGED.includes(error.code), `the code is ${error.code}`);
    assert.equal(error.destination, sink.name);
    return true;
  });
  await fixture.expectHidden([], 'readers see damaged pages');
  await sink.close();
  await fixture.run('run-2', [rivers([8])]);
  if (fixture.subject.visible !== 'at-once') await fixture.expectIds([8], 'the run after the damage');
});
