/** CSV files that are made of a run at one go. */
import { mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deliver, destinationOf } from '../../../src';
import type { Json } from '../../../src';
import type { DurableSink } from '../../../src/core/durable-sink';
import { csvAtOnce, csvTables } from '../../../src/sinks/csv';
import { PLAIN } from '../../../src/sinks/csv/files';
import { aHead, aPageOf, anOutput } from '../../support/durable';
import { newTable } from '../../support/stored';
import { tableRuns } from '../../support/table-runs';

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

  it('makes the same files as the sink that reads its journal again when later pages change the tables', async () => {
    const pages = [
      aPageOf('users', [{ id: 1, größe: 'é', tags: ['a'] }]),
      aPageOf('teams', [{ id: 1 }], { checkpoint: { call: [1] } }),
      aPageOf('users', [{ id: 2, address: { city: 'Bern' } }, { id: 9007199254740993n }], { checkpoint: { pages: 2 } }),
      aPageOf('teams', [{ id: 2, lead: { id: 1 } }], { checkpoint: { call: [1], pages: 2 } }),
    ];
    const outputs = [anOutput()];
    const [atOnce, journaled] = [join(root, 'at-once'), join(root, 'journaled')];
    await begun(atOnce);
    const other = csvTables({ folder: journaled, layout: PLAIN, outputs, warn: () => undefined });
    await other.open();
    await other.begin(aHead());
    for (const page of pages) for (const each of [sink, other]) await each.write(page);
    const stored = await sink.commit({});
    expect(await other.commit({})).toEqual(stored);
    await other.close();
    expect(stored).toHaveLength(3);
    for (const { name } of stored)
      expect(await readFile(join(journaled, name), 'utf8')).toBe(await readFile(join(atOnce, name), 'utf8'));
  });

  it('keeps nothing of a run that is closed, and begins again', async () => {
    await begun(join(root, 'out'));
    await sink.write(aPageOf('a', [{ id: 1 }]));
    await sink.close();
    expect(await readdir(root)).toEqual([]);
    await sink.open();
    await sink.begin(aHead({ id: 'run-2' }));
    await sink.write(aPageOf('a', [{ id: 2 }]));
    await sink.commit({});
    expect(await readFile(join(root, 'out', 'a.csv'), 'utf8')).toBe('"id"\n"2"\n');
  });
});

/** CSV tables that rows are added to, by configurations that ask for something else (docs/sinks.md#tables). */

describe('a CSV table that rows are added to by another configuration', () => {
  const api = tableRuns();
  const run = (answer: Json, job: Readonly<Record<string, Json>>) => {
    api.answers = { '/x': answer, '/x?since=2': answer, '/x?since=3': answer };
    const config = api.configOf([{ endpoint: 'x', load: 'append', ...job }]);
    return deliver(config, [destinationOf(`csv:${api.folder}`)]);
  };
  const csv = (table: string): Promise<string> => readFile(join(api.folder, `${table}.csv`), 'utf8');
  const OTHER = { params: { since: '2' } };

  it('keeps its columns where names collide', async () => {
    await run([{ id: 1, 'a b': 'SPACE', a_b: 'UNDER' }], {});
    await run([{ id: 2, a_b: 'UNDER', 'a b': 'SPACE' }], OTHER);
    await run([{ id: 3, a_b: 'UNDER', 'a b': 'SPACE', 'a.b': 'DOT' }], { params: { since: '3' } });
    await run([{ 'a.b': 'DOT', a_b: 'UNDER', 'a b': 'SPACE', id: 4 }], {});
    expect(await csv('x')).toBe(
      '"id","a_b","a_b_u0","a_b_u1"\n"1","SPACE","UNDER",""\n"2","SPACE","UNDER",""\n' +
        '"3","SPACE","UNDER","DOT"\n"4","SPACE","UNDER","DOT"\n',
    );
  });

  it('keeps lists as tables', async () => {
    await run([{ id: 1, tg: ['a'] }], {});
    await run([{ id: 2, tg: 'b' }], OTHER);
    expect((await csv('x_tg')).replace(/_[0-9a-f]{32}/g, '_<id>')).toBe(
      '"data","JSON_parentId"\n"a","x_<id>"\n"b","x_<id>"\n',
    );
  });

  it('refuses a scalar where its file has columns of an object', async () => {
    await run([{ id: 1, addr: { street: 's' } }], {});
    await expect(run([{ id: 3, addr: 'scalar' }], OTHER)).rejects.toMatchObject({ code: 'API_SHAPE' });
  });

  it('has its own structure where it is replaced', async () => {
    await run([{ id: 1, 'a b': 'SPACE', a_b: 'UNDER' }], {});
    await run([{ a_b: 'UNDER', 'a b': 'SPACE' }], { ...OTHER, load: 'replace' });
    expect(await csv('x')).toBe('"a_b","a_b_u0"\n"UNDER","SPACE"\n');
    await run([{ 'a b': 'SPACE', a_b: 'UNDER' }], {});
    expect(await csv('x')).toBe('"a_b","a_b_u0"\n"UNDER","SPACE"\n"UNDER","SPACE"\n');
  });
});
