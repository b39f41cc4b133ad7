import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sinks } from '../../src';
import type { Page } from '../../src/core/model';
import { fileJournal } from '../../src/sinks/journal/file-journal';
import { ndjsonFolder } from '../../src/sinks/ndjson';
import { queryDuckDB } from '../support/duckdb';
import { newTable } from '../support/stored';
import { aHead, allOf, allPages, anOutput, aPageOf, textsIn } from '../support/durable';

/** A disk of two megabytes; `undefined` where none may be mounted. */
function smallDisk(): string | undefined {
  const place = mkdtempSync(join(tmpdir(), 'headwater-disk-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=2m', 'tmpfs', place], { stdio: 'ignore' });
    return place;
  } catch {
    rmSync(place, { recursive: true });
    return undefined;
  }
}

const disk = smallDisk();
const text = 'x'.repeat(3000);
const pageAt = (at: number): Page =>
  aPageOf('user', [{ at, text }], { checkpoint: { pages: at + 1, items: at + 1, parents: text.slice(at % 1000) } });
const lineAt = (at: number): string => `{"at":${at},"text":"${text}"}\n`;

/** Writes pages until one is refused; the number of those that were taken. */
async function writeUntilFull(write: (page: Page) => Promise<void>, from = 0): Promise<number> {
  for (let at = from; at < 2000; at += 1) {
    try {
      await write(pageAt(at));
    } catch (error) {
      expect(error).toMatchObject({
        name: 'FatalError',
        code: 'SINK_FAILED',
        message: expect.stringMatching(
          /^".*(\.data|journal\.ndjson)" could not be written \(ENOSPC: .*make room, then let the run go on with --resume\.$/,
        ) as string,
        cause: { code: 'ENOSPC' },
      });
      return at;
    }
  }
  throw new Error('The disk is never full.');
}

(disk === undefined ? describe.skip : describe)(
  `a full disk${disk === undefined ? ' (skipped: this user must not mount one)' : ''}`,
  () => {
    const root = disk ?? '';
    const folder = join(root, 'out');
    const ballast = join(root, 'ballast');
    beforeEach(() => writeFile(ballast, Buffer.alloc(1_400_000)));
    afterEach(async () => {
      for (const name of await readdir(root)) await rm(join(root, name), { recursive: true });
    });
    afterAll(() => {
      execFileSync('umount', ['-l', root]);
      rmSync(root, { recursive: true });
    });

    it('leaves the journal as it was, each time that a page is refused', async () => {
      const journal = fileJournal(folder);
      await journal.open();
      await journal.begin(aHead());
      let taken = 0;
      for (const round of [1, 2, 3]) {
        taken = await writeUntilFull(journal.append, taken);
        const sizes = await Promise.all(['0.data', 'journal.ndjson'].map(async (name) => stat(join(folder, name))));
        const texts = (await allPages(journal.pages())).map(({ lines }) => Buffer.from(lines).toString('utf8'));
        expect(texts).toEqual(Array.from({ length: taken }, (_, at) => lineAt(at)));
        expect(await writeUntilFull(journal.append, taken)).toBe(taken);
        const again = await Promise.all(['0.data', 'journal.ndjson'].map(async (name) => stat(join(folder, name))));
        expect(again.map(({ size }) => size)).toEqual(sizes.map(({ size }) => size));
        await writeFile(ballast, Buffer.alloc(1_400_000 - 40_000 * round));
      }
      expect(taken).toBeGreaterThan(50);
      const next = fileJournal(folder);
      expect(await next.open()).toEqual(aHead());
      expect((await allOf(next.checkpoints())).at(-1)).toEqual(pageAt(taken - 1).checkpoint);
      await next.close();
      await journal.close();
    });

    it('keeps the old table and the pages; with room again the run goes on, and each item is stored once', async () => {
      const outputs = [anOutput()];
      const first = ndjsonFolder(folder, outputs);
      await first.open();
      await first.begin(aHead({ id: 'run-0' }));
      await first.write(aPageOf('user', ['old']));
      await first.commit({ n: 0 });
      await first.begin(aHead());
      const taken = await writeUntilFull(first.write);
      expect(taken).toBeGreaterThan(30);
      await first.close();
      expect(await textsIn(folder)).toEqual({ 'user.ndjson': '"old"\n' });

      await rm(ballast);
      const next = ndjsonFolder(folder, outputs);
      const { unfinished, ...standing } = await next.open();
      expect(standing).toEqual({ finished: 'run-0', state: { n: 0 } });
      const checkpoints = await allOf(unfinished?.checkpoints() ?? []);
      expect(checkpoints).toEqual(Array.from({ length: taken }, (_, at) => pageAt(at).checkpoint));
      for (let at = taken; at < taken + 20; at += 1) await next.write(pageAt(at));
      expect(await next.commit({ n: 1 })).toEqual([
        // Nobody reads a file that goes.
        { ...newTable('user.ndjson', taken + 20), removed: undefined },
      ]);
      const lines = Array.from({ length: taken + 20 }, (_, at) => lineAt(at));
      expect(await readFile(join(folder, 'user.ndjson'), 'utf8')).toBe(lines.join(''));
      expect(await next.open()).toEqual({ finished: 'run-1', state: { n: 1 }, unreported: aHead() });
      await next.close();
    });

    it('a commit without room for the new files leaves the old ones, frees what it took, and can be repeated', async () => {
      const sink = ndjsonFolder(folder, [anOutput()]);
      await sink.open();
      await sink.begin(aHead());
      const taken = await writeUntilFull(sink.write);
      await writeFile(join(folder, 'user.ndjson'), '').catch(() => undefined);
      await expect(sink.commit({ n: 1 })).rejects.toMatchObject({ code: 'SINK_FAILED', cause: { code: 'ENOSPC' } });
      expect(await textsIn(folder)).toEqual({ 'user.ndjson': '' });
      expect(await readdir(join(folder, '.headwater'))).toEqual(['journal']);
      await rm(ballast);
      await sink.commit({ n: 1 });
      const lines = Array.from({ length: taken }, (_, at) => lineAt(at));
      expect(await readFile(join(folder, 'user.ndjson'), 'utf8')).toBe(lines.join(''));
      expect(await sink.open()).toEqual({ finished: 'run-1', state: { n: 1 }, unreported: aHead() });
      await sink.close();
    });

    it('DuckDB: a commit without room keeps the pages, and can be repeated', async () => {
      const file = join(root, 'rows.duckdb');
      const sink = sinks.duckdb(file)([anOutput()]);
      await sink.open();
      await sink.begin(aHead());
      const texts = Array.from({ length: 60 }, () => randomBytes(5000).toString('base64'));
      for (const [at, random] of texts.entries())
        await sink.write(aPageOf('user', [{ at, random }], { checkpoint: { pages: at + 1, items: at + 1 } }));
      await expect(sink.commit({})).rejects.toMatchObject({
        name: 'FatalError',
        code: 'SINK_FAILED',
        message: expect.stringMatching(/could not be (written|stored).*(space|write)/i) as string,
      });
      await rm(ballast);
      expect(await sink.commit({})).toEqual([newTable('user', 60)]);
      await sink.close();
      expect(await queryDuckDB(file, 'SELECT random FROM "user" ORDER BY "at"')).toEqual(
        texts.map((random) => [random]),
      );
    });

    it('that has no room to begin with says so', async () => {
      await writeFile(join(root, 'more'), Buffer.alloc(2_000_000)).catch(() => undefined);
      const sink = ndjsonFolder(folder, [anOutput()]);
      await expect(sink.open().then(() => sink.begin(aHead()))).rejects.toMatchObject({ code: 'SINK_FAILED' });
      await sink.close();
      await rm(join(root, 'more'));
      expect(await sink.open()).toEqual({ state: {} });
      await sink.close();
    });
  },
);
