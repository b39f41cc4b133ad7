import type { RequestFacts } from '../core/errors/errors';
import type { Request } from '../core/model';
import type { Secrets } from '../core/secrets/secrets';

/** How messages name a request: `GET https://host/path`, with secrets masked. */
export const requestLine = ({ method, url }: Pick<Request, 'method' | 'url'>, secrets: Secrets): string =>
  `${method} ${secrets.mask(url)}`;

/** What errors tell of a request (see {@link RequestFacts}). */
export const requestFacts = (
  { method, url }: Pick<Request, 'method' | 'url'>,
  secrets: Secrets,
): Pick<RequestFacts, 'method' | 'url'> => ({ method, url: secrets.mask(url) });

/** Host and port of a request, as messages about connections name them. */
export function hostOf({ url }: Pick<Request, 'url'>, secrets: Secrets): string {
  if (!URL.canParse(url)) return secrets.mask(url);
  const { protocol, hostname, port } = new URL(url);
  return secrets.mask(`${hostname}:${port === '' ? (protocol === 'https:' ? '443' : '80') : port}`);
}
