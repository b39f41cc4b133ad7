import * as t from 'io-ts';
import { isObject } from '../../../core/json/keys';
import { codec, expected, type Codec } from '../../codec/codec';
import { pathNotes } from '../../codec/path';
import type { Job } from '../configuration';
import { string, text, valueOf } from '../../codec/primitives';
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
    if (typeof input === 'string') return pathNotes(input, path);
    const inside =
      valueOf(input, 'delimiter') === undefined ? pathNotes(valueOf(input, 'path'), [...path, 'path']) : [];
    return [...inside, ...withDelimiter.notes(input, path)];
  },
);
