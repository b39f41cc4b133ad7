import type { Request } from '../model';
import type { Secrets } from '../secrets';

/** How messages name a request: `GET https://host/path`, with secrets masked. */
export const requestLine = ({ method, url }: Pick<Request, 'method' | 'url'>, secrets: Secrets): string =>
  `${method} ${secrets.mask(url)}`;
