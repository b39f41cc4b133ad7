import * as t from 'io-ts';
import { parseJson } from '../../../core/json/parse';
import { isObject, ownValue } from '../../../core/json/keys';
import type { JsonObject } from '../../../core/model';
import { isAbsolute } from '../../../core/url/address';
import { parseUrl } from '../../../core/url/parse-url';
import { codec, expected, noting, type Codec, type Input } from '../../codec/codec';

/** The deprecated spelling of a function: JSON text inside a string. */
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
