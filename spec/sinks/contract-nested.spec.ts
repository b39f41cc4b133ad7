/** Objects and lists in items, the same in every destination with tables: where they go, what they are called, and what goes with them. */
import { APPEND, describeTables, REPLACE, store, textOf } from '../support/adapters';
import type { AdapterPlace, MakePlace, Part, Traits } from '../support/adapters';
import type { SharedIt } from '../support/cases';

/** The rows of a table without what is null in them, nor their ids. */
async function rowsOf(place: AdapterPlace, table: string): Promise<readonly string[]> {
  const ids = ['_row_id', '_parent_row_id', '_position'];
  return ((await place.rows(table)) ?? [])
    .map((row) => Object.entries(row).filter(([name, value]) => value !== null && !ids.includes(name)))
    .map((row) => row.map(([name, value]) => `${name}=${textOf(value)}`).sort())
    .map((row) => row.join(' '))
    .sort();
}

const parent = { parent_id: '7' };

/** The same place of the items, and the same column of a job, has the same column of its table in every run (docs/sinks.md#objects-and-lists). */
function keepsNames(make: MakePlace, { keepsItems }: Traits, it: SharedIt): void {
  let place: AdapterPlace;
  beforeEach(async () => (place = await make({ nested: 'tables' })));
  const run = async (parts: readonly Part[], output = APPEND): Promise<void> => {
    await store(place, output, ...parts.map((part) => ({ table: 'notes', ...part })));
  };
  const rows = (table = 'notes') => rowsOf(place, table);

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
      const output = { ...APPEND, primaryKeys: new Map([['notes', ['parent_id', 'n']]]) };
      await run([{ items: [{ n: 1, ...more }], extra: parent }], output);
      await run([{ items: [{ n: 1, parent_id: 'own', ...more }], extra: parent }], output);
      expect(await rows()).toEqual(['n=1 parent_id=7 parent_id_2=own']);
    });

    it('in tables that are replaced', async () => {
      await run([{ items: [{ n: 1, ...more }], extra: parent }], REPLACE);
      await run([{ items: [{ n: 2, parent_id: 'own', ...more }], extra: parent }], REPLACE);
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
    place = await make({ nested: 'json' });
    await run([{ items: [{ n: 1, '': 1, _: 2, a: 3 }] }]);
    await run([{ items: [{ n: 2, A: 4, _: 2, '': 1, a: 3, __2: 5 }] }]);
    await run([{ items: [{ n: 3, __2: 5, _: 2, '': 1, a_2: 6, A: 4, a: 3 }] }]);
    const names = '_=1 __2=2 __2_2=5 a=3';
    if (keepsItems)
      expect(await rows()).toEqual(['=1 A=4 _=2 __2=5 a=3 a_2=6 n=3', '=1 A=4 _=2 __2=5 a=3 n=2', '=1 _=2 a=3 n=1']);
    else expect(await rows()).toEqual([`A_2=4 ${names} a_2_2=6 n=3`, `A_2=4 ${names} n=2`, '_=1 __2=2 a=3 n=1']);
  });

  it('lists that come after a job with the name of their table', async () => {
    await run([
      { items: [{ id: 1 }], table: 'orders' },
      { items: [{ n: 5 }], table: 'orders_lines' },
    ]);
    await run([{ items: [{ id: 2, lines: ['b'] }], table: 'orders' }]);
    await run([
      { items: [{ id: 3, lines: ['c'] }], table: 'orders' },
      { items: [{ n: 6 }], table: 'orders_lines' },
    ]);
    expect(await rows('orders_lines')).toEqual(['n=5', 'n=6']);
    expect(await rows('orders_lines_2')).toEqual(['value=b', 'value=c']);
  });
}

describeTables(({ traits, options }, make, it) => {
  const { linkedTables } = traits;
  const value = linkedTables === 'numbers' ? 'value' : 'data';
  const merging = { ...APPEND, primaryKeys: new Map([['user', ['id']]]) };
  const makeTables = () => make(options.includes('nested') ? { nested: 'tables' } : {});
  const sorted = async (
    place: AdapterPlace,
    table: string,
    ...columns: readonly string[]
  ): Promise<readonly string[]> => (await place.cells(table, ...columns)).map((cells) => cells.join(' ')).sort();

  it('of rows of one run with the same key, only the last one has rows of lists, also where items are equal', async () => {
    const place = await makeTables();
    const same = { id: 1, lines: [{ no: 1, tags: ['a', 'a'] }, { no: 2 }] };
    await store(place, merging, [same, { id: 1, lines: [{ no: 8, tags: ['x'] }] }, same]);
    await store(place, merging, [same, { id: 2, lines: [{ no: 9, tags: ['z'] }] }, same, same]);
    expect(await sorted(place, 'user', 'id')).toEqual(['1', '2']);
    expect(await sorted(place, 'user_lines', 'no')).toEqual(['1', '2', '9']);
    expect(await sorted(place, 'user_lines_tags', value)).toEqual(['a', 'a', 'z']);
  });

  it('a list that never had an element has no table; one that has none any more has no rows', async () => {
    const place = await makeTables();
    await store(place, REPLACE, [{ id: 1, lines: ['a'], more: [] }]);
    await store(place, REPLACE, [{ id: 2 }]);
    expect((await place.rows('user_more')) ?? []).toEqual([]);
    expect(await sorted(place, 'user_lines', value)).toEqual([]);
  });

  it('refuses a dataType that the lists of an earlier run have', async () => {
    const place = await makeTables();
    await store(place, APPEND, [{ id: 1, lines: ['a'] }]);
    const job = { table: 'user_lines', items: [{ n: 5 }] };
    await expect(store(place, APPEND, [{ id: 2, lines: ['b'] }], job)).rejects.toMatchObject({
      code: traits.namesakes,
    });
    await expect(store(place, APPEND, job)).rejects.toMatchObject({ code: 'TABLE_NAME', table: 'user_lines' });
    expect(await sorted(place, 'user_lines', value)).toEqual(['a']);
  });

  if (linkedTables === 'numbers') {
    const ids = ['_row_id', '_parent_row_id', '_position', 'value'];

    it('numbers rows, and the places of elements', async () => {
      const place = await makeTables();
      await store(place, merging, [
        { id: 1, lines: ['a', 'b'] },
        { id: 2, lines: ['c'] },
      ]);
      await store(place, merging, [{ id: 1, lines: ['z'] }]);
      expect(await sorted(place, 'user', '_row_id', 'id')).toEqual(['2 2', '3 1']);
      expect(await sorted(place, 'user_lines', ...ids)).toEqual(['3 2 0 c', '4 3 0 z']);
    });

    it('leaves the tables of jobs alone that had lists in an earlier run', async () => {
      const place = await makeTables();
      await store(place, APPEND, [{ id: 1 }], { table: 'user_lines', items: [{ n: [5] }] });
      await store(place, APPEND, [{ id: 2, lines: ['b'] }]);
      expect(await place.cells('user_lines_n', ...ids)).toEqual([['1', '1', '0', '5']]);
      expect(await place.cells('user_lines_2', ...ids)).toEqual([['1', '1', '0', 'b']]);
    });

    it('leaves the tables of their lists alone, too', async () => {
      const place = await makeTables();
      await store(place, APPEND, { table: 'a', items: [{ b_c: ['x'] }] });
      await store(place, APPEND, { table: 'a_b', items: [{ c: ['y'] }] });
      expect(await place.cells('a_b_c', ...ids)).toEqual([['1', '1', '0', 'x']]);
      expect(await place.cells('a_b_c_2', ...ids)).toEqual([['1', '1', '0', 'y']]);
    });

    describe('keeps the names of columns and tables of', () => keepsNames(make, traits, it));
  }

  if (options.includes('nested'))
    it('has objects and lists as JSON where that is said', async () => {
      const place = await make({ nested: 'json' });
      await store(place, REPLACE, [{ id: 1, tags: ['a', { b: 'ü' }], of: { n: 1 } }]);
      const [row = []] = await place.cells('user', 'id', 'tags', 'of');
      expect(row.map((text) => JSON.parse(text ?? 'null') as unknown)).toEqual([1, ['a', { b: 'ü' }], { n: 1 }]);
      expect(await place.rows('user_tags')).toBeUndefined();
    });
});
