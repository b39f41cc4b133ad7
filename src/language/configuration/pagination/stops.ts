import { map as mapRight } from 'fp-ts/lib/Either';
import { pipe } from 'fp-ts/lib/function';
import * as t from 'io-ts';
import { isBlank } from '../../../core/json/blank';
import { isCount } from '../../../core/json/numeric';
import { onlyOneOf } from '../../codec/only-one-of';
import { totalHeader, totalPlace } from '../jobs/completeness';
import { codec, expected, map, noting, refine, refuse, type Codec } from '../../codec/codec';
import type { Stops } from './pagination';
import { path } from '../../codec/path';
import { integer, isMissing, numeric, numericValue, strictBoolean, string } from '../../codec/primitives';
import { always, optional, record, requiredUnless } from '../../codec/record';
import { together } from '../../codec/together';
import { tolerant } from '../../codec/schema';
import { anyKey } from '../../codec/unknown-key';

type LimitStop = NonNullable<Stops['limitStop']>;

const limitStop: Codec<LimitStop> = onlyOneOf(
  'LimitStop',
  record('LimitStopAsWritten', {
    count: optional(numeric, { about: 'Pagination ends when so many items were given.', unit: 'items', example: 1000 }),
    field: optional(path, {
      about: 'The path in the answer of the number of items at which pagination ends.',
      example: 'meta.total',
    }),
    header: optional(totalHeader, {
      about:
        'The header of the answer that has the number of items at which pagination ends, by itself or behind a slash as in `items 0-24/66`.',
      example: 'X-Total-Count',
    }),
  }),
  ['count', 'field', 'header'],
  ({ count, field, header }): LimitStop | undefined => {
    if (count !== undefined) return { count };
    if (field !== undefined) return { path: field };
    return header === undefined ? undefined : { header };
  },
);

/** A time limit: seconds, or a relative time such as `1 hour`. */
const time: Codec<number | string> = codec<number | string>(
  'ForceStopTime',
  { type: ['number', 'string'] },
  (input, context) => {
    const seconds = numericValue(input);
    if (seconds !== undefined) return t.success(seconds);
    return typeof input === 'string'
      ? t.success(input)
      : expected('seconds or a string such as "1 hour"', input, context);
  },
);

const forceStop = record('ForceStop', {
  pages: optional(numeric, { about: 'Pagination ends after so many pages.', unit: 'pages', example: 20 }),
  time: optional(time, {
    about: 'Pagination ends when so much time has passed: seconds, or words such as `1 hour`.',
    unit: 'seconds',
    example: '1 hour',
  }),
  volume: optional(numeric, {
    about: 'Pagination ends after so many bytes of answers.',
    unit: 'bytes',
    example: 10000000,
  }),
});

const stopOn: Codec<boolean> = codec('StopOn', { type: 'boolean' }, (input, context) =>
  isMissing(input)
    ? refuse(input, context, 'required: true or false; pagination stops when the field has this value')
    : strictBoolean.validate(input, context),
);

const ifNotSet: Codec<boolean | undefined> = codec(
  'IfNotSet',
  tolerant({ type: 'boolean' }, { type: 'null' }),
  (input, context) => (isMissing(input) ? t.success(undefined) : strictBoolean.validate(input, context)),
);

const nextPageFlag: Codec<NonNullable<Stops['nextPageFlag']>> = map(
  'NextPageFlag',
  record('NextPageFlagAsWritten', {
    field: requiredUnless(string, 'path', 'the key of the response that says whether there is a next page', {
      about: 'The key of the answer that says whether there is a next page.',
      example: 'has_more',
    }),
    path: optional(path, {
      about: 'The path in the answer of the field, in place of `field`, where it is no key of the answer itself.',
      example: 'meta.has_more',
    }),
    stopOn: always(stopOn, {
      about: 'The value of the field at which pagination ends: true or false.',
      example: false,
    }),
    ifNotSet: always(ifNotSet, {
      about: 'The value that counts where the answer does not have the field.',
      example: true,
      default: 'as `stopOn`',
    }),
  }),
  (flag) => ({ ...flag, ifNotSet: flag.ifNotSet ?? flag.stopOn }),
);

const oldPages: Codec<number> = noting(
  refine('OldPages', integer, (pages, context, input) =>
    typeof input === 'string' && !isCount(input) ? expected('an integer', input, context) : t.success(pages),
  ),
  (input, path) =>
    isBlank(input)
      ? []
      : [{ path, message: 'has no effect: an old key; to stop after some pages use forceStop.pages' }],
);

/** The keys that stand beside the options of any method. */
export const stopFields = {
  limitStop: optional(limitStop, {
    distinctive: true,
    about: 'Ends the pagination at a number of items.',
    example: { count: 1000 },
  }),
  forceStop: optional(forceStop, {
    distinctive: true,
    about: 'Ends the pagination after a number of pages, a time, or a volume.',
    example: { pages: 20 },
  }),
  nextPageFlag: optional(nextPageFlag, {
    distinctive: true,
    about: 'Ends the pagination by a field of the answer.',
    example: { field: 'has_more', stopOn: false },
  }),
  stopWhenEmpty: optional(strictBoolean, {
    distinctive: true,
    about: 'Whether a page without items ends the pagination, for APIs that give a token or an address on every page.',
    example: true,
  }),
  total: optional(totalPlace, {
    about:
      'Where the answer says how many items there are: a path, or an object with `path` or `header`. Pagination goes on until they are there, and their number is checked.',
    example: 'meta.total',
  }),
};
const oldFields = {
  pages: optional(oldPages, { about: 'An old key without effect.', example: 1, isOld: true }),
};

/** Their names, old ones included. */
export const stopNames: readonly string[] = Object.keys({ ...stopFields, ...oldFields });

const stopsAsWritten: Codec<Stops> = record('StopsAsWritten', stopFields, anyKey);
const oldKeys = record('OldKeys', oldFields, anyKey);

/** The common stops (docs/language/stops.md), read from the object in which they stand beside other options. */
export const stops: Codec<Stops> = codec(
  'Stops',
  () => stopsAsWritten.schema(),
  (input, context) =>
    pipe(
      together({ written: stopsAsWritten.validate(input, context), old: oldKeys.validate(input, context) }),
      mapRight(({ written }) => written),
    ),
  (input, path) => [...stopsAsWritten.notes(input, path), ...oldKeys.notes(input, path)],
);
