import type { Input } from './codec';
import { likelyMeant } from './suggest';

/** What to say about a key that is no field of a record; nothing when it may stand there. */
export type Strangers = (key: string, value: Input, names: readonly string[]) => string | undefined;

const group = (place: string, ...keys: readonly string[]): readonly (readonly [string, string])[] =>
  keys.map((key) => [key, place] as const);

/** Where the well-known keys belong, for those that stand elsewhere. */
const HOMES: ReadonlyMap<string, string> = new Map([
  ...group('the root, beside api and config', 'iterations', 'sshProxy', 'aws', 'cache', 'api', 'config'),
  ...group('api', 'baseUrl', 'authentication', 'pagination', 'retryConfig', 'caCertificate', '#clientCertificate'),
  ...group('api.http', 'headers', 'defaultOptions', 'requiredHeaders', 'ignoreErrors', 'allowedHosts'),
  ...group('api.http', 'connectTimeout', 'requestTimeout', 'maxRequests', 'maxRequestsPerOrigin'),
  ...group('api.http, or to a job', 'rateLimit'),
  ...group('api.retryConfig', 'maxRetries', 'maxDelay', 'firstConnection', 'jitter'),
  ...group('api.retryConfig.http', 'codes', 'retryHeader'),
  ...group('api.authentication', 'loginRequest', 'apiRequest', 'expires', 'persist', 'format', 'query'),
  ...group('api.pagination', 'limitStop', 'forceStop', 'nextPageFlag', 'scrollers', 'limit', 'limitParam'),
  ...group(
    'config',
    'jobs',
    'mappings',
    'outputBucket',
    'incrementalOutput',
    'debug',
    'compatLevel',
    'userData',
    'primaryKeys',
  ),
  ...group('a job', 'endpoint', 'dataField', 'dataType', 'children', 'placeholders', 'recursionFilter'),
  ...group('a job', 'responseFilter', 'responseFilterDelimiter', 'scroller', 'primaryKey'),
  ...group('a job', 'body', 'batch', 'batchSeparator', 'batchStyle', 'placeholdersInParams', 'functionsInLists'),
]);

/** No warnings: any key may stand there. */
export const anyKey: Strangers = () => undefined;

/**
 * Says that a key has no effect, and what was likely meant (language 1.2).
 *
 * @param hints for keys that are often put here: where they belong, or what to write
 */
export const unknownKey =
  (hints: Readonly<Record<string, string>> = {}): Strangers =>
  (key, _, names) => {
    if (Object.hasOwn(hints, key)) return `has no effect here; ${hints[key]}`;
    const [first = '', ...rest] = key.split('.');
    if (rest.length > 0 && names.includes(first))
      return `has no effect: a key is one name, not a path; did you mean "${rest.join('.')}" inside "${first}"?`;
    const meant = likelyMeant(key, names);
    if (meant !== undefined) return `has no effect: unknown key; did you mean "${meant}"?`;
    const home = HOMES.get(key);
    return home === undefined ? 'has no effect: unknown key' : `has no effect here; it belongs to ${home}`;
  };
