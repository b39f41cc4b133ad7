/** Rows that DuckDB makes of plain items itself are those that are made where items are split. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { rawDocument } from '../../../src/core/json/raw-items';
import type { Item, Json, Page } from '../../../src/core/model';
import { loadTables } from '../../../src/sinks/duckdb/load';
import { duckdbSink } from '../../../src/sinks/duckdb/sink';
import { fileJournal } from '../../../src/sinks/journal/file-journal';
import { runsOf } from '../../support/cases';
import { queryDuckDB } from '../../support/duckdb';
import { aHead, anOutput, aPageOf } from '../../support/durable';

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'headwater-nested-'))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** @param isPlain whether the page holds the bytes of the response, and has been looked at */
function pageOf(items: readonly Item[], number: number, isPlain = true): Page {
  const page = aPageOf('orders', items, { checkpoint: { call: [0, number] } });
  const raw = rawDocument(Buffer.from(JSON.stringify(items)), undefined)?.items;
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
      {
        ...{ places: journal.places, pages: journal.pages, folder, outputs: [anOutput()] },
        ...{ known: () => Promise.resolve([]), lastRow: () => Promise.resolve(0) },
        ...{ structure: {}, isLinked: () => true, startedAt: 0 },
      },
      (loads) => Promise.resolve(new Map(loads.map(({ dataType, query }) => [dataType, query]))),
    );
  } finally {
    await journal.close();
  }
}

let files = 0;
/** All tables of a database that the pages were stored in: their columns with types, and their rows. */
async function storedOf(pages: readonly (readonly Item[])[], isPlain: boolean): Promise<unknown> {
  const file = join(folder, `${(files += 1)}.duckdb`);
  const sink = duckdbSink(file, [anOutput()]);
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
    for (const query of (await queriesFor(items)).values()) expect(query).toContain(join(folder, 'journal', '0.data'));
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
      { numRuns: runsOf(15) },
    );
  }, 120_000);
});
