/** What tables are called: one rule for all destinations (docs/sinks.md#names). */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { deliver, destinationOf, validate } from '../../src';
import { tableRuns } from '../support/table-runs';

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
