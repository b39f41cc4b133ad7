/** Metrics of runs, and the attributes that spans have as well, named by OpenTelemetry's semantic conventions of HTTP if they have a name. */
import type { Meter, Attributes } from '@opentelemetry/api';
import type { RunEvent, RequestFields } from '../../core/events';
import { isFailure } from '../../core/errors/response-facts';
import type { EventError } from '../../core/errors/errors';
import type { JobRef, Purpose } from '../../core/model';

/** The bounds that the semantic conventions recommend, in seconds. */
const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10];

/**
 * Counts and measures the events of runs.
 *
 * @example extract(config, { onEvent: meterEvents(metrics.getMeter('ships')) })
 */
export function meterEvents(meter: Meter): (event: RunEvent) => void {
  const histogram = (name: string, description: string) =>
    meter.createHistogram(name, { description, unit: 's', advice: { explicitBucketBoundaries: SECONDS } });
  const counter = (name: string, description: string, unit: string) => meter.createCounter(name, { description, unit });
  const durations = histogram('http.client.request.duration', 'Duration of HTTP client requests.');
  const held = histogram('headwater.request.held.duration', 'How long requests waited for a limit.');
  const pages = counter('headwater.pages', 'Pages that were extracted.', '{page}');
  const items = counter('headwater.items', 'Items of these pages.', '{item}');
  const retries = counter('headwater.retries', 'Requests that were sent again after a failure.', '{retry}');
  const logins = counter('headwater.logins', 'Credentials that logins gave.', '{login}');
  const runs = counter('headwater.runs', 'Runs that are over, by outcome.', '{run}');
  return (event) => {
    const outcome = outcomeOf(event);
    if (outcome !== undefined) runs.add(1, { 'headwater.outcome': outcome });
    if (event.type === 'response.received' || event.type === 'request.failed')
      durations.record(event.milliseconds / 1000, {
        'http.request.method': event.method,
        ...serverOf(event.url),
        ...(event.type === 'request.failed' ? errorType(event.error) : statusAttributes(event.status)),
      });
    else if (event.type === 'request.held') held.record(event.waitedMilliseconds / 1000);
    else if (event.type === 'retry.scheduled') retries.add(1);
    else if (event.type === 'credentials.renewed') logins.add(1);
    else if (event.type === 'page.extracted') {
      const attributes = { 'headwater.job.endpoint': event.page.job.endpoint };
      pages.add(1, attributes);
      items.add(event.page.count, attributes);
    }
  };
}

/** Returns the host of an address whose secrets are masked, which may make it invalid. */
function serverOf(url: string): Attributes {
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
