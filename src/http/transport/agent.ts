import type { Socket } from 'node:net';
import type * as Undici from 'undici';
import type { Agent, buildConnector } from 'undici';
import type { FirstConnections } from './first-connection';
import type { Duplex } from 'node:stream';
import type { Proxied } from './proxies';
import { tunnelThrough } from './proxies';
import type { SshTunnel, Target } from './ssh-tunnel';

/** Options of connections (docs/language/configuration.md#ssh-proxy, docs/language/requests.md#tls). */
export interface ConnectionOptions {
  /** Milliseconds for establishing a connection, 0 for no limit; if absent, the limit of the dispatcher. */
  readonly connectTimeoutMs?: number;
  /** PEM certificates that replace the system's trust store. */
  readonly caCertificate?: string;
  /** PEM client certificate followed by its private key. */
  readonly clientCertificate?: string;
  /** The tunnel for all connections. */
  readonly tunnel?: SshTunnel;
  /** The connections through proxies; a tunnel is opened without one. */
  readonly proxied?: Proxied;
}

const TUNNEL_TIMEOUT_MS = 30_000;
/** The default time-out of undici for a connection in milliseconds. */
const UNDICI_TIMEOUT_MS = 10_000;

/**
 * Creates an undici Agent whose connections follow the options; the first ones have to succeed in the time left for
 * them.
 *
 * @example request(url, { dispatcher: createAgent(undici, { connectTimeoutMs: 30_000, tunnel }, new FirstConnections(20_000)) })
 */
export function createAgent(
  { Agent, buildConnector }: typeof Undici,
  options: ConnectionOptions,
  firstConnections: FirstConnections,
): Agent {
  const { connectTimeoutMs, caCertificate: ca, clientCertificate: pem, tunnel, proxied: ways } = options;
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
