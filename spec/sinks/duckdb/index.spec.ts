import { DuckDBInstance, version } from '@duckdb/node-api';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sinks } from '../../../src';
import type { DurableSink, RunManifest, Stored } from '../../../src/core/durable-sink';
import { parseJson } from '../../../src/core/json/parse';
import { rawDocument } from '../../../src/core/json/raw-items';
import type { Item, Page } from '../../../src/core/model';
import type { OutputPlan } from '../../../src/plan/plan';
import { withMemoryFor } from '../../../src/sinks/duckdb';
import { openDatabase } from '../../../src/sinks/duckdb/connection';
import type { Database } from '../../../src/sinks/duckdb/connection';
import type { QueryWrite } from '../../../src/sinks/loading/load-flat';
import { someOf } from '../../support/cases';
import { changeDuckDB, makeOfFormat, queryDuckDB } from '../../support/duckdb';
import type { DuckDBRows } from '../../support/duckdb';
import { aPage } from '../../support/pages';
import { newTable } from '../../support/stored';

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'headwater-[duck]-'));
  file = join(folder, 'rivers.duckdb');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const full: OutputPlan = { incremental: false, compatLevel: 3 };
const append: OutputPlan = { incremental: true, compatLevel: 3 };

let runs = 0;
const aHead = (): RunManifest => ({ id: `run ${(runs += 1)}`, fingerprint: 'f', startedAt: 1, previousStart: 0 });

let pageNumber = 0;
const page = (items: readonly Item[], changes: Partial<Page> & { readonly table?: string } = {}): Page => {
  const { table = 'user', ...rest } = changes;
  const job = { id: 'j', path: 'config.jobs[0]', endpoint: 'users', dataType: table };
  pageNumber += 1;
  return aPage(items, {
    job,
    checkpoint: { call: [0, pageNumber], job: 'j', pages: 1, items: items.length, volume: 0 },
    ...rest,
  });
};

/** A page whose lines are those of this text. */
function written(...lines: readonly string[]): Page {
  const raw = rawDocument(Buffer.from(`[${lines.join(',')}]`), undefined);
  const items = lines.map((line) => parseJson(line));
  const text = Buffer.from(lines.map((line) => `${line}\n`).join(''));
  const plain = page(items, { lines: (before = '', after = '') => raw?.lines(before, after) ?? text });
  return raw === undefined ? plain : { ...plain, reply: { ...plain.reply, raw } };
}

async function begun(output: OutputPlan, ...pages: readonly Page[]): Promise<DurableSink> {
  const sink = sinks.duckdb(file, { nested: 'json' })([output]);
  await sink.open();
  await sink.begin(aHead());
  for (const one of pages) await sink.write(one);
  return sink;
}

async function run(output: OutputPlan, ...pages: readonly Page[]): Promise<readonly Stored[]> {
  const sink = await begun(output, ...pages);
  try {
    return await sink.commit({});
  } finally {
    await sink.close();
  }
}

const query = (sql: string): Promise<DuckDBRows> => queryDuckDB(file, sql);

const table = (name = 'user'): Promise<readonly (readonly unknown[])[]> => query(`FROM "${name}"`);
const typesOf = async (): Promise<readonly unknown[]> =>
  (await query('DESCRIBE FROM "user"')).map(([name, type]) => `${String(name)} ${String(type)}`);

describe('duckdb', () => {
  it('makes tables with the types of their values', async () => {
    const item = {
      id: 1,
      large: 2 ** 40,
      level: 1.5,
      ok: true,
      day: '2024-02-29',
      at: '2024-01-31T10:00:00.123',
      when: '2024-01-31T12:00:00+02:00',
      tags: ['a', { b: 'ü' }],
      name: 'Mur',
      nothing: null,
    };
    const stored = await run(
      full,
      page([item, {}]),
      page([], { table: 'empty' }),
      page([1, null], { table: 'numbers' }),
    );
    expect(stored).toEqual([newTable('user', 2), newTable('empty', 0), newTable('numbers', 2)]);
    expect(await typesOf()).toEqual([
      'id INTEGER',
      'large BIGINT',
      'level DOUBLE',
      'ok BOOLEAN',
      'day DATE',
      'at TIMESTAMP',
      'when TIMESTAMP WITH TIME ZONE',
      'tags JSON',
      'name VARCHAR',
      'nothing VARCHAR',
    ]);
    const texts = 'day::varchar, "at"::varchar, epoch("when"), tags, name, nothing';
    expect(await query(`SELECT id, large, level, ok, ${texts} FROM "user"`)).toEqual([
      [1, 2n ** 40n, 1.5, true, '2024-02-29', '2024-01-31 10:00:00.123', 1706695200, '["a",{"b":"ü"}]', 'Mur', null],
      [null, null, null, null, null, null, null, null, null, null],
    ]);
    expect(await query('SELECT table_name FROM duckdb_tables() ORDER BY 1')).toEqual([
      ['numbers'],
      ['receipt'],
      ['runs'],
      ['user'],
    ]);
    expect(await table('numbers')).toEqual([[1], [null]]);
  });

  it('keeps every digit', async () => {
    const digits = '0.12345678901234567890';
    await run(
      full,
      written(
        `{"big":9007199254740993,"huge":12345678901234567890,"mixed":1.50,"either":1.5,"json":{"n":${digits}}}`,
        `{"big":-9223372036854775808,"huge":1,"mixed":"x","either":9007199254740993,"json":1e2}`,
      ),
    );
    expect(await table()).toEqual([
      [9007199254740993n, '12345678901234567890', '1.50', '1.5', `{"n":${digits}}`],
      [-9223372036854775808n, '1', 'x', '9007199254740993.0', '1e2'],
    ]);
  });

  it('keeps the digits of decimals whose column becomes wider, JSON or text', async () => {
    await run(append, written('{"a":12345678901234567.25,"b":12345678901234567.25,"c":12345678901234567.25}'));
    await run(append, written('{"a":0.12345678901234567890,"b":[1],"c":"x"}'));
    expect(await table()).toEqual([
      ['12345678901234567.2500000000000000000', '12345678901234567.25', '12345678901234567.25'],
      ['0.1234567890123456789', '[1]', 'x'],
    ]);
  });

  it('takes numbers in any spelling', async () => {
    await run(full, written('{"a":1.0,"b":1e3,"c":-0.0,"d":1E-7}', '{"a":1e9,"b":1099511627776.0,"c":2,"d":3}'));
    expect(await table()).toEqual([
      [1, 1000n, 0, 1e-7],
      [1e9, 2n ** 40n, 2, 3],
    ]);
  });

  it('takes any names', async () => {
    const item = { 'a.b': 1, "it's": 2, 'x"y': 3, '': 4, ID: 5, id: 'six', 'ü\n': 7, '*': 8, select: 9, rowid: 10 };
    await run(full, page([item], { table: `it's "x".y` }));
    const name = `it's ""x"".y`;
    expect((await query(`DESCRIBE FROM "${name}"`)).map(([column]) => column)).toEqual([
      ...['a.b', "it's", 'x"y', '_', 'ID', 'id_2', 'ü\n', '*', 'select', 'rowid'],
    ]);
    expect(await table(name)).toEqual([[1, 2, 3, 4, 5, 'six', 7, 8, 9, 10]]);
  });

  it('takes any texts', async () => {
    const texts = ['a\0b', 'inf', 'NaN', '😀', '\ud83d half', 'half \\ud83d', '\\\\ud83d', '"', 'null', '\u2028', '\\'];
    await run(full, page(texts.map((text) => ({ text, json: text }))), page([{ json: {} }]));
    expect(await query('FROM "user" WHERE text IS NOT NULL')).toEqual(
      texts.map((text) => [text.toWellFormed(), JSON.stringify(text.toWellFormed()).replace('\ufffd', '\\ufffd')]),
    );
  });

  it('takes unusual items', async () => {
    await run(
      full,
      written(
        '{"a":1,"a":"last"}',
        '{"a":{"x":1,"x":2}}',
        '"text"',
        '[1]',
        'null',
        '{}',
        '{"deep":' + '['.repeat(300) + ']'.repeat(300) + '}',
      ),
    );
    expect(await query('SELECT a, value, length(deep) FROM "user"')).toEqual([
      ['"last"', null, null],
      ['{"x":1,"x":2}', null, null],
      [null, '"text"', null],
      [null, '[1]', null],
      [null, null, null],
      [null, null, null],
      [null, null, 600n],
    ]);
  });

  it('takes very large items', async () => {
    await run(
      full,
      page([
        { a: 'x'.repeat(20_000_000), b: 1 },
        { a: 'y', b: 2 },
      ]),
    );
    expect(await query('SELECT length(a), b FROM "user"')).toEqual([
      [20_000_000n, 1],
      [1n, 2],
    ]);
  });

  describe('stores long tables while it looks at them', () => {
    const text = 'x'.repeat(1024 * 1024);
    const long = Array.from({ length: 6 }, (_, at) =>
      written(...[0, 1, 2].map((place) => `{"id":${at * 3 + place},"text":"${text}"}`)),
    );
    const ids = Array.from({ length: 18 }, (_, id) => id);

    it('with the columns of the first pages', async () => {
      const stored = await run(full, written('{"id":-1}'), page([{ a: 1 }], { table: 'short' }), ...long);
      expect(stored).toEqual([newTable('user', 19), newTable('short', 1)]);
      expect(await typesOf()).toEqual(['id INTEGER', 'text VARCHAR']);
      expect(await query('SELECT id, length(text) FROM "user" OFFSET 1')).toEqual(ids.map((id) => [id, 2n ** 20n]));
      expect(await table('short')).toEqual([[1]]);
    });

    const LAST: readonly [string, string, unknown][] = [
      ['a string', '{"id":"2024-02-29"}', '2024-02-29'],
      ['a fraction', '{"id":1.50}', 1.5],
      ['a large number', '{"id":1099511627776}', 2n ** 40n],
      ['a list', '{"id":[1]}', '[1]'],
      ['a key twice', '{"id":1,"id":2}', 2],
      ['no object', '7', null],
      ['another key', '{"id":4,"other":5}', 4],
    ];
    it.each(someOf(LAST, 3))('and again when the last page has %s', async (_, line, last) => {
      await run(full, ...long, written(line));
      const found = await query('SELECT id FROM "user"');
      expect(found.map(([id]) => String(id))).toEqual([...ids, last].map(String));
      if (line.includes('other')) expect(await query('SELECT other FROM "user" OFFSET 17')).toEqual([[null], [5]]);
      if (!line.startsWith('{')) expect(await query('SELECT value FROM "user" OFFSET 18')).toEqual([[7]]);
    });

    it('and again when one of several has changed', async () => {
      const other = (one: Page): Page => ({
        ...one,
        table: 'other',
        checkpoint: { ...one.checkpoint, call: [1, ...one.checkpoint.call] },
      });
      await run(full, ...long, ...long.map(other), other(written('{"id":null,"n":[0.12345678901234567890]}')));
      expect(await query('SELECT count(id), sum(length(text)) FROM "user"')).toEqual([[18n, 18n * 2n ** 20n]]);
      expect(await query('SELECT count(*), count(id), max(n::VARCHAR) FROM "other"')).toEqual([
        [19n, 18n, '[0.12345678901234567890]'],
      ]);
    });
  });

  it('reads the lines of pages that were made again from their own file', async () => {
    const first = written('{"id":1}');
    const again = { ...written('{"id":2}'), checkpoint: first.checkpoint };
    await run(full, first, written('{"id":3}'), again);
    expect(await table()).toEqual([[3], [2]]);
  });

  it('adds the extra columns of pages, which give way to keys', async () => {
    const extra = (value: string): Partial<Page> => ({
      extra: new Map([
        ['boat', value],
        ['id', 'e'],
      ]),
    });
    await run(full, page([{ id: 1 }, { id: 2 }], extra('A')), page([{ id: 3, boat: 5 }], extra('"B"\ud800')));
    expect(await typesOf()).toEqual(['id INTEGER', 'boat VARCHAR', 'id_2 VARCHAR', 'boat_2 INTEGER']);
    expect(await table()).toEqual([
      [1, 'A', 'e', null],
      [2, 'A', 'e', null],
      [3, '"B"\ufffd', 'e', 5],
    ]);
  });

  it('keeps times and dates as the texts that JSON has for them, where a column gets a wider type', async () => {
    await run(append, page([{ ts: '2024-01-31 10:00:00.5', d: '2024-01-31' }]));
    await run(append, page([{ ts: {}, d: 5 }]));
    expect(await typesOf()).toEqual(['ts JSON', 'd VARCHAR']);
    expect(await table()).toEqual([
      ['"2024-01-31T10:00:00.5"', '2024-01-31'],
      ['{}', '5'],
    ]);
  });

  it('refuses tables of others', async () => {
    const instance = await DuckDBInstance.create(file);
    const connection = await instance.connect();
    await connection.run('CREATE TABLE "user" (id HUGEINT); INSERT INTO "user" VALUES (1)');
    connection.closeSync();
    instance.closeSync();
    await expect(run(append, page([{ id: 1 }]))).rejects.toThrow('is of the type HUGEINT');
    await run(full, page([{ id: 1 }]));
    expect(await table()).toEqual([[1]]);
  });

  it('makes no database before the first commit, and lets others read until then', async () => {
    const sink = await begun(full, page([{ id: 1 }]));
    expect(readdirSync(folder)).toEqual(['rivers.duckdb.headwater']);
    await sink.commit({ day: 9007199254740993n });
    await sink.begin(aHead());
    await sink.write(page([{ id: 2 }]));
    expect(await table()).toEqual([[1]]);
    await sink.close();
    const next = sinks.duckdb(file)([full]);
    const { finished, state, unfinished } = await next.open();
    await next.close();
    expect([finished, state, unfinished?.manifest.id]).toMatchObject([
      `run ${runs - 1}`,
      { day: 9007199254740993n },
      `run ${runs}`,
    ]);
  });

  it('knows a run that was committed when the process died before the pages went', async () => {
    const sink = await begun(append, page([{ id: 1 }]));
    const filter = (path: string): boolean => !path.endsWith('.sock');
    cpSync(`${file}.headwater`, join(folder, 'kept'), { recursive: true, filter });
    await sink.commit({ at: 1 });
    await sink.close();
    cpSync(join(folder, 'kept'), `${file}.headwater`, { recursive: true });
    rmSync(join(`${file}.headwater`, 'lock'), { force: true, recursive: true });
    const next = sinks.duckdb(file)([append]);
    expect(await next.open()).toMatchObject({ finished: `run ${runs}`, state: { at: 1 } });
    await next.close();
    const after = sinks.duckdb(file)([append]);
    expect((await after.open()).unfinished).toBeUndefined();
    await after.close();
    expect(await table()).toEqual([[1]]);
  });

  it('makes its file at once, whatever a process that was killed then has left', async () => {
    const sink = await begun(full, page([{ id: 1 }]));
    mkdirSync(join(`${file}.headwater`, 'load'));
    writeFileSync(join(`${file}.headwater`, 'load', 'new.duckdb'), 'half of a database');
    await sink.commit({});
    await sink.close();
    expect(await table()).toEqual([[1]]);
  });

  it('leaves nothing but the database', async () => {
    const sink = await begun(full, page([{ id: 1 }]));
    await sink.commit({});
    await sink.markReported?.();
    await sink.close();
    expect(readdirSync(folder).sort()).toEqual(['rivers.duckdb']);
  });

  it('says when another process has the database open', async () => {
    await run(full, page([{ id: 1 }]));
    const holder = join(folder, 'holder.cjs');
    const api = JSON.stringify(require.resolve('@duckdb/node-api'));
    writeFileSync(
      holder,
      `require(${api}).DuckDBInstance.create(process.argv[2]).then(async (db) => {
        globalThis.held = await db.connect(); process.send('open'); });
      process.on('disconnect', () => process.exit());`,
    );
    const sink = await begun(full, page([{ id: 2 }]));
    const child = fork(holder, [file], { execArgv: [] });
    await once(child, 'message');
    await expect(sink.commit({})).rejects.toMatchObject({
      code: 'DESTINATION_LOCKED',
      message: expect.stringContaining('is in use by another process') as string,
    });
    child.disconnect();
    await once(child, 'exit');
    await sink.commit({});
    await sink.close();
    expect(await table()).toEqual([[2]]);
  });

  it('says that a newer DuckDB wrote the file, and how to write it for this one', async () => {
    await makeOfFormat(file, 999n, 'v9.8.7');
    const sink = sinks.duckdb(file)([full]);
    const error: unknown = await sink.open().then(
      () => undefined,
      (reason: unknown) => reason,
    );
    await sink.close();
    expect(error).toMatchObject({ code: 'DESTINATION_INCOMPATIBLE' });
    const { message } = error as Error;
    expect(message).toContain(
      `was written by DuckDB v9.8.7, which is newer than the one that is installed, ${version()}`,
    );
    // The statements are tried on a file that this DuckDB reads.
    const statements = /write the file again with that DuckDB: (.*)$/.exec(message)?.[1] ?? '';
    expect(statements).toContain(`STORAGE_VERSION '${version()}'`);
    await changeDuckDB(join(folder, 'own.duckdb'), 'CREATE TABLE ships AS SELECT 1 AS id');
    await changeDuckDB(
      ':memory:',
      `${statements.replace(file, join(folder, 'own.duckdb'))}; DETACH newer; DETACH older`,
    );
    const [, made = ''] = /ATTACH '([^']*)' AS older/.exec(statements) ?? [];
    expect(await queryDuckDB(made, 'SELECT * FROM ships')).toEqual([[1]]);
  });

  it('refuses a file that is no database', async () => {
    writeFileSync(file, 'x'.repeat(5000));
    const sink = sinks.duckdb(file)([full]);
    await expect(sink.open()).rejects.toMatchObject({ code: 'DESTINATION_INCOMPATIBLE' });
    await sink.close();
  });
});

describe('the memory of a load', () => {
  let folder: string;
  let database: Database;
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'headwater-memory-'));
    database = await openDatabase({ sink: 'duckdb:', spill: join(folder, 'spill') });
  });
  afterEach(() => {
    database.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const load = (facts: Partial<QueryWrite>): QueryWrite => ({
    ...{
      table: 'user',
      mode: 'replace',
      keys: [],
      keyPlace: '',
      rows: 1_000_000,
      bytes: 270_000_000,
      columns: [],
      query: '',
    },
    filled: () => Promise.resolve([]),
    ...facts,
  });
  /** The limit while a load is stored, in megabytes. */
  const limitFor = (facts: Partial<QueryWrite>): Promise<number> =>
    withMemoryFor(database, [load(facts)], async () => {
      const [[mebibytes] = []] = await database.rows("SELECT current_setting('memory_limit')");
      return Math.round(parseFloat(String(mebibytes)) * 1.048576);
    });

  it('is small for rows of a usual width', async () => {
    expect(await limitFor({})).toBeLessThan(1000);
  });

  it.each<[string, Partial<QueryWrite>]>([
    ['long rows', { bytes: 5_000_000_000 }],
    ['many columns', { columns: Array.from({ length: 1000 }, (_, at) => ({ name: `c${at}`, type: 'text' })) }],
    ['rows that are merged', { mode: 'append' }],
  ])('is all there may be for %s', async (_, facts) => {
    expect(await limitFor(facts)).toBe(1000);
  });

  it('grows where it was too little, and the load is stored again', async () => {
    const failures: unknown[] = [];
    const large = "SELECT length(string_agg(repeat('x', 1000), '')) FROM range(150000)";
    const store = (): Promise<unknown> =>
      database.rows(large).catch((error: unknown) => {
        failures.push(error);
        throw new Error('The table could not be stored.', { cause: error });
      });
    expect(await withMemoryFor(database, [load({})], store)).toEqual([[150_000_000n]]);
    expect(failures).toEqual([
      expect.objectContaining({ message: expect.stringContaining('Out of Memory') as unknown }),
    ]);
  });

  it('stays as it is where a load fails for another reason', async () => {
    let calls = 0;
    const store = (): Promise<never> => {
      calls += 1;
      return Promise.reject(new Error('refused'));
    };
    await expect(withMemoryFor(database, [load({})], store)).rejects.toThrow('refused');
    expect(calls).toBe(1);
  });
});
