/** The steps by which items are changed, one after another (docs/language/items.md#steps). */
import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import { withMember } from '../../core/json/literals';
import { entriesOf, isList, isObject, keysOf, objectFrom, ownValue } from '../../core/json/objects';
import { FatalError } from '../../core/errors/errors';
import { isBlank, textOf, typeName } from '../../core/json/scalars';
import type { Json, JsonObject } from '../../core/model';
import { allOf, fault } from '../../language/codec/codec';
import type { Checked } from '../../language/codec/codec';
import { compileExpression } from '../../language/expressions/expression';
import type { Compiled, Scope } from '../../language/expressions/expression';
import { isTruth, jinjaOf } from '../../language/jinja/jinja';
import type { CallValues, ItemStep } from '../plan';
import { callContexts, contextsOfCalls } from './call-values';
import { fillJson, mayHoldPlaceholder } from './fill';

type Steps = (call: CallValues) => readonly ItemStep[];

/** Compiles the steps of a job. */
export function stepsOf(written: readonly JsonObject[], path: string, scope: Scope): Checked<Steps | undefined> {
  if (written.length === 0) return E.right(undefined);
  return pipe(
    allOf(written.map((step, at) => stepOf(step, `${path}[${at}]`, scope))),
    E.map((steps) => (call) => steps.map((each) => each(call))),
  );
}

type Step = (call: CallValues) => ItemStep;

type ValueOf = (call: CallValues) => (item: JsonObject) => Json;

const ALWAYS: Checked<ValueOf | undefined> = E.right(undefined);

function stepOf(step: JsonObject, path: string, scope: Scope): Checked<Step> {
  const [kind, ...others] = ['keep', 'set', 'remove', 'flatten', 'keys', 'cast'].filter((name) =>
    Object.hasOwn(step, name),
  );
  if (kind === undefined || others.length > 0)
    return fault(path, 'expected one of "keep", "set", "remove", "flatten", "keys" and "cast"');
  const { [kind]: content = null, value = null, if: condition } = step;
  if (kind === 'keep')
    return pipe(
      valueOf(content, `${path}.keep`, scope),
      E.map((wanted) => (call) => {
        const isKept = wanted(call);
        return (item) => (isTruth(isKept(item)) ? item : undefined);
      }),
    );
  if (kind === 'cast')
    return isObject(content)
      ? E.right(() => (item) => cast(item, content) as JsonObject)
      : fault(`${path}.cast`, 'expected a JSON schema');
  if (kind === 'keys')
    return content === 'lower' ? E.right(() => withLowerKeys) : fault(`${path}.keys`, 'expected "lower"');
  const keys = keysIn(kind === 'flatten' && isObject(content) ? (content['path'] ?? []) : content);
  if (keys === undefined)
    return fault(`${path}.${kind}`, 'expected a key, or an array of the keys that lead to a value');
  if (kind === 'remove') return E.right(() => (item) => without(item, keys));
  if (kind === 'flatten') return E.right(() => (item) => flattened(item, keys, isObject(content) ? content : {}));
  return pipe(
    valueOf(value, `${path}.value`, scope),
    E.flatMap((made) =>
      pipe(
        condition === undefined ? ALWAYS : valueOf(condition, `${path}.if`, scope),
        E.map((isWanted): Step => (call) => {
          const [valueFor, holdsFor] = [made(call), isWanted?.(call)];
          return (item) => {
            const found = valueFor(item);
            return holdsFor === undefined || isTruth(holdsFor(item)) ? withValue(item, keys, found) : item;
          };
        }),
      ),
    ),
  );
}

const keysIn = (written: Json): readonly string[] | undefined => {
  const keys = isList(written) ? written : [written];
  return keys.every((key) => typeof key === 'string' || typeof key === 'number') ? keys.map(textOf) : undefined;
};

/** Returns a function for the value of an item in one call, whose placeholders are filled in. */
function valueOf(raw: Json, path: string, scope: Scope): Checked<ValueOf> {
  const place = {
    path,
    ...{ contexts: [...contextsOfCalls(scope.known), 'item'] as const, ...scope, variables: ['record'] },
  };
  return pipe(
    compileExpression(raw, place),
    E.map((unfilled) => (call) => {
      const compiled =
        mayHoldPlaceholder(raw) && call.bindings.size > 0
          ? ready(compileExpression(fillJson(raw, call.bindings, false), place), unfilled)
          : unfilled;
      const contexts = callContexts(scope.known, call);
      return (item) => compiled.evaluate({ item, variables: { record: item }, ...contexts }, call.times.currentStart);
    }),
  );
}

/** A filled text is as valid as an unfilled one: values of placeholders are texts, never expressions. */
const ready = (checked: Checked<Compiled>, otherwise: Compiled): Compiled =>
  E.isRight(checked) ? checked.right : otherwise;

function withValue(object: JsonObject, [key = '', ...rest]: readonly string[], value: Json): JsonObject {
  if (rest.length === 0) return withMember(object, key, value);
  const inner = ownValue(object, key) ?? {};
  if (isObject(inner)) return withMember(object, key, withValue(inner, rest, value));
  throw new FatalError(
    'API_SHAPE',
    `"steps" cannot set ${JSON.stringify([key, ...rest].join('.'))} of an item: ${JSON.stringify(key)} is of the type ${typeName(inner)}, and has no members.`,
  );
}

/** Returns an object without the value at a path; `*` stands for every key and element. */
function without(object: JsonObject, keys: readonly string[]): JsonObject {
  return withoutIn(object, keys) as JsonObject;
}

function withoutIn(value: Json, [key = '', ...rest]: readonly string[]): Json {
  if (isList(value))
    return value.map((each, at) => (isAt(key, String(at)) && rest.length > 0 ? withoutIn(each, rest) : each));
  if (!isObject(value) || !keysOf(value).some((name) => isAt(key, name))) return value;
  return objectFrom(
    entriesOf(value).flatMap(([name, member]): (readonly [string, Json])[] => {
      if (!isAt(key, name)) return [[name, member]];
      return rest.length === 0 ? [] : [[name, withoutIn(member, rest)]];
    }),
  );
}

const isAt = (key: string, name: string): boolean => key === name || key === '*' || key === '**';

const withLowerKeys = (item: JsonObject): JsonObject =>
  objectFrom(entriesOf(item).map(([key, value]) => [key.toLowerCase(), value] as const));

/** Returns an item with the members of an object in it beside its own, or instead of them. */
function flattened(item: JsonObject, keys: readonly string[], options: JsonObject): JsonObject {
  const inner = keys.reduce<Json | undefined>(
    (value, key) => (isObject(value) ? ownValue(value, key) : undefined),
    item,
  );
  if (!isObject(inner) || keys.length === 0) return item;
  const { delete: isDeleted = false, replace = false } = options;
  const affix = (name: string): string => (typeof options[name] === 'string' ? options[name] : '');
  const members = entriesOf(inner).map(
    ([key, value]) => [`${affix('prefix')}${key}${affix('suffix')}`, value] as const,
  );
  if (replace === true && members.length > 0) return objectFrom(members);
  if (members.some(([key]) => Object.hasOwn(item, key))) return item;
  return objectFrom([...entriesOf(isDeleted === true ? without(item, keys) : item), ...members]);
}

/** Returns a value with the types of a JSON schema, as far as it can have them. */
function cast(value: Json, schema: Json | undefined): Json {
  if (!isObject(schema) || value === null) return value;
  const types = [schema['type'] ?? []].flat().filter((type) => type !== 'null');
  const [type] = types;
  const made = types.length === 1 && typeof type === 'string' ? castTo(type, value, schema) : value;
  const { properties, items } = schema;
  if (isList(made)) return made.map((each) => cast(each, items));
  if (!isObject(made) || !isObject(properties)) return made;
  return objectFrom(entriesOf(made).map(([key, member]) => [key, cast(member, ownValue(properties, key))] as const));
}

/** Returns the text of a value as Python writes it. */
const textOfValue = (value: Json): string => jinjaOf('{{ value }}').text({ value }, 0) ?? '';

const SCALARS: readonly Json[] = ['string', 'number', 'integer', 'boolean', 'null'];
const TRUE = ['y', 'yes', 't', 'true', 'on', '1'];
const FALSE = ['n', 'no', 'f', 'false', 'off', '0'];

function castTo(type: string, value: Json, { items }: JsonObject): Json {
  const number = typeof value === 'string' ? (value.trim() === '' ? NaN : Number(value)) : Number(value);
  switch (type) {
    case 'string':
      return typeof value === 'string' ? value : textOfValue(value);
    case 'number':
      return typeof value === 'object' || Number.isNaN(number) ? value : typeof value === 'bigint' ? value : number;
    case 'integer': {
      if (typeof value === 'object' || Number.isNaN(number) || typeof value === 'bigint') return value;
      return typeof value === 'string' && !/^\s*[+-]?\d+\s*$/.test(value) ? value : Math.trunc(number);
    }
    case 'boolean': {
      if (typeof value !== 'string') return isObject(value) || isList(value) ? !isBlank(value) : Boolean(value);
      const word = value.toLowerCase();
      return TRUE.includes(word) ? true : FALSE.includes(word) ? false : value;
    }
    case 'array': {
      const inner = isObject(items) ? [items['type'] ?? []].flat() : [];
      return typeof value !== 'object' && inner.every((each) => SCALARS.includes(each)) ? [value] : value;
    }
    default:
      return value;
  }
}
