/** A configuration read from text, with the places of its values. */
import type { Json } from '../../core/model';

/** A line and a column of a text, both from 1. */
export interface FilePlace {
  readonly line: number;
  readonly column: number;
}

/** The result of reading a text. */
export interface Source {
  readonly value: Json;
  /** Returns the place of the value at a path of keys, or of the nearest one around it. */
  readonly placeOf: (path: readonly string[]) => FilePlace | undefined;
}

/** The error for text that is not a configuration. The message never quotes the text, which may hold secrets. */
export class UnreadableText extends Error {
  override readonly name = 'UnreadableText';
}

/**
 * Returns the place of an offset.
 *
 * @example placeAt('a\nbc', 3) // { line: 2, column: 2 }
 */
export function placeAt(text: string, offset: number): FilePlace {
  const before = text.slice(0, offset).split('\n');
  return { line: before.length, column: (before.at(-1) ?? '').length + 1 };
}

/** Returns the error with its place in the text. */
export const unreadableAt = (what: string, text: string, offset: number): UnreadableText => {
  const { line, column } = placeAt(text, offset);
  return new UnreadableText(`${what} at line ${line}, column ${column}`);
};

/** Returns a code in words: `CommaExpected`, `TAB_AS_INDENT` → `comma expected`, `tab as indent`. */
export const words = (code: string): string =>
  /_/.test(code)
    ? code.toLowerCase().replace(/_/g, ' ')
    : code.replace(/\B[A-Z]/g, (letter) => ` ${letter}`).toLowerCase();

/**
 * Splits a path as in faults into its keys.
 *
 * @example keysOfPath('config.jobs[0].params["page[size]"]') // ['config', 'jobs', '0', 'params', 'page[size]']
 */
export const keysOfPath = (path: string): readonly string[] =>
  [...path.matchAll(/\["((?:[^"\\]|\\.)*)"\]|\[(\d+)\]|([^.[\]]+)/g)].map(
    ([, quoted, index, key]) => index ?? key ?? (JSON.parse(`"${quoted ?? ''}"`) as string),
  );
