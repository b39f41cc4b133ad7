import { throwError } from 'rxjs';
import { FatalError } from '../../errors';
import type { Middleware, Request } from '../../model';
import type { Secrets } from '../../secrets';
import { isTrusted, sameOriginOrUpgrade } from '../../url/origin';
import { requestFacts, requestLine } from '../request-line';

/** An entry of `image_parameters.allowed_hosts` (docs/language/configuration.md#allowed-hosts). */
export interface HostRule {
  readonly host: string;
  readonly scheme?: string;
  readonly port?: number;
  /** Path prefix without surrounding slashes. */
  readonly endpoint?: string;
}

/** Where requests may go. */
export interface OriginRules {
  readonly baseUrl: string;
  /** Hosts that credentials may go to, beside the origin of the base URL: `api.http.allowedHosts`. */
  readonly credentialHosts: readonly string[];
  /** The only places that requests may go to, with or without credentials; empty: any place. */
  readonly requestableHosts: readonly HostRule[];
  readonly secrets: Secrets;
}

/**
 * Refuses requests to places where they must not go. Each hop of a redirect passes it.
 *
 * - Every URL has to match one of `requestableHosts`, if there are any (docs/language/configuration.md#allowed-hosts): else
 *   `HOST_REFUSED`.
 * - An address that a response gave (next page, redirect) has to be trusted, or stay at the origin where the
 *   configuration sent the request (docs/language/authentication.md#which-host-gets-credentials): else
 *   `ORIGIN_REFUSED`.
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

/** What is no URL is refused as well. */
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
  const facts = requestFacts(request, secrets);
  if (requestableHosts.length > 0 && !requestableHosts.some((rule) => matches(rule, new URL(url))))
    return new FatalError('HOST_REFUSED', `URL "${secrets.mask(url)}" is not in the allowed hosts whitelist.`, facts);
  if (provenance === 'configured' || isTrusted(url, baseUrl, credentialHosts) || sameOriginOrUpgrade(url, home))
    return undefined;
  const place = `${requestLine(request, secrets)} was not sent: a response gave this address`;
  const remedy = `If "${new URL(url).host}" belongs to the API, name it in api.http.allowedHosts.`;
  return new FatalError(
    'ORIGIN_REFUSED',
    `${place}, but the request has to stay at ${new URL(home).origin}. ${remedy}`,
    facts,
  );
}

function matches({ host, scheme, port, endpoint }: HostRule, url: URL): boolean {
  if (host !== url.hostname) return false;
  if (scheme !== undefined && `${scheme}:` !== url.protocol) return false;
  if (port !== undefined && String(port) !== url.port) return false;
  return endpoint === undefined || `${url.pathname}/`.startsWith(`/${endpoint}/`);
}
