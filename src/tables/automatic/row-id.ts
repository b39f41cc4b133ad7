/** Ids of rows that have arrays (docs/language/tables.md#arrays-and-links). */
import { hash } from 'node:crypto';
import { losesDigits } from '../../core/json/literals';
import { stringifyValue } from '../../core/json/stringify';
import type { Json } from '../../core/model';

/**
 * The JSON text of a value that has none yet: equal values have equal texts. Items come with the text of the API, where
 * only what it writes alike is alike.
 */
export function contentText(value: Json): string {
  try {
    if (!losesDigits(value)) return JSON.stringify(value);
  } catch {
    // Only an integer beyond 2^53 gets here.
  }
  return stringifyValue(value);
}

/**
 * The id of an object: its path and 32 hexadecimal digits, the same in every run.
 *
 * @param path the dataType and the keys joined with `.`
 * @param content the object's JSON text
 * @param around what distinguishes equal objects: the id of the enclosing object, or the extra columns of the row
 * @example rowId('boats', '{"id":1}', '') // 'boats_' and 32 digits
 */
export const rowId = (path: string, content: string, around: string): string =>
  `${path}_${hash('sha256', around === '' ? content : `${content}\n${around}`).slice(0, 32)}`;
