/** What a run does to the rows that a table has, as `load` says it (docs/sinks.md#tables). */
import { DuckDBInstance } from '@duckdb/node-api';
import { existsSync, statSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { ConfigurationError, deliver, destinationOf, sinks, validate } from '../../../src';
import type { Json, JsonObject } from '../../../src';
import { NEEDS, describeWithPostgres, testDatabase } from '../../support/postgres';
import type { TestDatabase } from '../../support/postgres';
import { tableRuns } from '../../support/table-runs';

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
      'config.jobs[0].load: "append" would put rows with equal keys beside each other, and the table of "a" (config.jobs[0]) has a primary key. Write "merge", or remove config.primaryKeys.a',
    ],
    [
      'append with the key of a mapping',
      configureOf({ mappings: { a: { id: { mapping: { destination: 'id', primaryKey: true } } } } }, [
        { endpoint: 'a', load: 'append' },
      ]),
      'Write "merge", or remove the primary key in config.mappings.a',
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

  it('names the place of a key and of a load, whoever wrote it', async () => {
    api.answers = { '/a': [{ id: 1 }] };
    const refused = { code: 'KEY_NOT_FOUND' };
    const inJob = configOf([{ endpoint: 'a', load: 'merge', primaryKey: 'nr' }]);
    await expect(run('duckdb:items.duckdb', inJob)).rejects.toMatchObject({
      ...refused,
      message: expect.stringContaining('config.jobs[0].primaryKey') as string,
    });
    const inConfig = configOf([{ endpoint: 'a', load: 'merge' }], { primaryKeys: { a: 'nr' } });
    await expect(run('duckdb:items.duckdb', inConfig)).rejects.toMatchObject({
      ...refused,
      message: expect.stringContaining('config.primaryKeys.a') as string,
    });
    const inIteration = { ...(inConfig as JsonObject), iterations: [{ primaryKeys: { a: 'number' } }] };
    await expect(run('duckdb:items.duckdb', inIteration)).rejects.toMatchObject({
      ...refused,
      message: expect.stringContaining('iterations[0].primaryKeys.a') as string,
    });
    const jobs = [{ endpoint: 'a' }];
    expect(faultsOf({ ...(configOf(jobs) as JsonObject), iterations: [{ load: 'merge' }] })).toEqual([
      expect.stringContaining('iterations[0].load: "merge" needs to know'),
    ]);
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

/** Which configurations may show rows before the commit (docs/sinks.md#rows-before-the-commit). */

describe('visibility', () => {
  const api = tableRuns();
  const anywhere = 'postgres://127.0.0.1:1/none?visibility=page';
  const refusal = async (jobs: Json, settings: JsonObject = {}): Promise<ConfigurationError> => {
    const failure: unknown = await deliver(api.configOf(jobs, settings), [destinationOf(anywhere)]).catch(
      (error: unknown) => error,
    );
    if (!(failure instanceof ConfigurationError)) throw failure;
    expect(api.server.requests).toEqual([]);
    return failure;
  };

  it('"page" is refused where rows take the place of others', async () => {
    const { faults } = await refusal([
      { endpoint: 'users' },
      { endpoint: 'events', load: 'append' },
      {
        endpoint: 'orders',
        load: 'merge',
        primaryKey: 'id',
        children: [{ endpoint: 'lines/{id}', placeholders: { id: 'id' } }],
      },
    ]);
    expect(faults.map(({ path }) => path)).toEqual(['config.jobs[0]', 'config.jobs[2]', 'config.jobs[2].children[0]']);
    expect(faults[0]?.message).toMatch(
      /"visibility": "page".*earlier runs \(postgres:.*Write "load": "append" in the job, or leave/,
    );
    expect(faults[1]?.message).toMatch(/the same key.*remove config\.jobs\[2\]\.primaryKey/);
  });

  it('"page" is refused where mappings make the rows', async () => {
    const mappings = { events: { id: { type: 'column', mapping: { destination: 'id' } } } };
    const { faults } = await refusal([{ endpoint: 'events' }], { load: 'append', mappings });
    expect(faults.map(({ path }) => path)).toEqual(['config.mappings']);
  });

  it.each(['duckdb:x.duckdb', 'sqlite:x.sqlite', 'parquet:out', 'ndjson:out', 'csv:out', 'nats://h/S'])(
    '%s has no such setting',
    (to) => {
      expect(() => destinationOf({ to, visibility: 'page' })).toThrow(/visibility.*no such setting/s);
    },
  );

  it('is "run" or "page"', () => {
    expect(() => destinationOf({ to: 'postgres://h/b', visibility: 'row' })).toThrow(
      'visibility: expected one of run, page',
    );
  });
});

describeWithPostgres(`visibility "page" in a run ${NEEDS}`, () => {
  const api = tableRuns();
  let database: TestDatabase;
  beforeAll(async () => {
    database = await testDatabase();
  });
  afterAll(() => database.drop());

  it('a run of an id is made once, and an empty run changes nothing', async () => {
    const config = api.configOf([{ endpoint: 'events' }], { load: 'append' });
    const run = (runId: string) => deliver(config, [sinks.postgres(database.url, { visibility: 'page' })], { runId });
    api.answers = { '/events': [{ id: 1 }, { id: 2 }] };
    expect((await run('a')).stored[0]?.tables).toEqual([{ name: 'events', rows: 2 }]);
    const { length } = api.server.requests;
    expect((await run('a')).alreadyCommitted).toBe(true);
    expect(api.server.requests).toHaveLength(length);
    api.answers = {};
    expect((await run('b')).outcome).toBe('complete');
    expect(await database.query('SELECT id FROM events ORDER BY id')).toEqual([{ id: 1 }, { id: 2 }]);
    expect(await database.query('SELECT run_id FROM _headwater.runs ORDER BY 1')).toEqual([
      { run_id: 'a' },
      { run_id: 'b' },
    ]);
  });
});

/** Text files that were cut, and that rows are added to (docs/sinks.md#tables). */

describe('a file that rows are added to', () => {
  let folder: string;
  beforeEach(async () => (folder = await mkdtemp(join(tmpdir(), 'headwater-cut-'))));
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const run = (kind: string, load: object): Promise<unknown> =>
    deliver(
      { api: { baseUrl: 'https://api.test/' }, config: { jobs: [{ endpoint: 't', ...load }] } },
      [destinationOf(`${kind}:${folder}`)],
      {
        fetch: () =>
          Promise.resolve(
            Response.json([
              { id: 1, x: 'a' },
              { id: 2, x: 'b' },
            ]),
          ),
      },
    );
  const loads = [{ load: 'append' }, { load: 'merge', primaryKey: 'id' }];

  it.each(loads.flatMap((load) => [7, 3].flatMap((by) => [['csv', load, by] as const, ['ndjson', load, by] as const])))(
    '%s %j is refused where it lacks %d bytes',
    async (kind, load, by) => {
      const file = join(folder, `t.${kind}`);
      await run(kind, load);
      const cut = (await readFile(file)).subarray(0, -by);
      await writeFile(file, cut);
      await expect(run(kind, load)).rejects.toMatchObject({ code: 'DESTINATION_INCOMPATIBLE' });
      expect(await readFile(file)).toEqual(cut);
    },
  );

  it.each(loads.flatMap((load) => [['csv', load] as const, ['ndjson', load] as const]))(
    '%s %j may lack the last line end',
    async (kind, load) => {
      const file = join(folder, `t.${kind}`);
      await run(kind, load);
      await writeFile(file, (await readFile(file)).subarray(0, -1));
      await run(kind, load);
      const rows = (await readFile(file, 'utf8')).trimEnd().split('\n').length - (kind === 'csv' ? 1 : 0);
      expect(rows).toBe(load.load === 'append' ? 4 : 2);
    },
  );
});

/** Text files that rows are added to, and that are not what they should be (docs/sinks.md#tables). */

describe('a file that rows are added to', () => {
  let folder: string;
  beforeEach(async () => (folder = await mkdtemp(join(tmpdir(), 'headwater-damaged-'))));
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const ITEMS = [
    { id: 1, x: 'a' },
    { id: 2, x: 'b,"\n' },
    { id: 3, x: 'c' },
  ];
  const run = (to: string, load: object): Promise<unknown> =>
    deliver(
      { api: { baseUrl: 'https://api.test/' }, config: { jobs: [{ endpoint: 't', ...load }] } },
      [destinationOf(to.replace(':', `:${folder}`))],
      { fetch: () => Promise.resolve(Response.json(ITEMS)) },
    );
  const loads = [{ load: 'append' }, { load: 'merge', primaryKey: 'id' }];
  const csv = (...rows: readonly string[]): string => rows.map((row) => `${row}\n`).join('');

  const DAMAGED: readonly (readonly [string, string, string, string])[] = [
    ['csv', 'a row of more columns', csv('"id","x"', '"7","a"', '"8","b\n","c"', '"9","d"'), 'line 4'],
    ['csv', 'a row of fewer columns', csv('"id","x"', '"7","a\n"', '"8"', '"9","d"'), 'line 4'],
    ['csv', 'a blank line', csv('"id","x"', '"7","a"', '', '"9","d"'), 'line 3'],
    ['csv', 'text behind a quote', csv('"id","x"', '"7","a"b', '"9","d"'), 'line 2'],
    ['csv', 'a quote that is never closed', csv('"id","x"', '"7","a', '"9","d"'), 'line'],
    ['ndjson', 'a line that is cut', csv('{"id":7}', '{"id":8,"x":"b', '{"id":9}'), 'line 2'],
    ['ndjson', 'two lines in one', csv('{"id":7}', '{"id":8}{"id":9}'), 'line 2'],
    ['ndjson', 'an array over several lines', csv('[', '{"id":8}', ']'), 'line 1'],
  ];

  it.each(loads.flatMap((load) => DAMAGED.map((each) => [load, ...each] as const)))(
    '%j: %s with %s is refused, and stays',
    async (load, kind, _, text, place) => {
      const file = join(folder, `t.${kind}`);
      await writeFile(file, text);
      await expect(run(`${kind}:`, load)).rejects.toMatchObject({
        code: 'DESTINATION_INCOMPATIBLE',
        message: expect.stringMatching(new RegExp(`t\\.${kind}".*${place}`)) as string,
      });
      expect(await readFile(file, 'utf8')).toBe(text);
    },
  );

  it.each(loads)('%j: NDJSON may begin with a byte order mark', async (load) => {
    const file = join(folder, 't.ndjson');
    await writeFile(file, '\ufeff{"id":1,"x":"old"}\n\n{"id":7}\r\n');
    await run('ndjson:', load);
    const lines = (await readFile(file, 'utf8')).split('\n').filter((line) => line !== '');
    const ids = lines.map((line) => (JSON.parse(line) as { readonly id: number }).id);
    expect(ids).toEqual(load.load === 'append' ? [1, 7, 1, 2, 3] : [7, 1, 2, 3]);
  });

  it.each(loads)('%j: a compressed file whose content ends in the middle of a line is refused', async (load) => {
    const file = join(folder, 't.ndjson.gz');
    await run('ndjson:?compress=gzip', load);
    const cut = gzipSync(gunzipSync(await readFile(file)).subarray(0, -5));
    await writeFile(file, cut);
    for (const to of ['ndjson:?compress=gzip', 'ndjson:'])
      await expect(run(to, load)).rejects.toMatchObject({
        code: 'DESTINATION_INCOMPATIBLE',
        message: expect.stringContaining('t.ndjson.gz') as string,
      });
    expect(await readFile(file)).toEqual(cut);
  });
});
