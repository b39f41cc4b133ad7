/** A delivery as an Observable: how far it is, and its end. */
import { Subject, defer, finalize, map, merge } from 'rxjs';
import type { Observable } from 'rxjs';
import type { RunEvent } from '../../core/events';
import type { Json, Page } from '../../core/model';
import type { Destination } from '../../language/parts/sink';
import type { Configuration } from '#written';
import { abortable } from '../../operators';
import type { Extraction } from '../extract';
import type { TuneSettings } from '../tuning';
import { deliverTold } from './deliver';
import type { DeliverOptions, Delivery } from './deliver';

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
            counter.onEvent(event);
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

/** How far a delivery is, of all jobs or of one. */
export interface Amounts {
  /** Pages that the destinations have taken. */
  readonly pages: number;
  readonly items: number;
  /** The bytes of the responses so far, as they came over the network; of those of pages alone. */
  readonly bytes: number;
}

/** How far a job is, all of its calls together. */
export interface JobAmounts extends Amounts {
  readonly id: string;
  /** Where the job stands in the configuration. */
  readonly path: string;
}

/** How far a delivery is; the last value says that it is committed. What was safe before the run went on is not counted. */
export type DeliveryProgress = Amounts & { readonly jobs: readonly JobAmounts[] } & (
    { readonly type: 'delivering' } | { readonly type: 'committed'; readonly delivery: Delivery }
  );

/** Adds up what a delivery does. */
export interface DeliveryCounter {
  readonly onEvent: (event: RunEvent) => void;
  readonly take: (page: Page) => void;
  readonly amounts: () => Amounts & { readonly jobs: readonly JobAmounts[] };
}

/** @example createDeliveryCounter().amounts() // { pages: 0, items: 0, bytes: 0, jobs: [] } */
function createDeliveryCounter(): DeliveryCounter {
  const byJob = new Map<string, JobAmounts>();
  const add = (id: string, path: string, { pages, items, bytes }: Amounts): void => {
    const known = byJob.get(id) ?? { id, path, pages: 0, items: 0, bytes: 0 };
    byJob.set(id, { ...known, pages: known.pages + pages, items: known.items + items, bytes: known.bytes + bytes });
  };
  return {
    onEvent: (event) => {
      if (event.type !== 'response.received' || event.purpose.kind !== 'page') return;
      const { job, path = job } = event.purpose;
      add(job, path, { pages: 0, items: 0, bytes: event.bytes });
    },
    take: ({ job, count }) => add(job.id, job.path, { pages: 1, items: count, bytes: 0 }),
    amounts: () => {
      const jobs = [...byJob.values()];
      const sum = (key: keyof Amounts): number => jobs.reduce((total, job) => total + job[key], 0);
      return { pages: sum('pages'), items: sum('items'), bytes: sum('bytes'), jobs };
    },
  };
}
