/** The credentials of a client, and requests that the application sends itself. */
import { FatalError } from '../../core/errors/errors';
import type { Credentials, CredentialSource, Headers, HttpMethod, Request } from '../../core/model';
import type { HttpPlan } from '../../plan/http-plan';
import type { Secrets } from '../../core/secrets/secrets';
import { endpointUrl } from '../../core/url/address';
import { mayReceiveCredentials } from '../../core/url/origin';

/** A request that an application makes itself. */
export interface PlainRequest {
  /** Absent: GET. */
  readonly method?: HttpMethod;
  readonly url: string;
  readonly headers?: Headers;
  readonly body?: string;
}

/** Credentials for requests of an application's own. */
export interface ClientCredentials {
  /**
   * Adds them to a request.
   *
   * @param request its `url` is absolute
   * @throws FatalError ORIGIN_REFUSED when the URL is not of a host that may receive credentials (the base URL,
   * `api.http.allowedHosts`)
   */
  readonly apply: (request: PlainRequest) => PlainRequest & { readonly headers: Headers };
  /** The moment, in milliseconds since the epoch, from which they are not used; absent: none is known. */
  readonly expiresAt?: number;
  /** Says that the API refused them: then there are new ones for all. */
  readonly refused: () => void;
}

/** Where an API needs no authentication. */
export const NO_CREDENTIALS: ClientCredentials = {
  apply: (request) => ({ ...request, headers: request.headers ?? {} }),
  refused: () => undefined,
};

interface Surroundings {
  readonly source: CredentialSource;
  readonly http: HttpPlan;
  readonly secrets: Secrets;
}

/** @example clientCredentials(credentials, { source, http, secrets }).apply({ url: 'https://api.example/users' }) */
export function clientCredentials(
  credentials: Credentials,
  { source, http, secrets }: Surroundings,
): ClientCredentials {
  const { expiresAt } = credentials;
  return {
    apply: (request) => {
      refuseOthers(request.url, http, secrets);
      const { url, headers } = credentials.apply(requestOf(request, http, secrets));
      return { ...request, url, headers };
    },
    ...(expiresAt === undefined ? {} : { expiresAt }),
    refused: () => {
      const request = requestOf({ url: http.baseUrl }, http, secrets);
      source.invalidate(credentials, { request, status: 401, headers: {}, body: new Uint8Array(0) });
    },
  };
}

function refuseOthers(url: string, { baseUrl, credentialHosts }: HttpPlan, secrets: Secrets): void {
  if (URL.canParse(url) && mayReceiveCredentials(url, baseUrl, credentialHosts)) return;
  throw new FatalError(
    'ORIGIN_REFUSED',
    `The credentials of ${secrets.mask(baseUrl)} are not for "${secrets.mask(url)}". Give an absolute URL of that host, or name the host in api.http.allowedHosts.`,
  );
}

/** A request of the application as the pipeline sends it. */
export function requestOf(request: PlainRequest, { baseUrl }: HttpPlan, secrets: Secrets): Request {
  const { method = 'GET', headers = {}, body } = request;
  const href = urlOf(request.url, baseUrl, secrets);
  return {
    method,
    url: href,
    headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])),
    ...(body === undefined ? {} : { body }),
    purpose: { kind: 'page', job: 'client.request' },
    home: href,
    provenance: 'configured',
    receivedNames: [],
  };
}

function urlOf(url: string, baseUrl: string, secrets: Secrets): string {
  try {
    return endpointUrl(baseUrl, url);
  } catch (cause) {
    throw new FatalError('CONFIG_INVALID', `This is no URL, and no endpoint of the API: "${secrets.mask(url)}".`, {
      cause,
    });
  }
}
