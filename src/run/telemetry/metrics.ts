import type { Meter } from '@opentelemetry/api';
import type { RunEvent } from '../../core/events';
import { errorType, outcomeOf, serverOf, statusAttributes } from './attributes';

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
