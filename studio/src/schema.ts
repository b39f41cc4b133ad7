/** What the JSON Schema says of a place: which keys and values may stand there, and what they mean. */
import { valueAt } from './place';
import type { Path } from './place';

/** A schema, as far as it is read here. */
export interface Schema {
  readonly $ref?: string;
  readonly $defs?: Readonly<Record<string, Schema>>;
  readonly description?: string;
  readonly deprecated?: boolean;
  readonly default?: unknown;
  readonly examples?: readonly unknown[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly type?: string | readonly string[];
  readonly anyOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Schema | boolean;
}

export interface Offer {
  readonly label: string;
  readonly about: string;
  readonly schema: Schema;
}

const MOST_STEPS = 12;

/** The schema and all branches of it that fit the value, references followed. */
function branches(schema: Schema, root: Schema, value: unknown, steps = 0): readonly Schema[] {
  if (steps > MOST_STEPS || schema.deprecated === true) return [];
  const target = schema.$ref === undefined ? undefined : root.$defs?.[schema.$ref.replace('#/$defs/', '')];
  const inner = [...(target === undefined ? [] : [target]), ...(schema.anyOf ?? []), ...(schema.allOf ?? [])];
  const all = inner.flatMap((each) => branches(each, root, value, steps + 1));
  return fits(schema, value) ? [schema, ...all.filter((each) => fits(each, value))] : [];
}

/** A branch that wants another constant than there is, such as another method of pagination, is none. */
const fits = ({ properties = {} }: Schema, value: unknown): boolean =>
  Object.entries(properties).every(([key, { const: wanted }]) => {
    const found = valueAt(value, [key]);
    return wanted === undefined || found === undefined || found === '' || found === wanted;
  });

/** All schemas that a path has. */
export function schemasAt(root: Schema, value: unknown, path: Path): readonly Schema[] {
  return path.reduce<readonly Schema[]>(
    (schemas, step, at) => {
      const inner = valueAt(value, path.slice(0, at + 1));
      return schemas.flatMap(({ items, properties, additionalProperties }) => {
        const next =
          typeof step === 'number'
            ? items
            : (properties?.[step] ?? (typeof additionalProperties === 'object' ? additionalProperties : undefined));
        return next === undefined ? [] : branches(next, root, inner);
      });
    },
    branches(root, root, value),
  );
}

const sentence = ({ description = '', default: byDefault }: Schema): string =>
  byDefault === undefined ? description : `${description} Default: ${JSON.stringify(byDefault)}`.trim();

/** Keys that may stand at a path, without those that do. */
export function keysAt(root: Schema, value: unknown, path: Path): readonly Offer[] {
  const there = new Set(Object.keys(Object(valueAt(value, path)) as object));
  const found = new Map<string, Offer>();
  for (const { properties = {} } of schemasAt(root, value, path))
    for (const [label, schema] of Object.entries(properties))
      if (!there.has(label) && schema.deprecated !== true && !found.has(label))
        found.set(label, { label, schema, about: sentence(schema) });
  return [...found.values()];
}

/** Values that are known for a path. */
export function valuesAt(root: Schema, value: unknown, path: Path): readonly Offer[] {
  // What stands there now is being replaced, and so is no reason to leave a branch out.
  const parent = path.slice(0, -1);
  const last = path.at(-1);
  const above = valueAt(value, parent);
  const rest =
    typeof above === 'object' && above !== null && last !== undefined ? { ...above, [last]: undefined } : above;
  const schemas = path.length === 0 ? [] : schemasAt(root, withValue(value, parent, rest), path);
  const offers = schemas.flatMap((schema) => [
    ...(schema.const === undefined ? [] : [schema.const]).map((each) => ({ each, schema })),
    ...(schema.enum ?? []).map((each) => ({ each, schema })),
    ...(schema.type === 'boolean' ? [true, false].map((each) => ({ each, schema })) : []),
    ...(schema.examples ?? []).map((each) => ({ each, schema })),
  ]);
  const texts = offers
    .filter(({ each }) => typeof each !== 'object')
    .map(({ each, schema }) => ({ label: JSON.stringify(each), schema, about: sentence(schema) }));
  return [...new Map(texts.map((offer) => [offer.label, offer])).values()];
}

/** What there is to say of a path. */
export const aboutAt = (root: Schema, value: unknown, path: Path): string | undefined =>
  schemasAt(root, value, path)
    .map(sentence)
    .find((text) => text !== '');

function withValue(value: unknown, path: Path, inner: unknown): unknown {
  const [step, ...rest] = path;
  if (step === undefined) return inner;
  if (Array.isArray(value))
    return value.map((each: unknown, at) => (at === step ? withValue(each, rest, inner) : each));
  if (typeof value !== 'object' || value === null) return value;
  return { ...value, [step]: withValue(valueAt(value, [step]), rest, inner) };
}
