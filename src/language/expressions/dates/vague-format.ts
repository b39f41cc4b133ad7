import { isNamedFormat } from './moment-format';

/** The parts of a moment, from the largest to the smallest, the letters that stand for each, and the one to write. */
const PARTS = {
  year: [/[Yyo]/g, 'Y'],
  month: [/[mnMFzW]/g, 'm'],
  day: [/[djz]|[DlNw](?=.*W)|(?<=W.*)[DlNw]/g, 'd'],
  hour: [/[GgHh]/g, 'H'],
  minute: [/i/g, 'i'],
  second: [/s/g, 's'],
} as const;
type Part = keyof typeof PARTS;
const ORDER = ['year', 'month', 'day', 'hour', 'minute', 'second'] as const satisfies readonly Part[];

/** Which part was likely meant where a letter of another one stands twice. */
const MIXED_UP: readonly (readonly [twice: Part, missing: Part])[] = [
  ['month', 'minute'],
  ['minute', 'month'],
  ['minute', 'second'],
  ['second', 'minute'],
  ['hour', 'minute'],
  ['day', 'month'],
];

/** Letters that stand for several parts at once: what is beside them may be there twice. */
const SEVERAL_PARTS = /[UcrB]/;

/** Letters that are meant to stand for themselves, or for something else, where they stand. */
const SLIPS: readonly (readonly [RegExp, string])[] = [
  [/[djz]\s*T\s*[GgHh]/, 'has a T that is the letter of time zones, and is sent as UTC: write \\T.'],
  [/[djz]\s*t\s*[GgHh]/, 'has a t that is the number of days of the month: write \\T.'],
  [/[GgHhisuv]Z/, 'has a Z that is an offset in seconds, and is sent as 0: write \\Z.'],
  [/i[^a-zA-Z]*S/, 'has an S that is what follows the number of a day, such as th: write s for seconds.'],
  [/^[^aAGH]*[gh][^aAGH]*$/, 'has hours from 1 to 12, and nothing for am or pm: write H, or add A.'],
  [/^[^W]*o[^W]*$/, 'has an o that is the year of the week, which is another one around New Year: write Y.'],
  [/^[^djzW]*[DlNw][^djzW]*$/, 'has a day of the week in the place of one of the month: write d.'],
];

/**
 * What is wrong with a format that does not tell moments apart, or writes something else than it seems to: hours of half a
 * day, a month in the place of minutes, or a `T` that is the letter of time zones (docs/language/jobs.md#windows).
 *
 * @param format by name, or letters as the function `date` has them
 * @returns `undefined` if nothing is
 * @example vagueFormat('Y-m-d h:i') // "'Y-m-d h:i' has hours from 1 to 12, and nothing for am or pm: write H, or add A."
 */
export function vagueFormat(format: string): string | undefined {
  if (isNamedFormat(format)) return undefined;
  const letters = format.replace(/\\.?/gs, '.');
  if (SEVERAL_PARTS.test(letters)) return undefined;
  const [, slip] = SLIPS.find(([pattern]) => pattern.test(letters)) ?? [];
  const why = slip ?? missingPart(letters);
  return why === undefined ? undefined : `'${format}' ${why}`;
}

/** A part that is missing between others, or in whose place another one stands twice. */
function missingPart(letters: string): string | undefined {
  const count = (part: Part): number => letters.match(PARTS[part][0])?.length ?? 0;
  const there = ORDER.map((part) => count(part) > 0);
  const isBelowDays = there.lastIndexOf(true) > ORDER.indexOf('day');
  const mixedUp = MIXED_UP.find(([twice, missing]) => isBelowDays && count(twice) > 1 && count(missing) === 0);
  if (mixedUp !== undefined) {
    const [twice, missing] = mixedUp;
    return `has the ${twice} twice and no ${missing}: write ${PARTS[missing][1]} where the ${missing} should be.`;
  }
  const gap = ORDER.find((_, at) => there[at] !== true && at > there.indexOf(true) && at < there.lastIndexOf(true));
  return gap === undefined
    ? undefined
    : `has no ${gap} between its other parts, so that different moments are written the same: add ${PARTS[gap][1]}.`;
}
