import fc from 'fast-check';
import { LatestRows } from '../../../src/sinks/files/latest-rows';

interface Row {
  readonly key: string | undefined;
  readonly content: number;
}

const rows = fc.array(
  fc.record({ key: fc.option(fc.constantFrom('a', 'b', 'c', 'd'), { nil: undefined }), content: fc.nat(2) }),
  { maxLength: 12 },
);

describe('LatestRows', () => {
  it('keeps old rows whose key does not come again, and the last row of each key', () => {
    const property = fc.property(rows, rows, (old: readonly Row[], own: readonly Row[]) => {
      const latest = new LatestRows();
      const gaveWay = own.map(({ key, content }) => latest.add(key, content));
      const keptOld = old.filter(({ key, content }) => !latest.replaces(key, () => content));
      const keptOwn = own.filter((_, at) => !latest.isReplaced(at));

      const lastOf = new Map(own.flatMap((row) => (row.key === undefined ? [] : [[row.key, row] as const])));
      expect(keptOld).toEqual(old.filter(({ key }) => key === undefined || !lastOf.has(key)));
      expect(keptOwn).toEqual(own.filter((row) => row.key === undefined || lastOf.get(row.key) === row));
      expect(gaveWay.filter((each) => each)).toHaveLength(own.length - keptOwn.length);

      const matching = [...lastOf.values()].filter((row) => old.some(({ key }) => key === row.key));
      const same = matching.filter((row) => old.some(({ key, content }) => key === row.key && content === row.content));
      expect(latest.counts).toEqual({ stored: keptOwn.length, matched: matching.length, same: same.length });
    });
    fc.assert(property);
  });
});
