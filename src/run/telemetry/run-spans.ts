/** The spans of one run: it, its jobs, its requests and their attempts. All of them end with the run at the latest. */
import { context as contexts, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import type { Attributes, Context, Span, Tracer } from '@opentelemetry/api';
import type { ToldError } from '../../core/errors/told-error';
import type { RequestFields } from '../../core/events';
import type { JobRef, Request } from '../../core/model';
import { errorType, isFailure, jobAttributes, purposeName, requestAttributes, statusAttributes } from './attributes';

/** A span that others begin below. */
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

export class RunSpans {
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

  /** The job at a path, or the one that it is a child of. */
  #jobAt(path: string): JobLevel | undefined {
    for (let at = path; at !== ''; at = at.slice(0, Math.max(0, at.lastIndexOf('.')))) {
      const job = this.#jobs.get(at);
      if (job !== undefined) return job;
    }
    return undefined;
  }

  /** All calls of a job have one span: there may be thousands of a child. */
  beginJob(job: JobRef): void {
    const level = this.#jobLevel(job.path);
    if (level.calls === 0) level.span.updateName(`job ${job.endpoint}`).setAttributes(jobAttributes(job));
    level.calls += 1;
  }

  /** The requests of a job may come before it is told of, whose events wait for its turn: they begin its span. */
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

  endJob({ path }: JobRef, error?: ToldError): void {
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

  /** The span of an attempt begins before the request goes out, so that it can be told of it. Its address comes later, masked. */
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

  failed(fields: RequestFields, error: ToldError): void {
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

  /** Ends all that is open: requests that were under way, jobs, the run. */
  end(attributes: Attributes, error?: ToldError): void {
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

function failed(span: Span, error: ToldError): void {
  span.setAttributes(errorType(error));
  span.setStatus({ code: SpanStatusCode.ERROR, message: error.message });
}
