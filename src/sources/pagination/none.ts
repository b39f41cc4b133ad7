import type { JobFacts, Paginator } from './paginator';
import { stop } from './paginator';

/** One request a job (language 5: no `pagination.method`). */
export const none = (job: JobFacts): Paginator => ({
  first: { change: { params: job.params }, position: null },
  next: () => stop('One request, no paging.'),
});
