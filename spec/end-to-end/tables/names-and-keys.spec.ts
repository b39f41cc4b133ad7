/** What tables are called: one rule for all destinations (docs/sinks.md#names). */
import { DuckDBInstance } from '@duckdb/node-api';
import { mkdtemp, readFile, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deliver, destinationOf, validate } from '../../../src';
import type { Destination, Json, JsonObject } from '../../../src';
import { ALL_CASES, describeAlike } from '../../support/cases';
import { json } from '../../support/answers';
import { startServer } from '../../support/api-server';
import type { ApiServer } from '../../support/api-server';
import { COMPONENT, filesIn, load } from '../../support/load';
import { NEEDS, describeWithPostgres } from '../../support/postgres';
import { describeWithSqlite } from '../../support/sqlite';
import { tableRuns } from '../../support/table-runs';
import { csvPlace, duckdbPlace, ndjsonPlace, parquetPlace, postgresPlace, sqlitePlace } from '../../support/tables';
import type { TablesPlace } from '../../support/tables';
import { exampleAt } from '../examples';

describe('names of tables', () => {
  const api = tableRuns();
  const { configOf } = api;
  const ITEMS = [{ id: 1, lines: [{ sku: 'a' }] }];
  beforeEach(() => {
    api.answers = { '/v1/orders.json?open=1': ITEMS, '/authors/': ITEMS, '/orders.json': ITEMS };
  });
  const filesIn = async (place: string): Promise<readonly string[]> =>
    (await readdir(join(api.folder, place))).filter((name) => !name.startsWith('.')).sort();
  const duckdbTables = async (): Promise<readonly unknown[]> => {
    const instance = await DuckDBInstance.create(join(api.folder, 'items.duckdb'));
    const connection = await instance.connect();
    const rows = (
      await connection.runAndReadAll("SELECT table_name FROM duckdb_tables() WHERE schema_name = 'main'")
    ).getRowsJS();
    connection.closeSync();
    instance.closeSync();
    return rows.map(([name]) => name).sort();
  };

  const JOBS = [
    { endpoint: 'v1/orders.json?open=1' },
    { endpoint: 'authors/', tableName: 'writers', primaryKey: 'id' },
  ];

  it.each([
    ['ndjson:out', ['v1_orders.ndjson', 'writers.ndjson']],
    ['csv:out', ['v1_orders.csv', 'v1_orders_lines.csv', 'writers.csv', 'writers_lines.csv']],
    ['parquet:out', ['v1_orders.parquet', 'v1_orders_lines.parquet', 'writers.parquet', 'writers_lines.parquet']],
  ])('%s', async (url, files) => {
    const { stored } = await deliver(configOf(JOBS), [destinationOf(url.replace(':', `:${api.folder}/`))]);
    expect(await filesIn('out')).toEqual(files);
    expect(stored[0]?.tables.length).toBe(files.length);
  });

  it('duckdb, and keys that are written by dataType hold for the table of another name', async () => {
    const config = configOf(JOBS, { incrementalOutput: true, primaryKeys: { 'v1/orders.json?open=1': 'id' } });
    const to = destinationOf(`duckdb:${api.folder}/items.duckdb`);
    await deliver(config, [to]);
    const { stored } = await deliver(config, [to]);
    expect(await duckdbTables()).toEqual(['v1_orders', 'v1_orders_lines', 'writers', 'writers_lines']);
    expect(stored[0]?.tables.filter(({ name }) => !name.endsWith('_lines'))).toMatchObject([
      { name: 'v1_orders', rows: 1 },
      { name: 'writers', rows: 1 },
    ]);
  });

  it('mappings that are written by dataType make the table of another name', async () => {
    const jobs = [{ endpoint: 'orders.json' }];
    await deliver(configOf(jobs, { mappings: { 'orders.json': { id: 'number' } } }), [
      destinationOf(`csv:${api.folder}/out`),
    ]);
    expect(await filesIn('out')).toEqual(['orders.csv']);
  });

  it.each([
    [[{ endpoint: 'orders' }, { endpoint: 'orders.json' }], 'config.jobs[1]', '"orders", which is that of "orders"'],
    [[{ endpoint: 'a' }, { endpoint: 'A' }], 'config.jobs[1]', '"A", which is that of "a"'],
    [
      [{ endpoint: 'a', children: [{ endpoint: '{id}', tableName: 'a', placeholders: { id: 'id' } }] }],
      'config.jobs[0].children[0]',
      'which is that of "a" (config.jobs[0])',
    ],
  ])('refuses dataTypes whose tables would be one: %j', async (jobs, path, reason) => {
    expect(() => validate(configOf(jobs))).toThrow(
      expect.objectContaining({ faults: [{ path, message: expect.stringContaining(reason) as string }] }) as Error,
    );
    await expect(deliver(configOf(jobs), [destinationOf(`csv:${api.folder}/out`)])).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
    });
    expect(api.server.requests).toEqual([]);
  });

  it('takes them where one has a name of its own, and where both are one dataType', () => {
    const [a, b] = [{ endpoint: 'orders' }, { endpoint: 'orders.json' }];
    expect(validate(configOf([a, { ...b, tableName: 'later' }])).jobs).toBe(2);
    expect(validate(configOf([a, { ...b, dataType: 'orders' }])).jobs).toBe(2);
  });

  it('refuses two names for one dataType, and names that SQL does not take', () => {
    const twice = [
      { endpoint: 'a', dataType: 'x', tableName: 'one' },
      { endpoint: 'b', dataType: 'x', tableName: 'two' },
    ];
    expect(() => validate(configOf(twice))).toThrow('the table of "x" has another value in config.jobs[0].tableName');
    for (const tableName of ['a b', '1a', 'a/b', '.', 'x'.repeat(64), 'a"b'])
      expect(() => validate(configOf([{ endpoint: 'a', tableName }]))).toThrow(
        'expected a name of letters, digits and "_"',
      );
  });
});

/** Names that tables of lists and mapped tables have had stay theirs from run to run (docs/sinks.md#names). */

describe('names of lists', () => {
  const load = (place: TablesPlace, endpoint: string, items: readonly JsonObject[], config: JsonObject = {}) =>
    deliver(
      { api: { baseUrl: 'https://api.test/' }, config: { jobs: [{ endpoint }], incrementalOutput: true, ...config } },
      [place.to()],
      { fetch: () => Promise.resolve(Response.json(items)) },
    );

  function namesOfLists(name: string, make: () => Promise<TablesPlace>): void {
    describe(`names in ${name}`, () => {
      let place: TablesPlace;
      beforeEach(async () => (place = await make()));
      afterEach(() => place.drop());

      it.each([
        ['with rows', [{ n: 1 }]],
        ['without rows', []],
      ])('a list does not take that of a mapped table of an earlier run: %s', async (_, items) => {
        await load(place, 'orders_lines', items, { mappings: { orders_lines: { n: 'n' } } });
        await load(place, 'orders', [{ id: 1, lines: [{ sku: 'a' }] }]);
        expect((await place.rows('orders_lines')) ?? []).toEqual(items);
        expect(await place.rows('orders')).toMatchObject([{ id: 1 }]);
      });

      it('a dataType of flat items does not take that of a list of an earlier run', async () => {
        await load(place, 'orders', [{ id: 1, lines: [{ sku: 'a' }] }]);
        const before = await place.rows('orders_lines');
        expect(before).toMatchObject([{ sku: 'a' }]);
        for (const incrementalOutput of [true, false]) {
          const running = load(place, 'orders_lines', [{ sku: 'flat' }], { incrementalOutput });
          await expect(running).rejects.toMatchObject({ code: 'TABLE_NAME', table: 'orders_lines' });
        }
        expect(await place.rows('orders_lines')).toEqual(before);
      });

      it('a mapping of items that were split may name its tables like theirs', async () => {
        await load(place, 'orders', [{ id: 1, lines: [{ sku: 'a' }] }]);
        const lines = { type: 'table', destination: 'orders_lines', tableMapping: { sku: 'sku' } };
        const mappings = { orders: { id: 'id', lines } };
        for (const items of [[{ id: 2, lines: [{ sku: 'b' }] }], []])
          await load(place, 'orders', items, { incrementalOutput: false, mappings });
        expect(await place.rows('orders_lines')).toEqual([]);
      });
    });
  }

  namesOfLists('duckdb', duckdbPlace);
  describeAlike('in Parquet', () => namesOfLists('parquet', parquetPlace));
  describeWithSqlite('sqlite', () => namesOfLists('sqlite', sqlitePlace));
  describeWithPostgres(NEEDS, () => namesOfLists('postgres', postgresPlace));
});

/** Rows that are merged: which rows a key tells from others, and what is refused where it could not (docs/sinks.md#tables). */

type Create = () => Promise<TablesPlace>;

const run = (to: Destination, config: JsonObject, answer: (path: string) => Json): Promise<unknown> =>
  deliver({ api: { baseUrl: 'http://api.test/' }, config }, [to], {
    fetch: (url) =>
      Promise.resolve(
        Response.json(
          answer(new URL(typeof url === 'string' ? url : url instanceof URL ? url.href : url.url).pathname.slice(1)),
        ),
      ),
  });

async function inPlace(create: Create, work: (place: TablesPlace) => Promise<void>): Promise<void> {
  const place = await create();
  try {
    await work(place);
  } finally {
    await place.drop();
  }
}

const KIDS: JsonObject = {
  jobs: [
    {
      endpoint: 'par',
      children: [
        {
          ...{ endpoint: 'par/{id}/kids', dataType: 'kids', placeholders: { id: 'id' } },
          ...{ load: 'merge', primaryKey: ['parent_id', 'n'] },
        },
      ],
    },
  ],
};
const PARENTS: Json = [{ id: 1 }, { id: 2 }, { id: 3 }];
const merged = (kids: Record<string, Json>) => (path: string) =>
  path === 'par' ? PARENTS : (kids[path[4] ?? ''] ?? []);

const UNCLEAR = { code: 'DESTINATION_INCOMPATIBLE', message: expect.stringContaining('"parent_id"') as string };

const ALL: readonly (readonly [string, Create])[] = [
  ['csv', () => csvPlace()],
  ['ndjson', () => ndjsonPlace()],
  ['duckdb', () => duckdbPlace()],
  ...(ALL_CASES ? [['parquet', () => parquetPlace()] as const] : []),
];

/** A key of placeholders whose name an item has as well. */
function placeholders(create: Create): void {
  it('refuse a key of a placeholder that some items have as a key of their own', () =>
    inPlace(create, async (place) => {
      const later = {
        1: [{ n: 1, parent_id: 'x' }],
        2: [{ n: 1, v: 'two' }],
        3: [{ n: 1, v: 'three' }],
      };
      await expect(run(place.to(), KIDS, merged(later))).rejects.toMatchObject(UNCLEAR);
      expect((await place.rows('kids')) ?? []).toEqual([]);
    }));

  it('take the key of the items where all have it', () =>
    inPlace(create, async (place) => {
      const own = { 1: [{ n: 1, parent_id: 'x' }], 2: [{ n: 1, parent_id: 'y' }] };
      await run(place.to(), KIDS, merged(own));
      await run(place.to(), KIDS, merged(own));
      expect(await place.rows('kids')).toHaveLength(2);
    }));
}

describe.each(ALL)('rows that are merged in %s', (_, create) => placeholders(create));
describeWithSqlite('rows that are merged in SQLite', () => placeholders(() => sqlitePlace()));
describeWithPostgres(`rows that are merged in PostgreSQL ${NEEDS}`, () => placeholders(() => postgresPlace()));

describe('csv: to whose rows others are added', () => {
  it.each(['merge', 'append'])('%s refuses items with a key that was the name of a placeholder in the file', (load) =>
    inPlace(
      () => csvPlace(),
      async (place) => {
        const [parents] = KIDS['jobs'] as [{ endpoint: string; children: [JsonObject] }];
        const child = { ...parents.children[0], load, ...(load === 'append' ? { primaryKey: [] } : {}) };
        const config = { jobs: [{ ...parents, children: [child] }] };
        await run(place.to(), config, merged({ 1: [{ n: 1 }], 2: [{ n: 1 }] }));
        const before = await place.rows('kids');
        expect(before).toHaveLength(2);
        await expect(run(place.to(), config, merged({ 3: [{ n: 3, parent_id: 'x' }] }))).rejects.toMatchObject(UNCLEAR);
        expect(await place.rows('kids')).toEqual(before);
      },
    ),
  );
});

const ONE: JsonObject = { jobs: [{ endpoint: 't', load: 'merge', primaryKey: 'id' }] };

function typed(create: Create): void {
  it('find integers of a column of doubles when it becomes text', () =>
    inPlace(create, async (place) => {
      const bodies: readonly Json[] = [
        [
          { id: 1, v: 1 },
          { id: 1.5, v: 2 },
        ],
        [
          { id: 'A7', v: 3 },
          { id: 1, v: 4 },
        ],
      ];
      for (const body of bodies) await run(place.to(), ONE, () => body);
      const rows = (await place.rows('t')) ?? [];
      expect(rows.map(({ id, v }) => [id, Number(v)]).sort()).toEqual([
        ['1', 4],
        ['1.5', 2],
        ['A7', 3],
      ]);
    }));

  it.each([
    [
      'integers beyond 64 bits beside fractions',
      ['[{"id":1},{"id":2}]', '[{"id":9223372036854775808}]', '[{"id":0.1}]'],
      '[{"id":"abc"},{"id":1},{"id":9223372036854775808},{"id":0.1}]',
      ['0.1', '1', '2', '9223372036854775808', 'abc'],
    ],
    [
      'zeros behind the point',
      ['[{"id":1.0},{"id":2.50},{"id":0.0},{"id":100}]', '[{"id":9223372036854775808}]'],
      '[{"id":"abc"},{"id":1},{"id":2.5},{"id":0},{"id":100}]',
      ['0', '1', '100', '2.5', '9223372036854775808', 'abc'],
    ],
  ])('find decimals of a column when it becomes text: %s', (_, before, after, expected) =>
    inPlace(create, async (place) => {
      const config = { api: { baseUrl: 'http://api.test/' }, config: ONE };
      for (const body of [...before, after]) {
        const answer = () => new Response(body, { headers: { 'content-type': 'application/json' } });
        await deliver(config, [place.to()], { fetch: () => Promise.resolve(answer()) });
      }
      expect(((await place.rows('t')) ?? []).map(({ id }) => id).sort()).toEqual(expected);
    }),
  );

  it('refuse a key of moments that becomes text', () =>
    inPlace(create, async (place) => {
      await run(place.to(), ONE, () => [{ id: '2024-02-29T12:00:00.5+02:00', v: 1 }]);
      await expect(run(place.to(), ONE, () => [{ id: 'unknown', v: 2 }])).rejects.toMatchObject({
        code: 'DESTINATION_INCOMPATIBLE',
        message: expect.stringContaining('"id" of the primary key') as string,
      });
      expect(await place.rows('t')).toHaveLength(1);
    }));

  it('write moments in a column that becomes text in one way', () =>
    inPlace(create, async (place) => {
      await run(place.to(), ONE, () => [
        { id: 1, at: '2024-02-29T10:00:00Z' },
        { id: 2, at: '2024-02-29T12:00:00.5+02:00' },
      ]);
      await run(place.to(), ONE, () => [{ id: 3, at: 'unknown' }]);
      const rows = (await place.rows('t')) ?? [];
      expect(rows.map(({ at }) => at).sort()).toEqual(['2024-02-29T10:00:00.5Z', '2024-02-29T10:00:00Z', 'unknown']);
    }));
}

describe.each(ALL.slice(2))('rows that are merged by typed columns in %s', (_, create) => typed(create));
describeWithPostgres(`rows that are merged by typed columns in PostgreSQL ${NEEDS}`, () =>
  typed(() => postgresPlace()),
);

function mapped(create: Create): void {
  it('refuse keys of several columns that could not be told from each other below them', () =>
    inPlace(create, async (place) => {
      const key = (destination: string): Json => ({ mapping: { destination, primaryKey: true } });
      const tags = { type: 'table', destination: 'tag', tableMapping: { '.': 'n' } };
      const config: JsonObject = {
        jobs: [{ endpoint: 'b', load: 'merge' }],
        mappings: { b: { r: key('r'), q: key('q'), tags } },
      };
      await run(place.to(), config, () => [{ r: 'Smith', q: 'NY', tags: ['t1', 't2'] }]);
      await run(place.to(), config, () => [{ r: 'Smith', q: 'NY', tags: ['t3'] }]);
      const before = await place.rows('tag');
      expect(before?.map(({ n }) => n)).toEqual(['t3']);
      await expect(run(place.to(), config, () => [{ r: 'Smith,J', q: 'NY', tags: ['t4'] }])).rejects.toMatchObject({
        code: 'API_SHAPE',
        message: expect.stringMatching(/"r".*comma.*parentKey/) as string,
      });
      expect(await place.rows('tag')).toEqual(before);
    }));
}

describe.each(ALL)('mapped rows that are merged in %s', (_, create) => mapped(create));
describeWithSqlite('mapped rows that are merged in SQLite', () => mapped(() => sqlitePlace()));
describeWithPostgres(`mapped rows that are merged in PostgreSQL ${NEEDS}`, () => mapped(() => postgresPlace()));

/** Tables whose rows were stored under another key, or renamed since. */
function renamed(create: Create): void {
  const added = (load: JsonObject): JsonObject => ({ jobs: [{ endpoint: 't', ...load }] });
  const LACKS = (column: string): object => ({
    code: 'DESTINATION_INCOMPATIBLE',
    message: expect.stringContaining(`has rows, but no column "${column}"`) as string,
  });

  it.each([
    ['one column', 'id', 'id'],
    ['several, of which one is there', ['n', 'lang'], 'lang'],
  ])('are refused where the table lacks the key: %s', (_, primaryKey, missing) =>
    inPlace(create, async (place) => {
      await run(place.to(), added({ load: 'append' }), () => [{ n: 1 }, { n: 2 }]);
      const before = await place.rows('t');
      const merge = added({ load: 'merge', primaryKey });
      const items: Json = [{ n: 1, id: 1, lang: 'de' }];
      await expect(run(place.to(), merge, () => items)).rejects.toMatchObject(LACKS(missing));
      expect(await place.rows('t')).toEqual(before);
    }),
  );

  it('are stored where nothing comes, and where the table has the key', () =>
    inPlace(create, async (place) => {
      await run(place.to(), added({ load: 'append' }), () => [{ n: 1 }, { n: 2 }]);
      await run(place.to(), added({ load: 'merge', primaryKey: 'id' }), () => []);
      await run(place.to(), added({ load: 'merge', primaryKey: 'n' }), () => [{ n: 1, id: 1 }]);
      expect(await place.rows('t')).toHaveLength(2);
    }));
}

describe.each(ALL)('rows that are merged into older ones in %s', (_, create) => renamed(create));
describeWithSqlite('rows that are merged into older ones in SQLite', () => renamed(() => sqlitePlace()));
describeWithPostgres(`rows that are merged into older ones in PostgreSQL ${NEEDS}`, () =>
  renamed(() => postgresPlace()),
);

/** docs/sinks.md#primary-keys over whole runs. */

describe('primary keys without a mapping', () => {
  let server: ApiServer;
  let folder: string;
  beforeEach(async () => {
    server = await startServer({
      '/gauges': json([{ river: 'ALD', number: 1, 'site.name': 'x', tags: ['a'], at: { lat: 1 } }]),
      '/people': json([{ id: 1 }]),
      '/none': json([]),
    });
    folder = await mkdtemp(join(tmpdir(), 'headwater-spec-'));
  });
  afterEach(async () => {
    await server.close();
    await rm(folder, { recursive: true });
  });

  const run = (config: object): Promise<unknown> => load(config, filesIn(join(folder, 'out'), COMPONENT, folder));
  const withConfig = (config: object): object => ({ api: { baseUrl: server.origin }, config });
  const keyOf = async (table: string): Promise<unknown> => {
    const manifest: unknown = JSON.parse(await readFile(join(folder, 'out', `${table}.manifest`), 'utf8'));
    return (manifest as { primary_key?: unknown }).primary_key;
  };

  it('examples/extensions/primary-keys.json is valid; tables get their keys, child tables none', async () => {
    const config = exampleAt(server.origin, 'primary-keys.json');
    expect(validate(config)).toMatchObject({ jobs: 2, warnings: [] });
    await run(config);
    expect(await keyOf('rivers.gauges')).toEqual(['river', 'number']);
    expect(await keyOf('rivers.keepers')).toEqual(['id']);
    expect(await keyOf('rivers.gauges_tags')).toBeUndefined();
  });

  it('columns have the names of the finished table', async () => {
    await run(withConfig({ jobs: [{ endpoint: 'gauges', primaryKey: ['site_name', 'at_lat', 'tags'] }] }));
    expect(await keyOf('gauges')).toEqual(['site_name', 'at_lat', 'tags']);
  });

  it('a column that the table does not have is an error that lists its columns; nothing is stored', async () => {
    await expect(
      run(withConfig({ jobs: [{ endpoint: 'gauges', primaryKey: ['id', 'river'] }] })),
    ).rejects.toMatchObject({
      code: 'KEY_NOT_FOUND',
      message:
        'config.jobs[0].primaryKey: no row of the table "gauges" has the column "id" of the primary key. ' +
        "Known: 'river', 'number', 'site_name', 'tags', 'at_lat'. Nothing was stored: correct the key, and run again without --resume.",
    });
    expect(await readdir(folder)).toEqual([]);
  });

  it('a table without rows needs no columns', async () => {
    await run(withConfig({ jobs: [{ endpoint: 'none', primaryKey: 'id' }] }));
    expect(await readdir(join(folder, 'out'))).toEqual([]);
  });
});
