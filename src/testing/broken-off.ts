/** What is promised of runs that are broken off: by `close`, which leaves what the end of a process leaves. */
import assert from 'node:assert/strict';
import type { DurableSink, Standing } from '../durable-sink';
import { HeadwaterError } from '../errors';
import { assertKept, checkpointsOf, headOf, rivers, SIX, THREE } from './bench';
import type { Bench, Promised } from './bench';

/** Goes on with the run of {@link THREE}, and commits it. */
async function finish(bench: Bench, sink: DurableSink, standing: Standing): Promise<void> {
  const { length } = await checkpointsOf(standing);
  for (const page of THREE.slice(length)) await sink.write(page);
  await sink.commit({ done: true });
  await bench.expectIds(SIX, 'a run that went on has not each item once');
}

const afterPages = (count: number): Promised => ({
  name: `goes on with a run that was broken off after ${count} of 3 pages`,
  keep: async (bench) => {
    await (await bench.begun('run-1', THREE.slice(0, count))).close();
    await bench.expectHidden([], 'readers see pages of an unfinished run');
    const { sink, standing } = await bench.opened();
    assert.deepEqual(standing.unfinished?.head, headOf('run-1'));
    assert.deepEqual(
      await checkpointsOf(standing),
      THREE.slice(0, count).map(({ checkpoint }) => checkpoint),
    );
    await finish(bench, sink, standing);
  },
});

/** Promises of sinks that keep a record of runs. */
export const BROKEN_OFF: readonly Promised[] = [
  {
    name: 'has no unfinished run when it was only opened',
    keep: async (bench) => {
      await (await bench.opened()).sink.close();
      assert.deepEqual((await bench.opened()).standing, { state: {} });
    },
  },
  ...[0, 1, 2, 3].map(afterPages),
  {
    name: 'has a page and its checkpoint, or neither, when it is closed while one is written',
    keep: async (bench) => {
      const sink = await bench.begun('run-1', THREE.slice(0, 1));
      await Promise.allSettled([sink.write(THREE[1] ?? rivers([])), sink.close()]);
      const next = await bench.opened();
      const { length } = await checkpointsOf(next.standing);
      assert.ok(length === 1 || length === 2, `there are ${length} pages`);
      await finish(bench, next.sink, next.standing);
    },
  },
  {
    name: 'has committed, or can commit, when it is closed while it commits',
    keep: async (bench) => {
      const sink = await bench.begun('run-1', THREE);
      await Promise.allSettled([sink.commit({ done: true }), sink.close()]);
      const { sink: next, standing } = await bench.opened();
      if (standing.unfinished !== undefined) await finish(bench, next, standing);
      else assert.equal(standing.finished, 'run-1');
      await bench.expectIds(SIX, 'a commit that was broken off lost items, or stored them twice');
    },
  },
  {
    name: 'can be broken off again and again',
    keep: async (bench) => {
      await (await bench.begun('run-1', [])).close();
      for (const page of THREE) {
        const { sink } = await bench.opened();
        await sink.write(page);
        await sink.close();
      }
      const { sink, standing } = await bench.opened();
      await finish(bench, sink, standing);
    },
  },
  {
    name: 'drops an unfinished run when another one begins',
    keep: async (bench) => {
      // A page of a call that the other run does not have: it has nothing to take its place.
      await (await bench.begun('run-1', [...THREE, rivers([20], { call: [0, 1] })])).close();
      const sink = await bench.begun('run-2', [rivers([8])]);
      await sink.commit({});
      await sink.close();
      const { standing } = await bench.opened();
      assert.deepEqual([standing.finished, standing.unfinished], ['run-2', undefined]);
      const ids = await bench.ids();
      if (bench.subject.visible === 'at-once') assert.ok(ids.includes(8));
      else assert.deepEqual(ids, [8]);
    },
  },
  {
    name: 'keeps the last run and its state while another one is unfinished',
    keep: async (bench) => {
      await bench.run('run-1', THREE, undefined, { n: 1 });
      await (await bench.begun('run-2', [rivers([8])])).close();
      await bench.expectHidden(SIX, 'an unfinished run changed what readers see');
      const { standing } = await bench.opened();
      assert.equal(standing.finished, 'run-1');
      assertKept(standing.state, { n: 1 });
      assert.equal(standing.unfinished?.head.id, 'run-2');
    },
  },
  {
    name: 'lets the pages of a call that begins again take the place of its pages, and of calls below it',
    keep: async (bench) => {
      const call = [0, 1];
      const three = [1, 2, 3].map((pages) => rivers([2 * pages - 1, 2 * pages], { call, pages }));
      const below = rivers([10], { call: [0, 1, 0, 0] });
      // The number of this call begins with that of the one that begins again, and it is not below it.
      const other = rivers([20], { call: [0, 10] });
      await (await bench.begun('run-1', [...three, below, other])).close();
      const { sink } = await bench.opened();
      await sink.write(rivers([30], { call }));
      await sink.close();
      const { sink: last, standing } = await bench.opened();
      const { length } = await checkpointsOf(standing);
      assert.ok(length >= 2, 'the page of another call is gone');
      await last.commit({});
      const ids = await bench.ids();
      if (bench.subject.visible === 'at-once') assert.ok([20, 30].every((id) => ids.includes(id)));
      else assert.deepEqual(ids, [20, 30]);
    },
  },
];

const DAMAGED = ['JOURNAL_DAMAGED', 'DESTINATION_DAMAGED'];

/** The promise of sinks whose pages somebody can get at. */
export const DAMAGE: Promised = {
  name: 'says that pages were damaged, and takes another run',
  keep: async (bench) => {
    const first = await bench.begun('run-1', THREE);
    await first.close();
    await bench.place.damage?.();
    const sink = bench.sink();
    const goOn = async (): Promise<void> => {
      const standing = await sink.open();
      if (standing.damage !== undefined) throw standing.damage;
      await finish(bench, sink, standing);
    };
    await assert.rejects(goOn, (error) => {
      assert.ok(error instanceof HeadwaterError, String(error));
      assert.ok(DAMAGED.includes(error.code), `the code is ${error.code}`);
      assert.equal(error.destination, sink.name);
      return true;
    });
    await bench.expectHidden([], 'readers see damaged pages');
    await sink.close();
    await bench.run('run-2', [rivers([8])]);
    if (bench.subject.visible !== 'at-once') await bench.expectIds([8], 'the run after the damage');
  },
};
