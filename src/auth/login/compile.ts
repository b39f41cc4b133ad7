import { andThen, attempt, collect, mapValid, type Checked } from '../../codec/checked';
import { compileEntries, type Evaluated } from '../../expressions/entries';
import type { Contexts, Place, Scope } from '../../expressions/expression';
import { compileScalars } from '../../expressions/scalar-entries';
import { textOf } from '../../json/text';
import { headerTexts } from '../../requests/headers';
import { buildRequest } from '../../requests/template';
import type { AuthenticationPlace, AuthenticationPlan } from '../authentication';
import { compileApplied } from './apply';
import { lifeOf } from './expires';
import type { LoginWritten } from './fields';
import { keptFrom, loginDigest, nothingKept } from './kept';
import type { KeptPlan, LoginPlan, LoginRequest } from './plan';
import { loginSource } from './source';
import { loginUrl } from './url';

const PATH = 'api.authentication.loginRequest';
/** `consumer` and `user` are there for `oauth20.login` alone, `state` where something is kept. */
const LOGIN_CONTEXTS = ['attr', 'consumer', 'user', 'state'] as const;

/** The contexts that `oauth20.login` gives to `loginRequest` (docs/language/authentication/oauth20.login.md). */
export type OauthContexts = Pick<Contexts, 'consumer' | 'user'>;

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
): Checked<AuthenticationPlan> =>
  mapValid(compileLogin(login, place, oauth), ({ plan, secrets }) => ({
    secrets,
    ...(plan.kept === undefined ? {} : { keeps: plan.kept.login }),
    source: (runtime) => loginSource(plan, runtime),
  }));

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
  const { loginRequest, persist, format, refusedStatusCodes } = login;
  const known = { ...scope.known, ...oauth, ...(persist === undefined ? {} : { state: nothingKept(persist) }) };
  const params = placeIn('params', { ...scope, known });
  const headers = placeIn('headers', { ...scope, known });
  const lists = loginRequest.functionsInLists ? 'searched' : 'literal';
  const compiled = collect({
    address: loginUrl(loginRequest.endpoint, baseUrl, scope),
    params: evaluable(compileEntries(loginRequest.params, params, lists), params),
    headers: evaluable(compileScalars(loginRequest.headers, headers), headers),
    applied: compileApplied(login.apiRequest, scope),
  });
  return mapValid(compiled, ({ address: { url, secrets: inUrl }, params, headers, applied }) => {
    const requestIn = (inContexts: Contexts): LoginRequest =>
      requestOf(login, url, params(inContexts), headers(inContexts));
    const { request, secrets } = requestIn(known);
    const kept: KeptPlan | undefined = persist && {
      login: loginDigest(login, baseUrl, known),
      request: (values) => requestIn({ ...known, state: new Map([...(known.state ?? []), ...values]) }),
      places: persist,
      values: keptFrom(persist),
    };
    const plan = { request, format, expires: lifeOf(login), refusedStatusCodes, ...applied };
    return {
      plan: kept === undefined ? plan : { ...plan, kept },
      secrets: [...inUrl, ...secrets, ...[...(oauth.user?.values() ?? [])].map(textOf)],
    };
  });
}

function requestOf({ loginRequest }: LoginWritten, url: string, params: Evaluated, headers: Evaluated): LoginRequest {
  const texts = headerTexts(headers.values);
  const template = {
    url,
    home: url,
    provenance: 'configured' as const,
    method: loginRequest.method,
    defaultParams: {},
    headers: () => texts,
    purpose: { kind: 'login' as const },
  };
  return {
    request: buildRequest(template, { params: params.values }),
    secrets: [...params.secrets, ...headers.secrets],
  };
}

function placeIn(key: 'params' | 'headers', scope: Scope): Place {
  const contexts = LOGIN_CONTEXTS.filter((name) => scope.known[name] !== undefined);
  return { path: `${PATH}.${key}`, contexts, ...scope };
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
