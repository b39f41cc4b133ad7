/** References to values that stand outside of the configuration (docs/language/secrets.md). */
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
const looksLikeVariable = (value: Json): boolean =>
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

/** What a reference gives, or why it gives nothing; the reason never quotes a value. */
export type Found = { readonly value: string } | MissingSecret;

/** A reference that gives nothing. */
export interface MissingSecret {
  readonly fault: string;
  /** The name, where it may be shown: one that does not look like a name may be the secret itself. */
  readonly called?: string;
  /** Stands for the value, where what is not set is no fault. */
  readonly standIn?: string;
}

/** A reference that was followed. */
export interface FollowedReference extends Reference {
  /** Its place, as faults name it. */
  readonly path: string;
  readonly found: Found;
}

/** A configuration whose references were followed. */
export interface Resolved {
  /** With the values in the places of the references. */
  readonly document: Json;
  /** As it was written, but for values that are no secrets: what tells configurations apart. */
  readonly written: Json;
  /** The values that are secrets. */
  readonly values: readonly string[];
  /** All references, as they were found. */
  readonly references: readonly FollowedReference[];
  /** References that give nothing, unless something stands for it, and objects that are like references. */
  readonly findings: readonly Finding[];
  readonly warnings: readonly Finding[];
}

/** Stands in the place of a value that is not there, so that other faults are found as well. */
const MISSING = 'missing';

/**
 * Follows the references of a configuration (docs/language/secrets.md).
 *
 * @param input the configuration, in either form
 * @param schema the schema of configurations, which says where one value stands
 * @param look gives the value of a reference
 * @param isLeftOut tells the places, by their paths, at which nothing is to stand that stands for a value
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
    // Nothing in it is followed or evaluated; expressions take it out of `literal`.
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
  /** Absent: it is left out. */
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

/** What stands for a value; an address where the place takes nothing else. */
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
