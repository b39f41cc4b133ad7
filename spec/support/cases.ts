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

/** How many random cases are tried: 25 at most without HEADWATER_CASES=all, or fewer of those that take long. */
export const runsOf = (all: number, quick = 25): number => (ALL_CASES ? all : Math.min(all, quick));

/** A case that takes long, and stands for itself: it runs with HEADWATER_CASES=all. */
export const itOfAll = (name: string, body: () => Promise<void>, timeout?: number): void =>
  ALL_CASES ? it(name, body, timeout) : it.skip(`${name} (takes long; in npm run test:all)`, body, timeout);

/** For destinations that share the code of another one whose specs run in any case: Parquet is written by the loader of DuckDB. */
export const describeAlike = (title: string, cases: () => void): void =>
  ALL_CASES
    ? describe(title, cases)
    : describe.skip(`${title} (shares its loader with DuckDB; in npm run test:all)`, cases);

/** Registers a case, as `it` of jest does. */
export type SharedIt = Pick<jest.It, 'each'> & ((name: string, body: () => Promise<void>, timeout?: number) => void);

/** The part of the cases that runs against each subject: one of so many. */
const PART = 3;

/** Why a case is skipped. */
const ELSEWHERE = ' (runs against another adapter; against all in npm run test:all)';

/**
 * Shares cases between subjects for which they are the same: each case runs against a third of the subjects, and against one of them at
 * least, and is skipped for the others; with HEADWATER_CASES=all against each.
 *
 * @returns a function that registers the cases of a subject, by the number of the subject, and whether it is the last one
 */
export function sharedCases(): (subject: number, isLast: boolean) => SharedIt {
  const taken = new Set<string>();
  const numbers = new Map<string, number>();
  return (subject, isLast) => {
    const takes = (name: string): boolean => {
      if (!numbers.has(name)) numbers.set(name, numbers.size);
      const isTurn = ((numbers.get(name) ?? 0) + subject) % PART === 0;
      if (!ALL_CASES && !isTurn && (!isLast || taken.has(name))) return false;
      taken.add(name);
      return true;
    };
    const each =
      (...cases: Parameters<jest.Each>) =>
      (name: string, ...rest: readonly unknown[]): void => {
        const [register, title] = takes(name) ? [it, name] : [it.skip, name + ELSEWHERE];
        Reflect.apply(Reflect.apply(register.each, register, cases) as () => void, undefined, [title, ...rest]);
      };
    return Object.assign(
      (name: string, body: () => Promise<void>, timeout?: number) => {
        if (takes(name)) it(name, body, timeout);
        else it.skip(name + ELSEWHERE, body, timeout);
      },
      { each: each as jest.Each },
    );
  };
}
