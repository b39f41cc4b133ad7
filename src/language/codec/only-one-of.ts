import { accept, refine, refuse, withSchema, type Codec } from './codec';
import { hasValue, type Schema } from './schema';

/**
 * Reads a record of which exactly one of several keys has to be there, which is not blank.
 *
 * @param inner the record, whose keys are all optional
 * @param meaning what the record stands for; `undefined` where none of the keys is there
 * @example onlyOneOf('Stop', record('StopAsWritten', { count, field }), ['count', 'field'], ({ count }) => count)
 */
export const onlyOneOf = <A extends object, B>(
  name: string,
  inner: Codec<A>,
  keys: readonly (keyof A & string)[],
  meaning: (written: A) => B | undefined,
): Codec<B> =>
  withSchema(
    refine(name, inner, (value, context, input) => {
      const [first, second] = keys.filter((key) => value[key] !== undefined);
      if (second !== undefined)
        return refuse(input, context, `both "${first}" and "${second}" are given: write only one of them`);
      const meant = meaning(value);
      if (meant !== undefined) return accept(meant);
      const all = keys.map((key) => `"${key}"`);
      return refuse(input, context, `required: one of ${all.slice(0, -1).join(', ')} and ${all.at(-1)}`);
    }),
    (schema) => withOneOf(schema(), keys),
  );

/** Of the branches of a record, the one that is an object: what is blank has none of the keys. */
function withOneOf(schema: Schema, keys: readonly string[]): Schema {
  const object = schema.anyOf?.[0] ?? schema;
  const pairs = keys.flatMap((key, at) => keys.slice(at + 1).map((other) => [key, other].map(hasValue)));
  const one: readonly Schema[] = [{ anyOf: keys.map(hasValue) }, ...pairs.map((pair) => ({ not: { allOf: pair } }))];
  return { ...object, allOf: [...(object.allOf ?? []), ...one] };
}
