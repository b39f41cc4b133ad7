/** The settings of an incremental job, and the division of a job into windows and partitions. */
import * as t from 'io-ts';
import { entriesOf, isList, isObject } from '../../../core/json/objects';
import type { Json, JsonObject, JsonScalar } from '../../../core/model';
import { codec, expected, refine, refuse, withSchema } from '../../codec/codec';
import type { Codec } from '../../codec/codec';
import { flag, integerFrom, numeric, object, scalar, text, zeroCounts } from '../../codec/primitives';
import { always, optional, record, required } from '../../codec/record';
import { EXPRESSION, blank, tolerant } from '../../codec/schema';
import type { Schema } from '../../codec/schema';
import { COMMENTS, withoutComments } from '../../codec/unknown-key';
import { path } from '../../codec/values';
import { parseStep } from '../../expressions/dates/calendar';
import type { Step } from '../../expressions/dates/calendar';

/** The settings of an incremental job (docs/language/incremental.md). */
export interface Incremental {
  /** The path of the cursor field in an item. */
  readonly field: string;
  readonly param: string;
  /** The start of the first run; if absent, the first run omits the parameter. */
  readonly initial: JsonScalar | undefined;
  /** The distance by which later runs go back: seconds for dates and times, else the unit of the field. */
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

/** The division of a job into several calls (docs/language/jobs.md#windows-and-partitions). */

/** A span of time and its division into windows, as written. */
export interface Window {
  /** Expressions. */
  readonly from: Json;
  readonly to?: Json;
  readonly step: Step;
  readonly format?: string;
  readonly toIsInclusive: boolean;
  /** The number of items after which the API returns no more. */
  readonly cap?: number;
  /** The shortest window that is divided no further. */
  readonly smallest?: Step;
}

/** The division of a job: arrays of values by name, and windows. */
export interface Slices {
  /** Expressions that evaluate to arrays. */
  readonly partitions: JsonObject;
  readonly window?: Window;
}

const partitions: Codec<JsonObject> = withSchema(
  refine('Partitions', object, (all, context) => {
    const written = withoutComments(all);
    const errors = entriesOf(written).flatMap(([name, values]): t.ValidationError[] => {
      const message = partitionFault(values);
      if (message === undefined) return [];
      return [{ value: values, context: t.appendContext(context, name, object, values), message }];
    });
    return errors.length > 0 ? t.failures(errors) : t.success(written);
  }),
  () => {
    const values: Schema = { anyOf: [{ type: 'array', items: EXPRESSION, minItems: 1 }, { type: 'object' }] };
    return tolerant(
      { type: 'object', additionalProperties: values, ...COMMENTS },
      { type: 'array', items: values },
      blank,
    );
  },
);

function partitionFault(values: Json): string | undefined {
  if (!isList(values))
    return isObject(values) ? undefined : 'expected an array of values, or an expression that gives one';
  return values.length === 0 ? 'expected at least one value: without any, nothing is requested' : undefined;
}

const MOMENT: Schema = { allOf: [EXPRESSION], type: ['string', 'number', 'object'] };

/** A moment, which the plan computes. */
const moment: Codec<Json> = codec('Moment', MOMENT, (input, context) =>
  input === undefined || input === null || isList(input) || typeof input === 'boolean'
    ? expected('a date, words such as "-7 days", Unix seconds, or an expression that gives one', input, context)
    : t.success(input),
);

const step: Codec<Step> = withSchema(
  refine('Step', text, (written, context) => {
    const read = parseStep(written);
    return read === undefined
      ? refuse(
          written,
          context,
          `expected a number and a unit such as "1 day" or "2 weeks", found ${JSON.stringify(written)}; units are second, minute, hour, day, week, month and year`,
        )
      : t.success(read);
  }),
  () => ({
    type: 'string',
    pattern: '^\\s*[1-9][0-9]{0,5}\\s*(second|minute|hour|day|week|month|year)s?\\s*$',
  }),
);

const window = record('Window', {
  from: required(moment, 'where the first window begins', {
    about:
      'Where the first window begins: a date, words of `strtotime`, Unix seconds, or an expression that gives one.',
    example: '2024-01-01',
  }),
  to: optional(moment, {
    about: 'Where the last window ends; the moment itself is no longer part of it.',
    example: 'first day of this month',
    default: 'when the run began',
  }),
  step: required(step, 'how long a window is', {
    about: 'How long a window is: a number of seconds, minutes, hours, days, weeks, months or years.',
    example: '1 day',
  }),
  format: optional(text, {
    about: 'How the moments are sent: a format as the function `now` has them, by name or in letters.',
    example: 'unix',
    default: '`date` for steps of days and more, else `ISO 8601`',
  }),
  toIsInclusive: always(flag(false), {
    about:
      'Whether the API takes the end of a window for a part of it: then the last day, minute, second or millisecond before it is sent, as the format has them.',
    example: true,
  }),
  cap: optional(integerFrom(1), {
    about:
      'The number of items of which the API gives no more: a window that has so many is requested again in halves.',
    example: 1000,
    unit: 'items',
  }),
  smallest: optional(step, {
    about: 'With `cap`: how short a window may become; one of this length that has so many items is an error.',
    example: '1 hour',
    default: 'a day, or a second where the format has times of day',
  }),
});

/** The keys of a job for its slices. */
export const sliceFields = {
  partitions: always(partitions, {
    about: 'Arrays of values by names: the job is requested once for each value, or for each combination.',
    example: { country: ['de', 'fr'] },
  }),
  window: optional(window, {
    about: 'A span of time that is requested in windows, one after another.',
    example: { from: '2024-01-01', step: '1 month' },
  }),
};

interface Written {
  readonly partitions: JsonObject;
  readonly window?: Window;
}

/** Returns the slices of a job, if it has any, and the other fields. */
export function withSlices<J extends Written>(job: J): Omit<J, keyof Written> & { readonly slices?: Slices } {
  const { partitions: values, window: windows, ...others } = job;
  if (windows === undefined && entriesOf(values).length === 0) return others;
  return { ...others, slices: { partitions: values, ...(windows === undefined ? {} : { window: windows }) } };
}
