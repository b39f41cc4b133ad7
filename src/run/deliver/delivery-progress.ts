import type { Delivery } from './delivery';
import type { RunEvent } from '../../core/events';
import type { Page } from '../../core/model';

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
  readonly hear: (event: RunEvent) => void;
  readonly take: (page: Page) => void;
  readonly amounts: () => Amounts & { readonly jobs: readonly JobAmounts[] };
}

/** @example createDeliveryCounter().amounts() // { pages: 0, items: 0, bytes: 0, jobs: [] } */
export function createDeliveryCounter(): DeliveryCounter {
  const byJob = new Map<string, JobAmounts>();
  const add = (id: string, path: string, { pages, items, bytes }: Amounts): void => {
    const known = byJob.get(id) ?? { id, path, pages: 0, items: 0, bytes: 0 };
    byJob.set(id, { ...known, pages: known.pages + pages, items: known.items + items, bytes: known.bytes + bytes });
  };
  return {
    hear: (event) => {
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
