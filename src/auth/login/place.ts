/** The response of a login (docs/language/authentication.md#logging-in), and places in it. */
import { flatten, isObject } from '../../core/json/objects';
import { valueAt } from '../../core/json/path';
import type { Headers, Json, JsonObject, JsonScalar } from '../../core/model';
import { codec, expected, map, noting } from '../../language/codec/codec';
import type { Codec } from '../../language/codec/codec';
import { string } from '../../language/codec/primitives';
import { record, required } from '../../language/codec/record';
import { pathNotes } from '../../language/codec/values';

/** The content of a login response, and its headers by lower-case name. */
export interface GivenByLogin {
  readonly content: JsonObject;
  readonly headers: Headers;
}

/** A path in the content, or a header. */
export type LoginPlace = string | { readonly responseHeader: string };

/** The contexts of expressions about a login response. */
export interface LoginValues {
  readonly response: ReadonlyMap<string, JsonScalar>;
  readonly responseHeader: ReadonlyMap<string, string>;
}

/** Returns the values of a login response by their flattened names. */
export const valuesOf = ({ content, headers }: GivenByLogin): LoginValues => ({
  response: flatten(content),
  responseHeader: new Map(Object.entries(headers).map(([name, value]) => [name, lineOf(value)])),
});

/** Returns the value at a place; `undefined` if there is none. */
export function valueIn({ content, headers }: GivenByLogin, place: LoginPlace): Json | undefined {
  if (typeof place === 'string') return valueAt(content, place);
  const found = headers[place.responseHeader.toLowerCase()];
  return found === undefined ? undefined : lineOf(found);
}

/** Does the same as {@link valueIn} for scalars. */
export const scalarIn = ({ response, responseHeader }: LoginValues, place: LoginPlace): JsonScalar | undefined =>
  typeof place === 'string' ? response.get(place) : responseHeader.get(place.responseHeader.toLowerCase());

/** Returns a place for a message: `"a.b" of the login response`. */
export const placeText = (place: LoginPlace): string =>
  typeof place === 'string'
    ? `"${place}" of the login response`
    : `the header "${place.responseHeader}" of the login response`;

/** Joins the lines of a header with commas, which has the same meaning (RFC 9110 section 5.3). */
const lineOf = (value: string | readonly string[]): string => [value].flat().join(', ');

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
