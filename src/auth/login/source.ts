import { asyncScheduler, concatMap, defer, map, of, throwError } from 'rxjs';
import type { Observable } from 'rxjs';
import { FatalError } from '../../core/errors/errors';
import { withResponseFacts } from '../../core/errors/response-facts';
import type { WarningCode } from '../../core/events';
import { isObject } from '../../core/json/objects';
import { isScalar, textOf, typeName } from '../../core/json/scalars';
import type { CredentialSource, Credentials, JsonObject, Request, Response, TimedResponse } from '../../core/model';
import type { Secrets } from '../../core/secrets/secrets';
import { combineQuery } from '../../core/url/query';
import type { AuthenticationRuntime, DecodeLogin } from '../../language/parts/authentication';
import { renewing, renewingEachTime } from '../../operators';
import type { Renewing } from '../../operators';
import { expiryOf } from './expiry';
import { keptValues } from './kept';
import { scalarIn, valuesOf } from './place';
import type { GivenByLogin } from './place';
import type { LoginPlan } from './plan';

/** The result of a login, and the time when it was sent. */
interface Given extends GivenByLogin {
  readonly response: TimedResponse;
}

/**
 * Returns the credential stream of a login (docs/language/authentication.md#logging-in): logs in when the first request
 * asks for credentials, keeps them for all jobs, and logs in again when they have expired or were refused; with
 * `expires` 0, before every request. If values for a refresh are kept, a refresh is tried before a login.
 *
 * @param plan the login request, how to read its response, and how long it lasts
 * @param runtime one `send` per run: all users of the returned source share its credentials
 * @returns nothing is sent before `credentials$` is subscribed
 * @throws FatalError LOGIN_RESPONSE or EXPRESSION_FAILED, through the stream, if the response holds no credentials
 * @example
 * const source = loginSource(plan, { send, decode, report, secrets, store });
 * source.credentials$.pipe(take(1), mergeMap((credentials) => send(credentials.apply(request))));
 */
export function loginSource(plan: LoginPlan, runtime: AuthenticationRuntime): CredentialSource {
  const { send, decode, report, secrets, scheduler = asyncScheduler } = runtime;
  const kept = keptValues(plan, runtime);
  const warned = new Set<WarningCode>();
  const warnOnce = (code: WarningCode, message: string): void => {
    if (warned.has(code)) return;
    warned.add(code);
    report({ type: 'warning', code, message });
  };
  const warnOfEnd = (message: string): void => warnOnce('CREDENTIALS_EXPIRED', `${message} ${CONSEQUENCE}`);
  const credentialsFrom = (given: Given): Credentials | undefined => {
    const { sentAt, isShared = false } = given.response;
    const { expiresAt, past, doubt } = expiryOf(plan.expires, given, sentAt, runtime.renewEarly);
    if (isShared && expiresAt !== undefined && expiresAt <= scheduler.now()) return undefined;
    const credentials = loginCredentials(plan, given, secrets, { expiresAt, cookies: runtime.cookies === true });
    if (doubt !== undefined) warnOnce('EXPIRY_UNIT', doubt);
    const now = scheduler.now();
    if (past !== undefined) warnOfEnd(`Login authentication returned expiry time before current time: '${past}'.`);
    else if (expiresAt !== undefined && expiresAt > sentAt && expiresAt <= now)
      warnOfEnd(
        `A login took ${seconds(now - sentAt)} s; its credentials are good for ${seconds(expiresAt - sentAt)} s.`,
      );
    // What another process has got was reported there.
    if (!isShared)
      report({
        type: 'credentials.renewed',
        ...(expiresAt === undefined ? {} : { expiresAt: new Date(expiresAt).toISOString() }),
      });
    return credentials;
  };
  const contentOf = (response: TimedResponse): Given => {
    const content = { content: readLogin(response, plan.format, decode), headers: response.headers, response };
    registerSecrets(secrets, content, plan);
    return content;
  };
  const given = (response: TimedResponse, by: 'login' | 'refresh'): Observable<Credentials> =>
    of(response).pipe(
      map(() => withResponseFacts(response, secrets, () => contentOf(response))),
      concatMap((content) => kept.keep(content, by).pipe(map(() => content))),
      map((content) => withResponseFacts(response, secrets, () => credentialsFrom(content))),
      // What another process has got may have ended since.
      concatMap((credentials) => (credentials === undefined ? renew() : of(credentials))),
    );
  const logIn = (reason: string): Observable<Credentials> =>
    plan.isByPerson === true
      ? throwError(() => loginRequired(reason))
      : defer(() => {
          // A new session starts without cookies, as the first did; a refresh prolongs the existing session, whose
          // cookies it may need.
          runtime.forgetCookies?.();
          return send(kept.request());
        }).pipe(concatMap((response) => given(response, 'login')));
  const renew = (): Observable<Credentials> =>
    defer(() => {
      const refresh = kept.refresh();
      if (refresh === undefined) return logIn('Nothing is kept of a login');
      return send(refresh).pipe(
        concatMap((response) => {
          if (!isRefusal(response)) return given(response, 'refresh');
          kept.refused();
          return logIn('The server refuses what is kept of the last login');
        }),
      );
    });
  const { value$, invalidate }: Renewing<Credentials> =
    plan.expires.kind === 'each-request'
      ? renewingEachTime(renew)
      : renewing({
          renew,
          expiresAt: (credentials: Credentials) => credentials.expiresAt,
          scheduler,
          ...(runtime.loginBegins === undefined ? {} : { begins: runtime.loginBegins }),
        });
  return { credentials$: value$, invalidate };
}

const loginRequired = (reason: string): FatalError =>
  new FatalError(
    'LOGIN_REQUIRED',
    `api.authentication: ${reason}, and only a person can log in: run "headwater login CONFIG --state FILE" first, ` +
      'then the configuration with the same --state FILE.',
  );

/** Returns whether a response says that a refresh token is useless; 408 and 429 mean to try later. */
const isRefusal = ({ status }: TimedResponse): boolean =>
  status >= 400 && status < 500 && status !== 408 && status !== 429;

const CONSEQUENCE = 'Headwater logs in before every request; check the clocks and api.authentication.expires.';
const seconds = (milliseconds: number): string => (milliseconds / 1000).toFixed(1);

/**
 * The length from which any value of a login response is a secret; shorter ones are secrets only if a request uses
 * them.
 */
const SECRET_LENGTH = 4;
/**
 * Keys of all login responses (RFC 6749 section 5.1, and the like): masking their values would make logs unreadable.
 */
const PUBLIC_KEY = /(^|\.)(token_type|expires_in|scope)$/i;
const PUBLIC_WORD = /^(bearer|basic|success|true|false)$/i;

/**
 * Returns the content of a login response as an object (docs/language/authentication.md#logging-in): plain text and
 * JSON scalars become `{ data }`; an empty body is an empty object.
 *
 * @throws FatalError LOGIN_RESPONSE for an array or `null`
 */
export function readLogin(response: Response, format: LoginPlan['format'], decode: DecodeLogin): JsonObject {
  const content = decode(response, format);
  if (content === undefined) return {};
  if (isObject(content)) return content;
  if (content !== null && isScalar(content)) return { data: content };
  throw new FatalError(
    'LOGIN_RESPONSE',
    `api.authentication.loginRequest: The response to the login request should be an object or a scalar value, ` +
      `given "${typeName(content)}".`,
  );
}

/**
 * Registers secrets: all values in the content of the response except its expiry, even unused ones, and the headers
 * that the configuration reads.
 */
export function registerSecrets(
  secrets: Secrets,
  given: GivenByLogin,
  { expires, secretPlaces, kept }: Pick<LoginPlan, 'expires' | 'secretPlaces' | 'kept'>,
): void {
  const read = [
    ...secretPlaces,
    ...Object.values(kept?.places ?? {}),
    ...(expires.kind === 'jwt' ? [expires.path] : []),
  ];
  const values = valuesOf(given);
  for (const place of read)
    if (typeof place !== 'string') secrets.learn(...withoutScheme(textOf(scalarIn(values, place) ?? null)));
  const shown = expires.kind === 'response' ? expires.path : undefined;
  for (const [path, value] of values.response) {
    const text = textOf(value);
    const isPublic = path === shown || PUBLIC_KEY.test(path) || PUBLIC_WORD.test(text);
    if (text.length >= SECRET_LENGTH && !isPublic) secrets.learn(text);
  }
}

/** Returns the text with and without a scheme: of `Bearer b7d1`, the token may also appear alone. */
const withoutScheme = (text: string): readonly string[] => [text, text.replace(/^\w+ +/, '')];

/** Creates credentials from the content of a login response (docs/language/authentication.md#logging-in). */
function loginCredentials(
  plan: LoginPlan,
  given: GivenByLogin,
  secrets: Secrets,
  { expiresAt, cookies = false }: { readonly expiresAt: number | undefined; readonly cookies?: boolean },
): Credentials {
  const values = valuesOf(given);
  const { headers, query } = plan.apply(values);
  secrets.learn(...plan.secretPlaces.map((place) => textOf(scalarIn(values, place) ?? null)));
  secrets.learn(...[...headers, ...query].map(([, value]) => value));
  const apply = (request: Request): Request => ({
    ...request,
    headers: { ...request.headers, ...Object.fromEntries(headers) },
    url: query.length === 0 ? request.url : combineQuery(request.url, query, request.receivedNames),
  });
  const refusedBy = cookies || headers.length + query.length > 0 ? plan.refusedStatusCodes : [];
  const { refusal } = plan;
  return {
    ...{ apply, refusedBy },
    ...(refusal === undefined ? {} : { refusal: (response) => refusal(response, secrets) }),
    ...(expiresAt === undefined ? {} : { expiresAt }),
  };
}
