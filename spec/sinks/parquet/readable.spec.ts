/** Old Parquet files that cannot be read (docs/sinks.md#tables). */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { deliver, destinationOf } from '../../../src';
import { tableRuns } from '../../support/table-runs';

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
