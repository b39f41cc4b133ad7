import type { Json } from '../model';

/** Blank response data (language 0.2): missing, `null`, `false`, 0, `""`, `"0"`, `[]`; an empty object is not blank. */
export const isBlankData = (value: Json | undefined): boolean =>
  value === undefined ||
  value === null ||
  value === false ||
  value === 0 ||
  value === 0n ||
  value === '' ||
  value === '0' ||
  (Array.isArray(value) && value.length === 0);

/** Blank configuration values (language 0.2): as response data, and the empty object; they mean "use the default". */
export const isBlank = (value: Json | undefined): boolean =>
  isBlankData(value) || (typeof value === 'object' && value !== null && Object.keys(value).length === 0);
