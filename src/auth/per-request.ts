import { of } from 'rxjs';
import type { CredentialSource, Request } from '../core/model';

/**
 * A source for authentication that asks nobody: `apply` is called for each attempt and each redirect. Such credentials
 * are never renewed, so a 401 does not make a request go again.
 *
 * @example perRequest((request) => ({ ...request, headers: { ...request.headers, 'x-key': 'k' } }))
 */
export const perRequest = (apply: (request: Request) => Request): CredentialSource => ({
  credentials$: of({ apply, refusedBy: [] }),
  invalidate: () => undefined,
});
