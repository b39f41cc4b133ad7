import { readFile } from 'node:fs/promises';
import { firstValueFrom } from 'rxjs';
import { client, FatalError, importHar, importOpenApi, looksLikeOpenApi, type Imported } from '../../index';

/** Addresses that are called as descriptions of APIs are. */
const DESCRIPTION = /(?:openapi|swagger|api-docs|schema)[^/]*\/?$|\.ya?ml$/i;
const REFUSED: ReadonlySet<number> = new Set([401, 403]);

/** How a document is read that lists requests. */
export interface ImportSource {
  readonly headers: Readonly<Record<string, string>>;
  /** Where the API is, if the document does not say it. */
  readonly baseUrl?: string | undefined;
  readonly signal: AbortSignal;
}

/**
 * Reads an OpenAPI document or a HAR, in a file or at an address.
 *
 * @returns `undefined` where the source is none of these, but an address of data or a command line of curl
 * @throws FatalError CONFIG_INVALID
 */
export async function importedFrom(source: string, options: ImportSource): Promise<Imported | undefined> {
  if (/^https?:\/\//i.test(source)) {
    if (!URL.canParse(source) || !DESCRIPTION.test(new URL(source).pathname)) return undefined;
    const text = await fetched(source, options);
    return looksLikeOpenApi(text) ? described(text, source, options) : undefined;
  }
  const text = await fileText(source);
  if (text === undefined) return undefined;
  if (looksLikeOpenApi(text)) return described(text, undefined, options);
  if (/^[\ufeff\s]*\{/.test(text) && /"entries"\s*:/.test(text)) return importHar(text);
  throw new FatalError('CONFIG_INVALID', `${source} is neither an OpenAPI document nor a HAR.`);
}

function described(text: string, url: string | undefined, { baseUrl }: ImportSource): Imported {
  const imported = importOpenApi(text, {
    ...(url === undefined ? {} : { url }),
    ...(baseUrl === undefined ? {} : { baseUrl }),
  });
  if (imported.baseUrl !== undefined) return imported;
  throw new FatalError('CONFIG_INVALID', 'The document does not say where the API is: name its address by --base-url.');
}

/** The document may lie at another host than the API: it gets credentials only where it refuses to come without them. */
async function fetched(url: string, { headers, signal }: ImportSource): Promise<string> {
  const own = client(
    { baseUrl: new URL('/', url).href, retryConfig: { maxRetries: 2 } },
    { signal, proxies: process.env },
  );
  const get = (carried: Readonly<Record<string, string>>) =>
    firstValueFrom(own.request({ method: 'GET', url, headers: { accept: 'application/json, */*;q=0.5', ...carried } }));
  try {
    const first = await get({});
    const response = REFUSED.has(first.status) && Object.keys(headers).length > 0 ? await get(headers) : first;
    return response.status < 300 ? Buffer.from(response.body).toString('utf8') : '';
  } finally {
    await own.close();
  }
}

async function fileText(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch {
    return undefined;
  }
}
