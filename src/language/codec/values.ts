/**
 * Codecs of values that several parts of the configuration share: methods, addresses, endpoints, paths, concurrency, and JSON in
 * strings.
 */
import * as t from 'io-ts';
import { isList, isObject, ownValue } from '../../core/json/objects';
import { parseJson } from '../../core/json/parse';
import { jsonPathFault, withoutBrackets } from '../../core/json/path';
import { isBlank, isScalar, textOf, typeName } from '../../core/json/scalars';
import type { Json, JsonObject } from '../../core/model';
import { codec, expected, noting, refine, refuse } from './codec';
import type { Codec, Input } from './codec';
import type { Finding, Path } from './finding';
import { constant, integer, integerFrom, isMissing, list, object, oneOfAnyCase, text, string } from './primitives';
import { EXPRESSION, tolerant } from './schema';
import { ignored, mistaken } from './unknown-key';
import { isAbsolute, parseUrl } from '../../core/url/address';

/** The method of a login request (docs/language/requests.md#methods): `FORM` is a POST with a form body. */
export type LoginMethod = 'GET' | 'POST' | 'FORM';

/** The method of a job's request: `PUT`, `PATCH` and `DELETE` are extensions (docs/language/requests.md#bodies). */
export type Method = LoginMethod | 'PUT' | 'PATCH' | 'DELETE';

const LOGIN_METHODS = ['GET', 'POST', 'FORM'] as const;
/** The methods of a job's requests. */
export const METHODS = [...LOGIN_METHODS, 'PUT', 'PATCH', 'DELETE'] as const;

/** `method` of a login request (docs/language/authentication.md#logging-in), in any case. */
export const loginMethod = oneOfAnyCase('LoginMethod', LOGIN_METHODS);

/**
 * `method` of a job or a scroll request (docs/language/requests.md#methods, docs/language/requests.md#bodies), in any
 * case.
 */
export const httpMethod = oneOfAnyCase('Method', METHODS);

/**
 * An endpoint (docs/language/requests.md#endpoints) is a string that is not empty. Functions are not evaluated in it.
 */
export const endpoint: Codec<string> = codec('Endpoint', { type: 'string', minLength: 1 }, (input, context) => {
  if (typeof input === 'string' && input !== '') return t.success(input);
  const hint = isObject(input) ? '; functions are not evaluated here, but in api.baseUrl they are' : '';
  return expected('the path or URL as a string', input, context, hint);
});

/** A name in braces. */
export interface NameInBraces {
  readonly name: string;
  /** The name as it is written. */
  readonly written: string;
  /** The text before it. */
  readonly before: string;
}

export const namesInBraces = (text: string): readonly NameInBraces[] =>
  [...text.matchAll(/\{([^{}]+)\}/g)].map(({ 0: written, 1: name = '', index }) => ({
    ...{ name, written, before: text.slice(0, index) },
  }));

/** Matches what may be the name of a placeholder: a query may hold other text in braces, such as JSON. */
const NAME = /^(?:\d+:)?[\p{L}\p{N}_.#-]+$/u;

/**
 * Returns the finding about a name in braces in an endpoint that nothing fills: a mistake in its path; in its query it may be meant.
 *
 * @param remedy what fills it
 */
export function unfilledName(
  { name, written, before }: NameInBraces,
  path: Path,
  remedy: string,
  hint = '',
): readonly Finding[] {
  if (!NAME.test(name)) return [];
  const message =
    `nothing fills ${written}, so it would be sent as %7B${name}%7D${hint === '' ? '.' : hint} ` +
    `${remedy}, or write %7B${name}%7D if that is meant`;
  return [{ path, ...(before.includes('?') ? ignored(message) : mistaken(message)) }];
}

/**
 * The endpoint of a login, or an expression for one, which stays as it is (docs/language/expressions.md#places). Nothing fills names in braces
 * there.
 */
export const computedEndpoint: Codec<string | JsonObject> = noting(
  codec<string | JsonObject>(
    'ComputedEndpoint',
    () => ({ anyOf: [endpoint.schema(), { title: 'Expression', type: 'object' }] }),
    (input, context) => (isObject(input) ? t.success(input) : endpoint.validate(input, context)),
  ),
  (input, path) =>
    typeof input === 'string'
      ? namesInBraces(input).flatMap((found) =>
          unfilledName(found, path, 'Join the endpoint by {"function": "concat", "args": ["a/", {"attr": "b"}]}'),
        )
      : [],
);

/**
 * Returns the findings about a path in JSON (docs/language/README.md#paths): a malformed JSON path is a mistake; a
 * position in brackets is part of a key, which the author may have intended.
 */
export function pathNotes(written: Input, path: Path): readonly Finding[] {
  if (typeof written !== 'string') return [];
  const fault = jsonPathFault(written);
  if (fault !== undefined)
    return [{ path, ...mistaken(`is no JSON path (RFC 9535), although it begins like one: ${fault}`) }];
  const meant = withoutBrackets(written);
  return meant === undefined ? [] : [{ path, ...ignored(bracketsNote(written, meant)) }];
}

/** Returns the message about a path with brackets. */
export const bracketsNote = (written: string, meant: string): string =>
  `takes the brackets in "${written}" for a part of a key; did you mean "${meant}"?`;

/** A path in JSON. */
export const path: Codec<string> = noting(text, pathNotes);

/** Returns the codec of a list of codes that replaces the default; an empty list switches the feature off. */
export const codesOr = (whenAbsent: readonly number[], code = integer): Codec<readonly number[]> => {
  const codes = list(code);
  return codec('Codes', codes.schema, (input, context) =>
    isBlank(input) && !isList(input) ? t.success(whenAbsent) : codes.validate(input, context),
  );
};

/** Options for concurrency and for reading ahead (docs/language/concurrency.md). */

const some = integerFrom(1, 1000);
const automatic = constant('auto');

/** The number of concurrent jobs or calls of children: a number, or as many as the API can handle. */
export const concurrency: Codec<number | 'auto'> = codec<number | 'auto'>(
  'Concurrency',
  () => ({ anyOf: [some.schema(), automatic.schema()] }),
  (input, context) => (input === 'auto' ? automatic : some).validate(input, context),
);

/** The number of pages that may wait for the consumer. */
export const prefetch = integerFrom(0, 10_000);

/** A string that is not empty, or an expression for one. */
export const secretValue: Codec<string | JsonObject> = codec<string | JsonObject>(
  'SecretValue',
  () => tolerant({ allOf: [EXPRESSION], type: ['string', 'object'] }, { type: 'number' }),
  (input, context) => {
    if (isObject(input)) return t.success(input);
    const text = isScalar(input) ? textOf(input) : '';
    return text === '' ? expected('a string that is not empty, or an expression', input, context) : t.success(text);
  },
);

/** Codecs of strings that hold JSON, such as `#data` of OAuth credentials. Their content is never shown. */

/** Returns the codec of a string or number that must be present, even if empty. */
export const given = (why: string): Codec<string> =>
  codec('Given', { type: ['string', 'number'] }, (input, context) => {
    if (isMissing(input)) return refuse(input, context, `required: ${why}`);
    return typeof input === 'string' || typeof input === 'number' || typeof input === 'bigint'
      ? t.success(textOf(input))
      : expected('a string', input, context);
  });

/** JSON of any kind in a string. */
export const jsonString: Codec<Json> = refine('JsonString', given('JSON in a string'), (text, context) => {
  try {
    return t.success(parseJson(text));
  } catch {
    return refuse(text, context, 'expected JSON in a string, found a string that is not valid JSON');
  }
});

/** Returns the codec of a JSON object in a string, read by another codec. */
export function objectString<A>(inner: Codec<A>): Codec<A> {
  return refine('ObjectString', jsonString, (value, context) =>
    isObject(value)
      ? inner.validate(value, context)
      : refuse(value, context, `expected a JSON object in a string, found JSON of type "${typeName(value)}"`),
  );
}

/** A JSON object of any keys in a string. */
export const anyObjectString: Codec<JsonObject> = objectString(object);

/** A string, even if empty, or a number as a string. */
export const anyString: Codec<string> = given('a string');

/** Reads the deprecated spelling of a function: JSON text inside a string. */
function encodedFunction(input: Input): JsonObject | undefined {
  if (typeof input !== 'string' || !input.trimStart().startsWith('{')) return undefined;
  try {
    const value = parseJson(input);
    return isObject(value) && ownValue(value, 'function') !== undefined ? value : undefined;
  } catch {
    return undefined;
  }
}

/**
 * `api.baseUrl` (docs/language/requests.md#base-url): a literal http(s) URL, or an expression, which stays as it is.
 */
export const baseUrl: Codec<string | JsonObject> = noting(
  codec<string | JsonObject>(
    'BaseUrl',
    {
      anyOf: [
        { type: 'string', pattern: '^([hH][tT][tT][pP][sS]?:|\\s*\\{)' },
        { title: 'Expression', type: 'object', additionalProperties: {} },
      ],
    },
    (input, context) => {
      if (isObject(input)) return t.success(input);
      const decoded = encodedFunction(input);
      if (decoded !== undefined) return t.success(decoded);
      if (typeof input === 'string' && isAbsolute(input) && parseUrl(input) !== undefined) return t.success(input);
      return expected('a valid URL that starts with http:// or https://, or a function', input, context);
    },
  ),
  (input, path) =>
    encodedFunction(input) === undefined
      ? []
      : [{ path, message: 'deprecated: a function as JSON text; write the object itself' }],
);

const isHost = (entry: string): boolean => {
  const url = parseUrl(isAbsolute(entry) ? entry : `http://${entry}`);
  if (url === undefined) return false;
  const { pathname, search, hash, username, password } = url;
  return `${pathname}${search}${hash}${username}${password}` === '/' && !entry.endsWith('/');
};

/** A host that a person trusts: `host`, `host:port` or `scheme://host[:port]`. */
export const trustedHost: Codec<string> = refine('TrustedHost', string, (entry, context) =>
  isHost(entry)
    ? t.success(entry)
    : expected('a host such as "api.example.com", "api.example.com:8443" or "https://api.example.com"', entry, context),
);
