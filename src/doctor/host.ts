/** Whether the host of an API can be reached, how long each step takes, and what its clock says. */
import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { fault, ok, warning } from './model';
import type { Diagnosis } from './model';

const MOST_MILLISECONDS = 10_000;
/** Signatures and tokens with a time allow some minutes; a minute is no accident. */
const MOST_SKEW_SECONDS = 60;

type Answered = { readonly date?: string } | { readonly error: Error };

/**
 * Sends one HEAD request, without credentials, to the root of the host: whatever it answers, it is there.
 *
 * @param caCertificate of the configuration, in PEM
 */
export async function hostDiagnoses(baseUrl: string, caCertificate?: string): Promise<readonly Diagnosis[]> {
  const { protocol, hostname, port, host, origin } = new URL(baseUrl);
  const about = `host ${host}`;
  const steps: string[] = [];
  let last = performance.now();
  const step = (name: string) => (): void => {
    const now = performance.now();
    steps.push(`${name} ${Math.round(now - last)} ms`);
    last = now;
  };
  const answered = await new Promise<Answered>((resolve) => {
    const request = (protocol === 'https:' ? requestHttps : requestHttp)({
      ...{ protocol, hostname: hostname.replace(/^\[|\]$/g, ''), port, path: '/', method: 'HEAD', agent: false },
      ...(caCertificate === undefined ? {} : { ca: caCertificate }),
      signal: AbortSignal.timeout(MOST_MILLISECONDS),
    });
    request.on('socket', (socket) => {
      socket.once('lookup', step('DNS'));
      socket.once('connect', step('TCP'));
      socket.once('secureConnect', step('TLS'));
    });
    request.on('error', (error) => resolve({ error }));
    request.on('response', (response) => {
      step('response')();
      response.resume();
      resolve(response.headers.date === undefined ? {} : { date: response.headers.date });
    });
    request.end();
  });
  if ('error' in answered) {
    const { name, code, message }: NodeJS.ErrnoException = answered.error;
    const reached = steps.length === 0 ? '' : `, after ${steps.join(', ')}`;
    const why = name === 'TimeoutError' || name === 'AbortError' ? 'no answer came in time' : (code ?? message);
    return [fault(about, `${origin} cannot be reached: ${why}${reached}`, remedyFor(code ?? ''))];
  }
  return [ok(about, `is reached: ${steps.join(', ')}`), ...clockDiagnosis(answered.date, Date.now())];
}

function remedyFor(code: string): string {
  if (/ENOTFOUND|EAI_AGAIN/.test(code)) return 'Check the name in api.baseUrl, and the DNS of this machine.';
  if (/CERT|SELF_SIGNED|UNABLE_TO/.test(code))
    return 'If the certificate is right, give its issuer in api.caCertificate.';
  return 'Check the address and the port in api.baseUrl, and whether a firewall or a proxy stands between.';
}

/** Compares the clock of this machine with what a server says. */
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
