/** Detects objects that look like expressions and are literals. */
import { sequenceS } from 'fp-ts/Apply';
import * as E from 'fp-ts/Either';
import * as RA from 'fp-ts/ReadonlyArray';
import { pipe } from 'fp-ts/function';
import type { Fault } from '../../core/errors/errors';
import { nameOnly } from '../../core/headers';
import { entriesOf, isList, isObject, keysOf, objectFrom, ownValue } from '../../core/json/objects';
import { jsonPathFault } from '../../core/json/path';
import { typeName } from '../../core/json/scalars';
import { stringifyJson } from '../../core/json/stringify';
import type { Json, JsonObject } from '../../core/model';
import { JinjaSyntaxError, jinjaOf } from '../jinja/jinja';
import type { Jinja } from '../jinja/jinja';
import { USER_SCRIPT_ERROR } from '../parts/errors';
import { argumentCounts, CONTEXTS, notFound, valueOf } from './functions/define';
import type { FunctionDefinition, ContextName, Place } from './functions/define';
import { meantOrKnown } from '../codec/finding';

const LITERAL = 'literal';
const NAMES: ReadonlySet<string> = new Set(CONTEXTS);

/**
 * Returns whether an object would be read as an expression in a place that knows its context, or is a literal around
 * one.
 *
 * @example isLikeExpression({ time: 'today' }) // true
 */
export function isLikeExpression(value: Json): boolean {
  if (!isObject(value)) return false;
  const [key = '', ...others] = keysOf(value);
  if (isTemplate(value)) return true;
  return Object.hasOwn(value, 'function') || (others.length === 0 && NAMES.has(key)) || literalIn(value) !== undefined;
}

const TEMPLATE_KEYS: readonly string[] = ['jinja', 'with', 'as'];

/** Returns whether an object is a template of Jinja with what it reads (docs/language/jinja.md). */
export const isTemplate = (value: Json | undefined): value is JsonObject =>
  isObject(value) && typeof value['jinja'] === 'string' && keysOf(value).every((key) => TEMPLATE_KEYS.includes(key));

/**
 * Returns the object in `{"literal": {"function": …}}`, nothing in it is evaluated; `undefined` for any other value.
 *
 * @example literalIn({ literal: { time: 'today' } }) // { time: 'today' }
 */
export function literalIn(value: Json): Json | undefined {
  if (!isObject(value) || keysOf(value).length !== 1) return undefined;
  const inner = ownValue(value, LITERAL);
  return inner !== undefined && isLikeExpression(inner) ? inner : undefined;
}

/**
 * Returns the shape of a value as JSON for an error text; strings are masked, because they may be secrets.
 *
 * @example outline({ a: 1, b: ['x'] }) // '{"a":1,"b":["***"]}'
 */
export const outline = (value: Json): string => stringifyJson(masked(value));

function masked(value: Json): Json {
  if (typeof value === 'string') return value === '' ? '' : '***';
  if (isList(value)) return value.map(masked);
  return isObject(value)
    ? objectFrom(entriesOf(value).map(([key, inner]) => [nameOnly(key), masked(inner)] as const))
    : value;
}

/** A parsed expression (docs/language/expressions.md#forms). `path` is its place in the configuration. */
export type Expression =
  | { readonly kind: 'literal'; readonly value: Json }
  | Reference
  | {
      readonly kind: 'call';
      readonly path: string;
      readonly definition: FunctionDefinition;
      readonly args: readonly Expression[];
    }
  | {
      readonly kind: 'template';
      readonly path: string;
      readonly jinja: Jinja;
      /** The values of names in it. */
      readonly given: ObjectExpression;
      /** True if a string that is written like a value of Python becomes that value. */
      readonly as: 'value' | 'text';
    }
  | { readonly kind: 'list'; readonly elements: readonly Expression[] }
  | ObjectExpression;

export interface ObjectExpression {
  readonly kind: 'object';
  readonly members: readonly (readonly [string, Expression])[];
}

export interface Reference {
  readonly kind: 'reference';
  readonly path: string;
  readonly context: ContextName;
  readonly name: string;
}

type Parsed<T> = E.Either<readonly Fault[], T>;

/** Continues after a fault, to find the others as well. */
const collecting = E.getApplicativeValidation(RA.getSemigroup<Fault>());

const fault = (path: string, complaint: string): Parsed<never> =>
  E.left([{ path, message: USER_SCRIPT_ERROR + complaint }]);

/** Parses an expression, and finds all of its faults before a run. */
export function parseExpression(raw: Json, path: string, place: Place): Parsed<Expression> {
  if (isList(raw)) return parseList(raw, path, place);
  if (!isObject(raw)) return E.right({ kind: 'literal', value: raw });
  const literal = literalIn(raw);
  if (literal !== undefined) return E.right({ kind: 'literal', value: literal });
  if (Object.hasOwn(raw, 'function')) return parseCall(raw, path, place);
  if (isTemplate(raw)) return parseTemplate(raw, path, place);
  const context = contextNamedBy(raw, place);
  return context === undefined ? parseObject(raw, path, place) : parseReference(raw[context], context, path, place);
}

function parseTemplate(raw: JsonObject, path: string, place: Place): Parsed<Expression> {
  const { jinja: source, with: names = {}, as = 'value' } = raw;
  if (as !== 'value' && as !== 'text') return fault(`${path}.as`, `expected "value" or "text"`);
  if (!isObject(names))
    return fault(`${path}.with`, `expected an object of values by name, given '${typeName(names)}'`);
  return pipe(
    sequenceS(collecting)({
      jinja: compiledTemplate(typeof source === 'string' ? source : '', path),
      given: parseMembers(names, `${path}.with`, (value, at) => parseExpression(value, at, place)),
    }),
    E.flatMap(({ jinja, given }) => {
      const known = new Set([...given.members.map(([name]) => name), ...(place.variables ?? [])]);
      const missing = [...jinja.names].find((name) => !known.has(name));
      return missing === undefined
        ? E.right({ kind: 'template' as const, path, jinja, given, as })
        : fault(`${path}.jinja`, `the name '${missing}' has no value: give it one in "with"`);
    }),
  );
}

function compiledTemplate(source: string, path: string): Parsed<Jinja> {
  try {
    return E.right(jinjaOf(source));
  } catch (error) {
    if (error instanceof JinjaSyntaxError) return fault(`${path}.jinja`, `is no template of Jinja: ${error.message}`);
    throw error;
  }
}

const elementsOf = (raw: readonly Json[], path: string, place: Place): Parsed<readonly Expression[]> =>
  pipe(
    raw,
    RA.traverseWithIndex(collecting)((at, element) => parseExpression(element, `${path}[${at}]`, place)),
  );

const parseList = (raw: readonly Json[], path: string, place: Place): Parsed<Expression> =>
  pipe(
    elementsOf(raw, path, place),
    E.map((elements) => ({ kind: 'list', elements })),
  );

const parseObject = (raw: JsonObject, path: string, place: Place): Parsed<Expression> =>
  parseMembers(raw, path, (value, at) => parseExpression(value, at, place));

/** Parses a plain object, whose values are read by `parse`. */
export const parseMembers = (
  raw: JsonObject,
  path: string,
  parse: (value: Json, path: string) => Parsed<Expression>,
): Parsed<ObjectExpression> =>
  pipe(
    entriesOf(raw),
    RA.traverse(collecting)(([key, value]) =>
      pipe(
        parse(value, `${path}.${key}`),
        E.map((member) => [key, member] as const),
      ),
    ),
    E.map((members) => ({ kind: 'object', members })),
  );

function contextNamedBy(raw: JsonObject, place: Place): ContextName | undefined {
  const [key, ...others] = Object.keys(raw);
  return others.length === 0 ? place.contexts.find((context) => context === key) : undefined;
}

function parseReference(
  written: Json | undefined,
  context: ContextName,
  path: string,
  { known }: Place,
): Parsed<Expression> {
  if (typeof written !== 'string')
    return fault(path, `Error evaluating user function - ${context} '${outline(written ?? null)}' is not a string!`);
  // Header names are case-insensitive.
  const name = context === 'responseHeader' ? written.toLowerCase() : written;
  const broken = context === 'item' ? jsonPathFault(name) : undefined;
  if (broken !== undefined) return fault(path, `is no JSON path (RFC 9535), although it begins like one: ${broken}`);
  const names = context === 'item' ? undefined : known?.[context];
  if (names !== undefined && valueOf(names, name) === undefined) return fault(path, notFound(context, name, names));
  return E.right({ kind: 'reference', path, context, name });
}

const parseCall = (raw: JsonObject, path: string, place: Place): Parsed<Expression> =>
  pipe(
    sequenceS(collecting)({
      definition: parseName(ownValue(raw, 'function'), path, place),
      args: parseArguments(ownValue(raw, 'args') ?? [], `${path}.args`, place),
    }),
    E.flatMap(({ definition, args }) => checkCount(definition, args, path)),
  );

/** The form of an unknown name that may be shown: no key or token looks like this. */
const FUNCTION_NAME = /^[a-z_]{1,24}\d{0,3}$/i;

function parseName(raw: Json | undefined, path: string, { functions }: Place): Parsed<FunctionDefinition> {
  const definition = typeof raw === 'string' ? functions.get(raw) : undefined;
  if (definition !== undefined) return E.right(definition);
  const given = typeof raw === 'string' && FUNCTION_NAME.test(raw) ? raw : outline(raw ?? null);
  return fault(path, `Illegal function '${given}'!${meantOrKnown(given, [...functions.keys()])}`);
}

/** Parses arguments: an array, or the values of an object in order. */
function parseArguments(raw: Json, path: string, place: Place): Parsed<readonly Expression[]> {
  if (isList(raw)) return elementsOf(raw, path, place);
  if (!isObject(raw)) return fault(path, `'args' must be an array of arguments, given '${typeName(raw)}'!`);
  return pipe(
    entriesOf(raw),
    RA.traverse(collecting)(([key, value]) => parseExpression(value, `${path}.${key}`, place)),
  );
}

function checkCount(definition: FunctionDefinition, args: readonly Expression[], path: string): Parsed<Expression> {
  const { name } = definition;
  const [least, most] = argumentCounts(definition);
  if (args.length >= least && args.length <= most) return E.right({ kind: 'call', path, definition, args });
  const range = least === most ? `${least}` : most === Infinity ? `${least} or more` : `${least} to ${most}`;
  return fault(path, `Bad argument count for function '${name}'! It takes ${range}, given are ${args.length}.`);
}

/** Returns whether the value of a reference must not be printed (docs/language/configuration.md#secrets). */
export function isSecret({ context, name }: Reference): boolean {
  switch (context) {
    case 'user':
    case 'state':
    case 'responseHeader':
      return true;
    case 'consumer':
      return name === 'client_secret';
    case 'authorization':
      return name === 'data' || name.startsWith('data.');
    case 'item':
      return false;
    default:
      return name.split('.').some((part) => part.startsWith('#'));
  }
}
