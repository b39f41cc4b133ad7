import * as Ap from 'fp-ts/Apply';
import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import { expressionFailed } from '../../core/errors/errors';
import { entriesOf, isList, isObject, objectFrom, ownValue } from '../../core/json/objects';
import { isScalar, textOf } from '../../core/json/scalars';
import type { Headers, Json, JsonObject, JsonScalar, Purpose } from '../../core/model';
import { allOf, fault, validation } from '../../language/codec/codec';
import type { Checked } from '../../language/codec/codec';
import type { Job } from '../../language/configuration/configuration';
import { compileEntries } from '../../language/expressions/entries';
import type { Evaluated } from '../../language/expressions/entries';
import type { ContextName } from '../../language/expressions/expression';
import { typedVariables } from '../../language/requests/graphql/operation';
import type { DefaultParams, JobSurroundings } from '../defaults';
import type { CallValues, JobPlan, BoundJob } from '../plan';
import { callContexts, compileForCalls, compileHeaders, contextsOfCalls } from './call-values';
import type { CallRules } from './call-values';
import { endpointUrl, mayReceiveCredentials } from '../../core/url/address';
import { namesItsHost, fillEndpoint } from './fill';
import { bodyText, buildRequest } from '../../language/requests/template';
import type { RequestTemplate } from '../../language/requests/template';

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

/** The members of a job for its address and its requests. */
export type JobAddress = Pick<
  Job,
  'id' | 'path' | 'endpoint' | 'method' | 'lists' | 'paramsIn' | 'bodyAs' | 'asynchronous' | 'graphql'
>;

/**
 * Returns a function that fills the values of one call into a job (docs/language/jobs.md#placeholders). What is the same for all
 * calls is made once: a run may have a million of them.
 *
 * @returns a function that throws FatalError EXPRESSION_FAILED if the values do not form a URL
 */
export function endpointBinder(
  job: JobAddress,
  { api, baseUrl, headers }: JobSurroundings,
  step?: 'submit' | 'poll',
): (values: JobValues) => BoundJob {
  // Default headers, and parameters computed from secrets, may be credentials: they are sent only to hosts for
  // credentials.
  const isAtHome = (target: string): boolean => mayReceiveCredentials(target, baseUrl, api.http.credentialHosts);
  const hosts = job.asynchronous?.downloadHosts ?? [];
  // The rules of a job also apply to its submit and poll requests.
  const path = step === undefined ? job.path : job.path.slice(0, -`.asynchronous.${step}`.length);
  const purpose: Purpose = { kind: 'page', job: job.id, path, ...(step === undefined ? {} : { step }) };
  const hasOwnHost = namesItsHost(job.endpoint);
  const method = job.method ?? api.http.defaultMethod ?? 'GET';
  const common = {
    ...(hosts.length === 0 ? {} : { downloadHosts: hosts }),
    ...(job.lists === undefined ? {} : { lists: job.lists }),
    ...(job.paramsIn === undefined ? {} : { paramsIn: job.paramsIn }),
    ...(job.bodyAs === undefined ? {} : { bodyAs: job.bodyAs }),
    ...(job.graphql === undefined ? {} : { graphql: job.graphql }),
  };
  return ({ bindings, defaultHeaders, ownHeaders, defaultParams, body, params, secrets }) => {
    const url = urlOf(job, baseUrl, bindings);
    const isHome = isAtHome(url);
    // Such a host gets the address alone: it usually contains a signature, and credentials of others do not belong there.
    const isElsewhere = bindings.size > 0 && !hasOwnHost;
    if (hosts.length > 0 && !isHome && (isElsewhere || mayReceiveCredentials(url, baseUrl, hosts))) {
      const to = { url, home: baseUrl, provenance: 'received', purpose, downloadHosts: hosts } as const;
      const bare: RequestTemplate = { ...to, method: 'GET', defaultParams: {}, headers: () => ({}) };
      return { url, params: {}, secrets, request: () => buildRequest(bare, { params: {} }) };
    }
    const withDefaults = { ...headers, ...defaultHeaders, ...ownHeaders };
    const template: RequestTemplate = {
      url,
      // The values come from responses: they must not lead to another host.
      home: hasOwnHost ? url : baseUrl,
      provenance: bindings.size === 0 ? 'configured' : 'received',
      method,
      defaultParams: isHome ? defaultParams.all : defaultParams.open,
      headers: (target) => ((target === url ? isHome : isAtHome(target)) ? withDefaults : ownHeaders),
      purpose,
      ...common,
      ...(body === undefined ? {} : { body: bodyText(body, job) }),
    };
    const own = body === undefined ? {} : { body };
    return { url, params, secrets, request: (change) => buildRequest(template, change), ...own };
  };
}

function urlOf(job: JobAddress, baseUrl: string, bindings: JobValues['bindings']): string {
  const endpoint = fillEndpoint(job.endpoint, bindings);
  try {
    return endpointUrl(baseUrl, endpoint);
  } catch (cause) {
    const message = `with its placeholders filled it is ${JSON.stringify(endpoint)}, which makes no URL`;
    throw expressionFailed({ path: `${job.path}.endpoint`, message }, cause);
  }
}
