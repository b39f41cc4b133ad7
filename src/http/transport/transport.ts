import type { Agent, Dispatcher } from 'undici';
import type { Report } from '../../events';
import type { Headers, Send } from '../../model';
import type { Secrets } from '../../secrets';
import { createAgent } from './agent';
import type { ConnectionOptions } from './agent';
import { ACCEPTED_CODINGS } from './content-coding';
import type { Exchange } from './exchange';
import { fetchExchange } from './fetch-exchange';
import { FirstConnection } from './first-connection';
import { roundTrip } from './round-trip';
import { byUndici } from './undici';
import { globalDispatcher, undiciExchange } from './undici-exchange';

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
  const firstConnection = new FirstConnection(options.firstConnectionMs ?? Infinity);
  const { exchange, close } = carrier(options, firstConnection);
  const defaultHeaders: Headers = {
    'user-agent': options.userAgent,
    accept: 'application/json, */*;q=0.8',
    // A fetch asks for the codings that it can undo.
    ...(options.fetch === undefined ? { 'accept-encoding': ACCEPTED_CODINGS } : {}),
  };
  return { send: roundTrip(exchange, { ...options, firstConnection, defaultHeaders }), close };
}

interface Carrier {
  readonly exchange: Exchange;
  readonly close: () => Promise<void>;
}

function carrier(options: TransportOptions, first: FirstConnection): Carrier {
  const { fetch, dispatcher } = options;
  const nothingToClose = () => Promise.resolve();
  if (fetch !== undefined) return { exchange: fetchExchange(fetch), close: nothingToClose };
  if (dispatcher !== undefined) return { exchange: undiciExchange(() => dispatcher)(first), close: nothingToClose };
  if (!needsOwnAgent(options)) return { exchange: undiciExchange(globalDispatcher)(first), close: nothingToClose };
  let agent: Agent | undefined;
  return {
    exchange: undiciExchange(() => agent ?? byUndici((undici) => (agent ??= createAgent(undici, options, first))))(
      first,
    ),
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
