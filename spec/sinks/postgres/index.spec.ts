import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import { deliver, sinks } from '../../../src';
import type { JsonObject } from '../../../src';
import type { DurableSink, Stored } from '../../../src/core/durable-sink';
import { parseJson } from '../../../src/core/json/parse';
import type { Item, Page } from '../../../src/core/model';
import type { OutputPlan } from '../../../src/plan/plan';
import { postgresSink as postgres } from '../../../src/sinks/postgres';
import { knownCounts } from '../../../src/sinks/row-counts';
import {
  NEEDS,
  aHead,
  append,
  at,
  checkpointsOf,
  describeWithPostgres,
  full,
  keyed,
  tablePage,
  testDatabase,
} from '../../support/postgres';
import { POSTGRES, wireTo } from '../../support/wire';
import type { Wire } from '../../support/wire';
import type { TestDatabase } from '../../support/postgres';
import { newTable } from '../../support/stored';

let runs = 0;

describeWithPostgres(`postgres ${NEEDS}`, () => {
  let database: TestDatabase;
  let sinks: DurableSink[] = [];
  let wire: Wire | undefined;
  let schema: string;

  beforeAll(async () => {
    database = await testDatabase();
  });
  afterAll(() => database.drop());
  beforeEach(() => {
    schema = `s${(runs += 1)}`;
  });
  afterEach(async () => {
    await Promise.all(sinks.map((sink) => sink.close()));
    sinks = [];
    await wire?.close();
    wire = undefined;
  });

  const urlOf = (parameters = ''): string => `${database.url}?schema=${schema}${parameters}`;
  const sinkOf = (outputs: readonly OutputPlan[], parameters = ''): DurableSink => {
    const sink = postgres(urlOf(parameters), outputs, { nested: 'json' });
    sinks.push(sink);
    return sink;
  };
  /** A whole run. */
  const load = async (output: OutputPlan, ...pages: readonly Page[]): Promise<readonly Stored[]> => {
    const sink = sinkOf([output]);
    await sink.open();
    await sink.begin(aHead(`r${(runs += 1)}`));
    for (const [index, page] of pages.entries()) await sink.write({ ...page, checkpoint: at([0, 0], index + 1) });
    const stored = await sink.commit({});
    await sink.close();
    return stored;
  };
  const rowsOf = (table: string, order = '1') =>
    database.query(`SELECT * FROM "${schema}"."${table}" ORDER BY ${order}`);
  const typesOf = async (table: string): Promise<Readonly<Record<string, unknown>>> => {
    const rows = await database.query(`SELECT attname, format_type(atttypid, atttypmod) AS type FROM pg_attribute
      WHERE attrelid = '"${schema}"."${table}"'::regclass AND attnum > 0 AND NOT attisdropped ORDER BY attnum`);
    return Object.fromEntries(rows.map(({ attname, type }): [string, unknown] => [String(attname), type]));
  };
  /** A reader that asks again and again until it is told to stop; what it saw, each once. */
  const watch = (sql: string): (() => Promise<readonly string[]>) => {
    const stop = new AbortController();
    const seen = new Set<string>();
    const watching = (async () => {
      const client = new Client({ connectionString: database.url });
      await client.connect();
      while (!stop.signal.aborted) seen.add(JSON.stringify((await client.query<object>(sql)).rows));
      await client.end();
    })();
    return async () => {
      stop.abort();
      await watching;
      return [...seen];
    };
  };

  describe('types', () => {
    it('are those of the values', async () => {
      const items =
        parseJson(`[{"b":true,"i":-5,"l":9007199254740993,"d":1.5,"day":"2024-02-29","at":"2024-01-01T10:00:00",
        "when":"2024-01-01T10:00:00.123456+02:00","o":{"n":12345678901234567890,"z":[1,null]},"t":"x","none":null}]`);
      expect(await load(full, tablePage('user', items as readonly Item[]))).toEqual([newTable('user', 1)]);
      expect(await typesOf('user')).toEqual({
        ...{ b: 'boolean', i: 'integer', l: 'bigint', d: 'double precision', day: 'date' },
        ...{ at: 'timestamp without time zone', when: 'timestamp with time zone', o: 'jsonb', t: 'text', none: 'text' },
      });
      const [row] = await database.query(`SELECT b, i, l::text, d, day::text, at::text,
        ("when" AT TIME ZONE 'UTC')::text AS "when", o::text, t, none FROM "${schema}"."user"`);
      expect(row).toEqual({
        ...{ b: true, i: -5, l: '9007199254740993', d: 1.5, day: '2024-02-29', at: '2024-01-01 10:00:00' },
        ...{ when: '2024-01-01 08:00:00.123456', o: '{"n": 12345678901234567890, "z": [1, null]}', t: 'x', none: null },
      });
    });

    it('hold integers of any length digit for digit', async () => {
      const items = parseJson('[{"n":123456789012345678901234567890},{"n":1},{"n":-9223372036854775808}]');
      await load(full, tablePage('big', items as readonly Item[]));
      expect((await rowsOf('big')).map(({ n }) => n).sort()).toEqual([
        '-9223372036854775808',
        '1',
        '123456789012345678901234567890',
      ]);
    });

    it.each([
      ['the character U+0000', { id: 2, t: 'a\0b' }],
      ['the character U+0000', { id: 2, o: { deep: '\0' } }],
      ['half of a UTF-16 surrogate pair', { id: 2, t: '\ud800' }],
    ])('a text with %s fails the run, by table and row, and keeps the pages', async (what, item) => {
      const failing = load(full, tablePage('nul', [{ id: 0 }]), tablePage('nul', [{ id: 1 }, item]));
      await expect(failing).rejects.toMatchObject({ code: 'COLUMN_TYPE' });
      await expect(failing).rejects.toThrow(new RegExp(`table "nul", row 3 of the run.*${what.replace('+', '\\+')}`));
      await sinks.pop()?.close();
      const standing = await sinkOf([full]).open();
      expect(await checkpointsOf(standing)).toHaveLength(2);
    });
  });

  describe('names', () => {
    it('of tables and columns may be anything', async () => {
      const table = 'Drop"; --\' é';
      const item = { 'a"b': 1, 'A"b': 2, xmin: 3, '': 4, 'select ': 5, $1: 6 };
      await load(full, tablePage(table, [item]));
      const [row] = await database.query(`SELECT * FROM "${schema}"."${table.replace('"', '""')}"`);
      expect(Object.values(row ?? {})).toEqual([1, 2, 3, 4, 5, 6]);
      expect(row).toMatchObject({ 'a"b': 1, 'select ': 5, $1: 6 });
    });

    it('that PostgreSQL would cut stay apart, in a second run, too', async () => {
      const long = 'é'.repeat(40);
      const item = { [`${long}1`]: 1, [`${long}2`]: 2 };
      await load(append, tablePage(`${long}a`, [item]), tablePage(`${long}b`, [{ id: 2 }]));
      await load(append, tablePage(`${long}a`, [item]));
      const tables = await database.query(`SELECT tablename AS t FROM pg_tables WHERE schemaname = '${schema}'`);
      expect(tables).toHaveLength(2);
      const names = tables.map(({ t }) => String(t));
      expect(names.every((name) => Buffer.byteLength(name) <= 63 && name.startsWith('é'.repeat(27)))).toBe(true);
      const all = await Promise.all(names.map((name) => rowsOf(name)));
      expect(all.map((rows) => rows.map((row) => Object.values(row))).sort((a, b) => b.length - a.length)).toEqual([
        [
          [1, 2],
          [1, 2],
        ],
        [[2]],
      ]);
    });

    it.each(['', 'a\0b', '\ud800'])('that no table can have (%j) are refused with the page', async (dataType) => {
      const sink = sinkOf([full]);
      await sink.open();
      await sink.begin(aHead('r'));
      await expect(sink.write(tablePage(dataType, [1]))).rejects.toMatchObject({ code: 'TABLE_NAME' });
    });
  });

  describe('a full load', () => {
    it('replaces the table: a reader sees the old rows or the new ones', async () => {
      await load(full, tablePage('user', [{ id: 1, old: true }]));
      const watching = watch(`SELECT count(*)::int AS n, min(id) AS least, max(id) AS most FROM "${schema}"."user"`);
      const items = Array.from({ length: 20_000 }, (_, id) => ({ id: id + 10, text: 'x'.repeat(50) }));
      await load(full, tablePage('user', items), tablePage('user', [{ id: 9 }]));
      const old = { n: 1, least: 1, most: 1 };
      const now = { n: 20_001, least: 9, most: 20_009 };
      await delay(50);
      expect(await watching()).toEqual([old, now].map((row) => JSON.stringify([row])));
      expect(await typesOf('user')).toEqual({ id: 'integer', text: 'text' });
    });

    it('keeps the views and rights of the table, whose rows change at once', async () => {
      await load(full, tablePage('user', [{ id: 1 }]));
      await database.query(`CREATE VIEW "${schema}".v AS SELECT id FROM "${schema}"."user"`);
      const watching = watch(`SELECT id FROM "${schema}".v ORDER BY id`);
      await load(full, tablePage('user', [{ id: 2, more: 'x' }, { id: 3 }]));
      await delay(50);
      expect(await watching()).toEqual(['[{"id":1}]', '[{"id":2},{"id":3}]']);
      expect(await rowsOf('user')).toEqual([
        { id: 2, more: 'x' },
        { id: 3, more: null },
      ]);
      await database.query(`DROP VIEW "${schema}".v; GRANT SELECT ON "${schema}"."user" TO PUBLIC`);
      await load(full, tablePage('user', [{ id: 4 }]));
      expect(
        await database.query(`SELECT has_table_privilege('public', '"${schema}"."user"', 'SELECT') AS may`),
      ).toEqual([{ may: true }]);
    });

    it('with a primary key has it in the database, too', async () => {
      await load({ ...keyed('user', 'id'), incremental: false }, tablePage('user', [{ id: 1, n: 1 }]));
      await expect(database.query(`INSERT INTO "${schema}"."user" VALUES (1, 1)`)).rejects.toThrow('duplicate key');
    });

    it('that fails leaves the old table and all pages', async () => {
      await load(full, tablePage('user', [{ id: 1 }]), tablePage('z', [{ id: 1 }]));
      await expect(load(full, tablePage('user', [{ id: 2 }]), tablePage('z', ['\0']))).rejects.toMatchObject({
        code: 'COLUMN_TYPE',
      });
      expect(await rowsOf('user')).toEqual([{ id: 1 }]);
      expect(await rowsOf('z')).toEqual([{ id: 1 }]);
    });
  });

  describe('an incremental load', () => {
    it('adds to a table of somebody else, whose types and defaults stay', async () => {
      await database.query(`CREATE SCHEMA ${schema}; CREATE TABLE ${schema}.prices (
        price numeric(10, 2), code varchar(3), at timestamptz DEFAULT '2000-01-01Z', doc json)`);
      await load(
        append,
        tablePage('prices', [
          { price: 1.25, code: 'EUR', doc: { a: 1 } },
          { code: null, price: 3 },
        ]),
      );
      expect(
        await database.query(`SELECT price, code, extract(year FROM at)::int AS y, doc FROM ${schema}.prices`),
      ).toEqual([
        { price: '1.25', code: 'EUR', y: 2000, doc: { a: 1 } },
        { price: '3.00', code: null, y: 2000, doc: null },
      ]);
    });

    it('columns of somebody else become their defaults, and numbers that the table gives stay', async () => {
      const columns =
        "id int PRIMARY KEY, a text, b text, row serial, n int GENERATED ALWAYS AS IDENTITY, twice int GENERATED ALWAYS AS (id * 2) STORED, seen text DEFAULT 'now', note text";
      await database.query(`CREATE SCHEMA ${schema}; CREATE TABLE ${schema}."user" (${columns})`);
      await load(
        keyed('user', 'id'),
        tablePage('user', [
          { id: 1, a: 'x' },
          { id: 2, a: 'y' },
        ]),
      );
      await database.query(`UPDATE ${schema}."user" SET seen = 'then', note = 'mine'`);
      await load(keyed('user', 'id'), tablePage('user', [{ id: 1, b: 'z' }]));
      expect(await database.query(`SELECT * FROM ${schema}."user" ORDER BY id`)).toEqual([
        { id: 1, a: null, b: 'z', row: 1, n: 1, twice: 2, seen: 'now', note: null },
        { id: 2, a: 'y', b: null, row: 2, n: 2, twice: 4, seen: 'then', note: 'mine' },
      ]);
    });

    it('against a rule of the table fails with its row, changes nothing, and goes on once that is put right', async () => {
      await database.query(`CREATE SCHEMA ${schema}; CREATE TABLE ${schema}."user" (id int, age int CHECK (age < 150));
        INSERT INTO ${schema}."user" VALUES (1, 20)`);
      const pages = [
        tablePage('other', [{ id: 1 }]),
        tablePage('user', [
          { id: 2, age: 1 },
          { id: 3, age: 200 },
        ]),
      ];
      const failing = load(append, ...pages);
      await expect(failing).rejects.toMatchObject({ code: 'SINK_FAILED', cause: { code: '23514' } });
      await expect(failing).rejects.toThrow(/table "user".*user_age_check.*row 2 of the run.*\(3, 200\).*--resume/s);
      expect(await database.query(`SELECT to_regclass('${schema}.other') AS other`)).toEqual([{ other: null }]);
      await database.query(`ALTER TABLE ${schema}."user" DROP CONSTRAINT user_age_check`);
      const again = sinks.at(-1);
      await again?.close();
      const sink = sinkOf([append]);
      expect(await checkpointsOf(await sink.open())).toHaveLength(2);
      await sink.commit({});
      expect((await rowsOf('user')).map(({ id }) => id)).toEqual([1, 2, 3]);
    });
  });

  describe('after an end at any time', () => {
    it('knows the pages that it has, and goes on', async () => {
      const first = sinkOf([full]);
      expect(await first.open()).toEqual({ state: {} });
      await first.begin(aHead('r1'));
      await first.write(tablePage('user', [{ id: 1 }], { checkpoint: at([0, 0], 1) }));
      await first.write(tablePage('user', [{ id: 2 }], { checkpoint: at([0, 0], 2) }));
      await first.close();
      const second = sinkOf([full]);
      const standing = await second.open();
      expect(standing.unfinished?.manifest).toEqual(aHead('r1'));
      expect(await checkpointsOf(standing)).toEqual([at([0, 0], 1), at([0, 0], 2)]);
      await second.write(tablePage('user', [{ id: 3 }], { checkpoint: at([0, 0], 3) }));
      expect(await second.commit({ n: 9007199254740993n })).toEqual([newTable('user', 3)]);
      await second.close();
      expect(await sinkOf([full]).open()).toMatchObject({ finished: 'r1', state: { n: 9007199254740993n } });
      expect(await rowsOf('user')).toEqual([{ id: 1 }, { id: 2 }, { id: 3 }]);
      expect(
        await database.query(`SELECT count(*)::int AS n FROM _headwater.pages WHERE destination LIKE '%${schema}"%'`),
      ).toEqual([{ n: 0 }]);
    });

    it.each([
      ['before the commit began', 0],
      ['in the middle of it', 20],
      ['later', 120],
    ])('a connection that is cut %s: nothing twice, nothing lost', async (_, milliseconds) => {
      const items = Array.from({ length: 5_000 }, (__, id) => ({ id, text: 'x'.repeat(20) }));
      await load(append, tablePage('user', [{ id: -1 }]));
      const sink = sinkOf([append]);
      await sink.open();
      await sink.begin(aHead('r'));
      await sink.write(tablePage('user', items, { checkpoint: at([0, 0], 1) }));
      await cut();
      await sink.write(tablePage('user', [{ id: 5_000 }], { checkpoint: at([0, 0], 2) }));
      const committed = sink.commit({});
      await delay(milliseconds);
      await cut();
      expect(await committed).toMatchObject([{ name: 'user', rows: 5_001 }]);
      expect(
        await database.query(`SELECT count(*)::int AS n, count(DISTINCT id)::int AS ids FROM ${schema}."user"`),
      ).toEqual([{ n: 5_002, ids: 5_002 }]);
    });
  });

  describe('over a connection', () => {
    it('that is lost before the answers come, does everything once', async () => {
      wire = await wireTo(database.url, POSTGRES);
      const sink = postgres(`${wire.url}?schema=${schema}`, [append]);
      sinks.push(sink);
      await sink.open();
      await sink.begin(aHead('r'));
      wire.loseAnswerTo('INSERT INTO');
      await sink.write(tablePage('user', [{ id: 1 }], { checkpoint: at([0, 0], 1) }));
      wire.loseAnswerTo('INSERT INTO');
      await sink.write(tablePage('user', [{ id: 2 }], { checkpoint: at([0, 0], 2) }));
      expect(
        await database.query(`SELECT count(*)::int AS n FROM _headwater.pages WHERE destination LIKE '%"${schema}"%'`),
      ).toEqual([{ n: 2 }]);
      wire.loseAnswerTo('COMMIT');
      expect(await sink.commit({ n: 1 })).toEqual([newTable('user', 2)]);
      expect(await rowsOf('user')).toEqual([{ id: 1 }, { id: 2 }]);
      await sink.close();
      expect(await sinkOf([append]).open()).toMatchObject({ finished: 'r', state: { n: 1 } });
    });

    it('that does not come back, can be closed at once', async () => {
      wire = await wireTo(database.url, POSTGRES);
      const sink = postgres(`${wire.url}?schema=${schema}`, [append]);
      sinks.push(sink);
      await sink.open();
      await sink.begin(aHead('r'));
      await wire.close();
      const failing = sink.write(tablePage('user', [1])).catch((error: unknown) => error);
      await delay(100);
      const before = performance.now();
      await sink.close();
      expect(performance.now() - before).toBeLessThan(8_000);
      expect(await failing).toMatchObject({ code: 'SINK_FAILED' });
    });
  });

  /** Ends all connections of sinks, as a restart or a firewall does. */
  const cut = () =>
    database.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE application_name = 'headwater' AND datname = current_database()`);

  describe('a destination', () => {
    it('takes one run at a time', async () => {
      const first = sinkOf([full]);
      await first.open();
      const second = sinkOf([full]);
      const refused: unknown = await second.open().catch((reason: unknown) => reason);
      expect(refused).toMatchObject({ code: 'DESTINATION_LOCKED' });
      expect(String(refused)).toContain('another run is writing to it');
      expect(await sinkOf([full], '&run=other').open()).toEqual({ state: {} });
      await first.close();
      expect(await second.open()).toEqual({ state: {} });
    });

    it('whose place was taken while the connection was lost takes no more', async () => {
      const first = sinkOf([full]);
      await first.open();
      await first.begin(aHead('r'));
      await cut();
      const second = sinkOf([full]);
      await second.open();
      await second.close();
      await expect(first.write(tablePage('user', [1]))).rejects.toMatchObject({ code: 'DESTINATION_LOCKED' });
    });

    it('is named without credentials', async () => {
      const sink = postgres('postgres://me:s3cret@127.0.0.1:1/db?schema=x&sslmode=disable&password=s3cret', [full]);
      expect(sink.name).toBe('postgres://127.0.0.1:1/db?schema=x');
      const error: unknown = await sink.open().catch((reason: unknown) => reason);
      expect(error).toMatchObject({ code: 'DESTINATION_ADDRESS' });
      expect(String(error)).toContain('ECONNREFUSED');
      expect(String(error)).not.toContain('s3cret');
    });

    it.each(['postgres://me:s3cret@[x/db', 'postgres://h/db?schema=_headwater', 'postgres://h/db?schema='])(
      'that is no destination is refused: %s',
      (url) => {
        expect(() => postgres(url, [full])).toThrow(expect.objectContaining({ code: 'DESTINATION_ADDRESS' }) as Error);
        expect(() => postgres(url, [full])).not.toThrow('s3cret');
      },
    );

    it('without the right to write is refused before the run', async () => {
      await database.query(`CREATE ROLE guest${process.pid} LOGIN`);
      const url = new URL(urlOf('&journal_schema=locked'));
      url.username = `guest${process.pid}`;
      const sink = postgres(url.href, [full]);
      await expect(sink.open()).rejects.toMatchObject({ code: 'DESTINATION_ADDRESS', cause: { code: '42501' } });
      await sink.close();
      await database.query(`DROP ROLE guest${process.pid}`);
    });
  });
});

/** Columns of `numeric(p,s)`, which PostgreSQL would round to (docs/sinks.md#types-of-columns). */

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

/** Rows that are merged (docs/sinks.md#tables). */

describeWithPostgres(`postgres ${NEEDS}`, () => {
  let database: TestDatabase;
  beforeEach(async () => (database = await testDatabase()));
  afterEach(() => database.drop());

  const merge = async (items: readonly JsonObject[], runColumns = false): Promise<Partial<Stored>> => {
    const config = {
      api: { baseUrl: 'https://api.test/' },
      config: { jobs: [{ endpoint: 'items', load: 'merge', primaryKey: ['id'] }] },
    };
    const { stored } = await deliver(config, [sinks.postgres(database.url)], {
      fetch: () => Promise.resolve(Response.json(items)),
      ...(runColumns ? { runColumns } : {}),
    });
    return stored[0]?.tables.find(({ name }) => name === 'items') ?? {};
  };
  const reported = ({ rows, repeated, ...counts }: Partial<Stored>): object => ({
    ...{ rows, ...(repeated === undefined ? {} : { repeated }), ...knownCounts(counts) },
  });

  it('writes no row again that is the same, and tells less where nobody can see whether it is', async () => {
    const places = async (): Promise<readonly unknown[]> =>
      (await database.query('SELECT ctid::text AS place FROM items WHERE id < 3 ORDER BY id')).map(
        ({ place }) => place,
      );
    await merge([
      { id: 1, depth: 1, tags: { a: 1 } },
      { id: 2, depth: 1, tags: null },
    ]);
    await database.query(`ALTER TABLE items ADD COLUMN mine json, ADD COLUMN place point`);
    const [first, second] = await places();
    const again = await merge([
      { id: 1, depth: 1, tags: { a: 1 } },
      { id: 2, depth: 2, tags: null },
      { id: 3, depth: 1, tags: null },
    ]);
    expect(reported(again)).toEqual({ rows: 3, added: 1, changed: 1, unchanged: 1, removed: 0 });
    const [sameFirst, newSecond] = await places();
    expect(sameFirst).toBe(first);
    expect(newSecond).not.toBe(second);
    // What the run does not have becomes what the table has as its default.
    await database.query(`UPDATE items SET mine = '{}' WHERE id = 1`);
    expect(reported(await merge([{ id: 1, depth: 1, tags: { a: 1 } }]))).toEqual({
      ...{ rows: 1, added: 0, changed: 1, unchanged: 0, removed: 0 },
    });
    expect(await database.query('SELECT mine FROM items WHERE id = 1')).toEqual([{ mine: null }]);
    await database.query(`ALTER TABLE items ALTER COLUMN mine SET DEFAULT '[]'`);
    expect(reported(await merge([{ id: 1, depth: 1, tags: { a: 1 } }]))).toEqual({
      ...{ rows: 1, added: 0, removed: 0 },
    });
    expect(await database.query('SELECT mine FROM items WHERE id = 1')).toEqual([{ mine: [] }]);
    // With columns of the run, or with lists, each row is written.
    const { changed, unchanged } = await merge([{ id: 1, depth: 1, tags: [1] }], true);
    expect([changed, unchanged]).toEqual([undefined, undefined]);
  }, 120_000);
});
