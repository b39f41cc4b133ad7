/** What a document of OpenAPI means: the values that its references lead to, and those that its schemas describe. */
import { isList, isObject, ownValue, valueBelow, entriesOf, listAt, objectFrom } from '../../../core/json/objects';
import type { Json, JsonObject } from '../../../core/model';
import { percentDecode } from '../../../core/url/query';
import { isScalar } from '../../../core/json/scalars';

/** The maximum number of references that lead to each other. */
const MOST_STEPS = 50;

/** Follows `$ref` within a document. */
export interface References {
  /** Returns a value with its references followed; `undefined` if they lead nowhere, in a circle, or out of the document. */
  readonly follow: (value: Json | undefined) => JsonObject | undefined;
  /** The references to other documents, which are not followed. */
  readonly external: ReadonlySet<string>;
}

/**
 * Returns the references of a document to itself. Other documents are never requested, since the author of a document could have any
 * address requested by its reader.
 *
 * @example referencesIn({ a: { $ref: '#/b' }, b: { c: 1 } }).follow({ $ref: '#/a' }) // { c: 1 }
 */
export function referencesIn(document: JsonObject): References {
  const external = new Set<string>();
  const follow = (value: Json | undefined): JsonObject | undefined => {
    const seen = new Set<string>();
    let at = value;
    while (isObject(at)) {
      const reference = ownValue(at, '$ref');
      if (typeof reference !== 'string') return at;
      if (!reference.startsWith('#')) external.add(reference);
      if (!reference.startsWith('#') || seen.has(reference) || seen.size >= MOST_STEPS) return undefined;
      seen.add(reference);
      at = pointedAt(document, reference.slice(1));
    }
    return undefined;
  };
  return { follow, external };
}

/** Returns the value at a JSON pointer (RFC 6901) in a fragment of a URL. */
function pointedAt(document: JsonObject, pointer: string): Json | undefined {
  if (pointer === '') return document;
  const keys = pointer.split('/').slice(1).map(unescaped);
  return keys.reduce<Json | undefined>((at, key) => {
    if (isList(at)) return /^\d{1,9}$/.test(key) ? at[Number(key)] : undefined;
    return valueBelow(at, key);
  }, document);
}

const unescaped = (key: string): string => percentDecode(key.replaceAll('~1', '/').replaceAll('~0', '~'));

/** The maximum depth of samples; deeper parts do not show where the items are. */
const DEEPEST = 8;
const MOST_VALUES = 1_000;
/** The maximum number of choices of `oneOf` that are examined. */
const MOST_CHOICES = 20;
/** The maximum number of keys in all samples of a document together. */
const MOST_IN_ALL = 500_000;

/** Makes the value that a schema describes. */
export type Sampler = (schema: Json | undefined) => Json | undefined;

const BY_FORMAT: Readonly<Record<string, string>> = {
  'date-time': '2024-01-02T03:04:05Z',
  date: '2024-01-02',
  uuid: '00000000-0000-4000-8000-000000000001',
  uri: 'https://api.example/next?page=2',
  url: 'https://api.example/next?page=2',
};

/**
 * Returns a sampler: arrays have one element, and endless members are left out. Its result is `undefined` if a schema describes nothing.
 *
 * @example samplerOf(references)({ type: 'array', items: { type: 'string' } }) // ['text']
 */
export function samplerOf(references: References): Sampler {
  let [left, leftInAll] = [0, MOST_IN_ALL];
  return (schema) => {
    left = MOST_VALUES;
    return made(schema, '', []);
  };

  function made(value: Json | undefined, name: string, above: readonly JsonObject[]): Json | undefined {
    const found = references.follow(value);
    left -= 1;
    leftInAll -= 1;
    if (found === undefined || above.includes(found) || above.length > DEEPEST || left < 0) return undefined;
    if (leftInAll < 0) return undefined;
    const inside = [...above, found];
    const example = ownValue(found, 'example') ?? listAt(found, 'examples')[0] ?? ownValue(found, 'const');
    if (example !== undefined && example !== null && isScalar(example)) return example;
    const all = listAt(found, 'allOf');
    leftInAll -= all.length;
    const parts = all.map((part) => made(part, name, inside));
    const whole = parts.filter(isObject).flatMap(entriesOf);
    const properties = ownValue(found, 'properties');
    if (isObject(properties) || whole.length > 0) {
      const own = isObject(properties) ? entriesOf(properties) : [];
      leftInAll -= own.length;
      const members = own.flatMap(([key, each]): readonly (readonly [string, Json])[] => {
        const member = made(each, key, inside);
        return member === undefined ? [] : [[key, member]];
      });
      return objectFrom([...whole, ...members]);
    }
    const [part] = parts.filter((each) => each !== undefined);
    if (part !== undefined) return part;
    for (const option of [...listAt(found, 'oneOf'), ...listAt(found, 'anyOf')].slice(0, MOST_CHOICES)) {
      const chosen = made(option, name, inside);
      if (chosen !== undefined && chosen !== null) return chosen;
    }
    return ofType(found, name, inside);
  }

  function ofType(found: JsonObject, name: string, inside: readonly JsonObject[]): Json | undefined {
    const type = typeOf(found);
    if (type === 'array' || ownValue(found, 'items') !== undefined) {
      const element = made(ownValue(found, 'items'), name, inside);
      return element === undefined ? [] : [element];
    }
    if (type === 'string') return textOf(found, name);
    if (type === 'integer' || type === 'number') return numberOf(found, name);
    if (type === 'boolean') return true;
    if (type === 'null') return null;
    const member = made(ownValue(found, 'additionalProperties'), name, inside);
    if (isObject(member)) return { first: member, second: member };
    return type === 'object' ? {} : undefined;
  }
}

/** Returns the type of a schema; OpenAPI 3.1 may list types, `null` among them. */
function typeOf(schema: JsonObject): string | undefined {
  const type = ownValue(schema, 'type');
  const [first] = isList(type) ? type.filter((each) => each !== 'null') : [type];
  return typeof first === 'string' ? first : undefined;
}

function textOf(schema: JsonObject, name: string): string {
  const format = ownValue(schema, 'format');
  if (typeof format === 'string' && Object.hasOwn(BY_FORMAT, format)) return BY_FORMAT[format] ?? '';
  const [first] = listAt(schema, 'enum');
  if (typeof first === 'string') return first;
  return /(?:link|url|uri|href)$/i.test(name) ? (BY_FORMAT['uri'] ?? '') : 'text';
}

/** Returns a number; one that counts pages or items is that of a first page of many. */
function numberOf(schema: JsonObject, name: string): number {
  const fallback = ownValue(schema, 'default');
  if (typeof fallback === 'number') return fallback;
  if (/total|count|pages/i.test(name)) return 1_000;
  return /offset|skip|start/i.test(name) ? 0 : 1;
}
