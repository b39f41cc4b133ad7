/** References to values that stand outside of the configuration (docs/language/secrets.md). */
import { isComment } from '../codec/comments';
import { ignored, mistaken, type KeyComplaint } from '../codec/unknown-key';
import { entriesOf, isList, isObject, keysOf, objectFrom, ownValue } from '../../core/json/keys';
import { isLikeExpression } from '../expressions/literal';
import type { Json } from '../../core/model';

/** Where a value comes from: a variable of the environment, or a file. */
export type Source = 'env' | 'file';

export interface Reference {
  readonly source: Source;
  /** The name of the variable, or the path of the file. */
  readonly name: string;
  /** This is true where the value must never be printed, and may change without making another configuration. */
  readonly isSecret: boolean;
}

/** What an object is, at a place of one value. */
export type ReadObject =
  | { readonly kind: 'reference'; readonly reference: Reference }
  | { readonly kind: 'literal'; readonly value: Json }
  | { readonly kind: 'wrong'; readonly complaint: KeyComplaint }
  | { readonly kind: 'other' };

const SOURCES: readonly Source[] = ['env', 'file'];
const SECRET = 'secret';
/** Around an object that would be a reference, and is to be taken as it stands. */
const LITERAL = 'literal';
const OTHER: ReadObject = { kind: 'other' };

/**
 * Reads an object that stands where one value is expected: `{"env": "TOKEN"}`, `{"file": "/run/secrets/token"}`, either perhaps with
 * `"secret": false`; or `{"literal": {"env": "production"}}`, the object inside.
 */
export function readObject(value: Json): ReadObject {
  if (!isObject(value)) return OTHER;
  const keys = keysOf(value).filter((key) => !isComment(key));
  const inner = ownValue(value, LITERAL);
  if (inner !== undefined && keys.length === 1)
    return readObject(inner).kind === 'other' ? OTHER : { kind: 'literal', value: inner };
  const [source, ...more] = SOURCES.filter((key) => keys.includes(key));
  const secret = ownValue(value, SECRET);
  const others = keys.filter((key) => key !== source && !(key === SECRET && typeof secret === 'boolean'));
  if (source === undefined) return others.length === 1 ? misspelled(others[0] ?? '', value) : OTHER;
  if (others.length > 0 || more.length > 0) return OTHER;
  const name = ownValue(value, source);
  if (typeof name === 'object' && name !== null) return OTHER;
  if (typeof name !== 'string' || name.trim() === '' || name.includes('\0'))
    return { kind: 'wrong', complaint: ignored(`expected ${EXPECTED[source]} in "${source}"; ${AS_IT_STANDS}`) };
  return { kind: 'reference', reference: { source, name, isSecret: secret !== false } };
}

/**
 * The value with each object inside of it that is like a reference or an expression taken as it stands.
 *
 * @example withLiterals({ filter: { env: 'production' } }) // { filter: { literal: { env: 'production' } } }
 */
export function withLiterals(value: Json): Json {
  if (isList(value)) return value.map(literally);
  if (!isObject(value)) return value;
  return objectFrom(entriesOf(value).map(([key, member]) => [key, literally(member)]));
}

const literally = (value: Json): Json =>
  readObject(value).kind !== 'other' || isLikeExpression(value) ? { [LITERAL]: value } : withLiterals(value);

const EXPECTED: Readonly<Record<Source, string>> = {
  env: 'the name of an environment variable, such as "TOKEN",',
  file: 'the path of a file, such as "/run/secrets/token",',
};
const AS_IT_STANDS = 'if the object is meant as it stands, put it into {"literal": …}';
const LIKELY: Readonly<Record<Source, RegExp>> = { env: /^[A-Z_][A-Z0-9_]*$/, file: /^(?:[./~]|[A-Za-z]:[\\/])/ };

/** `{"ENV": "TOKEN"}` would be sent as an object, in silence. */
function misspelled(key: string, value: Json): ReadObject {
  const source = SOURCES.find((each) => each === key.toLowerCase());
  const name = isObject(value) ? ownValue(value, key) : undefined;
  if (source === undefined || typeof name !== 'string' || !LIKELY[source].test(name)) return OTHER;
  return { kind: 'wrong', complaint: mistaken(`is no reference; did you mean "${source}"? ${AS_IT_STANDS}`) };
}

/** `${TOKEN}`, as other tools have it: it is text here. */
export const looksLikeVariable = (value: Json): boolean =>
  typeof value === 'string' && /^\$(?:\{[A-Za-z_][A-Za-z0-9_]*\}|[A-Z_][A-Z0-9_]+)$/.test(value);

/** Tells whether a value may hold a reference at all: most configurations have none. */
export function mayRefer(value: Json): boolean {
  if (Array.isArray(value)) return value.some(mayRefer);
  if (!isObject(value)) return looksLikeVariable(value);
  return keysOf(value).some(
    (key) => SOURCES.some((source) => source === key.toLowerCase()) || mayRefer(ownValue(value, key) ?? null),
  );
}

/** Whether an object stands for what a variable or a file holds. */
export const isReference = (value: Json): boolean => readObject(value).kind === 'reference';
