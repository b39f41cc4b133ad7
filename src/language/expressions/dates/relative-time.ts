import { ABSOLUTE_RULES } from './time-absolute';
import type { Draft } from './time-draft';
import { EMPTY_DRAFT, settle } from './time-draft';
import { RELATIVE_RULES } from './time-relative';

/** The first of two rules that read equally far is the one that counts. */
const RULES = [...RELATIVE_RULES, ...ABSOLUTE_RULES];

const withoutGap = (text: string): string => text.replace(/^[\s,]+/, '');

/** Reads one part with the rule that takes the most of the text. */
function readPart(text: string, draft: Draft): { readonly draft: Draft; readonly rest: string } | undefined {
  const matches = RULES.flatMap(({ pattern, read }) => {
    const match = pattern.exec(text);
    return match === null ? [] : [{ read, groups: match.groups ?? {}, length: match[0].length }];
  });
  const longest = Math.max(...matches.map(({ length }) => length));
  const part = matches.find(({ length }) => length === longest);
  const next = part?.read(part.groups, draft);
  return next === undefined ? undefined : { draft: next, rest: withoutGap(text.slice(longest)) };
}

/**
 * The moment that a string means, in UTC (docs/language/dates.md#words): dates and clock times replace fields of the
 * base, relative words move it. The parts take effect from left to right: `tomorrow 11:00` is at eleven,
 * `11:00 tomorrow` at midnight.
 *
 * @param text for example `-7 days`, `first monday of next month`, `2020-02-03T04:05:06+02:00`, `@1600000000`
 * @param baseSeconds Unix seconds
 * @returns Unix seconds, or `undefined` when the string is not understood
 * @example parseTime('+1 day', 1600000000) // 1600086400
 */
export function parseTime(text: string, baseSeconds: number): number | undefined {
  let draft: Draft | undefined;
  let rest = withoutGap(text);
  while (rest !== '') {
    const part = readPart(rest, draft ?? EMPTY_DRAFT);
    if (part === undefined) return undefined;
    ({ draft, rest } = part);
  }
  return draft === undefined ? undefined : settle(draft, baseSeconds);
}
