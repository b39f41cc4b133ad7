import { unescape } from 'node:querystring';
import { FatalError } from '../../core/errors/errors';
import type { Headers, Request } from '../../core/model';
import type { Secrets } from '../../core/secrets/secrets';
import { isConnectionHeader, isHeaderName, isHeaderValue } from '../../core/url/header-text';
import type { Outgoing } from './exchange';
import { requestFacts, requestLine } from '../request-line';

/**
 * Makes a request ready for the wire: `defaults` fill in headers that it does not name, and a userinfo in its URL
 * becomes basic credentials, unless it has an `authorization` header. Its password is never printed from then on.
 * Headers of the connection are left to the transport.
 *
 * @throws FatalError `CONFIG_INVALID` for a header that HTTP cannot carry; names it but never shows its value
 */
export function outgoing(request: Request, defaults: Headers, secrets: Secrets): Outgoing {
  const url = new URL(request.url);
  const given = Object.entries(request.headers).filter(([name]) => !isConnectionHeader(name));
  const headers = { ...defaults, ...basicCredentials(url, secrets), ...Object.fromEntries(given) };
  refuseIllegal(headers, request, secrets);
  if (url.username !== '' || url.password !== '') {
    url.username = '';
    url.password = '';
  }
  return {
    method: request.method,
    url: url.href,
    origin: url.origin,
    path: url.pathname + url.search,
    headers,
    ...(request.body === undefined ? {} : { body: request.body }),
    ...(request.streams === undefined ? {} : { streams: request.streams }),
  };
}

function basicCredentials({ username, password }: URL, secrets: Secrets): Headers {
  if (username === '' && password === '') return {};
  const pair = `${unescape(username)}:${unescape(password)}`;
  const encoded = Buffer.from(pair).toString('base64');
  // A user name without a password is a key.
  secrets.add(unescape(password === '' ? username : password), pair, encoded);
  return { authorization: `Basic ${encoded}` };
}

function refuseIllegal(headers: Headers, request: Request, secrets: Secrets): void {
  for (const [name, value] of Object.entries(headers)) {
    if (!isHeaderName(name)) throw unsendable('has a name', name);
    if (![value].flat().every(isHeaderValue)) throw unsendable('holds a character', name);
  }
  function unsendable(what: string, name: string): FatalError {
    const header = JSON.stringify(secrets.mask(name));
    const message = `${requestLine(request, secrets)} cannot be sent: the header ${header} ${what} that HTTP does not allow. Look for line breaks and letters beyond Latin-1.`;
    return new FatalError('CONFIG_INVALID', message, requestFacts(request, secrets));
  }
}
