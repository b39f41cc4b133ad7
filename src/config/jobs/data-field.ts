import * as t from 'io-ts';
import { isObject } from '../../json/keys';
import { codec, expected, type Codec } from '../../codec/codec';
import { mistaken } from '../../codec/unknown-key';
import { jsonPathOf } from '../../json/json-path';
import type { Job } from '../configuration';
import { string, text } from '../../codec/primitives';
import { record, required, withDefault } from '../../codec/record';

const DELIMITER = '.';

const withDelimiter = record('DataFieldObject', {
  path: required(string, 'the path of the items in the response', {
    about: 'The path in the answer of the array of items.',
    example: 'data/ships',
  }),
  delimiter: withDefault(text, DELIMITER, { about: 'What separates the keys of the path.', example: '/' }),
});

/**
 * `dataField` of a job (docs/language/responses.md#where-the-items-are): a path, or an object with a path and its
 * delimiter.
 */
export const dataField: Codec<NonNullable<Job['dataField']>> = codec(
  'DataField',
  () => ({ anyOf: [{ type: 'string' }, withDelimiter.schema()] }),
  (input, context) => {
    if (typeof input === 'string') return t.success({ path: input, delimiter: DELIMITER });
    return isObject(input)
      ? withDelimiter.validate(input, context)
      : expected('a path as a string, or an object with "path"', input, context);
  },
  (input, path) => {
    if (typeof input !== 'string') return withDelimiter.notes(input, path);
    const isBroken = /^\$[.[]/.test(input) && jsonPathOf(input) === undefined;
    return isBroken
      ? [{ path, ...mistaken('is no JSON path (RFC 9535), although it begins like one: it is taken as keys') }]
      : [];
  },
);
