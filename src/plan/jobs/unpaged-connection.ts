import * as E from 'fp-ts/Either';
import type { Job } from '../../config/configuration';
import type { Pagination } from '../../config/pagination/pagination';
import type { Fault } from '../../errors';
import { choose } from './pagination';

/** A connection of a GraphQL document of which only the first page is read (docs/language/graphql.md#connections). */
export function unpagedConnection(pagination: Pagination, job: Job): readonly Fault[] {
  const connection = job.graphql?.connection;
  const chosen = choose(pagination, job);
  if (connection === undefined || connection.asksForNext || E.isLeft(chosen)) return [];
  if (chosen.right.pagination.method !== 'none') return [];
  const message = `reads only the first page of ${connection.path.join('.')}: let that have "pageInfo { hasNextPage endCursor }", and a variable as its argument "after"`;
  return [{ path: `${job.path}.query`, message }];
}
