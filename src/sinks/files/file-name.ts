import { FatalError } from '../../errors';

/** Maximum bytes of a file name, less than every file system takes: a suffix is added while a file is made. */
const LONGEST = 240;

/**
 * A name that an API or a path of it gave, as that of a file: what no file name can hold is written as in URLs, so that two names
 * never meet.
 *
 * @example fileNameFor('rivers/1') // 'rivers%2F1'
 */
export const fileNameFor = (name: string): string =>
  name.replace(/[%/\\\p{Cc}]|^\./gu, (character) => encoded(character.codePointAt(0) ?? 0));

const encoded = (code: number): string => `%${code.toString(16).padStart(2, '0').toUpperCase()}`;

/**
 * The name, if a file in a folder can have it, whoever chose it.
 *
 * @throws FatalError TABLE_NAME
 * @example safeFileName('users.ndjson')
 */
export function safeFileName(name: string): string {
  const isPlain = !/[/\\\0]/.test(name) && !['', '.', '..'].includes(name);
  if (isPlain && Buffer.byteLength(name) <= LONGEST) return name;
  const remedy = 'Give the job another dataType, or its mapping another destination.';
  throw new FatalError('TABLE_NAME', `A table cannot be stored in a file named ${JSON.stringify(name)}. ${remedy}`, {
    table: name,
  });
}
