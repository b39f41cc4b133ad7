import { FatalError } from '../../core/errors/errors';
import { isObject } from '../../core/json/keys';
import { isScalar, textOf, typeName } from '../../core/json/text';
import type { Credentials, JsonObject, Request, Response } from '../../core/model';
import type { Secrets } from '../../core/secrets/secrets';
import { combineQuery } from '../../core/url/query';
import type { DecodeLogin } from '../../language/parts/authentication/authentication';
import { scalarIn, valuesOf, type GivenByLogin } from './given';
import type { LoginPlan } from './plan';

/** Shorter values of a login response are secrets only where a request uses them. */
const SECRET_LENGTH = 4;
/** What every login says (RFC 6749 section 5.1, and the like): masked, it would make logs unreadable. */
const PUBLIC_KEY = /(^|\.)(token_type|expires_in|scope)$/i;
const PUBLIC_WORD = /^(bearer|basic|success|true|false)$/i;

/**
 * The content of a login response as an object (docs/language/authentication.md#logging-in): plain text and JSON
 * scalars become `{ data }`; an empty body is an empty object.
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
 * What the content of the response holds beside its expiry must not be printed, whether a request uses it or not; of its
 * headers, what the configuration reads.
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

/** Of `Bearer b7d1`, the token as well: it may be told by itself. */
const withoutScheme = (text: string): readonly string[] => [text, text.replace(/^\w+ +/, '')];

/** Credentials from the content of a login response (docs/language/authentication.md#logging-in). */
export function loginCredentials(
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
