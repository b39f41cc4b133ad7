/** The module `headwater/otel`: traces and metrics of runs, by OpenTelemetry. It needs the package `@opentelemetry/api`. */
import { metrics, trace } from '@opentelemetry/api';
import type { Meter, Tracer } from '@opentelemetry/api';
import type { ExtractOptions } from './run/extract';
import { version } from './core/version';
import { meterEvents } from './run/telemetry/metrics';
import { traceEvents } from './run/telemetry/spans';

/** Where traces and metrics go. */
export interface OtelOptions {
  /** Makes the spans; default: the tracer of the global provider. `false`: no spans are made. */
  readonly tracer?: Tracer | false;
  /** Makes the metrics; default: the meter of the global provider. `false`: nothing is measured. */
  readonly meter?: Meter | false;
  /**
   * True if requests carry the W3C trace context (`traceparent`), so that the API can continue the trace; default false. Only hosts that
   * may receive credentials get it.
   */
  readonly propagate?: boolean;
}

/** The options that `extract` and `deliver` share. */
export type Traceable = Omit<ExtractOptions, 'resume'>;

/**
 * Makes traces and metrics of runs. A run is a span below the active span where the run is subscribed; below it are the spans of its jobs,
 * their requests, and each attempt. Attributes and messages contain no secrets, since they come from events.
 *
 * @param options `tracer`, `meter`, `propagate`
 * @returns a function that adds them to the options of `extract` or `deliver`; one is enough for all runs of an application
 * @example
 * const traced = otel({ propagate: true });
 * extract(config, traced({ concurrency: 2 })).items$.subscribe((item) => console.log(item));
 */
export function otel(
  options: OtelOptions = {},
): <O extends Traceable>(options?: O) => O & Required<Pick<Traceable, 'onEvent' | 'components'>> {
  const { propagate = false } = options;
  const tracer = options.tracer ?? trace.getTracer('headwater', version);
  const meter = options.meter ?? metrics.getMeter('headwater', version);
  const tracing = tracer === false ? undefined : traceEvents(tracer, propagate);
  const measure = meter === false ? undefined : meterEvents(meter);
  return <O extends Traceable>(given = {} as O) => ({
    ...given,
    onEvent: (event) => {
      tracing?.onEvent(event);
      measure?.(event);
      given.onEvent?.(event);
    },
    components: [...(tracing?.components ?? []), ...(given.components ?? [])],
  });
}
