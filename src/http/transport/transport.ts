import { asyncScheduler } from 'rxjs';
import type { SchedulerLike } from 'rxjs';
import type { Agent, Dispatcher } from 'undici';
import type { Meter, Report } from '../../core/events';
import type { Headers } from '../../core/model';
import type { Secrets } from '../../core/secrets/secrets';
import { createAgent } from './agent';
import type { ConnectionOptions } from './agent';
import { ACCEPTED_CODINGS } from '../body/content-coding';
import type { Dispatch } from '../dispatch';
import type { Exchange } from './exchange';
import { fetchExchange } from './exchange';
import { FirstConnections } from './first-connection';
import type { FirstConnection } from './first-connection';
import { proxied } from './proxies';
import type { Proxies } from './proxies';
import { roundTrip } from './round-trip';
import { byUndici, globalDispatcher, undiciExchange } from './undici';

/** The settings of requests, apart from their connections. */
export interface RoundTripSettings {
  /** The value of the header `user-agent`, for example `headwater/1.0.0`. */
  readonly userAgent: string;
  /** Milliseconds for a whole request, its body included; 0 for no limit. */
  readonly requestTimeoutMs: number;
  readonly report: Report;
  /** Counts requests where nobody listens to every event; absent: each is reported. */
  readonly meter?: Meter;
  readonly secrets: Secrets;
}

/** The carrier of requests, and the options of its connections. */
export interface CarrierOptions extends Omit<ConnectionOptions, 'proxied'> {
  /** The proxies to use. */
  readonly proxies?: Proxies;
  /**
   * Milliseconds for reaching a host for the first time, all attempts together; if absent, there is no separate limit.
   */
  readonly firstConnectionMs?: number;
  /** Carries the requests instead, with its own connections. */
  readonly dispatcher?: Dispatcher;
  /** Carries the requests instead of undici. */
  readonly fetch?: typeof fetch;
  /** The clock; `asyncScheduler` by default. */
  readonly scheduler?: SchedulerLike;
}

export interface Transport {
  readonly dispatch: Dispatch;
  /** Releases the connections, and closes those that no other run uses. */
  readonly close: () => Promise<void>;
}

/** The connections to an API, which outlive the runs that use them. */
export interface Connections {
  /** Returns the transport of one run: it shares the connections, and has its own time for reaching a host first. */
  readonly transport: (settings: RoundTripSettings) => Transport;
  /** Closes the connections that were opened for it alone; nothing can be sent afterwards. */
  readonly close: () => Promise<void>;
}

/**
 * Creates the far end of request pipelines (docs/language/requests.md#time-outs,
 * docs/language/retries.md#what-is-retried): connections that are opened on demand and kept for all runs that share
 * them, and a transport for each run. Its `dispatch` sends a request once; an abortion closes the socket. A response of any status
 * is a value, its body read in full.
 *
 * Errors of `dispatch`: `RetryableError` for network failures, `FatalError` for violations of HTTP.
 *
 * @example
 * const connections = createConnections({ connectTimeoutMs: 10_000 });
 * const { dispatch } = connections.transport({ userAgent: 'demo', requestTimeoutMs: 5000, report, secrets });
 * sendBy(dispatch)(request).subscribe(({ status }) => console.log(status));
 */
export function createConnections(options: CarrierOptions): Connections {
  const { scheduler = asyncScheduler, firstConnectionMs = Infinity } = options;
  const first = new FirstConnections(firstConnectionMs, () => scheduler.now());
  const { exchange, close } = carrier(options, first);
  return {
    transport: (settings) => {
      settings.secrets.add(...(options.proxies?.secrets ?? []));
      const firstConnection = first.ofRun();
      const defaultHeaders: Headers = {
        'user-agent': settings.userAgent,
        accept: 'application/json, */*;q=0.8',
        // A fetch requests the codings that it can decode.
        ...(options.fetch === undefined ? { 'accept-encoding': ACCEPTED_CODINGS } : {}),
      };
      const dispatch = roundTrip(exchange(firstConnection), {
        ...settings,
        scheduler,
        firstConnection,
        defaultHeaders,
      });
      const close = (): Promise<void> => {
        first.leave(firstConnection);
        return Promise.resolve();
      };
      return { dispatch, close };
    },
    close,
  };
}

interface Carrier {
  readonly exchange: (first: FirstConnection) => Exchange;
  readonly close: () => Promise<void>;
}

function carrier(options: CarrierOptions, first: FirstConnections): Carrier {
  const { fetch, dispatcher } = options;
  const nothingToClose = () => Promise.resolve();
  if (fetch !== undefined) return { exchange: () => fetchExchange(fetch), close: nothingToClose };
  if (dispatcher !== undefined) return { exchange: undiciExchange(() => dispatcher), close: nothingToClose };
  if (!needsOwnAgent(options)) return { exchange: undiciExchange(globalDispatcher), close: nothingToClose };
  let agent: Agent | undefined;
  const { proxies, ...connecting } = options;
  const ways = proxies === undefined || options.tunnel !== undefined ? undefined : proxied(proxies);
  const made = ways === undefined ? connecting : { ...connecting, proxied: ways };
  const dispatcherNow = (): Agent | Promise<Agent> =>
    agent ?? byUndici((undici) => (agent ??= createAgent(undici, made, first)));
  return {
    exchange:
      ways === undefined
        ? undiciExchange(dispatcherNow)
        : (ofRun) => ways.checked(undiciExchange(dispatcherNow, ways.via)(ofRun)),
    close: async () => {
      const closing = agent;
      agent = undefined;
      await closing?.destroy();
    },
  };
}

const needsOwnAgent = (options: CarrierOptions): boolean =>
  [options.connectTimeoutMs, options.caCertificate, options.clientCertificate, options.tunnel, options.proxies].some(
    (option) => option !== undefined,
  );
