/** The words of a command line as bash splits it; what would run something else is refused. */

const ESCAPES: Readonly<Record<string, string>> = {
  ...{ n: '\n', t: '\t', r: '\r', a: '\u0007', b: '\b', f: '\f', v: '\v', e: '\u001b', E: '\u001b' },
  ...{ '\\': '\\', "'": "'", '"': '"', '?': '?' },
};
const ANSI = /\\(?:x([0-9A-Fa-f]{1,2})|u([0-9A-Fa-f]{1,4})|U([0-9A-Fa-f]{1,8})|([0-7]{1,3})|([\s\S]))/g;
/** A space, a line that goes on, one of four ways of quoting, a character behind a backslash, or plain characters. */
const PIECE =
  /(\s+)|\\\r?\n|\$'((?:[^'\\]|\\[\s\S])*)'|\$?"((?:[^"\\]|\\[\s\S])*)"|'([^']*)'|\\([\s\S])|([^\s\\'"$`|&;<>()]+|\$(?![\w({'"]))/y;

/** A text that is no plain command line. */
export class NotPlain extends Error {
  override readonly name = 'NotPlain';
}

/**
 * Splits a command line into words.
 *
 * @throws NotPlain for variables, substitutions, pipes, several commands, and quotes without an end
 * @example shellWords("curl -H 'a: b' \\\n 'https://h.example'") // ['curl', '-H', 'a: b', 'https://h.example']
 */
export function shellWords(text: string): readonly string[] {
  const words: string[] = [];
  let word: string | undefined;
  const line = text.trim();
  PIECE.lastIndex = 0;
  while (PIECE.lastIndex < line.length) {
    const at = PIECE.lastIndex;
    const piece = PIECE.exec(line);
    if (piece === null) throw new NotPlain(complaint(line, at));
    const [, space, ansi, double, single, escaped, plain] = piece;
    if (space !== undefined) {
      if (word !== undefined) words.push(word);
      word = undefined;
      continue;
    }
    const added =
      ansi !== undefined ? unescaped(ansi) : double !== undefined ? inDouble(double) : (single ?? escaped ?? plain);
    if (added !== undefined) word = (word ?? '') + added;
  }
  return word === undefined ? words : [...words, word];
}

function complaint(line: string, at: number): string {
  const character = line[at] ?? '';
  if (`'"`.includes(character) || line.startsWith(`$'`, at))
    return `a quote that begins at character ${at + 1} has no end`;
  if (character === '$' || character === '`') return `a variable or a command at character ${at + 1}: write its value`;
  return `${JSON.stringify(character)} at character ${at + 1}, which is no part of one command: put it in quotes`;
}

const unescaped = (text: string): string =>
  text.replace(ANSI, (_, hex?: string, four?: string, eight?: string, octal?: string, one = '') => {
    const digits = hex ?? four ?? eight;
    if (digits !== undefined) return String.fromCodePoint(Math.min(parseInt(digits, 16), 0x10ffff));
    if (octal !== undefined) return String.fromCharCode(parseInt(octal, 8) & 0xff);
    return ESCAPES[one as string] ?? `\\${String(one)}`;
  });

function inDouble(text: string): string {
  if (/(?:^|[^\\])(?:\\\\)*(?:\$[\w({]|`)/.test(text))
    throw new NotPlain('a variable or a command in double quotes: write its value');
  return text.replace(/\\(\r?\n|[$`"\\])/g, (_, escaped: string) => (escaped.includes('\n') ? '' : escaped));
}
