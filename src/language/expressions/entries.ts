import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import { expressionFailed } from '../../core/errors/errors';
import { entriesOf, flatten, isList, isObject, objectFrom, ownValue } from '../../core/json/objects';
import { isScalar, textOf, typeName } from '../../core/json/scalars';
import type { Json, JsonObject, JsonScalar } from '../../core/model';
import { allOf, attempt, fault } from '../codec/codec';
import type { Checked } from '../codec/codec';
import { compileExpression, compileObject } from './expression';
import type { Compiled, Contexts, Place } from './expression';
import { isTemplate } from './syntax';

/** The result of an object of expressions. */
export interface Evaluated {
  readonly values: JsonObject;
  /** The texts of the values that were computed from secret attributes. */
  readonly secrets: readonly string[];
}

/**
 * The treatment of a value that is itself an array: it stays as it is (docs/language/expressions.md#forms), or is
 * searched for expressions.
 */
export type ListRule = 'literal' | 'searched';

/** Compiles an object of literals and expressions (docs/language/expressions.md#forms) for later evaluation. */
export function compileEntries(
  raw: JsonObject,
  place: Place,
  lists: ListRule = 'literal',
): Checked<(contexts: Contexts) => Evaluated> {
  // Most jobs have neither parameters nor headers of their own, and each call evaluates them.
  if (entriesOf(raw).length === 0) return E.right(() => NOTHING);
  return pipe(
    allOf(entriesOf(raw).map(([name, value]) => compileEntry(name, value, place, lists))),
    E.map((compiled) => (contexts: Contexts) => {
      const results = compiled.map(({ evaluate, usesSecrets }) => ({ values: evaluate(contexts), usesSecrets }));
      return {
        values: objectFrom(
          results.flatMap(({ values }) =>
            // A template without a value leaves its entry out.
            entriesOf(values).filter(([name, value]) => value !== null || !isTemplate(ownValue(raw, name))),
          ),
        ),
        secrets: results.flatMap(({ values, usesSecrets }) =>
          usesSecrets ? [...flatten(values).values()].map(textOf) : [],
        ),
      };
    }),
  );
}

const NOTHING: Evaluated = { values: {}, secrets: [] };

function compileEntry(name: string, value: Json, place: Place, lists: ListRule): Checked<Compiled<JsonObject>> {
  if (lists === 'literal' || !isList(value)) return compileObject(objectFrom([[name, value]]), place);
  return pipe(
    compileExpression(value, { ...place, path: `${place.path}.${name}` }),
    E.map((list) => ({ ...list, evaluate: (contexts) => objectFrom([[name, list.evaluate(contexts)]]) })),
  );
}

/** Does the same as {@link compileEntries}, but evaluates at once: all references are known already. */
export const evaluateEntries = (raw: JsonObject, place: Place, contexts: Contexts): Checked<Evaluated> =>
  pipe(
    compileEntries(raw, place),
    E.flatMap((evaluate) => attempt(place.path, () => evaluate(contexts))),
  );

/**
 * Does the same as {@link compileEntries}, for `headers` and `query` of an authentication, whose results must be
 * scalars (docs/language/authentication.md#what-travels-where). An array or an object that is not an expression is a
 * fault before the run; one that an expression returns throws FatalError EXPRESSION_FAILED.
 */
export const compileScalars = (raw: JsonObject, place: Place): Checked<(contexts: Contexts) => Evaluated> =>
  pipe(
    allOf(entriesOf(raw).map(([name, value]) => compileScalar(name, value, place))),
    E.map((entries) => (contexts: Contexts) => {
      const evaluated = entries.map((evaluate) => evaluate(contexts));
      return {
        values: objectFrom(evaluated.flatMap(({ values }) => entriesOf(values))),
        secrets: evaluated.flatMap(({ secrets }) => secrets),
      };
    }),
  );

function compileScalar(name: string, raw: Json, place: Place): Checked<(contexts: Contexts) => Evaluated> {
  const path = `${place.path}.${name}`;
  return pipe(
    canBeScalar(raw, { ...place, path }),
    E.flatMap(() => compileEntries(objectFrom([[name, raw]]), place)),
    E.map((evaluate) => (contexts: Contexts) => {
      const evaluated = evaluate(contexts);
      scalar(ownValue(evaluated.values, name) ?? null, path);
      return evaluated;
    }),
  );
}

/** Returns the value, if it is a scalar. */
export function scalar(value: Json, path: string): JsonScalar {
  if (isScalar(value)) return value;
  throw expressionFailed({ path, message: `expected a string or a number, found ${typeName(value)}` });
}

/** Returns whether a value may become a scalar: it is one, or an expression (docs/language/expressions.md#forms). */
export function canBeScalar(raw: Json, { path, contexts }: Place): Checked<Json> {
  const isStructure = isList(raw) || (isObject(raw) && !isExpression(raw, contexts));
  if (!isStructure) return E.right(raw);
  const expressions = ['function', ...contexts].map((key) => `"${key}"`).join(', ');
  return fault(path, `expected a string, a number or an expression (${expressions}), found ${typeName(raw)}`);
}

function isExpression(raw: JsonObject, contexts: Place['contexts']): boolean {
  const [key, ...others] = Object.keys(raw);
  return Object.hasOwn(raw, 'function') || (others.length === 0 && contexts.some((context) => context === key));
}
