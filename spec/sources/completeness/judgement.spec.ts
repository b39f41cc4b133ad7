import fc from 'fast-check';
import type { Evidence } from '../../../src/core/evidence';
import type { Checkpoint, Page } from '../../../src/core/model';
import { createEvidenceTracker } from '../../../src/sources/completeness/judgement';

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
      begins: fc.constantFrom('p', 'q'),
    },
    { requiredKeys: [] },
  ),
  { nil: undefined },
);
const call = fc.array(fc.record({ count: fc.nat({ max: 9 }), evidence }), { minLength: 1, maxLength: 5 });

const pageOf = (at: number, { count, evidence: reported }: Part, isChild = false): Page =>
  ({
    iteration: 0,
    job: { id: 'job', path: 'config.jobs[0]', endpoint: 'x', dataType: 'x', ...(isChild ? { placeholders: {} } : {}) },
    index: at,
    count,
    evidence: reported,
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
