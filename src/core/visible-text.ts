/** Texts of others in what people read line by line. */

/** What a terminal obeys, what ends a line in some programs, and what makes text run the other way; but line feeds and tabs. */
const INVISIBLE = /[^\P{Cc}\n\t]|[\p{Zl}\p{Zp}\u202A-\u202E\u2066-\u2069]/gu;
/** What is not the beginning of a line of our own, which is set in: it would look like an entry of a log. */
const STRANGE_LINE = /\n(?! {2}|\t)/g;

const written = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;

/**
 * A message with what a terminal would obey written as JSON writes it. Only lines that are set in are lines of their own.
 *
 * @example visibleText('one\n  two\nthree') // 'one\n  two\\nthree'
 */
export const visibleText = (message: string): string =>
  message.replace(INVISIBLE, written).replace(STRANGE_LINE, '\\n');
