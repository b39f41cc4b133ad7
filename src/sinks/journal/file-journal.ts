import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { FatalError } from '../../core/errors/errors';
import type { RunManifest } from '../../core/durable-sink';
import type { Page } from '../../core/model';
import { checksum } from '../files/checksum';
import { makeFolder, PRIVATE_FOLDER, replaceFile, syncFolder, textOf } from '../files/durable-files';
import { lockFolder } from '../files/folder-lock';
import { createSerialQueue, only } from './journal';
import type { Journal, JournaledPlace, KeptPage } from './journal';
import { journalDamage, manifestOf, manifestText, recordsIn } from './records';
import { checkpointsIn, pagesAt } from './reader';
import { openWriter } from './writer';
import type { JournalWriter } from './writer';

/**
 * Returns a journal in a separate folder: `head.json` has the run manifest, `journal.ndjson` one record for each page, `0.data`, `1.data`,
 * … the lines of one dataType each. A page counts once its record is complete. At most a second of pages is lost with the power of the
 * machine, and none with the process. One process at a time has the folder, from `open` to `close`. Records and pages have checksums, the
 * checksum of each record includes that of the one before: changed data is never returned.
 *
 * Its methods throw FatalError SINK_FAILED when a file cannot be written further (the journal is then as before), and DESTINATION when the
 * folder cannot be used or another process has it. Those that read throw JOURNAL_DAMAGED.
 *
 * @param folder created if it does not exist; only its owner can read it
 * @param options.judges whether pages say if they are plain, for code that parses them; default true
 * @example const journal = fileJournal('out/.headwater/journal'); const unfinished = await journal.open();
 */
export function fileJournal(folder: string, { judges = true }: { readonly judges?: boolean } = {}): Journal {
  const manifestFile = join(folder, 'head.json');
  const inOrder = createSerialQueue();
  let unlock: (() => Promise<void>) | undefined;
  let writer: JournalWriter | undefined;
  let damage: Error | undefined;
  /** The checksum of the run manifest. */
  let seed = 0;

  /** Stops appending. */
  const endWriting = (): JournalWriter | undefined => {
    const ended = writer;
    writer = undefined;
    return ended;
  };
  const dropPages = async (): Promise<void> => {
    await endWriting()?.abandon();
    await rm(recordsIn(folder), { force: true });
    for (const name of await readdir(folder)) if (/^\d+\.data$/.test(name)) await rm(join(folder, name));
    await syncFolder(folder);
  };
  /** Removes the run manifest first: without it the rest does not count. */
  const drop = async (): Promise<void> => {
    damage = undefined;
    await rm(manifestFile, { force: true });
    await syncFolder(folder);
    await dropPages();
  };
  const startWriting = async (text: string): Promise<void> => {
    seed = checksum(text);
    writer = await openWriter(folder, seed, judges);
  };
  const open = async (): Promise<RunManifest | undefined> => {
    await endWriting()?.abandon();
    await makeFolder(folder, PRIVATE_FOLDER);
    unlock ??= await lockFolder(folder);
    const text = await textOf(manifestFile);
    damage = undefined;
    if (text === undefined) return undefined;
    const manifest = manifestOf(text);
    try {
      if (manifest === undefined) throw journalDamage(JSON.stringify(manifestFile), 'it has no run manifest');
      await startWriting(text);
    } catch (error) {
      // Its files stay until a run begins: a user may want to examine them.
      if (!(error instanceof FatalError && error.code === 'JOURNAL_DAMAGED')) throw error;
      damage = error;
    }
    return manifest;
  };
  const begin = async (next: RunManifest): Promise<void> => {
    await drop();
    const text = manifestText(next);
    await replaceFile(manifestFile, text);
    await startWriting(text);
  };
  const written = (): JournalWriter | undefined => {
    if (damage !== undefined) throw damage;
    return writer;
  };
  const append = async (pages: readonly KeptPage[]): Promise<void> => {
    const to = written();
    if (to === undefined) throw new Error('A page came before a run was begun.');
    await to.append(pages);
  };
  const places = (): Iterable<JournaledPlace> => written()?.index.places() ?? [];

  return {
    open: () => inOrder(open),
    damage: () => damage,
    begin: (next) => inOrder(() => begin(next)),
    append: Object.assign((page: Page) => inOrder(() => append([page])), {
      together: (pages: readonly Page[]) => inOrder(() => append(pages)),
    }),
    keep: (pages) => inOrder(() => append(pages)),
    checkpoints: () => checkpointsIn(folder, seed, written()?.end() ?? 0),
    places,
    pages: (isWanted) => pagesAt(isWanted === undefined ? places() : only(places(), isWanted)),
    dropPages: () => inOrder(dropPages),
    clear: () => inOrder(drop),
    close: () =>
      inOrder(async () => {
        try {
          await endWriting()?.close();
        } finally {
          await unlock?.();
          unlock = undefined;
        }
      }),
  };
}
