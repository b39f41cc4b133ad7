// @ts-check
/** Traces and metrics: providers of OpenTelemetry, and what Headwater's events make of them. */
import { context, metrics, propagation, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { PrometheusExporter } from '@opentelemetry/exporter-prometheus';
import { MeterProvider } from '@opentelemetry/sdk-metrics';
import {
  BatchSpanProcessor,
  ConsoleSpanExporter,
  NodeTracerProvider,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-node';
import { otel } from 'headwater/otel';
import { codeOf } from './outcome.js';

/** @param {string} to */
async function spanProcessors(to) {
  if (to === 'console') return [new SimpleSpanProcessor(new ConsoleSpanExporter())];
  if (to !== 'otlp') return [];
  const { OTLPTraceExporter } = await import('@opentelemetry/exporter-trace-otlp-http');
  return [new BatchSpanProcessor(new OTLPTraceExporter())];
}

/** @typedef {Awaited<ReturnType<typeof startTelemetry>>} Telemetry */

/** @param {Pick<import('./settings.js').Settings, 'traces'>} settings */
export async function startTelemetry({ traces }) {
  const tracing = new NodeTracerProvider({ spanProcessors: await spanProcessors(traces) });
  // The trace context passes through promises, and through the headers of messages and requests.
  tracing.register();
  const exporter = new PrometheusExporter({ preventServerStart: true });
  const measuring = new MeterProvider({ readers: [exporter] });
  metrics.setGlobalMeterProvider(measuring);
  const meter = metrics.getMeter('extraction-service');
  const tracer = trace.getTracer('extraction-service');
  // All runs have these. The requests of a client are shared, so the middleware belongs to it; events belong to a run.
  const { components, onEvent } = otel({ propagate: true })();

  return {
    components,
    onEvent,
    messages: meter.createCounter('service.messages', { description: 'Messages, by tenant and what became of them.' }),
    running: meter.createUpDownCounter('service.runs.active', { description: 'Runs that are under way.' }),
    clients: meter.createUpDownCounter('service.clients', { description: 'Clients that are open.' }),
    /**
     * Works within the span of a message, which goes on with the trace of whoever has sent it.
     *
     * @template T
     * @param {{ subject: string, headers: import('@nats-io/transport-node').MsgHdrs | undefined }} message
     * @param {string} tenant
     * @param {() => Promise<T>} work
     * @returns {Promise<T>}
     */
    inSpan: ({ subject, headers }, tenant, work) => {
      const sender = propagation.extract(context.active(), headers, {
        keys: (lines) => lines?.keys() ?? [],
        get: (lines, key) => lines?.get(key) || undefined,
      });
      const attributes = {
        'messaging.system': 'nats',
        'messaging.destination.name': subject,
        'service.tenant': tenant,
      };
      return tracer.startActiveSpan('extract', { kind: SpanKind.CONSUMER, attributes }, sender, async (span) => {
        try {
          return await work();
        } catch (error) {
          span.setAttribute('error.type', codeOf(error));
          span.setStatus({ code: SpanStatusCode.ERROR });
          throw error;
        } finally {
          span.end();
        }
      });
    },
    /** Answers with the metrics as Prometheus reads them. @type {PrometheusExporter['getMetricsRequestHandler']} */
    answer: (request, response) => exporter.getMetricsRequestHandler(request, response),
    stop: async () => {
      await Promise.allSettled([tracing.shutdown(), measuring.shutdown()]);
    },
  };
}
