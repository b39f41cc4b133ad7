import { distance } from 'fastest-levenshtein';

const plain = (name: string): string => name.toLowerCase().replace(/[\s_.-]/g, '');

/** How many wrong letters still look like a slip: one in short names, two in longer ones. */
const tolerance = (name: string): number => (name.length < 6 ? 1 : 2);

/**
 * The candidate that was likely meant: equal but for case and separators, else the nearest one within a slip or two.
 *
 * @example likelyMeant('limt', ['limit', 'method']) // 'limit'
 */
export function likelyMeant(written: string, candidates: readonly string[]): string | undefined {
  const sought = plain(written);
  const [nearest] = candidates
    .filter((candidate) => candidate !== written)
    .map((candidate) => ({ candidate, slips: distance(sought, plain(candidate)) }))
    .sort((a, b) => a.slips - b.slips);
  return nearest !== undefined && nearest.slips <= tolerance(nearest.candidate) ? nearest.candidate : undefined;
}

/** The end of a message, `; did you mean "limit"?`, or nothing. */
export function didYouMean(written: string, candidates: readonly string[]): string {
  const meant = likelyMeant(written, candidates);
  return meant === undefined ? '' : `; did you mean "${meant}"?`;
}
