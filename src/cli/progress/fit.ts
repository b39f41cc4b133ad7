import type { Part } from './job-parts';

/** The number of columns of a terminal that a string takes: an ideogram takes two, a combining accent none. */
export type Measure = (text: string) => number;

const GAP = '  ';
const characters = new Intl.Segmenter();

/**
 * The text, cut so that it takes no more than so many columns.
 *
 * @example cut('水位の測定', 7, stringWidth) // '水位の…'
 */
export function cut(text: string, columns: number, measure: Measure): string {
  if (measure(text) <= columns) return text;
  let kept = '';
  for (const { segment } of characters.segment(text)) {
    if (measure(kept + segment) >= columns) break;
    kept += segment;
  }
  return columns > 0 ? `${kept}…` : '';
}

/** The text with blanks behind it, up to so many columns. */
export const padded = (text: string, columns: number, measure: Measure): string =>
  text + ' '.repeat(Math.max(0, columns - measure(text)));

/** One line of a name and parts: those that matter least are left out until it takes no more than so many columns. */
export function fitted(name: string, parts: readonly Part[], columns: number, measure: Measure): string {
  const line = [name, ...parts.map(({ text }) => text)].filter((text) => text !== '').join(GAP);
  if (measure(line) <= columns) return line;
  const least = Math.max(...parts.map(({ rank }) => rank));
  if (parts.length <= 1) return cut(line, columns, measure);
  const at = parts.findLastIndex(({ rank }) => rank === least);
  return fitted(name, parts.toSpliced(at, 1), columns, measure);
}
