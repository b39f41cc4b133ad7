/** Which hosts are reached through a proxy, by the variables that curl, git and pip know. */
import { BlockList, isIP } from 'node:net';
import { FatalError } from '../../core/errors/errors';

/**
 * The variables `HTTP_PROXY`, `HTTPS_PROXY`, `ALL_PROXY` and `NO_PROXY`, in capitals or not: for example `process.env`. Where both are
 * there, the one in small letters counts.
 */
export type ProxyVariables = Readonly<Record<string, string | undefined>>;

/** A proxy for HTTP. */
export interface Proxy {
  /** The address without credentials, for example `http://proxy.example:3128`. */
  readonly origin: string;
  /** The variable that names it. */
  readonly variable: string;
  /** The value of the header `proxy-authorization`. */
  readonly authorization?: string;
}

export interface Proxies {
  /**
   * @param origin of the request
   * @returns `undefined`: the host is reached directly
   * @throws FatalError PROXY where a variable names something else than a proxy for HTTP
   */
  readonly of: (origin: string) => Proxy | undefined;
  /** What must never be printed. */
  readonly secrets: readonly string[];
}

const DEFAULT_PORTS: Readonly<Record<string, string>> = { 'http:': '80', 'https:': '443' };

/**
 * The proxies that the variables name; `undefined` where they name none.
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
  return username === '' && password === '' ? undefined : [decoded(username), decoded(password)];
}

/** Credentials may have a percent sign that encodes nothing. */
const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

const base64 = (text: string): string => Buffer.from(text).toString('base64');

function secretsIn(value: string): readonly string[] {
  const url = addressIn(value);
  const credentials = url && credentialsIn(url);
  if (url === undefined || credentials === undefined) return [];
  return [url.password, credentials[1], base64(credentials.join(':'))];
}

type IsDirect = (hostname: string, port: string) => boolean;

/** The entries of `NO_PROXY`: `*`, a domain with all below it, an address, a network such as `10.0.0.0/8`; with or without a port. */
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

/** What listens on this machine is not there for a proxy, which would reach its own machine under that name. */
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

/** A host without brackets, and without the dot of the root. */
const bare = (host: string): string =>
  host
    .toLowerCase()
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '');
