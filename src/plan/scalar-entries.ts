import * as Ap from 'fp-ts/Apply';
import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import { FatalError } from '../errors';
import type { Contexts, Place } from '../expressions/expression';
import { entriesOf, isList, isObject } from '../json/keys';
import { isScalar, typeName } from '../json/text';
import type { Json, JsonObject, JsonScalar } from '../model';
import { compileEntries } from './entries';
import type { Evaluated } from './entries';
import { allOf, fault, validation } from './validation';
import type { Checked } from './validation';

/**
 * As {@link compileEntries}, for `headers` and `query` of an authentication, whose results must be scalars (language
 * 4.4). A list or an object that is no expression is a fault before the run; another that comes out of an expression
 * throws FatalError EXPRESSION_FAILED.
 */
export const compileScalars = (raw: JsonObject, place: Place): Checked<(contexts: Contexts) => Evaluated> =>
  pipe(
    Ap.sequenceS(validation)({
      shapes: allOf(entriesOf(raw).map(([name, value]) => canBeScalar(value, placeOf(name, place)))),
      evaluate: compileEntries(raw, place),
    }),
    E.map(({ evaluate }) => (contexts: Contexts) => {
      const evaluated = evaluate(contexts);
      entriesOf(evaluated.values).forEach(([name, value]) => scalar(value, `${place.path}.${name}`));
      return evaluated;
    }),
  );

const placeOf = (name: string, place: Place): Place => ({ ...place, path: `${place.path}.${name}` });

/** The value, if it is a scalar. */
export function scalar(value: Json, path: string): JsonScalar {
  if (isScalar(value)) return value;
  throw new FatalError('EXPRESSION_FAILED', `${path}: expected a text or a number, found ${typeName(value)}`);
}

/** Whether a value may become a scalar: it is one, or an expression (language 7.1). */
export function canBeScalar(raw: Json, { path, contexts }: Place): Checked<Json> {
  const isStructure = isList(raw) || (isObject(raw) && !isExpression(raw, contexts));
  if (!isStructure) return E.right(raw);
  const expressions = ['function', ...contexts].map((key) => `"${key}"`).join(', ');
  return fault(path, `expected a text, a number or an expression (${expressions}), found ${typeName(raw)}`);
}

function isExpression(raw: JsonObject, contexts: Place['contexts']): boolean {
  const [key, ...others] = Object.keys(raw);
  return Object.hasOwn(raw, 'function') || (others.length === 0 && contexts.some((context) => context === key));
}
