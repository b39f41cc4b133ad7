import { expressionFailed } from '../../core/errors/errors';
import { entriesOf } from '../../core/json/objects';
import { isScalar, textOf } from '../../core/json/scalars';
import type { Json, JsonObject } from '../../core/model';
import { allOf, andThen, attempt, collect, fault, mapValid, valid } from '../../language/codec/codec';
import type { Checked } from '../../language/codec/codec';
import { canBeScalar, compileEntries, compileScalars, scalar } from '../../language/expressions/entries';
import type { Evaluated } from '../../language/expressions/entries';
import { compileExpression } from '../../language/expressions/expression';
import type { Contexts, Place, Scope } from '../../language/expressions/expression';
import type { AuthenticationPlace, AuthenticationPlan } from '../../language/parts/authentication';
import { buildRequest, endpointIn, headerTexts } from '../../language/requests/template';
import { lifeOf } from './expiry';
import { keptFrom, loginDigest, nothingKept, stateNamesIn } from './kept';
import type { LoginWritten } from './options';
import type { LoginPlace, LoginValues } from './place';
import type { KeptPlan, LoginPlan, LoginRequest } from './plan';
import { loginSource } from './source';

const PATH = 'api.authentication';
/** The contexts of a login: `consumer` and `user` exist for `oauth20.login` alone, `state` if values are kept. */
const LOGIN_CONTEXTS = ['attr', 'consumer', 'user', 'state'] as const;

/** The contexts that `oauth20.login` gives to `loginRequest` (docs/language/authentication/oauth20.login.md). */
export type OauthContexts = Pick<Contexts, 'consumer' | 'user'>;

type RequestWritten = LoginWritten['loginRequest'];

/** A login with the values known before the run that must never be printed. */
export interface CompiledLogin {
  readonly plan: LoginPlan;
  readonly secrets: readonly string[];
}

/** Compiles a login as {@link compileLogin} does, to a plan for the engine. */
export const loginPlan = (
  login: LoginWritten,
  place: AuthenticationPlace,
  oauth: OauthContexts = {},
): Checked<AuthenticationPlan> => mapValid(compileLogin(login, place, oauth), readyToRun);

/** Returns a compiled login in the form of the engine. */
export const readyToRun = ({ plan, secrets }: CompiledLogin): AuthenticationPlan => ({
  secrets,
  ...(plan.kept === undefined ? {} : { keeps: plan.kept.login }),
  source: (runtime) => loginSource(plan, runtime),
});

/**
 * Compiles a login (docs/language/authentication/login.md), or one with OAuth 2.0 credentials
 * (docs/language/authentication/oauth20.login.md): its request, and the conversion of its response to headers and query
 * values. Default headers and parameters are not applied.
 */
export function compileLogin(
  login: LoginWritten,
  place: AuthenticationPlace,
  oauth: OauthContexts = {},
): Checked<CompiledLogin> {
  const { baseUrl, scope } = place;
  const { loginRequest, refreshRequest, persist, format, refusedStatusCodes } = login;
  const known = { ...scope.known, ...oauth, ...(persist === undefined ? {} : { state: nothingKept(persist) }) };
  const inScope = { ...scope, known };
  const compiled = collect({
    ask: compileRequest(loginRequest, `${PATH}.loginRequest`, baseUrl, inScope),
    refresh:
      refreshRequest === undefined
        ? valid(undefined)
        : compileRequest(refreshRequest, `${PATH}.refreshRequest`, baseUrl, inScope),
    applied: compileApplied(login.apiRequest, scope),
  });
  return mapValid(compiled, ({ ask, refresh, applied }) => {
    const withKept =
      (request: RequestOf): KeptPlan['request'] =>
      (values) =>
        request({ ...known, state: new Map([...(known.state ?? []), ...values]) });
    const first = ask(known);
    const kept: KeptPlan | undefined = persist && {
      login: loginDigest(login, baseUrl, known),
      request: withKept(ask),
      ...(refresh && refreshRequest
        ? { refresh: { names: stateNamesIn(refreshRequest), request: withKept(refresh) } }
        : {}),
      places: persist,
      values: keptFrom(persist),
    };
    const plan = { request: () => first, format, expires: lifeOf(login), refusedStatusCodes, ...applied };
    return {
      plan: kept === undefined ? plan : { ...plan, kept },
      secrets: [
        ...first.secrets,
        ...(refresh?.(known).secrets ?? []),
        ...[...(oauth.user?.values() ?? [])].map(textOf),
      ],
    };
  });
}

/** Builds a request for credentials from the values that are known when it is sent. */
export type RequestOf = (contexts: Contexts) => LoginRequest;

/** Compiles one request for credentials. */
export function compileRequest(
  written: RequestWritten,
  path: string,
  baseUrl: string,
  scope: Scope,
): Checked<RequestOf> {
  const params = placeIn(`${path}.params`, scope);
  const headers = placeIn(`${path}.headers`, scope);
  const lists = written.functionsInLists ? 'searched' : 'literal';
  const compiled = collect({
    address: loginUrl(written.endpoint, baseUrl, `${path}.endpoint`, scope),
    params: evaluable(compileEntries(written.params, params, lists), params),
    headers: evaluable(compileScalars(written.headers, headers), headers),
  });
  return mapValid(compiled, ({ address: { url, secrets }, params: paramsIn, headers: headersIn }) => (contexts) => {
    const { request, secrets: inRequest } = requestOf(written, url, paramsIn(contexts), headersIn(contexts));
    return { request, secrets: [...secrets, ...inRequest] };
  });
}

function requestOf(
  { method, batchStyle }: RequestWritten,
  url: string,
  params: Evaluated,
  headers: Evaluated,
): LoginRequest {
  const texts = headerTexts(headers.values);
  const template = {
    url,
    home: url,
    provenance: 'configured' as const,
    method,
    ...(batchStyle === undefined ? {} : { lists: batchStyle }),
    defaultParams: {},
    headers: () => texts,
    purpose: { kind: 'login' as const },
  };
  return {
    request: buildRequest(template, { params: params.values }),
    secrets: [...params.secrets, ...headers.secrets],
  };
}

function placeIn(path: string, scope: Scope): Place {
  const contexts = LOGIN_CONTEXTS.filter((name) => scope.known[name] !== undefined);
  return { path, contexts, ...scope };
}

type Evaluate = (contexts: Contexts) => Evaluated;

/** Evaluates an expression once, so that an error is a fault before the run. */
const evaluable = (compiled: Checked<Evaluate>, { path, known = {} }: Place): Checked<Evaluate> =>
  andThen(compiled, (evaluate) =>
    mapValid(
      attempt(path, () => evaluate(known)),
      () => evaluate,
    ),
  );

/** The URL of a login, and the strings in it that must not be printed. */
export interface LoginUrl {
  readonly url: string;
  readonly secrets: readonly string[];
}

/**
 * Returns the URL of a login, whose endpoint may be an expression over the user attributes
 * (docs/language/expressions.md#places).
 */
export function loginUrl(
  endpoint: string | JsonObject,
  baseUrl: string,
  path: string,
  { known: { attr }, ...scope }: Scope,
): Checked<LoginUrl> {
  const plain = (text: string, secrets: readonly string[]): Checked<LoginUrl> =>
    mapValid(endpointIn(baseUrl, text, path), (url) => ({ url, secrets }));
  if (typeof endpoint === 'string') return plain(endpoint, []);
  const known: Contexts = attr === undefined ? {} : { attr };
  const compiled = compileExpression(endpoint, { path, contexts: ['attr'], ...scope, known });
  return andThen(compiled, ({ evaluate, usesSecrets }) =>
    andThen(
      attempt(path, () => evaluate(known)),
      (value) => {
        const text = isScalar(value) ? textOf(value) : '';
        return text === ''
          ? fault(path, 'the function gives no string; expected the path or URL of the login')
          : plain(text, usesSecrets ? [text] : []);
      },
    ),
  );
}

const API_REQUEST = 'api.authentication.apiRequest';

interface Entry {
  readonly name: string;
  readonly value: (given: LoginValues) => string;
  /** The places that it reads. */
  readonly places: readonly LoginPlace[];
}

/** Compiles the values that a login adds to other requests (docs/language/authentication.md#what-travels-where). */
export function compileApplied(
  { headers, query }: { readonly headers: JsonObject; readonly query: JsonObject },
  scope: Scope,
): Checked<Pick<LoginPlan, 'apply' | 'secretPlaces'>> {
  const entriesIn = (raw: JsonObject, key: string): Checked<readonly Entry[]> =>
    allOf(entriesOf(raw).map(([name, value]) => entry(name, value, `${API_REQUEST}.${key}.${name}`, scope)));
  const compiled = collect({ headers: entriesIn(headers, 'headers'), query: entriesIn(query, 'query') });
  return mapValid(compiled, (entries) => ({
    apply: (given) => ({
      headers: entries.headers.map(({ name, value }) => [name.toLowerCase(), value(given)]),
      query: entries.query.map(({ name, value }) => [name, value(given)]),
    }),
    secretPlaces: [...entries.headers, ...entries.query].flatMap(({ places }) => places),
  }));
}

/**
 * Compiles one value. A bare string is a path in the login response; if there is no value at the path, the string
 * itself is the value (docs/language/authentication.md#logging-in).
 */
function entry(name: string, raw: Json, path: string, scope: Scope): Checked<Entry> {
  if (isScalar(raw)) {
    const text = textOf(raw);
    return valid({ name, places: [text], value: ({ response }) => atPathOrItself(text, response, path) });
  }
  const place = { path, contexts: ['attr', 'response', 'responseHeader'] as const, ...scope };
  const compiled = andThen(canBeScalar(raw, place), () => compileExpression(raw, place));
  return mapValid(compiled, ({ responsePaths, responseHeaders, evaluate }) => ({
    name,
    places: [...responsePaths, ...responseHeaders.map((responseHeader) => ({ responseHeader }))],
    value: (given: LoginValues) => textOf(scalar(evaluate({ ...scope.known, ...given }), path)),
  }));
}

/**
 * Returns the value at the path, or the text itself. `null` counts as missing, and only a scalar is a value
 * (docs/language/authentication.md#what-travels-where).
 */
function atPathOrItself(text: string, response: LoginValues['response'], path: string): string {
  const found = response.get(text);
  if (found !== undefined && found !== null) return textOf(found);
  const holds =
    found === null ? 'null' : [...response.keys()].some((key) => key.startsWith(`${text}.`)) && 'a structure';
  if (holds === false) return text;
  const message = `the login response has ${holds} at ${JSON.stringify(text)}: expected a string or a number`;
  throw expressionFailed({ path, message });
}
