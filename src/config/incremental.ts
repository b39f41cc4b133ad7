import type { JsonScalar } from '../model';
import type { Codec } from '../codec/codec';
import { numeric, scalar, text, zeroCounts } from '../codec/primitives';
import { always, record, required } from '../codec/record';

/** How a job asks only for what is new (docs/extensions/incremental.md). */
export interface Incremental {
  /** Path of the field in an item. */
  readonly field: string;
  readonly param: string;
  /** Where the first run begins; absent: the first run leaves the parameter out. */
  readonly initial: JsonScalar | undefined;
  /** By how much later runs go back: seconds for dates and times, else in the unit of the field. */
  readonly lag: number;
}

export const incremental: Codec<Incremental> = record('Incremental', {
  field: required(text, 'the path of the field whose values grow, in an item'),
  param: required(text, 'the parameter that tells the API from where on'),
  initial: always(zeroCounts<JsonScalar | undefined>(scalar, undefined)),
  lag: always(zeroCounts(numeric, 0)),
});
