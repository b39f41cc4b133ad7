/** Tables of lists and tables of jobs have names of their own, in whatever run they come for the first time. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DurableSink } from '../../../src/core/durable-sink';
import type { Item } from '../../../src/core/model';
import type { OutputPlan } from '../../../src/plan/plan';
import { duckdbSink } from '../../../src/sinks/duckdb';
import { parquetFolder } from '../../../src/sinks/parquet';
import { postgresSink } from '../../../src/sinks/postgres';
import { sqliteSink } from '../../../src/sinks/sqlite';
import { queryDuckDB } from '../../support/duckdb';
import {
  NEEDS,
  aHead,
  append,
  at,
  describeWithPostgres,
  full,
  keyed,
  tablePage,
  testDatabase,
} from '../../support/postgres';
import type { TestDatabase } from '../../support/postgres';
import { describeWithSqlite, querySqlite } from '../../support/sqlite';

describe('names of linked tables', () => {
  let folder: string;
  let file: string;
  let runs = 0;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'headwater-linked-'));
    file = join(folder, 'x.duckdb');
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  async function run(tables: Readonly<Record<string, readonly Item[]>>): Promise<void> {
    const sink = duckdbSink(file, [append]);
    const { state } = await sink.open();
    try {
      await sink.begin(aHead(`run ${(runs += 1)}`));
      for (const [job, [dataType, items]] of Object.entries(tables).entries())
        await sink.write({ ...tablePage(dataType, items), checkpoint: at([job, 0]) });
      await sink.commit(state);
    } finally {
      await sink.close();
    }
  }
  const rows = (table: string) => queryDuckDB(file, `SELECT * FROM ${table}`);

  it('refuse a dataType that the lists of an earlier run have', async () => {
    await run({ orders: [{ id: 1, lines: ['a'] }] });
    await expect(run({ orders: [{ id: 2, lines: ['b'] }], orders_lines: [{ n: 5 }] })).rejects.toMatchObject({
      code: 'TABLE_NAME',
    });
    expect(await rows('orders_lines')).toEqual([[1, 1, 0, 'a']]);
  });

  it('leave the tables of jobs alone that had lists in an earlier run', async () => {
    await run({ orders: [{ id: 1 }], orders_lines: [{ n: [5] }] });
    await run({ orders: [{ id: 2, lines: ['b'] }] });
    expect(await rows('orders_lines_n')).toEqual([[1, 1, 0, 5]]);
    expect(await rows('orders_lines_2')).toEqual([[1, 1, 0, 'b']]);
  });

  it('leave the tables of their lists alone, too', async () => {
    await run({ a: [{ b_c: ['x'] }] });
    await run({ a_b: [{ c: ['y'] }] });
    expect(await rows('a_b_c')).toEqual([[1, 1, 0, 'x']]);
    expect(await rows('a_b_c_2')).toEqual([[1, 1, 0, 'y']]);
  });
});

/** The same place of the items, and the same column of a job, has the same column of its table in every run (docs/sinks.md#objects-and-lists). */

type Nested = 'json' | 'tables';

interface Place {
  readonly sink: (outputs: readonly OutputPlan[], nested: Nested) => DurableSink;
  /** The rows of a table, as JSON. */
  readonly rows: (table: string) => Promise<readonly unknown[]>;
}

/** Items of a page, and what their rows have beside them. */
interface Part {
  readonly items: readonly Item[];
  readonly extra?: Readonly<Record<string, string>>;
  readonly dataType?: string;
}

const parent = { parent_id: '7' };

function itKeepsNames(placeOf: (folder: string) => Place): void {
  let folder: string;
  let place: Place;
  let runs = 0;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'headwater-names-'));
    place = placeOf(folder);
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  async function run(parts: readonly Part[], output = append, nested: Nested = 'tables'): Promise<void> {
    const sink = place.sink([output], nested);
    const { state } = await sink.open();
    try {
      await sink.begin(aHead(`run ${(runs += 1)}`));
      for (const [job, { items, extra = {}, dataType = 'notes' }] of parts.entries()) {
        const page = tablePage(dataType, items, { extra: new Map(Object.entries(extra)) });
        await sink.write({ ...page, checkpoint: at([job, 0]) });
      }
      await sink.commit(state);
    } finally {
      await sink.close();
    }
  }
  /** The rows without what is null in them, nor their ids. */
  async function rows(table = 'notes'): Promise<readonly string[]> {
    const found = (await place.rows(table)) as readonly Readonly<Record<string, unknown>>[];
    const ids = ['_row_id', '_parent_row_id', '_position'];
    return found
      .map((row) => Object.entries(row).filter(([name, value]) => value !== null && !ids.includes(name)))
      .map((row) => row.map(([name, value]) => `${name}=${String(value)}`).sort())
      .map((row) => row.join(' '))
      .sort();
  }

  const lists = { 'flat items': {}, 'items with lists': { tags: ['x'] } };
  describe.each(Object.entries(lists))('%s', (_, more) => {
    it('that have a key later which the job adds', async () => {
      await run([{ items: [{ n: 1, ...more }], extra: parent }]);
      await run([{ items: [{ n: 2, parent_id: 'own', ...more }], extra: parent }]);
      await run([{ items: [{ parent_id: 'own', n: 3, ...more }], extra: parent }]);
      const own = 'parent_id=7 parent_id_2=own';
      expect(await rows()).toEqual(['n=1 parent_id=7', `n=2 ${own}`, `n=3 ${own}`]);
    });

    it('that had a key before which the job adds later', async () => {
      await run([{ items: [{ n: 1, parent_id: 'own', ...more }] }]);
      await run([{ items: [{ n: 2, ...more }], extra: parent }]);
      await run([{ items: [{ n: 3, parent_id: 'own', ...more }], extra: parent }]);
      await run([{ items: [{ n: 4, ...more }], extra: parent }]);
      const both = 'parent_id=own parent_id_2=7';
      expect(await rows()).toEqual(['n=1 parent_id=own', 'n=2 parent_id_2=7', `n=3 ${both}`, 'n=4 parent_id_2=7']);
    });

    it('whose names the first run numbers', async () => {
      await run([
        { items: [{ n: 1, ...more }], extra: parent },
        { items: [{ n: 2, parent_id: 'own', parent_id_2: 'other', ...more }], extra: parent },
      ]);
      await run([{ items: [{ parent_id_2: 'other', parent_id: 'own', n: 3, ...more }], extra: parent }]);
      const all = 'parent_id=7 parent_id_2=own parent_id_2_2=other';
      expect(await rows()).toEqual(['n=1 parent_id=7', `n=2 ${all}`, `n=3 ${all}`]);
    });

    it('whose rows replace each other by what the job adds', async () => {
      const output = keyed('notes', 'parent_id', 'n');
      await run([{ items: [{ n: 1, ...more }], extra: parent }], output);
      await run([{ items: [{ n: 1, parent_id: 'own', ...more }], extra: parent }], output);
      expect(await rows()).toEqual(['n=1 parent_id=7 parent_id_2=own']);
    });

    it('in tables that are replaced', async () => {
      await run([{ items: [{ n: 1, ...more }], extra: parent }], full);
      await run([{ items: [{ n: 2, parent_id: 'own', ...more }], extra: parent }], full);
      expect(await rows()).toEqual(['n=2 parent_id=7 parent_id_2=own']);
    });
  });

  it('items that have lists later', async () => {
    await run([{ items: [{ n: 1, '': 'a', _: 'b' }], extra: parent }]);
    await run([{ items: [{ _: 'b', '': 'a', parent_id: 'own', tags: ['x'], n: 2 }], extra: parent }]);
    const names = '_=a __2=b n';
    expect(await rows()).toEqual([`${names}=1 parent_id=7`, `${names}=2 parent_id=7 parent_id_2=own`]);
    expect(await rows('notes_tags')).toEqual(['value=x']);
  });

  it('keys whose names meet, where objects are JSON', async () => {
    await run([{ items: [{ n: 1, '': 1, _: 2, a: 3 }] }], append, 'json');
    await run([{ items: [{ n: 2, A: 4, _: 2, '': 1, a: 3, __2: 5 }] }], append, 'json');
    await run([{ items: [{ n: 3, __2: 5, _: 2, '': 1, a_2: 6, A: 4, a: 3 }] }], append, 'json');
    const names = '_=1 __2=2 __2_2=5 a=3';
    expect(await rows()).toEqual([`A_2=4 ${names} a_2_2=6 n=3`, `A_2=4 ${names} n=2`, '_=1 __2=2 a=3 n=1']);
  });

  it('lists that come after a job with the name of their table', async () => {
    await run([
      { items: [{ id: 1 }], dataType: 'orders' },
      { items: [{ n: 5 }], dataType: 'orders_lines' },
    ]);
    await run([{ items: [{ id: 2, lines: ['b'] }], dataType: 'orders' }]);
    await run([
      { items: [{ id: 3, lines: ['c'] }], dataType: 'orders' },
      { items: [{ n: 6 }], dataType: 'orders_lines' },
    ]);
    expect(await rows('orders_lines')).toEqual(['n=5', 'n=6']);
    expect(await rows('orders_lines_2')).toEqual(['value=b', 'value=c']);
  });
}

const jsonOf = async (file: string, from: string): Promise<readonly unknown[]> =>
  (await queryDuckDB(file, `SELECT to_json(t)::VARCHAR FROM ${from} AS t`)).map(
    ([row]) => JSON.parse(String(row)) as unknown,
  );

describe('duckdb keeps the names of columns and tables of', () => {
  itKeepsNames((folder) => ({
    sink: (outputs, nested) => duckdbSink(`${folder}/x.duckdb`, outputs, { nested }),
    rows: (table) => jsonOf(`${folder}/x.duckdb`, table),
  }));
});

describe('parquet keeps the names of columns and tables of', () => {
  itKeepsNames((folder) => ({
    sink: (outputs, nested) => parquetFolder(`${folder}/out`, outputs, { nested }),
    rows: (table) => jsonOf(':memory:', `'${folder}/out/${table}.parquet'`),
  }));
});

describeWithSqlite('sqlite keeps the names of columns and tables of', () => {
  itKeepsNames((folder) => ({
    sink: (outputs, nested) => sqliteSink(`${folder}/x.sqlite`, outputs, { nested }),
    rows: (table) => Promise.resolve(querySqlite(`${folder}/x.sqlite`, `SELECT * FROM ${table}`)),
  }));
});

describeWithPostgres(`postgres ${NEEDS} keeps the names of columns and tables of`, () => {
  let database: TestDatabase;
  let count = 0;
  beforeAll(async () => {
    database = await testDatabase();
  });
  afterAll(() => database.drop());
  itKeepsNames(() => {
    const schema = `s${(count += 1)}`;
    return {
      sink: (outputs, nested) => postgresSink(`${database.url}?schema=${schema}`, outputs, { nested }),
      rows: (table) => database.query(`SELECT * FROM ${schema}.${table}`),
    };
  });
});
