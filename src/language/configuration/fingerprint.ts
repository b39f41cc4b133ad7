/** What a configuration asks of the API, without what only says how it is asked, and where the answers go. */
import { createHash } from 'node:crypto';
import { entriesOf, isList, isObject, objectFrom, ownValue } from '../../core/json/objects';
import { stringifyJson } from '../../core/json/stringify';
import type { Json, JsonObject } from '../../core/model';

/** The keys, by the place that they stand in, which do not change which items an API gives. */
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
  incremental: ['lag', 'initial'],
};

/** The places that lie within others, by their keys; what stands under another key counts as it is. */
const WITHIN: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  root: { api: 'api', config: 'config', iterations: 'config' },
  api: { http: 'http' },
  http: { defaultOptions: 'defaults' },
  defaults: { params: 'params' },
  config: { jobs: 'jobs' },
  jobs: { children: 'jobs', incremental: 'incremental', params: 'params' },
};

/** Parameters that say how many items a page has; they are passed over where they are numbers. */
const PAGE_SIZE = /^(?:limit|per_?page|page_?size|page\[(?:size|limit)\]|max_?results|\$top)$/i;

const isPageSize = (key: string, value: Json): boolean =>
  PAGE_SIZE.test(key) && (typeof value === 'number' || (typeof value === 'string' && /^\d+$/.test(value)));

/** @param place one of {@link WITHIN}, or none of them */
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
      // Nothing but a page size is as nothing at all.
      return key === 'params' && isObject(left) && entriesOf(left).length === 0 ? [] : [[key, left] as const];
    }),
  );
}

const digest = (value: Json): string => createHash('sha256').update(stringifyJson(value)).digest('base64url');

/**
 * Tells configurations apart that ask for different items. Secrets, page sizes, limits, and what becomes of the items do not count.
 *
 * @example askedBy({ api: { baseUrl: 'https://api.example/' }, config: { jobs: [{ endpoint: 'users' }] } })
 */
export const askedBy = (config: Json): string => digest(asked(documentIn(config), 'root'));

/**
 * Tells jobs apart that ask for different items, in any configuration: by the API, its login, the attributes of the configuration, and
 * what the job and those that it is a child of ask for.
 *
 * @param path where the job stands, for example `config.jobs[0].children[1]`
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
 * What the jobs below a job ask for, each by itself: its children, their children, and so on. Who adds one lacks its items of all parents
 * that came before.
 *
 * @param path where the job stands, for example `config.jobs[0]`
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

/** Some tools wrap a configuration. */
function documentIn(config: Json): Json {
  const inner = isObject(config) ? ownValue(config, 'parameters') : undefined;
  return inner !== undefined && isObject(config) && ownValue(config, 'api') === undefined ? inner : config;
}

/** The job at a path, after those that it is a child of. */
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
 * Tells configurations apart that ask for different data. Secrets, whose names begin with `#`, do not count: they are
 * renewed while a run is interrupted. Nor does what a run is judged by, so that one which was refused can be resumed.
 *
 * It begins with what {@link configurationIn} gives.
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

/** The part of a fingerprint that stays where page sizes, limits and destinations change: that of the items that are asked for. */
export const configurationIn = (fingerprint: string): string => fingerprint.split(SEPARATOR, 1)[0] ?? '';

/** Settings that change nothing in what is asked: limits of tables, what becomes of incomplete runs, columns of the run, destinations. */
const JUDGING: ReadonlySet<string> = new Set(['maxColumns', 'completeness', 'runColumns', 'sinks']);

/** @param place the key of the value, or of the array that it is in */
function whatIsAsked(value: Json, place: string): Json {
  if (isList(value)) return value.map((element) => whatIsAsked(element, place));
  if (!isObject(value)) return value;
  const isSettings = place === 'config' || place === 'iterations';
  const counts = (key: string): boolean => !key.startsWith('#') && !(isSettings && JUDGING.has(key));
  return objectFrom(
    entriesOf(value).flatMap(([key, inner]) => (counts(key) ? [[key, whatIsAsked(inner, key)] as const] : [])),
  );
}
