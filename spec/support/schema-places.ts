/** Every place of a schema, and a configuration that has a value there. */
import { definitionName } from './definition-name';
import type { Schema, SchemaDocument } from '../../src/language/codec/schema';
import type { Json, JsonObject } from '../../src/core/model';

/** A place of the schema. */
export interface SchemaPlace {
  /** Keys from the root; elements of arrays have the index 0, members of any name the key `any-key`. */
  readonly keys: readonly string[];
  /** The schemas that the place may be read by, references between them followed. */
  readonly branches: readonly Schema[];
  /** What has to stand beside it for these schemas to hold: words of `type` and `method`, by their place. */
  readonly words: readonly (readonly [keys: readonly string[], word: string])[];
}

export const ANY_KEY = 'any-key';

interface Step {
  readonly keys: readonly string[];
  readonly words: SchemaPlace['words'];
  /** Definitions that lead here: each is entered once on a way. */
  readonly above: readonly string[];
}

/** All places of a schema, each once for each of the words that lead there. */
export function placesOf(document: SchemaDocument, root: Schema): readonly SchemaPlace[] {
  const found = new Map<string, { readonly place: SchemaPlace; readonly branches: Schema[] }>();
  const visit = (schema: Schema, step: Step): void => {
    const name = definitionName(schema);
    if (name !== undefined) {
      if (name === 'reference' || step.above.filter((each) => each === name).length > 0) return;
      const target = document.$defs[name];
      if (target !== undefined) visit(target, { ...step, above: [...step.above, name] });
      return;
    }
    if (schema.deprecated === true) return;
    for (const branch of [...(schema.anyOf ?? []), ...(schema.allOf ?? [])]) visit(branch, step);
    const words = Object.entries(schema.properties ?? {}).flatMap(([key, { const: word }]) =>
      typeof word === 'string' ? [[[...step.keys, key], word] as const] : [],
    );
    const inner = (key: string, member: Schema): void => {
      const next = { ...step, keys: [...step.keys, key], words: [...step.words, ...words] };
      note(member, next);
      visit(member, next);
    };
    for (const [key, member] of Object.entries(schema.properties ?? {})) inner(key, member);
    if (schema.items !== undefined) inner('0', schema.items);
    if (schema.additionalProperties !== undefined && Object.keys(schema.additionalProperties).length > 0)
      inner(ANY_KEY, schema.additionalProperties);
  };
  const note = (schema: Schema, { keys, words }: Step): void => {
    const id = JSON.stringify([keys, words]);
    const known = found.get(id) ?? { place: { keys, words, branches: [] }, branches: [] };
    found.set(id, known);
    known.branches.push(schema);
  };
  visit(root, { keys: [], words: [], above: [] });
  return Array.from(found.values(), ({ place, branches }) => ({ ...place, branches }));
}

/** The base with a value at a place, and the words beside it. */
export function withValueAt(base: Json, { keys, words }: Pick<SchemaPlace, 'keys' | 'words'>, value: Json): Json {
  const all = [...words, [keys, value] as const];
  return all.reduce((sofar, [path, each]) => setIn(sofar, path, each), base);
}

function setIn(base: Json | undefined, [key, ...rest]: readonly string[], value: Json): Json {
  if (key === undefined) return value;
  if (key === '0') return [setIn(Array.isArray(base) ? (base[0] as Json) : undefined, rest, value)];
  const object = (typeof base === 'object' && base !== null && !Array.isArray(base) ? base : {}) as JsonObject;
  return { ...object, [key]: setIn(object[key], rest, value) };
}
