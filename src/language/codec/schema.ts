/**
 * JSON Schema, draft 2020-12, as far as configurations need it: the input of a codec as data for editors and documents.
 */
import type { Json } from '../../core/model';

/** The types of values in JSON Schema. */
export type TypeName = 'null' | 'boolean' | 'number' | 'integer' | 'string' | 'array' | 'object';

/**
 * The key under which a reference keeps the builder of its definition; parts of another copy of this package share it.
 */
const DEFINITION: unique symbol = Symbol.for('headwater.schema.definition');

/**
 * A schema. Input that a codec accepts only for tolerance is a branch of `anyOf` with `deprecated`: editors do not
 * offer it.
 */
export interface Schema {
  readonly $ref?: string;
  readonly title?: string;
  readonly description?: string;
  readonly default?: Json;
  readonly examples?: readonly Json[];
  readonly deprecated?: boolean;
  readonly type?: TypeName | readonly TypeName[];
  readonly const?: Json;
  readonly enum?: readonly Json[];
  readonly anyOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly not?: Schema;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minItems?: number;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Schema;
  /** Schemas by patterns of keys; they take precedence over `additionalProperties`. */
  readonly patternProperties?: Readonly<Record<string, Schema>>;
  readonly minProperties?: number;
  /** @internal */
  readonly [DEFINITION]?: () => Schema;
}

/** Returns a reference to a definition that is built together with the document, so that it may refer to itself. */
export const named = (name: string, build: () => Schema): Schema => ({
  $ref: `#/$defs/${name}`,
  [DEFINITION]: build,
});

/** Combines the recommended input with other accepted input. */
export const tolerant = (recommended: Schema, ...besides: readonly Schema[]): Schema => ({
  anyOf: [recommended, ...besides.map((schema) => ({ ...schema, deprecated: true }))],
});

/** Returns the schema behind a reference made by {@link named}, and any other schema itself. */
export const definitionOf = (schema: Schema): Schema => {
  const build = schema[DEFINITION];
  return build === undefined ? schema : definitionOf(build());
};

/** Blank values: they mean "use the default" wherever a value may be left out. */
export const blank: Schema = named('blank', () => ({
  description: 'A blank value, which means the default.',
  enum: [null, false, 0, '', '0', [], {}],
}));

/** Returns the schema of an object that has a value at a key: a blank one counts as absent. */
export const hasValue = (key: string): Schema => ({ required: [key], properties: { [key]: { not: blank } } });

/** Blank values except the empty array, which may mean "nothing to do". */
export const blankButList: Schema = named('blankButList', () => ({ enum: [null, false, 0, '', '0', {}] }));

/** Blank values if 0 is a value of its own. */
export const empty: Schema = named('empty', () => ({
  description: 'A blank value, which means the default; 0 is a value.',
  enum: [null, false, '', [], {}],
}));

/** A value, or an expression for one. The document defines it, because only the document knows the functions. */
export const EXPRESSION: Schema = { $ref: '#/$defs/expression' };

/** Returns the object schema among the accepted input, through references; `undefined` if there is none. */
export function objectIn(schema: Schema, definitions: Readonly<Record<string, Schema>>): Schema | undefined {
  const target = resolved(schema, definitions);
  if (target.properties !== undefined) return target;
  for (const branch of target.anyOf ?? []) {
    const found = objectIn(branch, definitions);
    if (found !== undefined) return found;
  }
  return target.items === undefined ? undefined : objectIn(target.items, definitions);
}

/** Returns the schema behind a reference. */
function resolved(schema: Schema, definitions: Readonly<Record<string, Schema>>): Schema {
  const name = schema.$ref?.replace('#/$defs/', '');
  const definition = name === undefined ? undefined : definitions[name];
  return definition === undefined ? schema : resolved(definition, definitions);
}

/** A schema that is a complete document. */
export interface SchemaDocument extends Schema {
  readonly $schema: string;
  readonly $id?: string;
  readonly $defs: Readonly<Record<string, Schema>>;
}

/**
 * Returns a schema with all definitions that it refers to.
 *
 * @param defined the definitions that codecs refer to by name alone
 * @example schemaDocument(string.schema(), { title: 'A name' }, {})
 */
export function schemaDocument(
  root: Schema,
  about: Pick<SchemaDocument, 'title' | 'description' | '$id'>,
  defined: Readonly<Record<string, Schema>>,
): SchemaDocument {
  const definitions = new Map<string, Schema>();
  const visit = (schema: Schema): Schema => {
    const build = schema[DEFINITION];
    const name = schema.$ref?.replace('#/$defs/', '');
    if (build !== undefined && name !== undefined && !definitions.has(name)) {
      definitions.set(name, {});
      definitions.set(name, visit(build()));
    }
    return mapParts(schema, visit);
  };
  for (const [name, schema] of Object.entries(defined)) definitions.set(name, visit(schema));
  const document = visit(root);
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    ...about,
    ...document,
    $defs: Object.fromEntries(Array.from(definitions).sort(([a], [b]) => (a < b ? -1 : 1))),
  };
}

/** Returns the schema with each inner schema changed. */
function mapParts(schema: Schema, change: (part: Schema) => Schema): Schema {
  const { anyOf, allOf, not, items, properties, additionalProperties } = schema;
  return {
    ...schema,
    ...(anyOf === undefined ? {} : { anyOf: anyOf.map(change) }),
    ...(allOf === undefined ? {} : { allOf: allOf.map(change) }),
    ...(not === undefined ? {} : { not: change(not) }),
    ...(items === undefined ? {} : { items: change(items) }),
    ...(properties === undefined
      ? {}
      : { properties: Object.fromEntries(Object.entries(properties).map(([key, value]) => [key, change(value)])) }),
    ...(additionalProperties === undefined ? {} : { additionalProperties: change(additionalProperties) }),
  };
}
