/** The GET operations of a document that return lists. */
import {
  defined,
  entriesOf,
  isObject,
  listAt,
  objectAt,
  ownValue,
  stringAt,
  valueBelow,
} from '../../../core/json/objects';
import { isScalar } from '../../../core/json/scalars';
import type { Json, JsonObject } from '../../../core/model';
import { nameOfJob } from '../../detect/configuration';
import { findData, plainName } from '../../detect/data-place';
import type { Described, DescribedParam } from '../../detect/model';
import type { Credential } from '../../detect/subject';
import type { Beginning } from '../imported';
import type { References, Sampler } from './references';
import { samplerOf } from './references';

/** A base for paths, so that addresses can be built before the real one is known. */
const NOWHERE = 'http://unknown.invalid/';
/** The maximum number of operations; a document with more does not describe an API to choose from. */
const MOST_LISTS = 5_000;

/** What the lists of a document share. */
export interface Shared {
  readonly baseUrl: string | undefined;
  readonly references: References;
  readonly credentials: (operation: JsonObject) => readonly Credential[];
}

/** @returns the requests without parents, in the order of the document */
export function listsOf(document: JsonObject, shared: Shared): readonly Beginning[] {
  const sampler = samplerOf(shared.references);
  const paths = entriesOf(objectAt(document, 'paths')).slice(0, MOST_LISTS);
  return paths.flatMap(([path, written]) => {
    const item = shared.references.follow(written);
    const operation = shared.references.follow(valueBelow(item, 'get'));
    return item === undefined || operation === undefined ? [] : listOf(path, { item, operation }, sampler, shared);
  });
}

function listOf(
  path: string,
  { item, operation }: { readonly item: JsonObject; readonly operation: JsonObject },
  sampler: Sampler,
  shared: Shared,
): readonly Beginning[] {
  const { baseUrl = NOWHERE, references, credentials } = shared;
  const { schema, example } = responseOf(operation, references);
  const sample = sampler(schema) ?? example;
  const url = `${baseUrl.replace(/\/$/, '')}/${path.replace(/^\//, '')}`;
  if (!URL.canParse(url) || !isListed(sample, path, url)) return [];
  const params = parametersOf(item, operation, references);
  const described: Described = { params, ...defined({ sample }) };
  const alias = textAt(operation, 'operationId');
  const summary = textAt(operation, 'summary') ?? textAt(operation, 'description');
  return [
    {
      id: path,
      ...defined({ alias, summary: summary?.slice(0, 200) }),
      name: nameOfJob(url.replaceAll(/\/\{[^/]*\}/g, '')),
      request: { method: 'GET', url, headers: {}, credentials: credentials(operation) },
      missing: [
        ...placeholdersIn(path),
        ...params.filter(({ isRequired, fallback }) => isRequired && fallback === undefined).map(({ name }) => name),
      ],
      described,
    },
  ];
}

/** Returns whether an operation may return a list: by its response, or if that is not described, unless its path names one item. */
function isListed(sample: Json | undefined, path: string, url: string): boolean {
  const isOne = /\{[^/]*\}\/?$/.test(path);
  if (sample === undefined) return !isOne;
  const { value, confidence } = findData(sample, url);
  if (value.kind === 'object') return false;
  return value.keys.length === 0
    ? value.kind === 'list'
    : !isOne && confidence !== 'unsure' && value.items.every(isObject);
}

const textAt = (object: JsonObject, key: string): string | undefined => stringAt(object, key)?.trim() || undefined;

/** Returns the parameters of an operation, with those of its path; one of the operation overrides one of the path. */
function parametersOf(path: JsonObject, operation: JsonObject, references: References): readonly DescribedParam[] {
  const all = new Map<string, DescribedParam>();
  for (const each of [path, operation].flatMap((owner) => listAt(owner, 'parameters'))) {
    const parameter = references.follow(each);
    const name = stringAt(parameter, 'name');
    if (parameter !== undefined && name !== undefined && ownValue(parameter, 'in') === 'query')
      all.set(name, described(name, parameter, references));
  }
  return [...all.values()];
}

function described(name: string, parameter: JsonObject, references: References): DescribedParam {
  // Swagger 2 has the schema in the parameter itself.
  const schema = references.follow(ownValue(parameter, 'schema')) ?? parameter;
  const fallback = ownValue(schema, 'default');
  const numberAt = (key: string): number | undefined => {
    const value = ownValue(schema, key);
    return typeof value === 'number' ? value : undefined;
  };
  return {
    name,
    isRequired: ownValue(parameter, 'required') === true,
    ...defined({
      fallback: isScalar(fallback) ? fallback : undefined,
      minimum: numberAt('minimum'),
      maximum: numberAt('maximum'),
    }),
  };
}

/** Returns the schema of the successful response, and the example beside it. */
function responseOf(
  operation: JsonObject,
  references: References,
): { readonly schema?: Json; readonly example?: Json } {
  const responses = objectAt(operation, 'responses');
  const code = ['200', '206', '2XX', '203', 'default'].find((each) => Object.hasOwn(responses, each));
  const response = references.follow(code === undefined ? undefined : ownValue(responses, code));
  if (response === undefined) return {};
  const content = ownValue(response, 'content');
  const type = isObject(content) ? Object.keys(content).find((each) => /[/+]json\b/i.test(each)) : undefined;
  const media = isObject(content) && type !== undefined ? references.follow(ownValue(content, type)) : response;
  if (media === undefined) return {};
  return defined({ schema: ownValue(media, 'schema'), example: ownValue(media, 'example') });
}

/**
 * Finds the parents of lists whose paths lead through an item of another list: `/users/{id}/posts` is called for the items of `/users`.
 *
 * @returns the same lists, parents before their children
 */
export function withParents(beginnings: readonly Beginning[]): readonly Beginning[] {
  const byPath = new Map(beginnings.map((each) => [shapeOf(each.id), each]));
  const linked = beginnings.map((each) => {
    const above = parentOf(each, byPath);
    return above === undefined ? each : childOf(each, above);
  });
  return [...linked].sort(
    (a, b) => Number(a.parent !== undefined) - Number(b.parent !== undefined) || depth(a) - depth(b),
  );
}

const depth = ({ id }: Beginning): number => id.split('/').length;

/** Returns a path without the names of placeholders: `/users/{id}` and `/users/{userId}` are the same. */
const shapeOf = (path: string): string => path.replace(/\/$/, '').replaceAll(/\{[^{}/]*\}/g, '{}');

/** Returns the list whose items the last placeholder of a path belongs to. */
function parentOf({ id }: Beginning, byPath: ReadonlyMap<string, Beginning>): Beginning | undefined {
  const segments = id.replace(/\/$/, '').split('/');
  const at = segments.findLastIndex((segment) => /^\{[^{}/]+\}$/.test(segment));
  return at < 1 ? undefined : byPath.get(shapeOf(segments.slice(0, at).join('/')));
}

function childOf(child: Beginning, parent: Beginning): Beginning {
  const names = placeholdersIn(child.id);
  const above = placeholdersIn(parent.id);
  const own = names.slice(above.length);
  // A child has the placeholders of its parents, by the names that they have there.
  const url = above.reduce(
    (text, name, at) => text.replace(`{${names[at] ?? ''}}`, () => `{${name}}`),
    child.request.url,
  );
  return {
    ...child,
    request: { ...child.request, url },
    parent: parent.id,
    placeholders: Object.fromEntries(own.map((name) => [name, fieldOf(name)])),
    missing: child.missing.filter((name) => !names.includes(name)),
  };
}

/** Returns the field of a placeholder: for `user_id` and `userId` the id of a user; for other names the field of that name. */
const fieldOf = (name: string): string => (/id$/.test(plainName(name)) && !/uuid$/.test(plainName(name)) ? 'id' : name);

/** Returns the names in braces of a path, as OpenAPI writes placeholders. */
const placeholdersIn = (path: string): readonly string[] =>
  [...path.matchAll(/\{([^{}/]{1,100})\}/g)].flatMap(([, name]) => (name === undefined ? [] : [name]));
