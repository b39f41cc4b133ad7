/** A configuration that was read from text, and where its parts stand in it. */
import type { Json } from '../../core/model';

/** A place in a text; both count from 1. */
export interface FilePlace {
  readonly line: number;
  readonly column: number;
}

/** What a text gave. */
export interface Source {
  readonly value: Json;
  /** Where the value at a path of keys begins, or the nearest one around it. */
  readonly placeOf: (path: readonly string[]) => FilePlace | undefined;
}

/** Text that is no configuration; the message never quotes it, since it may hold secrets. */
export class UnreadableText extends Error {
  override readonly name = 'UnreadableText';
}

/**
 * The place of an offset.
 *
 * @example placeAt('a\nbc', 3) // { line: 2, column: 2 }
 */
export function placeAt(text: string, offset: number): FilePlace {
  const before = text.slice(0, offset).split('\n');
  return { line: before.length, column: (before.at(-1) ?? '').length + 1 };
}

/** What is wrong, with its place in the text. */
export const unreadableAt = (what: string, text: string, offset: number): UnreadableText => {
  const { line, column } = placeAt(text, offset);
  return new UnreadableText(`${what} at line ${line}, column ${column}`);
};

/** `CommaExpected`, `TAB_AS_INDENT` → `comma expected`, `tab as indent`. */
export const words = (code: string): string =>
  /_/.test(code)
    ? code.toLowerCase().replace(/_/g, ' ')
    : code.replace(/\B[A-Z]/g, (letter) => ` ${letter}`).toLowerCase();

/**
 * The keys of a path as faults have it.
 *
 * @example keysOfPath('config.jobs[0].params["page[size]"]') // ['config', 'jobs', '0', 'params', 'page[size]']
 */
export const keysOfPath = (path: string): readonly string[] =>
  [...path.matchAll(/\["((?:[^"\\]|\\.)*)"\]|\[(\d+)\]|([^.[\]]+)/g)].map(
    ([, quoted, index, key]) => index ?? key ?? (JSON.parse(`"${quoted ?? ''}"`) as string),
  );
