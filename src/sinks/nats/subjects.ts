/**
 * Whether every subject of the second pattern is one of the first: `*` is one token, `>` is one or more at the end.
 *
 * @example covers('a.>', 'a.b.c') // true
 */
export function covers(pattern: string, other: string): boolean {
  const wanted = pattern.split('.');
  const tokens = other.split('.');
  for (const [at, token] of wanted.entries()) {
    const found = tokens[at];
    if (found === undefined) return false;
    if (token === '>') return true;
    if (found === '>' || (token !== '*' && token !== found)) return false;
  }
  return wanted.length === tokens.length;
}

/**
 * `<prefix>.<dataType>`, where the data type is one token: what that cannot hold is written as `%` and two digits a byte.
 * Two data types never have the same subject.
 *
 * @example subjectOf('headwater', 'a.b') // 'headwater.a%2Eb'
 */
export const subjectOf = (prefix: string, dataType: string): string =>
  `${prefix}.${dataType === '' ? '%' : escaped(dataType, /[\s.*>%\p{C}]/gu)}`;

/** A value as CloudEvents writes it in a header: printable ASCII (NATS protocol binding 3.1.2.2). */
export const inHeader = (value: string): string => escaped(value, /[^!#-$&-~]/gu);

const escaped = (text: string, unsafe: RegExp): string =>
  text.replace(unsafe, (character) => {
    // Half of a surrogate pair has no bytes in UTF-8.
    if (!character.isWellFormed()) return `%u${character.charCodeAt(0).toString(16).toUpperCase()}`;
    return Buffer.from(character).toString('hex').toUpperCase().replace(/../g, '%$&');
  });
