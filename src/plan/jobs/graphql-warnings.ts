import * as E from 'fp-ts/Either';
import type { Api, Job } from '../../language/configuration/configuration';
import type { Fault } from '../../core/errors/errors';
import { isObject, ownValue } from '../../core/json/keys';
import { readDocument } from '../../language/requests/graphql/operation';
import type { ChosenPagination } from '../../language/parts/pagination/define';
import { memberOf } from '../../language/parts/pagination/placed';
import { choose } from './pagination';

const NONE = 'none';
const VARIABLES = 'variables';

/** Pages of GraphQL that a job would not get, although it is valid (docs/language/graphql.md). */
export function graphqlWarnings(api: Api, job: Job): readonly Fault[] {
  const chosen = choose(api.pagination, job);
  if (E.isLeft(chosen)) return [];
  const { pagination } = chosen.right;
  return job.graphql === undefined
    ? ignoredPlaces(pagination, job)
    : [...unpagedConnection(pagination, job), ...untoldConnections(job)];
}

/** A connection of which only the first page is read. */
function unpagedConnection({ method }: ChosenPagination, { path, graphql }: Job): readonly Fault[] {
  const connection = graphql?.connection;
  if (connection === undefined || connection.asksForNext || method !== NONE) return [];
  const message = `reads only the first page of ${connection.path.join('.')}: let that have "pageInfo { hasNextPage endCursor }", and a variable as its argument "after"`;
  return [{ path: `${path}.query`, message }];
}

/** Connections within items: an API gives a first page of each, too. */
function untoldConnections({ path, graphql }: Job): readonly Fault[] {
  if (graphql?.untold === undefined) return [];
  const message = `asks for ${graphql.untold.join(', ')} within its items, and nothing will tell where the API gives only the first page of that: let it have "pageInfo { hasNextPage }"`;
  return [{ path: `${path}.query`, message }];
}

/** A document in an ordinary request: an API ignores what is no variable of it, and gives the first page again. */
function ignoredPlaces({ method, places }: ChosenPagination, { path, body, params }: Job): readonly Fault[] {
  const query = ownValue(isObject(body) ? body : params, 'query');
  if (places.length === 0 || typeof query !== 'string' || !/^\s*(\{|query\b|fragment\b|#)/.test(query)) return [];
  const read = readDocument(query);
  if (read.kind === 'broken') return [];
  const variables = new Set(read.operations.flatMap((operation) => operation.variables));
  const ignored = places.flatMap((place) => {
    const [root, name] = [memberOf(place, {}) ?? []].flat();
    return root === undefined || (root === VARIABLES && name !== undefined && variables.has(name))
      ? []
      : [root === VARIABLES && name !== undefined ? `$${name}` : root];
  });
  if (ignored.length === 0) return [];
  const message = `is GraphQL, and pagination (${method}) sends ${ignored.join(' and ')}, which the query does not declare and use as variables: the API would ignore that, and give its first page again. Write the job with "method": "graphql"`;
  return [{ path: `${path}.${body === undefined ? 'params' : 'body'}.query`, message }];
}
