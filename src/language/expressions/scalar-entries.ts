import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import { expressionFailed } from '../../core/errors/errors';
import type { Contexts, Place } from './expression';
import { entriesOf, isList, isObject, objectFrom, ownValue } from '../../core/json/keys';
import { isScalar, typeName } from '../../core/json/text';
import type { Json, JsonObject, JsonScalar } from '../../core/model';
import { compileEntries } from './entries';
import type { Evaluated } from './entries';
import { allOf, fault } from '../codec/checked';
import type { Checked } from '../codec/checked';

/**
 * As {@link compileEntries}, for `headers` and `query` of an authentication, whose results must be scalars
 * (docs/language/authentication.md#what-travels-where). An array or an object that is no expression is a fault before
 * the run; another that comes out of an expression throws FatalError EXPRESSION_FAILED.
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

/** The value, if it is a scalar. */
export function scalar(value: Json, path: string): JsonScalar {
  if (isScalar(value)) return value;
  throw expressionFailed({ path, message: `expected a string or a number, found ${typeName(value)}` });
}

/** Whether a value may become a scalar: it is one, or an expression (docs/language/expressions.md#forms). */
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
