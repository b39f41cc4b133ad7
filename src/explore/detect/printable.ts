/** Characters that a terminal obeys, or that end a comment: those of C0 and C1, marks of direction, line and paragraph ends. */
const UNPRINTABLE = /[\p{Cc}\p{Zl}\p{Zp}\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]/gu;
const LONGEST = 500;

/**
 * A text of an API that may reach a terminal or a comment: on one line, without characters that do something.
 *
 * @example printable('a\u001b[2Jb') // 'a�[2Jb'
 */
export function printable(text: string): string {
  const plain = text.toWellFormed().replace(UNPRINTABLE, '\ufffd');
  return plain.length <= LONGEST ? plain : `${plain.slice(0, LONGEST)}…`;
}
