/** Where one value may stand, and where an object of names: as the schema of configurations says it. */
import { COLUMNS } from '../codec/primitives';
import type { Schema, SchemaDocument } from '../codec/schema';
import { isObject, ownValue } from '../../core/json/keys';
import type { Json } from '../../core/model';

type Definitions = SchemaDocument['$defs'];

/** The definition of values that may be expressions; whatever stands inside of one is a value, too. */
const EXPRESSION_REF = '#/$defs/expression';
/** The definition of references themselves. */
export const REFERENCE_REF = '#/$defs/reference';
/** The title of an object that is no object of names, but an expression. */
const EXPRESSION_TITLE = 'Expression';
const ANYTHING: Schema = {};
const EXPRESSION: Schema = { $ref: EXPRESSION_REF };

/** The schemas that a place may be read by, without references and choices; those of expressions stay. */
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

/** A branch is for one `type` or `method`; another one stands in the value. */
function isPossible({ properties = {} }: Schema, value: Json | undefined): boolean {
  if (value === undefined || !isObject(value)) return true;
  return Object.entries(properties).every(([key, { const: word }]) => {
    const written = ownValue(value, key);
    return typeof word !== 'string' || typeof written !== 'string' || written === word;
  });
}

const typesOf = ({ type }: Schema): readonly string[] => (type === undefined ? [] : [type].flat());

/** Says nothing of the value: it may be anything. */
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

/** Tells whether the author of an object chooses its keys: then `env` may be one of them. */
const takesNames = (schema: Schema): boolean =>
  schema.title === COLUMNS ||
  (typesOf(schema).includes('object') &&
    schema.title !== EXPRESSION_TITLE &&
    schema.allOf?.some(({ $ref }) => $ref === EXPRESSION_REF) !== true &&
    (schema.properties === undefined ||
      schema.additionalProperties !== undefined ||
      ['env', 'file'].some((key) => Object.hasOwn(schema.properties ?? {}, key))));

/** Tells whether one value stands here, and no object of chosen names. */
export function isValuePlace(branches: readonly Schema[]): boolean {
  const current = branches.filter(({ deprecated }) => deprecated !== true);
  return current.some(takesScalar) && !current.some(takesNames);
}

/** Tells whether nothing but `true` and `false` may stand here. */
export const isFlagPlace = (branches: readonly Schema[]): boolean => {
  const current = branches.filter((branch) => branch.deprecated !== true && takesScalar(branch));
  return current.length > 0 && current.every((branch) => typesOf(branch).join('') === 'boolean');
};

/** Tells whether a member is the word that says what the others mean, such as `type` and `method`. */
export const isWordPlace = (branches: readonly Schema[], key: string): boolean =>
  branches.some(({ properties = {} }) => Object.hasOwn(properties, key) && typeof properties[key]?.const === 'string');

/** The schemas of a member of an object. */
export const ofMember = (branches: readonly Schema[], key: string): readonly Schema[] =>
  branches.flatMap((branch) => {
    if (branch.$ref === EXPRESSION_REF) return [key === 'args' ? NAMES : EXPRESSION];
    const known = Object.hasOwn(branch.properties ?? {}, key) ? branch.properties?.[key] : branch.additionalProperties;
    return known !== undefined ? [known] : mayHoldAnything(branch, 'object') ? [ANYTHING] : [];
  });

/** The arguments of a function by names. */
const NAMES: Schema = {
  anyOf: [
    { type: 'object', additionalProperties: EXPRESSION },
    { type: 'array', items: EXPRESSION },
  ],
};

/** The schemas of an element of an array. */
export const ofElement = (branches: readonly Schema[]): readonly Schema[] =>
  branches.flatMap((branch) => {
    if (branch.$ref === EXPRESSION_REF) return [EXPRESSION];
    return branch.items !== undefined ? [branch.items] : mayHoldAnything(branch, 'array') ? [ANYTHING] : [];
  });

const mayHoldAnything = (schema: Schema, type: string): boolean =>
  isAnything(schema) || (typesOf(schema).includes(type) && schema.properties === undefined);
