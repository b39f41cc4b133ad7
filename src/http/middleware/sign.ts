import { defer, map } from 'rxjs';
import type { Middleware, Request } from '../../core/model';

/**
 * Signs requests right before they are sent, so that the signature covers all that other middleware has added
 * (docs/language/authentication.md#what-travels-where, docs/language/configuration.md#aws-signatures): each attempt,
 * each redirect and each login anew. Responses name the request without signature.
 *
 * @param signed gives the request with its signature; absent: requests go as they are
 * @param isSigned whether a request gets a signature: downloads from other hosts have one in their address
 * @example sign((request) => ({ ...request, headers: { ...request.headers, 'x-signature': 's' } }))(send)(request)
 */
export const sign =
  (
    signed: ((request: Request) => Request) | undefined,
    isSigned: (request: Request) => boolean = () => true,
  ): Middleware =>
  (send) => {
    if (signed === undefined) return send;
    return (request) =>
      isSigned(request)
        ? defer(() => send(signed(request))).pipe(map((response) => ({ ...response, request })))
        : send(request);
  };
