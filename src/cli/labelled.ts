/** Lines with a label before them. */
import { fitted, visible, wrapped } from './terminal';

const MOST_LINES = 12;

/** What stands before the further lines of a labelled text. */
export const INDENT = ' '.repeat(11);

/** A text behind a label, its further lines below it. */
export const labelled = (label: string, text: string, width: number): readonly string[] =>
  marked(`  ${label.padEnd(INDENT.length - 2)}`, text, width);

/** A text behind a mark, its further lines below it; a very long one is cut. */
export function marked(mark: string, text: string, width: number): readonly string[] {
  const indent = ' '.repeat(mark.length);
  const lines = wrapped(visible(text), Math.max(20, width - mark.length));
  return lines.slice(0, MOST_LINES).map((line, at) => fitted((at === 0 ? mark : indent) + line, width));
}
