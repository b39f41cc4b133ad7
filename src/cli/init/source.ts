import { FatalError, readCurl } from '../../index';
import type { WrittenRequest } from '../../index';
import { askSource } from './ask';

/** The flags that say what the request carries. */
export interface CredentialFlags {
  readonly bearer?: string;
  readonly user?: string;
  readonly header?: readonly string[];
}

/**
 * The request that a person means: an address, or a command line of curl, with the credentials of the flags.
 *
 * @throws FatalError CONFIG_INVALID
 */
export async function requestFrom(
  source: string | undefined,
  flags: CredentialFlags,
  isAsking: boolean,
): Promise<WrittenRequest> {
  const given = source ?? (isAsking ? await askSource() : undefined);
  if (given === undefined)
    throw new FatalError(
      'CONFIG_INVALID',
      `Name what has the data: headwater init URL, a file of OpenAPI or HAR, or 'curl …'.`,
    );
  const request = /^\s*curl\s/.test(given) ? readCurl(given) : ofUrl(given.trim());
  return { ...request, headers: { ...request.headers, ...headersOf(flags) } };
}

function ofUrl(text: string): WrittenRequest {
  const url = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `https://${text}`;
  if (!/^https?:\/\//i.test(url) || !URL.canParse(url))
    throw new FatalError('CONFIG_INVALID', 'That is no address of http or https, and no command line of curl.');
  return { method: 'GET', url, headers: {} };
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
