/** Hosts that a document names, and that the person who gives credentials has not named. */
import { FatalError, printable, type Imported } from '../..';
import type { Source } from './source';

interface Given {
  /** The credentials of the person, as headers. */
  readonly headers: Readonly<Record<string, string>>;
  /** Where the API is, by the person. */
  readonly baseUrl?: string | undefined;
  readonly isAsking: boolean;
}

/**
 * Credentials go to a host that a document from the network names only where the person agrees: whoever wrote the document would
 * get them else. A file of one's own, and a HAR, may name any host.
 *
 * @throws FatalError CONFIG_INVALID where nobody can be asked, or the person does not agree
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

/** The same host, or that one over TLS. */
const isSame = (origin: string, { protocol, hostname, origin: own }: URL): boolean =>
  origin === own || (protocol === 'http:' && origin === `https://${hostname}`);

async function agrees(origins: readonly string[]): Promise<boolean> {
  const { confirm } = await import('@inquirer/prompts');
  return confirm({ message: `Send the credentials to ${named(origins)}, which the document names?`, default: false });
}

const named = (origins: readonly string[]): string => origins.map(printable).join(' and ');
