import { FatalError } from '../core/errors/errors';
import { headFacts } from '../core/errors/response-facts';
import type { Request, Response } from '../core/model';
import type { Secrets } from '../core/secrets/secrets';
import { shortened } from '../core/json/scalars';
import { sameOriginOrUpgrade, NoAddress, resolveReference } from '../core/url/address';
import { parseQuery, splitUrl } from '../core/url/query';
import { learnFromText, requestFacts, requestLine } from './masking';

export interface RedirectOptions {
  /**
   * Returns whether the host of a URL may receive credentials: it gets the secret headers of a request to another
   * origin.
   */
  readonly getsCredentials: (url: string) => boolean;
  readonly secrets: Secrets;
}

/** The most redirects of one request. */
export const MOST_REDIRECTS = 5;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
const SECRET_HEADER = /authorization|^cookie$|token|secret|signature|password|api-?key/;

/** Returns where a response redirects to. A redirect status without `Location` is no redirect. */
export const locationOf = ({ status, headers }: Response): string | undefined =>
  REDIRECTS.has(status) ? [headers['location'] ?? []].flat()[0] : undefined;

/**
 * Returns the request to the target of a redirect (docs/language/requests.md#redirects). A 303, and a 301 or 302 to a
 * POST, become a GET without a body; the others keep method and body. Headers that look like credentials are not sent to
 * another origin, unless its host may receive credentials. A host for downloads of results gets no headers at all.
 *
 * @throws FatalError NETWORK_PROTOCOL if the `Location` is not an http or https address
 * @example redirected(response, '/b', { getsCredentials: () => false, secrets }).url // 'https://api.example/b'
 */
export function redirected(response: Response, location: string, options: RedirectOptions): Request {
  const { request, status } = response;
  const url = targetOf(response, location, options.secrets);
  const getsBare = status === 303 || (request.method === 'POST' && (status === 301 || status === 302));
  const leaves = !sameOriginOrUpgrade(url, request.url);
  const isDownload = request.downloadHosts !== undefined && leaves && !options.getsCredentials(url);
  const isDropped = (name: string): boolean =>
    isDownload ||
    (getsBare && name.startsWith('content-')) ||
    (leaves && (name === 'host' || (SECRET_HEADER.test(name) && !options.getsCredentials(url))));
  const { body, ...kept } = request;
  return {
    ...kept,
    method: getsBare ? 'GET' : request.method,
    url,
    headers: Object.fromEntries(Object.entries(request.headers).filter(([name]) => !isDropped(name))),
    ...(getsBare || body === undefined ? {} : { body }),
    provenance: 'received',
    redirectedFrom: request.redirectedFrom ?? { method: request.method, url: request.url },
    receivedNames: parseQuery(splitUrl(url).query).map(({ name }) => name),
  };
}

function targetOf(response: Response, location: string, secrets: Secrets): string {
  const { request } = response;
  const target = new URL(addressOf(response, location, secrets));
  const source = new URL(request.url);
  if (target.username === '' && sameOriginOrUpgrade(target.href, source.href)) {
    target.username = source.username;
    target.password = source.password;
  }
  return target.href;
}

function addressOf(response: Response, location: string, secrets: Secrets): string {
  const { request, status } = response;
  try {
    return resolveReference(location, request.url);
  } catch (error) {
    if (!(error instanceof NoAddress)) throw error;
    const place = `${requestLine(request, secrets)} was answered with a redirect (${status})`;
    throw new FatalError(
      'NETWORK_PROTOCOL',
      `${place} to what is no http or https address: ${shown(location, secrets)}: ${error.message}.`,
      { ...headFacts(response, secrets), ...requestFacts(request, secrets) },
    );
  }
}

function shown(location: string, secrets: Secrets): string {
  learnFromText(location, secrets);
  return secrets.mask(shortened(JSON.stringify(location)));
}

/** Returns the error for a redirect after {@link MOST_REDIRECTS} others. */
export const tooManyRedirects = (response: Response, location: string, secrets: Secrets): FatalError =>
  new FatalError(
    'TOO_MANY_REDIRECTS',
    `${requestLine(response.request, secrets)} was redirected again, to ${shown(location, secrets)}, after ${MOST_REDIRECTS} redirects. Check api.baseUrl and the endpoint.`,
    { ...headFacts(response, secrets), ...requestFacts(response.request, secrets) },
  );
