/** Computes what a configuration asks of the API, without settings that only say how to ask, or where the data goes. */
import { createHash } from 'node:crypto';
import { entriesOf, isList, isObject, objectFrom, ownValue } from '../../core/json/objects';
import { stringifyJson } from '../../core/json/stringify';
import type { Json, JsonObject } from '../../core/model';

/** The keys that do not affect the items of an API, by the place of their object. */
const WITHOUT_INFLUENCE: Readonly<Record<string, readonly string[]>> = {
  root: ['cache', 'sshProxy'],
  api: ['name', 'pagination', 'retryConfig', 'caCertificate'],
  http: [
    ...['maxRequests', 'maxRequestsPerOrigin', 'rateLimit', 'connectTimeout', 'requestTimeout'],
    ...['ignoreErrors', 'rules', 'format'],
  ],
  config: [
    ...['id', 'outputBucket', 'incrementalOutput', 'load', 'mappings', 'primaryKeys', 'userData', 'runColumns'],
    ...['sinks', 'maxColumns', 'completeness', 'requestLimit', 'concurrency', 'prefetch', 'ordered', 'debug'],
  ],
  jobs: [
    ...['id', 'scroller', 'load', 'primaryKey', 'nested', 'columnTypes', 'userData', 'format', 'stream'],
    ...['responseFilter', 'responseFilterDelimiter', 'concurrency', 'prefetch', 'requestLimit', 'rateLimit', 'rules'],
    ...['total', 'equalPages', 'completeness', 'optionalFields'],
  ],
  incremental: ['lag', 'initial', 'until'],
};

/** The places inside other places, by key; the values of all other keys count completely. */
const WITHIN: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  root: { api: 'api', config: 'config', iterations: 'config' },
  api: { http: 'http' },
  http: { defaultOptions: 'defaults' },
  defaults: { params: 'params' },
  config: { jobs: 'jobs' },
  jobs: { children: 'jobs', incremental: 'incremental', params: 'params' },
};

/** Parameters for the number of items on a page; they are ignored if their values are numbers. */
const PAGE_SIZE = /^(?:limit|per_?page|page_?size|page\[(?:size|limit)\]|max_?results|\$top)$/i;

const isPageSize = (key: string, value: Json): boolean =>
  PAGE_SIZE.test(key) && (typeof value === 'number' || (typeof value === 'string' && /^\d+$/.test(value)));

/**
 * Returns the part of a value that affects the items.
 *
 * @param place one of {@link WITHIN}, or another string
 */
function asked(value: Json, place: string): Json {
  if (isList(value)) return value.map((element) => asked(element, place));
  if (!isObject(value)) return value;
  const ignored = WITHOUT_INFLUENCE[place] ?? [];
  const counts = (key: string, inner: Json): boolean =>
    !key.startsWith('#') &&
    !key.startsWith('//') &&
    !ignored.includes(key) &&
    !(place === 'params' && isPageSize(key, inner));
  return objectFrom(
    entriesOf(value).flatMap(([key, inner]) => {
      if (!counts(key, inner)) return [];
      const left = asked(inner, WITHIN[place]?.[key] ?? '');
      // Parameters with nothing but a page size count as no parameters.
      return key === 'params' && isObject(left) && entriesOf(left).length === 0 ? [] : [[key, left] as const];
    }),
  );
}

const digest = (value: Json): string => createHash('sha256').update(stringifyJson(value)).digest('base64url');

/**
 * Returns a digest that differs between configurations that ask for different items. Secrets, page sizes, limits and
 * the handling of the items do not count.
 *
 * @example askedBy({ api: { baseUrl: 'https://api.example/' }, config: { jobs: [{ endpoint: 'users' }] } })
 */
export const askedBy = (config: Json): string => digest(asked(documentIn(config), 'root'));

/**
 * Returns a digest that differs between jobs that ask for different items, in any configuration: by the API, its login,
 * the attributes of the configuration, and the requests of the job and its parents.
 *
 * @param path the path of the job, for example `config.jobs[0].children[1]`
 */
export function askedByJob(config: Json, path: string): string {
  const document = documentIn(config);
  const { api = null, aws = null, config: settings = null } = isObject(document) ? document : {};
  const attributes = isObject(settings)
    ? objectFrom(entriesOf(settings).filter(([key]) => key !== 'jobs'))
    : ({} satisfies JsonObject);
  const jobs = jobsAt(document, path).map(withoutChildren);
  const whose = [asked(api, 'api'), asked(aws, ''), asked(attributes, 'config')];
  return digest([...whose, asked(jobs, 'jobs')]);
}

/**
 * Returns a digest for each job below a job: its children, their children, and so on. A child that is added later lacks
 * its items for all earlier parents.
 *
 * @param path the path of the job, for example `config.jobs[0]`
 */
export function askedBelow(config: Json, path: string): readonly string[] {
  const job = jobsAt(documentIn(config), path).at(-1);
  return job === undefined ? [] : digestsBelow(job, []);
}

function digestsBelow(job: JsonObject, above: readonly JsonObject[]): readonly string[] {
  const children = ownValue(job, 'children');
  if (!isList(children)) return [];
  return children.filter(isObject).flatMap((child) => {
    const chain = [...above, withoutChildren(child)];
    return [digest(asked(chain, 'jobs')), ...digestsBelow(child, chain)];
  });
}

const withoutChildren = (job: JsonObject): JsonObject =>
  objectFrom(entriesOf(job).filter(([key]) => key !== 'children'));

/** Returns the inner document: some tools wrap a configuration. */
function documentIn(config: Json): Json {
  const inner = isObject(config) ? ownValue(config, 'parameters') : undefined;
  return inner !== undefined && isObject(config) && ownValue(config, 'api') === undefined ? inner : config;
}

/** Returns the job at a path, preceded by its parents. */
function jobsAt(document: Json, path: string): readonly JsonObject[] {
  const jobs: JsonObject[] = [];
  let at: Json | undefined = document;
  for (const [, key, index] of path.matchAll(/([^.[\]]+)|\[(\d+)\]/g)) {
    if (key !== undefined) at = isObject(at) ? ownValue(at, key) : undefined;
    else {
      at = isList(at) ? at[Number(index)] : undefined;
      if (isObject(at)) jobs.push(at);
    }
  }
  return jobs;
}

/**
 * Returns a fingerprint that differs between configurations that ask for different data. Secrets, whose names begin
 * with `#`, do not count: they may be renewed while a run is interrupted. Settings that only judge a run do not count
 * either, so that a refused run can be resumed.
 *
 * It begins with the result of {@link configurationIn}.
 *
 * @example fingerprintOf({ api: { baseUrl: 'https://api.example/', '#token': 'a' } })
 */
export const fingerprintOf = (config: Json): string => {
  const exact = createHash('sha256')
    .update(stringifyJson(whatIsAsked(config, '')))
    .digest('base64url');
  return `${askedBy(config)}${SEPARATOR}${exact}`;
};

const SEPARATOR = '.';

/**
 * Returns the part of a fingerprint that is independent of page sizes, limits and destinations: the part for the
 * requested items.
 */
export const configurationIn = (fingerprint: string): string => fingerprint.split(SEPARATOR, 1)[0] ?? '';

/**
 * Settings that do not affect requests: limits of tables, the reaction to incomplete runs, columns of the run,
 * destinations.
 */
const JUDGING: ReadonlySet<string> = new Set(['maxColumns', 'completeness', 'runColumns', 'sinks']);

/**
 * Returns the part of a value that affects requests.
 *
 * @param place the key of the value, or of the array that holds it
 */
function whatIsAsked(value: Json, place: string): Json {
  if (isList(value)) return value.map((element) => whatIsAsked(element, place));
  if (!isObject(value)) return value;
  const isSettings = place === 'config' || place === 'iterations';
  const counts = (key: string): boolean => !key.startsWith('#') && !(isSettings && JUDGING.has(key));
  return objectFrom(
    entriesOf(value).flatMap(([key, inner]) => (counts(key) ? [[key, whatIsAsked(inner, key)] as const] : [])),
  );
}
