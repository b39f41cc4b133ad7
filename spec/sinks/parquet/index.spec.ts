import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { deliver, destinationOf } from '../../../src';
import type { DurableSink, Stored } from '../../../src/core/durable-sink';
import type { Item, Page } from '../../../src/core/model';
import type { OutputPlan } from '../../../src/plan/plan';
import { parquetFolder } from '../../../src/sinks/parquet';
import { queryDuckDB } from '../../support/duckdb';
import type { DuckDBRows } from '../../support/duckdb';
import { aPage } from '../../support/pages';
import { newTable } from '../../support/stored';
import { tableRuns } from '../../support/table-runs';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'headwater-[parquet]-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const full: OutputPlan = { incremental: false, compatLevel: 3 };
const append: OutputPlan = { incremental: true, compatLevel: 3 };

let number = 0;
const page = (items: readonly Item[], dataType = 'user'): Page => {
  number += 1;
  return aPage(items, {
    job: { id: 'j', path: 'config.jobs[0]', endpoint: 'users', dataType },
    checkpoint: { call: [0, number], job: 'j', pages: 1, items: items.length, volume: 0 },
  });
};

async function begun(output: OutputPlan, ...pages: readonly Page[]): Promise<DurableSink> {
  const sink = parquetFolder(folder, [output], { nested: 'json' });
  await sink.open();
  number += 1;
  await sink.begin({ id: `run ${number}`, fingerprint: 'f', startedAt: 1, previousStart: 0 });
  for (const one of pages) await sink.write(one);
  return sink;
}

async function run(output: OutputPlan, ...pages: readonly Page[]): Promise<readonly Stored[]> {
  const sink = await begun(output, ...pages);
  try {
    return await sink.commit({ at: 1 });
  } finally {
    await sink.close();
  }
}

const query = (sql: string): Promise<DuckDBRows> => queryDuckDB(':memory:', sql);

const fileOf = (name: string): string => `read_parquet('${join(folder, `${name}.parquet`).replace(/[[]/g, '[[]')}')`;
const table = (name = 'user'): Promise<readonly (readonly unknown[])[]> => query(`FROM ${fileOf(name)}`);
const typesOf = async (): Promise<readonly unknown[]> =>
  (await query(`DESCRIBE FROM ${fileOf('user')}`)).map(([name, type]) => `${String(name)} ${String(type)}`);
const visible = (): readonly string[] => readdirSync(folder).filter((name) => name !== '.headwater');

const item = { id: 1, large: 2 ** 40, level: 1.5, ok: true, day: '2024-02-29', at: '2024-01-31T10:00:00Z', tags: [1] };

describe('parquetFolder', () => {
  it.each([
    ['several row groups of a large load, since one is held in memory', 5000, 3],
    ['one row group of a small load', 4000, 1],
  ])('makes %s', async (_, count, groups) => {
    const text = 'x'.repeat(3600);
    await run(full, page(Array.from({ length: count }, (_, id) => ({ id, text }))));
    expect(await query(`SELECT count(DISTINCT id), count(text) FROM ${fileOf('user')}`)).toEqual([
      [BigInt(count), BigInt(count)],
    ]);
    const file = join(folder, 'user.parquet').replace(/[[]/g, '[[]');
    expect(await query(`SELECT count(DISTINCT row_group_id) FROM parquet_metadata('${file}')`)).toEqual([
      [BigInt(groups)],
    ]);
  });

  it('makes files with the types of the values', async () => {
    const stored = await run(full, page([item, {}]), page([], 'empty'), page(['a', 2], 'mixed [x]'));
    expect(stored).toEqual([newTable('user', 2), newTable('empty', 0), newTable('mixed [x]', 2)]);
    expect(visible()).toEqual(['mixed [x].parquet', 'user.parquet']);
    expect(await typesOf()).toEqual([
      ...['id INTEGER', 'large BIGINT', 'level DOUBLE', 'ok BOOLEAN', 'day DATE', 'at TIMESTAMP WITH TIME ZONE'],
      'tags JSON',
    ]);
    expect(await query(`SELECT id, large, level, ok, day::VARCHAR, epoch("at"), tags FROM ${fileOf('user')}`)).toEqual([
      [1, 2n ** 40n, 1.5, true, '2024-02-29', 1706695200, '[1]'],
      [null, null, null, null, null, null, null],
    ]);
    expect(
      await query(
        `SELECT DISTINCT compression FROM parquet_metadata('${join(folder, 'user.parquet').replace('[', '[[]')}')`,
      ),
    ).toEqual([['ZSTD']]);
  });

  it('adds to files in a folder whose name is a pattern', async () => {
    await run(append, page([{ id: 1 }]), page([{ id: 1 }], 'user [x]'));
    await run(append, page([{ id: 2.5 }]), page([{ id: 2 }], 'user [x]'));
    expect(await table()).toEqual([[1], [2.5]]);
    expect(await table('user [x]')).toEqual([[1], [2]]);
  });

  it.each(['a/b', '..', '.headwater', ''])('names the file of %j as a URL would', async (name) => {
    await run(full, page([1], name));
    const file = `${name.replace('/', '%2F').replace(/^\./, '%2E')}.parquet`.replace(/^\./, '%2E');
    expect(readdirSync(folder).filter((each) => !each.startsWith('.'))).toEqual([file]);
  });
});

/** Old Parquet files that cannot be read (docs/sinks.md#tables). */

describe('an old Parquet file that cannot be read', () => {
  const api = tableRuns();
  const run = (to: string, job: object) => {
    api.answers = {
      '/t': [
        { id: 1, c: 'a' },
        { id: 2, c: 'b' },
      ],
    };
    return deliver(api.configOf([{ endpoint: 't', ...job }]), [destinationOf(to.replace(':', `:${api.folder}`))]);
  };
  const cut = async (file: string): Promise<Buffer> => (await readFile(file)).subarray(0, -20);
  const damaged = (file: string) => ({
    code: 'DESTINATION_DAMAGED',
    message: expect.stringContaining(JSON.stringify(file)) as string,
  });

  it.each([{ load: 'append' }, { load: 'merge', primaryKey: 'id' }])('is named, and stays: %j', async (load) => {
    const file = join(api.folder, 't.parquet');
    await run('parquet:', load);
    for (const bytes of [await cut(file), Buffer.from('no Parquet'), Buffer.alloc(0)]) {
      await writeFile(file, bytes);
      await expect(run('parquet:', load)).rejects.toMatchObject(damaged(file));
      expect(await readFile(file)).toEqual(bytes);
    }
  });

  it('is named among those of partitions', async () => {
    const load = { load: 'append' };
    await run('parquet:?partitionBy=c', load);
    const file = join(api.folder, 't', 'c=b', 'data_0.parquet');
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, await cut(file));
    await expect(run('parquet:?partitionBy=c', load)).rejects.toMatchObject(damaged(file));
  });
});
