import { expressionFailed } from '../../core/errors/errors';
import type { FatalError } from '../../core/errors/errors';
import { isList, objectFrom } from '../../core/json/keys';
import { exactValueAt } from '../../core/json/path';
import type { Json, JsonObject } from '../../core/model';
import { notFound, valueOf } from './lookup';
import type { Contexts } from './place';
import { ScriptError, USER_SCRIPT_ERROR } from './script-error';
import type { Expression, ObjectExpression, Reference } from './syntax';

type Call = Extract<Expression, { kind: 'call' }>;

const failure = (path: string, complaint: string, cause?: ScriptError): FatalError =>
  expressionFailed({ path, message: USER_SCRIPT_ERROR + complaint }, cause);

/**
 * The value of an expression (docs/language/expressions.md#forms).
 *
 * @param now Unix seconds, the same for the whole expression
 * @throws FatalError EXPRESSION_FAILED
 */
export function evaluate(expression: Expression, contexts: Contexts, now: number): Json {
  const inner = (part: Expression): Json => evaluate(part, contexts, now);
  switch (expression.kind) {
    case 'literal':
      return expression.value;
    case 'reference':
      return resolve(expression, contexts);
    case 'call':
      return call(expression, expression.args.map(inner), now);
    case 'list':
      return expression.elements.map(inner);
    case 'object':
      return evaluateObject(expression, contexts, now);
  }
}

/** As {@link evaluate}, for a plain object. */
export const evaluateObject = ({ members }: ObjectExpression, contexts: Contexts, now: number): JsonObject =>
  objectFrom(members.map(([key, member]) => [key, evaluate(member, contexts, now)] as const));

function resolve({ path, context, name }: Reference, contexts: Contexts): Json {
  // Fields come and go from item to item: what is not there is null.
  if (context === 'item') return exactValueAt(contexts.item, name) ?? null;
  const value = valueOf(contexts[context], name);
  if (value === undefined) throw failure(path, notFound(context, name, contexts[context]));
  return value;
}

function call({ path, definition }: Call, args: readonly Json[], now: number): Json {
  try {
    return definition.call(args, now);
  } catch (error) {
    if (error instanceof ScriptError) throw failure(path, `Function '${definition.name}': ${error.message}`, error);
    throw error;
  }
}

/** Every reference within an expression, in reading order. */
export function referencesOf(expression: Expression): readonly Reference[] {
  switch (expression.kind) {
    case 'literal':
      return [];
    case 'reference':
      return [expression];
    case 'call':
      return expression.args.flatMap(referencesOf);
    case 'list':
      return expression.elements.flatMap(referencesOf);
    case 'object':
      return expression.members.flatMap(([, member]) => referencesOf(member));
  }
}

/** Every literal within an expression; of a list that stays as it is, its elements. */
export function literalsOf(expression: Expression): readonly Json[] {
  switch (expression.kind) {
    case 'literal':
      return isList(expression.value) ? expression.value : [expression.value];
    case 'reference':
      return [];
    case 'call':
      return expression.args.flatMap(literalsOf);
    case 'list':
      return expression.elements.flatMap(literalsOf);
    case 'object':
      return expression.members.flatMap(([, member]) => literalsOf(member));
  }
}
