import { createHash, randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { firstValueFrom } from 'rxjs';
import { FatalError } from '../../core/errors/errors';
import { isObject, merge, ownValue } from '../../core/json/objects';
import { parseJson } from '../../core/json/parse';
import { isScalar, textOf } from '../../core/json/scalars';
import type { Json, JsonObject, Response, TimedResponse } from '../../core/model';
import type { Secrets } from '../../core/secrets/secrets';
import { overlayPairs, parseQuery, queryPairs, splitUrl, withQuery } from '../../core/url/query';
import type { QueryPair } from '../../core/url/query';
import { collect, mapValid } from '../../language/codec/codec';
import type { Checked } from '../../language/codec/codec';
import { compileScalars } from '../../language/expressions/entries';
import type { Scope } from '../../language/expressions/expression';
import type { AuthenticationPlace, AuthenticationPlan, InteractiveRuntime } from '../../language/parts/authentication';
import { untilAborted } from '../../operators/until-aborted';
import { compileLogin, compileRequest, loginUrl, readyToRun } from '../login/compile';
import { valuesOf } from '../login/place';
import type { KeptPlan, LoginPlan, LoginRequest } from '../login/plan';
import { readLogin, registerSecrets } from '../login/source';
import { asLogin, formOf, secretsOf } from './token-request';
import type { Oauth2Credentials, Oauth2Options } from './token-request';

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

/** Runs a login by a person: resolves with the response that has the tokens. */
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

/**
 * Returns the request for tokens after a person has given consent: its values are `{"state": name}` in the parameters.
 */
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

/** Keeps the values of the tokens that runs need. */
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

/** The requests of an authorization code grant. */
export interface CodeRequests {
  /** The page on which the person logs in. */
  readonly url: string;
  /** Parameters of the address in addition to those of this grant. */
  readonly params: readonly QueryPair[];
  readonly token: (values: {
    readonly code: string;
    readonly redirectUri: string;
    readonly verifier: string;
  }) => Promise<TimedResponse>;
}

const STATE_BYTES = 16;
/** The bytes of a verifier: 43 characters, the least that RFC 7636 allows. */
const VERIFIER_BYTES = 32;

/**
 * Lets a person log in with a browser on this machine (RFC 6749 section 4.1, with PKCE): shows the address, waits for
 * the redirect of the browser to 127.0.0.1, and requests tokens.
 *
 * @throws FatalError LOGIN_FAILED if the person denies it, or the port is in use
 */
async function logInByCode(
  { url, params, token }: CodeRequests,
  { secrets, print, signal, port }: Pick<InteractiveRuntime, 'secrets' | 'print' | 'signal' | 'port'>,
): Promise<TimedResponse> {
  const state = randomBytes(STATE_BYTES).toString('base64url');
  const verifier = randomBytes(VERIFIER_BYTES).toString('base64url');
  secrets.learn(verifier);
  const loopback = await listenForAnswer({ port, state, signal, print });
  try {
    const { redirectUri } = loopback;
    const own = [
      { name: 'response_type', value: 'code' },
      { name: 'redirect_uri', value: redirectUri },
      { name: 'state', value: state },
      { name: 'code_challenge', value: createHash('sha256').update(verifier).digest('base64url') },
      { name: 'code_challenge_method', value: 'S256' },
    ];
    const written = parseQuery(splitUrl(url).query);
    print(
      `To log in, open this address in a browser of this machine:\n\n  ${withQuery(url, overlayPairs(overlayPairs(written, params), own))}\n`,
    );
    const answer = await loopback.answer;
    const error = answer.get('error');
    if (error !== null) throw refusedBy({ code: error, description: answer.get('error_description') ?? '' }, secrets);
    const code = answer.get('code') ?? '';
    if (code === '')
      throw loginFailed(
        'The server sent the browser back without a code. Check api.authentication.authorizationEndpoint.',
      );
    secrets.learn(code);
    const response = await token({ code, redirectUri, verifier });
    const refusal = oauthErrorIn(response);
    if (refusal !== undefined) throw refusedBy(refusal, secrets);
    return response;
  } finally {
    loopback.close();
  }
}

/** A server on this machine that waits for the browser (RFC 8252 section 7.3). */
export interface Loopback {
  readonly redirectUri: string;
  /** Resolves with the parameters of the browser's redirect, once its state is right. */
  readonly answer: Promise<URLSearchParams>;
  readonly close: () => void;
}

interface Listening extends Pick<InteractiveRuntime, 'port' | 'signal' | 'print'> {
  /** The state that the browser has to return; it is a secret. */
  readonly state: string;
}

const HOST = '127.0.0.1';
const CALLBACK = '/callback';
const HEADERS = {
  'content-type': 'text/plain; charset=utf-8',
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  connection: 'close',
};

/**
 * Listens on 127.0.0.1 for the redirect of a browser after a login. A request with another state is refused with a
 * message; another program may have sent it, so the right one is still awaited.
 *
 * @throws FatalError LOGIN_FAILED if the port is in use
 */
async function listenForAnswer({ port, state, signal, print }: Listening): Promise<Loopback> {
  const server = createServer();
  await listening(server, port);
  const { port: chosen } = server.address() as AddressInfo;
  const close = (): void => {
    server.close();
    server.closeAllConnections();
  };
  const answer = new Promise<URLSearchParams>((resolve, reject) => {
    const abort = (): void => reject(signal.reason as Error);
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    server.on('request', (request, response) => {
      const { pathname, searchParams } = new URL(request.url ?? '/', `http://${HOST}`);
      if (request.method !== 'GET' || pathname !== CALLBACK) {
        response.writeHead(404, HEADERS).end('Nothing is here.\n');
      } else if (searchParams.get('state') !== state) {
        print('A browser came back with another state: it is not from this login, and was refused. Still waiting.');
        response
          .writeHead(400, HEADERS)
          .end('This is not the login that headwater waits for. Open its address again.\n');
      } else {
        response
          .writeHead(200, HEADERS)
          .end('headwater has the answer. You may close this window.\n', () => resolve(searchParams));
      }
    });
  });
  // A caller that never awaits the answer must not cause an unhandled rejection.
  answer.catch(() => undefined);
  return { redirectUri: `http://${HOST}:${chosen}${CALLBACK}`, answer, close };
}

const listening = (server: Server, port: number): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      reject(
        loginFailed(
          `Port ${port} of ${HOST} cannot be used (${error.code ?? error.message}). Name another one with --port.`,
        ),
      ),
    );
    server.listen(port, HOST, resolve);
  });

/** The requests of a device authorization grant. */
export interface DeviceRequests {
  readonly start: () => Promise<TimedResponse>;
  readonly token: (values: { readonly deviceCode: string }) => Promise<TimedResponse>;
}

/** The seconds between two polls, and the increase when the server is polled too often (RFC 8628 section 3.5). */
const INTERVAL = 5;
/** The default lifetime of a code, in seconds. */
const LIFE = 900;

/**
 * Lets a person log in on another device (RFC 8628): shows the code, then polls for tokens.
 *
 * @throws FatalError LOGIN_FAILED if the person denies it, or the code expires
 */
export async function logInByDevice(
  { start, token }: DeviceRequests,
  { decode, secrets, print, wait }: Pick<InteractiveRuntime, 'decode' | 'secrets' | 'print' | 'wait'>,
): Promise<TimedResponse> {
  const started = await start();
  const refusal = oauthErrorIn(started);
  if (refusal !== undefined) throw refusedBy(refusal, secrets);
  const content = decode(started, 'json');
  const given: JsonObject = isObject(content) ? content : {};
  const deviceCode = textAt(given, 'device_code');
  const userCode = textAt(given, 'user_code');
  const address = textAt(given, 'verification_uri') || textAt(given, 'verification_url');
  if (deviceCode === '' || userCode === '' || address === '')
    throw loginFailed(
      'The response has no device_code, user_code or verification_uri. Check api.authentication.deviceAuthorizationEndpoint.',
    );
  secrets.learn(deviceCode);
  print(`To log in, open ${printable(address)} in any browser, and enter the code ${printable(userCode)}`);
  const complete = textAt(given, 'verification_uri_complete');
  if (complete !== '') print(`The same with the code in it: ${printable(complete)}`);
  const life = secondsAt(given, 'expires_in') ?? LIFE;
  let interval = secondsAt(given, 'interval') ?? INTERVAL;
  for (let waited = interval; waited <= life; waited += interval) {
    await wait(interval * 1000);
    const response = await token({ deviceCode });
    const error = oauthErrorIn(response);
    if (error === undefined) return response;
    if (error.code === 'expired_token') break;
    if (error.code === 'slow_down') interval += INTERVAL;
    else if (error.code !== 'authorization_pending') throw refusedBy(error, secrets);
  }
  throw loginFailed('The code has expired before anybody entered it. Run "headwater login" again for a new one.');
}

function textAt(content: JsonObject, key: string): string {
  const value = content[key] ?? null;
  return isScalar(value) ? textOf(value) : '';
}

function secondsAt(content: JsonObject, key: string): number | undefined {
  const seconds = Number(textAt(content, key));
  return seconds > 0 ? seconds : undefined;
}

/** Returns the error for a login by a person that did not complete. */
const loginFailed = (message: string): FatalError => new FatalError('LOGIN_FAILED', `headwater login: ${message}`);

/** An error response of a server (RFC 6749 section 5.2). */
export interface OauthError {
  readonly code: string;
  /** The description for people; it may be empty. */
  readonly description: string;
}

/** Returns the error in a response with any status: some servers answer 200 while they wait. */
function oauthErrorIn({ body }: Response): OauthError | undefined {
  const content = parsed(Buffer.from(body).toString('utf8'));
  const code = isObject(content) ? ownValue(content, 'error') : undefined;
  if (!isObject(content) || typeof code !== 'string') return undefined;
  const description = ownValue(content, 'error_description');
  return { code, description: typeof description === 'string' ? description : '' };
}

/** Returns an error of the server as an error of the login. */
function refusedBy({ code, description }: OauthError, secrets: Secrets): FatalError {
  if (code === 'access_denied') return loginFailed('Access was denied. Log in again, and allow it.');
  const said = secrets.mask([code, description].filter((text) => text !== '').join(': '));
  return loginFailed(
    `The server refuses the login: ${printable(said)}. Check the client and the grant in api.authentication.`,
  );
}

/** Replaces control characters, because foreign text must not move the cursor of a terminal. */
const printable = (text: string): string => text.replace(/\p{C}/gu, ' ').slice(0, 300);

function parsed(text: string): Json | undefined {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}
