/** Where requests may lead: the places that may be requested, and the redirects of responses. */
import { FatalError } from '../core/errors/errors';
import { headFacts } from '../core/errors/response-facts';
import type { Request, Response } from '../core/model';
import type { Secrets } from '../core/secrets/secrets';
import { shortened } from '../core/json/scalars';
import { sameOriginOrUpgrade, NoAddress, resolveReference, mayReceiveCredentials } from '../core/url/address';
import { parseQuery, splitUrl } from '../core/url/query';
import { learnFromText, requestFacts, requestLine } from './masking';
import type { RequestableHost } from '../language/configuration/configuration';

/** The rules for the targets of requests, and for the hosts that may receive credentials. */
export interface OriginRules {
  readonly baseUrl: string;
  /**
   * `api.http.allowedHosts`: hosts that may receive credentials like the origin of the base URL. Requests to them get
   * login values, default headers and default parameters computed from secrets, and responses may lead there by next
   * pages and redirects. A host that is not in `requestableHosts` is still refused.
   */
  readonly credentialHosts: readonly string[];
  /**
   * `image_parameters.allowed_hosts`: the only places that may be requested, by logins, pages, next pages and
   * redirects; if empty, any place. A host in this list does not get credentials for that.
   */
  readonly requestableHosts: readonly RequestableHost[];
  readonly secrets: Secrets;
}

/**
 * Returns the error of a request to a forbidden place. Each hop of a redirect is judged.
 *
 * - Every URL has to match one of `requestableHosts`, if there are any (docs/language/configuration.md#allowed-hosts);
 *   otherwise it is refused with `HOST_REFUSED`.
 * - An address that a response gave (next page, redirect) has to be at a host that may receive credentials, or stay at
 *   the origin where the configuration sent the request (docs/language/authentication.md#which-host-gets-credentials),
 *   or be at a host that the job names for its result; otherwise it is refused with `ORIGIN_REFUSED`.
 *
 * @throws TypeError for a malformed URL
 * @example originRefusal(request, { baseUrl: 'https://api.example/', credentialHosts: [], requestableHosts: [], secrets })
 */
export function originRefusal(request: Request, rules: OriginRules): FatalError | undefined {
  const { url, home, provenance } = request;
  const { baseUrl, credentialHosts, requestableHosts, secrets } = rules;
  if (requestableHosts.length > 0 && !requestableHosts.some((rule) => matches(rule, new URL(url))))
    return new FatalError(
      'HOST_REFUSED',
      `URL "${secrets.mask(url)}" is not in the allowed hosts whitelist.`,
      requestFacts(request, secrets),
    );
  if (
    provenance === 'configured' ||
    mayReceiveCredentials(url, baseUrl, credentialHosts) ||
    sameOriginOrUpgrade(url, home) ||
    isDownload(request, baseUrl)
  )
    return undefined;
  // Such an address is often enough to read the data: its parameters may be keys under any name.
  const shown = { ...request, url: withoutValues(url) };
  const place = `${requestLine(shown, secrets)} was not sent: a response gave this address`;
  const remedy = `If "${new URL(url).host}" belongs to the API, name it in api.http.allowedHosts.`;
  return new FatalError(
    'ORIGIN_REFUSED',
    `${place}, but the request has to stay at ${new URL(home).origin}. ${remedy}`,
    requestFacts(shown, secrets),
  );
}

/** Returns the address with the values of its parameters masked. */
const withoutValues = (url: string): string => {
  const [place, ...query] = url.split(/(?=[?#])/);
  return `${place}${query.join('').replace(/=[^&#]+/g, '=***')}`;
};

/** Returns whether a request is a download: such a host gets nothing but the address, not even a body. */
const isDownload = ({ url, method, body, downloadHosts = [] }: Request, baseUrl: string): boolean =>
  method === 'GET' && body === undefined && mayReceiveCredentials(url, baseUrl, downloadHosts);

function matches({ host, scheme, port, endpoint }: RequestableHost, url: URL): boolean {
  if (host !== url.hostname) return false;
  if (scheme !== undefined && `${scheme}:` !== url.protocol) return false;
  if (port !== undefined && String(port) !== url.port) return false;
  return endpoint === undefined || `${url.pathname}/`.startsWith(`/${endpoint}/`);
}

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
