/** Columns of nothing but null get the type of the first values that come, in destinations with types (docs/sinks.md#tables). */
import { deliver, sinks } from '../../src';
import type { JsonObject } from '../../src';
import { describeWithPostgres, NEEDS, testDatabase } from '../support/postgres';
import { describeWithSqlite } from '../support/sqlite';
import { duckdbPlace, parquetPlace, postgresPlace, sqlitePlace } from '../support/tables';
import type { TablesPlace } from '../support/tables';

const load = (place: Pick<TablesPlace, 'to'>, body: string, job: JsonObject = {}, config: JsonObject = {}) =>
  deliver(
    {
      api: { baseUrl: 'https://api.test/' },
      config: { jobs: [{ endpoint: 'orders', load: 'append', ...job }], ...config },
    },
    [place.to()],
    { fetch: () => Promise.resolve(new Response(body)) },
  );

const COLUMNS = ['n', 'big', 'd', 'is', 'on', 'at', 't'] as const;
const NOTHING = `{"id":1,${COLUMNS.map((name) => `"${name}":null`).join(',')},"none":null,"kept":"7"}`;
const VALUES =
  '{"id":2,"n":5,"big":9007199254740993,"d":0.5,"is":true,"on":"2024-02-29","at":"2024-02-29T10:00:00Z","t":"x","kept":8}';

function emptyColumns(name: string, types: readonly string[], make: () => Promise<TablesPlace>): void {
  describe(`columns without values in ${name}`, () => {
    let place: TablesPlace;
    beforeEach(async () => (place = await make()));
    afterEach(() => place.drop());
    const typesOf = async (names: readonly string[]): Promise<readonly (string | undefined)[]> => {
      const found = await place.types('orders');
      return names.map((column) => found[column]);
    };
    const text = types[6];

    it.each([['append'], ['merge']])('get the type of the first values: %s', async (how) => {
      const job = how === 'merge' ? { load: 'merge', primaryKey: ['id'] } : {};
      await load(place, `[${NOTHING}]`, job);
      expect(await typesOf(COLUMNS)).toEqual(COLUMNS.map(() => text));
      await load(place, `[${NOTHING.replace('"id":1', '"id":3')}]`, job);
      await load(place, `[${VALUES}]`, job);
      expect(await typesOf(COLUMNS)).toEqual(types);
      expect(await typesOf(['none', 'kept'])).toEqual([text, text]);
      const rows = (await place.rows('orders')) ?? [];
      expect(rows.map((row) => [Number(row['id']), row['n'], row['t'], row['kept']]).sort()).toEqual([
        [1, null, null, '7'],
        [2, 5, 'x', '8'],
        [3, null, null, '7'],
      ]);
      await load(place, '[{"id":4,"n":"seven"}]', job);
      expect(await typesOf(['n', 'd'])).toEqual([text, types[2]]);
    });

    it('have the type that is chosen', async () => {
      await load(place, `[${NOTHING}]`);
      await load(place, '[{"id":2,"n":5}]', { columnTypes: { n: 'string' } });
      expect(await typesOf(['n'])).toEqual([text]);
      expect((await place.rows('orders'))?.map(({ n }) => n)).toEqual([null, '5']);
    });

    it('are found behind many rows', async () => {
      const many = Array.from({ length: 1500 }, (_, id) => ({ id, late: id === 1400 ? 'x' : null, never: null }));
      await load(place, JSON.stringify(many));
      await load(place, '[{"id":-1,"late":1,"never":1}]');
      expect(await typesOf(['late', 'never'])).toEqual([text, types[0]]);
    });

    it('in tables of lists and of mappings, too', async () => {
      await load(place, '[{"id":1,"lines":[{"sku":"a","n":null}]}]');
      await load(place, '[{"id":2,"lines":[{"sku":"b","n":4}]}]');
      expect((await place.types('orders_lines'))['n']).toBe(types[0]);
      const mappings = { mapped: { id: 'id', n: 'n' } };
      await load(place, '[{"id":1}]', { dataType: 'mapped' }, { mappings });
      await load(place, '[{"id":2,"n":4}]', { dataType: 'mapped' }, { mappings });
      expect((await place.types('mapped'))['n']).toBe(types[0]);
    });
  });
}

const DUCKDB = ['INTEGER', 'BIGINT', 'DOUBLE', 'BOOLEAN', 'DATE', 'TIMESTAMP WITH TIME ZONE', 'VARCHAR'];
emptyColumns('duckdb', DUCKDB, duckdbPlace);
emptyColumns('parquet', DUCKDB, parquetPlace);
describeWithSqlite('sqlite', () =>
  emptyColumns('sqlite', ['INTEGER', 'INTEGER', 'REAL', 'INTEGER', 'TEXT', 'TEXT', 'TEXT'], sqlitePlace),
);
describeWithPostgres(NEEDS, () => {
  const POSTGRES = ['integer', 'bigint', 'double precision', 'boolean', 'date', 'timestamp with time zone', 'text'];
  emptyColumns('postgres', POSTGRES, postgresPlace);

  it('keep their type in tables with defaults or views', async () => {
    const database = await testDatabase();
    const place = { to: () => sinks.postgres(database.url) };
    try {
      await database.query(`CREATE TABLE orders (id integer, note text DEFAULT 'none', free text);
        INSERT INTO orders VALUES (1, NULL, NULL)`);
      await load(place, '[{"id":2,"note":5,"free":5}]');
      expect(await database.query('SELECT * FROM orders ORDER BY id')).toEqual([
        { id: 1, note: null, free: null },
        { id: 2, note: '5', free: '5' },
      ]);
      await database.query('CREATE TABLE seen (id integer, note text); CREATE VIEW seeing AS SELECT note FROM seen');
      await database.query('INSERT INTO seen VALUES (1, NULL)');
      await load(place, '[{"id":2,"note":5}]', { tableName: 'seen' });
      expect(await database.query('SELECT note FROM seeing')).toEqual([{ note: null }, { note: '5' }]);
    } finally {
      await database.drop();
    }
  });
});
