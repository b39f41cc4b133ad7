/** A stream of a manifest as jobs of a configuration (docs/airbyte.md). */
import { entriesOf, isList, isObject, objectFrom, ownValue } from '../../../core/json/objects';
import type { Json, JsonObject } from '../../../core/model';
import { authenticationOf } from './authentication';
import type { Credentials } from './authentication';
import { componentAt, componentsIn, partOf, putOption, typeOf } from './draft';
import type { Draft } from './draft';
import { nameOf, textAt, together } from './manifest';
import type { Component } from './manifest';
import { paginationOf } from './pagination';
import { endpointOf, requestOf } from './request';
import { rulesOf } from './rules';
import { stepsOf } from './steps';
import { Untranslatable, textOfScalar } from './values';
import type { Values } from './values';
import { cursorOf } from './cursor';
import type { StreamCursor } from './state';

/** What the jobs of one stream share. */
export interface Drafting {
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
  return together(inner, { name: nameOf(stream) });
};

/** Returns the state of a parent inside that of a stream. */
function stateOfParent(state: JsonObject | undefined, name: string): JsonObject | undefined {
  const parents = state === undefined ? undefined : ownValue(state, 'parent_state');
  const found = isObject(parents) ? ownValue(parents, name) : undefined;
  return isObject(found) ? found : undefined;
}

/** The jobs of a stream, and what they need beside them. */
export interface Translated {
  readonly jobs: readonly JsonObject[];
  readonly baseUrl: string;
  readonly scrollers: JsonObject;
  readonly login?: JsonObject;
  readonly credentials: readonly (Credentials | undefined)[];
  /** The cursors of its jobs; the first one is that of the stream itself, if it has one. */
  readonly cursors: readonly StreamCursor[];
}

/**
 * Translates a stream.
 *
 * @param state the state of Airbyte that an earlier run has left, if there is one
 * @throws Untranslatable
 */
export function translated(stream: Component, values: Values, state: JsonObject | undefined): Translated {
  const logins: JsonObject[] = [];
  const scrollers: Record<string, Json> = {};
  const cursors: StreamCursor[] = [];
  const credentials: (Credentials | undefined)[] = [];
  const drafting = { stream: nameOf(stream), values, scrollers, logins, credentials, cursors };
  const { build, baseUrl } = jobsOf(stream, drafting, {
    depth: 0,
    isFollowed: true,
    ...(state === undefined ? {} : { state }),
  });
  const different = new Map(logins.map((login) => [JSON.stringify(login), login]));
  if (different.size > 1) throw new Untranslatable('several logins');
  const [login] = logins;
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
      partitions[name] = list.map((each) => textOfScalar(each));
      values = values.withSlice({ [name]: `{${name}}` });
      putOption(draft, router, 'request_option', values, `{${name}}`);
    } else if (type === 'SubstreamPartitionRouter') {
      const [config, ...others] = componentsIn(router, 'parent_stream_configs');
      if (config === undefined || others.length > 0 || above !== undefined) throw new Untranslatable('several parents');
      if (ownValue(config, 'lazy_read_pointer') !== undefined) throw new Untranslatable('lazy_read_pointer');
      const parent = partOf(config, 'stream', 'DeclarativeStream', 'StateDelegatingStream');
      const left = stateOfParent(state, nameOf(parent));
      above = jobsOf(parent, drafting, {
        depth: depth + 1,
        isFollowed: where.isFollowed && isIncremental && ownValue(config, 'incremental_dependency') === true,
        ...(left === undefined ? {} : { state: left }),
      });
      const field = values.text(ownValue(config, 'partition_field'), config);
      const name = `${field.replace(/\W/g, '_')}${depth === 0 ? '' : `_${depth}`}`;
      placeholders[name] = pathOf(values.text(ownValue(config, 'parent_key'), config));
      values = values.withSlice({ [field]: `{${name}}`, parent_slice: partitionOf(above.values.slice) });
      const extra = ownValue(config, 'extra_fields');
      if (isList(extra) && extra.length > 0) {
        const fields = extra.filter(isList).map((keys): [string, Json] => {
          const path = keys.map((key) => values.text(key, config));
          const own = `${path.join('_')}_extra${depth}`.replace(/\W/g, '_');
          placeholders[own] = { path: path.join('.'), optional: true };
          return [path.join('.'), `{${own}}`];
        });
        values = values.withSlice({ extra_fields: objectFrom(fields) });
      }
      putOption(draft, config, 'request_option', values, `{${name}}`);
    } else throw new Untranslatable(type);
  }
  const cursor = cursorOf(componentAt(stream, 'incremental_sync'), values);
  const partition = partitionOf(values.slice);
  if (cursor !== undefined) values = cursor.into(draft, values);
  requestOf(requester, draft, values);
  drafting.credentials.push(authenticationOf(componentAt(requester, 'authenticator'), draft, values, drafting.logins));
  const selector = partOf(retriever, 'record_selector', 'RecordSelector');
  const { dataField } = dataFieldOf(partOf(selector, 'extractor', 'DpathExtractor'), values);
  const format = formatOf(componentAt(retriever, 'decoder'));
  const scroller = paginationOf(componentAt(retriever, 'paginator'), {
    ...{ requester, draft, values },
    hasObject: dataField !== '.' && format === undefined,
  });
  if (scroller !== undefined) drafting.scrollers[dataType] = scroller;
  const baseUrl = values.text(ownValue(requester, 'url_base') ?? ownValue(requester, 'url'), requester);
  const address = endpointOf(baseUrl, values.endpoint(ownValue(requester, 'path'), requester));
  const job = together(
    {
      ...(cursor === undefined ? {} : { id: dataType }),
      endpoint: address + queryWithoutName(draft, address),
      dataType,
    },
    methodAndContent(textAt(requester, 'http_method', 'GET').toUpperCase(), draft),
    Object.keys(draft.headers).length === 0 ? {} : { headers: draft.headers },
    { dataField },
    format === undefined ? {} : { format },
    scroller === undefined ? {} : { scroller: dataType, equalPages: 'keep' },
    Object.keys(placeholders).length === 0 ? {} : { placeholders },
    rulesOf(componentAt(requester, 'error_handler'), values),
    stepsOf(stream, selector, values),
    hasLists(draft) ? { batchStyle: 'repeat' } : {},
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
    baseUrl: outer?.baseUrl ?? baseUrl,
    build: (children) => (outer === undefined ? [own(children)] : outer.build([own(children)])),
  };
}

/** Returns whether a parameter may be a list, whose elements are sent one by one. */
const hasLists = ({ params, form = {} }: Draft): boolean =>
  [params, form].some((members) => Object.values(members).some((value) => isList(value) || isObject(value)));

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

const pathOf = (key: string): string => key.replaceAll('/', '.');

function listOf(written: Json | undefined, router: Component, values: Values): readonly Json[] {
  if (isList(written)) return written.map((each) => values.constant(each, router));
  const made = values.constant(written, router);
  if (!isList(made)) throw new Untranslatable('ListPartitionRouter', 'its values are no list');
  return made;
}

/** Takes a parameter that has no name, as of a page size whose option names none, and returns it as a query. */
function queryWithoutName({ params }: Draft, address: string): string {
  const { '': value } = params;
  if (value === undefined) return '';
  delete params[''];
  return `${address.includes('?') ? '&' : '?'}=${encodeURIComponent(textOfScalar(value))}`;
}

/** Returns the method of a job with its parameters, which are in the query, and its body. */
function methodAndContent(method: string, { params, body, form }: Draft): JsonObject {
  if (form !== undefined && body !== undefined) throw new Untranslatable('a form and a JSON body');
  return {
    ...(method === 'GET' ? {} : { method }),
    ...(Object.keys(params).length === 0 ? {} : { params }),
    ...(body === undefined ? {} : { body }),
    ...(form === undefined ? {} : { body: form, bodyAs: 'form' }),
    ...(method === 'GET' || body !== undefined || form !== undefined ? {} : { paramsIn: 'query' }),
  };
}

/** Returns where the items are. */
function dataFieldOf(extractor: Component, values: Values): { readonly dataField: Json } {
  const expander = ownValue(extractor, 'record_expander');
  if (expander !== undefined && expander !== null) throw new Untranslatable('record_expander');
  const path = ownValue(extractor, 'field_path');
  const keys = isList(path) ? path.map((key) => values.text(key, extractor)) : [];
  if (keys.length === 0) return { dataField: '.' };
  if (keys.includes('*'))
    return { dataField: `$${keys.map((key) => (key === '*' ? '[*]' : `[${JSON.stringify(key)}]`)).join('')}` };
  const isPlain = keys.every((key) => !/[.$[\]]/.test(key));
  return { dataField: isPlain ? keys.join('.') : { path: keys.join('\u{1f}'), delimiter: '\u{1f}' } };
}

const FORMATS: Readonly<Record<string, string>> = {
  ...{ JsonlDecoder: 'jsonl', XmlDecoder: 'xml', CsvDecoder: 'csv' },
};

function formatOf(decoder: Component | undefined): string | undefined {
  const type = typeOf(decoder, 'JsonDecoder');
  if (type === 'JsonDecoder') return undefined;
  const format = FORMATS[type];
  if (format === undefined) throw new Untranslatable(type);
  return format;
}
