import type { JsonScalar } from '../../../core/model';
import type { Codec } from '../../codec/codec';
import { path } from '../../codec/path';
import { numeric, scalar, text, zeroCounts } from '../../codec/primitives';
import { always, record, required } from '../../codec/record';

/** How a job asks only for what is new (docs/extensions/incremental.md). */
export interface Incremental {
  /** Path of the field in an item. */
  readonly field: string;
  readonly param: string;
  /** Where the first run begins; absent: the first run leaves the parameter out. */
  readonly initial: JsonScalar | undefined;
  /** The distance by which later runs go back: seconds for dates and times, else in the unit of the field. */
  readonly lag: number;
}

export const incremental: Codec<Incremental> = record('Incremental', {
  field: required(path, 'the path of the field whose values grow, in an item', {
    about: 'The path in an item of the value that grows: a date, a time or a number.',
    example: 'updated_at',
  }),
  param: required(text, 'the parameter that tells the API from where on', {
    about: 'The parameter that asks for what is newer.',
    example: 'since',
  }),
  initial: always(zeroCounts<JsonScalar | undefined>(scalar, undefined), {
    about: 'The value of the parameter in the first run.',
    example: '2020-01-01',
    default: 'the first run leaves the parameter out',
  }),
  lag: always(zeroCounts(numeric, 0), {
    about: 'By how much later runs go back: seconds for dates and times, else in the unit of the field.',
    example: 3600,
  }),
});
