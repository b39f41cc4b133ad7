/** Tables of lists and tables of jobs have names of their own, in whatever run they come for the first time. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Item } from '../../../src/core/model';
import { duckdbSink } from '../../../src/sinks/duckdb/sink';
import { queryDuckDB } from '../../support/duckdb';
import { aHead, append, at, tablePage } from '../../support/postgres';

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
