/** A delivery as an Observable: how far it is, and its end. */
import { defer, finalize, map, merge, Subject } from 'rxjs';
import type { Observable } from 'rxjs';
import { deliverTold } from './deliver';
import type { DeliverOptions, Delivery } from './delivery';
import { createDeliveryCounter } from './delivery-progress';
import type { DeliveryProgress } from './delivery-progress';
import type { RunEvent } from './events';
import type { Extraction } from './extract';
import type { Json } from './model';
import { abortable } from './operators';
import type { Destination } from './sinks/define-sink';
import type { TuneSettings } from './tuning';
import type { Configuration } from '#written';

/** Deliveries: one begins with each subscription. */
export interface DeliveryStream extends Observable<DeliveryProgress> {
  /** The events of the deliveries that are under way; hot, and without an end. */
  readonly events$: Observable<RunEvent>;
  /** As that of an extraction, for deliveries that are under way, and for later ones. */
  readonly tune: Extraction['tune'];
}

/** The destinations of deliveries that were left, and are being closed. */
const leaving = new Map<string, Promise<unknown>>();

const left = (names: readonly string[]): Promise<unknown> =>
  Promise.all(names.flatMap((name) => leaving.get(name) ?? []));

function leave(names: readonly string[], end: Promise<unknown>): void {
  for (const name of names) {
    const closed = end.then(
      () => undefined,
      () => undefined,
    );
    leaving.set(name, closed);
    void closed.then(() => {
      if (leaving.get(name) === closed) leaving.delete(name);
    });
  }
}

/**
 * Does as `deliver`, as a cold Observable of the progress: a value for each page that the destinations have taken, and a last one,
 * `committed`, with the {@link Delivery}.
 *
 * Unsubscribing breaks requests off and closes the destinations, without a commit: with `resume`, the next subscription goes on
 * where this one stood, and waits until they are closed. What is being committed already is committed.
 *
 * @param options as for `deliver`
 * @returns a stream that fails as `deliver` does; `events$` and `tune` reach what is under way
 * @example
 * deliver$(config, [sinks.duckdb('items.duckdb')], { resume: true }).subscribe(({ pages, items }) => console.log({ pages, items }));
 */
export function deliver$(
  config: Json | Configuration,
  destinations: readonly Destination[],
  options: DeliverOptions = {},
): DeliveryStream {
  const events$ = new Subject<RunEvent>();
  const settings = new Map<string | undefined, TuneSettings>();
  const running = new Set<Extraction>();
  const delivery$ = defer(() => {
    const counter = createDeliveryCounter();
    const taken$ = new Subject<DeliveryProgress>();
    let open: readonly string[] = [];
    let current: Extraction | undefined;
    const begin = (signal: AbortSignal): Promise<Delivery> =>
      deliverTold(
        config,
        destinations,
        {
          ...options,
          signal: options.signal === undefined ? signal : AbortSignal.any([options.signal, signal]),
          onEvent: (event) => {
            counter.hear(event);
            options.onEvent?.(event);
            events$.next(event);
          },
        },
        {
          opening: async (names) => {
            await left(names);
            open = names;
            signal.throwIfAborted();
          },
          extracting: (extraction) => {
            current = extraction;
            running.add(extraction);
            for (const each of settings.values()) extraction.tune(each);
          },
          taken: (page) => {
            counter.take(page);
            taken$.next({ type: 'delivering', ...counter.amounts() });
          },
        },
      ).finally(() => current !== undefined && running.delete(current));
    const committed$ = abortable(({ signal }) => {
      const end = begin(signal);
      signal.addEventListener('abort', () => leave(open, end), { once: true });
      return end;
    }).pipe(
      map((delivery): DeliveryProgress => ({ type: 'committed', ...counter.amounts(), delivery })),
      finalize(() => taken$.complete()),
    );
    return merge(taken$, committed$);
  });
  return Object.assign(delivery$, {
    events$: events$.asObservable(),
    tune: (given: TuneSettings): void => {
      for (const extraction of running) extraction.tune(given);
      settings.set(given.job, { ...settings.get(given.job), ...given });
    },
  });
}
