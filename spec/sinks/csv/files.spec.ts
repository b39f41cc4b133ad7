import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Bucket, Table } from '../../../src/tables/table';
import { writeTables } from '../../../src/sinks/csv/files';
import type { CsvLayout } from '../../../src/sinks/csv/files';

const none = {
  [Symbol.asyncIterator]: () => ({ next: () => Promise.resolve({ done: true as const, value: undefined }) }),
};
const aTable = (name: string, changes: Partial<Table> = {}): Table => ({
  name,
  columns: ['id'],
  primaryKey: [],
  count: 1,
  rows: none,
  csv: none,
  saveCsv: (path) => writeFile(path, `"id"\n"${name}"\n`),
  ...changes,
});
const aBucket = (tables: readonly Table[], changes: Partial<Bucket> = {}): Bucket => ({
  output: { incremental: false },
  tables,
  ...changes,
});
const plain = { suffix: '.csv', bucketPrefix: 'if-several', manifests: false } as const;
const component = { suffix: '', bucketPrefix: 'always', manifests: true } as const;

describe('writeTables (language 8.11)', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'headwater-spec-'));
  });
  afterEach(() => rm(folder, { recursive: true }));
  const write = async (buckets: readonly Bucket[], layout: CsvLayout): Promise<readonly string[]> => [
    ...(await writeTables(buckets, new Map(), { staging: folder, old: folder, layout })).files.keys(),
  ];
  const files = async (): Promise<Record<string, string>> =>
    Object.fromEntries(
      await Promise.all(
        (await readdir(folder)).sort().map(async (name) => [name, await readFile(join(folder, name), 'utf8')] as const),
      ),
    );

  it('names the bucket where tables of several meet', async () => {
    const both = [aBucket([aTable('users')], { name: 'a' }), aBucket([aTable('users')], { name: 'b' })];
    expect(await write(both, plain)).toEqual(['a.users.csv', 'b.users.csv']);
    expect(await write(both.slice(0, 1), plain)).toEqual(['users.csv']);
  });

  it('lays a manifest beside each file: destination and primary key where there are some', async () => {
    const crm = aBucket([aTable('users', { primaryKey: ['id', 'day'] })], {
      name: 'crm',
      output: { incremental: true },
    });
    await write([crm, aBucket([aTable('logs')])], component);
    expect(await files()).toEqual({
      'crm.users': '"id"\n"users"\n',
      'crm.users.manifest': '{"destination":"in.c-crm.users","incremental":true,"primary_key":["id","day"]}',
      logs: '"id"\n"logs"\n',
      'logs.manifest': '{"incremental":false}',
    });
  });

  it.each(['../evil', 'a/b', 'a\\b', '..', 'nul\0', 'x'.repeat(300)])('refuses a table named %j', async (name) => {
    await expect(write([aBucket([aTable(name)])], component)).rejects.toMatchObject({ code: 'TABLE_NAME' });
    expect(await files()).toEqual({});
  });
});
