import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { deliver, HeadwaterError, sinks } from '../../src';
import type { Destination, JsonObject, Stored } from '../../src';
import { knownCounts, rowCounts, rowsOfRun, toldCounts } from '../../src/sinks/row-counts';
import { json } from '../support/answers';
import { startServer } from '../support/api-server';
import type { ApiServer } from '../support/api-server';
import { runsOf } from '../support/cases';
import { describeWithPostgres, NEEDS, testDatabase } from '../support/postgres';
import { itWithSqlite } from '../support/sqlite';

/** A row; one of `null` has nothing in the key. */
interface Row {
  readonly id: number | null;
  readonly depth: number;
}
/** One run: how it loads, and the rows that the API has. */
interface Run {
  readonly load: 'replace' | 'append' | 'merge';
  readonly rows: readonly Row[];
}

const row = fc.record<Row>({
  id: fc.option(fc.integer({ min: 1, max: 6 }), { nil: null, freq: 5 }),
  depth: fc.integer({ min: 1, max: 2 }),
});
const run = fc.record<Run>({
  load: fc.constantFrom('replace', 'append', 'merge', 'merge'),
  rows: fc.array(row, { maxLength: 8 }),
});

/** Runs of which each number has something to tell, whatever else is tried. */
const TELLING: readonly Run[] = [
  { load: 'replace', rows: [1, 2, 3].map((id) => ({ id, depth: 1 })) },
  { load: 'merge', rows: [...[1, 4, 4].map((id) => ({ id, depth: 1 })), { id: 2, depth: 2 }] },
  { load: 'append', rows: [{ id: 5, depth: 1 }] },
  { load: 'replace', rows: [{ id: 1, depth: 1 }] },
];

/** What runs make of a table, and what is to be told of each. */
function modelOf(
  before: readonly Row[],
  { load, rows }: Run,
): { readonly after: readonly Row[]; readonly told: object } {
  const all = { added: rows.length, changed: 0, unchanged: 0, rows: rows.length };
  if (load === 'replace') return { after: rows, told: { ...all, removed: before.length, total: rows.length } };
  if (load === 'append') {
    const after = [...before, ...rows];
    return { after, told: { ...all, removed: 0, total: after.length } };
  }
  const last = new Map(rows.flatMap((each) => (each.id === null ? [] : [[each.id, each] as const])));
  const stored = [...rows.filter(({ id }) => id === null), ...last.values()];
  const matched = [...last.keys()].filter((key) => before.some(({ id }) => id === key));
  const same = matched.filter((key) => before.some(({ id, depth }) => id === key && depth === last.get(key)?.depth));
  const after = [...before.filter(({ id }) => id === null || !last.has(id)), ...stored];
  const added = stored.length - matched.length;
  const repeated = rows.length - stored.length;
  return {
    after,
    told: {
      ...{ added, changed: matched.length - same.length, unchanged: same.length, rows: stored.length },
      ...{ removed: before.length + added - after.length, total: after.length },
      ...(repeated === 0 ? {} : { repeated }),
    },
  };
}

describe('what a commit did to rows', () => {
  it('follows from what was counted', () => {
    expect(rowCounts({ stored: 4, matched: 2, same: 1 }, 5, 7)).toEqual({
      ...{ added: 2, changed: 1, unchanged: 1, removed: 0, total: 7 },
    });
    expect(rowCounts({ stored: 0, matched: 0, same: 0 }, 5, 0)).toEqual({
      ...{ added: 0, changed: 0, unchanged: 0, removed: 5, total: 0 },
    });
    expect(rowsOfRun(3990, 4001)).toEqual({ rows: 3990, repeated: 11 });
  });

  it('leaves out what was not counted', () => {
    expect(toldCounts({ stored: 4, matched: 2 })).toEqual({ added: 2 });
    expect(toldCounts({ stored: 4 }, { total: 9 })).toEqual({ total: 9 });
  });

  let server: ApiServer;
  let items: readonly JsonObject[] = [];
  beforeEach(async () => {
    server = await startServer(() => json({ data: [...items] }));
  });
  afterEach(() => server.close());

  const runInto = async (
    destination: Destination,
    load: Run['load'],
    rows: readonly JsonObject[],
    withRunColumns = false,
  ): Promise<Stored> => {
    items = rows;
    const job = { endpoint: 'items', dataField: 'data', load, ...(load === 'merge' ? { primaryKey: ['id'] } : {}) };
    const config = { api: { baseUrl: server.origin }, config: { jobs: [job] } };
    const delivery = await deliver(config, [destination], withRunColumns ? { runColumns: true } : {});
    // Tables of lists are not looked at; of a table that never had a row, nothing may be told.
    return delivery.stored[0]?.tables.find(({ name }) => /^items(\.|$)/.test(name)) ?? { name: 'items' };
  };
  const told = ({ rows, repeated, ...counts }: Stored): object => ({
    ...(rows === undefined ? {} : { rows }),
    ...(repeated === undefined ? {} : { repeated }),
    ...knownCounts(counts),
  });

  const seen: Stored[] = [];
  interface Ways {
    /** Whether numbers may be left out; those that are told have to be right all the same. */
    readonly isSparing?: boolean;
    /** Whether no table may have rows with equal keys, or without one. */
    readonly hasUniqueKeys?: boolean;
    readonly begin?: () => Promise<unknown>;
    readonly numRuns?: number;
  }
  const check = (
    destinationAt: (file: string) => Destination,
    { isSparing = false, hasUniqueKeys = false, begin = () => Promise.resolve(), numRuns = 12 }: Ways = {},
  ): Promise<void> =>
    fc.assert(
      fc.asyncProperty(fc.array(run, { minLength: 1, maxLength: 4 }), async (runs) => {
        const folder = await mkdtemp(join(tmpdir(), 'headwater-counts-'));
        try {
          await begin();
          let before: readonly Row[] = [];
          for (const one of runs) {
            const isNew = ({ id }: Row, at: number): boolean =>
              id !== null &&
              (one.load === 'merge' ||
                (one.rows.findIndex((other) => other.id === id) === at &&
                  (one.load === 'replace' || !before.some((old) => old.id === id))));
            const each = hasUniqueKeys ? { ...one, rows: one.rows.filter(isNew) } : one;
            const { after, told: expected } = modelOf(before, each);
            const sent = each.rows.map(({ id, depth }) => (id === null ? { depth, name: 'x' } : { id, depth }));
            // A key that no item has is refused.
            if (each.load === 'merge' && !sent.some((item) => 'id' in item)) continue;
            const stored = await runInto(destinationAt(join(folder, 'a')), each.load, sent).catch((error: unknown) => {
              // A table that has rows and none with an id may have no such column: rows are not merged into it.
              const mayLackKey = each.load === 'merge' && before.length > 0 && before.every(({ id }) => id === null);
              const isRefused = error instanceof HeadwaterError && error.code === 'DESTINATION_INCOMPATIBLE';
              if (!mayLackKey || !isRefused) throw error;
              return undefined;
            });
            if (stored === undefined) continue;
            if (isSparing) expect(expected).toMatchObject(told(stored));
            else expect(told(stored)).toEqual(expected);
            seen.push(stored);
            before = after;
          }
        } finally {
          await rm(folder, { recursive: true });
        }
      }),
      { numRuns: runsOf(numRuns), examples: [[TELLING]] },
    );
  /** What is left out is left out for a reason: others are there. */
  const expectTold = (...names: readonly (keyof Stored)[]): void => {
    for (const name of names) expect([name, seen.some((counts) => counts[name] !== undefined)]).toEqual([name, true]);
  };
  const NUMBERS = ['added', 'changed', 'unchanged', 'removed', 'total', 'repeated'] as const;
  beforeEach(() => void (seen.length = 0));

  itWithSqlite('is told by SQLite as a model of the table has it, whatever runs came before', () =>
    check((file) => sinks.sqlite(file)),
  );
  it('is told by DuckDB as a model of the table has it, whatever runs came before', () =>
    check((file) => sinks.duckdb(file)));
  it('is told by Parquet files as a model of the table has it', () => check((folder) => sinks.parquet(folder)));
  it('is told by partitions as a model of the table has it', () =>
    check((folder) => sinks.parquet(folder, { partitionBy: ['depth'] }), { hasUniqueKeys: true, numRuns: 5 }));
  it('is told by NDJSON files as a model of the table has it, but for the rows of a file that goes', async () => {
    await check((folder) => sinks.ndjson(folder), { isSparing: true, hasUniqueKeys: true });
    expectTold(...NUMBERS);
    // A file that no line comes to is not read.
    expect(seen.every(({ rows, total }) => rows === 0 || total !== undefined)).toBe(true);
  });
  it('is told by compressed files, too', async () => {
    await check((folder) => sinks.ndjson(folder, { compress: 'gzip' }), { isSparing: true, hasUniqueKeys: true });
    expectTold(...NUMBERS);
  });
  it('is told by CSV files as a model of the table has it, where no values are compared', async () => {
    await check((folder) => sinks.csv(folder), { isSparing: true });
    expectTold(...NUMBERS);
    expect(seen.every(({ rows, total }) => (rows === undefined) === (total === undefined))).toBe(true);
  });

  const merged = async (destination: () => Destination, withRunColumns: boolean, of = [1, 2, 3]): Promise<object> => {
    const itemOf = (id: number, list: readonly number[]): JsonObject => ({ id, list: [...list] });
    await runInto(
      destination(),
      'merge',
      of.map((id) => itemOf(id, [id])),
      withRunColumns,
    );
    const { added, changed, unchanged, total } = await runInto(
      destination(),
      'merge',
      [itemOf(2, [2]), itemOf(2, [2]), itemOf(3, [3]), itemOf(4, [4])],
      withRunColumns,
    );
    return { added, changed, unchanged, total };
  };
  const SAME = { added: 1, changed: 0, unchanged: 2, total: 4 };
  it.each([false, true])(
    'takes a row for the same that only has other ids and columns of the run (%s)',
    async (withRunColumns) => {
      const folder = await mkdtemp(join(tmpdir(), 'headwater-same-'));
      const at = (name: string): string => join(folder, name);
      try {
        expect(await merged(() => sinks.duckdb(at('a.duckdb'), { nested: 'tables' }), withRunColumns)).toEqual(SAME);
        expect(await merged(() => sinks.parquet(at('parquet'), { nested: 'tables' }), withRunColumns)).toEqual(SAME);
        expect(await merged(() => sinks.ndjson(at('linked'), { nested: 'tables' }), withRunColumns)).toEqual(SAME);
        expect(await merged(() => sinks.ndjson(at('lines')), withRunColumns)).toEqual(SAME);
      } finally {
        await rm(folder, { recursive: true });
      }
    },
  );
  itWithSqlite('is so in SQLite, too', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'headwater-same-'));
    try {
      for (const isStamped of [false, true])
        expect(await merged(() => sinks.sqlite(join(folder, String(isStamped))), isStamped)).toEqual(SAME);
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  describeWithPostgres(`in PostgreSQL ${NEEDS}`, () => {
    it('is told as a model of the table has it, or not at all', async () => {
      const database = await testDatabase();
      const drop = (): Promise<unknown> => database.query('DROP SCHEMA public CASCADE; CREATE SCHEMA public');
      const ways = { isSparing: true, hasUniqueKeys: true, begin: drop, numRuns: 6 };
      try {
        await check(() => sinks.postgres(database.url), ways);
        expectTold(...NUMBERS);
        expect(seen.every(({ added, changed }) => added !== undefined && changed !== undefined)).toBe(true);
      } finally {
        await database.drop();
      }
    }, 120_000);

    it('writes no row again that is the same, and tells less where nobody can see whether it is', async () => {
      const database = await testDatabase();
      const places = async (): Promise<readonly unknown[]> =>
        (await database.query('SELECT ctid::text AS place FROM items WHERE id < 3 ORDER BY id')).map(
          ({ place }) => place,
        );
      try {
        const destination = (): Destination => sinks.postgres(database.url);
        await runInto(destination(), 'merge', [
          { id: 1, depth: 1, tags: { a: 1 } },
          { id: 2, depth: 1, tags: null },
        ]);
        await database.query(`ALTER TABLE items ADD COLUMN mine json, ADD COLUMN place point`);
        const [first, second] = await places();
        const again = await runInto(destination(), 'merge', [
          { id: 1, depth: 1, tags: { a: 1 } },
          { id: 2, depth: 2, tags: null },
          { id: 3, depth: 1, tags: null },
        ]);
        expect(told(again)).toEqual({ rows: 3, added: 1, changed: 1, unchanged: 1, removed: 0 });
        const [sameFirst, newSecond] = await places();
        expect(sameFirst).toBe(first);
        expect(newSecond).not.toBe(second);
        // What the run does not have becomes what the table has as its default.
        await database.query(`UPDATE items SET mine = '{}' WHERE id = 1`);
        expect(told(await runInto(destination(), 'merge', [{ id: 1, depth: 1, tags: { a: 1 } }]))).toEqual({
          ...{ rows: 1, added: 0, changed: 1, unchanged: 0, removed: 0 },
        });
        expect(await database.query('SELECT mine FROM items WHERE id = 1')).toEqual([{ mine: null }]);
        await database.query(`ALTER TABLE items ALTER COLUMN mine SET DEFAULT '[]'`);
        expect(told(await runInto(destination(), 'merge', [{ id: 1, depth: 1, tags: { a: 1 } }]))).toEqual({
          ...{ rows: 1, added: 0, removed: 0 },
        });
        expect(await database.query('SELECT mine FROM items WHERE id = 1')).toEqual([{ mine: [] }]);
        // With columns of the run, or with lists, each row is written.
        const { changed, unchanged } = await runInto(destination(), 'merge', [{ id: 1, depth: 1, tags: [1] }], true);
        expect([changed, unchanged]).toEqual([undefined, undefined]);
      } finally {
        await database.drop();
      }
    }, 120_000);
  });
});
