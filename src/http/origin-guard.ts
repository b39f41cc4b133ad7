import type { RequestableHost } from '../language/configuration/configuration';
import { FatalError } from '../core/errors/errors';
import type { Request } from '../core/model';
import type { Secrets } from '../core/secrets/secrets';
import { mayReceiveCredentials, sameOriginOrUpgrade } from '../core/url/address';
import { requestFacts, requestLine } from './masking';

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
