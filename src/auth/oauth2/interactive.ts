import { firstValueFrom } from 'rxjs';
import { collect, mapValid, type Checked } from '../../language/codec/checked';
import type { Scope } from '../../language/expressions/expression';
import { compileScalars } from '../../language/expressions/scalar-entries';
import { merge } from '../../core/json/merge';
import type { JsonObject, TimedResponse } from '../../core/model';
import { untilAborted } from '../../operators/until-aborted';
import { queryPairs } from '../../core/url/query';
import type {
  AuthenticationPlace,
  AuthenticationPlan,
  InteractiveRuntime,
} from '../../language/parts/authentication/authentication';
import { compileLogin, compileRequest, readyToRun } from '../login/compile';
import { valuesOf } from '../login/given';
import type { KeptPlan, LoginPlan, LoginRequest } from '../login/plan';
import { readLogin, registerSecrets } from '../login/response';
import { loginUrl } from '../login/url';
import { asLogin, formOf, secretsOf, type Oauth2Credentials, type Oauth2Options } from './as-login';
import { logInByCode } from './by-code';
import { logInByDevice } from './by-device';
import { loginFailed } from './login-failed';

const PATH = 'api.authentication';

/** Sends a request of a login; the response has any status. */
export type Ask = (request: LoginRequest) => Promise<TimedResponse>;

/** The values of a form that are known only when it is sent. */
type Values<N extends string> = Readonly<Record<N, string>>;

/** Compiles an authentication for which a person logs in once (docs/command.md#login). */
export function compileInteractive(
  options: Oauth2Options,
  credentials: Oauth2Credentials,
  place: AuthenticationPlace,
): Checked<AuthenticationPlan> {
  const compiled = collect({
    login: compileLogin(asLogin(options, credentials), place),
    ask: options.grant === 'device_code' ? byDevice(options, credentials, place) : byCode(options, credentials, place),
  });
  return mapValid(compiled, ({ login: { plan, secrets }, ask }) => {
    const ready = readyToRun({
      plan: {
        ...plan,
        isByPerson: true,
        ...(plan.kept === undefined ? {} : { kept: { ...plan.kept, isOptional: true } }),
      },
      secrets: [...secrets, ...secretsOf(credentials)],
    });
    return {
      ...ready,
      logIn: async (runtime) => {
        if (plan.kept !== undefined) await keep(await ask(runtime, askWith(runtime)), plan, plan.kept, runtime);
      },
    };
  });
}

/** A login by a person: gives the response that has the tokens. */
type LogIn = (runtime: InteractiveRuntime, ask: Ask) => Promise<TimedResponse>;

function byDevice(
  options: Oauth2Options,
  credentials: Oauth2Credentials,
  { baseUrl, scope }: AuthenticationPlace,
): Checked<LogIn> {
  const { deviceAuthorizationEndpoint: endpoint = '', authorizationParams } = options;
  const start = formOf(
    { endpoint, params: merge({ client_id: credentials.clientId }, authorizationParams), scope: options.scope },
    options,
    credentials,
  );
  const compiled = collect({
    start: compileRequest(start, `${PATH}.deviceAuthorizationEndpoint`, baseUrl, scope),
    token: tokenRequest(
      { grant_type: 'urn:ietf:params:oauth:grant-type:device_code', device_code: { state: 'deviceCode' } },
      ['deviceCode'],
      { options, credentials, baseUrl, scope },
    ),
  });
  return mapValid(
    compiled,
    ({ start: startOf, token }) =>
      (runtime, ask) =>
        logInByDevice({ start: () => ask(startOf(scope.known)), token: (values) => ask(token(values)) }, runtime),
  );
}

function byCode(
  options: Oauth2Options,
  credentials: Oauth2Credentials,
  { baseUrl, scope }: AuthenticationPlace,
): Checked<LogIn> {
  const { authorizationEndpoint: endpoint = '', authorizationParams } = options;
  const path = `${PATH}.authorizationParams`;
  const compiled = collect({
    address: loginUrl(endpoint, baseUrl, `${PATH}.authorizationEndpoint`, scope),
    more: compileScalars(authorizationParams, { path, contexts: ['attr'], ...scope }),
    token: tokenRequest(
      {
        grant_type: 'authorization_code',
        code: { state: 'code' },
        redirect_uri: { state: 'redirectUri' },
        code_verifier: { state: 'verifier' },
      },
      ['code', 'redirectUri', 'verifier'],
      { options, credentials, baseUrl, scope },
    ),
  });
  return mapValid(compiled, ({ address: { url }, more, token }) => (runtime, ask) => {
    const params = [
      { name: 'client_id', value: credentials.clientId },
      ...(options.scope === undefined ? [] : [{ name: 'scope', value: options.scope }]),
      ...queryPairs(more(scope.known).values),
    ];
    return logInByCode({ url, params, token: (values) => ask(token(values)) }, runtime);
  });
}

interface TokenPlace {
  readonly options: Oauth2Options;
  readonly credentials: Oauth2Credentials;
  readonly baseUrl: string;
  readonly scope: Scope;
}

/** The request that gives tokens for what a person has allowed: its values are `{"state": name}` in the parameters. */
function tokenRequest<N extends string>(
  params: JsonObject,
  names: readonly N[],
  { options, credentials, baseUrl, scope }: TokenPlace,
): Checked<(values: Values<N>) => LoginRequest> {
  const form = formOf({ endpoint: options.tokenEndpoint, params, scope: undefined }, options, credentials);
  const known = { ...scope.known, state: new Map(names.map((name) => [name, ''])) };
  return mapValid(
    compileRequest(form, PATH, baseUrl, { ...scope, known }),
    (request) => (values) => request({ ...known, state: new Map(Object.entries<string>(values)) }),
  );
}

const askWith =
  ({ send, secrets, signal }: InteractiveRuntime): Ask =>
  ({ request, secrets: inRequest }) => {
    secrets.learn(...inRequest);
    return firstValueFrom(send(request).pipe(untilAborted(signal)));
  };

/** Keeps what runs need of the tokens. */
async function keep(
  response: TimedResponse,
  plan: LoginPlan,
  kept: KeptPlan,
  { decode, secrets, store }: InteractiveRuntime,
): Promise<void> {
  const given = { content: readLogin(response, plan.format, decode), headers: response.headers };
  registerSecrets(secrets, given, plan);
  const values = kept.values(valuesOf(given));
  secrets.learn(...values.values());
  if (values.size === 0) throw loginFailed(NOTHING_TO_REFRESH);
  await store.write(kept.login, values);
}

const NOTHING_TO_REFRESH =
  'The server gave no refresh token, so that no run could use this login later. Ask for one: with "offline_access" in ' +
  'api.authentication.scope, or with {"access_type": "offline", "prompt": "consent"} in authorizationParams, as the server has it.';
