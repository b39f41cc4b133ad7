/** The attributes of spans and metrics, named by OpenTelemetry's semantic conventions of HTTP if they have a name. */
import { isFailure } from '../../core/errors/response-facts';
import type { Attributes } from '@opentelemetry/api';
import type { EventError } from '../../core/errors/errors';
import type { RequestFields, RunEvent } from '../../core/events';
import type { JobRef, Purpose } from '../../core/model';

/** Returns the host of an address whose secrets are masked, which may make it invalid. */
export function serverOf(url: string): Attributes {
  if (!URL.canParse(url)) return {};
  const { hostname, port, protocol } = new URL(url);
  return { 'server.address': hostname, 'server.port': Number(port === '' ? (protocol === 'https:' ? 443 : 80) : port) };
}

export const requestAttributes = ({ method, url, attempt = 1 }: RequestFields): Attributes => ({
  'http.request.method': method,
  'url.full': url,
  ...serverOf(url),
  ...(attempt > 1 ? { 'http.request.resend_count': attempt - 1 } : {}),
});

export const statusAttributes = (status: number): Attributes => ({
  'http.response.status_code': status,
  ...(isFailure(status) ? { 'error.type': String(status) } : {}),
});

/** Returns the type of an error: its code, or its class without one. */
export const errorType = ({ code, name }: EventError): Attributes => ({ 'error.type': code ?? name });

export const jobAttributes = ({ id, path, endpoint }: JobRef): Attributes => ({
  'headwater.job.id': id,
  'headwater.job.path': path,
  'headwater.job.endpoint': endpoint,
});

export const purposeName = (purpose: Purpose): string =>
  purpose.kind === 'login' ? 'login' : (purpose.step ?? 'page request');

/** Returns a word for the end of a run; absent: it has not ended. */
export function outcomeOf(event: RunEvent): string | undefined {
  switch (event.type) {
    case 'run.finished':
      return event.outcome;
    case 'run.failed':
      return 'failed';
    case 'run.cancelled':
      return 'cancelled';
    case 'run.skipped':
      return 'skipped';
    default:
      return undefined;
  }
}
