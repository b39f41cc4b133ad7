/** What a run does to the rows that a table has, as `load` says it (docs/sinks.md#tables). */
import { existsSync, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { ConfigurationError, deliver, destinationOf, sinks, validate } from '../../src';
import type { Json, JsonObject } from '../../src';
import { tableRuns } from '../support/table-runs';

type Row = readonly unknown[];

describe('load', () => {
  const api = tableRuns();
  const { configOf } = api;

  /** Destinations with tables, and how a table of them is read. */
  const DESTINATIONS: readonly (readonly [string, (table: string) => string])[] = [
    ['duckdb:items.duckdb', (table) => `"${table}"`],
    ['parquet:out', (table) => `read_parquet('out/${table}.parquet')`],
    ['csv:out', (table) => `read_csv('out/${table}.csv', header = true)`],
    ['ndjson:out', (table) => `read_json('out/${table}.ndjson')`],
  ];
  const rowsOf = async (to: string, table: string, columns: string): Promise<readonly Row[]> => {
    const [, from] = DESTINATIONS.find(([url]) => url === to) as (typeof DESTINATIONS)[number];
    const place = from(table).replaceAll("'out/", `'${api.folder}/out/`);
    const file = /'([^']+)'/.exec(place)?.[1];
    if (file !== undefined && (!existsSync(file) || statSync(file).size === 0)) return [];
    const instance = await DuckDBInstance.create(
      to.startsWith('duckdb') ? join(api.folder, 'items.duckdb') : ':memory:',
    );
    const connection = await instance.connect();
    try {
      return (await connection.runAndReadAll(`SELECT ${columns} FROM ${place} ORDER BY ALL`)).getRowsJson();
    } finally {
      connection.closeSync();
      instance.closeSync();
    }
  };
  const run = (to: string, config: Json) => deliver(config, [destinationOf(to.replace(':', `:${api.folder}/`))]);
  const plain = (rows: readonly Row[]): readonly Row[] => rows.map((row) => row.map((cell) => String(cell)));

  it.each(DESTINATIONS.map(([url]) => url))(
    '%s: each job loads its table in its own way',
    async (to) => {
      const config = configOf([
        { endpoint: 'users' },
        { endpoint: 'events', load: 'append' },
        { endpoint: 'orders', load: 'merge', primaryKey: 'id' },
      ]);
      api.answers = {
        '/users': [{ id: 1 }, { id: 2 }],
        '/events': [{ id: 1 }],
        '/orders': [
          { id: 1, state: 'new' },
          { id: 2, state: 'new' },
        ],
      };
      await run(to, config);
      api.answers = {
        '/users': [{ id: 3 }],
        '/events': [{ id: 1 }],
        '/orders': [{ id: 2, state: 'paid' }],
      };
      await run(to, config);
      expect(plain(await rowsOf(to, 'users', 'id'))).toEqual([['3']]);
      expect(plain(await rowsOf(to, 'events', 'id'))).toEqual([['1'], ['1']]);
      expect(plain(await rowsOf(to, 'orders', 'id, state'))).toEqual([
        ['1', 'new'],
        ['2', 'paid'],
      ]);
      api.answers = {};
      await run(to, config);
      expect(await rowsOf(to, 'users', 'id')).toEqual([]);
      expect(await rowsOf(to, 'events', 'id')).toHaveLength(2);
      expect(await rowsOf(to, 'orders', 'id')).toHaveLength(2);
    },
    20_000,
  );

  it.each(['duckdb:items.duckdb', 'parquet:out'])(
    '%s: tables of lists go with the table of their items',
    async (to) => {
      const config = configOf([
        { endpoint: 'a', load: 'append' },
        { endpoint: 'b', load: 'merge', primaryKey: 'id' },
        { endpoint: 'c' },
      ]);
      const items = (...tags: readonly string[]): Json => [{ id: 1, tags }];
      for (const tags of [items('x', 'y'), items('z')]) {
        api.answers = { '/a': tags, '/b': tags, '/c': tags };
        await run(to, config);
      }
      expect(await rowsOf(to, 'a_tags', 'value')).toEqual([['x'], ['y'], ['z']]);
      expect(await rowsOf(to, 'b_tags', 'value')).toEqual([['z']]);
      expect(await rowsOf(to, 'c_tags', 'value')).toEqual([['z']]);
      const orphans = await rowsOf(to, 'a_tags', '_parent_row_id, value');
      expect(orphans.map(([parent]) => Number(parent))).toEqual([1, 1, 2]);
    },
    20_000,
  );

  it.each(DESTINATIONS.map(([url]) => url))(
    '%s: tables of mappings, and their child tables, as well',
    async (to) => {
      const mapping = (table: string): Json => ({
        id: { mapping: { destination: 'id', ...(table === 'b' ? { primaryKey: true } : {}) } },
        tags: { type: 'table', destination: `${table}_tag`, tableMapping: { '.': 'name' } },
      });
      const config = configOf(
        [
          { endpoint: 'a', load: 'append' },
          { endpoint: 'b', load: 'merge' },
          { endpoint: 'c', load: 'replace' },
        ],
        { mappings: { a: mapping('a'), b: mapping('b'), c: mapping('c') } },
      );
      const items = (...tags: readonly string[]): Json => [{ id: 1, tags }];
      for (const tags of [items('x', 'y'), items('z')]) {
        api.answers = { '/a': tags, '/b': tags, '/c': tags };
        await run(to, config);
      }
      expect(await rowsOf(to, 'a_tag', 'name')).toEqual([['x'], ['y'], ['z']]);
      expect(await rowsOf(to, 'b_tag', 'name')).toEqual([['z']]);
      expect(await rowsOf(to, 'c_tag', 'name')).toEqual([['z']]);
      expect(await rowsOf(to, 'b', 'id')).toHaveLength(1);
    },
    20_000,
  );

  it('csv: the rows of lists go with the rows that are replaced, at any depth, and others stay', async () => {
    const config = configOf([{ endpoint: 'b', load: 'merge', primaryKey: 'id' }]);
    const lines = (...taxes: readonly number[]): Json => [{ sku: 'a', taxes }, { sku: 'a' }];
    const item = (id: number, ...taxes: readonly number[]): Json => ({ id, of: { lines: lines(...taxes) } });
    const counts = async (): Promise<readonly number[]> =>
      Promise.all(
        ['b', 'b_of_lines', 'b_of_lines_taxes'].map(async (table) => (await rowsOf('csv:out', table, '*')).length),
      );
    api.answers = { '/b': [item(1, 5, 6), item(2, 7)] };
    await run('csv:out', config);
    expect(await counts()).toEqual([2, 4, 3]);
    // The same again, as a lag brings it.
    await run('csv:out', config);
    expect(await counts()).toEqual([2, 4, 3]);
    api.answers = { '/b': [item(1, 8)] };
    await run('csv:out', config);
    expect(await counts()).toEqual([2, 4, 2]);
    api.answers = { '/b': [{ id: 1, of: { lines: [] } }, { id: 3 }] };
    await run('csv:out', config);
    expect(await counts()).toEqual([3, 2, 1]);
    const joined = await rowsOf('csv:out', 'b', 'id, of_lines');
    expect(joined.map(([id]) => Number(id))).toEqual([1, 2, 3]);
  });

  it('manifests say it table by table', async () => {
    api.answers = { '/users': [{ id: 1 }], '/orders': [{ id: 1, lines: [{ sku: 'a' }] }] };
    const layout = { suffix: '', bucketPrefix: 'always', manifests: true } as const;
    const config = configOf([{ endpoint: 'users' }, { endpoint: 'orders', load: 'merge', primaryKey: 'id' }]);
    await deliver(config, [sinks.csv(join(api.folder, 'out'), { layout, keepsNothing: true })]);
    const manifest = async (table: string): Promise<unknown> =>
      JSON.parse(await readFile(join(api.folder, 'out', `${table}.manifest`), 'utf8')) as unknown;
    expect(await manifest('users')).toEqual({ incremental: false });
    expect(await manifest('orders')).toEqual({ incremental: true, primary_key: ['id'] });
    expect(await manifest('orders_lines')).toEqual({ incremental: true });
  });

  const faultsOf = (config: Json): readonly string[] => {
    try {
      validate(config);
      return [];
    } catch (error) {
      if (error instanceof ConfigurationError) return error.faults.map(({ path, message }) => `${path}: ${message}`);
      throw error;
    }
  };

  it.each([
    [
      'merge without a key',
      configureOf({ load: 'merge' }, [{ endpoint: 'a', primaryKey: 'id' }, { endpoint: 'b' }]),
      'config.load: "merge" needs to know which row takes the place of which, and the table of "b" (config.jobs[1]) has no primary key.',
    ],
    [
      'append with a key',
      configureOf({ primaryKeys: { a: 'id' } }, [{ endpoint: 'a', load: 'append' }]),
      'config.jobs[0].load: "append" would put rows with equal keys beside each other, and the table of "a" (config.jobs[0]) has a primary key.',
    ],
    [
      'replace beside incrementalOutput',
      configureOf({ load: 'replace', incrementalOutput: true }, [{ endpoint: 'a' }]),
      'config.load: is "replace", while "incrementalOutput" adds rows',
    ],
    [
      'two ways for one table',
      configureOf({}, [
        { endpoint: 'a', load: 'append' },
        { endpoint: 'b', dataType: 'a', load: 'replace' },
      ]),
      'config.jobs[1].load: the table of "a" has another value in config.jobs[0].load',
    ],
    ['what there is not', configureOf({}, [{ endpoint: 'a', load: 'upsert' }]), 'config.jobs[0].load: expected '],
  ])('refuses %s', (_, config, message) => {
    expect(faultsOf({ api: { baseUrl: 'https://api.example' }, config })).toEqual([expect.stringContaining(message)]);
  });

  it('takes merge where a mapping has the key, and what says the same twice', () => {
    const mappings = { a: { id: { mapping: { destination: 'id', primaryKey: true } } } };
    expect(faultsOf(configOf([{ endpoint: 'a', load: 'merge' }], { mappings }))).toEqual([]);
    expect(faultsOf(configOf([{ endpoint: 'a' }], { load: 'append', incrementalOutput: true }))).toEqual([]);
  });

  it('an incremental job is refused where its own table is replaced, and only there', async () => {
    api.answers = { '/a?since=': [{ id: 1, at: 1 }], '/b': [{ id: 1 }] };
    const incremental = { field: 'at', param: 'since', initial: '' };
    const jobs = (load: string): Json => [{ endpoint: 'a', incremental, load }, { endpoint: 'b' }];
    await expect(run('csv:out', configOf(jobs('replace')))).rejects.toMatchObject({
      faults: [
        {
          path: 'config.jobs[0].incremental',
          message: expect.stringContaining('Write "load": "merge" with a "primaryKey" in the job') as string,
        },
      ],
    });
    expect(api.server.requests).toEqual([]);
    await run('csv:out', configOf(jobs('append')));
    expect(api.server.requests).toHaveLength(2);
  });
});

function configureOf(settings: JsonObject, jobs: Json): JsonObject {
  return { ...settings, jobs };
}
