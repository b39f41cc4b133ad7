import { createHmac } from 'node:crypto';
import OAuth from 'oauth-1.0a';
import type { Request } from '../../core/model';
import { parseQuery, splitUrl } from '../../core/url/query';
import type { Attempt } from '../attempt';

/** What requests are signed with. */
export interface Oauth10Credentials {
  readonly consumerKey: string;
  readonly consumerSecret: string;
  readonly token: string;
  readonly tokenSecret: string;
}

const METHOD = 'HMAC-SHA1';
const FORM = 'application/x-www-form-urlencoded';

/**
 * Signs a request by RFC 5849 (docs/language/authentication/oauth10.md): method, URL, all query parameters, and those
 * of a form body.
 *
 * @returns the value of the header `authorization`, and the signature in it
 * @example signOauth10(request, credentials, { nonce: '72469d96', timestamp: 1492904452 }).authorization
 */
export function signOauth10(
  request: Request,
  { consumerKey, consumerSecret, token, tokenSecret }: Oauth10Credentials,
  { nonce, timestamp }: Attempt,
): { readonly authorization: string; readonly signature: string } {
  const oauth = new OAuth({
    consumer: { key: consumerKey, secret: consumerSecret },
    signature_method: METHOD,
    hash_function: (text, key) => createHmac('sha1', key).update(text).digest('base64'),
  });
  const fields = {
    oauth_consumer_key: consumerKey,
    oauth_nonce: nonce,
    oauth_signature_method: METHOD,
    oauth_timestamp: timestamp,
    oauth_token: token,
    oauth_version: '1.0',
  };
  // The library cuts values at a second `=` when it reads a query itself, and writes into the fields it is given.
  const signed = { method: request.method, url: baseUri(request.url), data: parametersOf(request) };
  const signature = oauth.getSignature(signed, tokenSecret, { ...fields });
  return { authorization: oauth.toHeader({ ...fields, oauth_signature: signature }).Authorization, signature };
}

/** RFC 5849 3.4.1.2: without query, userinfo and the default port. */
function baseUri(url: string): string {
  const { origin, pathname } = new URL(url);
  return origin + pathname;
}

/** Decoded values by decoded name, in arrays: a name may come several times. */
function parametersOf({ url, headers, body }: Request): OAuth.Param {
  const isForm = headers['content-type'] === FORM;
  const pairs = [...parseQuery(splitUrl(url).query), ...parseQuery(isForm ? (body ?? '') : '')];
  const values = new Map<string, string[]>();
  for (const { name, value = '' } of pairs) values.set(name, [...(values.get(name) ?? []), value]);
  return Object.fromEntries(values);
}
