/** Rows that are visible before the commit, as another connection sees them. */
import * as fc from 'fast-check';
import type { DurableSink, Stored } from '../../../src/core/durable-sink';
import type { Item, Page } from '../../../src/core/model';
import type { OutputPlan } from '../../../src/plan/plan';
import { postgresSink } from '../../../src/sinks/postgres';
import type { PostgresOptions } from '../../../src/sinks/postgres';
import {
  aHead,
  append,
  at,
  checkpointsOf,
  describeWithPostgres,
  NEEDS,
  tablePage,
  testDatabase,
} from '../../support/postgres';
import { POSTGRES, wireTo } from '../../support/wire';
import type { Wire } from '../../support/wire';
import type { Rows, TestDatabase } from '../../support/postgres';

let schemas = 0;

describeWithPostgres(`postgres with visibility "page" ${NEEDS}`, () => {
  let database: TestDatabase;
  let sinks: DurableSink[] = [];
  let wire: Wire | undefined;
  let schema: string;

  beforeAll(async () => {
    database = await testDatabase();
  });
  afterAll(() => database.drop());
  beforeEach(() => {
    schema = `v${(schemas += 1)}`;
  });
  afterEach(async () => {
    await Promise.all(sinks.map((sink) => sink.close()));
    sinks = [];
    await wire?.close();
    wire = undefined;
  });

  const sinkOf = (options: PostgresOptions & { readonly output?: OutputPlan; readonly run?: string } = {}) => {
    const { output = append, run = 'default', ...others } = options;
    const url = `${wire?.url ?? database.url}?schema=${schema}&run=${run}`;
    const sink = postgresSink(url, [output], { visibility: 'page', showEvery: 0, ...others });
    sinks.push(sink);
    return sink;
  };
  const began = async (id: string, options: Parameters<typeof sinkOf>[0] = {}): Promise<DurableSink> => {
    const sink = sinkOf(options);
    await sink.open();
    await sink.begin(aHead(id));
    return sink;
  };
  /** As a process that is killed leaves it: what is written stays, and nobody is at it. */
  const goOn = async (sink: DurableSink, options: Parameters<typeof sinkOf>[0] = {}): Promise<DurableSink> => {
    await sink.close();
    const next = sinkOf(options);
    await next.open();
    return next;
  };
  const page = (items: readonly Item[], number: number, table = 'items', call: readonly number[] = [0, 0]): Page => ({
    ...tablePage(table, items),
    checkpoint: at(call, number),
  });
  const query = (sql: string): Promise<Rows> => database.query(sql.replaceAll('$', `"${schema}".`));
  const idsOf = async (table = 'items'): Promise<readonly unknown[]> =>
    (await query(`SELECT id FROM $${table} ORDER BY id::text`)).map(({ id }) => id);
  const columnsOf = async (table: string): Promise<string> =>
    (
      await database.query(`SELECT attname || ' ' || format_type(atttypid, atttypmod) AS name FROM pg_attribute
        WHERE attrelid = '"${schema}"."${table}"'::regclass AND attnum > 0 AND NOT attisdropped ORDER BY attnum`)
    )
      .map(({ name }) => String(name))
      .join(', ');
  const shownRuns = (): Promise<Rows> =>
    database.query(`SELECT run_id FROM _headwater.shown WHERE destination LIKE '["${schema}",%'`);
  const committedRuns = async (): Promise<readonly unknown[]> =>
    (await database.query(`SELECT run_id FROM _headwater.runs WHERE destination LIKE '["${schema}",%' ORDER BY 1`)).map(
      (row) => row['run_id'],
    );

  it('shows the rows of each page while the run goes on, and counts all of them at the commit', async () => {
    const sink = await began('a');
    await sink.write(page([{ id: 1 }, { id: 2 }], 1));
    expect(await idsOf()).toEqual([1, 2]);
    await sink.write(page([{ id: 3 }], 2));
    expect(await idsOf()).toEqual([1, 2, 3]);
    expect(await committedRuns()).toEqual([]);
    expect(await shownRuns()).toEqual([{ run_id: 'a' }]);
    const uncommitted = `SELECT count(*)::int AS rows FROM $items i
      WHERE EXISTS (SELECT FROM _headwater.shown s WHERE s.load_id = i._load_id)`;
    expect(await query(uncommitted)).toEqual([{ rows: 3 }]);
    expect(await sink.commit({})).toEqual([{ name: 'items', rows: 3 }]);
    expect(await idsOf()).toEqual([1, 2, 3]);
    expect(await committedRuns()).toEqual(['a']);
    expect(await shownRuns()).toEqual([]);
    expect(await query(uncommitted)).toEqual([{ rows: 0 }]);
  });

  it('shows rows in groups, also where no further page comes', async () => {
    const sink = await began('a', { showEvery: 0.3 });
    await sink.write(page([{ id: 1 }], 1));
    await sink.write(page([{ id: 2 }], 2));
    expect(await query(`SELECT to_regclass('$items') AS there`)).toEqual([{ there: null }]);
    const deadline = Date.now() + 5000;
    const isThere = async (): Promise<boolean> =>
      (await query(`SELECT to_regclass('$items') IS NOT NULL AS there`))[0]?.['there'] === true;
    while (!(await isThere()) && Date.now() < deadline) await new Promise((done) => setTimeout(done, 20));
    expect(await idsOf()).toEqual([1, 2]);
    expect(await sink.commit({})).toEqual([{ name: 'items', rows: 2 }]);
    expect(await idsOf()).toEqual([1, 2]);
  });

  it('goes on after the rows that are visible', async () => {
    const first = await began('a');
    await first.write(page([{ id: 1 }], 1));
    const second = await goOn(first, { showEvery: 3600 });
    await second.write(page([{ id: 2 }], 2));
    expect(await idsOf()).toEqual([1]);
    const third = await goOn(second);
    await third.write(page([{ id: 3 }], 3));
    expect(await idsOf()).toEqual([1, 2, 3]);
    expect(await (await goOn(third)).commit({})).toEqual([{ name: 'items', rows: 3 }]);
    expect(await idsOf()).toEqual([1, 2, 3]);
  });

  it('a new run takes away the rows of the one that is dropped, and no others', async () => {
    const committed = await began('a');
    await committed.write(page([{ id: 1, lines: [{ n: 1 }] }], 1));
    await committed.commit({});
    await committed.close();
    // Another configuration fills the same table, and calls its run the same.
    const other = await began('b', { run: 'other' });
    await other.write(page([{ id: 2, lines: [{ n: 2 }] }], 1));
    const dropped = await began('b');
    await dropped.write(page([{ id: 3, lines: [{ n: 3 }, { n: 4 }] }], 1));
    await dropped.write(page([{ id: 4, lines: [{ n: 5, deep: [{ x: 1 }] }] }], 2));
    expect(await idsOf()).toEqual([1, 2, 3, 4]);
    expect(await query('SELECT x FROM $items_lines_deep')).toEqual([{ x: 1 }]);
    const next = await goOn(dropped);
    await next.begin(aHead('c'));
    expect(await idsOf()).toEqual([1, 2]);
    expect(await query('SELECT n FROM $items_lines ORDER BY n')).toEqual([{ n: 1 }, { n: 2 }]);
    expect(await query('SELECT x FROM $items_lines_deep')).toEqual([]);
    await next.write(page([{ id: 5, lines: [] }], 1));
    await next.commit({});
    await other.commit({});
    expect(await idsOf()).toEqual([1, 2, 5]);
    expect(await committedRuns()).toEqual(['a', 'b', 'c']);
  });

  it('a run that shows rows at the commit takes away, and goes on with, those that are visible', async () => {
    const dropped = await began('a');
    await dropped.write(page([{ id: 1 }], 1));
    const late = await goOn(dropped, { visibility: 'run' });
    await late.write(page([{ id: 2 }], 2));
    expect(await idsOf()).toEqual([1]);
    expect(await late.commit({})).toEqual([{ name: 'items', rows: 2 }]);
    expect(await idsOf()).toEqual([1, 2]);
    const again = await goOn(late);
    await again.begin(aHead('b'));
    await again.write(page([{ id: 3 }], 1));
    const last = await goOn(again, { visibility: 'run' });
    await last.begin(aHead('c'));
    expect(await idsOf()).toEqual([1, 2]);
    await last.commit({});
    expect(await idsOf()).toEqual([1, 2]);
  });

  it('takes the place of visible rows where a call begins again', async () => {
    const sink = await began('a');
    await sink.write(page([{ id: 1 }], 1, 'items', [0, 0]));
    await sink.write(page([{ id: 2 }], 2, 'items', [0, 0]));
    await sink.write(page([{ id: 9 }], 1, 'others', [1, 0]));
    await sink.write(page([{ id: 3 }], 1, 'items', [0, 0]));
    expect(await idsOf()).toEqual([3]);
    expect(await idsOf('others')).toEqual([9]);
    const killed = await goOn(sink, { showEvery: 3600 });
    await killed.write(page([{ id: 4 }], 1, 'items', [0, 0]));
    expect(await idsOf()).toEqual([3]);
    expect(await (await goOn(killed, { visibility: 'run' })).commit({})).toEqual([
      { name: 'others', rows: 1 },
      { name: 'items', rows: 1 },
    ]);
    expect(await idsOf()).toEqual([4]);
    expect(await idsOf('others')).toEqual([9]);
  });

  it('columns become wider, and new ones come, within one run; readers hear of it once', async () => {
    const warnings: string[] = [];
    const warn = (_: unknown, message: string): void => void warnings.push(message);
    const first = await began('a', { warn });
    await first.write(page([{ id: 1, n: 1 }], 1));
    await first.write(page([{ id: 2, n: 9007199254740993n }], 2));
    await first.write(page([{ id: 3, n: 'x', more: true }], 3));
    expect(await columnsOf('items')).toBe('id integer, n text, more boolean, _load_id text');
    expect(await query('SELECT n FROM $items ORDER BY id')).toEqual([
      { n: '1' },
      { n: '9007199254740993' },
      { n: 'x' },
    ]);
    await first.commit({});
    expect(warnings).toEqual([]);
    const second = await goOn(first, { warn });
    await second.begin(aHead('b'));
    await second.write(page([{ id: 'y' }], 1));
    await second.write(page([{ id: 'z', last: 1 }], 2));
    expect(warnings).toEqual([]);
    expect(await second.commit({})).toEqual([
      {
        name: 'items',
        rows: 2,
        changes: [
          { change: 'type_changed', column: 'id', from: 'integer', type: 'text' },
          { change: 'column_added', column: 'last', type: 'integer' },
        ],
      },
    ]);
    expect(warnings).toHaveLength(2);
  });

  /** Everything that a reader finds in the schema, in an order that does not depend on the run. */
  const contentOf = async (): Promise<readonly unknown[]> => {
    // A column of big integers that is there when the first fraction comes becomes NUMERIC, since nobody reads it again.
    const type = "replace(data_type, 'numeric', 'double precision') AS type";
    const columns = await database.query(`SELECT table_name, column_name, ${type} FROM information_schema.columns
      WHERE table_schema = '${schema}' AND column_name <> '_load_id' ORDER BY 1, 2`);
    const tables = [...new Set(columns.map(({ table_name: name }) => String(name)))];
    const rows: unknown[] = [];
    for (const table of tables)
      rows.push(
        table,
        await query(
          `SELECT to_jsonb(t) - '_load_id' AS row FROM $"${table}" t ORDER BY (to_jsonb(t) - '_load_id')::text`,
        ),
      );
    return [columns, ...rows];
  };
  /** The same pages, visible at the commit, in a schema of their own. */
  const atTheCommit = async (...runs: readonly (readonly Page[])[]): Promise<readonly unknown[]> => {
    schema = `v${(schemas += 1)}`;
    for (const pages of runs) {
      const sink = await began(`r${pages.length}`, { visibility: 'run' });
      for (const each of pages) await sink.write(each);
      await sink.commit({});
      await sink.close();
    }
    return contentOf();
  };

  it('lists that come late make the rows before them again', async () => {
    const pages = [
      page([{ id: 1, tags: null, at: '2024-02-29T10:00:00Z' }], 1),
      page([{ id: 2, tags: 'one', place: { city: 'Berne' } }], 2),
      page([{ id: 3, tags: ['a', 'b'], place: [{ city: 'Basle' }] }], 3),
      page([{ id: 4, tags: 'last', at: 'never', big: 123456789.25 }], 4),
    ];
    const sink = await began('a');
    for (const each of pages) await sink.write(each);
    expect(await query('SELECT _parent_row_id AS row, value FROM $items_tags ORDER BY _row_id')).toEqual([
      { row: 2, value: 'one' },
      { row: 3, value: 'a' },
      { row: 3, value: 'b' },
      { row: 4, value: 'last' },
    ]);
    expect(await query('SELECT id, at FROM $items WHERE at IS NOT NULL ORDER BY id')).toEqual([
      { id: 1, at: '2024-02-29T10:00:00Z' },
      { id: 4, at: 'never' },
    ]);
    await sink.commit({});
    expect(await contentOf()).toEqual(await atTheCommit(pages));
  });

  it('a column that had only nulls gets the type of its first value, and is there if it never has one', async () => {
    const sink = await began('a');
    await sink.write(page([{ id: 1, late: null, never: null }], 1));
    expect(await columnsOf('items')).toBe('id integer, _load_id text');
    await sink.write(page([{ id: 2, late: 7, never: null }], 2));
    await sink.commit({});
    expect(await columnsOf('items')).toBe('id integer, _load_id text, late integer, never text');
  });

  it.each([
    ['an object', { x: 1 }],
    ['a list', [1]],
    ['objects in lists', [{ c: null }, { c: { x: 1 } }]],
  ])('a column that had only nulls is not there if it gets %s', async (_what, b) => {
    const pages = [page([{ id: 1, b: null }], 1), page([{ id: 2, b }], 2), page([{ id: 3, b: null }], 3)];
    const sink = await began('a');
    for (const each of pages) await sink.write(each);
    await sink.commit({});
    expect(await columnsOf('items')).not.toMatch(/\bb text/);
    expect(await contentOf()).toEqual(await atTheCommit(pages));
  });

  it('says at the commit which chosen columns no item had', async () => {
    const warnings: string[] = [];
    const warn = (_: unknown, message: string): void => void warnings.push(message);
    const chosen = (place: string) => ({ type: 'integer', place }) as const;
    const columnTypes = new Map([
      [
        'items',
        new Map([
          ['late', chosen('L')],
          ['never', chosen('N')],
        ]),
      ],
    ]);
    const sink = await began('a', { warn, output: { ...append, columnTypes } });
    await sink.write(page([{ id: 1 }], 1));
    await sink.write(page([{ id: 2, late: 5 }], 2));
    await sink.write(page([{ id: 3 }], 3));
    await sink.commit({});
    expect(warnings).toEqual([expect.stringMatching(/^N: no item/)]);
  });

  it('counts the row that PostgreSQL cannot store from the first of the run', async () => {
    const sink = await began('a');
    await sink.write(
      page(
        [
          { id: 1, t: '' },
          { id: 2, t: '' },
        ],
        1,
      ),
    );
    const failing = sink.write(
      page(
        [
          { id: 3, t: 'a' },
          { id: 4, t: '\0' },
        ],
        2,
      ),
    );
    await expect(failing).rejects.toThrow(/table "items", row 4 of the run/);
    expect(await idsOf()).toEqual([1, 2]);
    const next = await goOn(sink);
    await expect(next.commit({})).rejects.toMatchObject({ code: 'COLUMN_TYPE' });
    expect(await idsOf()).toEqual([1, 2]);
  });

  it('refuses to guess which rows are those of a dropped run', async () => {
    const sink = await began('a');
    await sink.write(page([{ id: 1 }], 1));
    await query('ALTER TABLE $items DROP COLUMN _load_id');
    const next = await goOn(sink);
    await expect(next.begin(aHead('b'))).rejects.toMatchObject({ code: 'DESTINATION_INCOMPATIBLE' });
    await query('DROP TABLE $items');
    await next.begin(aHead('b'));
    await next.write(page([{ id: 2 }], 1));
    await next.commit({});
    expect(await idsOf()).toEqual([2]);
  });

  it('an item may have a column of that name itself', async () => {
    const sink = await began('a');
    await sink.write(page([{ id: 1, _load_id: 'mine' }], 1));
    await sink.write(page([{ id: 2 }], 2));
    expect(await columnsOf('items')).toBe('id integer, _load_id text, _load_id_2 text');
    const next = await goOn(sink);
    await next.begin(aHead('b'));
    await next.write(page([{ id: 3 }], 1));
    await next.write(page([{ id: 4, _load_id: 'mine' }], 2));
    expect(await idsOf()).toEqual([3, 4]);
    const last = await goOn(next);
    await last.begin(aHead('c'));
    await last.write(page([{ id: 5 }], 1));
    await last.commit({});
    expect(await idsOf()).toEqual([5]);
  });

  it('nothing is shown twice where the answer to a transaction is lost', async () => {
    wire = await wireTo(database.url, POSTGRES);
    const sink = await began('a');
    for (let number = 1; number <= 4; number += 1) {
      wire.loseAnswerTo('COMMIT');
      await sink.write(page([{ id: number }], number));
    }
    wire.loseAnswerTo('COMMIT');
    await sink.commit({});
    expect(await idsOf()).toEqual([1, 2, 3, 4]);
  });

  it('configurations that fill the same linked tables at once give each row an id of its own', async () => {
    const both = await Promise.all(['one', 'two'].map((run) => began('a', { run })));
    const fill = async (sink: DurableSink): Promise<void> => {
      for (let number = 1; number <= 15; number += 1) await sink.write(page([{ id: number, tags: ['x'] }], number));
    };
    await Promise.all(both.map(fill));
    const ids = 'count(*)::int AS rows, count(DISTINCT _row_id)::int AS ids';
    expect(await query(`SELECT ${ids} FROM $items`)).toEqual([{ rows: 30, ids: 30 }]);
    expect(await query(`SELECT ${ids} FROM $items_tags`)).toEqual([{ rows: 30, ids: 30 }]);
    await both[0]?.begin(aHead('b'));
    expect(await query(`SELECT ${ids} FROM $items_tags`)).toEqual([{ rows: 15, ids: 15 }]);
    await both[1]?.commit({});
    expect(await query(`SELECT ${ids} FROM $items_tags`)).toEqual([{ rows: 15, ids: 15 }]);
  });

  const value = fc.oneof(
    fc.integer({ min: -5, max: 5 }),
    fc.boolean(),
    fc.constant(null),
    fc.constantFrom('a', '2024-02-29', 1.5, 12345678901n),
    fc.array(fc.oneof(fc.integer({ min: 0, max: 9 }), fc.record({ n: fc.integer({ min: 0, max: 9 }) })), {
      maxLength: 3,
    }),
    fc.record({
      x: fc.oneof(fc.integer({ min: 0, max: 9 }), fc.array(fc.integer({ min: 0, max: 9 }), { maxLength: 2 })),
    }),
  );
  const step = fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({ do: fc.constant('write' as const), values: fc.array(value, { maxLength: 3 }) }),
    },
    {
      weight: 1,
      arbitrary: fc.record({ do: fc.constantFrom('again', 'kill', 'drop', 'commit'), values: fc.constant([]) }),
    },
  );

  it('tables are in the end as they are where rows are visible at the commit', async () => {
    const pages = fc.array(
      fc.array(fc.dictionary(fc.constantFrom('a', 'b', 'c'), value, { minKeys: 1, maxKeys: 3 }), { maxLength: 3 }),
      {
        minLength: 1,
        maxLength: 6,
      },
    );
    await fc.assert(
      fc.asyncProperty(pages, fc.boolean(), async (all, isKilled) => {
        schema = `v${(schemas += 1)}`;
        const made = all.map((items, at) => page(items as readonly Item[], at + 1));
        let sink = await began('r');
        for (const each of made) {
          if (isKilled) sink = await goOn(sink);
          await sink.write(each);
        }
        await sink.commit({});
        await sink.close();
        const content = await contentOf();
        expect(content).toEqual(await atTheCommit(made));
      }),
      { numRuns: 20 },
    );
  }, 120_000);

  it('each row is there once, whatever is shown, killed, dropped and begun again', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 14 }), fc.boolean(), async (steps, isEach) => {
        schema = `v${(schemas += 1)}`;
        const options = { showEvery: isEach ? 0 : 3600 };
        let [run, id, number] = [0, 0, 0];
        const kept: number[] = [];
        let own: number[] = [];
        let sink = await began(`r${run}`, options);
        const begin = async (): Promise<void> => {
          [own, number] = [[], 0];
          await sink.begin(aHead(`r${(run += 1)}`));
        };
        for (const { do: act, values } of steps) {
          if (act === 'write' || act === 'again') {
            if (act === 'again') [own, number] = [[], 0];
            const items = (act === 'again' ? [0] : values).map((v) => ({ id: (id += 1), v }));
            own.push(...items.map((item) => item.id));
            await sink.write(page(items, (number += 1)));
          } else if (act === 'commit') {
            await sink.commit({});
            kept.push(...own);
            await begin();
          } else {
            sink = await goOn(sink, { ...options, showEvery: 0 });
            if (act === 'drop') await begin();
          }
        }
        const last = await goOn(sink);
        const stored: readonly Stored[] = await last.commit({});
        kept.push(...own);
        await last.close();
        const [there] = await query(`SELECT to_regclass('$items') IS NOT NULL AS there`);
        const ids = there?.['there'] === true ? await query('SELECT id FROM $items ORDER BY id') : [];
        expect(ids.map((row) => row['id'])).toEqual(kept);
        expect(stored.find(({ name }) => name === 'items')?.rows ?? 0).toBe(own.length);
        const linked = await database.query(
          `SELECT table_name FROM information_schema.tables WHERE table_schema = '${schema}' AND table_name LIKE 'items\\_%'`,
        );
        const children = linked.map(({ table_name: child }) => String(child));
        // What belongs to an object is below the table of the items, or below that of the lists at its place.
        const above = (child: string): readonly string[] =>
          ['items', ...children].filter((name) => name !== child && child.startsWith(`${name}_`));
        for (const child of children) {
          const isAbove = above(child).map(
            (name) => `EXISTS (SELECT FROM $"${name}" p WHERE p._row_id = c._parent_row_id)`,
          );
          const [row] = await query(
            `SELECT count(*)::int AS orphans FROM $"${child}" c WHERE NOT (${isAbove.join(' OR ')})`,
          );
          expect({ child, ...row }).toEqual({ child, orphans: 0 });
        }
        expect(await checkpointsOf(await sinkOf().open())).toEqual([]);
        await Promise.all(sinks.map((each) => each.close()));
        sinks = [];
      }),
      { numRuns: 15 },
    );
  }, 120_000);
});
