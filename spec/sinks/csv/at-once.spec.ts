/** CSV files that are made of a run at one go. */
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DurableSink } from '../../../src/core/durable-sink';
import { csvAtOnce } from '../../../src/sinks/csv/at-once';
import { PLAIN } from '../../../src/sinks/csv/files';
import { aHead, anOutput, aPageOf } from '../../support/durable';
import { newTable } from '../../support/stored';

describe('csvAtOnce', () => {
  let root: string;
  let sink: DurableSink;
  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'headwater-spec-'));
  });
  afterEach(async () => {
    await sink.close();
    await rm(root, { recursive: true });
  });
  const begun = async (folder: string, outputs = [anOutput()]): Promise<DurableSink> => {
    const made = { folder, layout: PLAIN, outputs, warn: () => undefined, spoolFolder: root };
    sink = csvAtOnce(made);
    expect(await sink.open()).toEqual({ state: {} });
    await sink.begin(aHead());
    return sink;
  };

  it('says so when a file is in the place of the folder', async () => {
    const place = join(root, 'there');
    await writeFile(place, '');
    await begun(place);
    await expect(sink.commit({})).rejects.toMatchObject({
      code: 'DESTINATION_ADDRESS',
      destination: `csv:${place}`,
      message: `Tables cannot be stored in the folder ${JSON.stringify(place)}: a file is in its place. Name another folder.`,
    });
  });

  it('makes a file a table, in a folder that need not be there, and leaves nothing else', async () => {
    const folder = join(root, 'deep', 'er');
    await begun(folder);
    await sink.write(aPageOf('users', [{ id: 1, tags: ['a'] }]));
    expect(await sink.commit({})).toEqual([newTable('users.csv', 1), newTable('users_tags.csv', 1)]);
    await sink.close();
    expect(await readdir(folder)).toEqual(['users.csv', 'users_tags.csv']);
    expect(await readdir(root)).toEqual(['deep']);
    expect(sink.kept?.()).toHaveProperty(['json_parser.structVersion'], 3);
  });

  it('leaves the old files in place, and nothing else, when a table fails', async () => {
    await writeFile(join(root, 'a.a.csv'), 'old');
    await begun(root, [anOutput({ bucket: 'a' }), anOutput({ bucket: 'x'.repeat(300) })]);
    await sink.write(aPageOf('a', [{ id: 1 }]));
    await sink.write(aPageOf('a', [{ id: 1 }], { iteration: 1, checkpoint: { call: [1, 0] } }));
    await expect(sink.commit({})).rejects.toMatchObject({ code: 'TABLE_NAME', destination: `csv:${root}` });
    await sink.close();
    expect(await readdir(root)).toEqual(['a.a.csv']);
    expect(await readFile(join(root, 'a.a.csv'), 'utf8')).toBe('old');
  });

  it('keeps nothing of a run that is closed, and begins again', async () => {
    await begun(join(root, 'out'));
    await sink.write(aPageOf('a', [{ id: 1 }]));
    await sink.close();
    expect(await readdir(root)).toEqual([]);
    await sink.begin(aHead({ id: 'run-2' }));
    await sink.write(aPageOf('a', [{ id: 2 }]));
    await sink.commit({});
    expect(await readFile(join(root, 'out', 'a.csv'), 'utf8')).toBe('"id"\n"2"\n');
  });
});
