import { appendFile, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FatalError } from '../../../src/core/errors/errors';
import type { DurableSink } from '../../../src/core/durable-sink';
import { fileJournal } from '../../../src/sinks/journal/file-journal';
import { folderSink, workFolderIn } from '../../../src/sinks/files/folder-sink';
import type { FolderSinkOptions, Preparation, Prepared } from '../../../src/sinks/files/folder-sink';
import { aHead, allOf, anOutput, aPageOf, textsIn } from '../../support/durable';

/** Adds the lines of each table to its old file: what happens twice can be seen. */
async function addLines({ pages, staging, folder }: Preparation): Promise<Prepared> {
  const rows = new Map<string, number>();
  for await (const { dataType, count, lines } of pages()) {
    const draft = join(staging, dataType);
    if (!rows.has(dataType)) await writeFile(draft, await readFile(join(folder, dataType)).catch(() => ''));
    await appendFile(draft, lines);
    rows.set(dataType, (rows.get(dataType) ?? 0) + count);
  }
  return { stored: Array.from(rows, ([name, count]) => ({ name, rows: count })), replaced: [] };
}

describe('folderSink', () => {
  let root: string;
  let folder: string;
  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'headwater-spec-'));
    folder = join(root, 'out');
  });
  const opened: DurableSink[] = [];
  afterEach(async () => {
    for (const sink of opened.splice(0)) await sink.close();
    await rm(root, { recursive: true });
  });

  const sinkIn = (place: string, changes: Partial<FolderSinkOptions> = {}): DurableSink => {
    const journal = fileJournal(join(workFolderIn(place), 'journal'));
    const options = {
      name: 'x:out',
      folder: place,
      makes: 'tables' as const,
      outputs: [anOutput()],
      journal,
      prepare: addLines,
      ...changes,
    };
    const sink = folderSink(options);
    opened.push(sink);
    return sink;
  };
  const filled = async (changes: Partial<FolderSinkOptions> = {}): Promise<DurableSink> => {
    const sink = sinkIn(folder, changes);
    await sink.open();
    await sink.begin(aHead());
    await sink.write(aPageOf('a', [1, 2]));
    await sink.write(aPageOf('b', ['x'], { checkpoint: { call: [0, 1] } }));
    await sink.write(aPageOf('a', [3], { checkpoint: { pages: 2 } }));
    return sink;
  };
  const old = async (): Promise<void> => {
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, 'a'), 'old\n');
    await writeFile(join(folder, 'other'), 'stays');
  };
  const before = { a: 'old\n', other: 'stays' };
  const after = { a: 'old\n1\n2\n3\n', b: '"x"\n', other: 'stays' };
  const stored = [
    { name: 'a', rows: 3 },
    { name: 'b', rows: 1 },
  ];
  const state = { time: { previousStart: 1_500_000_000 }, digits: 9007199254740993n };

  it('stands nowhere at first', async () => {
    const sink = sinkIn(folder);
    expect(sink.name).toBe('x:out');
    expect(await sink.open()).toEqual({ state: {} });
  });

  it('shows nothing until the commit, and then everything', async () => {
    await old();
    const sink = await filled();
    expect(await textsIn(folder)).toEqual(before);
    expect(await sink.commit(state)).toEqual(stored);
    expect(await textsIn(folder)).toEqual(after);
    await sink.markReported?.();
    await sink.close();
    expect(await readdir(folder)).toEqual(['.headwater', 'a', 'b', 'other']);
    expect((await readdir(join(folder, '.headwater'))).sort()).toEqual(['journal', 'receipt.json', 'runs.ndjson']);
    expect(await readdir(join(folder, '.headwater', 'journal'))).toEqual([]);
    expect(await sinkIn(folder).open()).toEqual({ finished: 'run-1', state });
  });

  it('goes on with an unfinished run in another process', async () => {
    await old();
    await filled();
    const next = sinkIn(folder);
    const { unfinished, ...standing } = await next.open();
    expect(standing).toEqual({ state: {} });
    expect(unfinished?.manifest).toEqual(aHead());
    expect((await allOf(unfinished?.checkpoints() ?? [])).map(({ call, pages }) => [...call, pages])).toEqual([
      [0, 0, 1],
      [0, 1, 1],
      [0, 0, 2],
    ]);
    await next.write(aPageOf('c', [true], { checkpoint: { call: [0, 2] } }));
    expect(await next.commit(state)).toEqual([...stored, { name: 'c', rows: 1 }]);
    expect(await textsIn(folder)).toEqual({ ...after, c: 'true\n' });
  });

  it('forgets an unfinished run when another is begun; the state of the last finished one stays', async () => {
    const sink = await filled();
    await sink.commit(state);
    await sink.begin(aHead({ id: 'run-2' }));
    await sink.write(aPageOf('a', ['dropped']));
    const next = sinkIn(folder);
    expect(await next.open()).toMatchObject({ finished: 'run-1', state, unfinished: { manifest: { id: 'run-2' } } });
    await next.begin(aHead({ id: 'run-3' }));
    await next.write(aPageOf('a', [4]));
    await next.commit({ n: 3 });
    expect(await next.open()).toEqual({ finished: 'run-3', state: { n: 3 }, unreported: aHead({ id: 'run-3' }) });
    expect(await textsIn(folder)).toEqual({ a: '1\n2\n3\n4\n', b: '"x"\n' });
  });

  it('commits a run without pages', async () => {
    await old();
    const sink = sinkIn(folder);
    await sink.open();
    await sink.begin(aHead());
    expect(await sink.commit(state)).toEqual([]);
    expect(await textsIn(folder)).toEqual(before);
    expect(await sink.open()).toEqual({ finished: 'run-1', state, unreported: aHead() });
  });

  it('keeps the state that the preparation gives in place of its own', async () => {
    const sink = await filled({
      prepare: ({ manifest, state: given, outputs }) =>
        Promise.resolve({ stored: [], replaced: [], state: { given, runs: outputs.length, id: manifest.id } }),
    });
    await sink.commit({ n: 1 });
    const left = { given: { n: 1 }, runs: 1, id: 'run-1' };
    expect(await sink.open()).toEqual({ finished: 'run-1', state: left, unreported: aHead() });
  });

  it('leaves everything as it was when the preparation fails, and can be asked again', async () => {
    await old();
    let failures = 1;
    const sink = await filled({
      prepare: async (preparation) => {
        const prepared = await addLines(preparation);
        if (failures-- > 0) throw new FatalError('TABLE_NAME', 'no such name');
        return prepared;
      },
    });
    await expect(sink.commit(state)).rejects.toMatchObject({ code: 'TABLE_NAME' });
    expect(await textsIn(folder)).toEqual(before);
    expect(await readdir(join(folder, '.headwater'))).toEqual(['journal']);
    expect(await sink.commit(state)).toEqual(stored);
    expect(await textsIn(folder)).toEqual(after);
  });

  describe('where a file cannot be moved in', () => {
    const refused = async (): Promise<DurableSink> => {
      await old();
      const sink = await filled();
      await mkdir(join(folder, 'b'));
      await expect(sink.commit(state)).rejects.toMatchObject({
        code: 'DESTINATION_ADDRESS',
        message: expect.stringContaining(`"${join(folder, 'b')}" cannot be replaced`) as string,
      });
      return sink;
    };

    it('moves it in when the commit is asked for again', async () => {
      const sink = await refused();
      await rm(join(folder, 'b'), { recursive: true });
      expect(await sink.commit({ n: 'not this one' })).toEqual(stored);
      expect(await textsIn(folder)).toEqual(after);
      expect(await sink.open()).toEqual({ finished: 'run-1', state, unreported: aHead() });
    });

    it('moves it in when it is opened', async () => {
      await refused();
      await expect(sinkIn(folder).open()).rejects.toMatchObject({ code: 'DESTINATION_ADDRESS' });
      await rm(join(folder, 'b'), { recursive: true });
      expect(await sinkIn(folder).open()).toEqual({ finished: 'run-1', state, unreported: aHead() });
      expect(await textsIn(folder)).toEqual(after);
    });

    it('moves it in before another run is begun', async () => {
      const sink = await refused();
      await expect(sink.begin(aHead({ id: 'run-2' }))).rejects.toMatchObject({ code: 'DESTINATION_ADDRESS' });
      await rm(join(folder, 'b'), { recursive: true });
      await sink.begin(aHead({ id: 'run-2' }));
      await sink.write(aPageOf('a', [4]));
      expect(await textsIn(folder)).toEqual(after);
      expect(await sinkIn(folder).open()).toMatchObject({
        finished: 'run-1',
        state,
        unfinished: { manifest: { id: 'run-2' } },
      });
    });
  });

  it('says so when a file is in the place of the folder, or what it keeps is damaged', async () => {
    await writeFile(folder, '');
    await expect(sinkIn(folder).open()).rejects.toMatchObject({ code: 'DESTINATION_ADDRESS' });
    await rm(folder);
    await (await filled()).close();
    await writeFile(join(folder, '.headwater', 'receipt.json'), '{"run":1}');
    await expect(sinkIn(folder).open()).rejects.toMatchObject({
      code: 'DESTINATION_DAMAGED',
      message: expect.stringContaining('receipt.json" is damaged') as string,
    });
  });
});
