/** Parquet files by the values of columns (docs/sinks.md#partitions). */
import { mkdtempSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deliver, destinationOf } from '../../../src';
import { filesIn } from '../../../src/sinks/files/folder-commit';
import { queryDuckDB } from '../../support/duckdb';

describe('parquet files in partitions', () => {
  let folder: string;
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'headwater-spec-'))));
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const run = (
    items: readonly object[],
    config: object = {},
    partitionBy: string | readonly string[] | false = 'country',
  ) =>
    deliver(
      {
        api: { baseUrl: 'http://api.test' },
        config: { jobs: [{ endpoint: 'orders', primaryKey: config === keyed ? ['id'] : [] }], ...config },
      },
      [destinationOf(partitionBy === false ? `parquet:${folder}` : { to: `parquet:${folder}`, partitionBy })],
      { fetch: () => Promise.resolve(Response.json(items)) },
    );
  const adds = { incrementalOutput: true };
  const keyed = { ...adds };
  const files = async (): Promise<string[]> =>
    (await filesIn(folder)).filter((file) => !file.startsWith('.headwater')).sort();
  const folders = async (): Promise<string[]> => [
    ...new Set((await files()).map((file) => file.split('/').slice(0, -1).join('/'))),
  ];
  const rows = (columns = 'id, country', order = 'id') =>
    queryDuckDB(
      ':memory:',
      `SELECT ${columns} FROM read_parquet('${folder}/orders/**/*.parquet', hive_partitioning = true, hive_types_autocast = false) ORDER BY ${order}`,
    );
  const first = [
    { id: 1, country: 'CH' },
    { id: 2, country: 'DE' },
    { id: 3, country: null },
    { id: 4, country: 'a/b =ü' },
  ];

  it('lie in folders that readers of hive understand, also those of NULL and of special characters', async () => {
    await run(first);
    expect((await folders())[1]).toBe('orders/country=DE');
    expect(await folders()).toContain('orders/country=__HIVE_DEFAULT_PARTITION__');
    expect(await rows()).toEqual([
      [1, 'CH'],
      [2, 'DE'],
      [3, null],
      [4, 'a/b =ü'],
    ]);
  });

  it('are kept for a table of any name', async () => {
    await deliver(
      { api: { baseUrl: 'http://api.test' }, config: { jobs: [{ endpoint: 'load' }] } },
      [destinationOf({ to: `parquet:${folder}`, partitionBy: 'country' })],
      { fetch: () => Promise.resolve(Response.json(first.slice(0, 2))) },
    );
    expect(await files()).toEqual(['load/country=CH/data_0.parquet', 'load/country=DE/data_0.parquet']);
  });

  it('are replaced: partitions that are no more go, with their folders', async () => {
    await run(first);
    await run([{ id: 5, country: 'CH' }]);
    expect(await files()).toEqual(['orders/country=CH/data_0.parquet']);
    expect(await rows()).toEqual([[5, 'CH']]);
    await run([]);
    expect(await rows('count(*)', '1')).toEqual([[0n]]);
    expect(
      await queryDuckDB(':memory:', `SELECT id, country FROM read_parquet('${folder}/orders/**/*.parquet')`),
    ).toEqual([]);
  });

  it('get rows; others stay untouched', async () => {
    await run(first, adds);
    const other = join(folder, 'orders/country=DE/data_0.parquet');
    const before = [statSync(other).ino, readFileSync(other)];
    await run(
      [
        { id: 6, country: 'CH' },
        { id: 7, country: 'FR' },
      ],
      adds,
    );
    expect([statSync(other).ino, readFileSync(other)]).toEqual(before);
    expect(await rows('count(*)', '1')).toEqual([[6n]]);
    expect(await rows('id', 'id')).toEqual([[1], [2], [3], [4], [6], [7]]);
  });

  it('follow a row that changes its partition', async () => {
    await run(first, keyed);
    await run(
      [
        { id: 1, country: 'DE' },
        { id: 3, country: 'AT' },
      ],
      keyed,
    );
    expect(await rows()).toEqual([
      [1, 'DE'],
      [2, 'DE'],
      [3, 'AT'],
      [4, 'a/b =ü'],
    ]);
    expect((await folders()).filter((each) => /CH|HIVE/.test(each))).toEqual([]);
  });

  it('of several files keep the rows of all when a row leaves one of them', async () => {
    await run(
      [1, 2, 3, 4].map((id) => ({ id, country: 'CH' })),
      keyed,
    );
    const parts = join(folder, 'orders/country=CH');
    for (const [at, ids] of ['1, 2', '3, 4'].entries())
      await queryDuckDB(
        ':memory:',
        `COPY (FROM '${parts}/data_0.parquet' WHERE id IN (${ids})) TO '${parts}/part_${at}.parquet' (FORMAT parquet)`,
      );
    renameSync(join(parts, 'part_0.parquet'), join(parts, 'data_0.parquet'));
    renameSync(join(parts, 'part_1.parquet'), join(parts, 'data_1.parquet'));
    await run([{ id: 3, country: 'DE' }], keyed);
    expect(await rows()).toEqual([
      [1, 'CH'],
      [2, 'CH'],
      [3, 'DE'],
      [4, 'CH'],
    ]);
  });

  it.each([[{}], [adds], [keyed]])(
    'are refused for a text that hive writes in place of NULL, and change nothing: %j',
    async (config) => {
      await run(first, config);
      const before = await rows();
      const taken = [
        { id: 5, country: null },
        { id: 6, country: '__HIVE_DEFAULT_PARTITION__' },
      ];
      await expect(run(taken, config)).rejects.toMatchObject({
        code: 'DESTINATION_INCOMPATIBLE',
        message: expect.stringMatching(/"country" is __HIVE_DEFAULT_PARTITION__/) as string,
      });
      expect(await rows()).toEqual(before);
    },
  );

  it.each(['y'.repeat(400), 'é'.repeat(60)])(
    'are refused for a value that no folder can be named: %s',
    async (long) => {
      await expect(run([...first, { id: 5, country: long }])).rejects.toMatchObject({
        code: 'DESTINATION_INCOMPATIBLE',
        message: expect.stringMatching(
          /^(?!.*(yyyy|éééé|%C3)).*"orders".*"country" is too long.*partitionBy/,
        ) as string,
      });
      expect(await files()).toEqual([]);
      await run([{ id: 5, country: long.slice(0, 30) }]);
      expect(await rows('id')).toEqual([[5]]);
    },
  );

  it('are all made again when the table gets a column or a wider type', async () => {
    await run(first, adds);
    await run([{ id: 'x', country: 'CH', new: true }], adds);
    const all = await queryDuckDB(
      ':memory:',
      `SELECT DISTINCT type, name FROM parquet_schema('${folder}/orders/**/*.parquet') WHERE name IN ('id', 'new') ORDER BY 2`,
    );
    expect(all).toEqual([
      ['BYTE_ARRAY', 'id'],
      ['BOOLEAN', 'new'],
    ]);
    expect(await rows('count(*), count(new)', '1')).toEqual([[5n, 1n]]);
  });

  it('may be by several columns; texts of digits keep their zeros', async () => {
    await run(
      [
        { id: 1, country: 'CH', zip: '0001' },
        { id: 2, country: 'CH', zip: '0002' },
      ],
      adds,
      ['country', 'zip'],
    );
    await run([{ id: 3, country: 'CH', zip: '0001' }], adds, ['country', 'zip']);
    expect(await folders()).toEqual(['orders/country=CH/zip=0001', 'orders/country=CH/zip=0002']);
    expect(await rows('id, zip')).toEqual([
      [1, '0001'],
      [2, '0002'],
      [3, '0001'],
    ]);
  });

  it('leave tables of lists in one file each, whose rows go with those of their parents', async () => {
    const order = (id: number, country: string, ...tags: string[]): object => ({ id, country, tags });
    await run([order(1, 'CH', 'a', 'b'), order(2, 'DE', 'c')], keyed);
    await run([order(1, 'FR', 'z')], keyed);
    expect((await files()).filter((file) => !file.startsWith('orders/'))).toEqual(['orders_tags.parquet']);
    expect(await queryDuckDB(':memory:', `SELECT value FROM '${folder}/orders_tags.parquet' ORDER BY 1`)).toEqual([
      ['c'],
      ['z'],
    ]);
  });

  it('take the place of one file, and the other way round', async () => {
    await run(first.slice(0, 2), adds, false);
    await run(first.slice(2), adds);
    expect(await rows('id')).toEqual([[1], [2], [3], [4]]);
    expect(await files()).not.toContain('orders.parquet');
    await run([{ id: 9, country: 'CH' }], adds, false);
    expect(await files()).toEqual(['orders.parquet']);
    expect(await queryDuckDB(':memory:', `SELECT id FROM '${folder}/orders.parquet' ORDER BY 1`)).toEqual([
      [1],
      [2],
      [3],
      [4],
      [9],
    ]);
  });

  it.each([[{}], [adds]])('go when the setting does, whatever other runs came between: %j', async (config) => {
    await run(first, config);
    await deliver(
      { api: { baseUrl: 'http://api.test' }, config: { jobs: [{ endpoint: 'others' }] } },
      [destinationOf(`parquet:${folder}`)],
      { fetch: () => Promise.resolve(Response.json(first)) },
    );
    await run([{ id: 5, country: 'CH' }], config, false);
    expect(await files()).toEqual(['orders.parquet', 'others.parquet']);
    const single = await queryDuckDB(':memory:', `SELECT id FROM read_parquet('${folder}/orders.parquet') ORDER BY id`);
    expect(single.map(([id]) => id)).toEqual(config === adds ? [1, 2, 3, 4, 5] : [5]);
  });

  describe('of mapped tables', () => {
    const tags = { type: 'table', destination: 'tag', tableMapping: { '.': 'tag' } };

    it('are refused before the first request where a mapping has no such column', async () => {
      let requests = 0;
      const fetch = () => {
        requests += 1;
        return Promise.resolve(Response.json(first));
      };
      const config = { jobs: [{ endpoint: 'orders' }], mappings: { orders: { id: 'id', country: 'land', tags } } };
      const running = deliver(
        { api: { baseUrl: 'http://api.test' }, config },
        [destinationOf({ to: `parquet:${folder}`, partitionBy: 'country' })],
        { fetch },
      );
      await expect(running).rejects.toMatchObject({
        code: 'CONFIG_INVALID',
        faults: [
          { path: 'config.mappings.orders', message: expect.stringMatching(/"country".*partitionBy/) as string },
        ],
      });
      expect(requests).toBe(0);
    });

    it('leave child tables in one file each', async () => {
      await run([{ id: 1, country: 'CH', tags: ['x'] }], {
        mappings: { orders: { id: 'id', country: 'country', tags } },
      });
      expect(await files()).toEqual(['orders/country=CH/data_0.parquet', 'tag.parquet']);
    });
  });

  it('leave a folder of somebody else with the name of the table', async () => {
    await run(first.slice(0, 1));
    rmSync(join(folder, '.headwater'), { recursive: true });
    await run([{ id: 9, country: 'CH' }], {}, false);
    expect(await files()).toEqual(['orders.parquet', 'orders/country=CH/data_0.parquet']);
  });

  it('need their column in every table; else nothing changes', async () => {
    await run(first);
    const before = await files();
    await expect(run([{ id: 1 }])).rejects.toMatchObject({
      code: 'DESTINATION_INCOMPATIBLE',
      message: expect.stringContaining(
        'does not have the column "country", which partitionBy names; it has id.',
      ) as string,
    });
    expect(await files()).toEqual(before);
    expect(await rows('count(*)', '1')).toEqual([[4n]]);
  });

  it('are refused beside one file where rows are added', async () => {
    await run(first, adds);
    writeFileSync(join(folder, 'orders.parquet'), readFileSync(join(folder, 'orders/country=CH/data_0.parquet')));
    await expect(run(first, adds)).rejects.toMatchObject({ code: 'DESTINATION_INCOMPATIBLE' });
  });
});
