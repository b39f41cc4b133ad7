/** How a job takes a response that is too large to be held (docs/language/large-responses.md). */
import * as t from 'io-ts';
import { isObject } from '../../../core/json/keys';
import { codec, expected, type Codec } from '../../codec/codec';
import { integerFrom } from '../../codec/primitives';
import { optional, record } from '../../codec/record';
import { tolerant } from '../../codec/schema';

export interface StreamOptions {
  /** The most items of a page; absent: only bytes count. */
  readonly pageItems?: number;
}

const withItems = record('StreamObject', {
  pageItems: optional(integerFrom(1), {
    about: 'The most items of a page; a page is full with 1 MiB in any case.',
    example: 10000,
    unit: 'items',
  }),
});

/** `stream` of a job: `true`, or an object with options. */
export const stream: Codec<StreamOptions | undefined> = codec(
  'Stream',
  () => tolerant({ anyOf: [{ type: 'boolean' }, withItems.schema()] }, { type: 'null' }),
  (input, context) => {
    if (input === undefined || input === null || input === false || input === '' || input === 0)
      return t.success<StreamOptions | undefined>(undefined);
    if (input === true) return t.success<StreamOptions | undefined>({});
    return isObject(input)
      ? withItems.validate(input, context)
      : expected('true, false, or an object with "pageItems"', input, context);
  },
  (input, path) => (isObject(input) ? withItems.notes(input, path) : []),
);
