/** Children and grandchildren of an OpenAPI document: their keys, and what runs of the configuration load. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { firstValueFrom, toArray } from 'rxjs';
import { deliver, extract, sinks } from '../../../src';
import { discoverImported } from '../../../src/explore/discover/imported';
import { importOpenApi } from '../../../src/explore/import/openapi/openapi';
import { json } from '../../support/answers';
import { startServer } from '../../support/api-server';
import type { ApiServer, ReceivedRequest } from '../../support/api-server';
import { queryDuckDB } from '../../support/duckdb';

type Row = Readonly<Record<string, string | number>>;

const array = { type: 'array', items: { type: 'object', properties: { id: { type: 'integer' } } } };
const lists = (...paths: readonly string[]): string =>
  JSON.stringify({
    openapi: '3.0.0',
    info: { title: 'Fleet' },
    paths: Object.fromEntries(
      paths.map((path) => [
        path,
        { get: { responses: { '200': { content: { 'application/json': { schema: array } } } } } },
      ]),
    ),
  });

describe('keys of children', () => {
  let server: ApiServer;
  let folder: string;
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'headwater-imported-'))));
  afterEach(async () => {
    rmSync(folder, { recursive: true });
    await server.close();
  });

  /** Finds out about an API, and loads it twice by its keys: the second run changes nothing. */
  const loaded = async (answers: Readonly<Record<string, readonly Row[]>>, ...paths: readonly string[]) => {
    server = await startServer(({ url }) =>
      json(answers[url.split('?')[0] ?? ''] ?? { error: 'no' }, answers[url.split('?')[0] ?? ''] ? 200 : 404),
    );
    const imported = importOpenApi(lists(...paths), { baseUrl: `${server.origin}/` });
    const { configuration, comments, lists: reported, requests } = await discoverImported(imported, { guess: false });
    expect(requests).toBe(server.requests.length);
    const file = join(folder, 'out.duckdb');
    const config = { ...configuration, config: { ...(configuration['config'] as object), incrementalOutput: true } };
    for (let run = 0; run < 2; run += 1) await deliver(config, [sinks.duckdb(file)]);
    const counts: Record<string, number> = {};
    for (const { dataType } of reported)
      counts[dataType] = Number((await queryDuckDB(file, `select count(*) from "${dataType}"`))[0]?.[0]);
    return { keys: (configuration['config'] as { primaryKeys?: unknown }).primaryKeys, comments, counts, reported };
  };

  const FLEETS = [{ id: 1 }, { id: 2 }, { id: 3 }];

  it('a key that differs among the items of several parents is that of the child', async () => {
    const { keys, counts, comments } = await loaded(
      {
        '/fleets': FLEETS,
        '/fleets/1/ships': [{ id: 11 }, { id: 12 }],
        '/fleets/2/ships': [],
        '/fleets/3/ships': [{ id: 13 }, { id: 14 }],
      },
      '/fleets',
      '/fleets/{fleet_id}/ships',
    );
    expect(keys).toEqual({ fleets: ['id'], ships: ['id'] });
    expect(counts).toEqual({ fleets: 3, ships: 4 });
    expect(comments['config/primaryKeys/ships']?.[0]).toContain('in all items of the 2 parents that were seen');
  });

  it('a key that comes again at other parents has the key of the parent beside it, and no row is lost', async () => {
    const { keys, counts, reported } = await loaded(
      {
        '/fleets': FLEETS,
        '/fleets/1/ships': [{ id: 1 }, { id: 2 }],
        '/fleets/2/ships': [{ id: 1 }, { id: 2 }, { id: 3 }],
        '/fleets/3/ships': [{ id: 2 }],
      },
      '/fleets',
      '/fleets/{fleet_id}/ships',
    );
    expect(keys).toEqual({ fleets: ['id'], ships: ['parent_id', 'id'] });
    expect(counts).toEqual({ fleets: 3, ships: 6 });
    expect(reported[1]?.findings).toContainEqual(expect.objectContaining({ about: 'key', value: 'parent_id, id' }));
  });

  it('a grandchild has the columns of both parents', async () => {
    const crew = [{ id: 1 }, { id: 2 }];
    const { keys, counts } = await loaded(
      {
        '/fleets': [
          { name: 'a', id: 7 },
          { name: 'b', id: 8 },
        ],
        '/fleets/a/ships': [{ id: 1 }, { id: 2 }],
        '/fleets/b/ships': [{ id: 1 }, { id: 3 }],
        '/fleets/a/ships/1/crew': crew,
        '/fleets/a/ships/2/crew': crew,
        '/fleets/b/ships/1/crew': crew,
        '/fleets/b/ships/3/crew': crew,
      },
      '/fleets',
      '/fleets/{name}/ships',
      '/fleets/{name}/ships/{ship_id}/crew',
    );
    expect(keys).toEqual({ fleets: ['id'], ships: ['parent_name', 'id'], crew: ['parent_name', 'parent_id', 'id'] });
    expect(counts).toEqual({ fleets: 2, ships: 4, crew: 8 });
  });

  it('no key is written of a grandchild where one column stands for two parents that are not known by it', async () => {
    const crew = [{ id: 1 }, { id: 2 }];
    const { keys, comments } = await loaded(
      {
        '/fleets': FLEETS.slice(0, 2),
        '/fleets/1/ships': [{ id: 1 }, { id: 2 }],
        '/fleets/2/ships': [{ id: 1 }, { id: 2 }],
        ...Object.fromEntries([1, 2].flatMap((a) => [1, 2].map((b) => [`/fleets/${a}/ships/${b}/crew`, crew]))),
      },
      '/fleets',
      '/fleets/{fleet_id}/ships',
      '/fleets/{fleet_id}/ships/{ship_id}/crew',
    );
    expect(keys).toEqual({ fleets: ['id'], ships: ['parent_id', 'id'] });
    expect(JSON.stringify(comments)).toContain('so no key is written');
  });

  it('one column is enough for a grandchild where its parent is known by it', async () => {
    const crew = [{ id: 1 }, { id: 2 }];
    const { keys, counts } = await loaded(
      {
        '/fleets': FLEETS.slice(0, 2),
        '/fleets/1/ships': [{ id: 1 }, { id: 2 }],
        '/fleets/2/ships': [{ id: 3 }, { id: 4 }],
        ...Object.fromEntries(
          [
            [1, 1],
            [1, 2],
            [2, 3],
            [2, 4],
          ].map(([a, b]) => [`/fleets/${a}/ships/${b}/crew`, crew]),
        ),
      },
      '/fleets',
      '/fleets/{fleet_id}/ships',
      '/fleets/{fleet_id}/ships/{ship_id}/crew',
    );
    expect(keys).toEqual({ fleets: ['id'], ships: ['id'], crew: ['parent_id', 'id'] });
    expect(counts).toEqual({ fleets: 2, ships: 4, crew: 8 });
  });
});

/** The size of pages that a description of an API allows. */

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
