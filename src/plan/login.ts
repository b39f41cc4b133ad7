import * as Ap from 'fp-ts/Apply';
import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import type { LoginAuthentication } from '../config/configuration';
import { compileExpression } from '../expressions/expression';
import type { Compiled, Contexts } from '../expressions/expression';
import { FatalError } from '../errors';
import { entriesOf, isObject } from '../json/keys';
import { isScalar, textOf, typeName } from '../json/text';
import type { Headers, Json, JsonObject, JsonScalar } from '../model';
import { endpointIn } from './endpoint';
import { evaluateEntries } from './entries';
import type { Evaluated } from './entries';
import { headerTexts } from './headers';
import type { LoginPlan, LoginValues } from './plan';
import { buildRequest } from './request-template';
import { allOf, validation } from './validation';
import type { Checked } from './validation';

const PATH = 'api.authentication';
/** `consumer` and `user` are there for `oauth20.login` alone. */
const LOGIN_CONTEXTS = ['attr', 'consumer', 'user'] as const;

/** A login, compiled: its request, and how its response becomes headers and query values. */
export interface PlannedLogin {
  readonly plan: LoginPlan;
  /** What the login request carries that came from secret attributes. */
  readonly secrets: readonly string[];
}

/** Compiles the login (specification 4.1 and 5, language 4.5). Default headers and parameters are not applied. */
export function planLogin(login: LoginAuthentication, baseUrl: string, contexts: Contexts): Checked<PlannedLogin> {
  const { loginRequest } = login;
  return pipe(
    Ap.sequenceS(validation)({
      url: endpointIn(baseUrl, loginRequest.endpoint, `${PATH}.loginRequest.endpoint`),
      params: evaluated(loginRequest.params, `${PATH}.loginRequest.params`, contexts),
      headers: evaluated(loginRequest.headers, `${PATH}.loginRequest.headers`, contexts),
      apply: applied(login, contexts),
    }),
    E.map(({ url, params, headers, apply }) => {
      const texts: Headers = headerTexts(headers.values);
      const template = {
        url,
        method: loginRequest.method,
        defaultParams: {},
        headers: () => texts,
        purpose: { kind: 'login' as const },
      };
      return {
        plan: {
          type: 'login',
          request: buildRequest(template, { params: params.values }),
          format: login.format,
          expires: login.expires,
          ...apply,
        },
        secrets: [...params.secrets, ...headers.secrets],
      };
    }),
  );
}

function evaluated(raw: JsonObject, path: string, contexts: Contexts): Checked<Evaluated> {
  const available = LOGIN_CONTEXTS.filter((name) => contexts[name] !== undefined);
  return evaluateEntries(raw, { path, contexts: available, urlencode: false, known: contexts }, contexts);
}

type Response = ReadonlyMap<string, JsonScalar>;
interface Entry {
  readonly name: string;
  readonly value: (response: Response) => string;
  readonly paths: readonly string[];
}

function applied(login: LoginAuthentication, contexts: Contexts): Checked<Pick<LoginPlan, 'apply' | 'secretPaths'>> {
  const entriesIn = (raw: JsonObject, key: string): Checked<readonly Entry[]> =>
    allOf(entriesOf(raw).map(([name, value]) => entry(name, value, `${PATH}.apiRequest.${key}.${name}`, contexts)));
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

/** A bare string is a path in the login response; if that leads nowhere, the string itself (language 4.5.4). */
function entry(name: string, raw: Json, path: string, contexts: Contexts): Checked<Entry> {
  if (!isObject(raw)) {
    const text = isScalar(raw) ? textOf(raw) : '';
    return E.right({ name, paths: [text], value: (response) => textOf(response.get(text) ?? text) });
  }
  const place = { path, contexts: ['attr', 'response'] as const, urlencode: false, known: contexts };
  return pipe(
    compileExpression(raw, place),
    E.map((compiled) => ({
      name,
      paths: compiled.responsePaths,
      value: (response: Response) => scalarResult(compiled, { ...contexts, response }, path),
    })),
  );
}

function scalarResult(compiled: Compiled, contexts: Contexts, path: string): string {
  const value = compiled.evaluate(contexts);
  if (isScalar(value)) return textOf(value);
  throw new FatalError('EXPRESSION_FAILED', `${path}: expected a text or a number, found ${typeName(value)}`);
}
