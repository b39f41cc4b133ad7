import { lastValueFrom, toArray } from 'rxjs';
import { extract } from '../../../src';
import type { Json, JsonObject, Page } from '../../../src/core/model';
import { createProgressTracker } from '../../../src/run/state/progress';
import { arrivalOf, chosenPagination, jobFacts } from '../../support/pagination';

const QUERY = 'query($after: String) { ships(after: $after) { nodes { id } pageInfo { hasNextPage endCursor } } }';
const paging = (options: JsonObject = {}, body: Json = { query: QUERY }) =>
  chosenPagination({ method: 'connection', ...options }).paginator(jobFacts({ body }));
const after = (data: Json, options: JsonObject = {}) => {
  const paginator = paging(options);
  return paginator.next(arrivalOf({ step: paginator.first, data }));
};
const ships = (pageInfo: Json, more: JsonObject = {}): Json => ({ data: { ships: { nodes: [], pageInfo } }, ...more });

describe('connection: the next request', () => {
  it('has the cursor in its variables, beside those of the job', () => {
    const paginator = paging({}, { query: QUERY, variables: { first: 2 } });
    const next = paginator.next(
      arrivalOf({ step: paginator.first, data: ships({ hasNextPage: true, endCursor: 'c1' }) }),
    );
    expect(next).toMatchObject({
      step: { position: 'c1', change: { body: { query: QUERY, variables: { first: 2, after: 'c1' } } } },
    });
    expect(paginator.at('c1')).toMatchObject({ position: 'c1' });
    expect(paginator.at({})).toBe(paginator.first);
  });

  it('there is none where hasNextPage is false', () => {
    expect(after(ships({ hasNextPage: false, endCursor: 'c1' }))).toMatchObject({ kind: 'stop' });
  });

  it('pageInfo may be named, and that of items is of another connection', () => {
    const info = { hasNextPage: false };
    const several = { data: { a: { pageInfo: info }, b: { pageInfo: { hasNextPage: true, endCursor: 'b' } } } };
    expect(after(several, { pageInfo: 'data.b.pageInfo' })).toMatchObject({ step: { position: 'b' } });
    const inside = { data: { ships: { pageInfo: info, nodes: [{ crew: { pageInfo: { hasNextPage: true } } }] } } };
    expect(after(inside)).toMatchObject({ kind: 'stop' });
    expect(() => after(several)).toThrow('found 2 objects "pageInfo"');
  });

  it.each<[string, Json, string, string]>([
    ['no cursor', ships({ hasNextPage: true, endCursor: null }), 'NEXT_PAGE', 'no "endCursor"'],
    ['an empty cursor', ships({ hasNextPage: true, endCursor: '' }), 'NEXT_PAGE', 'no "endCursor"'],
    ['no hasNextPage', ships({ endCursor: 'c1' }), 'API_SHAPE', 'no "hasNextPage"'],
    ['no pageInfo', { data: { ships: null } }, 'API_SHAPE', 'found no such object'],
    [
      'errors beside data',
      ships({ hasNextPage: false }, { errors: [{ message: 'Denied', path: ['ships', 0, 'id'] }, {}] }),
      'API_ERROR',
      'the API answers with errors: Denied (at ships.0.id); an error without a message',
    ],
  ])('%s is an error', (_, data, code, message) => {
    let error: unknown;
    try {
      after(data);
    } catch (thrown) {
      error = thrown;
    }
    expect(error).toMatchObject({ code, message: expect.stringContaining(message) as unknown });
  });

  it.each([
    'query { ships { nodes { id } } }',
    'query($after: String) { ships { nodes { id } } }',
    'query($afterwards: String) { ships(after: $afterwards) { nodes { id } } }',
  ])('the query %j is refused before the first request', (query) => {
    expect(() => paging({}, { query })).toThrow('does not use the variable "$after"');
  });

  it('another variable may have the cursor', () => {
    const query = 'query($c: String) { ships(after: $c) { nodes { id } } }';
    expect(() => paging({ afterParam: ['variables', 'c'] }, { query })).not.toThrow();
  });
});

describe('connection: whole runs', () => {
  const config = {
    api: { baseUrl: 'https://api.example', pagination: { method: 'connection' } },
    config: { jobs: [{ endpoint: 'graphql', method: 'POST', body: { query: QUERY }, dataField: 'data.ships.nodes' }] },
  };
  const api = () => {
    const asked: unknown[] = [];
    const fetch = (_: unknown, init?: RequestInit): Promise<globalThis.Response> => {
      const { variables = {} } = JSON.parse(init?.body as string) as { variables?: { after?: string } };
      asked.push(variables.after);
      const from = Number(variables.after ?? 0);
      const nodes = [{ id: from + 1 }, { id: from + 2 }];
      const pageInfo = { hasNextPage: from < 4, endCursor: String(from + 2) };
      return Promise.resolve(Response.json({ data: { ships: { nodes, pageInfo } } }));
    };
    return { asked, fetch };
  };
  const pagesOf = (options: object): Promise<Page[]> => lastValueFrom(extract(config, options).pages$.pipe(toArray()));

  it.each([0, 1, 2, 3])('a run that was broken off after %d pages goes on', async (count) => {
    const all = await pagesOf({ fetch: api().fetch });
    expect(all.flatMap(({ items }) => items)).toHaveLength(6);
    const tracker = createProgressTracker();
    for (const { checkpoint } of all.slice(0, count)) tracker.add(checkpoint);
    const { asked, fetch } = api();
    const rest = await pagesOf({ fetch, resume: { startedAt: 1, progress: tracker.progress() } });
    expect(rest.flatMap(({ items }) => items)).toEqual([1, 2, 3, 4, 5, 6].slice(count * 2).map((id) => ({ id })));
    expect(asked).toHaveLength(3 - count);
  });
});
