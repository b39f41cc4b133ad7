/** Jobs with `"method": "graphql"` against a real GraphQL server (docs/language/graphql.md). */
import { lastValueFrom, toArray } from 'rxjs';
import { extract, validate } from '../../../src';
import type { Page, RunEvent } from '../../../src';
import { createProgressTracker } from '../../../src/run/state/progress';
import { FLEET, startGraphqlServer } from '../../support/graphql-server';
import type { GraphqlServer } from '../../support/graphql-server';

const CONNECTION =
  'query($after: String) { ships(after: $after) { nodes { id } pageInfo { hasNextPage endCursor } totalCount } }';
const LIST = 'query($limit: Int, $offset: Int) { shipList(limit: $limit, offset: $offset) { id } }';
const OFFSET = { method: 'offset', limit: 100 };

let server: GraphqlServer;
beforeAll(async () => {
  server = await startGraphqlServer();
});
beforeEach(() => {
  (server.requests as unknown[]).length = 0;
});
afterAll(() => server.close());

interface Played {
  readonly items: readonly unknown[];
  readonly pages: readonly Page[];
  readonly warnings: readonly string[];
  readonly error: unknown;
}

const configured = (job: object, api: object = {}, config: object = {}): object => ({
  api: { baseUrl: server.origin, ...api },
  config: { ...config, jobs: [{ method: 'graphql', ...job }] },
});

/** A run to its end. */
async function play(config: object, options: object = {}): Promise<Played> {
  const pages: Page[] = [];
  const warnings: string[] = [];
  const onEvent = (event: RunEvent): void => {
    if (event.type === 'page.extracted') pages.push(event.page);
    if (event.type === 'warning') warnings.push(event.message);
  };
  const error = await Promise.resolve()
    .then(() => lastValueFrom(extract(config, { ...options, onEvent }).pages$.pipe(toArray())))
    .then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
  return { pages, items: pages.flatMap(({ items }) => [...items]), warnings, error };
}

/** The one fault of a configuration. */
function faultOf(config: object): string {
  try {
    validate(config);
  } catch (error) {
    return (error as Error).message;
  }
  return '';
}

const ids = (from: number, count: number): object[] =>
  Array.from({ length: count }, (_, at) => ({ id: String(from + at) }));

describe('a connection', () => {
  it.each([
    ['nodes, by the path of the connection', CONNECTION, 'data.ships'],
    ['nodes, by their own path', CONNECTION, 'data.ships.nodes'],
    [
      'another variable',
      'query($c: String) { ships(after: $c) { nodes { id } pageInfo { hasNextPage endCursor } } }',
      'data.ships',
    ],
    [
      'inside an object',
      'query($after: String) { viewer { login ships(after: $after) { nodes { id } pageInfo { hasNextPage endCursor } } } }',
      'data.viewer.ships',
    ],
    [
      'edges',
      'query($after: String) { ships(after: $after) { edges { cursor node { id } } pageInfo { hasNextPage endCursor } } }',
      'data.ships',
    ],
    [
      'aliases and fragments',
      'query($after: String) { fleet: ships(after: $after) { ...Page } } fragment Page on ShipConnection { nodes { id } ... on ShipConnection { pageInfo { hasNextPage endCursor } } }',
      'data.fleet',
    ],
  ])('%s: all of its pages come', async (_, query, dataField) => {
    const { items, pages, warnings, error } = await play(configured({ query, dataField }));
    expect(error).toBeUndefined();
    expect(warnings).toEqual([]);
    expect(items).toEqual(ids(1, FLEET));
    expect(pages.map(({ count }) => count)).toEqual([100, 100, 50]);
    expect(server.requests).toHaveLength(3);
  });

  it('edges may have fields of their own, which come beside those of the node', async () => {
    const query =
      'query($after: String) { ships(first: 2, after: $after) { edges { cursor since place: cursor node { id } } pageInfo { endCursor } } }';
    const { items } = await play(configured({ query, dataField: 'data.ships' }));
    expect(items).toEqual([
      { id: '1', edge_since: 1901, edge_place: '1' },
      { id: '2', edge_since: 1902, edge_place: '2' },
    ]);
  });

  it('the edges themselves come where dataField leads to them', async () => {
    const query = '{ ships(first: 1) { edges { since node { id } } } }';
    const { items } = await play(configured({ query, dataField: 'data.ships.edges' }));
    expect(items).toEqual([{ since: 1901, node: { id: '1' } }]);
  });

  it('variables are evaluated, and stay in later requests', async () => {
    const query =
      'query($first: Int, $kind: String, $after: String) { ships(first: $first, kind: $kind, after: $after) { nodes { id } pageInfo { hasNextPage endCursor } } }';
    const variables = { first: 30, kind: { function: 'concat', args: ['tu', 'g'] } };
    const { items } = await play(configured({ query, variables, dataField: 'data.ships' }));
    expect(items).toHaveLength(FLEET / 5);
    expect(server.variables()).toEqual([
      { first: 30, kind: 'tug' },
      { first: 30, kind: 'tug', after: '30' },
    ]);
  });

  it.each([0, 1, 2])('a run that was broken off after %d pages goes on', async (count) => {
    const config = configured({ query: CONNECTION, dataField: 'data.ships' });
    const all = await play(config);
    const tracker = createProgressTracker();
    for (const { checkpoint } of all.pages.slice(0, count)) tracker.add(checkpoint);
    const rest = await play(config, { resume: { startedAt: 1, progress: tracker.progress() } });
    expect(rest.items).toEqual(ids(1 + count * 100, FLEET - count * 100));
  });

  it('only its first page is read where the document does not ask for the next one: that is a warning', async () => {
    const config = configured({ query: '{ ships { nodes { id } } }', dataField: 'data.ships' });
    expect((await play(config)).items).toHaveLength(100);
    expect(validate({ ...config }).warnings.map(({ message }) => message)).toEqual([
      expect.stringContaining('reads only the first page of data.ships'),
    ]);
  });

  it.each([
    ['nodes', '{ ships { nodes { id crew(first: 9) { nodes { id } } } } }', 'data.ships'],
    ['edges', '{ ships { edges { node { id crew { edges { cursor } pageInfo { endCursor } } } } } }', 'data.ships'],
    ['an object', '{ ship { id crew { nodes { id } totalCount } } }', 'data.ship'],
    ['a fragment', 'fragment F on Ship { crew { nodes { id } } } { fleet { ship { ...F } } }', 'data.fleet'],
  ])('a connection within items that nothing is asked of is a warning: %s', (_, query, dataField) => {
    expect(validate({ ...configured({ query, dataField }) }).warnings).toContainEqual(
      expect.objectContaining({
        path: 'config.jobs[0].query',
        message: expect.stringMatching(/^asks for (ship\.)?crew within its items, and nothing will show/) as string,
      }),
    );
  });

  it('one that says how it goes on is none', () => {
    const query = '{ ship { id crew { nodes { id } pageInfo { hasNextPage } } } }';
    expect(validate({ ...configured({ query, dataField: 'data.ship' }) }).warnings).toEqual([]);
  });

  it('hasNextPage without a way to the next page is refused', () => {
    const query = '{ ships { nodes { id } pageInfo { hasNextPage endCursor } } }';
    expect(faultOf(configured({ query, dataField: 'data.ships' }))).toContain('nothing can ask for the next page');
    expect(server.requests).toEqual([]);
  });
});

describe('offset', () => {
  it('its parameters are variables', async () => {
    const { items, error } = await play(
      configured({ query: LIST, dataField: 'data.shipList' }, { pagination: OFFSET }),
    );
    expect(error).toBeUndefined();
    expect(items).toEqual(ids(1, FLEET));
    expect(server.variables()).toEqual([0, 100, 200].map((offset) => ({ limit: 100, offset })));
  });

  it('they may be named as places of a body', async () => {
    const pagination = { ...OFFSET, limitParam: ['variables', 'limit'], offsetParam: ['variables', 'offset'] };
    const { items } = await play(configured({ query: LIST, dataField: 'data.shipList' }, { pagination }));
    expect(items).toHaveLength(FLEET);
  });

  describe('where the API ignores it', () => {
    const IGNORANT = 'query($limit: Int) { shipList(limit: $limit) { id } }';

    it('a request that is written by hand gets the first page again, and nothing of the rest: the warning says why', async () => {
      const config = {
        api: { baseUrl: server.origin, pagination: OFFSET },
        config: {
          jobs: [{ endpoint: 'graphql', method: 'POST', params: { query: IGNORANT }, dataField: 'data.shipList' }],
        },
      };
      const { items } = await play(config, { completeness: 'off' });
      expect(items).toEqual(ids(1, 100));
      expect((await play(config)).error).toMatchObject({ code: 'INCOMPLETE' });
      expect(validate(config).warnings).toEqual([
        {
          path: 'config.jobs[0].params.query',
          message: expect.stringContaining('sends limit and offset, which the query does not declare') as unknown,
        },
      ]);
    });

    it('the method graphql refuses it before the first request', async () => {
      const config = configured({ query: IGNORANT, dataField: 'data.shipList' }, { pagination: OFFSET });
      const { error } = await play(config);
      expect(error).toMatchObject({
        code: 'CONFIG_INVALID',
        message: expect.stringContaining(
          'the pagination (offset) has a value for a variable that is not there: $offset is no variable',
        ) as unknown,
      });
      expect(server.requests).toEqual([]);
    });
  });
});

describe('errors', () => {
  const damaged = { query: '{ damaged { nodes { id } } }', dataField: 'data.damaged' };

  it('beside a part of the data they are errors, with the place', async () => {
    expect(await play(configured(damaged))).toMatchObject({
      items: [],
      error: {
        code: 'API_ERROR',
        message: expect.stringContaining('The record of ship 2 is damaged (at damaged.nodes.1)') as unknown,
      },
    });
  });

  it('the part is taken with a warning where the job says so', async () => {
    const { items, warnings, error } = await play(configured({ ...damaged, completeness: 'warn' }));
    expect(error).toBeUndefined();
    expect(items).toEqual([{ id: '1' }, null, { id: '3' }]);
    expect(warnings).toContainEqual(expect.stringContaining('The record of ship 2 is damaged'));
  });

  it.each(['error', 'warn', 'off'])('without data they are errors in any case: %s', async (completeness) => {
    const job = { query: '{ lost { nodes { id } } }', dataField: 'data.lost', completeness };
    expect((await play(configured(job))).error).toMatchObject({
      code: 'API_ERROR',
      message: expect.stringContaining('The harbour is closed (at lost)') as unknown,
    });
  });

  it('a query that the API does not understand is an error with its message', async () => {
    const { error } = await play(configured({ query: '{ shps { id } }', dataField: 'data.shps' }));
    expect(error).toMatchObject({
      code: 'API_STATUS',
      message: expect.stringContaining('Cannot query field') as unknown,
    });
  });

  it('a rule may try again, or skip', async () => {
    const rules = [{ when: { field: 'errors.0.message', matches: 'closed' }, do: 'skip' }];
    const job = { query: '{ lost { nodes { id } } }', dataField: 'data.lost', rules };
    expect(await play(configured(job))).toMatchObject({ items: [], error: undefined });
  });
});

describe('children', () => {
  it('placeholders stand in variables, and never in the document', async () => {
    const crew = {
      method: 'graphql',
      query:
        'query($id:ID!,$after:String){ship(id:$id){crew(after:$after){nodes{name}pageInfo{hasNextPage endCursor}}}}',
      variables: { id: '{id}' },
      placeholders: { id: 'id' },
      dataField: 'data.ship.crew',
    };
    const ships = { query: '{ shipList(limit: 2) { id } }', dataField: 'data.shipList', children: [crew] };
    const { pages, error } = await play(configured(ships));
    expect(error).toBeUndefined();
    expect(pages.filter(({ job }) => job.dataType === 'crew').flatMap(({ items }) => [...items])).toEqual(
      [1, 2].flatMap((ship) => [1, 2, 3].map((at) => ({ name: `Sailor ${ship}.${at}` }))),
    );
    expect(server.variables()).toEqual([
      undefined,
      { id: '1' },
      { id: '1', after: '2' },
      { id: '2' },
      { id: '2', after: '2' },
    ]);
  });
});

describe('a document', () => {
  const job = (more: object): object => configured({ query: LIST, dataField: 'data.shipList', ...more });

  it('may be written in lines, and the operation of several is named', async () => {
    const query = ['query One { ship(id: 1) { id } }', 'query Two { ship(id: 2) { id } }'];
    const config = job({ query, operationName: 'Two', dataField: 'data.ship' });
    expect((await play(config)).items).toEqual([{ id: '2' }]);
    expect(JSON.parse(server.requests[0]?.body ?? '')).toEqual({ query: query.join('\n'), operationName: 'Two' });
  });

  it('default parameters of the API stand in the query of the address', async () => {
    const http = { defaultOptions: { params: { key: 'k' } } };
    await play(configured({ query: '{ ship(id: 1) { id } }', dataField: 'data.ship' }, { http }));
    expect(server.requests.map(({ url }) => url)).toEqual(['/graphql?key=k']);
  });

  it.each<[string, object, string]>([
    ['no document', { query: '' }, 'query: required: the GraphQL document'],
    [
      'a broken one',
      { query: '{ ships {' },
      'query: is no GraphQL document: Syntax Error: Expected Name, found <EOF> (line 1, column 10)'.replace(
        'Syntax Error: ',
        '',
      ),
    ],
    ['a schema', { query: 'type A { b: Int }' }, 'it defines a schema'],
    ['fragments alone', { query: 'fragment A on B { c }' }, 'it has no operation'],
    ['a subscription', { query: 'subscription { a }', dataField: 'data.a' }, 'is a subscription'],
    [
      'one of several',
      { query: 'query A { a } query B { b }' },
      'operationName: required: the query has the operations A, B',
    ],
    [
      'another operation',
      { query: 'query Ships { a }', operationName: 'Ship' },
      'is no operation of the query; did you mean "Ships"?',
    ],
    ['an unused variable', { query: 'query($a: Int) { b }' }, 'declares the variable $a, and uses it nowhere'],
    [
      'an undeclared variable',
      { variables: { limt: 5 } },
      'variables.limt: $limt is no variable that the query declares and uses, which are $limit, $offset: the API would ignore its value; did you mean "limit"?',
    ],
    ['variables that are no object', { variables: 'a' }, 'variables: expected an object'],
    [
      'an undeclared variable of incremental',
      { incremental: { field: 'id', param: 'since' } },
      'incremental.param: $since is no variable',
    ],
    ['params', { params: { a: 1 } }, 'params: cannot stand beside the method graphql'],
    ['a body', { body: { a: 1 } }, 'body: cannot stand beside the method graphql'],
    ['a stream', { stream: true }, 'stream: cannot stand beside the method graphql'],
    ['no dataField', { dataField: '' }, 'dataField: required'],
    ['a path outside', { dataField: 'shipList' }, 'dataField: has to begin with "data"'],
    [
      'a path to nothing',
      { dataField: 'data.shipLst' },
      '"data" has shipList, and no shipLst; did you mean "shipList"?',
    ],
  ])('%s is refused', (_, more, message) => {
    expect(faultOf(job(more))).toContain(message);
  });

  it('a pagination that sets no variable is refused', () => {
    const pagination = { method: 'response.url', urlKey: 'next' };
    const config = configured({ query: LIST, dataField: 'data.shipList' }, { pagination });
    expect(faultOf(config)).toContain('cannot be paged by the method response.url, which sets no variable');
  });

  it('a token keeps the variables of the job', async () => {
    const query =
      'query($kind: String, $after: String) { ships(first: 30, kind: $kind, after: $after) { nodes { id } pageInfo { endCursor } } }';
    const pagination = {
      method: 'response.param',
      responseParam: 'data.ships.pageInfo.endCursor',
      queryParam: 'after',
    };
    const stops = { stopWhenEmpty: true };
    const config = configured(
      { query, variables: { kind: 'tug' }, dataField: 'data.ships' },
      { pagination: { ...pagination, ...stops } },
    );
    expect((await play(config)).items).toHaveLength(FLEET / 5);
    expect(server.variables().at(-1)).toEqual({ kind: 'tug', after: '50' });
  });

  it('in a job of another method its keys have no effect, as ever', () => {
    const config = {
      api: { baseUrl: server.origin },
      config: { jobs: [{ endpoint: 'a', query: { x: 1 }, variables: 5 }] },
    };
    expect(() => validate(config)).toThrow('parameters of a job are written as "params"');
    expect(validate(config, { lenient: true }).warnings).toHaveLength(2);
  });
});
