import fc from 'fast-check';
import type { Evidence } from '../../../src/core/evidence';
import { recordLine, recordOf } from '../../../src/sinks/journal/records';

const text = fc.string();
const counts = { unnest: fc.nat(), filter: fc.nat(), exclude: fc.nat(), unique: fc.nat() };
/** All that a page may tell: a member that a journal forgets would be lost to runs that go on. */
const evidence: { readonly [K in keyof Required<Evidence>]: fc.Arbitrary<NonNullable<Evidence[K]>> } = {
  unmet: fc.array(text),
  total: fc.nat(),
  doubts: fc.array(
    fc.record({ code: fc.constant('PAGE_RING' as const), level: fc.constant('error' as const), message: text }),
  ),
  print: text,
  facts: fc.constant({ isFull: true, repeated: 1 }),
  single: fc.constant(true),
  stopped: fc.constant(true),
  place: fc.constantFrom('before', 'first'),
  shaped: fc.record({ arrived: fc.nat(), delivered: fc.nat(), dropped: fc.record(counts) }),
  met: fc.array(fc.nat()),
  keys: fc.array(text),
  skipped: text,
  columns: fc.array(text),
  begins: text,
  texts: fc.array(text),
};

describe('recordOf', () => {
  it('reads all evidence that was written', () => {
    fc.assert(
      fc.property(fc.record(evidence, { requiredKeys: [] }), (reported) => {
        const checkpoint = { call: [0, 1], job: 'a', pages: 1, items: 2, volume: 3, evidence: reported };
        const place = { file: 0, offset: 0, length: 4, sum: 5, safe: 0 };
        const record = { run: 0, dataType: 'a', count: 2, extra: [['b', 'c']] as const, checkpoint, ...place };
        const { line } = recordLine(record, 7);
        expect(recordOf(Buffer.from(line.trimEnd()), 7)).toEqual(record);
        expect(recordOf(Buffer.from(line.trimEnd()), 8)).toBeUndefined();
      }),
    );
  });
});
