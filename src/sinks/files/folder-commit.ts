/** Replaces old files by new ones exactly once, whatever ends the process in between. */
import { existsSync } from 'node:fs';
import { open, readdir, rename, rm, rmdir } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { FatalError } from '../../core/errors/errors';
import type { Standing } from '../../core/durable-sink';
import { stringifyJson } from '../../core/json/stringify';
import type { JsonObject } from '../../core/model';
import { checkedObject, checkedText, objectIn } from './checksum';
import {
  PRIVATE_FILE,
  codeOf,
  fileFailure,
  makeFolder,
  messageOf,
  replaceFile,
  syncFile,
  syncFolder,
  textOf,
} from './durable-files';
import { completeLines, LF } from './lines';
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
  /** The runs that were committed. */
  readonly runs: ReturnType<typeof runLog>;
  readonly #plan: string;
  readonly #receipt: string;

  /** @param work a folder on the same file system as the destination */
  constructor(
    private readonly folder: string,
    work: string,
  ) {
    this.staging = join(work, 'staging');
    this.#plan = join(work, 'commit.json');
    this.#receipt = join(work, 'receipt.json');
    this.runs = runLog(work);
  }

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
    await this.runs.add(run);
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

/** Each line begins with these characters and the id of its run. */
const ID = '{"run_id":';

/**
 * Returns the list of the runs that were committed to a folder, one line of JSON for each, for users and for repeated runs.
 *
 * @example await runLog('out/.headwater').recordOf('2024-06-01') // undefined
 */
export function runLog(folder: string) {
  const path = join(folder, 'runs.ndjson');
  return {
    /**
     * Appends the record of a run, unless it is there. A partial record that a killed process left is removed.
     *
     * @throws FatalError SINK_FAILED when the disk is full
     */
    add: async (record: JsonObject): Promise<void> => {
      try {
        const handle = await open(path, 'a+', PRIVATE_FILE);
        try {
          await addTo(handle, Buffer.from(`${stringifyJson(record)}\n`));
        } finally {
          await handle.close();
        }
      } catch (cause) {
        throw fileFailure(path, cause);
      }
    },
    /**
     * Returns the record of the run of this id. It reads the lines one after another: 100,000 runs take some hundred milliseconds.
     *
     * @throws FatalError DESTINATION_DAMAGED when a line is invalid, since it may be that run
     */
    recordOf: async (run: string): Promise<JsonObject | undefined> => {
      const start = Buffer.from(`${ID}${JSON.stringify(run)},`);
      const other = Buffer.from(`${ID}"`);
      try {
        for await (const { line } of completeLines(path)) {
          if (startsWith(line, other) && !startsWith(line, start)) continue;
          const record = recordIn(line, path);
          if (record?.['run_id'] === run) return record;
        }
      } catch (cause) {
        if (codeOf(cause) !== 'ENOENT') throw fileFailure(path, cause);
      }
      return undefined;
    },
  };
}

const startsWith = (line: Buffer, start: Buffer): boolean => line.subarray(0, start.length).equals(start);

/** Returns the record in a line, which another program may have written; `undefined` for an empty line. */
function recordIn(line: Buffer, path: string): JsonObject | undefined {
  const text = line.toString('utf8').trim();
  if (text === '') return undefined;
  const found = objectIn(text);
  if (found !== undefined) return found;
  const message = `${JSON.stringify(path)} is damaged: whether the run was committed before is not known. Correct its lines.`;
  throw new FatalError('DESTINATION_DAMAGED', message);
}

async function addTo(handle: FileHandle, line: Buffer): Promise<void> {
  const { size } = await handle.stat();
  const length = Math.min(size, line.length);
  const { buffer: end } = await handle.read(Buffer.alloc(length), 0, length, size - length);
  if (end.equals(line)) return;
  const open = end.subarray(end.lastIndexOf(LF) + 1);
  // The text after the last LF is a part of this line, or the file was edited.
  if (line.subarray(0, open.length).equals(open)) await handle.truncate(size - open.length);
  else await handle.appendFile('\n');
  await handle.appendFile(line);
  await handle.sync();
}
