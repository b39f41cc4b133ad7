/**
 * Keys as a path of the language: joined by points, or as a JSON path where a key has a point or begins like one.
 *
 * @example pathText(['@odata.nextLink']) // "$['@odata.nextLink']"
 */
export function pathText(keys: readonly string[]): string {
  const isPlain = keys.every((key) => key !== '' && !key.includes('.') && !key.startsWith('$'));
  return isPlain ? keys.join('.') : `$${keys.map(member).join('')}`;
}

/** A JSON path to each member of what the keys lead to. */
export const eachMemberOf = (keys: readonly string[]): string => `$${keys.map(member).join('')}.*`;

/** A JSON path from the root, with what follows. */
export const jsonPathText = (keys: readonly string[], rest: string): string => `$${keys.map(member).join('')}${rest}`;

const member = (key: string): string => `['${key.replace(/[\\']/g, '\\$&')}']`;
