/** The GET operations of a document that give lists. */
import { nameOfJob } from '../../detect/configuration';
import { findData } from '../../detect/data-place';
import type { Described } from '../../detect/described';
import type { Credential } from '../../detect/subject';
import { entriesOf, isObject, ownValue } from '../../../core/json/keys';
import type { Json, JsonObject } from '../../../core/model';
import type { Beginning } from '../imported';
import { placeholdersIn } from '../placeholders';
import { parametersOf, responseOf } from './parameters';
import type { References } from './references';
import { samplerOf, type Sampler } from './sample';

/** Where paths begin that stand for nothing, so that addresses can be built before one is known. */
const NOWHERE = 'http://unknown.invalid/';
/** Documents with more operations are no descriptions of an API that a person chooses from. */
const MOST_LISTS = 5_000;

/** What the lists of a document share. */
export interface Shared {
  readonly baseUrl: string | undefined;
  readonly references: References;
  readonly credentials: (operation: JsonObject) => readonly Credential[];
}

/** @returns beginnings without parents, in the order of the document */
export function listsOf(document: JsonObject, shared: Shared): readonly Beginning[] {
  const paths = ownValue(document, 'paths');
  const sampler = samplerOf(shared.references);
  return (isObject(paths) ? entriesOf(paths) : []).slice(0, MOST_LISTS).flatMap(([path, written]) => {
    const item = shared.references.follow(written);
    const operation = item === undefined ? undefined : shared.references.follow(ownValue(item, 'get'));
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
  const described: Described = { params, ...(sample === undefined ? {} : { sample }) };
  const alias = textAt(operation, 'operationId');
  const summary = textAt(operation, 'summary') ?? textAt(operation, 'description');
  return [
    {
      id: path,
      ...(alias === undefined ? {} : { alias }),
      ...(summary === undefined ? {} : { summary: summary.slice(0, 200) }),
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

/** What says nothing of its response may be a list, unless its path names one item. */
function isListed(sample: Json | undefined, path: string, url: string): boolean {
  const isOne = /\{[^/]*\}\/?$/.test(path);
  if (sample === undefined) return !isOne;
  const { value, confidence } = findData(sample, url);
  if (value.kind === 'object') return false;
  return value.keys.length === 0
    ? value.kind === 'list'
    : !isOne && confidence !== 'unsure' && value.items.every(isObject);
}

function textAt(object: JsonObject, key: string): string | undefined {
  const value = ownValue(object, key);
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
}
