/** JSON Schema, draft 2020-12, as far as configurations need it: what a codec takes, as data for editors and documents. */
import type { Json } from '../model';

type TypeName = 'null' | 'boolean' | 'number' | 'integer' | 'string' | 'array' | 'object';

/** Builds a schema that stands in the definitions of the document, under its name. */
const DEFINITION = Symbol('headwater.schema.definition');

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
  readonly if?: Schema;
  readonly then?: Schema;
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
  readonly minProperties?: number;
  readonly [DEFINITION]?: () => Schema;
}

/** A reference to a schema that is built when the document is, so that it may hold itself. */
export const named = (name: string, build: () => Schema): Schema => ({
  $ref: `#/$defs/${name}`,
  [DEFINITION]: build,
});

/** What a person should write, and what is taken besides. */
export const tolerant = (recommended: Schema, ...besides: readonly Schema[]): Schema => ({
  anyOf: [recommended, ...besides.map((schema) => ({ ...schema, deprecated: true }))],
});

/** Blank values mean "use the default" wherever a value may be left out. */
export const blank: Schema = named('blank', () => ({
  description: 'A blank value, which means the default.',
  enum: [null, false, 0, '', '0', [], {}],
}));

/** Blank values, where 0 is a value of its own. */
export const empty: Schema = named('empty', () => ({
  description: 'A blank value, which means the default; 0 is a value.',
  enum: [null, false, '', [], {}],
}));

/** A schema as a document of its own, with all definitions that it refers to. */
export function schemaDocument(root: Schema, about: Pick<Schema, 'title' | 'description'> & { readonly $id?: string }) {
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
  const { anyOf, allOf, not, if: condition, then, items, properties, additionalProperties } = schema;
  return {
    ...schema,
    ...(anyOf === undefined ? {} : { anyOf: anyOf.map(change) }),
    ...(allOf === undefined ? {} : { allOf: allOf.map(change) }),
    ...(not === undefined ? {} : { not: change(not) }),
    ...(condition === undefined ? {} : { if: change(condition) }),
    ...(then === undefined ? {} : { then: change(then) }),
    ...(items === undefined ? {} : { items: change(items) }),
    ...(properties === undefined
      ? {}
      : { properties: Object.fromEntries(Object.entries(properties).map(([key, value]) => [key, change(value)])) }),
    ...(additionalProperties === undefined ? {} : { additionalProperties: change(additionalProperties) }),
  };
}
