/** JSON Schema, draft 2020-12, as far as configurations need it: what a codec takes, as data for editors and documents. */
import type { Json } from '../../core/model';

/** The types of values in JSON Schema. */
export type TypeName = 'null' | 'boolean' | 'number' | 'integer' | 'string' | 'array' | 'object';

/** Builds a schema that stands in the definitions of the document, under its name; parts of another copy have it, too. */
const DEFINITION: unique symbol = Symbol.for('headwater.schema.definition');

/** A schema. What a codec takes only for tolerance is a branch of `anyOf` with `deprecated`: editors do not offer it. */
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
  /** By patterns of keys; they go before `additionalProperties`. */
  readonly patternProperties?: Readonly<Record<string, Schema>>;
  readonly minProperties?: number;
  /** @internal */
  readonly [DEFINITION]?: () => Schema;
}

/** A reference to a definition that is built when the document is, so that it may hold itself. */
export const named = (name: string, build: () => Schema): Schema => ({
  $ref: `#/$defs/${name}`,
  [DEFINITION]: build,
});

/** What a person should write, and what is taken besides. */
export const tolerant = (recommended: Schema, ...besides: readonly Schema[]): Schema => ({
  anyOf: [recommended, ...besides.map((schema) => ({ ...schema, deprecated: true }))],
});

/** The schema that a reference made by {@link named} refers to; any other schema itself. */
export const definitionOf = (schema: Schema): Schema => {
  const build = schema[DEFINITION];
  return build === undefined ? schema : definitionOf(build());
};

/** Blank values mean "use the default" wherever a value may be left out. */
export const blank: Schema = named('blank', () => ({
  description: 'A blank value, which means the default.',
  enum: [null, false, 0, '', '0', [], {}],
}));

/** An object that has a value at a key: a blank one counts as absent. */
export const hasValue = (key: string): Schema => ({ required: [key], properties: { [key]: { not: blank } } });

/** Blank values but the empty list, where that may stand for nothing to do. */
export const blankButList: Schema = named('blankButList', () => ({ enum: [null, false, 0, '', '0', {}] }));

/** Blank values, where 0 is a value of its own. */
export const empty: Schema = named('empty', () => ({
  description: 'A blank value, which means the default; 0 is a value.',
  enum: [null, false, '', [], {}],
}));

/** A value, or an expression that gives one. The document defines it, since only that knows the functions. */
export const EXPRESSION: Schema = { $ref: '#/$defs/expression' };

/** The schema of an object among what is taken, through references; `undefined`: no object is. */
export function objectIn(schema: Schema, definitions: Readonly<Record<string, Schema>>): Schema | undefined {
  const target = resolved(schema, definitions);
  if (target.properties !== undefined) return target;
  for (const branch of target.anyOf ?? []) {
    const found = objectIn(branch, definitions);
    if (found !== undefined) return found;
  }
  return target.items === undefined ? undefined : objectIn(target.items, definitions);
}

/** What a reference refers to. */
function resolved(schema: Schema, definitions: Readonly<Record<string, Schema>>): Schema {
  const name = schema.$ref?.replace('#/$defs/', '');
  const definition = name === undefined ? undefined : definitions[name];
  return definition === undefined ? schema : resolved(definition, definitions);
}

/** A schema as a document of its own. */
export interface SchemaDocument extends Schema {
  readonly $schema: string;
  readonly $id?: string;
  readonly $defs: Readonly<Record<string, Schema>>;
}

/**
 * A schema with all definitions that it refers to.
 *
 * @param defined definitions that codecs refer to by name alone
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

/** The schema with each schema inside it changed. */
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
