/** Warnings that calls of one child job repeat: a log has the first, and one entry that sums the others up. */
import type { RunEvent } from './events';

export type Warning = Extract<RunEvent, { readonly type: 'warning' }>;

/** Warnings of one kind: the first, and how many there were. */
export interface RepeatedWarning {
  readonly first: Warning;
  readonly count: number;
}

export interface RepeatedWarnings {
  /** Counts a warning; true where there was one like it before. */
  readonly isRepeated: (warning: Warning) => boolean;
  /** The kinds of a run with more than one warning, in the order of their first ones; forgets the run. */
  readonly sumsOf: (run: string | undefined) => readonly RepeatedWarning[];
}

/** A code has one message for a reason, or a few; where an API writes into them, all that come later count as the last kind. */
const MOST_KINDS = 5;
/** What differs from call to call: addresses, quoted values, numbers. */
const OF_THE_CALL = /[a-z]+:\/\/\S+|"[^"]*"|\d+/gi;

/**
 * Warnings are alike where a child job of one run gives them in its calls, with the same code and for the same reason.
 *
 * @example
 * const repeated = createRepeatedWarnings();
 * repeated.isRepeated(warning); // false
 * repeated.isRepeated(warning); // true
 * repeated.sumsOf(warning.run); // [{ first: warning, count: 2 }]
 */
export function createRepeatedWarnings(): RepeatedWarnings {
  /** By run, by code and path, by reason. */
  const runs = new Map<string | undefined, Map<string, Map<string, RepeatedWarning>>>();
  return {
    isRepeated: (warning) => {
      const { run, code, job, message } = warning;
      if (job?.placeholders === undefined) return false;
      const codes = runs.get(run) ?? new Map<string, Map<string, RepeatedWarning>>();
      runs.set(run, codes);
      const place = `${code} ${job.path}`;
      const kinds = codes.get(place) ?? new Map<string, RepeatedWarning>();
      codes.set(place, kinds);
      const reason = message.replace(OF_THE_CALL, '*');
      const kind = kinds.has(reason) || kinds.size < MOST_KINDS ? reason : ([...kinds.keys()].at(-1) ?? reason);
      const known = kinds.get(kind);
      kinds.set(kind, { first: known?.first ?? warning, count: 1 + (known?.count ?? 0) });
      return known !== undefined;
    },
    sumsOf: (run) => {
      const codes = [...(runs.get(run)?.values() ?? [])];
      runs.delete(run);
      return codes.flatMap((kinds) => [...kinds.values()]).filter(({ count }) => count > 1);
    },
  };
}
