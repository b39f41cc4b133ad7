import type { ChosenPagination } from './define';
import type { Step } from './paginator';
import { stop } from './paginator';

/** One request a job, where there is no `pagination.method` (docs/language/pagination.md). */
export const none: ChosenPagination = {
  method: 'none',
  options: {},
  counts: [],
  places: [],
  parallel: 1,
  keepsBody: true,
  dropsParams: false,
  paginator: (job) => {
    const first: Step = { change: { params: job.params }, position: null };
    return { by: 'nothing', first, at: () => first, next: () => stop('One request, no pagination.') };
  },
};
