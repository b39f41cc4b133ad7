/** Runs that end early or that a destination with tables cannot store: they leave what was there, say why, and can go on once that is put right. */
import { APPEND, begun, describeTables, REPLACE, store } from '../support/adapters';
import type { AdapterPlace } from '../support/adapters';
import { aPageOf } from '../support/durable';

describeTables(({ traits }, make) => {
  const ids = async (place: AdapterPlace, table = 'user'): Promise<readonly (string | null)[]> =>
    (await place.cells(table, 'id')).map(([id = null]) => id);

  const sorted = async (place: AdapterPlace, ...columns: readonly string[]): Promise<readonly string[]> =>
    (await place.cells('user', ...columns)).map((cells) => cells.join(' ')).sort();

  it('a table that cannot be made leaves all as they were, and the commit can be repeated', async () => {
    const place = await make();
    await store(place, APPEND, [{ id: 1 }]);
    const { code, clear } = await place.block('boat');
    const output = { ...APPEND, primaryKeys: new Map([['boat', ['id']]]) };
    const parts = [{ items: [{ id: 2 }] }, { table: 'boat', items: [{ id: 2 }] }];
    const { sink, state } = await begun(place, output, parts);
    const failure: unknown = await sink.commit(state).catch((error: unknown) => error);
    expect(failure).toMatchObject({ code });
    expect(String(failure)).toContain('boat');
    expect(await ids(place)).toEqual(['1']);
    await clear();
    await sink.commit(state);
    await sink.close();
    expect(await ids(place)).toEqual(['1', '2']);
    expect(await ids(place, 'boat')).toEqual(['2']);
  });

  it('and the run can go on in a sink that is opened again', async () => {
    const place = await make();
    const { clear } = await place.block('boat');
    const output = { ...APPEND, primaryKeys: new Map([['boat', ['id']]]) };
    const { sink, state } = await begun(place, output, [{ items: [{ id: 2 }] }, { table: 'boat', items: [{ id: 2 }] }]);
    await expect(sink.commit(state)).rejects.toThrow();
    await sink.close();
    expect(await place.rows('user')).toBeUndefined();
    await clear();
    const again = place.sink([output]);
    const { unfinished } = await again.open();
    const pages: number[] = [];
    for await (const { pages: number } of unfinished?.checkpoints() ?? []) pages.push(number);
    expect(pages).toEqual([1, 1]);
    await again.commit(state);
    expect(await ids(place)).toEqual(['2']);
    expect(await ids(place, 'boat')).toEqual(['2']);
  });

  it('goes on with the pages of a run that ended early, and adds them once', async () => {
    const place = await make();
    await store(place, APPEND, [{ id: 1 }]);
    const first = await begun(place, APPEND, [{ items: [{ id: 2 }] }, { items: [{ id: 3, v: 'x' }] }]);
    await first.sink.close();
    expect(await ids(place)).toEqual(['1']);
    const next = place.sink([APPEND]);
    const { state, unfinished } = await next.open();
    expect(unfinished).toBeDefined();
    await next.write(aPageOf('user', [{ id: 4 }], { checkpoint: { call: [0, 2] } }));
    expect(await ids(place)).toEqual(['1']);
    expect(await next.commit({ ...state, n: 9007199254740993n })).toMatchObject([{ rows: 3, added: 3 }]);
    await next.close();
    expect(await sorted(place, 'id', 'v')).toEqual(['1 ', '2 ', '3 x', '4 ']);
    const after = await place.sink([APPEND]).open();
    expect([after.state['n'], after.unfinished]).toEqual([9007199254740993n, undefined]);
  });

  const refused = traits.refusedNames.map((name) => [name.slice(0, 20), name]);
  if (refused.length > 0)
    it.each(refused)('refuses a table called %j, and leaves the others', async (_, name) => {
      const place = await make();
      await store(place, REPLACE, [{ id: 1 }]);
      const run = store(place, REPLACE, [{ id: 2 }], { table: name, items: [{ id: 2 }] });
      await expect(run).rejects.toMatchObject({ code: 'TABLE_NAME' });
      expect(await ids(place)).toEqual(['1']);
    });

  it('tells tables apart whose names differ in their case alone, or refuses them', async () => {
    const place = await make();
    const run = store(place, REPLACE, [{ id: 1 }], { table: 'USER', items: [{ id: 2 }] });
    if (traits.caseSensitiveTables) {
      await run;
      expect([await ids(place), await ids(place, 'USER')]).toEqual([['1'], ['2']]);
    } else await expect(run).rejects.toMatchObject({ code: 'TABLE_NAME' });
  });
});
