/** What is made of responses: where the items are, the rules for errors, and the steps that items go through. */
import { isList, isObject, listAt, objectFrom, ownValue, together, valueBelow } from '../../../core/json/objects';
import type { Json, JsonObject } from '../../../core/model';
import { isJinja, jinjaOf } from '../../../language/jinja/jinja';
import { Untranslatable, componentAt, componentsIn, nameOf, textAt, typeOf } from './manifest';
import type { Component } from './manifest';
import type { Values } from './values';

/** Returns where the items are. */
export function dataFieldOf(extractor: Component, values: Values): Json {
  if ((ownValue(extractor, 'record_expander') ?? null) !== null) throw new Untranslatable('record_expander');
  const keys = keysAt(extractor, 'field_path', extractor, values);
  if (keys.length === 0) return '.';
  if (keys.includes('*')) return `$${keys.map((key) => (key === '*' ? '[*]' : `[${JSON.stringify(key)}]`)).join('')}`;
  const isPlain = keys.every((key) => !/[.$[\]]/.test(key));
  return isPlain ? keys.join('.') : { path: keys.join('\u{1f}'), delimiter: '\u{1f}' };
}

const keysAt = (holder: Json, name: string, component: Component, values: Values): readonly string[] =>
  listAt(holder, name).map((key) => values.text(key, component));

const FORMATS: Readonly<Record<string, string | undefined>> = {
  ...{ JsonDecoder: undefined, JsonlDecoder: 'jsonl', XmlDecoder: 'xml', CsvDecoder: 'csv' },
};

/** Returns the format of responses; `undefined` for JSON. */
export function formatOf(decoder: Component | undefined): string | undefined {
  const type = typeOf(decoder, 'JsonDecoder');
  if (!Object.hasOwn(FORMATS, type)) throw new Untranslatable(type);
  return FORMATS[type];
}

const ACTIONS: Readonly<Record<string, string>> = {
  ...{ IGNORE: 'skip', RETRY: 'retry', FAIL: 'fail', RATE_LIMITED: 'retry' },
};

/** The statuses that are tried again where no filter holds. */
const RETRIED = [408, 429, '5xx'];

/** Returns the rules of an error handler, in their order. */
export function rulesOf(handler: Component | undefined, values: Values): JsonObject {
  if (handler === undefined) return {};
  const inner = componentsIn(handler, 'error_handlers');
  const all = inner.length > 0 ? inner : [handler];
  const waits = all.map((each) => waitOf(each, values));
  const rules = all.flatMap((each, at) => {
    const type = typeOf(each, 'DefaultErrorHandler');
    if (type !== 'DefaultErrorHandler') throw new Untranslatable(type);
    return componentsIn(each, 'response_filters').flatMap((filter) => ruleOf(filter, waits[at] ?? {}, values));
  });
  const first = waits.find((wait) => Object.keys(wait).length > 0);
  const retried = first === undefined ? [] : [together({ when: { status: RETRIED }, do: 'retry' }, first)];
  return rules.length + retried.length === 0 ? {} : { rules: [...rules, ...retried] };
}

/** Returns how long a handler waits, by all of its strategies: those that read a header come first. */
function waitOf(handler: Component, values: Values): JsonObject {
  const wait: Record<string, Json> = {};
  for (const strategy of componentsIn(handler, 'backoff_strategies')) {
    const constant = (name: string): Json => values.constant(ownValue(strategy, name), strategy);
    switch (typeOf(strategy, '')) {
      case 'ConstantBackoffStrategy':
        wait['seconds'] ??= Number(constant('backoff_time_in_seconds'));
        break;
      case 'ExponentialBackoffStrategy':
        if (wait['seconds'] === undefined) wait['doubles'] = true;
        wait['seconds'] ??= Number(constant('factor') ?? 5) * 2;
        break;
      case 'WaitTimeFromHeader':
      case 'WaitUntilTimeFromHeader': {
        const [regex, least] = [constant('regex'), constant('min_wait')];
        wait['header'] ??= values.text(ownValue(strategy, 'header'), strategy);
        if (typeof regex === 'string' && regex !== '') wait['matches'] ??= regex;
        if (least !== null) wait['least'] ??= Number(least);
        break;
      }
      default:
      // What a strategy of Python waits is not known: the waits are those of Headwater.
    }
  }
  return Object.keys(wait).length === 0 ? {} : { wait };
}

function ruleOf(filter: Component, wait: JsonObject, values: Values): readonly JsonObject[] {
  const type = typeOf(filter, 'HttpResponseFilter');
  if (type !== 'HttpResponseFilter') throw new Untranslatable(type);
  const action = ACTIONS[textAt(componentAt(filter, 'action') ?? filter, 'action')];
  if (action === undefined) return [];
  const [codes, says] = [listAt(filter, 'http_codes'), textAt(filter, 'error_message_contains')];
  const predicate = textAt(filter, 'predicate');
  // The CDK takes a filter for met where any of its conditions is.
  const conditions: readonly JsonObject[] = [
    ...(codes.length > 0 ? [{ status: codes.map(Number) }] : []),
    ...(predicate === '' ? [] : [{ jinja: templateOf(predicate, filter, values) }]),
    ...(says === '' ? [] : [{ matches: says.replace(/[.*+?^${}()|[\]\\]/g, '\\$&') }]),
  ];
  const message = action === 'fail' ? said(textAt(filter, 'error_message'), filter, values) : '';
  const own = together(message === '' ? {} : { message }, action === 'retry' ? wait : {});
  return conditions.map((when) => together({ when, do: action }, own));
}

/** Returns a predicate; what it reads beside the response is set before it. */
function templateOf(predicate: string, filter: Component, values: Values): string {
  const own = ['response', 'headers'];
  const { with: known = null } = values.atRun(predicate, filter, 'value', own);
  const sets = [...jinjaOf(predicate).names]
    .filter((name) => !own.includes(name))
    .map((name) => `{% set ${name} = ${JSON.stringify(valueBelow(known, name) ?? null)} %}`);
  return `${sets.join('')}${predicate}`;
}

/** Returns a message, if it depends on the config alone. */
function said(message: string, filter: Component, values: Values): string {
  try {
    return values.text(message, filter);
  } catch {
    return '';
  }
}

/** Returns the steps of a stream: its filter, and then its transformations. */
export function stepsOf(stream: Component, selector: Component, values: Values): JsonObject {
  const filter = componentAt(selector, 'record_filter');
  const kept = filter === undefined ? [] : [keptBy(filter, values)];
  const changes = listAt(stream, 'transformations')
    .filter(isObject)
    .flatMap((each) => changesOf(each, values));
  const isFiltered = valueBelow(stream, 'incremental_sync', 'is_client_side_incremental') === true;
  const isLate = (ownValue(selector, 'transform_before_filtering') ?? isFiltered) === true;
  const normalization = ownValue(selector, 'schema_normalization');
  if (isObject(normalization)) throw new Untranslatable('schema_normalization of its own');
  const schema = normalization === 'Default' ? schemaOf(stream, values) : undefined;
  const casts = schema === undefined ? [] : [{ cast: schema }];
  const steps = [...(isLate ? [...changes, ...kept] : [...kept, ...changes]), ...casts];
  return steps.length === 0 ? {} : { steps };
}

/** Returns the schema of a stream, if the manifest has it or it lies beside it; without one nothing is cast, as in the CDK. */
export function schemaOf(stream: Component, values: Values): Json | undefined {
  const [loader = null] = [ownValue(stream, 'schema_loader') ?? null].flat();
  if (!isObject(loader)) return undefined;
  if (ownValue(loader, 'type') !== 'JsonFileSchemaLoader') return ownValue(loader, 'schema');
  const path = values.text(ownValue(loader, 'file_path'), loader) || `schemas/${nameOf(stream)}.json`;
  return values.schemas.get(/schemas\/[^/]+$/.exec(path)?.[0] ?? path);
}

function keptBy(filter: Component, values: Values): JsonObject {
  const type = typeOf(filter, 'RecordFilter');
  if (type !== 'RecordFilter') throw new Untranslatable(type);
  const condition = ownValue(filter, 'condition');
  return { keep: typeof condition === 'string' ? values.atRun(condition, filter, 'value', ['record']) : true };
}

function changesOf(change: Component, values: Values): readonly JsonObject[] {
  const condition = textAt(change, 'condition');
  const only = condition === '' ? {} : { if: values.atRun(condition, change, 'value', ['record']) };
  const type = typeOf(change, '');
  switch (type) {
    case 'AddFields':
      return listAt(change, 'fields')
        .filter(isObject)
        .map((field) => ({
          ...{ set: keysAt(field, 'path', field, values), value: valueOf(field, change, values) },
          ...only,
        }));
    case 'RemoveFields':
      if (condition !== '') throw new Untranslatable('RemoveFields.condition');
      return listAt(change, 'field_pointers').map((pointer) => ({
        remove: isList(pointer) ? pointer.map((key) => values.text(key, change)) : [],
      }));
    case 'KeysToLower':
      return [{ keys: 'lower' }];
    case 'DpathFlattenFields': {
      const names = componentAt(change, 'key_transformation') ?? {};
      const affixes = ['prefix', 'suffix'].flatMap((name): (readonly [string, Json])[] => {
        const text = values.text(ownValue(names, name), names);
        return text === '' ? [] : [[name, text]];
      });
      const flatten = {
        path: keysAt(change, 'field_path', change, values),
        delete: ownValue(change, 'delete_origin_value') === true,
        replace: ownValue(change, 'replace_record') === true,
      };
      return [{ flatten: together(flatten, objectFrom(affixes)) }];
    }
    default:
      throw new Untranslatable(type);
  }
}

/** Returns the value of an added field; with the type `string` it is the text as it is rendered. */
function valueOf(field: Component, change: Component, values: Values): Json {
  const written = ownValue(field, 'value') ?? null;
  const as = ownValue(field, 'value_type') === 'string' ? 'text' : 'value';
  if (typeof written !== 'string') return written;
  if (!isJinja(written)) return as === 'text' ? written : values.constant(written, change, '');
  return values.atRun(written, change, as, ['record']);
}
