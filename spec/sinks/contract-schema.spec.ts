/** The columns of tables, the same in every destination: their names and types, how they change from run to run, and what is in them. */
import { deliver } from '../../src';
import type { JsonObject } from '../../src';
import type { Item } from '../../src/core/model';
import { someOf } from '../support/cases';
import { APPEND, describeTables, mergedBy, REPLACE, store, textOf } from '../support/adapters';
import type { AdapterPlace, Kind } from '../support/adapters';

const wide = (keys: number): JsonObject =>
  Object.fromEntries(Array.from({ length: keys }, (_, at) => [`key${at}`, at]));

/** Runs an API with these items, into the table `users`. */
const runInto = ({ to }: AdapterPlace, items: readonly JsonObject[], settings: JsonObject = {}, resume = false) =>
  deliver({ api: { baseUrl: 'https://api.test/' }, config: { jobs: [{ endpoint: 'users' }], ...settings } }, [to()], {
    fetch: () => Promise.resolve(Response.json(items)),
    resume,
  });
const refusal = (most: string): unknown =>
  expect.objectContaining({
    code: 'TABLE_COLUMNS',
    message: expect.stringMatching(
      new RegExp(
        `^The table "users" would get more than ${most} columns: its items have keys such as "key0", .*"key\\d+"\\..*maxColumns.*responseFilter`,
      ),
    ) as string,
  });

/** Fields that are called like what a database calls its own: the row numbers of SQLite and DuckDB, the system columns of PostgreSQL. */
const TAKEN = [
  ...['rowid', 'RowId', 'oid', '_rowid_', 'rowid of stage', 'row of stage', 'headwater file', 'filename', 'tableoid'],
  ...['xmin', 'cmin', 'xmax', 'cmax', 'ctid', 'row', 'row_2', 'target', 'excluded'],
];
/** Items of which the later ones have the lower values, so that whoever takes a field for a number of rows keeps the wrong ones. */
const itemsWith = (names: readonly string[]): readonly JsonObject[] =>
  [9, 7, 5].flatMap((value, at) =>
    [1, 2].map((id) => ({ id, version: at, ...Object.fromEntries(names.map((name) => [name, value])) })),
  );

const TEXTS = [
  ...['\\N', '\\.', 'a\tb\nc\rd\\e', '', '"q",\'', '😀\u2028\u007f\u0001', 'NULL', '{"a":"\\n"}', 'inf', 'NaN', 'null'],
  ...['half \\ud83d', '\\\\ud83d', '\\u0000', '\\\\u0000', '"', '\\', ' '],
];

describeTables(({ traits, options }, make) => {
  const { types, mostColumns } = traits;
  const hasJson = options.includes('nested');
  const makeJson = () => make(hasJson ? { nested: 'json' } : {});
  const makeTables = () => make(hasJson ? { nested: 'tables' } : {});
  const typed = (kinds: Readonly<Record<string, Kind>>): Readonly<Record<string, string>> =>
    types === undefined ? {} : Object.fromEntries(Object.entries(kinds).map(([name, kind]) => [name, types[kind]]));
  const byId = (rows: readonly JsonObject[]): readonly JsonObject[] =>
    [...rows].sort((a, b) => Number(a['id']) - Number(b['id']));

  it('has a type for every kind of values', async () => {
    const place = await makeJson();
    const item: Item = {
      ...{ b: true, i: -5, l: 9007199254740993n, d: 1.5, day: '2024-02-29', at: '2024-01-01T10:00:00' },
      ...{ when: '2024-01-01T12:00:00.123+02:00', t: 'x', none: null },
    };
    const nested = hasJson ? { o: { n: 1, z: [1, null] } } : {};
    expect(await store(place, REPLACE, [{ ...item, ...nested }, {}])).toMatchObject([{ rows: 2, added: 2, total: 2 }]);
    const kinds: Readonly<Record<string, Kind>> = {
      ...{ b: 'boolean', i: 'integer', l: 'bigint', d: 'double', day: 'date', at: 'time', when: 'instant', t: 'text' },
      ...{ none: 'text', ...(hasJson ? { o: 'json' } : {}) },
    };
    expect(await place.types('user')).toEqual(typed(kinds));
    const nothing = [null, null, null, null, null, null];
    const rows = await place.cells('user', 'b', 'i', 'l', 'd', 't', 'none');
    expect([...rows].sort(([a], [b]) => Number(a === null) - Number(b === null))).toEqual([
      [traits.booleans[0], '-5', '9007199254740993', '1.5', 'x', null],
      nothing,
    ]);
    const objects = (await place.cells('user', 'o')).flatMap(([text = null]) => (text === null ? [] : [text]));
    expect(objects.map((text) => JSON.parse(text) as unknown)).toEqual(hasJson ? [{ n: 1, z: [1, null] }] : []);
  });

  it('adds columns and makes them wider, and no value changes', async () => {
    const place = await makeJson();
    const old = { b: true, i: 7, d: 0.1, when: '2024-01-01', at: '2024-01-31T10:00:00Z', same: 'x' };
    await store(place, APPEND, [{ id: 1, ...old, ...(hasJson ? { n: 1, time: '2024-01-31T10:00:00Z' } : {}) }]);
    await store(place, APPEND, []);
    const added = { b: 'no', i: 0.5, d: 'x', when: 'later', at: 'later', more: true };
    await store(place, APPEND, [{ id: 2 ** 40, ...added, ...(hasJson ? { n: [1], time: {} } : {}) }]);
    const kinds: Readonly<Record<string, Kind>> = {
      ...{ id: 'bigint', b: 'text', i: 'double', d: 'text', when: 'text', at: 'text', same: 'text' },
      ...{ more: 'boolean', ...(hasJson ? { n: 'json', time: 'json' } : {}) },
    };
    expect(await place.types('user')).toEqual(typed(kinds));
    const found = async (...names: readonly string[]) =>
      byId((await place.rows('user')) ?? []).map((row) => names.map((name) => textOf(row[name])));
    const columns = ['id', 'b', 'i', 'd', 'when', 'at', 'same', 'more'];
    const wasTrue = types === undefined ? traits.booleans[0] : 'true';
    expect(await found(...columns)).toEqual([
      ['1', wasTrue, '7', '0.1', '2024-01-01', '2024-01-31T10:00:00Z', 'x', null],
      ['1099511627776', 'no', '0.5', 'x', 'later', 'later', null, traits.booleans[0]],
    ]);
    if (hasJson) expect(await found('n')).toEqual([['1'], ['[1]']]);
    await store(place, APPEND, [{ id: 2 ** 41, more: 'text' }]);
    expect(await found('more')).toEqual([[null], [wasTrue], ['text']]);
  });

  it('numbers names that differ in their case alone, where they would be those of one column', async () => {
    const place = await make();
    await store(place, APPEND, [{ id: 1, Name: 'a' }]);
    await store(place, APPEND, [{ id: 2, name: 'b', Name: 'c' }]);
    const second = traits.caseSensitiveNames ? 'name' : 'name_2';
    expect([...(await place.cells('user', 'id', 'Name', second))].sort()).toEqual([
      ['1', 'a', null],
      ['2', 'c', 'b'],
    ]);
  });

  it('keeps every character of texts, in lists as well', async () => {
    const place = await makeJson();
    const list = (text: string): JsonObject => (hasJson ? { list: [text] } : {});
    await store(
      place,
      REPLACE,
      TEXTS.map((text, id) => ({ id, text, ...list(text) })),
    );
    const rows = byId((await place.rows('user')) ?? []);
    expect(rows.map(({ text }) => text)).toEqual(TEXTS);
    const lists = rows.flatMap(({ list: found }) => (found === undefined ? [] : [textOf(found) ?? '']));
    expect(lists.map((text) => JSON.parse(text) as unknown)).toEqual(hasJson ? TEXTS.map((text) => [text]) : []);
  });

  it('has items that are no objects in a column, and what the job adds in others', async () => {
    const place = await makeTables();
    const [value, added] = traits.linkedTables === 'numbers' ? ['value', 'parent "id"'] : ['data', 'parent_id'];
    await store(place, REPLACE, { items: ['a', 'b'], extra: { [added]: '7' } });
    expect([...(await place.cells('user', value, added))].sort()).toEqual([
      ['a', '7'],
      ['b', '7'],
    ]);
  });

  it('has a row for each item without members', async () => {
    const place = await make();
    expect(await store(place, REPLACE, [{}, {}])).toMatchObject(traits.hasEmptyRows ? [{ rows: 2 }] : []);
    await store(place, REPLACE, [{}, { a: 1 }]);
    expect([...(await place.cells('user', 'a'))].sort()).toEqual([[null], ['1']]);
  });

  it('replaces tables, in the order of the items; the columns of one without rows stay', async () => {
    const place = await make();
    await store(place, REPLACE, [{ id: 1 }, { id: 2 }], { table: 'other', items: [{ id: 1 }] });
    const ids = Array.from({ length: 5000 }, (_, at) => `n${at}`);
    await store(
      place,
      REPLACE,
      ids.map((id) => ({ id, other: 1 })),
    );
    const found = (await place.cells('user', 'id', 'other')).map((cells) => cells.join(' '));
    const expected = ids.map((id) => `${id} 1`);
    expect(traits.isOrdered ? found : [...found].sort()).toEqual(traits.isOrdered ? expected : [...expected].sort());
    await store(place, REPLACE, []);
    expect((await place.rows('user')) ?? []).toEqual([]);
    expect(await place.types('user')).toEqual(typed({ id: 'text', other: 'integer' }));
    expect(await place.cells('other', 'id')).toEqual([['1']]);
  });

  describe('an object with many keys', () => {
    if (mostColumns === undefined)
      it('is a line like any other', async () => {
        const place = await make();
        await runInto(place, [wide(20_000)], { maxColumns: 50 });
        expect(Object.keys((await place.rows('users'))?.[0] ?? {})).toHaveLength(20_000);
      });
    else {
      it('is an error before anything is stored', async () => {
        const place = await make();
        await expect(runInto(place, [wide(Number(mostColumns.replace(',', '')) + 1)])).rejects.toMatchObject({
          code: 'TABLE_COLUMNS',
          message: expect.stringContaining(`"users" would get more than ${mostColumns} columns`) as string,
        });
        expect(await place.rows('users')).toBeUndefined();
      });

      it('has a limit that can be set, and the run goes on with a higher one', async () => {
        const place = await make();
        await expect(runInto(place, [wide(51)], { maxColumns: 50 })).rejects.toEqual(refusal('50'));
        expect(await place.rows('users')).toBeUndefined();
        const { stored, resumedPages } = await runInto(place, [wide(51)], { maxColumns: 51 }, true);
        expect(stored[0]?.tables).toHaveLength(1);
        expect(resumedPages).toBe(1);
        expect(Object.keys((await place.rows('users'))?.[0] ?? {})).toHaveLength(51);
      });
    }
  });

  describe('fields that are called like the columns that a database has itself', () => {
    // Databases do not tell `rowid` from `RowId`: of each of these sets one is enough, and all together are, too.
    const sets = [...TAKEN.map((name) => [name]), TAKEN];

    it.each(someOf(sets, 5))('leave the last row of each key, and are stored: %s', async (...names) => {
      const place = await make();
      for (const items of [itemsWith(names), itemsWith(names)]) await store(place, mergedBy('id'), items);
      const rows = byId((await place.rows('user')) ?? []);
      expect(rows.map(({ id, version }) => [textOf(id), textOf(version)])).toEqual([
        ['1', '2'],
        ['2', '2'],
      ]);
      expect(rows.map((row) => Object.values(row).filter((value) => textOf(value) === '5'))).toEqual(
        [1, 2].map(() => names.map(() => expect.anything() as unknown)),
      );
    });

    if (options.includes('partitionBy'))
      it('leave the last row of each key in partitions', async () => {
        const place = await make({ partitionBy: ['version'] });
        for (const items of [itemsWith(TAKEN), itemsWith(TAKEN)]) await store(place, mergedBy('id'), items);
        expect([...(await place.cells('user', 'id', 'version'))].sort()).toEqual([
          ['1', '2'],
          ['2', '2'],
        ]);
      });

    if (traits.isOrdered)
      it('leave rows in their order where a column gets a wider type', async () => {
        const place = await make();
        await store(place, mergedBy('id'), itemsWith(['rowid', 'oid']));
        await store(place, mergedBy('id'), [{ id: 3, version: 'x' }]);
        expect(await place.cells('user', 'id')).toEqual([['1'], ['2'], ['3']]);
      });
  });
});
