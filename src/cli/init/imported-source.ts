import { readFile } from 'node:fs/promises';
import { FatalError, fetchOpenApi, importHar, importOpenApi, looksLikeOpenApi, type Imported } from '../..';
import type { Source } from './source';

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
 * @throws FatalError CONFIG_INVALID, CONFIG_UNREADABLE
 */
export async function importedFrom(source: Source, options: ImportSource): Promise<Imported | undefined> {
  if (source.kind === 'curl') return undefined;
  if (source.kind === 'address') {
    const { headers, signal } = options;
    const text = await fetchOpenApi(source.text, { headers, signal, proxies: process.env });
    return text === undefined ? undefined : described(text, source.text, options);
  }
  const text = await fileText(source.text);
  if (looksLikeOpenApi(text)) return described(text, undefined, options);
  if (/^[\ufeff\s]*\{/.test(text) && /"entries"\s*:/.test(text)) return importHar(text);
  throw new FatalError('CONFIG_INVALID', `${source.text} is neither an OpenAPI document nor a HAR.`);
}

function described(text: string, url: string | undefined, { baseUrl }: ImportSource): Imported {
  const imported = importOpenApi(text, {
    ...(url === undefined ? {} : { url }),
    ...(baseUrl === undefined ? {} : { baseUrl }),
  });
  if (imported.baseUrl !== undefined) return imported;
  throw new FatalError('CONFIG_INVALID', 'The document does not say where the API is: name its address by --base-url.');
}

async function fileText(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (cause) {
    throw new FatalError('CONFIG_UNREADABLE', `${path} cannot be read: ${String(cause)}.`, { cause });
  }
}
