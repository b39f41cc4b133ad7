import { readFile, stat } from 'node:fs/promises';
import {
  FatalError,
  HeadwaterError,
  fetchOpenApi,
  importHar,
  importOpenApi,
  looksLikeOpenApi,
  printable,
  readCurl,
  writtenAddress,
} from '../..';
import type { Imported, WrittenRequest } from '../..';
import { promptForSource } from './ask';

/** The flags for the credentials of the request. */
export interface CredentialFlags {
  readonly bearer?: string;
  readonly user?: string;
  readonly header?: readonly string[];
}

/** The source that the user names. */
export type Source =
  | { readonly kind: 'curl' | 'file'; readonly text: string }
  | {
      readonly kind: 'address';
      /** The address with its scheme. */
      readonly text: string;
      /** True if the user wrote no scheme, so that `https` was assumed. */
      readonly isAssumed: boolean;
    };

/**
 * Returns the source that the user means: an address, a curl command line, or a file.
 *
 * @throws FatalError CONFIG_INVALID for anything else; CONFIG_UNREADABLE for what looks like a file and is none
 */
export async function sourceOf(written: string | undefined, isAsking: boolean): Promise<Source> {
  const text = (written ?? (isAsking ? await promptForSource() : '')).trim();
  if (text === '')
    throw new FatalError(
      'CONFIG_INVALID',
      `Name what has the data: headwater init URL, a file of OpenAPI or HAR, or 'curl …'.`,
    );
  if (/^curl\s/.test(text)) return { kind: 'curl', text };
  if (await isFile(text)) return { kind: 'file', text };
  if (looksLikePath(text))
    throw new FatalError(
      'CONFIG_UNREADABLE',
      `There is no file ${text}. If it is an address, write it with https:// or http:// in front.`,
    );
  const url = writtenAddress(text);
  if (!/^https?:\/\//i.test(url) || !URL.canParse(url))
    throw new FatalError('CONFIG_INVALID', 'That is no address of http or https, and no command line of curl.');
  return { kind: 'address', text: url, isAssumed: url !== text && url.startsWith('https:') };
}

async function isFile(text: string): Promise<boolean> {
  try {
    return !/^https?:\/\//i.test(text) && (await stat(text)).isFile();
  } catch {
    return false;
  }
}

const BEGINS_AS_PATH = /^(?:\.{0,2}[\\/]|\.{1,2}$|~|[a-z]:[\\/])/i;
const ENDS_AS_FILE = /\.(?:jsonc?|ya?ml|har|http|txt)$/i;
/** Matches a name with a dot or a port, a number, or the machine itself, before a slash. */
const HAS_HOST = /^(?:localhost|\[[\d:a-f]+\]|[^/\\]*[.:][^/\\]*)\//i;

const looksLikePath = (text: string): boolean =>
  !text.includes('://') && (BEGINS_AS_PATH.test(text) || (ENDS_AS_FILE.test(text) && !HAS_HOST.test(text)));

/** Returns the request of an address or a curl command line, with the credentials of the flags. */
export function requestFrom({ kind, text }: Source, flags: CredentialFlags): WrittenRequest {
  const request: WrittenRequest = kind === 'curl' ? readCurl(text) : { method: 'GET', url: text, headers: {} };
  return { ...request, headers: { ...request.headers, ...headersOf(flags) } };
}

/** Returns the error; a network failure names the assumed scheme if the user wrote none. */
export function withAssumption(error: unknown, source: Source): unknown {
  if (source.kind !== 'address' || !source.isAssumed || !(error instanceof HeadwaterError)) return error;
  if (!/^NETWORK_/.test(error.code) || error.code === 'NETWORK_RESOLVE') return error;
  const hint = 'https was assumed: if the API has no TLS, write http:// in front of the address.';
  return new FatalError(error.code, `${error.message} ${hint}`, { cause: error });
}

/** Returns the headers of the flags. */
export function headersOf({ bearer, user, header = [] }: CredentialFlags): Readonly<Record<string, string>> {
  const given = header.map((line) => {
    const [, name, value = ''] = /^([^:\s]+):\s*(.*)$/.exec(line) ?? [];
    if (name === undefined) throw new FatalError('CONFIG_INVALID', '--header has to be "NAME: VALUE".');
    return [name.toLowerCase(), value] as const;
  });
  return {
    ...Object.fromEntries(given),
    ...(bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }),
    ...(user === undefined ? {} : { authorization: `Basic ${Buffer.from(user).toString('base64')}` }),
  };
}

/** How a document with lists is read. */
export interface ImportSource {
  readonly headers: Readonly<Record<string, string>>;
  /** The address of the API, if the document lacks it. */
  readonly baseUrl?: string | undefined;
  readonly signal: AbortSignal;
}

/**
 * Reads an OpenAPI document or a HAR, from a file or an address.
 *
 * @returns `undefined` if the source is an address of data or a curl command line
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

/** The credentials of the user, and the host that the user named. */
interface Given {
  /** The credentials of the person, as headers. */
  readonly headers: Readonly<Record<string, string>>;
  /** The address of the API from the user. */
  readonly baseUrl?: string | undefined;
  readonly isAsking: boolean;
}

/**
 * Sends credentials to a host that a downloaded document names only if the user agrees: otherwise the author of the document would get
 * them. A local file, and a HAR, may name any host.
 *
 * @throws FatalError CONFIG_INVALID if the user cannot be asked, or does not agree
 */
export async function agreeToHosts(source: Source, imported: Imported, given: Given): Promise<void> {
  const { headers, baseUrl, isAsking } = given;
  if (source.kind !== 'address' || baseUrl !== undefined || Object.keys(headers).length === 0) return;
  const strange = [...new Set(imported.beginnings.map(({ request }) => new URL(request.url).origin))].filter(
    (origin) => !isSame(origin, new URL(source.text)),
  );
  if (strange.length === 0 || (isAsking && (await agrees(strange)))) return;
  const [first = ''] = strange;
  throw new FatalError(
    'CONFIG_INVALID',
    `The document at ${new URL(source.text).origin} says that the API is at ${named(strange)}. The credentials are not sent to a host that only the document names. If they belong there, say so: --base-url ${printable(first)}, with the path of the API behind it.`,
  );
}

/** Returns whether a URL has the same host, or the same host over TLS. */
const isSame = (origin: string, { protocol, hostname, origin: own }: URL): boolean =>
  origin === own || (protocol === 'http:' && origin === `https://${hostname}`);

async function agrees(origins: readonly string[]): Promise<boolean> {
  const { confirm } = await import('@inquirer/prompts');
  return confirm({ message: `Send the credentials to ${named(origins)}, which the document names?`, default: false });
}

const named = (origins: readonly string[]): string => origins.map(printable).join(' and ');
