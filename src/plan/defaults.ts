import * as Ap from 'fp-ts/Apply';
import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import { entriesOf, flatten, isList, isObject, objectFrom, ownValue } from '../core/json/objects';
import { textOf } from '../core/json/scalars';
import type { Headers, Json, JsonObject } from '../core/model';
import { allOf, validation } from '../language/codec/codec';
import type { Checked } from '../language/codec/codec';
import type { Api, ApiHttp, Settings } from '../language/configuration/configuration';
import { compileExpression } from '../language/expressions/expression';
import type { Contexts, Place, Scope } from '../language/expressions/expression';
import type { Parts } from '../language/parts/parts';
import { compileHeaders, timesContext } from './jobs/call-values';
import type { CallHeaders } from './jobs/call-values';
import type { EndpointSurroundings } from './jobs/fill';
import type { RunTimes } from './plan';
import type { TableNames } from './tables';

/** The context that all jobs of a run share. */
export interface JobSurroundings extends EndpointSurroundings {
  /** The parts that the configuration may name. */
  readonly parts: Pick<Parts, 'pagination'>;
  /** The name of the iteration; empty if there is only one. */
  readonly iteration: string;
  readonly api: Api;
  readonly settings: Settings;
  /** The place of the `userData` of `config`. */
  readonly userDataPlace: string;
  /** Headers of every API request, by lower-case name (docs/language/requests.md#headers, layers 1 and 2). */
  readonly headers: Headers;
  readonly defaults: Defaults;
  /** The names of tables by dataType. */
  readonly tables: TableNames;
}

/** `api.http.defaultOptions` (docs/language/requests.md#default-parameters). */
export interface Defaults {
  readonly headers: (times: RunTimes) => CallHeaders;
  readonly params: (times: RunTimes) => DefaultParams;
}

/** `api.http.defaultOptions.params`, evaluated. */
export interface DefaultParams {
  readonly all: JsonObject;
  /** The parameters that are not computed from secrets, which may go to any host. */
  readonly open: JsonObject;
  readonly secrets: readonly string[];
}

interface Part {
  readonly evaluate: (contexts: Contexts) => Json;
  readonly usesSecrets: boolean;
}

/**
 * Compiles the default parameters (docs/language/requests.md#default-parameters). They are literals, so only an object
 * that can only be an expression is evaluated (docs/language/expressions.md#places): a function, or a reference to an existing
 * name; at any depth.
 */
export const compileDefaultParams = (raw: JsonObject, scope: Scope): Checked<(times: RunTimes) => DefaultParams> => {
  const place: Place = { path: 'api.http.defaultOptions.params', contexts: ['attr', 'time'], ...scope };
  return pipe(
    allOf(entriesOf(raw).map(([name, value]) => named(name, partOf(value, `${place.path}.${name}`, place)))),
    E.map((parts) => (times) => {
      const known = timesContext(scope.known, times);
      const params = parts.map(([name, part]) => ({ name, value: part.evaluate(known), isSecret: part.usesSecrets }));
      const secret = params.filter(({ isSecret }) => isSecret);
      const entry = ({ name, value }: { name: string; value: Json }) => [name, value] as const;
      return {
        all: objectFrom(params.map(entry)),
        open: objectFrom(params.filter(({ isSecret }) => !isSecret).map(entry)),
        secrets: secret.flatMap(({ value }) => [...flatten(value).values()].map(textOf)),
      };
    }),
  );
};

const named = (name: string, part: Checked<Part>): Checked<readonly [string, Part]> =>
  pipe(
    part,
    E.map((compiled) => [name, compiled] as const),
  );

function partOf(raw: Json, path: string, place: Place): Checked<Part> {
  if (isList(raw))
    return pipe(
      allOf(raw.map((element, at) => partOf(element, `${path}[${at}]`, place))),
      E.map((parts) => ({
        evaluate: (contexts) => parts.map((part) => part.evaluate(contexts)),
        usesSecrets: parts.some(({ usesSecrets }) => usesSecrets),
      })),
    );
  if (!isObject(raw)) return E.right({ evaluate: () => raw, usesSecrets: false });
  if (isCertain(raw, place)) return compileExpression(raw, { ...place, path });
  return pipe(
    allOf(entriesOf(raw).map(([key, value]) => named(key, partOf(value, `${path}.${key}`, place)))),
    E.map((parts) => ({
      evaluate: (contexts) => objectFrom(parts.map(([key, part]) => [key, part.evaluate(contexts)])),
      usesSecrets: parts.some(([, { usesSecrets }]) => usesSecrets),
    })),
  );
}

const TIMES: readonly Json[] = ['previousStart', 'currentStart'] satisfies readonly (keyof RunTimes)[];

/** Returns whether an object can only be an expression. */
function isCertain(raw: JsonObject, { functions, known }: Place): boolean {
  const keys = Object.keys(raw);
  const name = ownValue(raw, 'function');
  if (typeof name === 'string')
    return keys.every((key) => key === 'function' || key === 'args') && (keys.length > 1 || functions.has(name));
  const attribute = ownValue(raw, 'attr');
  const isAttribute = typeof attribute === 'string' && known?.attr?.has(attribute) === true;
  return keys.length === 1 && (isAttribute || TIMES.includes(ownValue(raw, 'time') ?? null));
}

/** Compiles `api.http.defaultOptions` (docs/language/requests.md#default-parameters, docs/language/expressions.md#places). */
export const planDefaults = (http: ApiHttp, scope: Scope): Checked<Defaults> =>
  pipe(
    Ap.sequenceS(validation)({
      headers: compileHeaders(http.defaultHeaders, 'api.http.defaultOptions.headers', scope, 'no'),
      params: compileDefaultParams(http.defaultParams, scope),
    }),
    E.map(({ headers, params }) => ({ params, headers: (times) => headers({ times, bindings: new Map() }) })),
  );

/** Replaces defaults that could not be compiled, so that the faults of jobs are found as well. */
export const NO_DEFAULTS: Defaults = {
  headers: () => ({ texts: {}, secrets: [] }),
  params: () => ({ all: {}, open: {}, secrets: [] }),
};
