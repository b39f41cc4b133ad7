/** The nouns of pagination with defaults, for specs. */
import type { Headers, Json } from '../../src/model';
import type { Arrival, JobFacts } from '../../src/sources/pagination/paginator';
import { aResponse } from './requests';

export const jobFacts = (changes: Partial<JobFacts> = {}): JobFacts => ({
  path: 'config.jobs[0]',
  params: {},
  baseUrl: 'https://api.example/v2/',
  endpointUrl: 'https://api.example/v2/users?sort=up',
  ...changes,
});

/** A page that has arrived: its step, its items and the whole response. */
export const arrivalOf = ({
  data = null,
  headers = {},
  items = [],
  ...rest
}: Pick<Arrival, 'step'> &
  Partial<Omit<Arrival, 'count'>> & { readonly data?: Json; readonly headers?: Headers }): Arrival => ({
  items,
  count: items.length,
  reply: { response: aResponse({ headers }), data },
  now: 0,
  ...rest,
});
