import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import { compileExpression, compileObject } from './expression';
import type { Compiled, Contexts, Place } from './expression';
import { flatten } from '../../core/json/flatten';
import { entriesOf, isList, objectFrom } from '../../core/json/keys';
import { textOf } from '../../core/json/text';
import type { Json, JsonObject } from '../../core/model';
import { allOf, attempt } from '../codec/checked';
import type { Checked } from '../codec/checked';

/** What an object of expressions gave. */
export interface Evaluated {
  readonly values: JsonObject;
  /** Texts of the values that were computed from secret attributes. */
  readonly secrets: readonly string[];
}

/**
 * Whether a value that is itself an array stays as it is (docs/language/expressions.md#forms), or is searched for
 * expressions.
 */
export type ListRule = 'literal' | 'searched';

/** Compiles an object of literals and expressions (docs/language/expressions.md#forms), to be evaluated later. */
export function compileEntries(
  raw: JsonObject,
  place: Place,
  lists: ListRule = 'literal',
): Checked<(contexts: Contexts) => Evaluated> {
  return pipe(
    allOf(entriesOf(raw).map(([name, value]) => compileEntry(name, value, place, lists))),
    E.map((compiled) => (contexts: Contexts) => {
      const results = compiled.map(({ evaluate, usesSecrets }) => ({ values: evaluate(contexts), usesSecrets }));
      return {
        values: objectFrom(results.flatMap(({ values }) => entriesOf(values))),
        secrets: results.flatMap(({ values, usesSecrets }) =>
          usesSecrets ? [...flatten(values).values()].map(textOf) : [],
        ),
      };
    }),
  );
}

function compileEntry(name: string, value: Json, place: Place, lists: ListRule): Checked<Compiled<JsonObject>> {
  if (lists === 'literal' || !isList(value)) return compileObject(objectFrom([[name, value]]), place);
  return pipe(
    compileExpression(value, { ...place, path: `${place.path}.${name}` }),
    E.map((list) => ({ ...list, evaluate: (contexts) => objectFrom([[name, list.evaluate(contexts)]]) })),
  );
}

/** As {@link compileEntries}, where all that is referred to is known already. */
export const evaluateEntries = (raw: JsonObject, place: Place, contexts: Contexts): Checked<Evaluated> =>
  pipe(
    compileEntries(raw, place),
    E.flatMap((evaluate) => attempt(place.path, () => evaluate(contexts))),
  );
