/** Expressions: evaluates them, and compiles them to pure functions (docs/language/expressions.md). */
import * as E from 'fp-ts/Either';
import type { Either } from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import { expressionFailed } from '../../core/errors/errors';
import type { FatalError, Fault } from '../../core/errors/errors';
import { entriesOf, isList, isObject, objectFrom } from '../../core/json/objects';
import { exactValueAt } from '../../core/json/path';
import { typeName } from '../../core/json/scalars';
import type { Json, JsonObject } from '../../core/model';
import { JinjaError } from '../jinja/jinja';
import { ScriptError, USER_SCRIPT_ERROR } from '../parts/errors';
import { notFound, valueOf } from './functions/define';
import type { ContextName, Contexts, Place } from './functions/define';
import { isSecret, outline, parseExpression, parseMembers } from './syntax';
import type { Expression, ObjectExpression, Reference } from './syntax';

type Call = Extract<Expression, { kind: 'call' }>;
type Template = Extract<Expression, { kind: 'template' }>;

const failure = (path: string, complaint: string, cause?: ScriptError): FatalError =>
  expressionFailed({ path, message: USER_SCRIPT_ERROR + complaint }, cause);

/**
 * Returns the value of an expression (docs/language/expressions.md#forms).
 *
 * @param now Unix seconds, the same for the whole expression
 * @throws FatalError EXPRESSION_FAILED
 */
function evaluate(expression: Expression, contexts: Contexts, now: number): Json {
  const inner = (part: Expression): Json => evaluate(part, contexts, now);
  switch (expression.kind) {
    case 'literal':
      return expression.value;
    case 'reference':
      return resolve(expression, contexts);
    case 'call':
      return call(expression, expression.args.map(inner), now);
    case 'template':
      return rendered(expression, contexts, now);
    case 'list':
      return expression.elements.map(inner);
    case 'object':
      return evaluateObject(expression, contexts, now);
  }
}

/** Returns the value of a template; `null` if it needs what is undefined. */
function rendered({ path, jinja, given, as }: Template, contexts: Contexts, now: number): Json {
  const variables = objectFrom([
    ...entriesOf(contexts.variables ?? {}),
    ...entriesOf(evaluateObject(given, contexts, now)),
  ]);
  try {
    if (as === 'text') return jinja.text(variables, now * 1000);
    return jinja.evaluate(variables, now * 1000);
  } catch (error) {
    if (!(error instanceof JinjaError)) throw error;
    if (error.isUndefined) return null;
    throw expressionFailed({ path, message: error.message }, error);
  }
}

/** Does the same as {@link evaluate} for a plain object. */
const evaluateObject = ({ members }: ObjectExpression, contexts: Contexts, now: number): JsonObject =>
  objectFrom(members.map(([key, member]) => [key, evaluate(member, contexts, now)] as const));

function resolve({ path, context, name }: Reference, contexts: Contexts): Json {
  // Fields vary from item to item: a missing one is null.
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

/** Returns every reference within an expression, in reading order. */
function referencesOf(expression: Expression): readonly Reference[] {
  switch (expression.kind) {
    case 'literal':
      return [];
    case 'reference':
      return [expression];
    case 'call':
      return expression.args.flatMap(referencesOf);
    case 'template':
      return referencesOf(expression.given);
    case 'list':
      return expression.elements.flatMap(referencesOf);
    case 'object':
      return expression.members.flatMap(([, member]) => referencesOf(member));
  }
}

/** Returns every literal within an expression, and the elements of a list that stays as it is. */
function literalsOf(expression: Expression): readonly Json[] {
  switch (expression.kind) {
    case 'literal':
      return isList(expression.value) ? expression.value : [expression.value];
    case 'reference':
      return [];
    case 'call':
      return expression.args.flatMap(literalsOf);
    case 'template':
      return [expression.jinja.source, ...literalsOf(expression.given)];
    case 'list':
      return expression.elements.flatMap(literalsOf);
    case 'object':
      return expression.members.flatMap(([, member]) => literalsOf(member));
  }
}

/** Compiles value expressions of the configuration to pure functions (docs/language/expressions.md). */

export type { ContextName, Contexts, Place, Scope } from './functions/define';

/** A compiled expression, which can be evaluated any number of times. */
export interface Compiled<T extends Json = Json> {
  /**
   * @param now the current time for `time`, `date` and `strtotime`, in Unix seconds
   * @throws FatalError EXPRESSION_FAILED for a reference without a value, and for invalid arguments of a function
   */
  readonly evaluate: (contexts: Contexts, now?: number) => T;
  /**
   * True if it refers to a secret, a `#` name (docs/language/configuration.md#secrets) or OAuth credentials: then its
   * value is a secret, too.
   */
  readonly usesSecrets: boolean;
  /** The paths of all references in the context `response`, without duplicates. */
  readonly responsePaths: readonly string[];
  /** The lower-case names of all references in the context `responseHeader`, without duplicates. */
  readonly responseHeaders: readonly string[];
}

const secondsNow = (): number => Math.floor(Date.now() / 1000);

function compiled<T extends Json>(
  expression: Expression,
  place: Place,
  run: (contexts: Contexts, now: number) => T,
): Compiled<T> {
  const references = referencesOf(expression);
  const namesIn = (wanted: ContextName): readonly string[] => [
    ...new Set(references.filter(({ context }) => context === wanted).map(({ name }) => name)),
  ];
  return {
    evaluate: (contexts, now = secondsNow()) => run(contexts, now),
    usesSecrets: references.some(isSecret) || holdsSecretText(expression, place),
    responsePaths: namesIn('response'),
    responseHeaders: namesIn('responseHeader'),
  };
}

/** Returns whether the expression uses a text that is a secret, even without a `#` name. */
function holdsSecretText(expression: Expression, { secretTexts, known = {} }: Place): boolean {
  if (secretTexts === undefined || secretTexts.size === 0) return false;
  const isSecretText = (value: Json | undefined): boolean => typeof value === 'string' && secretTexts.has(value);
  return (
    literalsOf(expression).some(isSecretText) ||
    referencesOf(expression).some(({ context, name }) => context !== 'item' && isSecretText(known[context]?.get(name)))
  );
}

/**
 * Compiles one value: a literal, a reference, a function, or an array or an object of these
 * (docs/language/expressions.md#forms).
 *
 * @returns every fault that can be found before a run, or the compiled expression
 * @example
 * const place = { path: 'api.baseUrl', contexts: ['attr'], functions } as const;
 * const url = compileExpression({ function: 'concat', args: ['https://', { attr: 'host' }] }, place);
 * // url.right.evaluate({ attr: new Map([['host', 'api.example']]) }) is 'https://api.example'
 */
export const compileExpression = (raw: Json, place: Place): Either<readonly Fault[], Compiled> =>
  pipe(
    parseExpression(raw, place.path, place),
    E.map((expression) => compiled(expression, place, (contexts, now) => evaluate(expression, contexts, now))),
  );

/**
 * Compiles an object whose values are evaluated one by one. A value that is itself an array stays as it is
 * (docs/language/expressions.md#forms), while arrays further down are evaluated; the object itself is never an
 * expression.
 *
 * @returns every fault that can be found before a run, or the compiled object, with its keys in order
 * @example
 * const place = { path: 'config.jobs[0].params', contexts: ['attr'], functions } as const;
 * const params = compileObject({ since: { attr: 'from' }, ids: [1, 2] }, place);
 * // params.right.evaluate({ attr: new Map([['from', '2020-01-01']]) }) is { since: '2020-01-01', ids: [1, 2] }
 */
export function compileObject(raw: Json, place: Place): Either<readonly Fault[], Compiled<JsonObject>> {
  const members = isList(raw) ? objectFrom(raw.map((element, at) => [String(at), element] as const)) : raw;
  if (!isObject(members)) {
    const complaint = `Expected 'object' type, given '${typeName(raw)}' type, value '${outline(raw)}'.`;
    return E.left([{ path: place.path, message: USER_SCRIPT_ERROR + complaint }]);
  }
  return pipe(
    parseMembers(members, place.path, (value, path) =>
      isList(value) ? E.right({ kind: 'literal', value }) : parseExpression(value, path, place),
    ),
    E.map((object) => compiled(object, place, (contexts, now) => evaluateObject(object, contexts, now))),
  );
}
