/** Manifests of Airbyte as configurations: streams as jobs, and what all of them share (docs/airbyte.md). */
import { FatalError } from '../../../core/errors/errors';
import { withMember } from '../../../core/json/literals';
import {
  defined,
  entriesOf,
  isList,
  isObject,
  listAt,
  objectFrom,
  ownValue,
  together,
} from '../../../core/json/objects';
import type { Json, JsonObject } from '../../../core/model';
import { parseUrl } from '../../../core/url/address';
import { scrollersOf } from '../../detect/combined';
import { cursorOf, stateOfParent } from './cursors';
import type { StreamCursor } from './cursors';
import { Untranslatable, componentAt, componentsIn, nameOf, partOf, streamsOf, textAt, typeOf } from './manifest';
import type { Component } from './manifest';
import { paginationOf } from './pagination';
import {
  addressOf,
  authenticationOf,
  baseUrlOf,
  batchStyleOf,
  optionsOf,
  putOption,
  queryWithoutName,
  requestOf,
} from './requests';
import type { Credentials, Draft } from './requests';
import { dataFieldOf, formatOf, rulesOf, stepsOf } from './responses';
import { Values, textOfScalar } from './values';

/** A stream that cannot be said in a configuration, and why. */
export interface LeftOut {
  readonly stream: string;
  /** The construct of the manifest, in a few words. */
  readonly construct: string;
  readonly message: string;
}

/** A configuration for the streams of a manifest, and those that are left out of it. */
export interface FromAirbyte {
  readonly configuration: JsonObject;
  /** The streams in it. */
  readonly streams: readonly string[];
  readonly leftOut: readonly LeftOut[];
  /** The cursors of the streams, for `stateFromAirbyte` and `stateToAirbyte`. */
  readonly cursors: readonly StreamCursor[];
}

/** Options of {@link fromAirbyte}. */
export interface AirbyteOptions {
  /** The names of the streams; default: all. */
  readonly streams?: readonly string[];
  /** The time in milliseconds, which windows end at; default: now. */
  readonly now?: number;
  /** The states of streams that earlier runs have left, by their names: see `airbyteStates`. */
  readonly states?: ReadonlyMap<string, JsonObject>;
  /** Schemas of files beside the manifest, by the end of their paths, such as `schemas/orders.json`. */
  readonly schemas?: ReadonlyMap<string, Json>;
}

/**
 * Translates streams of a manifest of Airbyte, as it is, to a configuration.
 *
 * @param manifest the content of `manifest.yaml`
 * @param config the configuration that Airbyte would have, with its secrets
 * @throws FatalError CONFIG_INVALID for a manifest that is none, and for an unknown stream
 * @example
 * const { configuration, leftOut } = fromAirbyte(manifest, { api_key: 'k' }, { streams: ['orders'] });
 * extract(configuration).items$.subscribe(console.log);
 */
export function fromAirbyte(manifest: unknown, config: JsonObject, options: AirbyteOptions = {}): FromAirbyte {
  const { streams: wanted, now = Date.now(), states = new Map<string, JsonObject>(), schemas = new Map() } = options;
  const all = streamsOf(manifest as Json);
  const unknown = wanted?.find((name) => !all.some((stream) => nameOf(stream) === name));
  if (unknown !== undefined)
    throw new FatalError(
      'CONFIG_INVALID',
      `The manifest has no stream ${JSON.stringify(unknown)}. It has: ${all.map(nameOf).join(', ')}.`,
    );
  const chosen = wanted === undefined ? all : all.filter((stream) => wanted.includes(nameOf(stream)));
  const leftOut: LeftOut[] = [];
  const values = new Values(config, now, {}, schemas);
  const done: Translated[] = [];
  const streams: string[] = [];
  for (const stream of chosen)
    try {
      const made = translated(stream, values, states.get(nameOf(stream)));
      const before = done.find(({ login }) => JSON.stringify(login) !== JSON.stringify(made.login));
      if (before !== undefined) throw new Untranslatable('a login of its own', 'run this stream alone');
      done.push(made);
      streams.push(nameOf(stream));
    } catch (error) {
      if (!(error instanceof Untranslatable)) throw error;
      leftOut.push({ stream: nameOf(stream), construct: error.construct, message: error.message });
    }
  return { configuration: configurationOf(done), streams, leftOut, cursors: done.flatMap((each) => each.cursors) };
}

/** What the jobs of one stream share. */
interface Drafting {
  /** The name of the stream. */
  readonly stream: string;
  readonly values: Values;
  /** The scrollers of the configuration, by name. */
  readonly scrollers: Record<string, Json>;
  /** The logins of the configuration: at most one. */
  readonly logins: JsonObject[];
  /** The credentials of each job, where a type of authentication adds the same. */
  readonly credentials: (Credentials | undefined)[];
  /** The cursors of the jobs. */
  readonly cursors: StreamCursor[];
}

/** Jobs, with the function that puts children below the innermost ones. */
interface Jobs {
  readonly values: Values;
  readonly build: (children: readonly JsonObject[]) => readonly JsonObject[];
  readonly baseUrl: string;
}

/** What is known of a stream whose items a job asks for. */
interface Place {
  /** 0 for the stream itself, 1 for its parent. */
  readonly depth: number;
  /** The state that earlier runs have left, if there is one. */
  readonly state?: JsonObject;
  /** True if later runs go on from its cursor. */
  readonly isFollowed: boolean;
}

/** Returns a stream, or of a stream that depends on the state the one for it. */
const chosen = (stream: Component, { state }: Place): Component => {
  if (typeOf(stream, '') !== 'StateDelegatingStream') return stream;
  const inner = partOf(stream, state === undefined ? 'full_refresh_stream' : 'incremental_stream', 'DeclarativeStream');
  return withMember(inner, 'name', nameOf(stream));
};

/** The jobs of a stream, and what they need beside them. */
interface Translated extends Pick<Drafting, 'scrollers' | 'credentials' | 'cursors'> {
  readonly jobs: readonly JsonObject[];
  readonly baseUrl: string;
  readonly login?: JsonObject;
}

/**
 * Translates a stream.
 *
 * @param state the state of Airbyte that an earlier run has left, if there is one
 * @throws Untranslatable
 */
function translated(stream: Component, values: Values, state: JsonObject | undefined): Translated {
  const drafting: Drafting = {
    ...{ stream: nameOf(stream), values, scrollers: {}, logins: [], credentials: [], cursors: [] },
  };
  const where = { depth: 0, isFollowed: true, ...(state === undefined ? {} : { state }) };
  const { build, baseUrl } = jobsOf(stream, drafting, where);
  const { logins, scrollers, credentials, cursors } = drafting;
  const [login, ...others] = new Map(logins.map((each) => [JSON.stringify(each), each])).values();
  if (others.length > 0) throw new Untranslatable('several logins');
  return { jobs: build([]), baseUrl, scrollers, credentials, cursors, ...(login === undefined ? {} : { login }) };
}

/** Translates a stream and those above it. */
function jobsOf(written: Component, drafting: Drafting, where: Place): Jobs {
  const { depth, state } = where;
  const stream = chosen(written, where);
  const retriever = partOf(stream, 'retriever', 'SimpleRetriever');
  const requester = partOf(retriever, 'requester', 'HttpRequester');
  const draft: Draft = { params: {}, headers: {} };
  const dataType = depth === 0 ? nameOf(stream) : `${nameOf(stream)}_parent_of_${drafting.stream}`;
  const partitions: Record<string, Json> = {};
  let values = drafting.values.withSlice({});
  let above: Jobs | undefined;
  const isIncremental = componentAt(stream, 'incremental_sync') !== undefined;
  const placeholders: Record<string, Json> = {};
  for (const router of componentsIn(retriever, 'partition_router')) {
    const type = typeOf(router, '');
    if (type === 'ListPartitionRouter') {
      const name = values.text(ownValue(router, 'cursor_field'), router);
      const list = listOf(ownValue(router, 'values'), router, values);
      partitions[name] = list.map(textOfScalar);
      values = values.withSlice({ [name]: `{${name}}` });
      putOption(draft, router, 'request_option', values, `{${name}}`);
    } else if (type === 'SubstreamPartitionRouter') {
      const [config, ...others] = componentsIn(router, 'parent_stream_configs');
      if (config === undefined || others.length > 0 || above !== undefined) throw new Untranslatable('several parents');
      const parent = partOf(config, 'stream', 'DeclarativeStream', 'StateDelegatingStream');
      const left = stateOfParent(state, nameOf(parent));
      above = jobsOf(parent, drafting, {
        depth: depth + 1,
        isFollowed: where.isFollowed && isIncremental && ownValue(config, 'incremental_dependency') === true,
        ...(left === undefined ? {} : { state: left }),
      });
      const field = values.text(ownValue(config, 'partition_field'), config);
      const name = `${field.replace(/\W/g, '_')}${depth === 0 ? '' : `_${depth}`}`;
      placeholders[name] = values.text(ownValue(config, 'parent_key'), config).replaceAll('/', '.');
      values = values.withSlice({ [field]: `{${name}}`, parent_slice: partitionOf(above.values.slice) });
      const extra = listAt(config, 'extra_fields').filter(isList);
      const fields = extra.map((keys): [string, Json] => {
        const path = keys.map((key) => values.text(key, config));
        const own = `${path.join('_')}_extra${depth}`.replace(/\W/g, '_');
        placeholders[own] = { path: path.join('.'), optional: true };
        return [path.join('.'), `{${own}}`];
      });
      if (fields.length > 0) values = values.withSlice({ extra_fields: objectFrom(fields) });
      putOption(draft, config, 'request_option', values, `{${name}}`);
    } else throw new Untranslatable(type);
  }
  const cursor = cursorOf(componentAt(stream, 'incremental_sync'), values);
  const partition = partitionOf(values.slice);
  if (cursor !== undefined) values = cursor.into(draft, values);
  requestOf(requester, draft, values);
  drafting.credentials.push(authenticationOf(componentAt(requester, 'authenticator'), draft, values, drafting.logins));
  const selector = partOf(retriever, 'record_selector', 'RecordSelector');
  const dataField = dataFieldOf(partOf(selector, 'extractor', 'DpathExtractor'), values);
  const format = formatOf(componentAt(retriever, 'decoder'));
  const scroller = paginationOf(componentAt(retriever, 'paginator'), {
    ...{ requester, draft, values, hasObject: dataField !== '.' && format === undefined },
  });
  if (scroller !== undefined) drafting.scrollers[dataType] = scroller;
  const address = addressOf(requester, values);
  const job = together(
    {
      ...(cursor === undefined ? {} : { id: dataType }),
      endpoint: address + queryWithoutName(draft, address),
      dataType,
      ...optionsOf(textAt(requester, 'http_method', 'GET').toUpperCase(), draft),
      dataField,
      ...(format === undefined ? {} : { format }),
      ...(scroller === undefined ? {} : { scroller: dataType, equalPages: 'keep' }),
      ...(Object.keys(placeholders).length === 0 ? {} : { placeholders }),
    },
    rulesOf(componentAt(requester, 'error_handler'), values),
    stepsOf(stream, selector, values),
    batchStyleOf(draft),
  );
  const used = JSON.stringify([job, scroller]);
  const divided = objectFrom(Object.entries(partitions).filter(([name]) => used.includes(`{${name}}`)));
  const isFollowed = cursor !== undefined && where.isFollowed;
  if (isFollowed)
    drafting.cursors.push({ stream: nameOf(written), job: dataType, isParent: depth > 0, partition, ...cursor.state });
  const own = (children: readonly JsonObject[]): JsonObject =>
    together(
      job,
      cursor?.options(used.includes('{window.'), isFollowed, partition) ?? {},
      isFollowed || above !== undefined ? loadOf(stream) : {},
      Object.keys(divided).length === 0 ? {} : { partitions: divided },
      children.length === 0 ? {} : { children },
    );
  const outer = above;
  return {
    values,
    baseUrl: outer?.baseUrl ?? baseUrlOf(requester, values),
    build: (children) => (outer === undefined ? [own(children)] : outer.build([own(children)])),
  };
}

/** Returns how rows are stored: those of later runs are added, or take the place of those with the same key. */
function loadOf(stream: Component): JsonObject {
  const key = [ownValue(stream, 'primary_key') ?? []].flat();
  const names = key.filter((name): name is string => typeof name === 'string');
  return names.length === 0 || names.length < key.length
    ? { load: 'append' }
    : { load: 'merge', primaryKey: names.length === 1 ? (names[0] ?? '') : names };
}

/** Returns the values of a slice without those of its cursor, and without those that only come with it. */
const partitionOf = (slice: JsonObject): JsonObject =>
  objectFrom(
    entriesOf(slice).filter(
      ([name, value]) => name !== 'extra_fields' && (typeof value !== 'string' || !value.startsWith('{window.')),
    ),
  );

function listOf(written: Json | undefined, router: Component, values: Values): readonly Json[] {
  if (isList(written)) return written.map((each) => values.constant(each, router));
  const made = values.constant(written, router);
  if (!isList(made)) throw new Untranslatable('ListPartitionRouter', 'its values are no list');
  return made;
}

/** Returns the configuration for streams. */
function configurationOf(streams: readonly Translated[]): JsonObject {
  const baseUrl = streams[0]?.baseUrl ?? '';
  const jobs = streams.flatMap((each) => each.jobs);
  const paging = together(...streams.map(({ scrollers }) => scrollers));
  const pagingOf = (job: JsonObject): Json | undefined => ownValue(paging, textAt(job, 'scroller'));
  const scrollers = scrollersOf(withChildren(jobs).map(pagingOf));
  const shared = sharedCredentials(streams, baseUrl);
  const login = streams.find((each) => each.login !== undefined)?.login;
  const written = (job: JsonObject): JsonObject =>
    objectFrom(
      entriesOf(job).flatMap(([key, value]): (readonly [string, Json])[] => {
        if (key === 'endpoint') return [[key, relative(value, baseUrl)]];
        if (key === 'children' && isList(value)) return [[key, value.filter(isObject).map(written)]];
        if (key === 'scroller') return [scrollers.nameOf(pagingOf(job)) ?? []].flat().map((name) => [key, name]);
        if (key !== shared?.in || !isObject(value)) return [[key, value]];
        const others = entriesOf(value).filter(([name]) => name !== shared.name);
        return others.length === 0 ? [] : [[key, objectFrom(others)]];
      }),
    );
  return {
    api: { baseUrl, ...defined({ authentication: login ?? shared?.authentication, pagination: scrollers.pagination }) },
    config: { completeness: 'off', jobs: jobs.map(written) },
  };
}

const withChildren = (jobs: readonly JsonObject[]): readonly JsonObject[] =>
  jobs.flatMap((job) => [job, ...withChildren(listAt(job, 'children').filter(isObject))]);

/** Returns the credentials that all jobs have alike, if all go to the host of the base URL, which gets the credentials of a configuration. */
function sharedCredentials(streams: readonly Translated[], baseUrl: string): Translated['credentials'][number] {
  const all = streams.flatMap((each) => each.credentials);
  const [first] = all;
  const isShared =
    first !== undefined &&
    all.every((each) => JSON.stringify(each) === JSON.stringify(first)) &&
    streams.every(
      ({ jobs, login }) =>
        login === undefined && withChildren(jobs).every((job) => isAt(textAt(job, 'endpoint'), baseUrl)),
    );
  return isShared ? first : undefined;
}

const originOf = (url: string): string | undefined => parseUrl(url)?.origin;

const isAt = (endpoint: string, baseUrl: string): boolean => {
  const origin = originOf(endpoint.replace(/\{[^}]*\}/g, 'a'));
  return origin !== undefined && origin === originOf(baseUrl);
};

/** Returns an endpoint without the base URL, if it begins with it. */
function relative(endpoint: Json, baseUrl: string): Json {
  const base = `${baseUrl.replace(/\/+$/, '')}/`;
  if (typeof endpoint !== 'string' || !endpoint.startsWith(base) || /[?#{]/.test(base)) return endpoint;
  const rest = endpoint.slice(base.length);
  return rest === '' || /^[/?]|^[^/?]*:/.test(rest) ? endpoint : rest;
}
