import type { HoldOptions, LimiterRule } from './limiter-rule';

/** When all of the rules admit it. */
export const latest = (rules: readonly LimiterRule[], now: number, size: number): number => {
  let at = -Infinity;
  for (const rule of rules) at = Math.max(at, rule.admitsAt(now, size));
  return at;
};

/** The same, or what a rule throws. */
export function admissionOf(
  rules: readonly LimiterRule[],
  now: number,
  size: number,
): number | { readonly error: unknown } {
  try {
    return latest(rules, now, size);
  } catch (error) {
    return { error };
  }
}

/** Whether they would admit one of size 1. */
export function admits(rules: readonly LimiterRule[], now: number): boolean {
  const at = admissionOf(rules, now, 1);
  return typeof at === 'number' && at <= now;
}

/** Reads the priority of one who begins to wait. */
export function priorityOf(given: NonNullable<HoldOptions['priority']>): number {
  const priority = typeof given === 'number' ? given : given();
  if (Number.isNaN(priority)) throw new RangeError('hold needs a number for `priority`, not NaN.');
  return priority;
}

/** A size that can never start is an error at once. */
export function checkSize(size: number, rules: readonly LimiterRule[]): void {
  if (!Number.isInteger(size) || size < 1)
    throw new RangeError(`hold needs an integer from 1 for \`size\`, not ${size}.`);
  const largest = Math.min(...rules.map((rule) => rule.largest?.() ?? Infinity));
  if (size > largest)
    throw new RangeError(`hold: a size of ${size} can never start, since a rule admits ${largest} at most.`);
}
