/** What processes that make parts of a run keep in JetStream. */
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { DurableSink, RunManifest, SharedJournal } from '../../../src/core/durable-sink';
import type { Checkpoint, Item, Page } from '../../../src/core/model';
import { natsSink } from '../../../src/sinks/nats';
import { canStartNats, NatsProbe, natsUrl, startNatsServer } from '../../support/nats-server';
import { aPage } from '../../support/pages';

const withServer = natsUrl === undefined ? describe.skip : describe;
const withOwnServer = canStartNats ? describe : describe.skip;

const run: RunManifest = { id: 'run 1/a', fingerprint: 'f', startedAt: 1_700_000_000, previousStart: 0 };
const PART = '1.000000000.000000000';

function page(pages: number, items: readonly Item[], changes: Partial<Checkpoint> = {}, dataType = 'user'): Page {
  const job = { id: 'j', path: 'config.jobs[0]', endpoint: 'users', dataType };
  const checkpoint = { call: [0, 0], job: 'j', pages, items: items.length, volume: 0, ...changes };
  return aPage(items, { index: pages - 1, job, table: dataType.replace('.', '_'), checkpoint });
}

/** The sink of a process that does nothing in its folder. */
function apart(url: string, patience?: number): { readonly sink: DurableSink; readonly shared: SharedJournal } {
  const { shared } = natsSink(url, { workFolder: 'never-made', ...(patience === undefined ? {} : { patience }) });
  if (shared?.sink === undefined) throw new Error('It is not shared.');
  return { sink: shared.sink, shared };
}

withServer(
  `the journal of parts in JetStream${natsUrl === undefined ? ' (skipped: HEADWATER_TEST_NATS is not set)' : ''}`,
  () => {
    let probe: NatsProbe;
    let stream: string;
    const opened: DurableSink[] = [];
    beforeAll(async () => (probe = await NatsProbe.connect(natsUrl ?? '')));
    afterAll(() => probe.close());
    beforeEach(() => (stream = `SPEC-${randomUUID()}`));
    afterEach(async () => {
      for (const sink of opened.splice(0)) await sink.close();
      await probe.clear(stream);
    });

    /** Another machine. */
    const machine = () => {
      const made = apart(`${natsUrl ?? ''}/${stream}?subject=${stream}`);
      opened.push(made.sink);
      return made;
    };
    /** Begins the run, and writes a part of it. */
    const written = async (pages: readonly Page[]): Promise<void> => {
      const { sink, shared } = machine();
      await sink.open();
      await sink.begin(run);
      await shared.begin?.(run);
      const part = await shared.take(run, PART, 1);
      for (const each of pages) await part.write(each);
    };
    const ids = async (): Promise<readonly string[]> => (await probe.messages(stream)).map(({ id }) => id);
    const inJournal = async (): Promise<number> =>
      ((await probe.kept(stream))?.subjects ?? []).filter((subject) => /\.(objects|pieces)\.journal\./.test(subject))
        .length;

    it('publishes at the commit, with the ids and subjects of a run of one process', async () => {
      await written([page(1, [{ a: 1 }, { a: 2 }], {}, 'a.b'), page(2, [{ a: 3 }], {}, 'a.b')]);
      expect(await ids()).toEqual([]);
      const { sink } = machine();
      await sink.open();
      expect(await sink.commit({ seen: 3 })).toEqual([{ name: `${stream}.a%2Eb`, rows: 3, total: 3 }]);
      const messages = await probe.messages(stream);
      expect(messages.map(({ subject, id, text }) => [subject, id, text])).toEqual([
        [`${stream}.a%2Eb`, 'run%201/a:0.0:0:0', '{"a":1}'],
        [`${stream}.a%2Eb`, 'run%201/a:0.0:0:1', '{"a":2}'],
        [`${stream}.a%2Eb`, 'run%201/a:0.0:1:0', '{"a":3}'],
      ]);
    });

    it('tells other machines what was committed, and drops the pages once that was told', async () => {
      await written([page(1, [1])]);
      const { sink } = machine();
      await sink.open();
      const stored = await sink.commit({ seen: 1 });
      const other = machine().sink;
      expect(await other.open()).toMatchObject({ finished: run.id, state: { seen: 1 }, unreported: run });
      expect(await inJournal()).toBeGreaterThan(0);
      await other.markReported?.();
      expect(await inJournal()).toBe(0);
      const third = machine().sink;
      const found = await third.open();
      expect([found.finished, found.unreported, found.unfinished]).toEqual([run.id, undefined, undefined]);
      expect(await third.committed?.(run.id)).toEqual({ stored });
      expect(await third.committed?.('another')).toBeUndefined();
    });

    it('keeps pages that are larger than a message of the server', async () => {
      const items = Array.from({ length: 40 }, (_, at) => ({ at, text: 'é'.repeat(40_000) }));
      await written([page(1, items), page(2, [{ at: 40 }])]);
      const { sink } = machine();
      await sink.open();
      await sink.commit({});
      const messages = await probe.messages(stream);
      expect(messages.map(({ text }) => JSON.parse(text) as unknown)).toEqual([...items, { at: 40 }]);
      await sink.markReported?.();
      expect(await inJournal()).toBe(0);
    });

    it('refuses a message that is too large at its page', async () => {
      await expect(written([page(1, ['x'.repeat(1_100_000)])])).rejects.toMatchObject({
        code: 'SINK_FAILED',
        message: expect.stringContaining('cannot take page 0') as string,
      });
    });

    it('publishes nothing twice where a commit ended before its receipt, beyond the duplicate window', async () => {
      await probe.make(stream, { subjects: [`${stream}.>`], duplicate_window: 100_000_000 });
      await written([page(1, [1, 2]), page(2, [3])]);
      const [first, second] = [machine().sink, machine().sink];
      await first.open();
      await second.open();
      await first.commit({});
      const kept = await probe.kept(stream);
      const receipt = kept?.subjects.find((subject) => subject.includes('.receipt')) ?? '';
      await probe.purge(kept?.stream ?? '', receipt);
      await delay(300);
      expect(await second.commit({})).toMatchObject([{ rows: 3, total: 3 }]);
      expect(await first.commit({})).toMatchObject([{ rows: 3, total: 3 }]);
      expect(await ids()).toHaveLength(3);
    });

    it('leaves out the pages of a call that began again', async () => {
      await written([page(1, [1]), page(2, [2]), page(1, [3])]);
      const { sink } = machine();
      await sink.open();
      await sink.commit({});
      expect((await probe.messages(stream)).map(({ text }) => text)).toEqual(['3']);
    });

    it('keeps the pages that a commit has to make itself, for the one that takes its place', async () => {
      await written([page(1, [1])]);
      const [first, second] = [machine().sink, machine().sink];
      await first.open();
      await first.write(page(2, [2]));
      await second.open();
      await second.write(page(3, [3]));
      const taken = { code: 'PART_TAKEN' };
      await expect(first.write(page(3, [4]))).rejects.toMatchObject(taken);
      await expect(first.commit({})).rejects.toMatchObject(taken);
      await second.commit({});
      expect((await probe.messages(stream)).map(({ text }) => text)).toEqual(['1', '2', '3']);
    });

    it('commits nothing of a run that was dropped meanwhile', async () => {
      await written([page(1, [1])]);
      const { sink, shared } = machine();
      await sink.open();
      await machine().shared.drop(run.id);
      await expect(sink.commit({})).rejects.toMatchObject({ code: 'RUN_OVER' });
      expect([await ids(), await inJournal()]).toEqual([[], 0]);
      await shared.close();
      const other = machine().sink;
      expect(await other.open()).toEqual({ state: {} });
    });

    it('keeps the runs of two prefixes of subjects apart', async () => {
      await written([page(1, [1])]);
      const other = apart(`${natsUrl ?? ''}/${stream}?subject=${stream}.other`).sink;
      opened.push(other);
      expect((await other.open()).unfinished).toBeUndefined();
    });
  },
);

withOwnServer(`parts while the server is away${canStartNats ? '' : ' (skipped: there is no nats-server)'}`, () => {
  let folder: string;
  beforeEach(async () => (folder = await mkdtemp(join(tmpdir(), 'headwater-nats-'))));
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it('go on when it is back, and fail where it stays away', async () => {
    const server = await startNatsServer(folder);
    const { sink, shared } = apart(server.url, 20_000);
    await sink.open();
    await sink.begin(run);
    await shared.begin?.(run);
    const part = await shared.take(run, PART, 1);
    await part.write(page(1, [1]));
    await server.kill();
    const writing = part.write(page(2, [2]));
    await delay(700);
    await server.start();
    await writing;
    const impatient = apart(server.url, 0);
    const late = await impatient.shared.take(run, PART, 2);
    await server.kill();
    await expect(late.write(page(3, [3]))).rejects.toMatchObject({
      code: 'SINK_FAILED',
      message: expect.stringContaining('failed') as string,
    });
    await server.start();
    await sink.close();
    await sink.open();
    expect(await sink.commit({})).toMatchObject([{ rows: 2 }]);
    await impatient.shared.close();
    await sink.close();
    await server.kill();
  });
});
