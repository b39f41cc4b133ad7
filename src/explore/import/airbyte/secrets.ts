/** Keeps the secrets of a source out of the configuration that is made for it: attributes that refer to the environment stand in their places. */
import { entriesOf, isList, isObject, objectFrom, ownValue } from '../../../core/json/objects';
import type { Json, JsonObject } from '../../../core/model';

const MARK = /headwater-secret-(\d+)-/;
const BASE64 = /[A-Za-z\d+/]{16,}={0,2}/;

/** A configuration of a source without its secrets. */
export interface WithoutSecrets {
  /** It has marks in their places. */
  readonly config: JsonObject;
  /** Returns a configuration that was made with the marks: attributes are in their places, each with the variable that has its value. */
  readonly restored: (configuration: JsonObject) => JsonObject;
}

/**
 * Takes the values out of a configuration that its specification calls secret.
 *
 * @example withoutSecrets({ properties: { key: { airbyte_secret: true } } }, { key: 'k' }).restored(made)
 */
export function withoutSecrets(specification: JsonObject, config: JsonObject): WithoutSecrets {
  const names: string[] = [];
  const marked = (schemas: readonly Json[], value: Json, path: readonly string[]): Json => {
    const all = schemas.flatMap(alternatives);
    if (typeof value === 'string' && all.some((schema) => ownValue(schema, 'airbyte_secret') === true)) {
      const name = path.join('_').replace(/\W/g, '_');
      const at = names.includes(name) ? names.indexOf(name) : names.push(name) - 1;
      return `headwater-secret-${at}-`;
    }
    if (!isObject(value)) return value;
    return objectFrom(
      entriesOf(value).map(([key, member]) => {
        const inner = all.flatMap((schema) => {
          const properties = ownValue(schema, 'properties');
          return (isObject(properties) ? ownValue(properties, key) : undefined) ?? [];
        });
        return [key, marked(inner, member, [...path, key])] as const;
      }),
    );
  };
  return {
    config: marked([specification], config, []) as JsonObject,
    restored: (configuration) => {
      const used = new Set<string>();
      const made = restoredIn(configuration, (at) => {
        const name = names[at] ?? '';
        used.add(name);
        return name;
      }) as JsonObject;
      const inner = ownValue(made, 'config');
      const attributes = [...used].map((name) => [name, { env: name.toUpperCase() }] as const);
      return objectFrom(
        entriesOf(made).map(([key, value]) =>
          key === 'config'
            ? [key, objectFrom([...attributes, ...(isObject(inner) ? entriesOf(inner) : [])])]
            : [key, value],
        ),
      );
    },
  };
}

/** Returns a schema, and those in it of which one holds. */
function alternatives(schema: Json): readonly JsonObject[] {
  if (!isObject(schema)) return [];
  const inner = ['oneOf', 'anyOf', 'allOf'].flatMap((key) => ownValue(schema, key) ?? []);
  return [schema, ...inner.flatMap(alternatives)];
}

function restoredIn(value: Json, nameOf: (at: number) => string): Json {
  if (typeof value === 'string') return joined(partsOf(value, nameOf));
  if (isList(value)) return value.map((each) => restoredIn(each, nameOf));
  if (!isObject(value)) return value;
  return objectFrom(entriesOf(value).map(([key, member]) => [key, restoredIn(member, nameOf)] as const));
}

/** Returns the parts of a string: literal parts, and expressions in the places of marks, also where those were encoded. */
function partsOf(text: string, nameOf: (at: number) => string): readonly Json[] {
  const found = MARK.exec(text);
  if (found !== null) {
    const after = text.slice(found.index + found[0].length);
    return [
      ...partsOf(text.slice(0, found.index), nameOf),
      { attr: nameOf(Number(found[1])) },
      ...partsOf(after, nameOf),
    ];
  }
  const encoded = BASE64.exec(text);
  const decoded = encoded === null ? '' : Buffer.from(encoded[0], 'base64').toString('utf8');
  if (encoded === null || !MARK.test(decoded)) return text === '' ? [] : [text];
  const after = text.slice(encoded.index + encoded[0].length);
  const whole = { function: 'base64_encode', args: [joined(partsOf(decoded, nameOf))] };
  return [...partsOf(text.slice(0, encoded.index), nameOf), whole, ...partsOf(after, nameOf)];
}

const joined = (parts: readonly Json[]): Json =>
  parts.length > 1 ? { function: 'concat', args: parts } : (parts[0] ?? '');
