import type { Json, JsonObject } from '../../../src/core/model';
import { arrivalOf, chosenPagination, jobFacts } from '../../support/pagination';

const QUERY = 'query($after: String) { ships(after: $after) { nodes { id } pageInfo { hasNextPage endCursor } } }';
const paging = (options: JsonObject = {}, body: Json = { query: QUERY }) =>
  chosenPagination({ method: 'connection', ...options }).paginator(jobFacts({ body }));
const after = (data: Json, options: JsonObject = {}) => {
  const paginator = paging(options);
  return paginator.next(arrivalOf({ step: paginator.first, data }));
};

describe('connection: the next request', () => {
  it('pageInfo may be named, and that of items is of another connection', () => {
    const info = { hasNextPage: false };
    const several = { data: { a: { pageInfo: info }, b: { pageInfo: { hasNextPage: true, endCursor: 'b' } } } };
    expect(after(several, { pageInfo: 'data.b.pageInfo' })).toMatchObject({ step: { position: 'b' } });
    const inside = { data: { ships: { pageInfo: info, nodes: [{ crew: { pageInfo: { hasNextPage: true } } }] } } };
    expect(after(inside)).toMatchObject({ kind: 'stop' });
    expect(() => after(several)).toThrow('found 2 objects "pageInfo"');
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
