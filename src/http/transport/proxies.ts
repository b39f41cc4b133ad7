/** Finds the proxy for a host by the environment variables of curl, git and pip. */
import { request as requestHttp } from 'node:http';
import type { RequestOptions } from 'node:http';
import { BlockList, isIP } from 'node:net';
import type { Socket } from 'node:net';
import type { buildConnector } from 'undici';
import { FatalError } from '../../core/errors/errors';
import { percentDecode } from '../../core/url/query';
import type { Exchange, Outgoing } from './exchange';
import type { Target } from './ssh-tunnel';

/**
 * The variables `HTTP_PROXY`, `HTTPS_PROXY`, `ALL_PROXY` and `NO_PROXY`, in upper or lower case: for example
 * `process.env`. If both exist, the one in lower case applies.
 */
export type ProxyVariables = Readonly<Record<string, string | undefined>>;

/** A proxy for HTTP. */
export interface Proxy {
  /** The address without credentials, for example `http://proxy.example:3128`. */
  readonly origin: string;
  /** The name of the variable with its address. */
  readonly variable: string;
  /** The value of the header `proxy-authorization`. */
  readonly authorization?: string;
}

export interface Proxies {
  /**
   * Returns the proxy for an origin.
   *
   * @param origin the origin of the request
   * @returns `undefined` if the host is reached directly
   * @throws FatalError PROXY if a variable names anything but a proxy for HTTP
   */
  readonly of: (origin: string) => Proxy | undefined;
  /** The strings that must never be printed. */
  readonly secrets: readonly string[];
}

const DEFAULT_PORTS: Readonly<Record<string, string>> = { 'http:': '80', 'https:': '443' };

/**
 * Returns the proxies that the variables name; `undefined` if they name none.
 *
 * @example proxiesOf({ HTTPS_PROXY: 'proxy.example:3128', NO_PROXY: '.internal' })?.of('https://api.example')?.origin // 'http://proxy.example:3128'
 */
export function proxiesOf(variables: ProxyVariables): Proxies | undefined {
  const read = (name: string): string => (variables[name] ?? variables[name.toUpperCase()] ?? '').trim();
  const namesOf = (protocol: string): readonly string[] => [`${protocol}_proxy`, 'all_proxy'];
  const given = ['http', 'https'].flatMap((protocol) => namesOf(protocol).find((name) => read(name) !== '') ?? []);
  if (given.length === 0) return undefined;
  const isDirect = exceptionsOf(read('no_proxy'));
  return {
    of: (origin) => {
      const { protocol, hostname, port } = new URL(origin);
      const name = namesOf(protocol.slice(0, -1)).find((each) => read(each) !== '');
      if (name === undefined || isDirect(hostname, port === '' ? (DEFAULT_PORTS[protocol] ?? '') : port))
        return undefined;
      return proxyAt(read(name), name.toUpperCase());
    },
    secrets: given.flatMap((name) => secretsIn(read(name))),
  };
}

const addressIn = (value: string): URL | undefined => {
  const address = /^[a-z][a-z\d+.-]*:\/\//i.test(value) ? value : `http://${value}`;
  return URL.canParse(address) ? new URL(address) : undefined;
};

function proxyAt(value: string, variable: string): Proxy {
  const url = addressIn(value);
  if (url === undefined || !(url.protocol in DEFAULT_PORTS) || url.hostname === '') {
    const what = url === undefined ? 'no address' : `a proxy of "${url.protocol}"`;
    throw new FatalError(
      'PROXY',
      `${variable} names ${what}, and requests go through proxies of http: and https: alone. Correct it, or name the host in NO_PROXY.`,
    );
  }
  const credentials = credentialsIn(url);
  return {
    origin: url.origin,
    variable,
    ...(credentials === undefined ? {} : { authorization: `Basic ${base64(credentials.join(':'))}` }),
  };
}

function credentialsIn({ username, password }: URL): readonly [name: string, password: string] | undefined {
  return username === '' && password === '' ? undefined : [percentDecode(username), percentDecode(password)];
}

const base64 = (text: string): string => Buffer.from(text).toString('base64');

function secretsIn(value: string): readonly string[] {
  const url = addressIn(value);
  const credentials = url && credentialsIn(url);
  if (url === undefined || credentials === undefined) return [];
  return [url.password, credentials[1], base64(credentials.join(':'))];
}

type IsDirect = (hostname: string, port: string) => boolean;

/**
 * Parses the entries of `NO_PROXY`: `*`, a domain with all below it, an address, a network such as `10.0.0.0/8`; with
 * or without a port.
 */
function exceptionsOf(list: string): IsDirect {
  const entries = list.split(/[,\s]+/).filter((entry) => entry !== '');
  const matchers = entries.map(exceptionOf);
  return (hostname, port) => {
    const host = bare(hostname);
    return isLoopback(host) || matchers.some((matches) => matches(host, port));
  };
}

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4');
LOOPBACK.addAddress('::1', 'ipv6');

/** Returns whether a host is this machine: a proxy would reach its own machine under that name. */
const isLoopback = (host: string): boolean =>
  isIP(host) === 0
    ? host === 'localhost' || host.endsWith('.localhost')
    : LOOPBACK.check(host, isIP(host) === 6 ? 'ipv6' : 'ipv4');

function exceptionOf(entry: string): IsDirect {
  if (entry === '*') return () => true;
  const [, network = '', bits = ''] = /^(.+)\/(\d{1,3})$/.exec(entry) ?? [];
  const family = isIP(bare(network));
  if (family !== 0) return inNetwork(bare(network), Number(bits), family === 6 ? 'ipv6' : 'ipv4');
  const [, before = entry, ofPort = ''] = isIP(entry) === 0 ? (/^(.+):(\d+)$/.exec(entry) ?? []) : [];
  const name = bare(before).replace(/^\*?\./, '');
  return (host, port) =>
    (ofPort === '' || ofPort === port) && (host === name || (isIP(host) === 0 && host.endsWith(`.${name}`)));
}

function inNetwork(network: string, bits: number, family: 'ipv4' | 'ipv6'): IsDirect {
  if (bits > (family === 'ipv6' ? 128 : 32)) return () => false;
  const list = new BlockList();
  list.addSubnet(network, bits, family);
  return (host) => isIP(host) === (family === 'ipv6' ? 6 : 4) && list.check(host, family);
}

/** Returns a host without brackets, and without the dot of the root. */
const bare = (host: string): string =>
  host
    .toLowerCase()
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '');

/** Sends requests and opens connections through proxies: plain requests are sent to the proxy, TLS uses a tunnel. */

/** The request and the connector for proxies. */
export interface Proxied {
  /** Returns a plain request with the whole address, as a proxy expects it; other requests stay as they are. */
  readonly via: (outgoing: Outgoing) => Outgoing;
  /** Returns an exchange that fails with `PROXY` where the proxy of a plain request wants other credentials: only proxies answer so. */
  readonly checked: (exchange: Exchange) => Exchange;
  readonly connectBy: (connectors: Connectors) => buildConnector.connector;
}

/** The connectors by target. */
export interface Connectors {
  /** Connects to hosts without a proxy. */
  readonly direct: buildConnector.connector;
  /** Connects to proxies themselves. */
  readonly toProxy: buildConnector.connector;
  /** Connects to hosts behind a proxy. */
  readonly tunnelled: (proxy: Proxy) => buildConnector.connector;
}

/**
 * Sends requests through their proxies, as curl does: the request to the proxy contains the address of a plain request,
 * while TLS uses a tunnel, so that the proxy sees only the host.
 *
 * @example const { via, connectBy } = proxied(proxies);
 */
export function proxied(proxies: Proxies): Proxied {
  /** The proxies that plain requests are sent to. */
  const asked = new Map<string, Proxy>();
  const ofPlain = ({ origin }: Outgoing): Proxy | undefined =>
    origin.startsWith('http:') ? proxies.of(origin) : undefined;
  return {
    via: (outgoing) => {
      const proxy = ofPlain(outgoing);
      if (proxy === undefined) return outgoing;
      asked.set(proxy.origin, proxy);
      return sentTo(proxy, outgoing);
    },
    checked: (exchange) => async (outgoing, abortion) => {
      const incoming = await exchange(outgoing, abortion);
      const proxy = incoming.status === UNAUTHORIZED ? ofPlain(outgoing) : undefined;
      if (proxy !== undefined) throw refusal(proxy, UNAUTHORIZED, new URL(outgoing.origin).host);
      return incoming;
    },
    connectBy:
      ({ direct, toProxy, tunnelled }) =>
      (target, callback) => {
        const origin = `${target.protocol}//${target.host ?? target.hostname}`;
        const itself = asked.get(origin);
        if (itself !== undefined) {
          toProxy(target, (...[error, socket]) => {
            if (error === null) callback(null, socket);
            else callback(unreachable(itself, error), null);
          });
          return;
        }
        const proxy = target.protocol === 'https:' ? proxies.of(origin) : undefined;
        (proxy === undefined ? direct : tunnelled(proxy))(target, callback);
      },
  };
}

function sentTo({ origin, authorization }: Proxy, outgoing: Outgoing): Outgoing {
  const hasHost = Object.keys(outgoing.headers).some((name) => name.toLowerCase() === 'host');
  return {
    ...outgoing,
    origin,
    path: outgoing.origin + outgoing.path,
    headers: {
      ...(hasHost ? {} : { host: new URL(outgoing.origin).host }),
      ...outgoing.headers,
      ...(authorization === undefined ? {} : { 'proxy-authorization': authorization }),
    },
  };
}

/** Opens a connection through an HTTP proxy (RFC 9110, section 9.3.6). */

/** The error for a proxy that does not answer, or that cannot reach the host at the moment: a retry may succeed. */
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

/** The proxy wants other credentials. */
const UNAUTHORIZED = 407;
/** Temporary failures of a proxy. */
const PASSING: ReadonlySet<number> = new Set([408, 429]);

/**
 * Asks a proxy to open a connection to a host.
 *
 * Errors: {@link FatalError} `PROXY` if the proxy refuses the credentials or the host; {@link ProxyUnreachable}.
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
    const requestOf = protocol === 'https:' ? process.getBuiltinModule('node:https').request : requestHttp;
    const request = requestOf(options);
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

/** Returns the error for a failure on the way to a proxy. */
function unreachable(proxy: Proxy, error: Error): ProxyUnreachable {
  const code = 'code' in error && typeof error.code === 'string' ? error.code : error.name;
  return new ProxyUnreachable(code, `${named(proxy)} cannot be reached.`, { cause: error });
}

const named = ({ origin, variable }: Proxy): string => `the proxy ${new URL(origin).host}, which ${variable} names,`;

function refusal(proxy: Proxy, status: number, authority: string): Error {
  if (status >= 500 || PASSING.has(status))
    return new ProxyUnreachable(`status ${status}`, `${named(proxy)} did not reach it.`);
  const [first = '', ...rest] = named(proxy);
  const why =
    status === UNAUTHORIZED
      ? `${proxy.authorization === undefined ? 'asks for credentials' : 'refuses the credentials'} (status ${status}). Give them in the address, http://NAME:PASSWORD@HOST:PORT.`
      : `does not allow connections to ${authority} (status ${status}). Ask who keeps it, or name the host in NO_PROXY.`;
  return new FatalError('PROXY', `${first.toUpperCase()}${rest.join('')} ${why}`);
}
