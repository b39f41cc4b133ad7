import { createHash } from 'node:crypto';
import { FatalError } from '../../errors';

/** PostgreSQL silently cuts longer ones, so that two names could become one. */
const LONGEST_BYTES = 63;
const HASH_DIGITS = 8;
/** Names that PostgreSQL refuses for columns, even in quotes. */
const SYSTEM_COLUMNS = ['tableoid', 'xmin', 'cmin', 'xmax', 'cmax', 'ctid'];

/** The first hexadecimal digits of a digest. */
export const shortHash = (text: string): string =>
  createHash('sha256').update(text).digest('hex').slice(0, HASH_DIGITS);

/** A name as SQL has it, whatever its characters. */
export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** The name of a column: one that PostgreSQL would cut or refuse ends with a hash instead. */
export const columnName = (name: string): string => {
  const isTaken = SYSTEM_COLUMNS.includes(name);
  return isTaken ? `${name}_${shortHash(name)}` : withinLimit(name);
};

/**
 * The name of the table of a data type; one that PostgreSQL would cut ends with a hash instead.
 *
 * @throws FatalError TABLE_NAME for a name that no table can have
 * @example tableName('user') // 'user'
 */
export const tableName = (dataType: string): string => {
  if (dataType !== '' && dataType.isWellFormed() && !dataType.includes('\0')) return withinLimit(dataType);
  const message = `A table of PostgreSQL cannot be named ${JSON.stringify(dataType)}. Give the job another dataType.`;
  throw new FatalError('TABLE_NAME', message, { table: dataType });
};

function withinLimit(name: string): string {
  if (Buffer.byteLength(name) <= LONGEST_BYTES) return name;
  const bytes = Buffer.from(name);
  let end = LONGEST_BYTES - HASH_DIGITS - 1;
  // Not within a character: a byte of the form 10xxxxxx goes on with one.
  while (((bytes[end] as number) & 0xc0) === 0x80) end -= 1;
  return `${bytes.subarray(0, end).toString()}_${shortHash(name)}`;
}

/** The number of an advisory lock. */
export const lockOf = (...parts: readonly string[]): string =>
  createHash('sha256')
    .update(JSON.stringify(['headwater', ...parts]))
    .digest()
    .readBigInt64BE()
    .toString();
