/** A connection through a proxy for HTTP (RFC 9110, section 9.3.6). */
import { request as requestHttp } from 'node:http';
import type { RequestOptions } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { Socket } from 'node:net';
import { FatalError } from '../../core/errors/errors';
import type { Proxy } from './proxies';
import type { Target } from './ssh-tunnel';

/** The proxy does not answer, or says that it does not reach the host just now: later it may. */
export class ProxyUnreachable extends Error {
  override readonly name = 'ProxyUnreachable';

  /** @param message the end of a sentence about the host */
  constructor(
    readonly code: string,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** Statuses of a proxy that may be others a moment later. */
const PASSING: ReadonlySet<number> = new Set([408, 429]);

/**
 * Has a proxy open a connection to a host.
 *
 * Errors: {@link FatalError} `PROXY` where the proxy refuses the credentials or the host; {@link ProxyUnreachable}.
 *
 * @param target the host, and the milliseconds for the connection to the proxy and its answer
 * @example const socket = await tunnelThrough(proxy, { host: 'api.example', port: 443, timeoutMs: 10_000 });
 */
export function tunnelThrough(proxy: Proxy, { host, port, timeoutMs }: Target): Promise<Socket> {
  const authority = `${host.includes(':') && !host.startsWith('[') ? `[${host}]` : host}:${port}`;
  const { protocol, hostname, port: ofProxy } = new URL(proxy.origin);
  const options: RequestOptions = {
    ...{ host: hostname.replace(/^\[|\]$/g, ''), method: 'CONNECT', path: authority, agent: false },
    ...(ofProxy === '' ? {} : { port: ofProxy }),
    headers: {
      host: authority,
      ...(proxy.authorization === undefined ? {} : { 'proxy-authorization': proxy.authorization }),
    },
  };
  return new Promise((resolve, reject) => {
    const request = (protocol === 'https:' ? requestHttps : requestHttp)(options);
    const late = Object.assign(new Error('The proxy did not answer in time.'), { code: 'ETIMEDOUT' });
    const timer =
      timeoutMs === 0 || timeoutMs === Infinity ? undefined : setTimeout(() => request.destroy(late), timeoutMs);
    request.once('error', (error) => {
      clearTimeout(timer);
      reject(unreachable(proxy, error));
    });
    request.once('connect', ({ statusCode = 0 }, socket: Socket, head: Buffer) => {
      clearTimeout(timer);
      if (statusCode >= 200 && statusCode < 300) {
        if (head.length > 0) socket.unshift(head);
        resolve(socket);
        return;
      }
      socket.on('error', () => undefined).destroy();
      reject(refusal(proxy, statusCode, authority));
    });
    request.end();
  });
}

/** What went wrong on the way to a proxy. */
export function unreachable(proxy: Proxy, error: Error): ProxyUnreachable {
  const code = 'code' in error && typeof error.code === 'string' ? error.code : error.name;
  return new ProxyUnreachable(code, `${named(proxy)} cannot be reached.`, { cause: error });
}

const named = ({ origin, variable }: Proxy): string => `the proxy ${new URL(origin).host}, which ${variable} names,`;

function refusal(proxy: Proxy, status: number, authority: string): Error {
  if (status >= 500 || PASSING.has(status))
    return new ProxyUnreachable(`status ${status}`, `${named(proxy)} did not reach it.`);
  const [first = '', ...rest] = named(proxy);
  const why =
    status === 407
      ? `${proxy.authorization === undefined ? 'asks for credentials' : 'refuses the credentials'} (status 407). Give them in the address, http://NAME:PASSWORD@HOST:PORT.`
      : `does not allow connections to ${authority} (status ${status}). Ask who keeps it, or name the host in NO_PROXY.`;
  return new FatalError('PROXY', `${first.toUpperCase()}${rest.join('')} ${why}`);
}
