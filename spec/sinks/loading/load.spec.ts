import fc from 'fast-check';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sinks } from '../../../src';
import { FatalError } from '../../../src/core/errors/errors';
import { rawDocument } from '../../../src/core/json/raw-items';
import type { Item, Json, Page } from '../../../src/core/model';
import { fileJournal } from '../../../src/sinks/journal/file-journal';
import type { Journal } from '../../../src/sinks/journal/journal';
import { IN_FILES, loadTables } from '../../../src/sinks/loading/load';
import type { QueryWrite } from '../../../src/sinks/loading/load-flat';
import { runsOf } from '../../support/cases';
import { queryDuckDB } from '../../support/duckdb';
import { aHead, aPageOf, anOutput } from '../../support/durable';

describe('load', () => {
  let folder: string;
  let journal: Journal;
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'headwater-load-'));
    journal = fileJournal(join(folder, 'journal'));
    await journal.open();
    await journal.begin(aHead());
  });
  afterEach(async () => {
    await journal.close();
    rmSync(folder, { recursive: true, force: true });
  });

  let pages = 0;
  const written = (items: readonly Item[]): Page => {
    const raw = rawDocument(Buffer.from(JSON.stringify(items)), undefined);
    const page = aPageOf('user', items, { checkpoint: { call: [0, (pages += 1)] } });
    return raw === undefined ? page : { ...page, reply: { ...page.reply, raw } };
  };
  /** More than what is looked at before a table is stored. */
  const long = (): Page[] =>
    Array.from({ length: 10 }, (_, id) =>
      written([
        { id, text: 'x'.repeat(1024 * 1024) },
        { id, text: 'y'.repeat(1024 * 1024) },
      ]),
    );

  /** What `store` was given, each time it was called. */
  async function loaded(
    all: readonly Page[],
    store: (load: QueryWrite) => Promise<unknown> = ({ filled }) => filled(),
  ): Promise<readonly QueryWrite[]> {
    for (const page of all) await journal.append(page);
    const { places, pages } = journal;
    const calls: QueryWrite[] = [];
    await loadTables(
      IN_FILES,
      {
        ...{ places, pages, folder, outputs: [anOutput()], known: () => Promise.resolve([]) },
        ...{ structure: {}, isLinked: () => false, startedAt: 0, lastRow: () => Promise.resolve(0) },
      },
      async ([load]) => {
        if (load === undefined) throw new Error('There is no table.');
        calls.push(load);
        await store(load);
      },
    );
    return calls;
  }

  const namesOf = (loads: readonly QueryWrite[]): unknown[] =>
    loads.map(({ columns }) => columns.map(({ name, type }) => `${name} ${type}`));

  describe('loading tables', () => {
    it('stores once, from the file of the journal', async () => {
      const [load, ...more] = await loaded([written([{ id: 1 }]), written([{ id: 2 }, { id: null }])]);
      expect(more).toEqual([]);
      expect(load).toMatchObject({ table: 'user', rows: 3, columns: [{ name: 'id', type: 'integer' }] });
      expect(load?.query).toContain(join(folder, 'journal', '0.data'));
      expect(await load?.filled()).toEqual([2]);
    });

    it('stores a long table before all of it was looked at', async () => {
      let isLookedAt = false;
      const calls = await loaded(long(), async ({ filled }) => {
        const counts = filled().then((found) => {
          isLookedAt = true;
          return found;
        });
        expect(isLookedAt).toBe(false);
        expect(await counts).toEqual([20, 20]);
      });
      expect(namesOf(calls)).toEqual([['id integer', 'text text']]);
    });

    it.each<[string, Item, readonly string[]]>([
      ['another column', { id: 1, more: true }, ['id integer', 'text text', 'more boolean']],
      ['another type', { id: 1.5 }, ['id double', 'text text']],
      ['another kind of value', { id: 'one' }, ['id text', 'text text']],
    ])('stores it again when the last page has %s', async (_, last, columns) => {
      const calls = await loaded([...long(), written([last])]);
      expect(namesOf(calls)).toEqual([['id integer', 'text text'], columns]);
    });

    it('stores it again when DuckDB could not take lines as they were written', async () => {
      const failures = [new Error('refused'), undefined];
      const calls = await loaded(long(), () => {
        const failure = failures.shift();
        return failure === undefined ? Promise.resolve() : Promise.reject(failure);
      });
      expect(calls.map(({ query }) => query.includes('rewritten'))).toEqual([false, true]);
      expect(await calls[1]?.filled()).toEqual([20, 20]);
    });

    it('stores only once what fails for another reason than its lines', async () => {
      let calls = 0;
      const refused = new FatalError('TABLE_NAME', 'There are two of them.');
      const store = (): Promise<void> => {
        calls += 1;
        return Promise.reject(refused);
      };
      await expect(loaded([written([{ id: 1 }])], store)).rejects.toBe(refused);
      expect(calls).toBe(1);
      await expect(loaded(long(), store)).rejects.toBe(refused);
    });

    it('fails as the last attempt does', async () => {
      await expect(loaded(long(), () => Promise.reject(new Error('the disk is full')))).rejects.toThrow(
        'the disk is full',
      );
    });
  });
});

/** Rows that DuckDB makes of plain items itself are those that are made where items are split. */

describe('load nested', () => {
  let folder: string;
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'headwater-nested-'))));
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  /** @param isPlain whether the page holds the bytes of the response, and has been looked at */
  function pageOf(items: readonly Item[], number: number, isPlain = true): Page {
    const page = aPageOf('orders', items, { checkpoint: { call: [0, number] } });
    const raw = rawDocument(Buffer.from(JSON.stringify(items)), undefined);
    return isPlain && raw !== undefined ? { ...page, reply: { ...page.reply, raw } } : page;
  }

  /** The queries of the tables that are made of these pages. */
  async function queriesFor(...pages: readonly (readonly Item[])[]): Promise<ReadonlyMap<string, string>> {
    const journal = fileJournal(join(folder, 'journal'));
    await journal.open();
    await journal.begin(aHead());
    for (const [number, items] of pages.entries()) await journal.append(pageOf(items, number));
    try {
      return await loadTables(
        IN_FILES,
        {
          ...{ places: journal.places, pages: journal.pages, folder, outputs: [anOutput()] },
          ...{ known: () => Promise.resolve([]), lastRow: () => Promise.resolve(0) },
          ...{ structure: {}, isLinked: () => true, startedAt: 0 },
        },
        (loads) => Promise.resolve(new Map(loads.map(({ table, query }) => [table, query]))),
      );
    } finally {
      await journal.close();
    }
  }

  let files = 0;
  /** All tables of a database that the pages were stored in: their columns with types, and their rows. */
  async function storedOf(pages: readonly (readonly Item[])[], isPlain: boolean): Promise<unknown> {
    const file = join(folder, `${(files += 1)}.duckdb`);
    const sink = sinks.duckdb(file)([anOutput()]);
    const { state } = await sink.open();
    try {
      await sink.begin(aHead());
      for (const [number, items] of pages.entries()) await sink.write(pageOf(items, number, isPlain));
      await sink.commit(state);
    } finally {
      await sink.close();
    }
    const tables = await queryDuckDB(
      file,
      "SELECT table_name, column_name, data_type FROM information_schema.columns WHERE table_schema = 'main' ORDER BY table_name, ordinal_position",
    );
    const names = [...new Set(tables.map(([name]) => String(name)))];
    const rows = await Promise.all(names.map((name) => queryDuckDB(file, `SELECT * FROM "${name}"`)));
    const [[receipt] = []] = await queryDuckDB(file, 'SELECT state FROM _headwater.receipt');
    return { tables, rows, receipt };
  }

  describe('items with objects and lists', () => {
    it.each<[string, readonly Item[]]>([
      ['lists of strings', [{ id: 1, tags: ['a', null, 'b'] }, { id: 2, tags: [] }, { id: 3 }]],
      ['lists of objects with lists', [{ id: 1, lines: [{ sku: 'a', taxes: [1.5, 2] }, null, {}, { sku: 'b' }] }]],
      [
        'lists within lists',
        [
          { id: 1, grid: [[1, 2], [], [3]] },
          { id: 2, grid: null },
        ],
      ],
      ['lists of objects without members', [{ id: 1, marks: [{}, {}] }]],
      [
        'objects alone',
        [{ id: 1, by: { name: 'Ann', at: { city: 'Bern', since: '2021-06-16T09:30:15Z' } } }, { by: null }],
      ],
      ['lists in objects', [{ by: { "it's": { 'q"': [{ x: { 'y z': true } }] } } }]],
      [
        'columns of the names of links',
        [{ _row_id: 'a', row: 1, lines: [{ _position: 7, element: 'e', parent: 2, list: 3 }] }],
      ],
    ])('%s are read from the journal', async (_, items) => {
      for (const query of (await queriesFor(items)).values())
        expect(query).toContain(join(folder, 'journal', '0.data'));
      expect(await storedOf([items], true)).toEqual(await storedOf([items], false));
    });

    it.each<[string, readonly Item[]]>([
      ['a value where others have lists', [{ tags: ['a'] }, { tags: 'b' }]],
      ['a value where others have objects', [{ by: { name: 'Ann' }, tags: ['a'] }, { by: 'Bo' }]],
      ['values and objects in one list', [{ lines: [1, { sku: 'a' }] }]],
      ['keys that differ in their case', [{ lines: [{ Id: 1, id: 2 }] }]],
      ['strings and numbers', [{ lines: [{ sku: 'a' }, { sku: 1 }] }]],
      ['decimals', [{ lines: [{ price: 1234567890.25 }, { price: 9007199254740991 }] }]],
      ['items that are no objects', [{ tags: [1] }, 5]],
      ['a NUL in a string', [{ tags: ['a\0b'] }]],
    ])('%s are split, or read without loss', async (_, items) => {
      expect(await storedOf([items], true)).toEqual(await storedOf([items], false));
    });

    it('are split where only a later page shows that they have to be', async () => {
      const pages = [[{ id: 1, tags: ['a'] }], [{ id: 2, tags: ['b', 7] }]];
      for (const query of (await queriesFor(...pages)).values()) expect(query).not.toContain('0.data');
      expect(await storedOf(pages, true)).toEqual(await storedOf(pages, false));
    });

    it('give the same tables as where they are split, whatever they hold', async () => {
      const scalar = fc.constantFrom<fc.Arbitrary<Json>>(
        fc.integer(),
        fc.double({ noNaN: true, noDefaultInfinity: true }),
        fc.string(),
        fc.boolean(),
        fc.constantFrom('2021-06-16', '2021-06-16T09:30:15Z', 'no date'),
      );
      const keys = fc.constantFrom('a', 'b', 'A', 'c_d', 'c', 'value', '_row_id');
      /** What stands at one place: mostly of one kind, and often missing. */
      const { place } = fc.letrec<{ place: fc.Arbitrary<Json> }>((tie) => ({
        place: fc.oneof(
          { maxDepth: 3, withCrossShrink: true },
          scalar,
          fc
            .dictionary(keys, tie('place'), { maxKeys: 3 })
            .map((at) => fc.record<Record<string, Json>>(at, { requiredKeys: [] })),
          tie('place').map((at) => fc.array(fc.option(at, { freq: 5 }), { maxLength: 3 }) as fc.Arbitrary<Json>),
        ),
      }));
      const pages = fc.dictionary(keys, place, { minKeys: 1, maxKeys: 4 }).chain((at) =>
        fc.array(fc.array(fc.record<Record<string, Json>>(at, { requiredKeys: [] }), { minLength: 1, maxLength: 3 }), {
          minLength: 1,
          maxLength: 2,
        }),
      );
      await fc.assert(
        fc.asyncProperty(pages, async (all) => {
          expect(await storedOf(all, true)).toEqual(await storedOf(all, false));
        }),
        { numRuns: runsOf(15, 3) },
      );
    }, 120_000);
  });
});
