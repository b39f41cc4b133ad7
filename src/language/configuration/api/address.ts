import * as t from 'io-ts';
import { isObject, ownValue } from '../../../core/json/objects';
import { parseJson } from '../../../core/json/parse';
import type { JsonObject } from '../../../core/model';
import { isAbsolute, parseUrl } from '../../../core/url/address';
import { codec, expected, noting, refine } from '../../codec/codec';
import type { Codec, Input } from '../../codec/codec';
import { string } from '../../codec/primitives';

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
