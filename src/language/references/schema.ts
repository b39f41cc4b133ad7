/** Finds the places of single values and of objects of names, by the schema of configurations. */
import { isObject, ownValue } from '../../core/json/objects';
import type { Json } from '../../core/model';
import { COLUMNS } from '../codec/primitives';
import type { Schema, SchemaDocument } from '../codec/schema';

type Definitions = SchemaDocument['$defs'];

/** The definition of values that may be expressions; everything inside of one is a value, too. */
const EXPRESSION_REF = '#/$defs/expression';
/** The definition of references themselves. */
const REFERENCE_REF = '#/$defs/reference';
/** The title of an object that is an expression, not an object of names. */
const EXPRESSION_TITLE = 'Expression';
const ANYTHING: Schema = {};
const EXPRESSION: Schema = { $ref: EXPRESSION_REF };

/** Returns the schemas that apply to a place, with references and choices resolved; those of expressions stay. */
export function branchesOf(schema: Schema, definitions: Definitions, value?: Json): readonly Schema[] {
  const { $ref, anyOf, allOf } = schema;
  const old = (branches: readonly Schema[]): readonly Schema[] =>
    schema.deprecated === true ? branches.map((branch) => ({ ...branch, deprecated: true })) : branches;
  if ($ref === EXPRESSION_REF) return [schema];
  if ($ref === REFERENCE_REF) return [];
  if ($ref !== undefined)
    return old(branchesOf(definitions[$ref.replace('#/$defs/', '')] ?? ANYTHING, definitions, value));
  const parts = [...(anyOf ?? []), ...(allOf ?? [])].flatMap((part) => branchesOf(part, definitions, value));
  const isOwn = anyOf === undefined || schema.properties !== undefined || schema.type !== undefined;
  return [...(isOwn ? [schema] : []), ...old(parts)].filter((branch) => isPossible(branch, value));
}

/** Returns whether a branch fits the `type` or `method` in the value. */
function isPossible({ properties = {} }: Schema, value: Json | undefined): boolean {
  if (value === undefined || !isObject(value)) return true;
  return Object.entries(properties).every(([key, { const: word }]) => {
    const written = ownValue(value, key);
    return typeof word !== 'string' || typeof written !== 'string' || written === word;
  });
}

const typesOf = ({ type }: Schema): readonly string[] => (type === undefined ? [] : [type].flat());

/** Returns whether a schema allows any value. */
const isAnything = (schema: Schema): boolean =>
  typesOf(schema).length === 0 &&
  [schema.enum, schema.const, schema.properties, schema.anyOf, schema.allOf, schema.not].every(
    (part) => part === undefined,
  );

const takesScalar = (schema: Schema): boolean =>
  schema.$ref === EXPRESSION_REF ||
  schema.enum !== undefined ||
  isAnything(schema) ||
  typesOf(schema).some((type) => ['string', 'number', 'integer', 'boolean'].includes(type));

/** Returns whether the author of an object chooses its keys: then `env` may be one of them. */
const takesNames = (schema: Schema): boolean =>
  schema.title === COLUMNS ||
  (typesOf(schema).includes('object') &&
    schema.title !== EXPRESSION_TITLE &&
    schema.allOf?.some(({ $ref }) => $ref === EXPRESSION_REF) !== true &&
    (schema.properties === undefined ||
      schema.additionalProperties !== undefined ||
      ['env', 'file'].some((key) => Object.hasOwn(schema.properties ?? {}, key))));

/** Returns whether the place holds one value, not an object of free names. */
export function isValuePlace(branches: readonly Schema[]): boolean {
  const current = branches.filter(({ deprecated }) => deprecated !== true);
  return current.some(takesScalar) && !current.some(takesNames);
}

/** Returns whether the place accepts only `true` and `false`. */
export const isFlagPlace = (branches: readonly Schema[]): boolean => {
  const current = branches.filter((branch) => branch.deprecated !== true && takesScalar(branch));
  return current.length > 0 && current.every((branch) => typesOf(branch).join('') === 'boolean');
};

/** Returns whether a member is the word that decides the meaning of the others, such as `type` or `method`. */
export const isWordPlace = (branches: readonly Schema[], key: string): boolean =>
  branches.some(({ properties = {} }) => Object.hasOwn(properties, key) && typeof properties[key]?.const === 'string');

/** Returns the schemas of a member of an object. */
export const ofMember = (branches: readonly Schema[], key: string): readonly Schema[] =>
  branches.flatMap((branch) => {
    if (branch.$ref === EXPRESSION_REF) return [key === 'args' ? NAMES : EXPRESSION];
    const known = Object.hasOwn(branch.properties ?? {}, key) ? branch.properties?.[key] : branch.additionalProperties;
    return known !== undefined ? [known] : mayHoldAnything(branch, 'object') ? [ANYTHING] : [];
  });

/** The arguments of a function by name. */
const NAMES: Schema = {
  anyOf: [
    { type: 'object', additionalProperties: EXPRESSION },
    { type: 'array', items: EXPRESSION },
  ],
};

/** Returns the schemas of an element of an array. */
export const ofElement = (branches: readonly Schema[]): readonly Schema[] =>
  branches.flatMap((branch) => {
    if (branch.$ref === EXPRESSION_REF) return [EXPRESSION];
    return branch.items !== undefined ? [branch.items] : mayHoldAnything(branch, 'array') ? [ANYTHING] : [];
  });

const mayHoldAnything = (schema: Schema, type: string): boolean =>
  isAnything(schema) || (typesOf(schema).includes(type) && schema.properties === undefined);

const SECRET: Schema = {
  type: 'boolean',
  description: 'Whether the value must never be printed. Default: true.',
  examples: [false],
};
const of = (source: string, description: string, example: string): Schema => ({
  type: 'object',
  properties: { [source]: { type: 'string', minLength: 1, description, examples: [example] }, secret: SECRET },
  required: [source],
});

/** The schema of a reference to a value (docs/language/secrets.md). */
const REFERENCE: Schema = {
  description: 'A value from outside of the configuration, which is never printed.',
  anyOf: [
    of('env', 'The name of an environment variable.', 'TOKEN'),
    of('file', 'The path of a file whose text is the value, without the line break at its end.', '/run/secrets/token'),
  ],
};

/** Returns the schema of configurations with references allowed in the place of each value. */
export function withReferences(document: SchemaDocument): SchemaDocument {
  const { $defs } = document;
  const place = (schema: Schema): Schema => {
    const branches = branchesOf(schema, $defs);
    const isOpen = branches.some(
      (branch) => Object.keys(branch).every((key) => ANNOTATIONS.has(key)) || isExpression(branch),
    );
    const inner = inside(schema);
    return isValuePlace(branches) && !isOpen ? orReference(inner) : inner;
  };
  const inside = (schema: Schema): Schema => {
    const { anyOf, allOf, items, properties, additionalProperties } = schema;
    return {
      ...schema,
      ...(anyOf === undefined ? {} : { anyOf: anyOf.map(inside) }),
      ...(allOf === undefined ? {} : { allOf: allOf.map(inside) }),
      ...(items === undefined ? {} : { items: place(items) }),
      ...(properties === undefined ? {} : { properties: mapped(properties, place) }),
      ...(additionalProperties === undefined ? {} : { additionalProperties: place(additionalProperties) }),
    };
  };
  const { expression, ...others } = mapped($defs, inside);
  const defined = {
    ...others,
    ...(expression === undefined ? {} : { expression: orReference(expression) }),
    reference: REFERENCE,
  };
  const sorted = Object.entries(defined).sort(([a], [b]) => (a < b ? -1 : 1));
  return { ...document, $defs: Object.fromEntries(sorted) };
}

const ANNOTATIONS: ReadonlySet<string> = new Set(['description', 'examples', 'default', 'title', 'deprecated']);
const isExpression = ({ $ref }: Schema): boolean => $ref === '#/$defs/expression';

const mapped = (
  schemas: Readonly<Record<string, Schema>>,
  change: (schema: Schema) => Schema,
): Readonly<Record<string, Schema>> =>
  Object.fromEntries(Object.entries(schemas).map(([key, schema]) => [key, change(schema)]));

/** Adds a reference as an alternative; the description of the place stays outside of the choice. */
function orReference({ description, examples, default: byDefault, not, deprecated, title, ...value }: Schema): Schema {
  const { anyOf, ...others } = value;
  const choices = anyOf !== undefined && Object.keys(others).length === 0 ? anyOf : [value];
  return {
    ...(title === undefined ? {} : { title }),
    anyOf: [...choices, { $ref: REFERENCE_REF }],
    ...(description === undefined ? {} : { description }),
    ...(examples === undefined ? {} : { examples }),
    ...(byDefault === undefined ? {} : { default: byDefault }),
    ...(not === undefined ? {} : { not }),
    ...(deprecated === undefined ? {} : { deprecated }),
  };
}
