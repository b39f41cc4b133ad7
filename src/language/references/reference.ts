/** References to values outside of the configuration (docs/language/secrets.md). */
import { keepLiterals, objectOf, withMember } from '../../core/json/literals';
import { entriesOf, isList, isObject, keysOf, objectFrom, ownValue } from '../../core/json/objects';
import type { Json, JsonArray, JsonObject } from '../../core/model';
import { pathText } from '../codec/finding';
import type { Finding, Path } from '../codec/finding';
import type { Schema, SchemaDocument } from '../codec/schema';
import { ignored, isComment, mistaken } from '../codec/unknown-key';
import type { KeyComplaint } from '../codec/unknown-key';
import { isLikeExpression, literalIn } from '../expressions/syntax';
import { branchesOf, isFlagPlace, isValuePlace, isWordPlace, ofElement, ofMember } from './schema';

/** The source of a value: a variable of the environment, or a file. */
export type Source = 'env' | 'file';

export interface Reference {
  readonly source: Source;
  /** The name of the variable, or the path of the file. */
  readonly name: string;
  /** True if the value must never be printed, and may change while the configuration counts as the same. */
  readonly isSecret: boolean;
}

/** The meaning of an object in the place of one value. */
export type ReadObject =
  | { readonly kind: 'reference'; readonly reference: Reference }
  | { readonly kind: 'literal'; readonly value: Json }
  | { readonly kind: 'wrong'; readonly complaint: KeyComplaint }
  | { readonly kind: 'other' };

const SOURCES: readonly Source[] = ['env', 'file'];
const SECRET = 'secret';
/** The key around an object that looks like a reference and is a literal. */
const LITERAL = 'literal';
const OTHER: ReadObject = { kind: 'other' };

/**
 * Reads an object in the place of one value: `{"env": "TOKEN"}`, `{"file": "/run/secrets/token"}`, each with an
 * optional `"secret": false`; or `{"literal": {"env": "production"}}`, which is the object inside.
 */
function readObject(value: Json): ReadObject {
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
 * Returns the value with each inner object that looks like a reference or an expression marked as a literal.
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

/** Detects a misspelled reference: `{"ENV": "TOKEN"}` would silently be sent as an object. */
function misspelled(key: string, value: Json): ReadObject {
  const source = SOURCES.find((each) => each === key.toLowerCase());
  const name = isObject(value) ? ownValue(value, key) : undefined;
  if (source === undefined || typeof name !== 'string' || !LIKELY[source].test(name)) return OTHER;
  return { kind: 'wrong', complaint: mistaken(`is no reference; did you mean "${source}"? ${AS_IT_STANDS}`) };
}

/** Returns whether a value looks like a variable of other tools, `${TOKEN}`: it is text here. */
const looksLikeVariable = (value: Json): boolean =>
  typeof value === 'string' && /^\$(?:\{[A-Za-z_][A-Za-z0-9_]*\}|[A-Z_][A-Z0-9_]+)$/.test(value);

/** Returns whether a value may hold a reference at all: most configurations have none. */
export function mayRefer(value: Json): boolean {
  if (Array.isArray(value)) return value.some(mayRefer);
  if (!isObject(value)) return looksLikeVariable(value);
  return keysOf(value).some(
    (key) => SOURCES.some((source) => source === key.toLowerCase()) || mayRefer(ownValue(value, key) ?? null),
  );
}

/** Returns whether an object is a reference to a variable or a file. */
export const isReference = (value: Json): boolean => readObject(value).kind === 'reference';

/** The value of a reference, or the reason why it has none; the reason never quotes a value. */
export type Found = { readonly value: string } | MissingSecret;

/** A reference without a value. */
export interface MissingSecret {
  readonly fault: string;
  /** The name, if it may be shown: one that does not look like a name may be the secret itself. */
  readonly called?: string;
  /** The replacement value, if an unset value is not a fault. */
  readonly standIn?: string;
}

/** A reference that was followed. */
export interface FollowedReference extends Reference {
  /** Its path, as in faults. */
  readonly path: string;
  readonly found: Found;
}

/** A configuration with followed references. */
export interface Resolved {
  /** The configuration with the values in the places of the references. */
  readonly document: Json;
  /** The configuration as written, except for values that are not secrets: it identifies the configuration. */
  readonly written: Json;
  /** The values that are secrets. */
  readonly values: readonly string[];
  /** All references in the order of their places. */
  readonly references: readonly FollowedReference[];
  /** Faults of references without a value or a replacement, and of objects that resemble references. */
  readonly findings: readonly Finding[];
  readonly warnings: readonly Finding[];
}

/** Replaces a missing value, so that other faults are found as well. */
const MISSING = 'missing';

/**
 * Follows the references of a configuration (docs/language/secrets.md).
 *
 * @param input the configuration, in either form
 * @param schema the schema of configurations, which defines the places of single values
 * @param look returns the value of a reference
 * @param isLeftOut returns whether a path is a place where nothing may replace a missing value
 */
export function resolveReferences(
  input: Json,
  schema: SchemaDocument,
  look: (reference: Reference) => Found,
  isLeftOut: (path: string) => boolean = () => false,
): Resolved {
  const { $defs } = schema;
  const values: string[] = [];
  const findings: Finding[] = [];
  const warnings: Finding[] = [];
  const references: FollowedReference[] = [];
  const followed = (reference: Reference, path: Path, branches: readonly Schema[]): Json | undefined => {
    const looked = look(reference);
    const found = 'standIn' in looked ? { ...looked, standIn: fitting(looked.standIn ?? '', branches) } : looked;
    const place = pathText(path, input);
    references.push({ ...reference, path: place, found });
    if ('standIn' in found) {
      if (reference.isSecret) values.push(found.standIn);
      return isLeftOut(place) ? undefined : found.standIn;
    }
    const fault = 'fault' in found ? found.fault : faultOfFlag(found.value, branches);
    if (fault !== undefined) findings.push({ path, message: fault });
    if ('fault' in found) return MISSING;
    if (reference.isSecret) values.push(found.value);
    return isFlagPlace(branches) ? found.value === 'true' : found.value;
  };
  const visit = (value: Json, path: Path, schemas: readonly Schema[]): Pair => {
    const branches = schemas.flatMap((each) => branchesOf(each, $defs, value));
    // Nothing in it is followed or evaluated; expressions unwrap the `literal`.
    if (literalIn(value) !== undefined) return same(value);
    if (isValuePlace(branches)) {
      const read = readObject(value);
      if (read.kind === 'literal') return same(read.value);
      if (read.kind === 'wrong') findings.push({ path, ...read.complaint });
      if (looksLikeVariable(value)) warnings.push({ path, ...ignored(LIKE_A_VARIABLE) });
      if (read.kind === 'reference') {
        const found = followed(read.reference, path, branches);
        return { document: found, written: read.reference.isSecret ? value : (found ?? value) };
      }
    }
    if (isList(value))
      return ofList(
        value,
        value.map((each, at) => visit(each, [...path, String(at)], ofElement(branches))),
      );
    if (!isObject(value)) return same(value);
    return entriesOf(value).reduce<Pair>((sofar, [key, member]) => {
      if (isComment(key)) return sofar;
      if (isWordPlace(branches, key) && readObject(member).kind === 'reference') {
        findings.push({ path: [...path, key], message: A_WORD });
        return sofar;
      }
      const next = visit(member, [...path, key], ofMember(branches, key));
      return {
        document: changed(sofar.document, key, member, next.document),
        written: changed(sofar.written, key, member, next.written),
      };
    }, same(value));
  };
  const { document, written } = visit(input, [], [schema]);
  return { document: document ?? null, written, values, findings, warnings, references };
}

interface Pair {
  /** The value; absent if it is omitted. */
  readonly document: Json | undefined;
  readonly written: Json;
}

const same = (value: Json): Pair => ({ document: value, written: value });

const ofList = (before: JsonArray, elements: readonly Pair[]): Pair => ({
  document: changedList(
    before,
    elements.map(({ document }) => document),
  ),
  written: changedList(
    before,
    elements.map(({ written }) => written),
  ),
});

function changedList(before: JsonArray, after: readonly (Json | undefined)[]): Json {
  const there = after.filter((element) => element !== undefined);
  if (there.length < after.length) return there;
  return there.every((element, at) => element === before[at]) ? before : keepLiterals(before, there);
}

function changed(object: Json | undefined, key: string, before: Json, after: Json | undefined): Json {
  if (before === after || object === undefined || !isObject(object)) return object ?? null;
  return after === undefined ? withoutMember(object, key) : withMember(object, key, after);
}

const withoutMember = (object: JsonObject, key: string): JsonObject =>
  objectOf(keysOf(object).flatMap((each) => (each === key ? [] : [{ key: each, holder: object, from: each }])));

/** Returns the replacement value, as an address if the place accepts nothing else. */
function fitting(standIn: string, branches: readonly Schema[]): string {
  const patterns = branches.flatMap(({ pattern }) => (pattern === undefined ? [] : [new RegExp(pattern)]));
  const address = `https://address-${standIn}`;
  const isOne = patterns.length > 0 && patterns.every((pattern) => !pattern.test(standIn) && pattern.test(address));
  return isOne ? address : standIn;
}

const faultOfFlag = (value: string, branches: readonly Schema[]): string | undefined =>
  isFlagPlace(branches) && !['true', 'false'].includes(value)
    ? 'expected true or false, found another text in what it refers to'
    : undefined;

const A_WORD = 'says what the keys beside it mean, and cannot come from outside: write the word itself';
const LIKE_A_VARIABLE = 'is sent as it stands; to read an environment variable, write {"env": "NAME"}';
