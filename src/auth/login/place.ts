import { codec, expected, map, noting, type Codec } from '../../language/codec/codec';
import { pathNotes } from '../../language/codec/path';
import { string } from '../../language/codec/primitives';
import { record, required } from '../../language/codec/record';
import { isObject } from '../../core/json/keys';
import type { LoginPlace } from './given';

const inResponse = map(
  'PlaceInLoginResponse',
  record('PlaceInLoginResponseAsWritten', {
    response: required(noting(string, pathNotes), 'a path in the login response', {
      about: 'The path in the response of the login.',
      example: 'refresh_token',
    }),
  }),
  ({ response }): LoginPlace => response,
);

const inHeader = map(
  'HeaderOfLoginResponse',
  record('HeaderOfLoginResponseAsWritten', {
    responseHeader: required(string, 'the name of a header of the login response', {
      about: 'The name of a header of that response.',
      example: 'X-Subject-Token',
    }),
  }),
  ({ responseHeader }): LoginPlace => ({ responseHeader }),
);

const placeFor = (input: unknown): Codec<LoginPlace> =>
  typeof input === 'object' && input !== null && Object.hasOwn(input, 'responseHeader') ? inHeader : inResponse;

/** `{"response": path}`, or the path alone, or `{"responseHeader": name}`. */
export const loginPlace: Codec<LoginPlace> = codec(
  'LoginPlace',
  () => ({ anyOf: [string.schema(), inResponse.schema(), inHeader.schema()] }),
  (input, context) => {
    if (typeof input === 'string') return string.validate(input, context);
    if (!isObject(input)) return expected('{"response": a path in the login response}', input, context);
    return placeFor(input).validate(input, context);
  },
  (input, path) => (isObject(input) ? placeFor(input).notes(input, path) : pathNotes(input, path)),
);
