/** Combines several jobs, each found by itself, into one configuration. */
import {
  defined,
  entriesOf,
  isObject,
  listAt,
  merge,
  objectAt,
  objectFrom,
  valueBelow,
  stringAt,
} from '../../core/json/objects';
import { stringifyJson } from '../../core/json/stringify';
import type { Json, JsonObject } from '../../core/model';
import { UNSURE, withHead } from './configuration-text';
import type { Comments } from './configuration-text';

/** A job that was found. */
export interface FoundJob {
  /** The unique name of its table. */
  readonly dataType: string;
  /** A configuration of this job alone, and its comments. */
  readonly configuration: JsonObject;
  readonly comments: Comments;
  /** The address with placeholders, without a query; absent: the address in the configuration. */
  readonly address?: string;
  /** The fields of the items of the parent, by placeholder. */
  readonly placeholders?: JsonObject;
  /** Further comments above the job. */
  readonly notes: readonly string[];
  readonly children: readonly FoundJob[];
}

/** A configuration with comments, and warnings about what it lacks. */
export interface Combined {
  readonly configuration: JsonObject;
  readonly comments: Comments;
  readonly warnings: readonly string[];
}

/** Combines jobs of one API into one configuration: equal paging is written once, otherwise jobs choose theirs by `scroller`. */
export function combined(roots: readonly FoundJob[]): Combined {
  const all = withChildren(roots);
  const base = commonBase(all.map(addressOf));
  const pagingOf = ({ configuration }: FoundJob): Json | undefined => valueBelow(configuration, 'api', 'pagination');
  const scrollers = scrollersOf(all.map(pagingOf));
  const comments: Record<string, string[]> = {};
  const comment = (key: string, lines: readonly string[]): void => {
    const at = (comments[key] ??= []);
    at.push(...lines.filter((line) => !at.includes(line)));
  };
  const { http, authentication, paramsOf, warnings } = shared(all.map(({ configuration }) => configuration));
  const jobs = roots.map((root, at) => jobOf(root, `config/jobs/${at}`));
  const configs = all.map(({ configuration }) => objectAt(configuration, 'config'));
  const primaryKeys = configs.reduce<JsonObject>((keys, each) => merge(keys, objectAt(each, 'primaryKeys')), {});
  const attributes = configs.reduce<JsonObject>(
    (before, each) => merge(before, objectFrom(entriesOf(each).filter(([key]) => !OWN.has(key)))),
    {},
  );
  return {
    configuration: {
      api: {
        baseUrl: base,
        ...(Object.keys(http).length === 0 ? {} : { http }),
        ...defined({ authentication, pagination: scrollers.pagination }),
      },
      config: merge(attributes, { jobs, ...(Object.keys(primaryKeys).length === 0 ? {} : { primaryKeys }) }),
    },
    comments: withHead(comments),
    warnings,
  };

  function jobOf(found: FoundJob, path: string): JsonObject {
    const rest = objectFrom(entriesOf(onlyJob(found)).filter(([key]) => key !== 'endpoint'));
    const scroller = scrollers.nameOf(pagingOf(found));
    const place = scroller === undefined ? 'api/pagination' : `api/pagination/scrollers/${scroller}`;
    for (const [key, lines] of Object.entries(found.comments)) {
      const named = lines.map((line) => withTable(line, found.dataType));
      if (key === 'api/pagination') comment(place, named);
      else if (key === 'api/baseUrl') comment(`${path}/endpoint`, lines);
      else if (key === 'config/primaryKeys') comment(`config/primaryKeys/${found.dataType}`, lines);
      else comment(key.replace(/^config\/jobs\/0\//, `${path}/`), lines);
    }
    comment(`${path}/endpoint`, found.notes);
    const children = found.children.map((child, at) => jobOf(child, `${path}/children/${at}`));
    const { placeholders } = found;
    const placed = { endpoint: addressOf(found).slice(base.length), ...defined({ placeholders }) };
    const own = paramsOf(found.configuration);
    const below = {
      ...(Object.keys(own).length === 0 ? {} : { params: own }),
      ...defined({ scroller }),
      ...(children.length === 0 ? {} : { children }),
    };
    return [rest, below].reduce<JsonObject>(merge, placed);
  }
}

const OWN: ReadonlySet<string> = new Set(['jobs', 'primaryKeys']);

/** Returns a comment line with the name of the table, behind its mark. */
const withTable = (line: string, table: string): string =>
  line.startsWith(UNSURE) ? `${UNSURE}${table}: ${line.slice(UNSURE.length)}` : `${table}: ${line}`;

const withChildren = (jobs: readonly FoundJob[]): readonly FoundJob[] =>
  jobs.flatMap((job) => [job, ...withChildren(job.children)]);

function onlyJob({ configuration }: Pick<FoundJob, 'configuration'>): JsonObject {
  const [job] = listAt(configuration['config'], 'jobs');
  return isObject(job) ? job : {};
}

function addressOf(found: FoundJob): string {
  if (found.address !== undefined) return found.address;
  const base = stringAt(found.configuration['api'], 'baseUrl') ?? '';
  const endpoint = stringAt(onlyJob(found), 'endpoint') ?? '';
  return `${base}${endpoint === '/' ? '' : endpoint}`;
}

/** Returns the common folder of all addresses, before the first placeholder. */
function commonBase(addresses: readonly string[]): string {
  const folders = addresses.map((address) => {
    const [path = ''] = address.replace(/\/$/, '').split(/[?{]/);
    const end = path.lastIndexOf('/') + 1;
    return end <= path.indexOf('//') + 2 ? `${path}/` : path.slice(0, end);
  });
  const [first = '', ...others] = folders;
  let base = first;
  while (!others.every((each) => each.startsWith(base)))
    base = base.slice(0, base.lastIndexOf('/', base.length - 2) + 1);
  return base;
}

/** The paging of several jobs. */
export interface Scrollers {
  /** That of the configuration: of all jobs, or one of several that jobs choose by name; absent: no job has any. */
  readonly pagination: JsonObject | undefined;
  /** Returns the name by which a job chooses its paging; `undefined` if it has none to choose. */
  readonly nameOf: (own: Json | undefined) => string | undefined;
}

/** Returns the paging of jobs as one, in which equal ones are written once. */
export function scrollersOf(all: readonly (Json | undefined)[]): Scrollers {
  const text = (own: Json | undefined): string => stringifyJson(own ?? null);
  const names = new Map<string, string>();
  const scrollers: Record<string, Json> = {};
  for (const own of all.filter(isObject)) {
    if (names.has(text(own))) continue;
    const method = (stringAt(own, 'method') ?? '').replace(/\W/g, '_');
    let name = method;
    for (let number = 2; Object.hasOwn(scrollers, name); number += 1) name = `${method}_${number}`;
    names.set(text(own), name);
    scrollers[name] = own;
  }
  const [first] = all;
  if (new Set(all.map(text)).size === 1 && isObject(first)) return { pagination: first, nameOf: () => undefined };
  const pagination = names.size === 0 ? undefined : { method: 'multiple', scrollers };
  return { pagination, nameOf: (own) => names.get(text(own)) };
}

/** The parts of requests that all jobs share. */
interface Shared {
  readonly http: JsonObject;
  readonly authentication: Json | undefined;
  /** Returns the keys in the query of a single job, if those of jobs differ: they are its parameters. */
  readonly paramsOf: (configuration: JsonObject) => JsonObject;
  readonly warnings: readonly string[];
}

/** Returns the key in the query of a job as a parameter; `undefined` if it has none, or would send the parameter in its body. */
function keyParam(configuration: JsonObject): JsonObject | undefined {
  const { type, in: place, name, key } = objectAt(configuration['api'], 'authentication');
  const { method, body } = onlyJob({ configuration });
  if (type !== 'apiKey' || place !== 'query' || typeof name !== 'string' || key === undefined) return undefined;
  return method === undefined || body !== undefined ? objectFrom([[name, key]]) : undefined;
}

function shared(configurations: readonly JsonObject[]): Shared {
  const apis = configurations.map((each) => objectAt(each, 'api'));
  const http = [...apis].reverse().reduce<JsonObject>((before, api) => merge(before, objectAt(api, 'http')), {});
  const authenticated = configurations.filter((each) => Object.hasOwn(objectAt(each, 'api'), 'authentication'));
  const kindsOf = (some: readonly JsonObject[]): ReadonlyMap<string, JsonObject> =>
    new Map(
      some.map((each) => objectAt(objectAt(each, 'api'), 'authentication')).map((each) => [stringifyJson(each), each]),
    );
  const differ = kindsOf(authenticated).size > 1;
  const kinds = kindsOf(differ ? authenticated.filter((each) => keyParam(each) === undefined) : authenticated);
  const hasOthers = apis.some((api) => stringifyJson(merge(http, objectAt(api, 'http'))) !== stringifyJson(http));
  return {
    http,
    authentication: [...kinds.values()][0],
    paramsOf: (configuration) => (differ ? (keyParam(configuration) ?? {}) : {}),
    warnings: [
      ...(kinds.size > 1 ? ['The lists want different credentials: those of the first one are written.'] : []),
      ...(hasOthers ? ['The requests of the lists carry different headers: those of the first one are written.'] : []),
    ],
  };
}
