/**
 * How many cases of a large table run: all with HEADWATER_CASES=all, as in CI; else a part of them, so that `npm test` on a machine
 * of one's own takes minutes.
 */
export const ALL_CASES = process.env.HEADWATER_CASES === 'all';

/**
 * Every so manieth case, beginning with the first one; all with HEADWATER_CASES=all.
 *
 * @param every an integer from 1
 */
export const someOf = <T>(cases: readonly T[], every: number): readonly T[] =>
  ALL_CASES ? cases : cases.filter((_, at) => at % every === 0);

/** How many random cases are tried: 25 at most without HEADWATER_CASES=all. */
export const runsOf = (all: number): number => (ALL_CASES ? all : Math.min(all, 25));

/** For destinations that share the code of another one whose specs run in any case: Parquet is written by the loader of DuckDB. */
export const describeAlike = (title: string, cases: () => void): void =>
  ALL_CASES
    ? describe(title, cases)
    : describe.skip(`${title} (shares its loader with DuckDB; in npm run test:all)`, cases);
