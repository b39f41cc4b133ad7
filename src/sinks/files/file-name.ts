import { FatalError } from '../../core/errors/errors';

/** Maximum bytes of a file name, less than every file system takes: a suffix is added while a file is made. */
const LONGEST = 240;
const NOWHERE = /[%/\\\p{Cc}]|^\./gu;
/** Windows cuts dots and spaces at the end of a name, and what follows a colon is a stream beside the file. */
const NOT_ON_WINDOWS = /[%/\\\p{Cc}<>:"|?*]|^\.|[. ]$/gu;
/** What Windows opens in place of a file, whatever follows the first dot. */
const DEVICE = /^(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[\d¹²³]) *(?:\.|$)/i;
const WINDOWS = 'win32';

/**
 * A name that an API or a path of it gave, as that of a file: what no file name can hold is written as in URLs, so that two names
 * never meet.
 *
 * @param platform as `process.platform` has it
 * @example fileNameFor('rivers/1') // 'rivers%2F1'
 */
export const fileNameFor = (name: string, platform: string = process.platform): string =>
  name.replace(platform === WINDOWS ? NOT_ON_WINDOWS : NOWHERE, (character) => encoded(character.codePointAt(0) ?? 0));

const encoded = (code: number): string => `%${code.toString(16).padStart(2, '0').toUpperCase()}`;

/**
 * The name, if a file in a folder can have it, whoever chose it.
 *
 * @param platform as `process.platform` has it
 * @throws FatalError TABLE_NAME
 * @example safeFileName('users.ndjson')
 */
export function safeFileName(name: string, platform: string = process.platform): string {
  const isPlain = !/[/\\\0]/.test(name) && !['', '.', '..'].includes(name);
  const isTaken = platform === WINDOWS && (/[\p{Cc}<>:"|?*]|[. ]$/u.test(name) || DEVICE.test(name));
  if (isPlain && !isTaken && Buffer.byteLength(name) <= LONGEST) return name;
  const remedy = 'Give the job another dataType, or its mapping another destination.';
  throw new FatalError('TABLE_NAME', `A table cannot be stored in a file named ${JSON.stringify(name)}. ${remedy}`, {
    table: name,
  });
}
