/** Text files that were cut, and that rows are added to (docs/sinks.md#tables). */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deliver, destinationOf } from '../../src';

describe('a file that rows are added to', () => {
  let folder: string;
  beforeEach(async () => (folder = await mkdtemp(join(tmpdir(), 'headwater-cut-'))));
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const run = (kind: string, load: object): Promise<unknown> =>
    deliver(
      { api: { baseUrl: 'https://api.test/' }, config: { jobs: [{ endpoint: 't', ...load }] } },
      [destinationOf(`${kind}:${folder}`)],
      {
        fetch: () =>
          Promise.resolve(
            Response.json([
              { id: 1, x: 'a' },
              { id: 2, x: 'b' },
            ]),
          ),
      },
    );
  const loads = [{ load: 'append' }, { load: 'merge', primaryKey: 'id' }];

  it.each(loads.flatMap((load) => [7, 3].flatMap((by) => [['csv', load, by] as const, ['ndjson', load, by] as const])))(
    '%s %j is refused where it lacks %d bytes',
    async (kind, load, by) => {
      const file = join(folder, `t.${kind}`);
      await run(kind, load);
      const cut = (await readFile(file)).subarray(0, -by);
      await writeFile(file, cut);
      await expect(run(kind, load)).rejects.toMatchObject({ code: 'DESTINATION_INCOMPATIBLE' });
      expect(await readFile(file)).toEqual(cut);
    },
  );

  it.each(loads.flatMap((load) => [['csv', load] as const, ['ndjson', load] as const]))(
    '%s %j may lack the last line end',
    async (kind, load) => {
      const file = join(folder, `t.${kind}`);
      await run(kind, load);
      await writeFile(file, (await readFile(file)).subarray(0, -1));
      await run(kind, load);
      const rows = (await readFile(file, 'utf8')).trimEnd().split('\n').length - (kind === 'csv' ? 1 : 0);
      expect(rows).toBe(load.load === 'append' ? 4 : 2);
    },
  );
});
