import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { asyncScheduler } from 'rxjs';
import type { SchedulerLike } from 'rxjs';
import type { Agent, Dispatcher, buildConnector } from 'undici';
import type * as Undici from 'undici';
import type { Meter, Report } from '../../core/events';
import type { Headers } from '../../core/model';
import type { Secrets } from '../../core/secrets/secrets';
import { ACCEPTED_CODINGS } from '../body/content-coding';
import type { Dispatch } from '../dispatch';
import type { Exchange } from './exchange';
import { fetchExchange } from './exchange';
import { FirstConnections } from './first-connection';
import type { FirstConnection } from './first-connection';
import { proxied, tunnelThrough } from './proxies';
import type { Proxies, Proxied } from './proxies';
import { roundTrip } from './round-trip';
import { byUndici, globalDispatcher, undiciExchange } from './undici';
import type { SshTunnel, Target } from './ssh-tunnel';

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

/** Options of connections (docs/language/configuration.md#ssh-proxy, docs/language/requests.md#tls). */
interface ConnectionOptions {
  /** Milliseconds for establishing a connection, 0 for no limit; if absent, the limit of the dispatcher. */
  readonly connectTimeoutMs?: number;
  /** PEM certificates that replace the system's trust store. */
  readonly caCertificate?: string;
  /** PEM client certificate followed by its private key. */
  readonly clientCertificate?: string;
  /** The tunnel for all connections. */
  readonly tunnel?: SshTunnel;
}

/** The carrier of requests, and the options of its connections. */
export interface CarrierOptions extends ConnectionOptions {
  /** The proxies to use; a tunnel is opened without one. */
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
  const { proxies, tunnel } = options;
  const ways = proxies === undefined || tunnel !== undefined ? undefined : proxied(proxies);
  const dispatcherNow = (): Agent | Promise<Agent> =>
    agent ?? byUndici((undici) => (agent ??= createAgent(undici, options, first, ways)));
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

const TUNNEL_TIMEOUT_MS = 30_000;
/** The default time-out of undici for a connection in milliseconds. */
const UNDICI_TIMEOUT_MS = 10_000;

/**
 * Creates an undici Agent whose connections follow the options; the first ones have to succeed in the time left for
 * them.
 *
 * @param ways the connections through proxies
 */
function createAgent(
  { Agent, buildConnector }: typeof Undici,
  { connectTimeoutMs, caCertificate: ca, clientCertificate: pem, tunnel }: ConnectionOptions,
  firstConnections: FirstConnections,
  ways: Proxied | undefined,
): Agent {
  const limit = connectTimeoutMs === undefined ? {} : { timeout: connectTimeoutMs };
  const connect = {
    ...limit,
    ...(ca === undefined ? {} : { ca }),
    // Certificate and key each find their own block in the text.
    ...(pem === undefined ? {} : { cert: pem, key: pem }),
  };
  if (tunnel !== undefined) {
    const timeoutMs = connectTimeoutMs ?? TUNNEL_TIMEOUT_MS;
    return new Agent({ connect: through(tunnel.connect, () => timeoutMs, buildConnector(connect)) });
  }
  const direct = firstInTime(buildConnector, connect, firstConnections);
  if (ways === undefined) return new Agent({ connect: direct });
  const secure = buildConnector(connect);
  const patience = (target: buildConnector.Options): number => {
    const longest = connectTimeoutMs ?? UNDICI_TIMEOUT_MS;
    return Math.min(longest === 0 ? Infinity : longest, firstConnections.left(originOf(target)) ?? Infinity);
  };
  return new Agent({
    connect: ways.connectBy({
      direct,
      // The configured TLS options apply to the API, not to the proxy.
      toProxy: buildConnector(limit),
      tunnelled: (proxy) => through((target) => tunnelThrough(proxy, target), patience, secure),
    }),
  });
}

const originOf = ({ protocol, host, hostname }: buildConnector.Options): string => `${protocol}//${host ?? hostname}`;

/**
 * Wraps a connector so that it ends in time: an abandoned socket must not keep the process alive until the usual
 * time-out.
 */
function firstInTime(
  build: typeof buildConnector,
  connect: buildConnector.BuildOptions,
  first: Pick<FirstConnections, 'left'>,
): buildConnector.connector {
  const usual = build(connect);
  return (target, callback) => {
    const left = first.left(originOf(target));
    const longest = connect.timeout === 0 ? Infinity : (connect.timeout ?? UNDICI_TIMEOUT_MS);
    if (left === undefined || longest <= left) usual(target, callback);
    else build({ ...connect, timeout: left })(target, callback);
  };
}

/**
 * Returns a connector through a tunnel. `secure` adds TLS to a connection: a tunnel only carries the bytes between the
 * client and the API.
 */
function through(
  open: (target: Target) => Promise<Duplex>,
  timeoutMs: (target: buildConnector.Options) => number,
  secure: buildConnector.connector,
): buildConnector.connector {
  async function connect(target: buildConnector.Options, callback: buildConnector.Callback): Promise<void> {
    const isSecure = target.protocol === 'https:';
    const port = Number(target.port) || (isSecure ? 443 : 80);
    const stream = await open({ host: target.hostname, port, timeoutMs: timeoutMs(target) });
    // undici needs from a socket only what every duplex stream can do, and checks before it calls the rest.
    const httpSocket = stream as Socket;
    if (!isSecure) {
      callback(null, httpSocket);
      return;
    }
    try {
      secure({ ...target, httpSocket }, callback);
    } catch (error) {
      // A certificate that cannot be read.
      stream.destroy();
      throw error;
    }
  }
  return (target, callback) => void connect(target, callback).catch((error: unknown) => callback(asError(error), null));
}

const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)));
