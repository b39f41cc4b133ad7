/** The size of pages that a description of an API allows. */
import { firstValueFrom, toArray } from 'rxjs';
import { extract } from '../../src';
import { discoverImported } from '../../src/explore/discover/imported';
import { importOpenApi } from '../../src/explore/import/openapi';
import { json } from '../support/answers';
import { startServer, type ApiServer, type ReceivedRequest } from '../support/api-server';

const COUNT = 230;
const item = { type: 'object', properties: { id: { type: 'integer' } } };
const listed = { type: 'object', properties: { data: { type: 'array', items: item }, has_more: { type: 'boolean' } } };

describe('pages of an API that is described', () => {
  let server: ApiServer;
  let isOpen = true;
  beforeEach(() => (isOpen = true));
  afterEach(() => server.close());

  /** As Stripe pages, 10 a page: a limit of more than it allows is refused. */
  const start = async (most: number): Promise<void> => {
    server = await startServer(({ url }: ReceivedRequest) => {
      const { searchParams } = new URL(url, 'http://h');
      const [limit, after] = [Number(searchParams.get('limit') ?? 10), Number(searchParams.get('starting_after') ?? 0)];
      if (!isOpen) return json({ error: 'no' }, 401);
      if (limit > most) return json({ error: `limit must be <= ${most}` }, 400);
      const data = Array.from({ length: Math.min(limit, COUNT - after) }, (_, at) => ({ id: after + at + 1 }));
      return json({ data, has_more: after + limit < COUNT });
    });
  };
  const found = async (limit: object, others: readonly string[] = ['starting_after']) => {
    const named = (name: string, schema: object) => ({ name, in: 'query', schema: { type: 'integer', ...schema } });
    const parameters = [named('limit', limit), ...others.map((name) => named(name, {}))];
    const content = { 'application/json': { schema: listed } };
    const paths = { '/ships': { get: { parameters, responses: { 200: { content } } } } };
    const document = JSON.stringify({ openapi: '3.0.0', info: { title: 'Fleet' }, paths });
    return discoverImported(importOpenApi(document, { baseUrl: `${server.origin}/` }), { guess: false });
  };

  it.each([
    ['the maximum', { maximum: 100 }, '100', 3],
    ['no more than 1000', { maximum: 5_000 }, '1000', 1],
  ])('have %s', async (_, limit, size, requests) => {
    await start(1_000);
    const { configuration, comments, requests: sent } = await found(limit);
    expect(sent).toBe(server.requests.length);
    expect(configuration).toMatchObject({ config: { jobs: [{ params: { limit: size } }] } });
    expect(comments['config/jobs/0/params']).toEqual(['Pages are as large as the description of the API allows.']);
    const items = await firstValueFrom(extract(configuration).items$.pipe(toArray()));
    expect(items).toHaveLength(COUNT);
    expect(server.requests.length - sent).toBe(requests);
  });

  it.each([
    ['the description names no maximum', {}],
    ['the API has pages as large by itself', { maximum: 10, default: 10 }],
    ['the API refuses that size', { maximum: 200 }],
  ])('have the size that the API takes by itself where %s', async (_, limit) => {
    await start(150);
    const { configuration, comments, lists } = await found(limit);
    expect(lists[0]?.items).toHaveLength(20);
    expect(JSON.stringify(configuration)).not.toContain('"params"');
    expect(comments['config/jobs/0/params']).toBeUndefined();
  });

  it('have the maximum where the API could not be asked', async () => {
    await start(100);
    isOpen = false;
    const { configuration } = await found({ maximum: 100 }, ['offset']);
    expect(configuration).toMatchObject({
      api: { pagination: { method: 'offset', limit: 100 } },
      config: { jobs: [{ params: { limit: '100' } }] },
    });
    expect(server.requests).toHaveLength(1);
  });
});
