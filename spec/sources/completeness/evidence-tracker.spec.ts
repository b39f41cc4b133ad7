import fc from 'fast-check';
import type { Evidence } from '../../../src/core/evidence';
import type { Checkpoint, Page } from '../../../src/core/model';
import { createEvidenceTracker } from '../../../src/sources/completeness/evidence-tracker';
import { visitedPages } from '../../../src/sources/completeness/known';

interface Part {
  readonly count: number;
  readonly evidence: Evidence | undefined;
}

const doubt = { code: 'PAGE_RING', level: 'error', message: 'x' } as const;
const evidence = fc.option(
  fc.record(
    {
      unmet: fc.array(fc.constantFrom('a', 'b.c')),
      total: fc.nat(),
      doubts: fc.constantFrom([doubt], []),
      stopped: fc.boolean(),
      skipped: fc.constantFrom('a rule', 'another'),
      cut: fc.record({ items: fc.nat(), where: fc.constantFrom('a.has_more', 'b') }),
      begins: fc.constantFrom('p', 'q'),
      sample: fc.array(fc.constantFrom('digest of a', 'digest of b', 'digest of c'), { maxLength: 3 }),
    },
    { requiredKeys: [] },
  ),
  { nil: undefined },
);
const call = fc.array(fc.record({ count: fc.nat({ max: 9 }), evidence }), { minLength: 1, maxLength: 5 });

const pageOf = (at: number, { count, evidence: told }: Part, isChild = false): Page =>
  ({
    iteration: 0,
    job: { id: 'job', path: 'config.jobs[0]', endpoint: 'x', dataType: 'x', ...(isChild ? { placeholders: {} } : {}) },
    index: at,
    count,
    evidence: told,
  }) as Page;
const checkpointOf = (key: number, parts: readonly Part[], at: number): Checkpoint => ({
  call: [0, 0, 0, key],
  job: 'job',
  pages: at + 1,
  items: parts.slice(0, at + 1).reduce((sum, { count }) => sum + count, 0),
  volume: 0,
  ...(at + 1 < parts.length ? { position: at } : {}),
  ...(parts[at]?.evidence === undefined ? {} : { evidence: parts[at].evidence }),
});

describe('createEvidenceTracker', () => {
  it('counts windows that have items of one before, also where a copy goes on', () => {
    const windows = [['a', 'b'], ['c', 'd'], ['a', 'b', 'e'], ['c'], [], ['c'], ['b', 'a']];
    const pages = windows.map((sample) => pageOf(0, { count: sample.length, evidence: { sample } }, true));
    let tracker = createEvidenceTracker();
    for (const page of pages) {
      tracker.addPage(page);
      tracker = tracker.copy();
    }
    expect(tracker.jobs()).toMatchObject([{ repeats: 1, calls: windows.length }]);
  });

  it('knows from checkpoints what it would know from the pages', () => {
    fc.assert(
      fc.property(fc.array(call, { maxLength: 4 }), (calls) => {
        const [live, resumed] = [createEvidenceTracker(), createEvidenceTracker()];
        calls.forEach((parts, key) =>
          parts.forEach((part, at) => {
            live.addPage(pageOf(at, part, true));
            resumed.addCheckpoint(checkpointOf(key, parts, at));
          }),
        );
        expect(resumed.jobs()).toEqual(live.jobs());
        expect(live.copy().jobs()).toEqual(live.jobs());
      }),
    );
  });

  it('a copy goes on by itself', () => {
    const book = createEvidenceTracker();
    book.addPage(pageOf(0, { count: 1, evidence: { doubts: [doubt], unmet: ['a'] } }));
    const copy = book.copy();
    copy.addPage(pageOf(1, { count: 2, evidence: { doubts: [doubt], unmet: ['z'] } }));
    expect(book.jobs()[0]).toMatchObject({ pages: 1, items: 1, unmet: new Set(['a']) });
    expect(copy.jobs()[0]).toMatchObject({ pages: 2, items: 3, unmet: new Set(['a', 'z']) });
    expect(copy.jobs()[0]?.doubts.get('PAGE_RING')?.calls).toBe(2);
  });

  it('forgets a job that begins again', () => {
    const book = createEvidenceTracker();
    book.addPage(pageOf(0, { count: 5, evidence: { doubts: [doubt] } }));
    book.addPage(pageOf(0, { count: 1, evidence: undefined }));
    expect(book.jobs()).toMatchObject([{ pages: 1, items: 1, calls: 1, doubts: new Map() }]);
    const resumed = createEvidenceTracker();
    for (const items of [5, 1])
      resumed.addCheckpoint({ call: [0, 0], job: 'job', pages: 1, items, volume: 0, position: 1 });
    expect(resumed.jobs()).toMatchObject([{ pages: 1, items: 1, calls: 1 }]);
  });
});

describe('visitedPages', () => {
  it('counts how many pages in a row were there before', () => {
    const { again } = visitedPages();
    expect(['a', 'b', 'c', 'a', 'b', 'd', 'a'].map(again)).toEqual([0, 0, 0, 1, 2, 0, 1]);
  });

  it('finds a ring that begins after more pages than it remembers, within two rounds', () => {
    const { again } = visitedPages();
    for (let page = 0; page < 130_000; page += 1) again(`before ${page}`);
    const ring = 1000;
    let at = 0;
    while (again(`ring ${at % ring}`) === 0 && at < 200_000) at += 1;
    expect(at).toBeLessThan(132_000 + 2 * ring);
  });
});
