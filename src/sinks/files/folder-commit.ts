/** Replaces old files by new ones exactly once, whatever ends the process in between. */
import { existsSync } from 'node:fs';
import { readdir, rename, rm, rmdir } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { FatalError } from '../../core/errors/errors';
import type { Standing } from '../../core/durable-sink';
import type { JsonObject } from '../../core/model';
import { checkedObject, checkedText } from './checksum';
import { codeOf, makeFolder, messageOf, replaceFile, syncFile, syncFolder, textOf } from './durable-files';
import { runLog } from './run-log';
import type { RunLog } from './run-log';
import type { Receipt } from '../journal/journal';

/** The commit record: what is left to do once all new files are complete. */
export interface CommitRecord {
  /** The names of files in the staging folder that are moved into the destination. */
  readonly files: readonly string[];
  /** The names of files in the destination that are removed. */
  readonly removed: readonly string[];
  readonly receipt: Receipt;
  /** The record of the run. */
  readonly run: JsonObject;
}

/** The receipt of the last commit, and the names of the files that it made. */
type FolderReceipt = Receipt & Pick<CommitRecord, 'files'>;

/** The commit record and the receipt of a folder: files beside the destination that record the progress of a commit. */
export class CommitFiles {
  /** The folder where new files are made. */
  readonly staging: string;
  readonly #plan: string;
  readonly #receipt: string;
  readonly #runs: RunLog;

  /** @param work a folder on the same file system as the destination */
  constructor(
    private readonly folder: string,
    work: string,
  ) {
    this.staging = join(work, 'staging');
    this.#plan = join(work, 'commit.json');
    this.#receipt = join(work, 'receipt.json');
    this.#runs = runLog(work);
  }

  /** Returns the record of the run of this id, if it was committed. */
  readonly recordOf = (run: string): Promise<JsonObject | undefined> => this.#runs.recordOf(run);

  /**
   * Returns the receipt of the last commit; `undefined`: there is none. If a file that it made no longer exists, the state is empty, since
   * asking only for new items would leave a gap.
   */
  async receipt(): Promise<(Receipt & Pick<Standing, 'forgotten'>) | undefined> {
    const last = await this.#last();
    if (last === undefined) return undefined;
    const { files, ...receipt } = last;
    const gone = files.find((file) => !existsSync(join(this.folder, file)));
    if (gone === undefined) return receipt;
    return { ...receipt, state: {}, forgotten: `the file ${JSON.stringify(gone)} of the last run is gone.` };
  }

  /** Returns the names of the files that the last commit made. */
  async last(): Promise<readonly string[]> {
    return (await this.#last())?.files ?? [];
  }

  /** Returns the record of a decided commit that is not complete; `undefined` if there is none. */
  async pending(): Promise<CommitRecord | undefined> {
    return (await checkedIn(this.#plan)) as CommitRecord | undefined;
  }

  async #last(): Promise<FolderReceipt | undefined> {
    return (await checkedIn(this.#receipt)) as FolderReceipt | undefined;
  }

  async emptyStaging(): Promise<void> {
    await rm(this.staging, { recursive: true, force: true });
    await makeFolder(this.staging);
  }

  async removeStaging(): Promise<void> {
    await rm(this.staging, { recursive: true, force: true });
  }

  /** Decides on a commit: from now on the staged files belong to the destination. */
  async decide(commit: Omit<CommitRecord, 'files'>): Promise<CommitRecord> {
    const files = (await filesIn(this.staging)).sort();
    for (const file of files) await syncFile(join(this.staging, file));
    for (const folder of foldersOf(files)) await syncFolder(join(this.staging, folder));
    await replaceFile(this.#plan, checkedText({ files, ...commit, receipt: { ...commit.receipt } }));
    return { files, ...commit };
  }

  /** Carries out a commit. It can be repeated from the start, at any stage. */
  async carryOut({ files, removed, receipt, run }: CommitRecord): Promise<void> {
    for (const file of files) await this.#moveIn(file);
    for (const file of removed) await this.#remove(file);
    for (const folder of foldersOf([...files, ...removed]))
      if (existsSync(join(this.folder, folder))) await syncFolder(join(this.folder, folder));
    await this.#runs.add(run);
    await replaceFile(this.#receipt, checkedText({ ...receipt, files }));
  }

  /** Removes the commit record first; otherwise removed files would look like files that were already moved. */
  async forget(): Promise<void> {
    await rm(this.#plan, { force: true });
    await syncFolder(dirname(this.#plan));
    await this.removeStaging();
  }

  async #moveIn(file: string): Promise<void> {
    const place = join(this.folder, file);
    try {
      if (file.includes('/')) await makeFolder(dirname(place));
      await rename(join(this.staging, file), place);
    } catch (cause) {
      // It was moved before.
      if (codeOf(cause) === 'ENOENT') return;
      const remedy = 'All data is safe: set that right and run again, the new file is then put in its place.';
      const message = `${JSON.stringify(place)} cannot be replaced (${messageOf(cause)}). ${remedy}`;
      throw new FatalError('DESTINATION_ADDRESS', message, { cause });
    }
  }

  /** Removes a file, and its parent folders that are then empty. */
  async #remove(file: string): Promise<void> {
    await rm(join(this.folder, file), { force: true });
    for (let above = dirname(file); above !== '.'; above = dirname(above))
      try {
        await rmdir(join(this.folder, above));
      } catch {
        // The folder contains other files, or was removed before.
      }
  }
}

/** Returns the paths of all files in a folder and its subfolders, with `/` between names. */
export async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => relative(folder, join(parentPath, name)).replaceAll('\\', '/'));
}

/** Returns the folders of files, with their parents; `.` is the whole. */
const foldersOf = (files: readonly string[]): readonly string[] => {
  const found = new Set(['.']);
  for (const file of files) for (let above = dirname(file); above !== '.'; above = dirname(above)) found.add(above);
  return [...found];
};

/**
 * Returns what this program has written to a file with a checksum; `undefined`: there is no file.
 *
 * @throws FatalError DESTINATION_DAMAGED when it is not as it was written
 */
async function checkedIn(path: string): Promise<JsonObject | undefined> {
  const text = await textOf(path);
  if (text === undefined) return undefined;
  const found = checkedObject(text);
  if (found !== undefined) return found;
  const message = `${JSON.stringify(path)} is damaged: what was stored last is not known. Remove it to start over.`;
  throw new FatalError('DESTINATION_DAMAGED', message);
}
