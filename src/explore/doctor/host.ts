/** Checks whether the host of an API can be reached, how long each step takes, and the clock. */
import { request as requestHttp } from 'node:http';
import type { RequestOptions } from 'node:http';
import { request as requestHttps } from 'node:https';
import { connect as connectTls } from 'node:tls';
import { isNativeError } from 'node:util/types';
import { FatalError } from '../../core/errors/errors';
import type { Proxies, Proxy } from '../../http/transport/proxies';
import { ProxyUnreachable, tunnelThrough } from '../../http/transport/proxies';
import { fault, ok, warning } from './machine';
import type { Diagnosis } from './machine';

const MOST_MILLISECONDS = 10_000;
/** The maximum difference of clocks: signatures and tokens with a time allow some minutes. */
const MOST_SKEW_SECONDS = 60;

/** The options for checking a host. */
export interface HostOptions {
  /** The certificate of the configuration, in PEM. */
  readonly caCertificate?: string | undefined;
  readonly proxies?: Proxies | undefined;
}

/** Reports that a step is done. */
type Step = (name: string) => void;

/** Sends one HEAD request, without credentials, to the root of the host: any response means that it is there. */
export async function hostDiagnoses(baseUrl: string, options: HostOptions = {}): Promise<readonly Diagnosis[]> {
  const url = new URL(baseUrl);
  const about = `host ${url.host}`;
  const steps: string[] = [];
  let last = performance.now();
  const step: Step = (name) => {
    const now = performance.now();
    steps.push(`${name} ${Math.round(now - last)} ms`);
    last = now;
  };
  try {
    const proxy = options.proxies?.of(url.origin);
    const date = await asked(await wayTo(url, options, proxy, step), step);
    const by = proxy === undefined ? '' : ` through the proxy ${new URL(proxy.origin).host}`;
    return [ok(about, `is reached${by}: ${steps.join(', ')}`), ...clockDiagnosis(date, Date.now())];
  } catch (error) {
    return [unreached(about, url, error, steps)];
  }
}

/** Returns the way to a host: a plain request goes to the proxy, TLS through its tunnel. */
async function wayTo(
  { origin, protocol, hostname, port, host }: URL,
  { caCertificate }: HostOptions,
  proxy: Proxy | undefined,
  step: Step,
): Promise<RequestOptions> {
  const bare = hostname.replace(/^\[|\]$/g, '');
  const ca = caCertificate === undefined ? {} : { ca: caCertificate };
  if (proxy === undefined) return { protocol, hostname: bare, port, path: '/', agent: false, ...ca };
  const { authorization } = proxy;
  if (protocol === 'http:') {
    const { protocol: ofProxy, hostname: name, port: at } = new URL(proxy.origin);
    const headers = { host, ...(authorization === undefined ? {} : { 'proxy-authorization': authorization }) };
    return {
      protocol: ofProxy,
      hostname: name.replace(/^\[|\]$/g, ''),
      port: at,
      path: `${origin}/`,
      agent: false,
      headers,
    };
  }
  const target = { host: hostname, port: Number(port) || 443, timeoutMs: MOST_MILLISECONDS };
  const socket = await tunnelThrough(proxy, target);
  step('proxy');
  const createConnection = () => connectTls({ socket, servername: bare, ...ca });
  return { protocol, hostname: bare, port, path: '/', createConnection };
}

/** @returns the header `date` of the response */
const asked = (way: RequestOptions, step: Step): Promise<string | undefined> =>
  new Promise((resolve, reject) => {
    const request = (way.protocol === 'https:' ? requestHttps : requestHttp)({
      ...way,
      method: 'HEAD',
      signal: AbortSignal.timeout(MOST_MILLISECONDS),
    });
    request.on('socket', (socket) => {
      socket.once('lookup', () => step('DNS'));
      socket.once('connect', () => step('TCP'));
      socket.once('secureConnect', () => step('TLS'));
    });
    request.on('error', reject);
    request.on('response', ({ headers, statusCode }) => {
      step('response');
      request.destroy();
      if (statusCode === PROXY_ASKS && way.path !== '/')
        reject(new Error('the proxy refuses the credentials, or asks for some'));
      else resolve(headers.date);
    });
    request.end();
  });

const PROXY_ASKS = 407;

function unreached(about: string, { origin }: URL, error: unknown, steps: readonly string[]): Diagnosis {
  if (error instanceof FatalError || error instanceof ProxyUnreachable)
    return fault(
      about,
      `${origin} cannot be reached: ${error.message.replace(/\.$/, '')}`,
      'Check HTTP_PROXY, HTTPS_PROXY and NO_PROXY.',
    );
  const { name, code, message }: NodeJS.ErrnoException = isNativeError(error) ? error : new Error(String(error));
  const reached = steps.length === 0 ? '' : `, after ${steps.join(', ')}`;
  const why = name === 'TimeoutError' || name === 'AbortError' ? 'no answer came in time' : (code ?? message);
  return fault(about, `${origin} cannot be reached: ${why}${reached}`, remedyFor(code ?? ''));
}

function remedyFor(code: string): string {
  if (/ENOTFOUND|EAI_AGAIN/.test(code)) return 'Check the name in api.baseUrl, and the DNS of this machine.';
  if (/CERT|SELF_SIGNED|UNABLE_TO/.test(code))
    return 'If the certificate is right, give its issuer in api.caCertificate.';
  return 'Check the address and the port in api.baseUrl, and whether a firewall or a proxy stands between.';
}

/** Compares the clock of this machine with that of a server. */
export function clockDiagnosis(date: string | undefined, now: number): readonly Diagnosis[] {
  const theirs = Date.parse(date ?? '');
  if (Number.isNaN(theirs)) return [];
  const seconds = Math.round((now - theirs) / 1000);
  if (Math.abs(seconds) <= MOST_SKEW_SECONDS) return [ok('clock', 'is that of the server')];
  const how = seconds > 0 ? 'ahead of' : 'behind';
  return [
    warning(
      'clock',
      `is ${Math.abs(seconds)} s ${how} that of the server: signatures and tokens with a time may be refused`,
      'Set the clock of this machine, by NTP for example.',
    ),
  ];
}
