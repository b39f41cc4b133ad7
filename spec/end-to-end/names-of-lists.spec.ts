/** Names that tables of lists and mapped tables have had stay theirs from run to run (docs/sinks.md#names). */
import { deliver } from '../../src';
import type { JsonObject } from '../../src';
import { describeWithPostgres, NEEDS } from '../support/postgres';
import { describeWithSqlite } from '../support/sqlite';
import { duckdbPlace, parquetPlace, postgresPlace, sqlitePlace } from '../support/tables';
import type { TablesPlace } from '../support/tables';

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
namesOfLists('parquet', parquetPlace);
describeWithSqlite('sqlite', () => namesOfLists('sqlite', sqlitePlace));
describeWithPostgres(NEEDS, () => namesOfLists('postgres', postgresPlace));
