import { distance } from 'fastest-levenshtein';

const plain = (name: string): string => name.toLowerCase().replace(/[\s_.-]/g, '');

const sorted = (name: string): string => Array.from(name).sort().join('');

/** Wrong letters; swapped letters are one slip. */
const slipsBetween = (a: string, b: string): number => {
  const slips = distance(a, b);
  return slips === 2 && sorted(a) === sorted(b) ? 1 : slips;
};

/** How many slips a name of this length may have: none in the shortest, one in short ones, two in longer ones. */
const tolerance = ({ length }: string, most: number): number => {
  if (length < 3) return 0;
  return length < 6 ? Math.min(1, most) : most;
};

/**
 * The candidate that was likely meant: equal but for case and separators, else the nearest one within a slip or two.
 *
 * @param most slips that a long name may have
 * @example likelyMeant('limt', ['limit', 'method']) // 'limit'
 */
export function likelyMeant(written: string, candidates: readonly string[], most = 2): string | undefined {
  const sought = plain(written);
  const [nearest] = candidates
    .filter((candidate) => candidate !== written)
    .map((candidate) => ({ candidate, slips: slipsBetween(sought, plain(candidate)) }))
    .sort((a, b) => a.slips - b.slips);
  return nearest !== undefined && nearest.slips <= tolerance(nearest.candidate, most) ? nearest.candidate : undefined;
}

/** The end of a message, `; did you mean "limit"?`, or nothing. */
export function didYouMean(written: string, candidates: readonly string[]): string {
  const meant = likelyMeant(written, candidates);
  return meant === undefined ? '' : `; did you mean "${meant}"?`;
}
