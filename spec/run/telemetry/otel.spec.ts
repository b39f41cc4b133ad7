import { context, SpanStatusCode, trace } from '@opentelemetry/api';
import type { Attributes } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import type { DataPoint, ExponentialHistogram, Histogram } from '@opentelemetry/sdk-metrics';
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import type { ReadableSpan } from '@opentelemetry/sdk-trace-base';
import { firstValueFrom, lastValueFrom, ReplaySubject, take, toArray } from 'rxjs';
import { extract } from '../../../src';
import type { RunEvent } from '../../../src';
import { otel } from '../../../src/otel';

beforeAll(() => context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable()));
afterAll(() => context.disable());

function telemetry(options: { propagate?: boolean; maxSpans?: 'drop' } = {}) {
  const spans = new InMemorySpanExporter();
  let [started, ended] = [0, 0];
  const counting = {
    onStart: () => void (started += 1),
    onEnd: () => void (ended += 1),
    forceFlush: () => Promise.resolve(),
    shutdown: () => Promise.resolve(),
  };
  const processor = options.maxSpans === 'drop' ? [] : [new SimpleSpanProcessor(spans)];
  const tracer = new BasicTracerProvider({ spanProcessors: [...processor, counting] }).getTracer('spec');
  const points = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const reader = new PeriodicExportingMetricReader({ exporter: points, exportIntervalMillis: 3_600_000 });
  const provider = new MeterProvider({ readers: [reader] });
  return {
    tracer,
    traced: otel({ tracer, meter: provider.getMeter('spec'), propagate: options.propagate ?? false }),
    spans: () => spans.getFinishedSpans(),
    counts: () => ({ started, ended }),
    /** The points of a metric: attributes, and the value or the count of the histogram. */
    points: async (name: string): Promise<(readonly [Attributes, number])[]> => {
      await reader.forceFlush();
      const all =
        points
          .getMetrics()
          .at(-1)
          ?.scopeMetrics.flatMap(({ metrics }) => metrics) ?? [];
      return all
        .filter(({ descriptor }) => descriptor.name === name)
        .flatMap(({ dataPoints }): readonly DataPoint<number | Histogram | ExponentialHistogram>[] => dataPoints)
        .map(({ attributes, value }) => [attributes, typeof value === 'number' ? value : value.count]);
    },
    close: () => provider.shutdown(),
  };
}

/** The spans as a tree: names, each below its parent. */
function treeOf(spans: readonly ReadableSpan[]): readonly string[] {
  const below = (parent: string | undefined, depth: number): string[] =>
    spans
      .filter((span) => span.parentSpanContext?.spanId === parent)
      .flatMap((span) => [`${'  '.repeat(depth)}${span.name}`, ...below(span.spanContext().spanId, depth + 1)]);
  return below(undefined, 0);
}

const json = (value: unknown, init?: ResponseInit): Response => globalThis.Response.json(value, init);
type Handler = (url: URL, headers: Headers) => Response | Promise<Response>;
const answering =
  (handler: Handler): typeof fetch =>
  async (input, init) =>
    handler(new URL(input instanceof Request ? input.url : input), new Headers(init?.headers));

const CONFIG = {
  api: {
    baseUrl: 'http://api.example/',
    authentication: {
      type: 'login',
      loginRequest: { endpoint: 'login', method: 'POST', params: { password: { attr: '#password' } } },
      apiRequest: { query: { key: 'token' } },
    },
    retryConfig: { httpRetryHeader: 'retry-after' },
  },
  config: {
    '#password': 'p4ss-w0rd',
    jobs: [{ endpoint: 'rivers', children: [{ endpoint: 'rivers/{id}/stations', placeholders: { id: 'id' } }] }],
  },
};

const api = (): Handler => {
  let refused = 0;
  return ({ pathname }) => {
    if (pathname === '/login') return json({ token: 't0ken-1' });
    if (pathname === '/rivers') {
      refused += 1;
      return refused === 1 ? json({}, { status: 503, headers: { 'retry-after': '0' } }) : json([{ id: 1 }, { id: 2 }]);
    }
    return json([{ name: pathname }]);
  };
};

describe('otel', () => {
  it('makes spans of a run, its jobs, requests and attempts, below the active one', async () => {
    const { traced, spans, tracer, points, close } = telemetry();
    await tracer.startActiveSpan('the application', async (span) => {
      await lastValueFrom(extract(CONFIG, traced({ fetch: answering(api()) })).items$.pipe(toArray()));
      span.end();
    });
    expect(treeOf(spans())).toEqual([
      'the application',
      '  headwater.run',
      '    login',
      '      POST',
      '    job rivers',
      '      page request',
      '        GET',
      '        GET',
      '      job rivers/{id}/stations',
      '        page request',
      '          GET',
      '        page request',
      '          GET',
    ]);
    const attempts = spans().filter(({ name }) => name === 'GET');
    expect(attempts[0]?.attributes).toMatchObject({ 'http.response.status_code': 503, 'error.type': '503' });
    expect(attempts[0]?.status.code).toBe(SpanStatusCode.ERROR);
    expect(attempts[1]?.attributes).toEqual({
      'http.request.method': 'GET',
      'http.request.resend_count': 1,
      'http.response.status_code': 200,
      'server.address': 'api.example',
      'server.port': 80,
      'url.full': 'http://api.example/rivers?key=***',
    });
    const run = spans().find(({ name }) => name === 'headwater.run');
    expect(run?.attributes).toMatchObject({
      'headwater.outcome': 'complete',
      'headwater.pages': 3,
      'headwater.items': 4,
    });
    const reported = JSON.stringify(
      spans().map(({ name, attributes, events, status }) => [name, attributes, events, status]),
    );
    expect(reported).not.toContain('t0ken-1');
    expect(reported).not.toContain('p4ss-w0rd');
    expect(await points('headwater.pages')).toEqual([
      [{ 'headwater.job.endpoint': 'rivers' }, 1],
      [{ 'headwater.job.endpoint': 'rivers/{id}/stations' }, 2],
    ]);
    expect(await points('headwater.items')).toEqual([
      [{ 'headwater.job.endpoint': 'rivers' }, 2],
      [{ 'headwater.job.endpoint': 'rivers/{id}/stations' }, 2],
    ]);
    expect(await points('headwater.retries')).toEqual([[{}, 1]]);
    expect(await points('headwater.logins')).toEqual([[{}, 1]]);
    expect(await points('headwater.runs')).toEqual([[{ 'headwater.outcome': 'complete' }, 1]]);
    const durations = await points('http.client.request.duration');
    expect(durations.map(([{ 'http.response.status_code': status }, count]) => [status, count])).toEqual(
      expect.arrayContaining([
        [503, 1],
        [200, 3],
      ]),
    );
    await close();
  });

  it('has the requests of jobs at once below their jobs, before it is told of these', async () => {
    const { traced, spans, close } = telemetry();
    const quickIsOver = new ReplaySubject<void>(1);
    const slow = answering(async ({ pathname }) => {
      if (pathname === '/slow') await firstValueFrom(quickIsOver);
      return json([1]);
    });
    const onEvent = (event: RunEvent): void => {
      if (event.type === 'response.received' && event.url.endsWith('/quick')) quickIsOver.next();
    };
    const jobs = [{ endpoint: 'slow' }, { endpoint: 'quick' }];
    const config = { api: { baseUrl: 'http://api.example/' }, config: { concurrency: 2, jobs } };
    await lastValueFrom(extract(config, traced({ fetch: slow, onEvent })).items$);
    expect(treeOf(spans())).toEqual([
      'headwater.run',
      ...['quick', 'slow'].flatMap((endpoint) => [`  job ${endpoint}`, '    page request', '      GET']),
    ]);
    await close();
  });

  it('ends all spans when the run fails, with its error and without secrets', async () => {
    const { traced, spans, counts, points, close } = telemetry();
    const fetch = answering(({ pathname }) => {
      if (pathname === '/login') return json({ token: 't0ken-1' });
      throw new TypeError('no way to t0ken-1');
    });
    const once = { ...CONFIG, api: { ...CONFIG.api, retryConfig: { maxRetries: 0 } } };
    await expect(lastValueFrom(extract(once, traced({ fetch })).items$)).rejects.toThrow();
    expect(counts().ended).toBe(counts().started);
    const failed = spans().filter(({ status }) => status.code === SpanStatusCode.ERROR);
    expect(failed.map(({ name, attributes }) => [name, attributes['error.type']])).toEqual([
      ['GET', 'NETWORK_PROTOCOL'],
      ['page request', undefined],
      ['job rivers', 'NETWORK_PROTOCOL'],
      ['headwater.run', 'NETWORK_PROTOCOL'],
    ]);
    expect(JSON.stringify(failed.map(({ status }) => status))).not.toContain('t0ken-1');
    expect(await points('headwater.runs')).toEqual([[{ 'headwater.outcome': 'failed' }, 1]]);
    await close();
  });

  it('ends all spans when the consumer leaves', async () => {
    const { traced, spans, counts, points, close } = telemetry();
    const fetch = answering(api());
    await lastValueFrom(extract(CONFIG, traced({ fetch })).items$.pipe(take(1)));
    expect(counts().ended).toBe(counts().started);
    expect(spans().at(-1)?.attributes).toMatchObject({ 'headwater.outcome': 'cancelled' });
    expect(await points('headwater.runs')).toEqual([[{ 'headwater.outcome': 'cancelled' }, 1]]);
    await close();
  });

  it('keeps nothing of 400 requests', async () => {
    const { traced, counts, close } = telemetry({ maxSpans: 'drop' });
    const paged = {
      api: { baseUrl: 'http://api.example/', pagination: { method: 'pagenum', limit: 1 } },
      config: { jobs: [{ endpoint: 'a', requestLimit: 4_000 }] },
    };
    const fetch = answering(({ searchParams }) => {
      const at = Number(searchParams.get('page'));
      return json(at > 399 ? [] : [{ at }]);
    });
    const items = await lastValueFrom(extract(paged, traced({ fetch })).items$.pipe(toArray()));
    expect(items).toHaveLength(399);
    expect(counts()).toEqual({ started: 802, ended: 802 });
    await close();
  });

  it('tells the API of the trace where that is wanted, and no other host', async () => {
    const { traced, spans, close } = telemetry({ propagate: true });
    const seen = new Map<string, string | null>();
    const fetch = answering((url, headers) => {
      seen.set(url.host, headers.get('traceparent'));
      if (url.host === 'api.example')
        return globalThis.Response.json({}, { status: 302, headers: { location: 'http://files.example/a' } });
      return json([{ id: 1 }]);
    });
    const config = {
      api: { baseUrl: 'http://api.example/' },
      config: { jobs: [{ endpoint: 'a' }, { endpoint: 'http://files.example/b' }] },
    };
    await lastValueFrom(extract(config, traced({ fetch })).items$.pipe(toArray())).catch(() => undefined);
    const first = spans().find(({ name }) => name === 'GET');
    expect(seen.get('api.example')).toBe(`00-${first?.spanContext().traceId}-${first?.spanContext().spanId}-01`);
    const other = { ...config, config: { jobs: [{ endpoint: 'http://files.example/b' }] } };
    await lastValueFrom(extract(other, traced({ fetch })).items$.pipe(toArray()));
    expect(seen.get('files.example')).toBeNull();
    await close();
  });

  it('tells no host of it unless that is wanted, and leaves the options of the application as they are', async () => {
    const { traced, close } = telemetry();
    const received: string[] = [];
    let header: string | null = 'none';
    const fetch = answering((_, headers) => {
      header = headers.get('traceparent');
      return json([{ id: 1 }]);
    });
    const options = traced({ fetch, onEvent: ({ type }) => received.push(type), concurrency: 2 });
    expect(options.concurrency).toBe(2);
    await lastValueFrom(
      extract({ api: { baseUrl: 'http://api.example/' }, config: { jobs: [{ endpoint: 'a' }] } }, options).items$,
    );
    expect(header).toBeNull();
    expect(received).toContain('run.finished');
    await close();
  });

  it('does nothing where no provider is registered', async () => {
    const fetch = answering(() => json([{ id: 1 }]));
    const extraction = extract(
      { api: { baseUrl: 'http://api.example/' }, config: { jobs: [{ endpoint: 'a' }] } },
      otel()({ fetch }),
    );
    expect(await lastValueFrom(extraction.items$)).toEqual({ id: 1 });
    expect(trace.getActiveSpan()).toBeUndefined();
  });
});
