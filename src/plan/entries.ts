import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import { compileObject } from '../expressions/expression';
import type { Contexts, Place } from '../expressions/expression';
import { flatten } from '../json/flatten';
import { entriesOf, objectFrom } from '../json/keys';
import { textOf } from '../json/text';
import type { JsonObject } from '../model';
import { allOf, attempt } from './validation';
import type { Checked } from './validation';

/** What an object of expressions gave. */
export interface Evaluated {
  readonly values: JsonObject;
  /** Texts of the values that were computed from secret attributes. */
  readonly secrets: readonly string[];
}

/** Compiles an object of literals and expressions (specification 2.4, language 7.1), to be evaluated later. */
export function compileEntries(raw: JsonObject, place: Place): Checked<(contexts: Contexts) => Evaluated> {
  const entries = entriesOf(raw).map((entry) => compileObject(objectFrom([entry]), place));
  return pipe(
    allOf(entries),
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

/** As {@link compileEntries}, where all that is referred to is known already. */
export const evaluateEntries = (raw: JsonObject, place: Place, contexts: Contexts): Checked<Evaluated> =>
  pipe(
    compileEntries(raw, place),
    E.flatMap((evaluate) => attempt(place.path, () => evaluate(contexts))),
  );
