/** docs/extensions/primary-keys.md over whole runs. */
import { mkdtemp, readFile, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { validate } from '../../../src';
import { json } from '../../support/answers';
import { startServer } from '../../support/api-server';
import type { ApiServer } from '../../support/api-server';
import { COMPONENT, filesIn, load } from '../../support/load';
import { exampleAt } from './examples';

describe('primary keys without a mapping', () => {
  let server: ApiServer;
  let folder: string;
  beforeEach(async () => {
    server = await startServer({
      '/gauges': json([{ river: 'ALD', number: 1, 'site.name': 'x', tags: ['a'], at: { lat: 1 } }]),
      '/people': json([{ id: 1 }]),
      '/none': json([]),
    });
    folder = await mkdtemp(join(tmpdir(), 'headwater-spec-'));
  });
  afterEach(async () => {
    await server.close();
    await rm(folder, { recursive: true });
  });

  const run = (config: object): Promise<unknown> => load(config, filesIn(join(folder, 'out'), COMPONENT, folder));
  const withConfig = (config: object): object => ({ api: { baseUrl: server.origin }, config });
  const keyOf = async (table: string): Promise<unknown> => {
    const manifest: unknown = JSON.parse(await readFile(join(folder, 'out', `${table}.manifest`), 'utf8'));
    return (manifest as { primary_key?: unknown }).primary_key;
  };

  it('examples/extensions/primary-keys.json is valid; tables get their keys, child tables none', async () => {
    const config = exampleAt(server.origin, 'primary-keys.json');
    expect(validate(config)).toMatchObject({ jobs: 2, warnings: [] });
    await run(config);
    expect(await keyOf('rivers.gauges')).toEqual(['river', 'number']);
    expect(await keyOf('rivers.keepers')).toEqual(['id']);
    expect(await keyOf('rivers.gauges_tags')).toBeUndefined();
  });

  it('columns have the names of the finished table', async () => {
    await run(withConfig({ jobs: [{ endpoint: 'gauges', primaryKey: ['site_name', 'at_lat', 'tags'] }] }));
    expect(await keyOf('gauges')).toEqual(['site_name', 'at_lat', 'tags']);
  });

  it('a column that the table does not have is an error that lists its columns; nothing is stored', async () => {
    await expect(
      run(withConfig({ jobs: [{ endpoint: 'gauges', primaryKey: ['id', 'river'] }] })),
    ).rejects.toMatchObject({
      code: 'API_SHAPE',
      message:
        "The primary key of the table 'gauges' names 'id', which it does not have. " +
        "Its columns: 'river', 'number', 'site_name', 'tags', 'at_lat'.",
    });
    expect(await readdir(folder)).toEqual([]);
  });

  it('a table without rows needs no columns', async () => {
    await run(withConfig({ jobs: [{ endpoint: 'none', primaryKey: 'id' }] }));
    expect(await readdir(join(folder, 'out'))).toEqual([]);
  });
});
