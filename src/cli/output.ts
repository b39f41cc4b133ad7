import { stringifyJson } from '..';
import type { Json } from '..';
import { EXIT } from './exit-status';

/** Ignores the error of a reader that ended early, as `head` does: it is no defect. */
const readerGone = (error: NodeJS.ErrnoException): void => {
  if (error.code !== 'EPIPE') throw error;
  process.exitCode = EXIT.brokenPipe;
};

/** Prints to standard output; adds one listener for its errors, however often it is called. */
export function print(text: string | Uint8Array): void {
  if (!process.stdout.listeners('error').includes(readerGone)) process.stdout.on('error', readerGone);
  process.stdout.write(text);
}

/** Returns a result of the library as a line of JSON: it contains only JSON, with integers of any size. */
export const jsonText = (value: object): string => `${stringifyJson(value as Json)}\n`;

/** Prints the output for a configuration; for one of several below its name, as `head` and `tail` do. */
export const printUnder = (name: string | undefined, text: string): void =>
  print(name === undefined ? text : `==> ${name} <==\n${text}\n`);

/** Prints a line of JSON; for one of several configurations it contains the name. */
export const printJson = (name: string | undefined, value: object): void =>
  print(jsonText(name === undefined ? value : { configuration: name, ...value }));

/** Matches characters that move the cursor, change colours, or change the direction of the text after them. */
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
let segmenter: Intl.Segmenter | undefined;

/** Returns the characters that a reader sees. To make the segmenter takes longer than to read a configuration. */
const graphemes = (text: string): Intl.Segments =>
  (segmenter ??= new Intl.Segmenter('en', { granularity: 'grapheme' })).segment(text);

/**
 * Returns the text with control characters escaped, on one line.
 *
 * @example visible('a\u001b[31m') // 'a\\u001b[31m'
 */
export const visible = (text: string): string =>
  text.replace(
    UNSAFE,
    (character) => SHORT.get(character) ?? `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

/** Returns the number of columns that a string takes. */
export function widthOf(text: string): number {
  if (/^[ -~]*$/.test(text)) return text.length;
  let width = 0;
  for (const { segment } of graphemes(text)) width += WIDE.test(segment) ? 2 : 1;
  return width;
}

/** Returns the beginning of a string that fits that many columns, with `…` if more follows. */
export function fitted(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  let fits = '';
  let taken = 0;
  for (const { segment } of graphemes(text)) {
    taken += WIDE.test(segment) ? 2 : 1;
    if (taken > width - 1) break;
    fits += segment;
  }
  return `${fits}${CUT}`;
}

/** Returns the text padded with spaces: after it, or before it for numbers. */
function padded(text: string, width: number, toTheRight = false): string {
  const spaces = ' '.repeat(Math.max(0, width - widthOf(text)));
  return toTheRight ? spaces + text : text + spaces;
}

/** Returns the columns of the terminal; 80 without one. */
export const terminalWidth = (): number => Math.max(40, process.stdout.columns || 80);

/** Returns the columns of the terminal if standard output is one; otherwise nothing is cut. */
export const outputWidth = (): number => (process.stdout.isTTY ? terminalWidth() : Infinity);

/** Breaks a string into lines of at most that many columns, preferably at spaces. */
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

/** The maximum number of lines with a label. */
const MOST_LINES = 12;

/** The indentation of the further lines of a labelled text. */
export const INDENT = ' '.repeat(11);

/** Returns a string after a label, with its further lines below it. */
export const labelled = (label: string, text: string, width: number): readonly string[] =>
  marked(`  ${label.padEnd(INDENT.length - 2)}`, text, width);

/** Returns a string after a mark, with its further lines below it; a very long one is cut. */
export function marked(mark: string, text: string, width: number): readonly string[] {
  const indent = ' '.repeat(mark.length);
  const lines = wrapped(visible(text), Math.max(20, width - mark.length));
  return lines.slice(0, MOST_LINES).map((line, at) => fitted((at === 0 ? mark : indent) + line, width));
}

export interface TextColumn {
  readonly name: string;
  /** True if its values are aligned to the right. */
  readonly isNumber?: boolean;
}

const GAP = '  ';
/** The minimum width of a column, unless its values are narrower. */
const NARROWEST = 6;

/** A table whose columns fit its first rows. */
export interface TextTable {
  /** The head, including a note about columns that are left out. */
  readonly head: readonly string[];
  readonly rest: readonly string[];
  /** How many columns it has; the others are left out. */
  readonly shown: number;
  /** Returns the line of a row; if nothing is cut, a wider value moves the rest of the line to the right. */
  readonly line: (row: readonly string[]) => string;
}

/**
 * Returns rows as lines of at most that many columns of a terminal: long values are cut first, and columns that still do not fit are left
 * out at the right and named below.
 *
 * @param rows the texts of cells; control characters are escaped
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

/** Returns a table of which only the first rows are known yet. */
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
    head: [line(headsOf((cells[0] ?? []).slice(0, shown), widths)), widths.map((each) => '-'.repeat(each)).join(GAP)],
    rest,
    shown,
    line,
  };
}

/** Returns names that fit their columns. Of those that begin alike, the beginning and, if need be, the middle is cut, so that they differ. */
function headsOf(names: readonly string[], widths: readonly number[]): readonly string[] {
  const cut = names.map((name, at) => fitted(name, widths[at] ?? 0));
  return cut.map((head, at) => {
    const [first = [], ...others] = names.filter((_, other) => cut[other] === head).map((each) => Array.from(each));
    const same = first.findIndex((character, place) => others.some((other) => other[place] !== character));
    if (same < 0) return head;
    const name = Array.from(names[at] ?? '');
    const room = (widths[at] ?? 0) - CUT.length;
    if (name.length - same <= room) return `${CUT}${name.slice(-room).join('')}`;
    const half = Math.floor((room - CUT.length) / 2);
    return `${CUT}${name.slice(same, same + half).join('')}${CUT}${name.slice(-half).join('')}`;
  });
}

/** Returns how many columns fit at their minimum width. */
function fittingColumns(wanted: readonly number[], width: number): number {
  let taken = -GAP.length;
  for (const [at, each] of wanted.entries()) {
    taken += GAP.length + Math.min(each, NARROWEST);
    if (taken > width) return Math.max(1, at);
  }
  return wanted.length;
}

/** Returns the widths of columns, reducing the widest ones until they fit. */
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
 * Returns a word in single quotes if a shell would change it.
 *
 * @example quoted("it's here") // "'it'\\''s here'"
 */
export const quoted = (word: string): string =>
  /^[\w@%+=:,./*-]+$/.test(word) ? word : `'${word.replace(/'/g, `'\\''`)}'`;
