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
export function padded(text: string, width: number, toTheRight = false): string {
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
