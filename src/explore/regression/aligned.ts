/** Which elements of two lists belong together. */
import diffSequences from '@jest/diff-sequences';

/** Elements of two lists at these places; one that has none in the other list stands alone. */
export interface Pair {
  readonly expected?: number;
  readonly got?: number;
}

/** Lists beyond this whose elements differ are compared place by place: to align them takes the square of the differences. */
const MOST = 5_000;

/**
 * Pairs the elements of two lists that are not equal: what was inserted or removed stands alone, and what was changed in its place
 * is a pair. Equal elements are left out.
 *
 * @example alignedDifferences(['a', 'b', 'c'], ['b', 'x']) // [{ expected: 0 }, { expected: 2, got: 1 }]
 */
export function alignedDifferences(expected: readonly string[], got: readonly string[]): readonly Pair[] {
  const pairs: Pair[] = [];
  let [from, at] = [0, 0];
  const gap = (toExpected: number, toGot: number): void => {
    for (; from < toExpected || at < toGot; from += 1, at += 1)
      pairs.push({ ...(from < toExpected ? { expected: from } : {}), ...(at < toGot ? { got: at } : {}) });
  };
  const common = (count: number, inExpected: number, inGot: number): void => {
    gap(inExpected, inGot);
    [from, at] = [inExpected + count, inGot + count];
  };
  if (Math.max(expected.length, got.length) > MOST) byPlace(expected, got, common);
  else diffSequences(expected.length, got.length, (a, b) => expected[a] === got[b], common);
  gap(expected.length, got.length);
  return pairs;
}

function byPlace(
  expected: readonly string[],
  got: readonly string[],
  common: (n: number, a: number, b: number) => void,
) {
  const shared = Math.min(expected.length, got.length);
  for (let at = 0; at < shared; at += 1) if (expected[at] === got[at]) common(1, at, at);
}
