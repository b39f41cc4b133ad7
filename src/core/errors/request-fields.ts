import type { RequestFields } from '../events';
import type { Request } from '../model';
import type { Secrets } from '../secrets/secrets';

/** What events tell of a request. */
export const requestFields = ({ purpose, method, url, trace }: Request, secrets: Secrets): RequestFields => ({
  purpose,
  method,
  url: secrets.mask(url),
  ...(trace === undefined ? {} : { request: trace.request, attempt: trace.attempt }),
});
