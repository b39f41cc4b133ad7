import { isSpanContextValid } from '@opentelemetry/api';
import type { Span, Tracer } from '@opentelemetry/api';
import { defer, finalize, tap } from 'rxjs';
import type { RunEvent } from '../../core/events';
import type { MiddlewareDefinition } from '../../language/parts/middleware';
import { defineMiddleware } from '../../language/parts/middleware';
import type { Request } from '../../core/model';
import { outcomeOf } from './attributes';
import { RunSpans } from './run-spans';

/** What makes the spans of extractions. */
export interface Tracing {
  readonly onEvent: (event: RunEvent) => void;
  readonly components: readonly MiddlewareDefinition[];
}

/**
 * Makes spans: run → job → request → attempt. Their attributes come of events, whose secrets are masked; the middleware only
 * says when requests and attempts begin and end, whatever ends them.
 *
 * @param propagate whether requests to hosts that may receive credentials get a `traceparent`
 */
export function traceEvents(tracer: Tracer, propagate: boolean): Tracing {
  const runs = new Map<string, RunSpans>();
  const runOf = ({ trace }: Request): RunSpans | undefined => (trace === undefined ? undefined : runs.get(trace.run));

  const aroundRequest = defineMiddleware({
    name: 'headwater/otel request',
    summary: 'Makes the span of a request.',
    around: 'request',
    middleware: (send) => (request) =>
      defer(() => {
        const spans = runOf(request);
        const number = request.trace?.request;
        if (spans === undefined || number === undefined) return send(request);
        let hasFailed = false;
        spans.beginRequest(number, request);
        return send(request).pipe(
          tap({ error: () => (hasFailed = true) }),
          finalize(() => spans.endRequest(number, hasFailed)),
        );
      }),
  });

  const aroundAttempt = defineMiddleware({
    name: 'headwater/otel attempt',
    summary: 'Makes the span of an attempt.',
    around: 'attempt',
    middleware: (send) => (request) =>
      defer(() => {
        const spans = runOf(request);
        const number = request.trace?.request;
        if (spans === undefined || number === undefined) return send(request);
        const span = spans.beginAttempt(number, request);
        const isTold = propagate && request.getsCredentials === true && span !== undefined;
        return send(isTold ? withContext(request, span) : request).pipe(finalize(() => spans.endAttempt(number)));
      }),
  });

  const onEvent = (event: RunEvent): void => {
    const { run } = event;
    if (run === undefined) return;
    const attributes = { 'headwater.run.id': run };
    if (event.type === 'run.started')
      runs.set(run, new RunSpans(tracer, { ...attributes, 'headwater.jobs': event.jobs }));
    if (event.type === 'run.skipped') runs.set(run, new RunSpans(tracer, attributes));
    const spans = runs.get(run);
    if (spans === undefined) return;
    const outcome = outcomeOf(event);
    if (outcome === undefined) tell(spans, event);
    else {
      runs.delete(run);
      const counted = 'pages' in event ? { 'headwater.pages': event.pages, 'headwater.items': event.items } : {};
      const error = event.type === 'run.failed' ? event.error : undefined;
      spans.end({ 'headwater.outcome': outcome, ...counted }, error);
    }
  };
  return { onEvent, components: [aroundRequest, aroundAttempt] };
}

function tell(spans: RunSpans, event: RunEvent): void {
  switch (event.type) {
    case 'job.started': {
      spans.beginJob(event.job);
      return;
    }
    case 'job.finished': {
      spans.endJob(event.job);
      return;
    }
    case 'job.failed': {
      spans.endJob(event.job, event.error);
      return;
    }
    case 'page.extracted': {
      spans.addPage(event.page.job, event.page.index, event.page.count);
      return;
    }
    case 'request.sent': {
      spans.sent(event);
      return;
    }
    case 'response.received': {
      spans.received(event, event.status);
      return;
    }
    case 'request.failed': {
      spans.failed(event, event.error);
      return;
    }
    case 'request.held': {
      spans.addEvent('held', { 'headwater.waited_ms': event.waitedMilliseconds }, event);
      return;
    }
    case 'retry.scheduled': {
      spans.addEvent('retry', { 'headwater.delay_ms': event.delayMilliseconds, because: event.because }, event);
      return;
    }
    case 'response.cached': {
      spans.addEvent('cached', { 'http.response.status_code': event.status }, event);
      return;
    }
    case 'credentials.renewed': {
      spans.addEvent('credentials renewed', event.expiresAt === undefined ? {} : { until: event.expiresAt });
      return;
    }
    case 'requests.paused': {
      spans.addEvent('requests paused', { until: event.until, because: event.because });
      return;
    }
    case 'warning': {
      spans.addEvent('warning', { code: event.code, message: event.message }, event);
      return;
    }
    default:
  }
}

/** The request with the W3C trace context of the span; baggage, which may hold anything, does not go along. */
function withContext(request: Request, span: Span): Request {
  const context = span.spanContext();
  if (!isSpanContextValid(context)) return request;
  const { traceId, spanId, traceFlags, traceState } = context;
  const traceparent = `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`;
  const tracestate = traceState?.serialize() ?? '';
  const headers = { ...request.headers, traceparent, ...(tracestate === '' ? {} : { tracestate }) };
  return { ...request, headers };
}
