/** What a preview guesses about the only page of a job: real servers, and nothing of it in runs. */
import { preview } from '../../../src';
import type { JsonObject } from '../../../src';
import { json } from '../../support/answers';
import { startServer } from '../../support/api-server';
import type { ApiServer } from '../../support/api-server';

describe('guesses of a preview', () => {
  let server: ApiServer;
  afterEach(() => server.close());

  const warningsOf = async (
    body: unknown,
    job: JsonObject,
    pagination: JsonObject = {},
  ): Promise<readonly string[]> => {
    server = await startServer(() => json(body));
    const { jobs } = await preview({
      api: { baseUrl: server.origin, pagination },
      config: { jobs: [{ endpoint: 'rows', ...job }] },
    });
    return jobs[0]?.warnings ?? [];
  };
  const rows = (count: number): readonly JsonObject[] => Array.from({ length: count }, (_, id) => ({ id }));

  it('a page may be full: its size is usual, or the one that was asked for', async () => {
    expect(await warningsOf(rows(50), {})).toEqual([expect.stringContaining('The page has 50 items, and many APIs')]);
    await server.close();
    expect(await warningsOf(rows(7), { params: { limit: 7 } })).toEqual([
      expect.stringContaining('as many as the request asks for'),
    ]);
    await server.close();
    expect(await warningsOf(rows(7), {})).toEqual([]);
    await server.close();
    expect(await warningsOf({ data: rows(50), has_more: false }, { dataField: 'data' })).toEqual([]);
  });

  it('an item may hold the list', async () => {
    expect(await warningsOf({ data: { list: rows(3) } }, { dataField: 'data' })).toEqual([
      expect.stringContaining('a list of 3 objects at "list"'),
    ]);
    await server.close();
    expect(await warningsOf({ data: { id: 1, list: rows(3) } }, { dataField: 'data' })).toEqual([]);
  });

  it('a place may be spelled otherwise', async () => {
    const pagination = { method: 'response.param', queryParam: 'key', responseParam: 'nextKey' };
    expect(await warningsOf({ data: rows(3), NextKey: 'x' }, { dataField: 'data' }, pagination)).toEqual(
      expect.arrayContaining([expect.stringContaining('but there is a value at "NextKey"')]),
    );
  });
});
