/** A GraphQL API on the loopback interface: the reference implementation executes whatever documents are sent. */
import { buildSchema, graphql } from 'graphql';
import { json } from './answers';
import { startServer } from './api-server';
import type { ApiServer } from './api-server';

const SCHEMA = buildSchema(`
  type Query {
    ships(first: Int = 100, after: String, kind: String): ShipConnection!
    shipList(limit: Int = 100, offset: Int = 0): [Ship!]!
    ship(id: ID!): Ship
    viewer: Viewer!
    damaged: ShipConnection!
    lost: ShipConnection!
  }
  type Viewer { login: String! ships(first: Int = 100, after: String): ShipConnection! }
  type ShipConnection { nodes: [Ship]! edges: [ShipEdge!]! pageInfo: PageInfo! totalCount: Int! }
  type ShipEdge { cursor: String! since: Int! node: Ship! }
  type Ship { id: ID! name: String kind: String! crew(first: Int = 2, after: String): CrewConnection! }
  type CrewConnection { nodes: [Sailor!]! pageInfo: PageInfo! }
  type Sailor { name: String! }
  type PageInfo { hasNextPage: Boolean! endCursor: String }
`);

interface Slice {
  readonly first?: number;
  readonly after?: string;
}

/** How many ships there are. */
export const FLEET = 250;

const shipOf = (id: number) => ({
  id: String(id),
  name: `Ship ${id}`,
  kind: id % 5 === 0 ? 'tug' : 'ferry',
  crew: (slice: Slice) =>
    connectionOf(
      Array.from({ length: 3 }, (_, at) => ({ name: `Sailor ${id}.${at + 1}` })),
      slice,
    ),
});
const fleet = Array.from({ length: FLEET }, (_, at) => shipOf(at + 1));

/** Cursors are positions. */
function connectionOf<T>(all: readonly T[], { first = 100, after = '0' }: Slice) {
  const from = Number(after);
  const nodes = all.slice(from, from + first);
  return {
    nodes,
    edges: nodes.map((node, at) => ({ cursor: String(from + at + 1), since: 1900 + from + at + 1, node })),
    pageInfo: { hasNextPage: from + first < all.length, endCursor: String(from + nodes.length) },
    totalCount: all.length,
  };
}

const withoutSecond = connectionOf(fleet, { first: 3 });
const root = {
  ships: ({ kind, ...slice }: Slice & { readonly kind?: string }) =>
    connectionOf(kind === undefined ? fleet : fleet.filter((ship) => ship.kind === kind), slice),
  shipList: ({ limit, offset }: { readonly limit: number; readonly offset: number }) =>
    fleet.slice(offset, offset + limit),
  ship: ({ id }: { readonly id: string }) => fleet[Number(id) - 1] ?? null,
  viewer: { login: 'ann', ships: (slice: Slice) => connectionOf(fleet, slice) },
  damaged: {
    ...withoutSecond,
    nodes: withoutSecond.nodes.map((ship, at) => (at === 1 ? new Error('The record of ship 2 is damaged') : ship)),
  },
  lost: () => {
    throw new Error('The harbour is closed');
  },
};

/** The API, and what was asked of it. */
export interface GraphqlServer extends ApiServer {
  /** The variables of the requests so far. */
  readonly variables: () => readonly unknown[];
}

interface Body {
  readonly query: string;
  readonly variables?: Record<string, unknown>;
  readonly operationName?: string;
}

/** Starts the API at `/graphql`. */
export async function startGraphqlServer(): Promise<GraphqlServer> {
  const server = await startServer(({ url, method, body }) => async (response) => {
    if (url.split('?')[0] !== '/graphql' || method !== 'POST') return json({ error: 'no such path' }, 404)(response);
    const { query, variables, operationName } = JSON.parse(body) as Body;
    const result = await graphql({
      schema: SCHEMA,
      rootValue: root,
      source: query,
      ...(variables === undefined ? {} : { variableValues: variables }),
      ...(operationName === undefined ? {} : { operationName }),
    });
    return json(result, 'data' in result ? 200 : 400)(response);
  });
  return { ...server, variables: () => server.requests.map(({ body }) => (JSON.parse(body) as Body).variables) };
}
