import type { Json } from '../model';

/**
 * Blank response data (docs/language/README.md#blank): a missing value, `null`, `false`, 0, `""`, `"0"`, `[]`; an empty
 * object is not blank.
 */
export const isBlankData = (value: Json | undefined): boolean =>
  value === undefined ||
  value === null ||
  value === false ||
  value === 0 ||
  value === 0n ||
  value === '' ||
  value === '0' ||
  (Array.isArray(value) && value.length === 0);

/**
 * Blank configuration values (docs/language/README.md#blank): as response data, and the empty object; they mean "use
 * the default".
 */
export const isBlank = (value: Json | undefined): boolean =>
  isBlankData(value) || (typeof value === 'object' && value !== null && Object.keys(value).length === 0);
