/** A stream of a manifest as jobs of a configuration (docs/airbyte.md). */
import { entriesOf, isList, objectFrom, ownValue } from '../../../core/json/objects';
import type { Json, JsonObject } from '../../../core/model';
import type { Moment } from '../../../language/jinja/dates';
import { authenticationOf } from './authentication';
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
import { windowsOf } from './windows';

/** What the jobs of one stream share. */
export interface Drafting {
  /** The name of the stream. */
  readonly stream: string;
  readonly values: Values;
  /** The scrollers of the configuration, by name. */
  readonly scrollers: Record<string, Json>;
  /** The logins of the configuration: at most one. */
  readonly logins: JsonObject[];
  /** The moment from which on items of a stream are new. */
  readonly since?: Moment;
}

/** Jobs, with the function that puts children below the innermost ones. */
interface Jobs {
  readonly values: Values;
  readonly build: (children: readonly JsonObject[]) => readonly JsonObject[];
  readonly baseUrl: string;
}

/** Returns a stream, or of a stream that depends on the state the one for it. */
const chosen = (stream: Component, since: Moment | undefined): Component => {
  if (typeOf(stream, '') !== 'StateDelegatingStream') return stream;
  const inner = partOf(stream, since === undefined ? 'full_refresh_stream' : 'incremental_stream', 'DeclarativeStream');
  return together(inner, { name: nameOf(stream) });
};

/** The jobs of a stream, and what they need beside them. */
export interface Translated {
  readonly jobs: readonly JsonObject[];
  readonly baseUrl: string;
  readonly scrollers: JsonObject;
  readonly login?: JsonObject;
}

/**
 * Translates a stream.
 *
 * @throws Untranslatable
 */
export function translated(stream: Component, values: Values, since: Moment | undefined): Translated {
  const logins: JsonObject[] = [];
  const scrollers: Record<string, Json> = {};
  const from = since === undefined ? {} : { since };
  const { build, baseUrl } = jobsOf(stream, { stream: nameOf(stream), values, ...from, scrollers, logins });
  const different = new Map(logins.map((login) => [JSON.stringify(login), login]));
  if (different.size > 1) throw new Untranslatable('several logins');
  const [login] = logins;
  return { jobs: build([]), baseUrl, scrollers, ...(login === undefined ? {} : { login }) };
}

/** Translates a stream and those above it. */
function jobsOf(written: Component, drafting: Drafting, depth = 0): Jobs {
  const stream = chosen(written, drafting.since);
  const retriever = partOf(stream, 'retriever', 'SimpleRetriever');
  const requester = partOf(retriever, 'requester', 'HttpRequester');
  const draft: Draft = { params: {}, headers: {} };
  const dataType = depth === 0 ? nameOf(stream) : `${nameOf(stream)}_parent_of_${drafting.stream}`;
  const partitions: Record<string, Json> = {};
  let values = drafting.values.withSlice({});
  let above: Jobs | undefined;
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
      above = jobsOf(partOf(config, 'stream', 'DeclarativeStream', 'StateDelegatingStream'), drafting, depth + 1);
      const field = values.text(ownValue(config, 'partition_field'), config);
      const name = `${field.replace(/\W/g, '_')}${depth === 0 ? '' : `_${depth}`}`;
      placeholders[name] = pathOf(values.text(ownValue(config, 'parent_key'), config));
      const parent = above.values.slice;
      values = values.withSlice({ [field]: `{${name}}`, parent_slice: partitionOf(parent) });
      const extra = ownValue(config, 'extra_fields');
      if (isList(extra) && extra.length > 0) {
        const fields = extra.filter(isList).map((keys): [string, Json] => {
          const path = keys.map((key) => values.text(key, config));
          const own = `${path.join('_')}_extra${depth}`.replace(/\W/g, '_');
          placeholders[own] = path.join('.');
          return [path.join('.'), `{${own}}`];
        });
        values = values.withSlice({ extra_fields: objectFrom(fields) });
      }
      putOption(draft, config, 'request_option', values, `{${name}}`);
    } else throw new Untranslatable(type);
  }
  const cursor = componentAt(stream, 'incremental_sync');
  if (cursor !== undefined) values = withCursor(cursor, draft, partitions, values, drafting);
  requestOf(requester, draft, values);
  authenticationOf(componentAt(requester, 'authenticator'), draft, values, drafting.logins);
  const selector = partOf(retriever, 'record_selector', 'RecordSelector');
  const scroller = paginationOf(componentAt(retriever, 'paginator'), requester, draft, values);
  if (scroller !== undefined) drafting.scrollers[dataType] = scroller;
  const baseUrl = values.text(ownValue(requester, 'url_base') ?? ownValue(requester, 'url'), requester);
  const address = endpointOf(baseUrl, values.endpoint(ownValue(requester, 'path'), requester));
  const job = together(
    { endpoint: address + queryWithoutName(draft, address), dataType },
    methodAndContent(textAt(requester, 'http_method', 'GET').toUpperCase(), draft),
    Object.keys(draft.headers).length === 0 ? {} : { headers: draft.headers },
    dataFieldOf(partOf(selector, 'extractor', 'DpathExtractor'), values),
    formatOf(componentAt(retriever, 'decoder')),
    scroller === undefined ? {} : { scroller: dataType },
    Object.keys(placeholders).length === 0 ? {} : { placeholders },
    rulesOf(componentAt(requester, 'error_handler'), values),
    stepsOf(stream, selector, values),
    { equalPages: 'keep', total: 'none', completeness: 'off', batchStyle: 'repeat' },
  );
  const used = JSON.stringify(job);
  const divided = objectFrom(
    Object.entries(partitions).filter(([name]) => used.includes(`{${name}}`) || used.includes(`{${name}.`)),
  );
  const own = (children: readonly JsonObject[]): JsonObject =>
    together(
      job,
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

/** Returns the values of a slice without those of its cursor. */
const partitionOf = (slice: JsonObject): JsonObject =>
  objectFrom(entriesOf(slice).filter(([, value]) => typeof value !== 'string' || !value.startsWith('{cursor')));

const pathOf = (key: string): string => key.replaceAll('/', '.');

function listOf(written: Json | undefined, router: Component, values: Values): readonly Json[] {
  if (isList(written)) return written.map((each) => values.constant(each, router));
  const made = values.constant(written, router);
  if (!isList(made)) throw new Untranslatable('ListPartitionRouter', 'its values are no list');
  return made;
}

/** Puts the window of a cursor into a job, and returns the values with its beginning and end. */
function withCursor(
  cursor: Component,
  draft: Draft,
  partitions: Record<string, Json>,
  values: Values,
  { since }: Drafting,
): Values {
  const type = typeOf(cursor, 'DatetimeBasedCursor');
  if (type !== 'DatetimeBasedCursor') throw new Untranslatable(type);
  const windows = windowsOf(cursor, values, since);
  const name = (field: string, byDefault: string): string => values.text(ownValue(cursor, field), cursor) || byDefault;
  const [from, to] = [name('partition_field_start', 'start_time'), name('partition_field_end', 'end_time')];
  const [only, ...others] = windows;
  if (only !== undefined && others.length > 0)
    partitions['cursor'] = windows.map((window) => ({ from: window.from, to: window.to }));
  const [start, end] =
    only === undefined || others.length > 0 ? ['{cursor.from}', '{cursor.to}'] : [only.from, only.to];
  if (only === undefined) partitions['cursor'] = [];
  const made = values.withSlice({ start_time: start, end_time: end, [from]: start, [to]: end });
  putOption(draft, cursor, 'start_time_option', made, start);
  putOption(draft, cursor, 'end_time_option', made, end);
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
function dataFieldOf(extractor: Component, values: Values): JsonObject {
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

function formatOf(decoder: Component | undefined): JsonObject {
  const type = typeOf(decoder, 'JsonDecoder');
  if (type === 'JsonDecoder') return {};
  const format = FORMATS[type];
  if (format === undefined) throw new Untranslatable(type);
  return { format };
}
