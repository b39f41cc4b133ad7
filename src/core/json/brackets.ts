import { jsonPathOf } from './json-path';

const BRACKETS = /\[(?:-?\d+|\*)\](?=\.|\[|$)/;

/**
 * How a path is written that has positions in brackets, which other tools read and paths of keys do not
 * (docs/language/README.md#paths); `undefined` for a path without.
 *
 * @example withoutBrackets('a.b[0].c') // 'a.b.0.c'
 * @example withoutBrackets('a.b[*].c') // '$.a.b[*].c'
 */
export function withoutBrackets(path: string, delimiter = '.'): string | undefined {
  if (!BRACKETS.test(path) || jsonPathOf(path, delimiter) !== undefined || path.startsWith('$')) return undefined;
  if (path.includes('[*]')) return delimiter === '.' ? `${path.startsWith('[') ? '$' : '$.'}${path}` : undefined;
  return path.replaceAll(/\[(-?\d+)\]/g, (_, index: string, at: number) => `${at === 0 ? '' : delimiter}${index}`);
}

/** What a message about a path that leads to nothing ends with. */
export function bracketHint(path: string, delimiter = '.'): string {
  const meant = withoutBrackets(path, delimiter);
  return meant === undefined ? '' : ` Did you mean "${meant}"?`;
}
