import type { Input } from './codec';
import type { Finding } from './finding';
import { likelyMeant } from './suggest';

/** What is said about a key; with the code, the key is refused unless decoding is lenient. */
export type KeyComplaint = Omit<Finding, 'path'>;

/** What to say about a key that is no field of a record; nothing when it may stand there. */
export type KeyJudge = (key: string, value: Input, names: readonly string[]) => KeyComplaint | undefined;

/** A key that means nothing here, while it is known which one was meant, or where it belongs: a mistake. */
export const mistaken = (message: string): KeyComplaint => ({ message, code: 'MISTAKEN_KEY' });

/** A key without effect that its author may well have meant as it stands: worth a warning, never a refusal. */
export const ignored = (message: string): KeyComplaint => ({ message });

/** No warnings: any key may stand there. */
export const anyKey: KeyJudge = () => undefined;

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
  ...group('api.pagination', 'offsetParam', 'offsetFromJob', 'pageParam', 'firstPage', 'firstPageParams', 'urlKey'),
  ...group(
    'api.pagination',
    'responseParam',
    'responseHeader',
    'queryParam',
    'includeParams',
    'idKey',
    'scrollRequest',
  ),
  ...group('config', 'jobs', 'mappings', 'outputBucket', 'incrementalOutput', 'debug', 'compatLevel', 'userData'),
  ...group('config', 'primaryKeys', 'requestLimit', 'concurrency', 'prefetch', 'ordered', 'sinks'),
  ...group('a job', 'endpoint', 'dataField', 'dataType', 'children', 'placeholders', 'recursionFilter'),
  ...group('a job', 'responseFilter', 'responseFilterDelimiter', 'scroller', 'primaryKey', 'incremental'),
  ...group('a job', 'body', 'batch', 'batchSeparator', 'batchStyle', 'placeholdersInParams', 'functionsInLists'),
]);

/** Shorter names are too near to words that people write for themselves, as `code` is to `codes`. */
const LEAST_LENGTH = 6;
const LONG_NAMES = [...HOMES.keys()].filter(({ length }) => length >= LEAST_LENGTH);

/** People switch a key off, or write notes, with a sign before it: `_params`, `//dataField`, `$comment`. */
const isSwitchedOff = (key: string): boolean => /^[^\p{L}\p{N}#\s"']/u.test(key);

/**
 * Says that a key has no effect, and what was likely meant (language 1.2). Where that is known, the key is a mistake.
 *
 * @param hints for keys that are often put here: where they belong, or what to write
 */
export const unknownKey =
  (hints: Readonly<Record<string, string>> = {}): KeyJudge =>
  (key, _, names) => {
    if (Object.hasOwn(hints, key)) return mistaken(`has no effect here; ${hints[key]}`);
    if (isSwitchedOff(key)) return ignored('has no effect: unknown key');
    const [first = '', ...rest] = key.split('.');
    if (rest.length > 0 && names.includes(first))
      return mistaken(
        `has no effect: a key is one name, not a path; did you mean "${rest.join('.')}" inside "${first}"?`,
      );
    const meant = likelyMeant(key, names);
    if (meant !== undefined) return { ...mistaken(`has no effect: unknown key; did you mean "${meant}"?`), meant };
    return elsewhere(key) ?? ignored('has no effect: unknown key');
  };

/** A key that is known at another place, or misspells such a one. */
function elsewhere(key: string): KeyComplaint | undefined {
  const home = HOMES.get(key);
  if (home !== undefined) return mistaken(`has no effect here; it belongs to ${home}`);
  const meant = likelyMeant(key, LONG_NAMES, 1);
  return meant === undefined
    ? undefined
    : mistaken(`has no effect: unknown key; did you mean "${meant}"? It belongs to ${HOMES.get(meant)}`);
}
