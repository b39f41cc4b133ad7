/** Reads a configuration whose values stand elsewhere; where nothing is sent, without them (docs/language/secrets.md#without-the-values). */
import type { Fault } from '../../core/errors/errors';
import { entriesOf, isList, isObject, nestsTooDeep } from '../../core/json/objects';
import { isScalar, textOf } from '../../core/json/scalars';
import type { Json } from '../../core/model';
import { Secrets } from '../../core/secrets/secrets';
import { toFaults } from '../codec/finding';
import type { Finding } from '../codec/finding';
import type { SchemaDocument } from '../codec/schema';
import { configurationSchema } from '../configuration/schema';
import { lookIn } from '../environment';
import type { EnvironmentOptions } from '../environment';
import type { Parts } from '../parts/parts';
import { isReference, mayRefer, resolveReferences } from './reference';
import type { FollowedReference, Found, Reference } from './reference';

/** The treatment of a reference without a value where nothing is sent. */
export interface UnsetOption {
  /**
   * With `stand in`, an unset variable or a missing file is not a fault: its name replaces the value. Default: `fault`.
   */
  readonly unset?: 'fault' | 'stand in';
}

/**
 * Wraps a lookup so that missing values get a replacement, the same for the same reference: it fits into an address and
 * a header.
 */
function standingIn(look: (reference: Reference) => Found): (reference: Reference) => Found {
  const given = new Map<string, string>();
  return (reference) => {
    const found = look(reference);
    if ('value' in found || found.called === undefined) return found;
    const key = `${reference.source} ${reference.name}`;
    const standIn = given.get(key) ?? `unset-${given.size + 1}-${slugOf(reference.name)}.invalid`;
    given.set(key, standIn);
    return { ...found, standIn };
  };
}

/** Returns a name in a form that is valid in a host name. */
const slugOf = (name: string): string =>
  name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+/, '')
    .slice(-30)
    .replace(/^-+|-+$/g, '');

/** Returns the references with a replaced value. */
export const missingIn = (references: readonly FollowedReference[]): readonly FollowedReference[] =>
  references.filter(({ found }) => 'standIn' in found);

/** Returns the reference at the path of a fault, or just above it. */
export const missingAt = (references: readonly FollowedReference[], path: string): FollowedReference | undefined =>
  references.find(
    (each) => path === each.path || (path.startsWith(each.path) && /^[.[]/.test(path.slice(each.path.length))),
  );

/** Returns the fault of a reference without a value, at its place. */
const faultOf = ({ path, found }: FollowedReference): Fault => ({
  path,
  message: 'fault' in found ? found.fault : 'is not set',
});

/** Returns the notices about replaced values. */
export const noticesOf = (
  references: readonly FollowedReference[],
  isLeftOut: (path: string) => boolean,
): readonly Fault[] =>
  missingIn(references).map((each) => {
    const { path, message } = faultOf(each);
    return {
      path,
      message: `${message}; ${isLeftOut(path) ? 'it is left out here' : `${shownName(each)} stands for it`}`,
    };
  });

/** Returns the name that is shown in the place of a missing value. */
const shownName = ({ source, name }: Reference): string => (source === 'env' ? `$${name}` : `{${name}}`);

/** Replaces faults about replacement values by faults that say that the value is missing. */
export function withoutStandIns(faults: readonly Fault[], missing: readonly FollowedReference[]): readonly Fault[] {
  if (missing.length === 0) return faults;
  const all = faults.map((fault) => {
    const unset = missingAt(missing, fault.path);
    return unset === undefined ? fault : faultOf(unset);
  });
  return all.filter(
    ({ path, message }, at) => all.findIndex((one) => one.path === path && one.message === message) === at,
  );
}

/** Masks secrets, and shows the names of unset ones. */
export class NamedSecrets extends Secrets {
  readonly #names: readonly (readonly [string, string])[];

  constructor(values: readonly string[], references: readonly FollowedReference[]) {
    super(values);
    this.#names = references.flatMap((each) =>
      'standIn' in each.found ? [[each.found.standIn, shownName(each)] as const] : [],
    );
  }

  override mask(text: string): string {
    return super.mask(this.#names.reduce((named, [standIn, name]) => named.replaceAll(standIn, () => name), text));
  }
}

/**
 * Returns the strings below every key that starts with `#` (docs/language/configuration.md#secrets), even in an invalid
 * configuration. If such a string is JSON itself (`#data` of an OAuth authorization), the strings in it are secrets
 * too. A value that nests too deep for a configuration has none.
 *
 * @param isReference returns whether an object names a variable or a file, whose name is not a secret; by default there
 *   are none
 */
export const secretValues = (input: Json, isReference: IsReference = () => false): readonly string[] =>
  nestsTooDeep(input) ? [] : secretsIn(input, false, isReference);

type IsReference = (value: Json) => boolean;

function secretsIn(input: Json, secret: boolean, isReference: IsReference): readonly string[] {
  if (isList(input)) return input.flatMap((element) => secretsIn(element, secret, isReference));
  if (isObject(input))
    return secret && isReference(input)
      ? []
      : entriesOf(input).flatMap(([key, value]) => secretsIn(value, secret || key.startsWith('#'), isReference));
  if (!secret || !isScalar(input)) return [];
  const text = textOf(input);
  return text === '' ? [] : [text, ...insideJson(text)];
}

function insideJson(text: string): readonly string[] {
  if (!/^\s*[[{]/.test(text)) return [];
  try {
    const value = JSON.parse(text) as Json;
    return nestsTooDeep(value) ? [] : secretsIn(value, true, () => false);
  } catch {
    return [];
  }
}

/** A configuration with the values in the places of its references, and what was found. */
export interface Followed {
  readonly document: Json;
  /** The configuration as written, without the secrets. */
  readonly written: Json;
  /** The secrets. */
  readonly referred: readonly string[];
  readonly references: readonly FollowedReference[];
  readonly faults: readonly Fault[];
  /** Faults, unless the reading is lenient: then they are warnings. */
  readonly mistakes: readonly Fault[];
  readonly warnings: readonly Fault[];
}

const schemas = new WeakMap<Parts, SchemaDocument>();

function schemaOf(parts: Parts): SchemaDocument {
  const known = schemas.get(parts) ?? configurationSchema(parts);
  schemas.set(parts, known);
  return known;
}

/**
 * Returns the secrets in a configuration itself; a reference among them names a variable or file, which is not a
 * secret.
 */
export const secretsWrittenIn = (json: Json, { env }: EnvironmentOptions): readonly string[] =>
  secretValues(json, env === false ? undefined : isReference);

/**
 * Follows the references; the cost for a configuration without any is a single scan.
 *
 * @param isLeftOut returns whether a path is a place where nothing may replace an unset value
 */
export function withReferences(
  json: Json,
  parts: Parts,
  { env = process.env, secretFiles = env === process.env, unset = 'fault' }: EnvironmentOptions & UnsetOption,
  isLeftOut: (path: string) => boolean = () => false,
): Followed {
  if (env === false || nestsTooDeep(json) || !mayRefer(json)) return none(json);
  const { findings, warnings, values, references, ...resolved } = resolveReferences(
    json,
    schemaOf(parts),
    unset === 'fault' ? lookIn(env, secretFiles) : standingIn(lookIn(env, secretFiles)),
    (path) => isLeftOut(bare({ path, message: '' }).path),
  );
  const bareFaults = (some: readonly Finding[]): readonly Fault[] => toFaults(some, json).map(bare);
  return {
    ...resolved,
    references: references.map((each) => ({ ...each, path: bare({ path: each.path, message: '' }).path })),
    referred: secretValues({ '#': values }),
    faults: bareFaults(findings.filter(({ code }) => code === undefined)),
    mistakes: bareFaults(findings.filter(({ code }) => code !== undefined)),
    warnings: bareFaults(warnings),
  };
}

const none = (json: Json): Followed => ({
  ...{ document: json, written: json, referred: [], references: [], faults: [], mistakes: [], warnings: [] },
});

/** Removes the prefix of the wrapped form, which never appears in faults. */
const bare = (fault: Fault): Fault => ({ ...fault, path: fault.path.replace(/^parameters\./, '') });

/** Returns all faults of a configuration: those of its references, and those of their values, which are not shown. */
export function faultsWith(
  { references, faults, mistakes }: Pick<Followed, 'references' | 'faults' | 'mistakes'>,
  decoded: readonly Fault[],
  { lenient }: { readonly lenient: boolean },
): readonly Fault[] {
  const own = lenient ? faults : [...faults, ...mistakes];
  const known = new Set(own.map(({ path }) => path));
  const referring = new Set(references.map(({ path }) => path));
  const others = decoded
    .filter(({ path }) => !known.has(path))
    .map((fault) => (referring.has(fault.path) ? { ...fault, message: withoutFound(fault.message) } : fault));
  return [...own, ...others];
}

/** Returns a message without the found value: `expected a number, found "abc"; did you mean …`. */
const withoutFound = (message: string): string =>
  message.replace(/, found [\s\S]*$/, ', found something else in what it refers to');

/** Returns the warnings. */
export const warningsOf = (
  { warnings, mistakes }: Pick<Followed, 'warnings' | 'mistakes'>,
  { lenient }: { readonly lenient: boolean },
): readonly Fault[] => [...(lenient ? mistakes.map(({ path, message }) => ({ path, message })) : []), ...warnings];
