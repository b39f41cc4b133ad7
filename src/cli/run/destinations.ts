import { validate } from '../..';
import type { Json, ValidateOptions, Validation } from '../..';

/** A destination as the command line or the configuration names it. */
export type Written = Validation['sinks'][number];

/** The destination where none is given: standard output. */
export const PRINTED = 'ndjson:-';
const AT_A_TERMINAL = 'duckdb:headwater.duckdb';

/** Tells whether all items are printed, and nothing is stored. */
export const isPrinted = (written: Written): boolean =>
  (typeof written === 'string' ? written : written.to).split('?')[0] === PRINTED;

/** The destinations of the configuration; without any, a database file at a terminal, and standard output else. */
export function destinationsIn(config: Json, options: ValidateOptions): readonly Written[] {
  const { sinks } = validate(config, options);
  if (sinks.length > 0) return sinks;
  return [process.stdout.isTTY ? AT_A_TERMINAL : PRINTED];
}
