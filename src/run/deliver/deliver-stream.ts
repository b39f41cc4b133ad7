/** A delivery as an Observable of its progress. */
import { Subject, defer, finalize, map, merge } from 'rxjs';
import type { Observable } from 'rxjs';
import type { RunEvent } from '../../core/events';
import type { Json, Page } from '../../core/model';
import type { Destination } from '../../language/parts/sink';
import type { Configuration } from '#written';
import { abortable } from '../../operators';
import type { Extraction } from '../extract';
import type { TuneSettings } from '../tuning';
import { deliverWithHooks } from './deliver';
import type { DeliverOptions, Delivery } from './deliver';

/** A stream of deliveries: each subscription starts one. */
export interface DeliveryStream extends Observable<DeliveryProgress> {
  /** The events of the deliveries in progress; hot, and without an end. */
  readonly events$: Observable<RunEvent>;
  /** Changes settings as for an extraction, of deliveries in progress and of later ones. */
  readonly tune: Extraction['tune'];
}

/** The destinations of unsubscribed deliveries that are still closing. */
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
 * Works like `deliver`, as a cold Observable of the progress: a value for each page that the destinations have stored, and a last one,
 * `committed`, with the {@link Delivery}.
 *
 * Unsubscribing aborts requests and closes the destinations, without a commit: with `resume`, the next subscription continues at the same
 * point, and waits until they are closed. A commit that has begun is completed.
 *
 * @param options as for `deliver`
 * @returns a stream that fails as `deliver` does; `events$` and `tune` apply to what is in progress
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
      deliverWithHooks(
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

/** The progress of a delivery, of all jobs or of one. */
export interface Amounts {
  /** Pages that the destinations have stored. */
  readonly pages: number;
  readonly items: number;
  /** The bytes of the responses so far, as they came over the network; only those of pages. */
  readonly bytes: number;
}

/** The progress of a job, all of its calls together. */
export interface JobAmounts extends Amounts {
  readonly id: string;
  /** The place of the job in the configuration. */
  readonly path: string;
}

/** The progress of a delivery; the last value says that it is committed. Pages from before a resumed run are not counted. */
export type DeliveryProgress = Amounts & { readonly jobs: readonly JobAmounts[] } & (
    { readonly type: 'delivering' } | { readonly type: 'committed'; readonly delivery: Delivery }
  );

/** Counts the progress of a delivery. */
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
