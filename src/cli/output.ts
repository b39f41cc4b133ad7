import { stringifyJson } from '..';
import type { Json } from '..';
import { EXIT } from './exit-status';

/** A reader that went away before the end, as `head` does, is no defect. */
const readerGone = (error: NodeJS.ErrnoException): void => {
  if (error.code !== 'EPIPE') throw error;
  process.exitCode = EXIT.brokenPipe;
};

/** Prints on standard output, of whose errors it hears once, however often it prints. */
export function print(text: string): void {
  if (!process.stdout.listeners('error').includes(readerGone)) process.stdout.on('error', readerGone);
  process.stdout.write(text);
}

/** What the library gives as a line of JSON: it is made of JSON alone, with integers of any size. */
export const jsonText = (value: object): string => `${stringifyJson(value as Json)}\n`;

/** Prints what is said of a configuration; of several, its name stands above, as `head` and `tail` do it. */
export const printUnder = (name: string | undefined, text: string): void =>
  print(name === undefined ? text : `==> ${name} <==\n${text}\n`);

/** Prints a line of JSON; of several configurations, it has the name of its own. */
export const printJson = (name: string | undefined, value: object): void =>
  print(jsonText(name === undefined ? value : { configuration: name, ...value }));

/** Texts of others as a terminal may show them. */

/** What moves the cursor, changes colours, or turns the direction of what follows. */
// eslint-disable-next-line no-control-regex -- control characters are what is sought
const UNSAFE = /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]/g;
const SHORT: ReadonlyMap<string, string> = new Map([
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
]);
/** Characters that take two columns. */
const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}|[\u{20000}-\u{3fffd}]/u;
const CUT = '…';
const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' });

/**
 * The text with control characters written out, on one line.
 *
 * @example visible('a\u001b[31m') // 'a\\u001b[31m'
 */
export const visible = (text: string): string =>
  text.replace(
    UNSAFE,
    (character) => SHORT.get(character) ?? `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

/** The number of columns that a string takes. */
export function widthOf(text: string): number {
  if (/^[ -~]*$/.test(text)) return text.length;
  let width = 0;
  for (const { segment } of segmenter.segment(text)) width += WIDE.test(segment) ? 2 : 1;
  return width;
}

/** The beginning of a string that takes no more than so many columns, with `…` where more follows. */
export function fitted(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  let fits = '';
  let taken = 0;
  for (const { segment } of segmenter.segment(text)) {
    taken += WIDE.test(segment) ? 2 : 1;
    if (taken > width - 1) break;
    fits += segment;
  }
  return `${fits}${CUT}`;
}

/** The text, filled up with spaces: behind it, or before it for numbers. */
function padded(text: string, width: number, toTheRight = false): string {
  const spaces = ' '.repeat(Math.max(0, width - widthOf(text)));
  return toTheRight ? spaces + text : text + spaces;
}

/** The columns of the terminal; 80 where there is none. */
export const terminalWidth = (): number => Math.max(40, process.stdout.columns || 80);

/** The columns of the terminal, where standard output is one; nothing is cut where no person looks. */
export const outputWidth = (): number => (process.stdout.isTTY ? terminalWidth() : Infinity);

/** Breaks a string into lines of no more than so many columns, at spaces where there are some. */
export function wrapped(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && widthOf(line) + 1 + widthOf(word) > width) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line];
}

/** Lines with a label before them. */

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

export interface TextColumn {
  readonly name: string;
  /** This is true where its values stand at the right. */
  readonly isNumber?: boolean;
}

const GAP = '  ';
/** No column is narrower, unless its values are. */
const NARROWEST = 6;

/** A table whose columns are as wide as its first rows need them. */
export interface TextTable {
  /** The head, and what is left out at the right. */
  readonly head: readonly string[];
  readonly rest: readonly string[];
  /** The line of a row; where nothing is cut, a wider value moves what follows it to the right. */
  readonly line: (row: readonly string[]) => string;
}

/**
 * Rows as lines of no more than so many columns of a terminal: long values are cut first, and columns that do not fit even then are
 * left out at the right and named below.
 *
 * @param rows the texts of cells; control characters are written out
 * @example textTable([{ name: 'id', isNumber: true }], [['7']], 80) // ['id', '--', ' 7']
 */
export function textTable(
  columns: readonly TextColumn[],
  rows: readonly (readonly string[])[],
  width: number,
): readonly string[] {
  const { head, line, rest } = tableFor(columns, rows, width);
  return [...head, ...rows.map(line), ...rest];
}

/** The same for rows of which only the first ones are known by now. */
export function tableFor(
  columns: readonly TextColumn[],
  rows: readonly (readonly string[])[],
  width: number,
): TextTable {
  const cells = [columns.map(({ name }) => name), ...rows].map((row) => row.map(visible));
  const wanted = columns.map((_, at) => Math.max(1, ...cells.map((row) => widthOf(row[at] ?? ''))));
  const shown = fittingColumns(wanted, width);
  const widths = shares(wanted.slice(0, shown), width);
  const line = (row: readonly string[]): string =>
    widths
      .map((each, at) => {
        const cell = visible(row[at] ?? '');
        return padded(width === Infinity ? cell : fitted(cell, each), each, columns[at]?.isNumber);
      })
      .join(GAP)
      .trimEnd();
  const left = columns.slice(shown).map(({ name }) => visible(name));
  const rest =
    left.length === 0
      ? []
      : [fitted(`(${left.length} more ${left.length === 1 ? 'column' : 'columns'}: ${left.join(', ')})`, width)];
  return {
    head: [line(columns.map(({ name }) => name)), widths.map((each) => '-'.repeat(each)).join(GAP)],
    rest,
    line,
  };
}

/** How many columns fit when all are as narrow as they may be. */
function fittingColumns(wanted: readonly number[], width: number): number {
  let taken = -GAP.length;
  for (const [at, each] of wanted.entries()) {
    taken += GAP.length + Math.min(each, NARROWEST);
    if (taken > width) return Math.max(1, at);
  }
  return wanted.length;
}

/** The widest columns give away what is too much. */
function shares(wanted: readonly number[], width: number): readonly number[] {
  const room = Math.max(1, width - GAP.length * (wanted.length - 1));
  const sum = (most: number): number => wanted.reduce((all, each) => all + Math.min(each, most), 0);
  let most = Math.max(...wanted);
  while (most > 1 && sum(most) > room) most -= 1;
  let spare = room - sum(most);
  return wanted.map((each) => {
    if (each <= most || spare <= 0) return Math.min(each, most);
    spare -= 1;
    return most + 1;
  });
}

/**
 * What a shell would not leave as it is, in single quotes.
 *
 * @example quoted("it's here") // "'it'\\''s here'"
 */
export const quoted = (word: string): string =>
  /^[\w@%+=:,./*-]+$/.test(word) ? word : `'${word.replace(/'/g, `'\\''`)}'`;
