import { stat } from 'node:fs/promises';
import { FatalError, HeadwaterError, readCurl, writtenAddress } from '../..';
import type { WrittenRequest } from '../..';
import { askSource } from './ask';

/** The flags that say what the request carries. */
export interface CredentialFlags {
  readonly bearer?: string;
  readonly user?: string;
  readonly header?: readonly string[];
}

/** What a person names. */
export type Source =
  | { readonly kind: 'curl' | 'file'; readonly text: string }
  | {
      readonly kind: 'address';
      /** With its scheme. */
      readonly text: string;
      /** This tells whether the person wrote no scheme, so that `https` was taken. */
      readonly isAssumed: boolean;
    };

/**
 * What a person means: an address, a command line of curl, or a file.
 *
 * @throws FatalError CONFIG_INVALID for what is none of these; CONFIG_UNREADABLE for what looks like a file and is none
 */
export async function sourceOf(written: string | undefined, isAsking: boolean): Promise<Source> {
  const text = (written ?? (isAsking ? await askSource() : '')).trim();
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
/** A name with a dot, a port or nothing but digits, or the machine itself, before a slash. */
const HAS_HOST = /^(?:localhost|\[[\d:a-f]+\]|[^/\\]*[.:][^/\\]*)\//i;

const looksLikePath = (text: string): boolean =>
  !text.includes('://') && (BEGINS_AS_PATH.test(text) || (ENDS_AS_FILE.test(text) && !HAS_HOST.test(text)));

/** The request for an address or of a command line of curl, with the credentials of the flags. */
export function requestFrom({ kind, text }: Source, flags: CredentialFlags): WrittenRequest {
  const request: WrittenRequest = kind === 'curl' ? readCurl(text) : { method: 'GET', url: text, headers: {} };
  return { ...request, headers: { ...request.headers, ...headersOf(flags) } };
}

/** A failure of the network says which scheme was taken, where the person wrote none. */
export function withAssumption(error: unknown, source: Source): unknown {
  if (source.kind !== 'address' || !source.isAssumed || !(error instanceof HeadwaterError)) return error;
  if (!/^NETWORK_/.test(error.code) || error.code === 'NETWORK_RESOLVE') return error;
  const hint = 'https was assumed: if the API has no TLS, write http:// in front of the address.';
  return new FatalError(error.code, `${error.message} ${hint}`, { cause: error });
}

/** The headers that the flags give. */
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
