/**
 * The configuration that a source asks for: what is required, what is secret, and what a person can change in the configuration of Headwater
 * that is made for it.
 */
import { withMember } from '../../../core/json/literals';
import {
  entriesOf,
  isList,
  isObject,
  listAt,
  objectAt,
  objectFrom,
  ownValue,
  together,
  valueBelow,
} from '../../../core/json/objects';
import type { Json, JsonObject } from '../../../core/model';
import type { FromAirbyte } from './streams';
import type { AirbyteManifest } from './source';

/** Returns the specification in a manifest, or beside it. */
export function specificationOf({ manifest, spec = {} }: Pick<AirbyteManifest, 'manifest' | 'spec'>): JsonObject {
  const own = ownValue(manifest, 'spec');
  return isObject(own) ? own : spec;
}

/** Returns the schema of the configuration of a source. */
export function connectionSpecificationOf(source: Pick<AirbyteManifest, 'manifest' | 'spec'>): JsonObject {
  const written = specificationOf(source);
  const found = ownValue(written, 'connection_specification') ?? ownValue(written, 'connectionSpecification');
  return isObject(found) ? found : {};
}

/**
 * Returns the values of a configuration that its specification calls secret.
 *
 * @example airbyteSecrets({ properties: { key: { airbyte_secret: true } } }, { key: 'k' }) // ['k']
 */
export const airbyteSecrets = (specification: JsonObject, config: JsonObject): readonly string[] => [
  ...new Set(settingsIn([specification], config, []).flatMap(({ value, isSecret }) => (isSecret ? [value] : []))),
];

/**
 * Returns the names of members that a specification requires and a configuration lacks.
 *
 * @example airbyteMissing({ required: ['key', 'url'] }, { key: 'k' }) // ['url']
 */
export function airbyteMissing(specification: JsonObject, config: JsonObject): readonly string[] {
  const names = listAt(specification, 'required').filter((name) => typeof name === 'string');
  return names.filter((name) => (ownValue(config, name) ?? null) === null);
}

const MARK = /headwater-mark-(\d+)-/;
const MARKS = new RegExp(MARK, 'g');
const BASE64 = /[A-Za-z\d+/]{16,}={0,2}/;

/** A string in the configuration of a source. */
interface Setting {
  readonly path: readonly string[];
  readonly value: string;
  readonly isSecret: boolean;
}

/**
 * Translates with marks in the places of values, and puts attributes where the marks have come out. A value that is not secret is one where
 * nothing else in the configuration depends on it.
 *
 * @param specification of which values are secret
 * @param translate what makes a configuration of that of the source
 * @example withAttributes(specification, config, (given) => fromAirbyte(manifest, given, { now }))
 */
export function withAttributes(
  specification: JsonObject,
  config: JsonObject,
  translate: (config: JsonObject) => FromAirbyte,
): FromAirbyte {
  const all = settingsIn([specification], config, []);
  const made = (marked: readonly Setting[]): FromAirbyte =>
    translate(marked.reduce((given, { path }) => withSetting(given, path, markOf(all, path)), config));
  const secrets = all.filter(({ isSecret }) => isSecret);
  const base = made(secrets);
  const plain = withValues(base, all);
  const isFree = (setting: Setting): boolean =>
    !setting.isSecret && setting.value !== '' && withValues(made([...secrets, setting]), all) === plain;
  const free = all.filter(isFree);
  const whole = free.length > 1 ? made([...secrets, ...free]) : undefined;
  const chosen = whole !== undefined && withValues(whole, all) !== plain ? secrets : [...secrets, ...free];
  const result = made(chosen);
  return { ...result, configuration: restored(result.configuration, all) };
}

const markOf = (all: readonly Setting[], path: readonly string[]): string =>
  `headwater-mark-${all.findIndex((each) => each.path === path)}-`;

function settingsIn(schemas: readonly Json[], value: Json, path: readonly string[]): readonly Setting[] {
  const all = schemas.flatMap(alternatives);
  const isSecret = all.some((schema) => ownValue(schema, 'airbyte_secret') === true);
  if (typeof value === 'string') return [{ path, value, isSecret }];
  if (!isObject(value)) return [];
  return entriesOf(value).flatMap(([key, member]) => {
    const inner = all.flatMap((schema) => valueBelow(schema, 'properties', key) ?? []);
    return settingsIn(inner, member, [...path, key]);
  });
}

/** Returns an object with a value at the keys that lead to it. */
const withSetting = (value: JsonObject, [key = '', ...rest]: readonly string[], setting: Json): JsonObject =>
  withMember(value, key, rest.length === 0 ? setting : withSetting(objectAt(value, key), rest, setting));

/** Returns what was made, with the values in the places of their marks. */
const withValues = ({ configuration, streams, cursors }: FromAirbyte, all: readonly Setting[]): string =>
  JSON.stringify([configuration, streams, cursors], (_, value: unknown) =>
    typeof value !== 'string' ? value : value.replace(MARKS, (mark, at: string) => all[Number(at)]?.value ?? mark),
  );

/** The attribute that has the configuration of the source. */
const SOURCE = 'source';

/** Returns a configuration with attributes in the places of marks. */
function restored(configuration: JsonObject, all: readonly Setting[]): JsonObject {
  const used = new Set<Setting>();
  const nameAt = (at: number): string => {
    const setting = all[at];
    if (setting === undefined) return '';
    used.add(setting);
    return [SOURCE, ...setting.path].join('.');
  };
  const made = restoredIn(configuration, nameAt) as JsonObject;
  const attributes = all
    .filter((setting) => used.has(setting))
    .reduce<JsonObject>((before, setting) => withSetting(before, setting.path, attributeOf(setting)), {});
  return used.size === 0
    ? made
    : withMember(made, 'config', together({ [SOURCE]: attributes }, objectAt(made, 'config')));
}

/** Returns the value of an attribute: a secret is read from the environment. */
const attributeOf = ({ path, value, isSecret }: Setting): Json =>
  isSecret ? { env: path.join('_').replace(/\W/g, '_').toUpperCase() } : value;

/** Returns a schema, and those in it of which one holds. */
function alternatives(schema: Json): readonly JsonObject[] {
  if (!isObject(schema)) return [];
  const inner = ['oneOf', 'anyOf', 'allOf'].flatMap((key) => ownValue(schema, key) ?? []);
  return [schema, ...inner.flatMap(alternatives)];
}

function restoredIn(value: Json, nameAt: (at: number) => string, isEndpoint = false): Json {
  // An endpoint has attributes as placeholders.
  if (typeof value === 'string' && isEndpoint)
    return value.replace(MARKS, (_, at: string) => `{${nameAt(Number(at))}}`);
  if (typeof value === 'string') return joined(partsOf(value, nameAt));
  if (isList(value)) return value.map((each) => restoredIn(each, nameAt));
  if (!isObject(value)) return value;
  return objectFrom(
    entriesOf(value).map(([key, member]) => [key, restoredIn(member, nameAt, key === 'endpoint')] as const),
  );
}

/** Returns the parts of a string: literal parts, and expressions in the places of marks, also where those were encoded. */
function partsOf(text: string, nameAt: (at: number) => string): readonly Json[] {
  const found = MARK.exec(text);
  if (found !== null) {
    const after = text.slice(found.index + found[0].length);
    return [
      ...partsOf(text.slice(0, found.index), nameAt),
      { attr: nameAt(Number(found[1])) },
      ...partsOf(after, nameAt),
    ];
  }
  const encoded = BASE64.exec(text);
  const decoded = encoded === null ? '' : Buffer.from(encoded[0], 'base64').toString('utf8');
  if (encoded === null || !MARK.test(decoded)) return text === '' ? [] : [text];
  const after = text.slice(encoded.index + encoded[0].length);
  const whole = { function: 'base64_encode', args: [joined(partsOf(decoded, nameAt))] };
  return [...partsOf(text.slice(0, encoded.index), nameAt), whole, ...partsOf(after, nameAt)];
}

const joined = (parts: readonly Json[]): Json =>
  parts.length > 1 ? { function: 'concat', args: parts } : (parts[0] ?? '');
