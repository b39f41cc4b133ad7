/** The middle value; of an even number the mean of the two in the middle. */
export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** The median of each figure of several runs. */
export const medians = (runs) =>
  Object.fromEntries(Object.keys(runs[0]).map((name) => [name, median(runs.map((run) => run[name]))]));

/** A number for people, `unknown` for what could not be measured. */
export const shown = (value, digits = 0) =>
  Number.isFinite(value)
    ? value.toLocaleString('en', { maximumFractionDigits: digits, minimumFractionDigits: digits })
    : 'unknown';

/**
 * One line of the table of bars: what is asked, how much, what was measured.
 *
 * @param alone what undici alone reaches: no program that fetches with it can do better
 */
export const atMost = (what, limit, value, digits = 2, alone = undefined) =>
  bar(what, `at most ${shown(limit, digits)}`, { value, alone, digits, met: value <= limit });

export const atLeast = (what, limit, value, digits = 2, alone = undefined) =>
  bar(what, `at least ${shown(limit, digits)}`, { value, alone, digits, met: value >= limit });

const bar = (what, asked, { value, alone, digits, met }) => ({
  what,
  asked,
  measured: shown(value, digits),
  alone: alone === undefined ? '' : shown(alone, digits),
  met: Number.isFinite(value) ? met : undefined,
});
