import type { JobFacts, Paginator, Step } from './paginator';
import { stop } from './paginator';

/** One request a job (language 5: no `pagination.method`). */
export function none(job: JobFacts): Paginator {
  const first: Step = { change: { params: job.params }, position: null };
  return { by: 'nothing', first, at: () => first, next: () => stop('One request, no paging.') };
}
