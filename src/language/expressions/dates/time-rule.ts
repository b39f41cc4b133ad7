import type { Draft } from './time-draft';

/** The named groups of a matched part; those that took no part are absent. */
export type Groups = Readonly<Record<string, string | undefined>>;

/** One way to read a part of a time string. */
export interface TimeRule {
  /** The pattern, which matches at the beginning of the rest of the string, whatever the case. */
  readonly pattern: RegExp;
  /** What the draft says with this part; `undefined` when the part cannot stand here. */
  readonly read: (part: Groups, draft: Draft) => Draft | undefined;
}

/** A rule from the source of its pattern. */
export const timeRule = (source: string, read: TimeRule['read']): TimeRule => ({
  pattern: new RegExp(`^(?:${source})`, 'i'),
  read,
});

/** Alternatives of a pattern. */
export const anyOf = (names: readonly string[]): string => names.join('|');
