import { asyncScheduler } from 'rxjs';
import type { SchedulerLike } from 'rxjs';
import { getGlobalDispatcher } from 'undici';
import type { Agent, Dispatcher } from 'undici';
import type { Report } from '../../events';
import type { Headers, Send } from '../../model';
import type { Secrets } from '../../secrets';
import { createAgent } from './agent';
import type { ConnectionOptions } from './agent';
import { ACCEPTED_CODINGS } from './content-coding';
import type { Exchange } from './exchange';
import { fetchExchange } from './fetch-exchange';
import { connectionTimeout, FirstConnection } from './first-connection';
import { Receiver } from './receiver';
import { roundTrip } from './round-trip';

/** How requests reach the network (docs/language/requests.md#time-outs). */
export interface TransportOptions extends ConnectionOptions {
  /** Value of the header `user-agent`, for example `headwater/1.0.0`. */
  readonly userAgent: string;
  /** Milliseconds for a whole request, its body included; 0 for no limit. */
  readonly requestTimeoutMs: number;
  /** Milliseconds for reaching a host for the first time, all attempts together; absent: no limit of its own. */
  readonly firstConnectionMs?: number;
  /** Carries the requests instead; its own way of making connections counts. */
  readonly dispatcher?: Dispatcher;
  /** Carries the requests instead of undici. */
  readonly fetch?: typeof fetch;
  /** Keeps the time; `asyncScheduler` unless given. */
  readonly scheduler?: SchedulerLike;
  readonly report: Report;
  readonly secrets: Secrets;
}

export interface Transport {
  readonly send: Send;
  /** Closes the connections that the transport opened itself. */
  readonly close: () => Promise<void>;
}

/**
 * Creates the far end of the request pipeline (docs/language/requests.md#time-outs,
 * docs/language/retries.md#what-is-retried). Its `send` is cold: nothing happens before the subscription, each
 * subscription sends the request once, and unsubscribing closes the socket. A response of any status is a value, its
 * body read in full.
 *
 * Errors of `send`: `RetryableError` for network failures, `FatalError` for what is no HTTP.
 *
 * @example
 * const { send, close } = createTransport({ userAgent: 'demo', requestTimeoutMs: 5000, report, secrets });
 * send(request).subscribe(({ status }) => console.log(status));
 */
export function createTransport(options: TransportOptions): Transport {
  const { scheduler = asyncScheduler, firstConnectionMs = Infinity } = options;
  const firstConnection = new FirstConnection(firstConnectionMs, () => scheduler.now());
  const { exchange, close } = carrier(options, firstConnection);
  const defaultHeaders: Headers = {
    'user-agent': options.userAgent,
    accept: 'application/json, */*;q=0.8',
    // A fetch asks for the codings that it can undo.
    ...(options.fetch === undefined ? { 'accept-encoding': ACCEPTED_CODINGS } : {}),
  };
  return { send: roundTrip(exchange, { ...options, scheduler, firstConnection, defaultHeaders }), close };
}

interface Carrier {
  readonly exchange: Exchange;
  readonly close: () => Promise<void>;
}

function carrier(options: TransportOptions, first: FirstConnection): Carrier {
  const { fetch, dispatcher } = options;
  const nothingToClose = () => Promise.resolve();
  if (fetch !== undefined) return { exchange: fetchExchange(fetch), close: nothingToClose };
  if (dispatcher !== undefined) return { exchange: undiciExchange(() => dispatcher, first), close: nothingToClose };
  if (!needsOwnAgent(options)) return { exchange: undiciExchange(() => undefined, first), close: nothingToClose };
  let agent: Agent | undefined;
  return {
    exchange: undiciExchange(() => (agent ??= createAgent(options, first)), first),
    close: async () => {
      const closing = agent;
      agent = undefined;
      await closing?.destroy();
    },
  };
}

const needsOwnAgent = (options: ConnectionOptions): boolean =>
  [options.connectTimeoutMs, options.caCertificate, options.clientCertificate, options.tunnel].some(
    (option) => option !== undefined,
  );

/**
 * Carries requests by undici; without a dispatcher by the global one of that moment, since an application may have
 * replaced it.
 */
const undiciExchange =
  (dispatcherNow: () => Dispatcher | undefined, firstConnection: FirstConnection): Exchange =>
  ({ method, origin, path, headers, body, streams }, abortion) =>
    new Promise((resolve, reject) => {
      const fail = (error: Error): void => {
        watch.stop();
        reject(error);
      };
      const tooLate = (): void => {
        receiver.abort();
        fail(connectionTimeout());
      };
      const watch = firstConnection.watch(origin, tooLate);
      const receiver = new Receiver(resolve, fail, watch.connected, streams);
      abortion.onAbort(() => {
        watch.stop();
        receiver.abort();
      });
      (dispatcherNow() ?? getGlobalDispatcher()).dispatch(
        {
          origin,
          path,
          method,
          headers: writable(headers),
          body: body ?? null,
          // The time-out of the whole request governs.
          headersTimeout: 0,
          bodyTimeout: 0,
        },
        receiver,
      );
    });

const writable = (headers: Headers): Record<string, string | string[]> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, typeof value === 'string' ? value : [...value]]),
  );
