import * as Ap from 'fp-ts/Apply';
import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import { expressionFailed } from '../../core/errors/errors';
import { entriesOf, isList, isObject, objectFrom, ownValue } from '../../core/json/objects';
import { isScalar, textOf } from '../../core/json/scalars';
import type { Headers, Json, JsonObject, JsonScalar } from '../../core/model';
import { allOf, fault, validation } from '../../language/codec/codec';
import type { Checked } from '../../language/codec/codec';
import type { Job } from '../../language/configuration/configuration';
import { compileEntries } from '../../language/expressions/entries';
import type { Evaluated } from '../../language/expressions/entries';
import type { ContextName } from '../../language/expressions/expression';
import { typedVariables } from '../../language/requests/graphql/operation';
import type { DefaultParams, JobSurroundings } from '../defaults';
import type { CallValues, JobPlan } from '../plan';
import { callContexts, compileForCalls, compileHeaders, contextsOfCalls } from './call-values';
import type { CallRules } from './call-values';

/** The members of a job that are computed when a call begins. */
export type JobInput = Pick<
  Job,
  'path' | 'method' | 'params' | 'headers' | 'body' | 'functionsInLists' | 'placeholdersInParams' | 'batch' | 'graphql'
>;

/** The computed values of a job for one call. */
export interface JobValues {
  readonly bindings: CallValues['bindings'];
  readonly params: JsonObject;
  readonly body: Json | undefined;
  /** Layers 3 and 4 of the headers (docs/language/requests.md#headers), by lower-case name. */
  readonly defaultHeaders: Headers;
  readonly ownHeaders: Headers;
  readonly defaultParams: DefaultParams;
  readonly secrets: readonly string[];
}

/**
 * Compiles `params`, `body` and `headers` of a job (docs/language/jobs.md#parameters, docs/language/expressions.md#places).
 */
export function compileJobValues(
  job: JobInput,
  surroundings: JobSurroundings,
): Checked<(call: CallValues) => JobValues> {
  const { scope, defaults } = surroundings;
  const style = job.batch?.style ?? 'join';
  const rules: CallRules = {
    contexts: scope.known,
    lists: job.functionsInLists ? 'searched' : 'literal',
    fill: job.placeholdersInParams ? (style === 'join' ? 'texts' : 'lists') : 'no',
  };
  return pipe(
    Ap.sequenceS(validation)({
      params: compileParams(job, surroundings, rules),
      body: compileBody(job, surroundings, rules),
      headers: compileHeaders(job.headers, `${job.path}.headers`, scope, 'texts'),
    }),
    E.map(({ params, body, headers }) => (call) => {
      const evaluated = { params: params(call), body: body(call), headers: headers(call) };
      const shared = { headers: defaults.headers(call.times), params: defaults.params(call.times) };
      return {
        bindings: call.bindings,
        params: ofDeclaredTypes(job, evaluated.params.values),
        body: evaluated.body.value,
        defaultHeaders: shared.headers.texts,
        ownHeaders: evaluated.headers.texts,
        defaultParams: shared.params,
        secrets: [
          ...evaluated.params.secrets,
          ...evaluated.body.secrets,
          ...evaluated.headers.secrets,
          ...shared.headers.secrets,
          ...shared.params.secrets,
        ],
      };
    }),
  );
}

/**
 * Compiles the parameters. Arrays in GraphQL variables are searched for expressions, because variables are an extension
 * of the language.
 */
const compileParams = (job: JobInput, surroundings: JobSurroundings, rules: CallRules) =>
  job.graphql === undefined
    ? compileForCalls(job.params, placeOf(job, 'params', surroundings), rules)
    : compileForCalls(job.params, placeOf(job, 'variables', surroundings), { ...rules, lists: 'searched' });

const ofDeclaredTypes = ({ graphql }: JobInput, params: JsonObject): JsonObject =>
  graphql === undefined ? params : typedVariables(params, graphql.types);

interface Body extends Pick<Evaluated, 'secrets'> {
  readonly value: Json | undefined;
}

/**
 * Compiles the body. Arrays in it are searched for expressions, because the body is an extension of the language. An
 * array is compiled as the only entry of an object.
 */
function compileBody(
  job: JobInput,
  surroundings: JobSurroundings,
  rules: CallRules,
): Checked<(call: CallValues) => Body> {
  const { body } = job;
  if (body === undefined) return E.right(() => ({ value: undefined, secrets: [] }));
  if ((job.method ?? surroundings.api.http.defaultMethod) === 'FORM')
    return fault(`${job.path}.body`, 'cannot be sent with method FORM, which makes a form of params; use POST');
  const isListed = isList(body);
  const place = placeOf(job, isListed ? '' : 'body', surroundings);
  const written = isListed ? objectFrom([['body', body]]) : body;
  return pipe(
    compileForCalls(written, place, { ...rules, lists: 'searched' }),
    E.map((evaluate) => (call) => {
      const { values, secrets } = evaluate(call);
      return { value: isListed ? ownValue(values, 'body') : values, secrets };
    }),
  );
}

const placeOf = (job: JobInput, key: '' | 'params' | 'variables' | 'body', { scope }: JobSurroundings) => ({
  path: key === '' ? job.path : `${job.path}.${key}`,
  contexts: contextsOfCalls(scope.known),
  ...scope,
});

interface Layer {
  readonly path: string;
  readonly values: JsonObject;
  readonly contexts: readonly ContextName[];
}

const layer = (
  path: string,
  userData: JsonObject | JsonScalar | undefined,
  scalarName: string,
  contexts: readonly ContextName[],
): Layer[] => {
  if (userData === undefined) return [];
  return [{ path, values: isObject(userData) ? userData : { [scalarName]: userData }, contexts }];
};

/**
 * Returns the extra columns from `userData` (docs/language/tables.md#parent-and-user-columns): the columns of `config`
 * for top-level jobs, then the job's own, which override them. Values are evaluated when the job run starts, and have
 * to be scalars.
 */
export function userDataOf(
  job: Job,
  { settings, userDataPlace, scope }: JobSurroundings,
  isChild: boolean,
): Checked<JobPlan['userData']> {
  const layers = [
    ...(isChild ? [] : layer(userDataPlace, settings.userData, 'userData', ['attr', 'time'])),
    ...layer(`${job.path}.userData`, job.userData, 'job_parent_id', contextsOfCalls(scope.known)),
  ];
  return pipe(
    allOf(
      layers.map(({ path, values, contexts }) =>
        pipe(
          compileEntries(values, { path, contexts, ...scope }),
          E.map((evaluate) => ({ path, evaluate })),
        ),
      ),
    ),
    E.map((compiled): JobPlan['userData'] => (call) => {
      const columns = compiled.flatMap(({ path, evaluate }) =>
        scalars(evaluate(callContexts(scope.known, call)).values, path),
      );
      return [...new Map(columns)];
    }),
  );
}

const scalars = (values: JsonObject, path: string): (readonly [string, string])[] =>
  entriesOf(values).map(([name, value]) => {
    if (isScalar(value)) return [name, textOf(value)];
    const message =
      'Error assigning parentId to a CSV file! $parentId array cannot be multidimensional. Expected a string or a number.';
    throw expressionFailed({ path: `${path}.${name}`, message });
  });
