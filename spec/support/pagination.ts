/** The nouns of pagination with defaults, for specs. */
import { isRight } from 'fp-ts/Either';
import { pagination } from '../../src/language/configuration/pagination';
import { BUILT_IN } from '../../src/run/built-in-parts';
import type { Headers, Json, JsonObject } from '../../src/core/model';
import type { ChosenPagination } from '../../src/language/parts/pagination/pagination';
import type { Arrival, JobFacts } from '../../src/language/parts/pagination/paginator';
import { aResponse } from './requests';

export const jobFacts = (changes: Partial<JobFacts> = {}): JobFacts => ({
  path: 'config.jobs[0]',
  params: {},
  baseUrl: 'https://api.example/v2/',
  endpointUrl: 'https://api.example/v2/users?sort=up',
  ...changes,
});

/** The pagination of these options, as a configuration would write them. */
export function chosenPagination(written: JsonObject): ChosenPagination {
  const read = pagination(BUILT_IN).decode(written);
  if (isRight(read) && read.right.kind === 'one') return read.right.pagination;
  throw new Error(`no pagination method: ${JSON.stringify(written)}`);
}

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
