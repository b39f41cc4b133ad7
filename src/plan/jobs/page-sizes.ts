import * as E from 'fp-ts/Either';
import type { Api, Job } from '../../language/configuration/configuration';
import type { Fault } from '../../core/errors/errors';
import { entriesOf, ownValue } from '../../core/json/keys';
import { isCount } from '../../core/json/numeric';
import type { Json } from '../../core/model';
import { isSizeName } from '../../language/parts/pagination/size-names';
import { parseQuery, splitUrl } from '../../core/url/query';
import { choose } from './pagination';

/**
 * Page sizes that a job sends beside another one of its pagination (docs/language/pagination.md#common-rules): where the API goes by
 * them, a full page looks like the last one.
 */
export function twoPageSizes({ pagination, http }: Api, job: Job): Fault[] {
  const chosen = choose(pagination, job);
  if (E.isLeft(chosen) || job.graphql !== undefined) return [];
  const { options } = chosen.right.pagination;
  if (!('limit' in options && typeof options.limit === 'number')) return [];
  if (!('limitParam' in options && typeof options.limitParam === 'string')) return [];
  const { limit, limitParam } = options;
  const own = ownValue(job.params, limitParam);
  const size = own === undefined ? limit : numberOf(own);
  const query = parseQuery(splitUrl(job.endpoint).query);
  const sent: readonly Sent[] = [
    ...entriesOf(job.params).map(([name, value]) => ({ path: `${job.path}.params`, name, value })),
    ...query.map(({ name, value = '' }) => ({ path: `${job.path}.endpoint`, name, value })),
    ...entriesOf(http.defaultParams)
      .filter(([name]) => ownValue(job.params, name) === undefined)
      .map(([name, value]) => ({ path: job.path, name, value })),
  ];
  return sent.flatMap(({ path, name, value }): Fault[] => {
    const other = numberOf(value);
    if (name === limitParam || !isSizeName(name) || other === undefined || size === undefined || other === size)
      return [];
    const message =
      `${name} is ${other}, and pagination counts by a page size of ${size}, which it sends as "${limitParam}": if the API goes by ${name}, items ` +
      `will be missing. Leave it out, and write "limitParam": "${name}" in the pagination.`;
    return [{ path, message }];
  });
}

interface Sent {
  readonly path: string;
  readonly name: string;
  readonly value: Json;
}

/** A literal number; what is computed is known when the job runs. */
const numberOf = (value: Json): number | undefined =>
  typeof value === 'number' || (typeof value === 'string' && isCount(value)) ? Number(value) : undefined;
