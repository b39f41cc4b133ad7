/** Later runs that change the columns of a table say so (docs/sinks.md). */
import { deliver } from '../../src';
import type { Json, JsonObject, RunEvent } from '../../src';
import { describeWithPostgres, NEEDS } from '../support/postgres';
import { duckdbPlace, parquetPlace, postgresPlace } from '../support/tables';
import type { TablesPlace } from '../support/tables';

async function told(place: TablesPlace, items: readonly Json[], config: JsonObject, strict = false): Promise<string[]> {
  const warnings: string[] = [];
  const onEvent = (event: RunEvent): void => {
    if (event.type === 'warning') warnings.push(`${event.code} ${event.message}`);
  };
  await deliver(
    { api: { baseUrl: 'https://api.test/' }, config: { jobs: [{ endpoint: 'orders' }], ...config } },
    [place.to()],
    { fetch: () => Promise.resolve(new Response(JSON.stringify(items))), onEvent, strict },
  );
  return warnings;
}

function changes(name: string, types: readonly [string, string, string], make: () => Promise<TablesPlace>): void {
  describe(`changes of tables in ${name}`, () => {
    let place: TablesPlace;
    beforeEach(async () => (place = await make()));
    afterEach(() => place.drop());
    const [integer, bigint, date] = types;

    it('are told where rows are added, and not of a first load or the same columns', async () => {
      const config = { incrementalOutput: true };
      expect(await told(place, [{ id: 1, n: 1, lines: [{ a: 1 }] }], config)).toEqual([]);
      expect(await told(place, [{ id: 2, n: 2, lines: [{ a: 2 }] }], config)).toEqual([]);
      expect(await told(place, [{ id: 3, n: 3e9, at: '2024-02-29', lines: [{ a: 3e9 }] }], config)).toEqual([
        `TABLE_CHANGED the column "n" of the table "orders" was ${integer}, and is ${bigint} now.`,
        `TABLE_CHANGED the column "at" of the table "orders" is new: ${date}.`,
        `TABLE_CHANGED the column "a" of the table "orders_lines" was ${integer}, and is ${bigint} now.`,
      ]);
      expect(await told(place, [{ id: 4 }], config)).toEqual([]);
    });

    it('are errors before anything is stored where warnings are', async () => {
      const config = { incrementalOutput: true };
      await told(place, [{ id: 1 }], config);
      await expect(told(place, [{ id: 'x' }], config, true)).rejects.toMatchObject({ code: 'WARNINGS' });
      expect(await place.rows('orders')).toEqual([{ id: 1 }]);
    });

    it('are nothing to tell where tables are replaced', async () => {
      await told(place, [{ id: 1 }], {});
      expect(await told(place, [{ id: 'x', more: 1 }], {})).toEqual([]);
    });
  });
}

changes('duckdb', ['INTEGER', 'BIGINT', 'DATE'], duckdbPlace);
changes('parquet', ['INTEGER', 'BIGINT', 'DATE'], parquetPlace);
describeWithPostgres(NEEDS, () => changes('postgres', ['integer', 'bigint', 'date'], postgresPlace));
