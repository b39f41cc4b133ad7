/**
 * What a shell would not leave as it is, in single quotes.
 *
 * @example quoted("it's here") // "'it'\\''s here'"
 */
export const quoted = (word: string): string =>
  /^[\w@%+=:,./*-]+$/.test(word) ? word : `'${word.replace(/'/g, `'\\''`)}'`;
