/** Which of several sinks gets which page (docs/sinks.md). */
import type { DurableSink, RunManifest, Standing } from '../../../src/core/durable-sink';
import type { Checkpoint, Page } from '../../../src/core/model';
import { createEvidenceTracker } from '../../../src/sources/completeness/judgement';
import { createProgressTracker } from '../../../src/run/state/progress';
import { begin, inOrderOfCommit, leastOf, refuseDamaged } from '../../../src/run/deliver/sink-progress';
import type { RunAsked, SinkState } from '../../../src/run/deliver/sink-progress';
import { writePages } from '../../../src/run/deliver/write-pages';
import { aHead, aPageOf } from '../../support/durable';

/** The checkpoint of a page of a job, whose digest tells what was on it. */
const at = (pages: number, digest = `page ${pages}`, call = [0, 0]): Checkpoint => ({
  call,
  job: 'j',
  pages,
  items: 1,
  volume: 0,
  digest,
});
const page = (checkpoint: Checkpoint): Page => aPageOf('items', [{ id: checkpoint.pages }], { checkpoint });

/** Writes a single page, and waits until it is safe. */
async function writeTo(works: readonly SinkState[], one: Page): Promise<void> {
  const { failure } = await writePages(pagesOf([one]), works, () => undefined);
  expect(failure).toBeUndefined();
}

async function* pagesOf(pages: readonly Page[]): AsyncGenerator<Page, void, void> {
  for (const each of pages) yield await Promise.resolve(each);
}

/** A sink in memory, which has some pages already. */
function having(known: readonly Checkpoint[], changes: Partial<SinkState & { keepsNothing: boolean }> = {}) {
  const written: string[] = [];
  const sink: DurableSink = {
    name: 'memory',
    ...(changes.keepsNothing === undefined ? {} : { keepsNothing: changes.keepsNothing }),
    open: () => Promise.resolve({ state: {} }),
    begin: () => Promise.resolve(),
    write: ({ checkpoint }) => Promise.resolve(void written.push(String(checkpoint.digest))),
    commit: () => Promise.resolve([]),
    close: () => Promise.resolve(),
  };
  const book = createProgressTracker();
  known.forEach(book.add);
  const work: SinkState = { sink, book, evidence: createEvidenceTracker(), isDone: changes.isDone ?? false };
  return { written, work };
}

describe('a page goes to each sink that does not have it', () => {
  it('and to no other', async () => {
    const [ahead, behind] = [having([at(1), at(2)]), having([at(1)])];
    for (const pages of [2, 3]) await writeTo([ahead.work, behind.work], page(at(pages)));
    expect(ahead.written).toEqual(['page 3']);
    expect(behind.written).toEqual(['page 2', 'page 3']);
  });

  it('a job that begins again is written again where its pages are known, whatever is on them now', async () => {
    const [ahead, behind] = [having([at(1), at(2), at(3)]), having([at(1), at(2)])];
    const works = [ahead.work, behind.work];
    await writeTo(works, page(at(3)));
    const again = [1, 2, 3].map((pages) => at(pages, `other ${pages}`));
    for (const checkpoint of again) await writeTo(works, page(checkpoint));
    expect(ahead.written).toEqual(['other 1', 'other 2', 'other 3']);
    expect(behind.written).toEqual(['page 3', 'other 1', 'other 2', 'other 3']);
  });

  it('a job that begins again leaves what is known of other jobs', async () => {
    const other = at(1, 'of the other job', [0, 1]);
    const [ahead, behind] = [having([at(1), other]), having([at(1)])];
    const works = [ahead.work, behind.work];
    await writeTo(works, page(at(1, 'again')));
    await writeTo(works, page(other));
    expect(ahead.written).toEqual(['again']);
    expect(behind.written).toEqual(['again', 'of the other job']);
  });

  it('a page that one sink has and another has not must be the same', async () => {
    const [ahead, behind] = [having([at(1), at(2)]), having([at(1)])];
    const other = writeTo([ahead.work, behind.work], page(at(2, 'other')));
    await expect(other).rejects.toMatchObject({ code: 'RESUME', destination: 'memory' });
    expect(behind.written).toEqual([]);
  });

  it('only the last page of a call is compared: the digests of earlier ones are not kept', async () => {
    const [ahead, behind] = [having([at(1), at(2), at(3)]), having([at(1)])];
    await writeTo([ahead.work, behind.work], page(at(2, 'other')));
    expect(behind.written).toEqual(['other']);
  });

  it('nothing is compared below a page whose successor one sink has: its calls are over', async () => {
    const child = at(1, 'of a child', [0, 0, 0, 0]);
    const [ahead, behind] = [having([at(1), child, at(2)]), having([at(1)])];
    await writeTo([ahead.work, behind.work], page(child));
    expect([ahead.written, behind.written]).toEqual([[], ['of a child']]);
  });

  it('a sink that has committed gets none, and does not say how far the run is', async () => {
    const [done, behind] = [having([], { isDone: true }), having([at(1)])];
    await writeTo([done.work, behind.work], page(at(2)));
    expect(done.written).toEqual([]);
    expect(behind.written).toEqual(['page 2']);
  });

  it('a sink that keeps nothing gets each page, what others have as well', async () => {
    const [passing, keeping] = [having([], { keepsNothing: true }), having([at(1)])];
    for (const pages of [1, 2]) await writeTo([passing.work, keeping.work], page(at(pages)));
    await writeTo([passing.work], page(at(3)));
    expect(passing.written).toEqual(['page 1', 'page 2', 'page 3']);
    expect(keeping.written).toEqual(['page 2']);
  });

  it('the one with the fewest pages says where a run goes on, the first of those that have as many', () => {
    const [three, one, first] = [having([at(1), at(2), at(3)]), having([at(1)]), having([at(1)])];
    expect(leastOf([three.work, one.work, first.work])).toBe(one.work);
    expect(leastOf([having([], { isDone: true }).work])).toBeUndefined();
  });

  it('sinks that may refuse items commit before those that take all', () => {
    const [plain, strict, other] = [having([]), having([]), having([])].map(({ work }) => work);
    if (plain === undefined || strict === undefined || other === undefined) throw new Error('There are three.');
    const linked: SinkState = { ...strict, sink: { ...strict.sink, makes: 'linked-tables' } };
    expect(inOrderOfCommit([plain, linked, other])).toEqual([
      [1, linked],
      [0, plain],
      [2, other],
    ]);
  });
});

describe('the run that several sinks go on with', () => {
  const head = aHead();
  const options = { resume: true, fingerprint: head.fingerprint, previousStart: 7, state: {} };
  const text: unknown = expect.any(String);
  const number: unknown = expect.any(Number);
  interface Changes extends Partial<RunAsked> {
    readonly fingerprint?: string;
    readonly now?: number;
  }
  const unfinished = (known: readonly Checkpoint[], changes = {}) => ({
    state: {},
    unfinished: {
      manifest: { ...head, ...changes },
      async *checkpoints() {
        yield* await Promise.resolve(known);
      },
    },
  });

  /** Begins with sinks that stand so, and tells what was begun, seen and warned of. */
  async function beginning(standings: readonly Standing[], changes: Changes = {}) {
    const [begun, seen, warnings]: [RunManifest[], Checkpoint[], string[]] = [[], [], []];
    const sinks = standings.map(() => ({
      ...having([]).work.sink,
      begin: (one: RunManifest) => Promise.resolve(void begun.push(one)),
    }));
    const result = await begin(sinks, standings, {
      ...options,
      ...changes,
      seen: (checkpoint) => seen.push(checkpoint),
      warn: (message) => warnings.push(message),
    });
    return { ...result, begun, seen, warnings };
  }

  it('is one that all of them know; each has its own pages', async () => {
    const result = await beginning([unfinished([at(1), at(2)]), unfinished([at(1)])]);
    expect(result.head).toEqual(head);
    expect(result.sinkStates.map(({ book, isDone }) => [book.pages(), isDone])).toEqual([
      [2, false],
      [1, false],
    ]);
    expect(result.sinkStates.map(({ evidence }) => evidence.jobs()[0]?.pages)).toEqual([2, 1]);
    expect(result.seen).toEqual([at(1), at(2), at(1)]);
    expect([result.begun, result.warnings]).toEqual([[], []]);
  });

  it('may be committed in some of them, which then get no pages', async () => {
    const { sinkStates: works, begun } = await beginning([{ state: {}, finished: head.id }, unfinished([at(1)])]);
    expect(works.map(({ isDone }) => isDone)).toEqual([true, false]);
    expect(begun).toEqual([]);
  });

  it('is not the one that a sink has committed, where that has begun it once more', async () => {
    const again = { ...unfinished([at(1)]), finished: head.id };
    const { sinkStates: works } = await beginning([again]);
    expect(works.map(({ book, isDone }) => [book.pages(), isDone])).toEqual([[1, false]]);
  });

  it.each([
    ['another run', [unfinished([at(1)]), unfinished([at(1)], { id: 'run-2' })], 2],
    ['nothing', [unfinished([at(1)]), { state: {} }], 1],
    ['a later run', [unfinished([at(1)]), { state: {}, finished: 'run-2' }], 1],
    [
      'a later run that it has begun after it',
      [{ ...unfinished([at(1)], { id: 'run-2' }), finished: head.id }, unfinished([at(1)])],
      2,
    ],
  ])('is a new one in all where one of them knows %s', async (_, standings, dropped) => {
    const { begun, sinkStates: works, warnings, head: fresh } = await beginning(standings);
    expect(begun).toEqual([fresh, fresh]);
    expect(fresh).toMatchObject({ fingerprint: head.fingerprint, previousStart: 7 });
    expect(fresh.id).not.toBe(head.id);
    expect(Math.abs(fresh.startedAt - Date.now() / 1000)).toBeLessThan(60);
    expect(works.map(({ book, isDone }) => [book.pages(), isDone])).toEqual([
      [0, false],
      [0, false],
    ]);
    expect(warnings).toHaveLength(dropped);
    expect(warnings[0]).toContain('which the other destinations do not know');
  });

  it('is a new one where nobody asked to go on, or there is nothing to go on with', async () => {
    const asked = await beginning([unfinished([at(1)])], { resume: false });
    expect(asked.begun).toEqual([asked.head]);
    expect(asked.warnings).toEqual([expect.stringContaining('it is dropped')]);
    // Where no page had arrived, nobody lost anything.
    const early = await beginning([unfinished([])], { resume: false });
    expect(early.warnings).toEqual([]);
    const nothing = await beginning([{ state: {}, finished: head.id }]);
    expect(nothing.begun).toEqual([nothing.head]);
    expect(nothing.warnings).toEqual([]);
    const first = await beginning([{ state: {} }]);
    expect(first.begun).toEqual([first.head]);
    expect(first.head).toStrictEqual({
      ...head,
      id: text,
      startedAt: number,
      previousStart: 7,
    });
    const damaged = await beginning([{ state: {}, damage: new Error('torn') }], { resume: false });
    expect(damaged.warnings).toEqual([expect.stringContaining('it is dropped')]);
    // Nobody knows whether a damaged run had pages.
    const empty = await beginning([{ ...unfinished([]), damage: new Error('torn') }], { resume: false });
    expect(empty.warnings).toEqual([expect.stringContaining('it is dropped')]);
    const changed = await beginning([unfinished([at(1)])], { resume: false, fingerprint: 'other' });
    expect(changed.warnings).toEqual([expect.stringContaining('a run of another configuration')]);
  });

  it('has the time of the scheduler, and says whether rows name it', async () => {
    const { head: fresh } = await beginning([{ state: {} }], { now: 5_999, runColumns: true });
    expect(fresh).toMatchObject({ startedAt: 5, runColumns: true });
  });

  it('is refused with another configuration, and where it is damaged', async () => {
    const other = beginning([unfinished([at(1)])], { fingerprint: 'other' });
    await expect(other).rejects.toMatchObject({ code: 'RESUME' });
    await expect(other).rejects.toThrow('leave --resume out');
    const named = beginning([unfinished([at(1)])], { fingerprint: 'other', resume: false, runId: head.id });
    await expect(named).rejects.toMatchObject({ code: 'RESUME' });
    await expect(named).rejects.toThrow('another id');
    expect(() => refuseDamaged([{ state: {} }, { state: {}, damage: new Error('torn') }])).toThrow('torn');
    expect(() => refuseDamaged([{ state: {} }, unfinished([])])).not.toThrow();
  });

  describe('where it has an id that somebody gave', () => {
    const committed = { id: 'run-2', stored: [], outcome: 'complete' } as const;
    const torn = new Error('torn');

    it('goes on without being asked', async () => {
      const result = await beginning([unfinished([at(1)], { attempt: 'a' })], { resume: false, runId: head.id });
      expect(result.head).toEqual({ ...head, attempt: 'a' });
      expect(result.begun).toEqual([]);
    });

    it('is the run of this id, whichever others a sink that has committed it has begun', async () => {
      const standings = [unfinished([at(1)]), unfinished([at(1)], { id: 'run-2' })];
      const result = await beginning(standings, { runId: 'run-2', committed: [committed, undefined] });
      expect(result.head.id).toBe('run-2');
      expect(result.sinkStates.map(({ book, isDone }) => [book.pages(), isDone])).toEqual([
        [0, true],
        [1, false],
      ]);
      expect([result.begun, result.warnings]).toEqual([[], []]);
    });

    it('begins in those that have not committed it, and nothing is dropped in the others', async () => {
      const standings = [unfinished([at(1)]), { state: {}, finished: 'run-1' }];
      const result = await beginning(standings, { runId: 'run-2', committed: [committed, undefined] });
      expect(result.head).toEqual({
        ...head,
        id: 'run-2',
        attempt: text,
        startedAt: number,
        previousStart: 7,
      });
      expect(result.begun).toEqual([result.head]);
      expect(result.sinkStates.map(({ isDone }) => isDone)).toEqual([true, false]);
      expect(result.warnings).toEqual([]);
    });

    it('is not the run of another attempt', async () => {
      const standings = [unfinished([at(1)], { attempt: 'a' }), unfinished([at(1)], { attempt: 'b' })];
      const { head: fresh, begun, warnings } = await beginning(standings, { resume: false, runId: head.id });
      expect(begun).toEqual([fresh, fresh]);
      expect(['a', 'b']).not.toContain(fresh.attempt);
      const unknown: unknown = expect.stringContaining('which the other destinations do not know');
      expect(warnings).toEqual([unknown, unknown]);
    });

    it('says which run it drops, and what is wrong with a damaged one', async () => {
      const other = await beginning([unfinished([at(1)])], { resume: false, runId: 'run-2' });
      expect(other.warnings).toEqual([expect.stringContaining('memory had a run of another id')]);
      const damaged = await beginning([{ ...unfinished([at(1)]), damage: torn }], { resume: false, runId: head.id });
      expect(damaged.begun).toEqual([damaged.head]);
      expect(damaged.warnings).toEqual(['memory: torn']);
      const standings = [{ ...unfinished([at(1)]), damage: torn }, unfinished([at(1)])];
      const both = await beginning(standings, { resume: false, runId: head.id });
      expect(both.begun).toEqual([both.head, both.head]);
      expect(both.warnings).toEqual(['memory: torn', expect.stringContaining('other destinations do not know')]);
      const alone = await beginning([{ state: {}, damage: torn }], { runId: head.id });
      expect(alone.warnings).toEqual(['memory: torn']);
    });
  });
});
