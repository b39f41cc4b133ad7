import { andThen, attempt, collect, mapValid, valid, type Checked } from '../../language/codec/checked';
import { compileEntries, type Evaluated } from '../../language/expressions/entries';
import type { Contexts, Place, Scope } from '../../language/expressions/expression';
import { compileScalars } from '../../language/expressions/scalar-entries';
import { textOf } from '../../core/json/text';
import { headerTexts } from '../../language/requests/headers';
import { buildRequest } from '../../language/requests/template';
import type { AuthenticationPlace, AuthenticationPlan } from '../../language/parts/authentication/authentication';
import { compileApplied } from './apply';
import { lifeOf } from './expires';
import type { LoginWritten } from './fields';
import { keptFrom, loginDigest, nothingKept, stateNamesIn } from './kept';
import type { KeptPlan, LoginPlan, LoginRequest } from './plan';
import { loginSource } from './source';
import { loginUrl } from './url';

const PATH = 'api.authentication';
/** `consumer` and `user` are there for `oauth20.login` alone, `state` where something is kept. */
const LOGIN_CONTEXTS = ['attr', 'consumer', 'user', 'state'] as const;

/** The contexts that `oauth20.login` gives to `loginRequest` (docs/language/authentication/oauth20.login.md). */
export type OauthContexts = Pick<Contexts, 'consumer' | 'user'>;

type RequestWritten = LoginWritten['loginRequest'];

/** A login, and the values known before the run that must never be printed. */
export interface CompiledLogin {
  readonly plan: LoginPlan;
  readonly secrets: readonly string[];
}

/** {@link compileLogin}, ready to run. */
export const loginPlan = (
  login: LoginWritten,
  place: AuthenticationPlace,
  oauth: OauthContexts = {},
): Checked<AuthenticationPlan> => mapValid(compileLogin(login, place, oauth), readyToRun);

/** A compiled login as the engine knows it. */
export const readyToRun = ({ plan, secrets }: CompiledLogin): AuthenticationPlan => ({
  secrets,
  ...(plan.kept === undefined ? {} : { keeps: plan.kept.login }),
  source: (runtime) => loginSource(plan, runtime),
});

/**
 * Compiles a login (docs/language/authentication/login.md), or one with OAuth 2.0 credentials
 * (docs/language/authentication/oauth20.login.md): its request, and how its response becomes headers and query values.
 * Default headers and parameters are not applied.
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

/** A request for credentials, with the values that are known when it is sent. */
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

function requestOf({ method }: RequestWritten, url: string, params: Evaluated, headers: Evaluated): LoginRequest {
  const texts = headerTexts(headers.values);
  const template = {
    url,
    home: url,
    provenance: 'configured' as const,
    method,
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

/** Evaluates once, so that what fails then is a fault before the run. */
const evaluable = (compiled: Checked<Evaluate>, { path, known = {} }: Place): Checked<Evaluate> =>
  andThen(compiled, (evaluate) =>
    mapValid(
      attempt(path, () => evaluate(known)),
      () => evaluate,
    ),
  );
