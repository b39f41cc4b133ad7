import { isFailure } from '../../core/errors/response-facts';
import { SpanKind, SpanStatusCode, context as contexts, isSpanContextValid, trace } from '@opentelemetry/api';
import type { Attributes, Context, Span, Tracer } from '@opentelemetry/api';
import { defer, finalize, tap } from 'rxjs';
import type { EventError } from '../../core/errors/errors';
import type { RequestFields, RunEvent } from '../../core/events';
import type { JobRef, Request } from '../../core/model';
import { defineMiddleware } from '../../language/parts/middleware';
import type { MiddlewareDefinition } from '../../language/parts/middleware';
import { errorType, jobAttributes, outcomeOf, purposeName, requestAttributes, statusAttributes } from './metrics';

/** Makes the spans of extractions. */
export interface Tracing {
  readonly onEvent: (event: RunEvent) => void;
  readonly components: readonly MiddlewareDefinition[];
}

/**
 * Makes spans: run → job → request → attempt. Their attributes come from events, whose secrets are masked; the middleware only reports when
 * requests and attempts start and end, whatever ends them.
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
        const isPropagated = propagate && request.getsCredentials === true && span !== undefined;
        return send(isPropagated ? withContext(request, span) : request).pipe(finalize(() => spans.endAttempt(number)));
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
    if (outcome === undefined) addEvent(spans, event);
    else {
      runs.delete(run);
      const counted = 'pages' in event ? { 'headwater.pages': event.pages, 'headwater.items': event.items } : {};
      const error = event.type === 'run.failed' ? event.error : undefined;
      spans.end({ 'headwater.outcome': outcome, ...counted }, error);
    }
  };
  return { onEvent, components: [aroundRequest, aroundAttempt] };
}

function addEvent(spans: RunSpans, event: RunEvent): void {
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

/** Returns the request with the W3C trace context of the span; baggage is left out, since it may contain anything. */
function withContext(request: Request, span: Span): Request {
  const context = span.spanContext();
  if (!isSpanContextValid(context)) return request;
  const { traceId, spanId, traceFlags, traceState } = context;
  const traceparent = `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`;
  const tracestate = traceState?.serialize() ?? '';
  const headers = { ...request.headers, traceparent, ...(tracestate === '' ? {} : { tracestate }) };
  return { ...request, headers };
}

/** A span with spans below it, such as a run, its jobs, its requests and their attempts. All of them end with the run at the latest. */
interface Level {
  readonly span: Span;
  readonly context: Context;
}

interface JobLevel extends Level {
  calls: number;
  pages: number;
  items: number;
  endedAt?: number;
}

interface RequestLevel extends Level {
  attempt?: Span;
}

class RunSpans {
  readonly #run: Level;
  readonly #jobs = new Map<string, JobLevel>();
  readonly #requests = new Map<number, RequestLevel>();

  constructor(
    readonly tracer: Tracer,
    attributes: Attributes,
  ) {
    this.#run = this.#begin('headwater.run', contexts.active(), attributes);
  }

  #begin(name: string, parent: Context, attributes: Attributes, kind = SpanKind.INTERNAL): Level {
    const span = this.tracer.startSpan(name, { kind, attributes }, parent);
    return { span, context: trace.setSpan(parent, span) };
  }

  /** Returns the job at a path, or its parent. */
  #jobAt(path: string): JobLevel | undefined {
    for (let at = path; at !== ''; at = at.slice(0, Math.max(0, at.lastIndexOf('.')))) {
      const job = this.#jobs.get(at);
      if (job !== undefined) return job;
    }
    return undefined;
  }

  /** All calls of a job have one span, since a child may have thousands. */
  beginJob(job: JobRef): void {
    const level = this.#jobLevel(job.path);
    if (level.calls === 0) level.span.updateName(`job ${job.endpoint}`).setAttributes(jobAttributes(job));
    level.calls += 1;
  }

  /** Returns the span of a job. Its requests may come before its own events, which wait for their turn: they start the span. */
  #jobLevel(path: string): JobLevel {
    const known = this.#jobs.get(path);
    if (known !== undefined) return known;
    const parent = this.#jobAt(path) ?? this.#run;
    const level = { ...this.#begin('job', parent.context, {}), calls: 0, pages: 0, items: 0 };
    this.#jobs.set(path, level);
    return level;
  }

  addPage({ path }: JobRef, index: number, items: number): void {
    const job = this.#jobs.get(path);
    if (job === undefined) return;
    job.pages += 1;
    job.items += items;
    job.span.addEvent('page', { 'headwater.page.index': index, 'headwater.page.items': items });
  }

  endJob({ path }: JobRef, error?: EventError): void {
    const job = this.#jobs.get(path);
    if (job === undefined) return;
    job.endedAt = Date.now();
    if (error !== undefined) failed(job.span, error);
  }

  /** Adds an event to the span of a request, of a job, or of the run. */
  addEvent(name: string, attributes: Attributes, at: { readonly request?: number; readonly job?: JobRef } = {}): void {
    const request = at.request === undefined ? undefined : this.#requests.get(at.request);
    const job = at.job === undefined ? undefined : this.#jobs.get(at.job.path);
    (request ?? job ?? this.#run).span.addEvent(name, attributes);
  }

  beginRequest(number: number, { purpose }: Request): void {
    const job = purpose.kind === 'page' && purpose.path !== undefined ? this.#jobLevel(purpose.path) : undefined;
    const level = this.#begin(purposeName(purpose), (job ?? this.#run).context, { 'headwater.request': number });
    this.#requests.set(number, level);
  }

  /** Starts the span of an attempt before the request is sent, so that the request can carry it. Its masked address is added later. */
  beginAttempt(number: number, { method }: Request): Span | undefined {
    const request = this.#requests.get(number);
    if (request === undefined) return undefined;
    request.attempt?.end();
    const attributes = { 'http.request.method': method };
    request.attempt = this.#begin(method, request.context, attributes, SpanKind.CLIENT).span;
    return request.attempt;
  }

  sent(fields: RequestFields): void {
    this.#attemptOf(fields)?.setAttributes(requestAttributes(fields));
  }

  received(fields: RequestFields, status: number): void {
    const span = this.#attemptOf(fields);
    span?.setAttributes(statusAttributes(status));
    if (isFailure(status)) span?.setStatus({ code: SpanStatusCode.ERROR });
  }

  failed(fields: RequestFields, error: EventError): void {
    const span = this.#attemptOf(fields);
    if (span !== undefined) failed(span, error);
  }

  #attemptOf({ request }: RequestFields): Span | undefined {
    return request === undefined ? undefined : this.#requests.get(request)?.attempt;
  }

  endAttempt(number: number): void {
    const request = this.#requests.get(number);
    request?.attempt?.end();
    delete request?.attempt;
  }

  endRequest(number: number, hasFailed: boolean): void {
    const request = this.#requests.get(number);
    if (request === undefined) return;
    this.endAttempt(number);
    if (hasFailed) request.span.setStatus({ code: SpanStatusCode.ERROR });
    request.span.end();
    this.#requests.delete(number);
  }

  /** Ends all open spans: requests in progress, jobs, the run. */
  end(attributes: Attributes, error?: EventError): void {
    for (const [number, { span, attempt }] of this.#requests) {
      for (const each of [attempt, span]) each?.setAttribute('headwater.cancelled', true);
      this.endRequest(number, false);
    }
    for (const { span, calls, pages, items, endedAt } of [...this.#jobs.values()].reverse()) {
      span.setAttributes({ 'headwater.calls': calls, 'headwater.pages': pages, 'headwater.items': items });
      span.end(endedAt);
    }
    if (error !== undefined) failed(this.#run.span, error);
    this.#run.span.setAttributes(attributes);
    this.#run.span.end();
  }
}

function failed(span: Span, error: EventError): void {
  span.setAttributes(errorType(error));
  span.setStatus({ code: SpanStatusCode.ERROR, message: error.message });
}
