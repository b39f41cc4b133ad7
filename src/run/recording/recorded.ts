/** Keeps the exchanges of a run. */
import { defer, finalize, map, tap } from 'rxjs';
import type { Observable } from 'rxjs';
import { HeadwaterError } from '../../core/errors/errors';
import type { RunEvent } from '../../core/events';
import { defineMiddleware } from '../../language/parts/middleware';
import type { MiddlewareDefinition } from '../../language/parts/middleware';
import type { BodyStream, Response } from '../../core/model';
import type { Secrets } from '../../core/secrets/secrets';
import type { Har } from './har';
import { redacted } from './redacted';
import type { Exchange } from './redacted';

interface Recordable {
  readonly secrets: Secrets;
  readonly middleware: readonly MiddlewareDefinition[];
}

/**
 * Runs with a recorder, if one is wanted: all exchanges are held until the run is over, whatever ends it.
 *
 * @param record takes the recording; absent: nothing is recorded
 * @param options of the run: the recorder stands inside of all middleware, where a request is as it is sent
 */
export function recorded<O extends Recordable>(
  record: ((recording: Har) => void) | undefined,
  options: O,
  run: (options: O) => Observable<RunEvent>,
): Observable<RunEvent> {
  if (record === undefined) return run(options);
  const exchanges: Exchange[] = [];
  let startedAt = 0;
  return run({ ...options, middleware: [...options.middleware, recorder(exchanges)] }).pipe(
    tap((event) => {
      if (event.type === 'run.started') startedAt = event.startedAt;
    }),
    finalize(() => record(redacted(exchanges, startedAt, options.secrets))),
  );
}

/** Keeps each attempt as it is sent, and what came back. */
export const recorder = (exchanges: Exchange[]): MiddlewareDefinition =>
  defineMiddleware({
    name: 'headwater/recorder',
    summary: 'Keeps each attempt.',
    around: 'attempt',
    middleware: (send) => (request) =>
      defer(() => {
        const startedAt = Date.now();
        const exchange: Exchange = { request, startedAt, milliseconds: 0, body: new Uint8Array(0) };
        exchanges.push(exchange);
        const over = (): void => void (exchange.milliseconds = Date.now() - startedAt);
        return send(request).pipe(
          map((response) => {
            exchange.response = response;
            exchange.body = response.body;
            over();
            return response.stream === undefined ? response : { ...response, stream: kept(response.stream, exchange) };
          }),
          tap({
            error: (error: unknown) => {
              over();
              exchange.error = error instanceof HeadwaterError ? error.code : 'NETWORK_PROTOCOL';
            },
          }),
        );
      }),
  });

/** Keeps a body as it passes, as far as it is read. */
const kept = (stream: BodyStream, exchange: Exchange): NonNullable<Response['stream']> => ({
  cancel: stream.cancel,
  async *[Symbol.asyncIterator]() {
    const chunks: Uint8Array[] = [];
    try {
      for await (const chunk of stream) {
        chunks.push(chunk);
        yield chunk;
      }
    } finally {
      exchange.body = Buffer.concat(chunks);
    }
  },
});
