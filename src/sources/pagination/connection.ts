import { path } from '../../language/codec/values';
import { optional, withDefault } from '../../language/codec/record';
import { FatalError } from '../../core/errors/errors';
import { entriesOf, isObject, ownValue } from '../../core/json/objects';
import type { Json, JsonObject, Reply } from '../../core/model';
import { aroundItems, responseValue } from '../response-values';
import { definePagination } from '../../language/parts/pagination/pagination';
import { refuseGraphqlErrors } from '../graphql';
import type { JobFacts, Step } from '../../language/parts/pagination/paginator';
import { goOn, stop } from '../../language/parts/pagination/paginator';
import { isTemplated, place, type Place, placed } from '../../language/parts/pagination/place';

const QUERY = 'query($after: String) { ships(after: $after) { nodes { id } pageInfo { hasNextPage endCursor } } }';

/**
 * Pagination of GraphQL connections (docs/language/pagination/connection.md): `pageInfo` says whether there is a next page, and which
 * cursor leads to it. The position is that cursor.
 */
export const connection = definePagination({
  name: 'connection',
  summary: 'Follows the `pageInfo` of a GraphQL connection.',
  use: 'Use it for GraphQL with `pageInfo { hasNextPage endCursor }`. A job with `"method": "graphql"` does it [by itself](../graphql.md).',
  options: {
    pageInfo: optional(path, {
      about: 'The path of `pageInfo` in the response.',
      example: 'data.ships.pageInfo',
      default: 'the only one, outside of arrays',
    }),
    afterParam: withDefault(place(), ['variables', 'after'], {
      about: 'The [place](../pagination.md#places) of the cursor.',
      example: ['variables', 'cursor'],
    }),
  },
  rules: [
    'Pagination ends when `hasNextPage` is false.',
    '`hasNextPage` without `endCursor` is the error `NEXT_PAGE`. No `pageInfo`, or several, is `API_SHAPE`: set the option `pageInfo`.',
    'A response with `errors` is the error `API_ERROR`, even if it has data.',
    'A `query` without the variable of the cursor (`$after`) is refused before the first request.',
  ],
  example: {
    about: 'A connection with `nodes`:',
    config: {
      api: { pagination: { method: 'connection' } },
      config: {
        jobs: [{ endpoint: 'graphql', method: 'POST', body: { query: QUERY }, dataField: 'data.ships.nodes' }],
      },
    },
    exchanges: [
      {
        request: 'POST /graphql',
        requestBody: { query: QUERY },
        response: { data: { ships: { nodes: [{ id: 1 }], pageInfo: { hasNextPage: true, endCursor: 'c1' } } } },
      },
      {
        request: 'POST /graphql',
        requestBody: { query: QUERY, variables: { after: 'c1' } },
        response: { data: { ships: { nodes: [{ id: 2 }], pageInfo: { hasNextPage: false, endCursor: 'c2' } } } },
      },
    ],
    items: [{ id: 1 }, { id: 2 }],
  },
  places: ({ afterParam }) => [afterParam],
  paginator: ({ pageInfo: path, afterParam }, job) => {
    requireVariable(afterParam, job);
    const first: Step = { change: { params: job.params }, position: null };
    const paged = (position: Json): Step => ({
      change: placed(job, [{ place: afterParam, value: position }]),
      position,
    });
    return {
      by: 'token',
      first,
      at: (position) => (isCursor(position) ? paged(position) : first),
      next: ({ reply }) => {
        if (job.graphql !== true) refuseGraphqlErrors(reply, job.path);
        const info = pageInfoOf(reply, path, job);
        const more = ownValue(info, 'hasNextPage');
        if (more === false) return stop('The connection has no next page, stopping pagination.');
        if (more !== true)
          throw new FatalError('API_SHAPE', `${job.path}: "pageInfo" has no "hasNextPage". Ask for it in the query.`);
        const cursor = ownValue(info, 'endCursor');
        if (cursor !== undefined && isCursor(cursor)) return goOn(paged(cursor));
        const message = `${job.path}: "hasNextPage" is true, but "pageInfo" has no "endCursor" that leads to the next page. Ask for it in the query.`;
        throw new FatalError('NEXT_PAGE', message);
      },
    };
  },
});

const isCursor = (value: Json): boolean =>
  typeof value === 'number' || typeof value === 'bigint' || (typeof value === 'string' && value !== '');

/**
 * Requires that the query uses the cursor.
 *
 * @throws FatalError CONFIG_INVALID for a query that would repeat its first page for ever
 */
function requireVariable(at: Place, { path, body }: JobFacts): void {
  const keys = isTemplated(at) || typeof at === 'string' ? [] : at;
  const query = isObject(body) ? ownValue(body, 'query') : undefined;
  const [root, name] = keys;
  if (root !== 'variables' || name === undefined || typeof query !== 'string') return;
  const names = query.match(/\$[A-Za-z_]\w*/g) ?? [];
  // A second occurrence means that the variable is declared and used.
  if (names.filter((each) => each === `$${name}`).length > 1) return;
  const message = `${path}.body.query: does not use the variable "$${name}", in which pagination sends the cursor: declare it and pass it as an argument, or set api.pagination.afterParam.`;
  throw new FatalError('CONFIG_INVALID', message);
}

/**
 * Returns the `pageInfo` of a response.
 *
 * @throws FatalError API_SHAPE where there is none, or more than one
 */
function pageInfoOf(reply: Reply, path: string | undefined, job: JobFacts): JsonObject {
  const found = path === undefined ? pageInfosIn(aroundItems(reply)) : [responseValue(reply, path)].filter(isObject);
  const [info] = found;
  if (info !== undefined && found.length === 1) return info;
  const what = path === undefined ? 'an object "pageInfo"' : `an object at ${JSON.stringify(path)}`;
  const seen = found.length > 1 ? `${found.length} objects "pageInfo"` : `no such object`;
  const message = `${job.path}: expected ${what} in the response, which says whether there is a next page, found ${seen}. Ask for it in the query, and name it by api.pagination.pageInfo.`;
  throw new FatalError('API_SHAPE', message);
}

/** Returns each `pageInfo` outside of arrays: those within items belong to other connections. */
function pageInfosIn(data: Json | undefined): readonly JsonObject[] {
  if (!isObject(data)) return [];
  return entriesOf(data).flatMap(([key, value]) =>
    key === 'pageInfo' && isObject(value) ? [value] : pageInfosIn(value),
  );
}
