/** What a login answered (docs/language/authentication.md#logging-in), and places in it. */
import { flatten } from '../../core/json/flatten';
import { valueAt } from '../../core/json/path';
import type { Headers, Json, JsonObject, JsonScalar } from '../../core/model';

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

/** The values of a login response by their flattened names. */
export const valuesOf = ({ content, headers }: GivenByLogin): LoginValues => ({
  response: flatten(content),
  responseHeader: new Map(Object.entries(headers).map(([name, value]) => [name, lineOf(value)])),
});

/** What stands at a place; `undefined` where nothing does. */
export function valueIn({ content, headers }: GivenByLogin, place: LoginPlace): Json | undefined {
  if (typeof place === 'string') return valueAt(content, place);
  const found = headers[place.responseHeader.toLowerCase()];
  return found === undefined ? undefined : lineOf(found);
}

/** As {@link valueIn}, of what is no structure. */
export const scalarIn = ({ response, responseHeader }: LoginValues, place: LoginPlace): JsonScalar | undefined =>
  typeof place === 'string' ? response.get(place) : responseHeader.get(place.responseHeader.toLowerCase());

/** For a message: `"a.b" of the login response`. */
export const placeText = (place: LoginPlace): string =>
  typeof place === 'string'
    ? `"${place}" of the login response`
    : `the header "${place.responseHeader}" of the login response`;

/** Several lines of a header mean what one with commas means (RFC 9110 section 5.3). */
const lineOf = (value: string | readonly string[]): string => [value].flat().join(', ');
