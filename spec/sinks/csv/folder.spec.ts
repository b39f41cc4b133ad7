import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Bucket, Table } from '../../../src/finished-tables';
import { csvFolder } from '../../../src/sinks/csv/folder';

const none = {
  [Symbol.asyncIterator]: () => ({ next: () => Promise.resolve({ done: true as const, value: undefined }) }),
};
const aTable = (name: string, changes: Partial<Table> = {}): Table => ({
  name,
  columns: ['id'],
  primaryKey: [],
  rows: none,
  csv: none,
  saveCsv: (path) => writeFile(path, `"id"\n"${name}"\n`),
  ...changes,
});
const aBucket = (tables: readonly Table[], changes: Partial<Bucket> = {}): Bucket => ({
  incremental: false,
  tables,
  ...changes,
});
const plain = { suffix: '.csv', bucketPrefix: 'if-several', manifests: false } as const;
const component = { suffix: '', bucketPrefix: 'always', manifests: true } as const;

describe('csvFolder (language 8.11)', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'headwater-spec-'));
  });
  afterEach(() => rm(folder, { recursive: true }));
  const files = async (): Promise<Record<string, string>> =>
    Object.fromEntries(
      await Promise.all(
        (await readdir(folder)).sort().map(async (name) => [name, await readFile(join(folder, name), 'utf8')] as const),
      ),
    );

  it('says so when a file is in the place of the folder', async () => {
    const place = join(folder, 'there');
    await writeFile(place, '');
    await expect(csvFolder(place, plain).prepare()).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: `Tables cannot be stored in the folder ${JSON.stringify(place)}: a file is in its place. Name another folder.`,
    });
  });

  it('makes a file a table, in a folder that need not be there', async () => {
    const inside = join(folder, 'deep', 'er');
    await csvFolder(inside, plain).store([aBucket([aTable('users'), aTable('users_tags')], { name: 'b' })]);
    expect(await readdir(inside)).toEqual(['users.csv', 'users_tags.csv']);
  });

  it('names the bucket where tables of several meet', async () => {
    await csvFolder(folder, plain).store([
      aBucket([aTable('users')], { name: 'a' }),
      aBucket([aTable('users')], { name: 'b' }),
    ]);
    expect(await readdir(folder)).toEqual(['a.users.csv', 'b.users.csv']);
  });

  it('lays a manifest beside each file: destination and primary key where there are some', async () => {
    await csvFolder(folder, component).store([
      aBucket([aTable('users', { primaryKey: ['id', 'day'] })], { name: 'crm', incremental: true }),
      aBucket([aTable('logs')]),
    ]);
    expect(await files()).toEqual({
      'crm.users': '"id"\n"users"\n',
      'crm.users.manifest': '{"destination":"in.c-crm.users","incremental":true,"primary_key":["id","day"]}',
      logs: '"id"\n"logs"\n',
      'logs.manifest': '{"incremental":false}',
    });
  });

  it('leaves the old files in place, and nothing else, when a table fails', async () => {
    await writeFile(join(folder, 'users.csv'), 'old');
    const broken = aTable('z', { saveCsv: () => Promise.reject(new Error('disk full')) });
    await expect(csvFolder(folder, plain).store([aBucket([aTable('users'), broken])])).rejects.toThrow('disk full');
    expect(await files()).toEqual({ 'users.csv': 'old' });
  });

  it.each(['../evil', 'a/b', 'a\\b', '..', 'nul\0', 'x'.repeat(300)])('refuses a table named %j', async (name) => {
    const sink = csvFolder(folder, component);
    await expect(sink.store([aBucket([aTable(name)])])).rejects.toMatchObject({ code: 'TABLE_NAME' });
    expect(await files()).toEqual({});
  });
});
