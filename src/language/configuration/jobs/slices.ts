/** The settings of an incremental job, and the division of a job into windows and partitions. */
import * as t from 'io-ts';
import { entriesOf, isList, isObject } from '../../../core/json/objects';
import type { Json, JsonObject, JsonScalar } from '../../../core/model';
import { codec, expected, refine, refuse, withSchema } from '../../codec/codec';
import type { Codec } from '../../codec/codec';
import {
  flag,
  integerFrom,
  isMissing,
  list,
  numeric,
  object,
  oneOf,
  oneOrList,
  scalar,
  text,
  zeroCounts,
} from '../../codec/primitives';
import { always, optional, record, required, withDefault } from '../../codec/record';
import { COMMENTS, withoutComments } from '../../codec/unknown-key';
import { EXPRESSION, blank, tolerant } from '../../codec/schema';
import type { Schema } from '../../codec/schema';
import { path } from '../../codec/values';
import { parseStep } from '../../expressions/dates/calendar';
import type { Step } from '../../expressions/dates/calendar';
import { isoDuration } from '../../jinja/dates';
import type { Duration } from '../../jinja/dates';

/** The settings of an incremental job (docs/language/incremental.md). */
export interface Incremental {
  /** The path of the cursor field in an item. */
  readonly field: string;
  /** The parameter that asks for what is newer; absent where a window does, or nothing. */
  readonly param?: string;
  /** The formats in which dates of the field are read; absent: as they are written. */
  readonly format?: readonly string[];
  /** The start of the first run; if absent, the first run omits the parameter. */
  readonly initial: JsonScalar | undefined;
  /** Where the last window ends; absent: when the run began. */
  readonly until?: JsonScalar;
  /** The distance by which later runs go back: seconds for dates and times, else the unit of the field. */
  readonly lag: number;
  /** The placeholders and partitions whose values have a cursor each; absent: all of them. */
  readonly by: readonly string[] | undefined;
  /** What becomes of items from before the cursor, where the API sends them all the same. */
  readonly older: Older;
}

const OLDER = ['keep', 'drop', 'end'] as const;
type Older = (typeof OLDER)[number];

/** Names, of which there may be none. */
const names: Codec<readonly string[] | undefined> = codec('Names', list(text).schema(), (input, context) =>
  isMissing(input) ? t.success(undefined) : list(text).validate(input, context),
);

export const incremental: Codec<Incremental> = record('Incremental', {
  field: required(path, 'the path of the field whose values grow, in an item', {
    about: 'The path of the value that grows: a date, a time or a number.',
    example: 'updated_at',
  }),
  param: optional(text, {
    about: 'The parameter for the position; with a [`window`](jobs.md#windows-that-go-on), leave it out.',
    example: 'since',
  }),
  format: optional(oneOrList(text), {
    about:
      "One or more formats of the dates, as in Python's `strptime`; `%s` and `%ms` are Unix seconds and milliseconds.",
    example: '%d/%m/%Y %H:%M',
    default: 'detected',
  }),
  initial: always(zeroCounts<JsonScalar | undefined>(scalar, undefined), {
    about: 'The first position.',
    example: '2020-01-01',
    default: 'no parameter in the first run',
  }),
  until: optional(scalar, {
    about: 'With a `window`: its end.',
    example: '2024-12-31',
    default: 'the start of the run',
  }),
  lag: always(zeroCounts(numeric, 0), {
    about: 'How far later runs go back: seconds for dates and times, else the unit of the field.',
    example: 3600,
  }),
  by: always(names, {
    about: 'The placeholders and partitions with one position for each value; `[]`: one position for all calls.',
    example: ['account'],
    default: 'all placeholders and partitions',
  }),
  older: withDefault(oneOf('Older', OLDER), 'keep', {
    about: 'Items from before the position: kept, dropped, or dropped with the end of paging (`end`).',
    example: 'drop',
  }),
});

/** The division of a job into several calls (docs/language/jobs.md#windows-and-partitions). */

/** A span of time and its division into windows, as written. */
export interface Window {
  /** Expressions. Without `from`, the windows begin at the cursor of the job. */
  readonly from?: Json;
  readonly to?: Json;
  /** Absent: there is one window. */
  readonly step?: Step;
  /** How much sooner a window ends than the next one begins. */
  readonly granularity?: Duration;
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
          `expected a number and a unit such as "1 day" or "2 weeks", found ${JSON.stringify(written)}; units are second, minute, hour, day, week, month and year; "P1M" is a month as well`,
        )
      : t.success(read);
  }),
  () => ({
    type: 'string',
    pattern: '^(P.+|\\s*[1-9][0-9]{0,5}\\s*(second|minute|hour|day|week|month|year)s?\\s*)$',
  }),
);

const LENGTH_ABOUT = 'expected a length of ISO 8601 such as "P1D" or "PT0.001S"';

/** A length of time as ISO 8601 writes it. */
const length: Codec<Duration> = withSchema(
  refine('Length', text, (written, context) => {
    try {
      return t.success(isoDuration(written));
    } catch {
      return refuse(written, context, `${LENGTH_ABOUT}, found ${JSON.stringify(written)}`);
    }
  }),
  () => ({ type: 'string', pattern: '^[+-]?P' }),
);

const window = record('Window', {
  from: optional(moment, {
    about: 'The start: a date, [words](dates.md#words), Unix seconds, or an expression.',
    example: '2024-01-01',
    default: 'the position of [`incremental`](incremental.md)',
  }),
  to: optional(moment, {
    about: 'The end, exclusive.',
    example: 'first day of this month',
    default: 'the start of the run',
  }),
  step: optional(step, {
    about: 'The length of a window, from seconds to years, or ISO 8601 such as `P1M`.',
    example: '1 day',
    default: 'one window',
  }),
  format: optional(text, {
    about: "A format of [`now`](functions.md#now), or one of Python's `strftime`, with `%`.",
    example: 'unix',
    default: '`date` for steps of days and more, else `ISO 8601`',
  }),
  granularity: optional(length, {
    about: 'With `%` formats: the gap between windows, in ISO 8601.',
    example: 'PT1S',
    default: 'no gap',
  }),
  toIsInclusive: always(flag(false), {
    about: 'For APIs that include the end: sends the last moment before it, as the format has it.',
    example: true,
  }),
  cap: optional(integerFrom(1), {
    about: 'The most items that the API gives.',
    example: 1000,
  }),
  smallest: optional(step, {
    about: 'With `cap`: the shortest window.',
    example: '1 hour',
    default: 'a day, or a second if the format has times',
  }),
});

/** The keys of a job for its slices. */
export const sliceFields = {
  partitions: always(partitions, {
    about: 'Arrays of values by name: one call for each value or combination.',
    example: { country: ['de', 'fr'] },
  }),
  window: optional(window, {
    about: 'A span of time, split into windows.',
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
