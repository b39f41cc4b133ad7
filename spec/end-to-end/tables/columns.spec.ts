/** Types of columns by choice (docs/sinks.md#types-of-columns), in each destination with typed tables. */
import { deliver, sinks, validate } from '../../../src';
import type { Json, JsonObject, Log, RunEvent } from '../../../src';
import { NEEDS, describeWithPostgres, testDatabase } from '../../support/postgres';
import { describeAlike, someOf } from '../../support/cases';
import { describeWithSqlite } from '../../support/sqlite';
import { duckdbPlace, parquetPlace, postgresPlace, sqlitePlace } from '../../support/tables';
import type { TablesPlace } from '../../support/tables';
import { exampleAt } from '../examples';

describe('column types', () => {
  const load = (place: TablesPlace, job: JsonObject, body: Json | string, config: JsonObject = {}, logger?: Log) =>
    deliver(
      { api: { baseUrl: 'https://api.test/' }, config: { jobs: [{ endpoint: 'orders', ...job }], ...config } },
      [place.to()],
      {
        fetch: () => Promise.resolve(new Response(typeof body === 'string' ? body : JSON.stringify(body))),
        ...(logger === undefined ? {} : { logger }),
      },
    );

  /** How the databases call the types. */
  const NAMES = {
  duckdb: {
    string: 'VARCHAR', boolean: 'BOOLEAN', integer: 'INTEGER', bigint: 'BIGINT', double: 'DOUBLE', date: 'DATE',
    timestamp: 'TIMESTAMP', timestamptz: 'TIMESTAMP WITH TIME ZONE', json: 'JSON', 'decimal(12,2)': 'DECIMAL(12,2)',
  },
  postgres: {
    string: 'text', boolean: 'boolean', integer: 'integer', bigint: 'bigint', double: 'double precision', date: 'date',
    timestamp: 'timestamp without time zone', timestamptz: 'timestamp with time zone', json: 'jsonb',
    'decimal(12,2)': 'numeric(12,2)',
  },
} as const; // prettier-ignore

  function chosenTypes(name: string, names: Readonly<Record<string, string>>, make: () => Promise<TablesPlace>): void {
    describe(`chosen types in ${name}`, () => {
      let place: TablesPlace;
      beforeEach(async () => (place = await make()));
      afterEach(() => place.drop());

      const FITTING: Readonly<Record<string, string>> = {
      string: '1.10', boolean: '"true"', integer: '"7"', bigint: '1', double: '"1.5"', date: '"2024-02-29"',
      timestamp: '"2024-02-29T10:00:00"', timestamptz: '"2024-02-29T10:00:00Z"', json: '{"a":[1]}', 'decimal(12,2)': '"19.90"',
    }; // prettier-ignore

      it('are those of the columns, for values that fit and for strings that spell them', async () => {
        const body = `[{${Object.entries(FITTING)
          .map(([type, value]) => `"c_${type}":${value}`)
          .join(',')}},{}]`;
        const columnTypes = Object.fromEntries(Object.keys(FITTING).map((type) => [`c_${type}`, type]));
        await load(place, { columnTypes }, body);
        const types = await place.types('orders');
        expect(types).toEqual(Object.fromEntries(Object.keys(FITTING).map((type) => [`c_${type}`, names[type]])));
        const [row, empty] = (await place.rows('orders')) ?? [];
        expect(row?.['c_string']).toBe('1.10');
        expect(row?.['c_boolean']).toBe(true);
        expect(row?.['c_decimal(12,2)'] as string).toBe('19.90');
        expect(Number(row?.['c_bigint'])).toBe(1);
        expect([row?.['c_integer'], row?.['c_double']]).toEqual([7, 1.5]);
        expect(Object.values(empty ?? {}).every((value) => value === null)).toBe(true);
      });

      const UNFIT: readonly (readonly [string, string])[] = [
        ['decimal(12,2)', '1.234'],
        ['decimal(12,2)', '"1.2.3"'],
        ['decimal(4,2)', '100'],
        ['integer', '"abc"'],
        ['integer', '"007"'],
        ['integer', '1.5'],
        ['integer', '3000000000'],
        ['bigint', '9223372036854775808'],
        ['double', '0.1000000000000000055511151231257827'],
        ['double', '1e400'],
        ['boolean', '1'],
        ['date', '"2023-02-29"'],
        ['timestamp', '"2024-02-29T10:00:00Z"'],
        ['timestamptz', '1709200800'],
        ['decimal(12,2)', '{"a":1}'],
      ];
      it.each(someOf(UNFIT, 3))('%s: %s is an error, and nothing becomes visible', async (type, value) => {
        await load(place, {}, [{ id: 'old' }]);
        const failing = load(place, { columnTypes: { v: type }, nested: 'json' }, `[{"id":"new","v":${value}}]`);
        await expect(failing).rejects.toMatchObject({
          code: 'COLUMN_TYPE',
          table: 'orders',
          message: expect.stringMatching(/"v".*fit/) as string,
        });
        expect((await place.rows('orders'))?.map(({ id }) => id)).toEqual(['old']);
      });

      it('reach into objects and lists, and keep what is to be JSON', async () => {
        const columnTypes = {
        price: 'decimal(12,2)', 'address.zip': 'string', 'lines.amount': 'decimal(18,4)', tags: 'string', meta: 'json', 'address.geo': 'json',
      }; // prettier-ignore
        const items = [
          {
            id: 1,
            price: 1,
            address: { zip: 3000, geo: { x: 1 } },
            lines: [{ amount: 1.5 }],
            tags: [1],
            meta: { a: [1] },
          },
          { id: 2, price: 2.5, address: { zip: '0300' }, lines: [], tags: [], meta: [2] },
        ];
        await load(place, { columnTypes }, items);
        expect(await place.types('orders')).toMatchObject({
          ...{
            price: names['decimal(12,2)'],
            address_zip: names['string'],
            meta: names['json'],
            address_geo: names['json'],
          },
        });
        expect((await place.rows('orders'))?.map((row) => row['address_zip'])).toEqual(['3000', '0300']);
        expect((await place.types('orders_lines'))['amount']).toMatch(/\(18,4\)$/);
        expect((await place.types('orders_tags'))['value']).toBe(names['string']);
        expect((await place.rows('orders_tags'))?.map(({ value }) => value)).toEqual(['1']);
      });

      it('stand in mappings, too, and hold for links to a key', async () => {
        const mappings = {
          orders: {
            id: { mapping: { destination: 'id', primaryKey: true, type: 'bigint' } },
            price: { mapping: { destination: 'price', type: 'decimal(12,2)' } },
            tags: { type: 'table', destination: 'tag', tableMapping: { '.': 'name' } },
          },
        };
        await load(place, {}, [{ id: 1, price: '19.90', tags: ['a'] }], { mappings });
        expect(await place.types('orders')).toEqual({ id: names['bigint'], price: names['decimal(12,2)'] });
        expect(await place.types('tag')).toEqual({ name: names['string'], orders_pk: names['bigint'] });
        const failing = load(place, {}, [{ id: 1, price: 0.001 }], { mappings });
        await expect(failing).rejects.toMatchObject({ code: 'COLUMN_TYPE', table: 'orders' });
      });

      it('widen a column that is there, or say what to do', async () => {
        const config = { incrementalOutput: true };
        await load(place, {}, [{ id: 1, n: 5, s: 'x' }], config);
        await load(place, { columnTypes: { n: 'decimal(12,2)' } }, [{ id: 2, n: 5.25 }], config);
        expect((await place.types('orders'))['n']).toBe(names['decimal(12,2)']);
        expect((await place.rows('orders'))?.map(({ n }) => Number(n))).toEqual([5, 5.25]);
        const failing = load(place, { columnTypes: { s: 'integer' } }, [{ id: 3, s: 1 }], config);
        await expect(failing).rejects.toMatchObject({ code: 'DESTINATION_INCOMPATIBLE', table: 'orders' });
        expect(await place.rows('orders')).toHaveLength(2);
        const wider = load(place, {}, [{ id: 4, n: 1.2345 }], config);
        // PostgreSQL would round it, and the column may be that of somebody else.
        if (name === 'postgres') await expect(wider).rejects.toMatchObject({ code: 'COLUMN_TYPE', table: 'orders' });
        else await wider;
        const left = name === 'postgres' ? [5, 5.25] : [5, 5.25, 1.2345];
        expect((await place.rows('orders'))?.map(({ n }) => Number(n))).toEqual(left);
      });

      it('of a path that no item has are a warning', async () => {
        const warnings: string[] = [];
        const logger: Log = { log: (level, message) => level === 'warn' && warnings.push(message) };
        const items = [{ id: 1, lines: [{ a: 1 }] }];
        await load(place, { columnTypes: { prize: 'integer', 'lines.b': 'integer', id: 'bigint' } }, items, {}, logger);
        await load(
          place,
          { columnTypes: { prize: 'integer', id: 'bigint' }, dataType: 'flat' },
          [{ id: 1 }],
          {},
          logger,
        );
        expect(warnings).toEqual([
          expect.stringContaining('config.jobs[0].columnTypes["prize"]'),
          expect.stringContaining('config.jobs[0].columnTypes["lines.b"]'),
          expect.stringContaining('config.jobs[0].columnTypes["prize"]'),
        ]);
      });
    });
  }

  chosenTypes('duckdb', NAMES.duckdb, duckdbPlace);
  describeAlike('in Parquet', () => chosenTypes('parquet', NAMES.duckdb, parquetPlace));
  describeWithPostgres(NEEDS, () => chosenTypes('postgres', NAMES.postgres, postgresPlace));

  describe('the types of columns', () => {
    it.each(['text', 'decimal(39,2)', 'decimal(2,3)', 'decimal', 7])('%p is none', (type) => {
      const mappings = { other: { id: { mapping: { destination: 'id', type } } } };
      for (const [job, more] of [
        [{ columnTypes: { a: type } }, {}],
        [{ dataType: 'other' }, { mappings }],
      ] as const)
        expect(() =>
          validate({
            api: { baseUrl: 'https://api.test/' },
            config: { jobs: [{ endpoint: 'orders', ...job }], ...more },
          }),
        ).toThrow(/type|Type/);
    });

    it('have no effect beside a mapping, which is a warning', () => {
      const config = {
        jobs: [{ endpoint: 'orders', columnTypes: { a: 'integer' } }],
        mappings: { orders: { a: 'a' } },
      };
      const { warnings } = validate({ api: { baseUrl: 'https://api.test/' }, config });
      expect(warnings).toEqual([expect.objectContaining({ path: 'config.jobs[0].columnTypes' })]);
    });

    it('examples/extensions/column-types.json is valid', () => {
      expect(validate(exampleAt('https://api.test/', 'column-types.json'))).toMatchObject({ jobs: 1, warnings: [] });
    });

    it('agree where several jobs fill a table', () => {
      const jobs = [{ endpoint: 'a' }, { endpoint: 'b' }].map((job, at) => ({
        ...{ ...job, dataType: 'orders', columnTypes: { n: at === 0 ? 'integer' : 'bigint' } },
      }));
      expect(() => validate({ api: { baseUrl: 'https://api.test/' }, config: { jobs } })).toThrow(/another type/);
    });
  });
});

/** Columns of nothing but null get the type of the first values that come, in destinations with types (docs/sinks.md#tables). */

describe('empty columns', () => {
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
  describeAlike('in Parquet', () => emptyColumns('parquet', DUCKDB, parquetPlace));
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
});

/** Later runs that change the columns of a table say so (docs/sinks.md). */

async function reported(
  place: TablesPlace,
  items: readonly Json[],
  config: JsonObject,
  strict = false,
): Promise<string[]> {
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

type ChangedTypes = readonly [integer: string, bigint: string, date: string, text: string];

function changes(name: string, types: ChangedTypes, make: () => Promise<TablesPlace>): void {
  describe(`changes of tables in ${name}`, () => {
    let place: TablesPlace;
    beforeEach(async () => (place = await make()));
    afterEach(() => place.drop());
    const [integer, bigint, date, text] = types;

    it('are told where rows are added, and not of a first load or the same columns', async () => {
      const config = { incrementalOutput: true };
      expect(await reported(place, [{ id: 1, n: 1, lines: [{ a: 1 }] }], config)).toEqual([]);
      expect(await reported(place, [{ id: 2, n: 2, lines: [{ a: 2 }] }], config)).toEqual([]);
      expect(await reported(place, [{ id: 3, n: 3e9, at: '2024-02-29', lines: [{ a: 3e9 }] }], config)).toEqual([
        `TABLE_CHANGED the column "n" of the table "orders" was ${integer}, and is ${bigint} now, for the value 3000000000.`,
        `TABLE_CHANGED the column "at" of the table "orders" is new: ${date}.`,
        `TABLE_CHANGED the column "a" of the table "orders_lines" was ${integer}, and is ${bigint} now, for the value 3000000000.`,
      ]);
      expect(await reported(place, [{ id: 4 }], config)).toEqual([]);
    });

    it('are told with the first value that did it, of a sensible length, without secrets', async () => {
      const config = { incrementalOutput: true };
      await reported(place, [{ id: 1, n: 1, m: 1, s: 1 }], config);
      const items = [
        { id: 2, n: null, m: 2, s: 'k3y-of-the-api' },
        { id: 3, n: 'n/a', m: 'x'.repeat(500), s: 2 },
        { id: 4, n: 'none', m: 'y', s: 'z' },
      ];
      const credentials = { '#apiKey': 'k3y-of-the-api' };
      expect(await reported(place, items, { ...config, ...credentials })).toEqual([
        `TABLE_CHANGED the column "n" of the table "orders" was ${integer}, and is ${text} now, for the value "n/a".`,
        `TABLE_CHANGED the column "m" of the table "orders" was ${integer}, and is ${text} now, for the value "${'x'.repeat(59)}….`,
        `TABLE_CHANGED the column "s" of the table "orders" was ${integer}, and is ${text} now, for the value "***".`,
      ]);
      expect(await place.rows('orders')).toHaveLength(4);
    });

    it('of names that differ in capitals or in their Unicode form alone are told, each with its column', async () => {
      const items = [
        { Id: 1, 'caf\u00e9': 1, lines: [{ a: 1, A: 2 }] },
        { id: 2, 'cafe\u0301': 2 },
      ];
      const [first, second, third, ...more] = await reported(place, items, {});
      const says = ' "rename" in the job gives them other names.';
      expect([first, second, third].sort()).toEqual([
        `COLUMNS_ALIKE keys of the table "orders" differ only in capitals: "Id" is the column "Id", "id" is the column "id_2".${says}`,
        `COLUMNS_ALIKE keys of the table "orders" differ only in their Unicode form, and look the same: "caf\\u00e9" is the column "caf\\u00e9", "cafe\\u0301" is the column "cafe\\u0301".${says}`,
        `COLUMNS_ALIKE keys of the table "orders_lines" differ only in capitals: "a" is the column "a", "A" is the column "A_2".${says}`,
      ]);
      expect(more).toEqual([]);
      expect(await place.rows('orders')).toHaveLength(2);
    });

    it('are errors before anything is stored where warnings are', async () => {
      const config = { incrementalOutput: true };
      await reported(place, [{ id: 1 }], config);
      await expect(reported(place, [{ id: 'x' }], config, true)).rejects.toMatchObject({ code: 'WARNINGS' });
      expect(await place.rows('orders')).toEqual([{ id: 1 }]);
    });

    it('are nothing to tell where tables are replaced', async () => {
      await reported(place, [{ id: 1 }], {});
      expect(await reported(place, [{ id: 'x', more: 1 }], {})).toEqual([]);
    });
  });
}

changes('duckdb', ['INTEGER', 'BIGINT', 'DATE', 'VARCHAR'], duckdbPlace);
describeAlike('in Parquet', () => changes('parquet', ['INTEGER', 'BIGINT', 'DATE', 'VARCHAR'], parquetPlace));
describeWithPostgres(NEEDS, () => changes('postgres', ['integer', 'bigint', 'date', 'text'], postgresPlace));
