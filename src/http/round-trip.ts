import { defer, finalize, from, tap, throwError, timeout } from 'rxjs';
import type { MonoTypeOperatorFunction } from 'rxjs';
import { FatalError } from '../errors';
import type { Report } from '../events';
import type { Headers, Request, Response, Send } from '../model';
import type { Secrets } from '../secrets';
import { BodyTooLong, LONGEST_BODY } from './body-limit';
import type { Exchange, Outgoing, Stage } from './exchange';
import { networkFailure, requestTimeout } from './network-failure';
import { outgoing } from './outgoing';
import { requestLine } from './request-line';

export interface RoundTripOptions {
  /** Headers for requests that do not name them. */
  readonly defaultHeaders: Headers;
  /** Milliseconds for a whole request, its body included; 0 for no limit. */
  readonly requestTimeoutMs: number;
  readonly report: Report;
  readonly secrets: Secrets;
}

/** Milliseconds; a timer that is set to more fires at once. */
const LONGEST_TIMER = 2 ** 31 - 1;

/**
 * Makes an exchange cold and cancellable (language 2.6, 2.7): each subscription sends the request once, reads the body
 * in full, and aborts the exchange when it ends early. Errors are those of {@link networkFailure} and {@link outgoing}.
 *
 * @example roundTrip(exchange, { defaultHeaders: {}, requestTimeoutMs: 5000, report, secrets })(request)
 */
export function roundTrip(exchange: Exchange, options: RoundTripOptions): Send {
  const { report, secrets, requestTimeoutMs } = options;

  async function responseTo(request: Request, wire: Outgoing, signal: AbortSignal): Promise<Response> {
    const failed = (stage: Stage) => (error: unknown) => {
      throw error instanceof BodyTooLong ? tooLong(request, secrets) : networkFailure(error, stage, request, secrets);
    };
    const { status, headers, readBody } = await exchange(wire, signal).catch(failed('waiting'));
    const body = await readBody().catch(failed('receiving'));
    // A fetch reads without a limit.
    if (body.byteLength > LONGEST_BODY) throw tooLong(request, secrets);
    return { request, status, headers, body };
  }

  return (request) =>
    defer(() => {
      const wire = outgoing(request, options.defaultHeaders, secrets);
      const aborter = new AbortController();
      const startedAt = performance.now();
      const fields = { purpose: request.purpose, method: request.method, url: secrets.mask(request.url) };
      report({ type: 'request.sent', ...fields });
      let settled = false;
      const settle = (): void => void (settled = true);
      return from(responseTo(request, wire, aborter.signal)).pipe(
        tap({ next: settle, error: settle }),
        // It would be without effect, but not without cost, when the body has been read.
        finalize(() => settled || aborter.abort()),
        requestTimeoutMs === 0 ? (response$) => response$ : within(requestTimeoutMs, request, secrets),
        tap(({ status, body }) => {
          const milliseconds = performance.now() - startedAt;
          report({ type: 'response.received', ...fields, status, bytes: body.byteLength, milliseconds });
        }),
      );
    });
}

function tooLong(request: Request, secrets: Secrets): FatalError {
  const limit = `${LONGEST_BODY} bytes (${LONGEST_BODY / 2 ** 20} MiB)`;
  const message = `${requestLine(request, secrets)}: the body of the response is longer than ${limit}. Ask for smaller pages.`;
  return new FatalError('API_SHAPE', message);
}

const within = (milliseconds: number, request: Request, secrets: Secrets): MonoTypeOperatorFunction<Response> =>
  timeout({
    first: Math.min(milliseconds, LONGEST_TIMER),
    with: () => throwError(() => requestTimeout(milliseconds, request, secrets)),
  });
