import { map as mapRight } from 'fp-ts/lib/Either';
import { pipe } from 'fp-ts/lib/function';
import * as t from 'io-ts';
import { isBlank } from '../json/blank';
import { isCount } from '../json/numeric';
import { totalPlace } from './completeness';
import { codec, expected, map, noting, refine, refuse, type Codec } from './codec';
import type { Stops } from './pagination';
import { integer, isMissing, numeric, numericValue, strictBoolean, string, text } from './primitives';
import { always, optional, record, required } from './record';
import { together } from './together';
import { anyKey } from './unknown-key';

type LimitStop = NonNullable<Stops['limitStop']>;

const limitStop: Codec<LimitStop> = refine(
  'LimitStop',
  record('LimitStopAsWritten', { count: optional(numeric), field: optional(text) }),
  ({ count, field }, context, input): t.Validation<LimitStop> => {
    if (count !== undefined && field !== undefined)
      return refuse(input, context, 'both "count" and "field" are given: write only one of them');
    if (count !== undefined) return t.success({ count });
    if (field !== undefined) return t.success({ field });
    return refuse(input, context, 'required: one of "count" and "field"');
  },
);

/** Seconds, or relative text such as `1 hour`. */
const time: Codec<number | string> = codec<number | string>('ForceStopTime', (input, context) => {
  const seconds = numericValue(input);
  if (seconds !== undefined) return t.success(seconds);
  return typeof input === 'string' ? t.success(input) : expected('seconds or text such as "1 hour"', input, context);
});

const forceStop = record('ForceStop', { pages: optional(numeric), time: optional(time), volume: optional(numeric) });

const stopOn: Codec<boolean> = codec('StopOn', (input, context) =>
  isMissing(input)
    ? refuse(input, context, 'required: true or false; paging stops when the field has this value')
    : strictBoolean.validate(input, context),
);

const ifNotSet: Codec<boolean | undefined> = codec('IfNotSet', (input, context) =>
  isMissing(input) ? t.success(undefined) : strictBoolean.validate(input, context),
);

const nextPageFlag: Codec<NonNullable<Stops['nextPageFlag']>> = map(
  'NextPageFlag',
  record('NextPageFlagAsWritten', {
    field: required(string, 'the key of the response that says whether there is a next page'),
    stopOn: always(stopOn),
    ifNotSet: always(ifNotSet),
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

const fields = {
  limitStop: optional(limitStop),
  forceStop: optional(forceStop),
  nextPageFlag: optional(nextPageFlag),
  total: optional(totalPlace),
};
const oldFields = { pages: optional(oldPages) };

/** The keys that stand beside the options of any method. */
export const stopNames: readonly string[] = Object.keys({ ...fields, ...oldFields });

const stopsAsWritten: Codec<Stops> = record('StopsAsWritten', fields, anyKey);
const oldKeys = record('OldKeys', oldFields, anyKey);

/** The common stops (language 5.2), read from the object in which they stand beside other options. */
export const stops: Codec<Stops> = codec(
  'Stops',
  (input, context) =>
    pipe(
      together({ written: stopsAsWritten.validate(input, context), old: oldKeys.validate(input, context) }),
      mapRight(({ written }) => written),
    ),
  (input, path) => [...stopsAsWritten.notes(input, path), ...oldKeys.notes(input, path)],
);
