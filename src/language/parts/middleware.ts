import type { Middleware } from '../../core/model';

/** A middleware that an application adds to the request pipeline. */
export interface MiddlewareDefinition<N extends string = string> {
  readonly kind: 'middleware';
  readonly name: N;
  /** A summary of one sentence, for lists of parts. */
  readonly summary?: string;
  /**
   * The layer that it wraps: a `request` of a job or a login with all of its attempts, before credentials are added; or
   * each `attempt` as it is sent, credentials and signature included.
   */
  readonly around: 'request' | 'attempt';
  readonly middleware: Middleware;
}

/**
 * Defines a middleware around requests. Of several, the first one is the outermost.
 *
 * @returns the definition, for the option `components`
 * @example
 * const timing = defineMiddleware({
 *   name: 'timing',
 *   around: 'attempt',
 *   middleware: (send) => (request) => {
 *     const sentAt = Date.now();
 *     return send(request).pipe(tap(() => console.log(request.method, Date.now() - sentAt)));
 *   },
 * });
 */
export const defineMiddleware = <const N extends string>(
  parts: Omit<MiddlewareDefinition<N>, 'kind'>,
): MiddlewareDefinition<N> => ({ kind: 'middleware', ...parts });
