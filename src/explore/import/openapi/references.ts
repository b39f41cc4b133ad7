import { isList, isObject, ownValue, valueBelow } from '../../../core/json/objects';
import type { Json, JsonObject } from '../../../core/model';
import { percentDecode } from '../../../core/url/query';

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
