import { throwError } from 'rxjs';
import type { RequestableHost } from '../../language/configuration/configuration';
import { FatalError } from '../../core/errors/errors';
import type { Middleware, Request } from '../../core/model';
import type { Secrets } from '../../core/secrets/secrets';
import { mayReceiveCredentials, sameOriginOrUpgrade } from '../../core/url/address';
import { requestFacts, requestLine } from '../masking';

/** Where requests may go, and which hosts may receive credentials. */
export interface OriginRules {
  readonly baseUrl: string;
  /**
   * `api.http.allowedHosts`: hosts that may receive credentials like the origin of the base URL. Requests to them get login
   * values, default headers and default parameters made of secrets, and responses may lead there by next pages and
   * redirects. A host that `requestableHosts` leaves out is refused all the same.
   */
  readonly credentialHosts: readonly string[];
  /**
   * `image_parameters.allowed_hosts`: the only places that may be requested at all, by logins, pages, next pages and
   * redirects; empty: any place. To stand here gives a host no credentials.
   */
  readonly requestableHosts: readonly RequestableHost[];
  readonly secrets: Secrets;
}

/**
 * Refuses requests to places where they must not go. Each hop of a redirect passes it.
 *
 * - Every URL has to match one of `requestableHosts`, if there are any (docs/language/configuration.md#allowed-hosts): else
 *   `HOST_REFUSED`.
 * - An address that a response gave (next page, redirect) has to be of a host that may receive credentials, or
 *   stay at the origin where the configuration sent the request (docs/language/authentication.md#which-host-gets-credentials), or
 *   to be of a host where the job says that its result may be: else `ORIGIN_REFUSED`.
 *
 * @example originGuard({ baseUrl: 'https://api.example/', credentialHosts: [], requestableHosts: [], secrets })(send)
 */
export const originGuard =
  (rules: OriginRules): Middleware =>
  (send) =>
  (request) => {
    const refusal = refusalOf(request, rules);
    return refusal === undefined ? send(request) : throwError(() => refusal);
  };

/** Gives the error of a request that is refused; what is no URL is refused as well. */
function refusalOf(request: Request, rules: OriginRules): unknown {
  try {
    return placeRefused(request, rules);
  } catch (error) {
    return error;
  }
}

function placeRefused(request: Request, rules: OriginRules): FatalError | undefined {
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
  // Such an address is mostly all that it takes to read what is there: its parameters may be keys by any name.
  const shown = { ...request, url: withoutValues(url) };
  const place = `${requestLine(shown, secrets)} was not sent: a response gave this address`;
  const remedy = `If "${new URL(url).host}" belongs to the API, name it in api.http.allowedHosts.`;
  return new FatalError(
    'ORIGIN_REFUSED',
    `${place}, but the request has to stay at ${new URL(home).origin}. ${remedy}`,
    requestFacts(shown, secrets),
  );
}

/** The address with the values of its parameters masked. */
const withoutValues = (url: string): string => {
  const [place, ...query] = url.split(/(?=[?#])/);
  return `${place}${query.join('').replace(/=[^&#]+/g, '=***')}`;
};

/** Nothing but the address goes to such a host: no body either. */
const isDownload = ({ url, method, body, downloadHosts = [] }: Request, baseUrl: string): boolean =>
  method === 'GET' && body === undefined && mayReceiveCredentials(url, baseUrl, downloadHosts);

function matches({ host, scheme, port, endpoint }: RequestableHost, url: URL): boolean {
  if (host !== url.hostname) return false;
  if (scheme !== undefined && `${scheme}:` !== url.protocol) return false;
  if (port !== undefined && String(port) !== url.port) return false;
  return endpoint === undefined || `${url.pathname}/`.startsWith(`/${endpoint}/`);
}
