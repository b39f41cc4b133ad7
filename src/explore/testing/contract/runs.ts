/** The contract of runs without interruption. */
import assert from 'node:assert/strict';
import type { JsonObject } from '../../../core/model';
import { assertKept, manifestOf, rivers, rule, SIX, TABLE, THREE, pageOf } from './fixture';
import type { ContractRule } from './fixture';

const STATE: JsonObject = {
  time: { previousStart: 1_700_000_000 },
  digits: 9007199254740993n,
  text: 'ä "quoted" \\ \u2028 😀',
  list: [null, true, 0.1, '', {}],
};

/** The rules for each sink. */
export const RUNS: readonly ContractRule[] = [
  rule('says what it makes of items, and what it is called', (fixture) => {
    const { makes, keepsNothing = false, name } = fixture.sink();
    assert.equal(makes, fixture.subject.makes);
    assert.equal(keepsNothing, fixture.subject.keepsNothing ?? false);
    assert.notEqual(name, '');
    return Promise.resolve();
  }),
  rule('stands nowhere at first', async (fixture) => {
    const { standing } = await fixture.opened();
    assert.deepEqual(standing, { state: {} });
    await fixture.expectIds([], 'a new place has rows');
  }),
  rule('shows all pages after the commit, and none before where it can hold them back', async (fixture) => {
    const sink = await fixture.begun('run-1', THREE);
    await fixture.expectHidden([], 'readers see pages before the commit');
    const stored = await sink.commit({});
    for (const { name } of stored) assert.equal(typeof name, 'string');
    await fixture.expectIds(SIX, 'readers do not see each item once after the commit');
  }),
  rule('keeps tables apart', async (fixture) => {
    const other = pageOf('lakes', [{ id: 9, name: 'lake' }], { call: [0, 1] });
    await fixture.run('run-1', [...THREE.slice(0, 1), other, ...THREE.slice(1)]);
    await fixture.expectIds(SIX, 'the first table');
    await fixture.expectIds([9], 'the second table', 'lakes');
  }),
  rule('commits a run without pages, and pages without items', async (fixture) => {
    await fixture.run('run-1', []);
    await fixture.run('run-2', [rivers([])]);
    await fixture.expectIds([], 'there are rows of no items');
  }),
  rule('adds nothing when the commit is asked for again', async (fixture) => {
    const sink = await fixture.begun('run-1', THREE);
    await sink.commit({});
    // A sink may treat this as an error or not.
    await sink.commit({}).catch(() => undefined);
    await fixture.expectIds(SIX, 'a second commit changed the rows');
  }),
  rule('refuses pages and commits of a run that was not begun', async (fixture) => {
    const { sink } = await fixture.opened();
    await assert.rejects(async () => sink.write(rivers([1])));
    await assert.rejects(async () => sink.commit({}));
    await fixture.expectIds([], 'a page without a run is visible');
  }),
  rule('can be closed at any time, and be opened again', async (fixture) => {
    const sink = fixture.sink();
    await sink.close();
    await sink.open();
    await sink.close();
    await sink.close();
    await sink.open();
    await sink.begin(manifestOf('run-1'), {});
    await sink.write(rivers([1]));
    await sink.commit({});
    await sink.close();
    await fixture.expectIds([1], 'the run of a sink that was opened again');
  }),
  rule('keeps values whole: large integers, all characters, long strings', async (fixture) => {
    const texts = ['ä😀 Ωж中', 'a "b", \'c\'; d', 'line\nbreak\r\n\ttab', 'C:\\path\\n', 'x'.repeat(200_000), ' '];
    const items = texts.map((text, id) => ({ id, text, big: 9007199254740993n + BigInt(id) }));
    await fixture.run('run-1', [pageOf(TABLE, items)]);
    const rows = [...(await fixture.place.read(TABLE))].sort((a, b) => Number(a['id']) - Number(b['id']));
    assert.deepEqual(
      rows.map(({ text, big }) => [text, String(big)]),
      items.map(({ text, big }) => [text, String(big)]),
    );
  }),
];

/** The rules for sinks that keep a record of runs. */
export const KEPT: readonly ContractRule[] = [
  rule('reports the run that was committed, and gives its state back as it was', async (fixture) => {
    await fixture.run('run-1', THREE, undefined, STATE);
    const { sink, standing } = await fixture.opened();
    assert.equal(standing.finished, 'run-1');
    assertKept(standing.state, STATE);
    assert.equal(standing.unfinished, undefined);
    assert.equal(standing.damage, undefined);
    await sink.close();
    await fixture.run('run-2', [rivers([7])], undefined, { n: 2 });
    const { standing: after } = await fixture.opened();
    assert.equal(after.finished, 'run-2');
    assertKept(after.state, { n: 2 });
  }),
  rule('knows each run that was committed, where it keeps their ids', async (fixture) => {
    for (const id of ['run-1', 'run-2', 'run-3']) await fixture.run(id, [rivers([1])]);
    await (await fixture.begun('run-4', [rivers([1])])).close();
    const { sink } = await fixture.opened();
    if (sink.committed === undefined) return;
    const known: boolean[] = [];
    for (const id of ['run-1', 'run-2', 'run-3', 'run-4', 'run-5'])
      known.push((await sink.committed(id)) !== undefined);
    assert.deepEqual(known, [true, true, true, false, false]);
  }),
  rule('keeps the state of a run without pages', async (fixture) => {
    await fixture.run('run-1', [], undefined, STATE);
    const { standing } = await fixture.opened();
    assert.equal(standing.finished, 'run-1');
    assertKept(standing.state, STATE);
  }),
];
