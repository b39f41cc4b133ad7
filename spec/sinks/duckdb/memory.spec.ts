import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDatabase } from '../../../src/sinks/duckdb/connection';
import type { Database } from '../../../src/sinks/duckdb/connection';
import type { TableLoad } from '../../../src/sinks/duckdb/load-flat';
import { withMemoryFor } from '../../../src/sinks/duckdb/memory';

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

  const load = (facts: Partial<TableLoad>): TableLoad => ({
    ...{ dataType: 'user', incremental: false, keys: [], rows: 1_000_000, bytes: 270_000_000, columns: [], query: '' },
    filled: () => Promise.resolve([]),
    ...facts,
  });
  /** The limit while a load is stored, in megabytes. */
  const limitFor = (facts: Partial<TableLoad>): Promise<number> =>
    withMemoryFor(database, [load(facts)], async () => {
      const [[mebibytes] = []] = await database.rows("SELECT current_setting('memory_limit')");
      return Math.round(parseFloat(String(mebibytes)) * 1.048576);
    });

  it('is small for rows of a usual width', async () => {
    expect(await limitFor({})).toBeLessThan(1000);
  });

  it.each<[string, Partial<TableLoad>]>([
    ['long rows', { bytes: 5_000_000_000 }],
    ['many columns', { columns: Array.from({ length: 1000 }, (_, at) => ({ name: `c${at}`, type: 'text' })) }],
    ['rows that are merged', { incremental: true }],
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
