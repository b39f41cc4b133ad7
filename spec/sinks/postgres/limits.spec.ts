/** Columns of `numeric(p,s)`, which PostgreSQL would round to (docs/extensions/column-types.md). */
import { deliver, sinks } from '../../../src';
import type { JsonObject } from '../../../src';
import { describeWithPostgres, NEEDS, testDatabase } from '../../support/postgres';
import type { TestDatabase } from '../../support/postgres';

describeWithPostgres(NEEDS, () => {
  let database: TestDatabase;
  beforeEach(async () => (database = await testDatabase()));
  afterEach(() => database.drop());

  const load = (item: JsonObject, job: JsonObject = {}) =>
    deliver(
      {
        api: { baseUrl: 'https://api.test/' },
        config: { jobs: [{ endpoint: 'prices', load: 'append', ...job }] },
      },
      [sinks.postgres(database.url)],
      { fetch: () => Promise.resolve(new Response(JSON.stringify([item]))) },
    );
  const prices = async (): Promise<readonly unknown[]> =>
    (await database.query('SELECT * FROM prices')).map((row) => Object.values(row)[0]);

  const LONG = `the price ${'of something with a name '.repeat(4)}`;
  it.each([
    ['as it is', 'price', {}],
    ['cut to what PostgreSQL takes', LONG, {}],
    ['changed, since PostgreSQL has it for itself', 'xmin', {}],
    ['that of an object', 'price', { nested: true }],
  ])(
    'take no value that they would round: the name is %s',
    async (_, key, { nested = false }: { nested?: boolean }) => {
      const item = (price: number | string): JsonObject => (nested ? { at: { [key]: price } } : { [key]: price });
      const path = nested ? `at.${key}` : key;
      await load(item(1.25), { columnTypes: { [path]: 'decimal(6,2)' } });
      await load(item('2.5'));
      expect(await prices()).toEqual(['1.25', '2.50']);
      await expect(load(item(0.125))).rejects.toMatchObject({ code: 'COLUMN_TYPE', table: 'prices' });
      expect(await prices()).toEqual(['1.25', '2.50']);
    },
  );
});
