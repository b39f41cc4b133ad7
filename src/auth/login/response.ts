import { FatalError } from '../../errors';
import { flatten } from '../../json/flatten';
import { isObject } from '../../json/keys';
import { isScalar, textOf, typeName } from '../../json/text';
import type { Credentials, JsonObject, Request, Response } from '../../model';
import type { Secrets } from '../../secrets';
import { combineQuery } from '../../url/query';
import type { DecodeLogin } from '../authentication';
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

/** What the response holds beside its expiry must not be printed, whether a request uses it or not. */
export function registerSecrets(secrets: Secrets, content: JsonObject, expires: LoginPlan['expires']): void {
  const shown = expires.kind === 'response' ? expires.path : undefined;
  for (const [path, value] of flatten(content)) {
    const text = textOf(value);
    const isPublic = path === shown || PUBLIC_KEY.test(path) || PUBLIC_WORD.test(text);
    if (text.length >= SECRET_LENGTH && !isPublic) secrets.learn(text);
  }
}

/** Credentials from the content of a login response (docs/language/authentication.md#logging-in). */
export function loginCredentials(
  plan: LoginPlan,
  content: JsonObject,
  secrets: Secrets,
  expiresAt: number | undefined,
): Credentials {
  const flat = flatten(content);
  const { headers, query } = plan.apply(flat);
  secrets.learn(...plan.secretPaths.map((path) => textOf(flat.get(path) ?? null)));
  secrets.learn(...[...headers, ...query].map(([, value]) => value));
  const apply = (request: Request): Request => ({
    ...request,
    headers: { ...request.headers, ...Object.fromEntries(headers) },
    url: query.length === 0 ? request.url : combineQuery(request.url, query, request.receivedNames),
  });
  const refusedBy = headers.length + query.length > 0 ? plan.refusedStatusCodes : [];
  return { apply, refusedBy, ...(expiresAt === undefined ? {} : { expiresAt }) };
}
