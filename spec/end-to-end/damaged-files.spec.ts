/** Text files that rows are added to, and that are not what they should be (docs/sinks.md#tables). */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { deliver, destinationOf } from '../../src';

describe('a file that rows are added to', () => {
  let folder: string;
  beforeEach(async () => (folder = await mkdtemp(join(tmpdir(), 'headwater-damaged-'))));
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const ITEMS = [
    { id: 1, x: 'a' },
    { id: 2, x: 'b,"\n' },
    { id: 3, x: 'c' },
  ];
  const run = (to: string, load: object): Promise<unknown> =>
    deliver(
      { api: { baseUrl: 'https://api.test/' }, config: { jobs: [{ endpoint: 't', ...load }] } },
      [destinationOf(to.replace(':', `:${folder}`))],
      { fetch: () => Promise.resolve(Response.json(ITEMS)) },
    );
  const loads = [{ load: 'append' }, { load: 'merge', primaryKey: 'id' }];
  const csv = (...rows: readonly string[]): string => rows.map((row) => `${row}\n`).join('');

  const DAMAGED: readonly (readonly [string, string, string, string])[] = [
    ['csv', 'a row of more columns', csv('"id","x"', '"7","a"', '"8","b\n","c"', '"9","d"'), 'line 4'],
    ['csv', 'a row of fewer columns', csv('"id","x"', '"7","a\n"', '"8"', '"9","d"'), 'line 4'],
    ['csv', 'a blank line', csv('"id","x"', '"7","a"', '', '"9","d"'), 'line 3'],
    ['csv', 'text behind a quote', csv('"id","x"', '"7","a"b', '"9","d"'), 'line 2'],
    ['csv', 'a quote that is never closed', csv('"id","x"', '"7","a', '"9","d"'), 'line'],
    ['ndjson', 'a line that is cut', csv('{"id":7}', '{"id":8,"x":"b', '{"id":9}'), 'line 2'],
    ['ndjson', 'two lines in one', csv('{"id":7}', '{"id":8}{"id":9}'), 'line 2'],
    ['ndjson', 'an array over several lines', csv('[', '{"id":8}', ']'), 'line 1'],
  ];

  it.each(loads.flatMap((load) => DAMAGED.map((each) => [load, ...each] as const)))(
    '%j: %s with %s is refused, and stays',
    async (load, kind, _, text, place) => {
      const file = join(folder, `t.${kind}`);
      await writeFile(file, text);
      await expect(run(`${kind}:`, load)).rejects.toMatchObject({
        code: 'DESTINATION_INCOMPATIBLE',
        message: expect.stringMatching(new RegExp(`t\\.${kind}".*${place}`)) as string,
      });
      expect(await readFile(file, 'utf8')).toBe(text);
    },
  );

  it.each(loads)('%j: NDJSON may begin with a byte order mark', async (load) => {
    const file = join(folder, 't.ndjson');
    await writeFile(file, '\ufeff{"id":1,"x":"old"}\n\n{"id":7}\r\n');
    await run('ndjson:', load);
    const lines = (await readFile(file, 'utf8')).split('\n').filter((line) => line !== '');
    const ids = lines.map((line) => (JSON.parse(line) as { readonly id: number }).id);
    expect(ids).toEqual(load.load === 'append' ? [1, 7, 1, 2, 3] : [1, 7, 2, 3]);
  });

  it.each(loads)('%j: a compressed file whose content ends in the middle of a line is refused', async (load) => {
    const file = join(folder, 't.ndjson.gz');
    await run('ndjson:?compress=gzip', load);
    const cut = gzipSync(gunzipSync(await readFile(file)).subarray(0, -5));
    await writeFile(file, cut);
    for (const to of ['ndjson:?compress=gzip', 'ndjson:'])
      await expect(run(to, load)).rejects.toMatchObject({
        code: 'DESTINATION_INCOMPATIBLE',
        message: expect.stringContaining('t.ndjson.gz') as string,
      });
    expect(await readFile(file)).toEqual(cut);
  });
});
