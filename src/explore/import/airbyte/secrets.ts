/**
 * What a person can change in the configuration that is made for a source: values of the source's own configuration are attributes; secret
 * ones refer to the environment.
 */
import { withMember } from '../../../core/json/literals';
import { entriesOf, isList, isObject, objectFrom, ownValue } from '../../../core/json/objects';
import type { Json, JsonObject } from '../../../core/model';
import type { FromAirbyte } from './airbyte';

const MARK = /headwater-mark-(\d+)-/;
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
    const inner = all.flatMap((schema) => {
      const properties = ownValue(schema, 'properties');
      return (isObject(properties) ? ownValue(properties, key) : undefined) ?? [];
    });
    return settingsIn(inner, member, [...path, key]);
  });
}

const withSetting = (value: JsonObject, [key = '', ...rest]: readonly string[], setting: string): JsonObject =>
  objectFrom(
    entriesOf(value).map(([name, member]): readonly [string, Json] => {
      if (name !== key) return [name, member];
      return [name, rest.length > 0 && isObject(member) ? withSetting(member, rest, setting) : setting];
    }),
  );

/** Returns what was made, with the values in the places of their marks. */
const withValues = ({ configuration, streams, cursors }: FromAirbyte, all: readonly Setting[]): string =>
  JSON.stringify([configuration, streams, cursors], (_, value: unknown) =>
    typeof value !== 'string'
      ? value
      : value.replace(new RegExp(MARK, 'g'), (mark, at: string) => all[Number(at)]?.value ?? mark),
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
  const inner = ownValue(made, 'config');
  const source = all
    .filter((setting) => used.has(setting))
    .reduce<JsonObject>((made, setting) => withAttribute(made, setting.path, attributeOf(setting)), {});
  if (used.size === 0 || !isObject(inner)) return made;
  return objectFrom(
    entriesOf(made).map(([key, value]) =>
      key === 'config' ? [key, objectFrom([[SOURCE, source] as const, ...entriesOf(inner)])] : [key, value],
    ),
  );
}

/** Returns attributes with one more at the keys that lead to it. */
function withAttribute(attributes: JsonObject, [key = '', ...rest]: readonly string[], value: Json): JsonObject {
  const inner = ownValue(attributes, key);
  const made =
    rest.length === 0 ? value : withAttribute(inner !== undefined && isObject(inner) ? inner : {}, rest, value);
  return withMember(attributes, key, made);
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
    return value.replace(new RegExp(MARK, 'g'), (_, at: string) => `{${nameAt(Number(at))}}`);
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
