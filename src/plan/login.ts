import * as Ap from 'fp-ts/Apply';
import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import type { LoginAuthentication } from '../config/configuration';
import { compileExpression } from '../expressions/expression';
import type { Contexts, Place, Scope } from '../expressions/expression';
import { expressionFailed } from '../errors';
import { flatten } from '../json/flatten';
import { entriesOf } from '../json/keys';
import { isScalar, textOf } from '../json/text';
import type { Headers, Json, JsonObject, JsonScalar } from '../model';
import { compileEntries } from './entries';
import type { Evaluated } from './entries';
import { headerTexts } from './headers';
import type { KeptPlan, LoginPlan, LoginRequest, LoginValues, PlannedAuthentication } from './authentication-plan';
import { keptFrom, loginDigest, nothingKept } from './kept-values';
import { loginUrl } from './login-url';
import { buildRequest } from './request-template';
import { canBeScalar, compileScalars, scalar } from './scalar-entries';
import { allOf, attempt, validation } from './validation';
import type { Checked } from './validation';

const PATH = 'api.authentication';
/** `consumer` and `user` are there for `oauth20.login` alone, `state` where something is kept. */
const LOGIN_CONTEXTS = ['attr', 'consumer', 'user', 'state'] as const;

/**
 * Compiles a login (specification 4.1 and 5, language 4.5), or one with OAuth 2.0 credentials (4.8): its request, and how
 * its response becomes headers and query values. Default headers and parameters are not applied.
 */
export function planLogin(
  login: LoginAuthentication,
  baseUrl: string,
  scope: Scope,
): Checked<PlannedAuthentication<LoginPlan>> {
  const { loginRequest, persist } = login;
  const oauth = oauthContexts(login);
  const known = { ...scope.known, ...oauth, ...(persist === undefined ? {} : { state: nothingKept(persist) }) };
  const params = placeIn('params', { ...scope, known });
  const headers = placeIn('headers', { ...scope, known });
  const lists = loginRequest.functionsInLists ? 'searched' : 'literal';
  return pipe(
    Ap.sequenceS(validation)({
      address: loginUrl(loginRequest.endpoint, baseUrl, scope),
      params: evaluable(compileEntries(loginRequest.params, params, lists), params),
      headers: evaluable(compileScalars(loginRequest.headers, headers), headers),
      apply: applied(login, scope),
    }),
    E.map(({ address: { url, secrets: inUrl }, params, headers, apply }) => {
      const requestIn = (inContexts: Contexts): LoginRequest =>
        requestOf(login, url, params(inContexts), headers(inContexts));
      const { request, secrets } = requestIn(known);
      const kept: KeptPlan | undefined = persist && {
        login: loginDigest(login, baseUrl, known),
        request: (values) => requestIn({ ...known, state: new Map([...(known.state ?? []), ...values]) }),
        paths: persist,
        values: keptFrom(persist),
      };
      return {
        plan: {
          type: 'login',
          request,
          format: login.format,
          expires: login.expires,
          refusedStatusCodes: login.refusedStatusCodes,
          ...apply,
          ...(kept === undefined ? {} : { kept }),
        },
        secrets: [...inUrl, ...secrets, ...[...(oauth.user?.values() ?? [])].map(textOf)],
      };
    }),
  );
}

function requestOf(
  { loginRequest }: LoginAuthentication,
  url: string,
  params: Evaluated,
  headers: Evaluated,
): LoginRequest {
  const texts: Headers = headerTexts(headers.values);
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

/** The contexts that `oauth20.login` gives to `loginRequest`. */
const oauthContexts = ({ oauth }: LoginAuthentication): Contexts =>
  oauth === undefined ? {} : { consumer: flatten(oauth.consumer), user: flatten(oauth.user) };

function placeIn(loginRequest: 'params' | 'headers', scope: Scope): Place {
  const contexts = LOGIN_CONTEXTS.filter((name) => scope.known[name] !== undefined);
  return { path: `${PATH}.loginRequest.${loginRequest}`, contexts, ...scope };
}

type Evaluate = (contexts: Contexts) => Evaluated;

/** Evaluates once, so that what fails then is a fault before the run. */
const evaluable = (compiled: Checked<Evaluate>, { path, known = {} }: Place): Checked<Evaluate> =>
  pipe(
    compiled,
    E.flatMap((evaluate) =>
      pipe(
        attempt(path, () => evaluate(known)),
        E.map(() => evaluate),
      ),
    ),
  );

type Response = ReadonlyMap<string, JsonScalar>;
interface Entry {
  readonly name: string;
  readonly value: (response: Response) => string;
  readonly paths: readonly string[];
}

function applied(login: LoginAuthentication, scope: Scope): Checked<Pick<LoginPlan, 'apply' | 'secretPaths'>> {
  const entriesIn = (raw: JsonObject, key: string): Checked<readonly Entry[]> =>
    allOf(entriesOf(raw).map(([name, value]) => entry(name, value, `${PATH}.apiRequest.${key}.${name}`, scope)));
  return pipe(
    Ap.sequenceS(validation)({
      headers: entriesIn(login.apiRequest.headers, 'headers'),
      query: entriesIn(login.apiRequest.query, 'query'),
    }),
    E.map(({ headers, query }) => ({
      apply: (response): LoginValues => ({
        headers: headers.map(({ name, value }) => [name.toLowerCase(), value(response)]),
        query: query.map(({ name, value }) => [name, value(response)]),
      }),
      secretPaths: [...headers, ...query].flatMap(({ paths }) => paths),
    })),
  );
}

/** The value at the path. `null` counts as not found (language 7.3), and what is no scalar is no value (4.4). */
function atPathOrItself(text: string, response: Response, path: string): string {
  const found = response.get(text);
  if (found !== undefined && found !== null) return textOf(found);
  const holds =
    found === null ? 'null' : [...response.keys()].some((key) => key.startsWith(`${text}.`)) && 'a structure';
  if (holds === false) return text;
  const message = `the login response has ${holds} at ${JSON.stringify(text)}: expected a text or a number`;
  throw expressionFailed({ path, message });
}

/** A bare string is a path in the login response; if that leads nowhere, the string itself (language 4.5.4). */
function entry(name: string, raw: Json, path: string, scope: Scope): Checked<Entry> {
  if (isScalar(raw)) {
    const text = textOf(raw);
    return E.right({ name, paths: [text], value: (response) => atPathOrItself(text, response, path) });
  }
  const place = { path, contexts: ['attr', 'response'] as const, ...scope };
  return pipe(
    canBeScalar(raw, place),
    E.flatMap(() => compileExpression(raw, place)),
    E.map(({ responsePaths, evaluate }) => ({
      name,
      paths: responsePaths,
      value: (response: Response) => textOf(scalar(evaluate({ ...scope.known, response }), path)),
    })),
  );
}
