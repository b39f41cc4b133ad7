/** Fetches the description of an API. */
import { firstValueFrom } from 'rxjs';
import { client } from '../../run/client/client';
import { looksLikeOpenApi } from './openapi';
import type { TransportChoice } from '../../run/sessions/sessions';

/** How a description is fetched. Everything is optional. */
export interface FetchOpenApiOptions extends Pick<TransportChoice, 'dispatcher' | 'fetch' | 'proxies'> {
  /** Credentials, for a description that is refused without them. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

/** Addresses that are called as descriptions of APIs are. */
const DESCRIPTION = /(?:openapi|swagger|api-docs|schema)[^/]*\/?$|\.ya?ml$/i;
const REFUSED: ReadonlySet<number> = new Set([401, 403]);

/**
 * Fetches the OpenAPI document at an address. It may lie at another host than the API: it gets credentials only where it refuses to
 * come without them.
 *
 * @param url absolute, with http or https
 * @returns `undefined` where the address is not called as descriptions of APIs are, so that nothing is requested, or where no
 *   description is there
 * @throws HeadwaterError `NETWORK_…`, where the host cannot be reached
 * @example
 * const text = await fetchOpenApi('https://api.example/openapi.json');
 * const imported = text === undefined ? undefined : importOpenApi(text, { url: 'https://api.example/openapi.json' });
 */
export async function fetchOpenApi(
  url: string,
  { headers = {}, signal, ...transport }: FetchOpenApiOptions = {},
): Promise<string | undefined> {
  if (!URL.canParse(url) || !DESCRIPTION.test(new URL(url).pathname)) return undefined;
  const own = client(
    { baseUrl: new URL('/', url).href, retryConfig: { maxRetries: 2 } },
    { ...transport, ...(signal === undefined ? {} : { signal }) },
  );
  const get = (carried: Readonly<Record<string, string>>) =>
    firstValueFrom(own.request({ method: 'GET', url, headers: { accept: 'application/json, */*;q=0.5', ...carried } }));
  try {
    const first = await get({});
    const response = REFUSED.has(first.status) && Object.keys(headers).length > 0 ? await get(headers) : first;
    const text = response.status < 300 ? Buffer.from(response.body).toString('utf8') : '';
    return looksLikeOpenApi(text) ? text : undefined;
  } finally {
    await own.close();
  }
}
