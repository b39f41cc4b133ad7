import { constants } from 'node:fs';
import { copyFile, open, rename } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import type { DurableSink } from '../../durable-sink';
import type { OutputPlan } from '../../plan/plan';
import { LF } from '../files/complete-lines';
import { codeOf } from '../files/durable-files';
import { fileJournal } from '../journal/file-journal';
import { fileNameFor, safeFileName } from '../files/file-name';
import { folderSink, workFolderIn } from '../files/folder-sink';
import type { Prepared, Preparation } from '../files/folder-sink';
import { keepLastOfKeys } from './upsert';

/**
 * Items as lines of JSON in the spelling of the API, a file `<dataType>.ndjson` each; where tables of several buckets meet,
 * `<bucket>.<dataType>.ndjson`. Files are replaced, or if the run is incremental, added to: by a key, where there is one,
 * so that a line takes the place of an older one. Columns of a key are sought at the top level of items.
 *
 * @param folder made when it is not there; pages wait in `.headwater` inside it
 * @param outputs how each run of the configuration writes, by its number
 * @throws FatalError from its methods: as {@link folderSink}, and from `commit` TABLE_NAME for a dataType that no file can
 *   be named by
 * @example const sink = ndjsonFolder('out', [plan.output]); const { unfinished } = await sink.open();
 */
export function ndjsonFolder(folder: string, outputs: readonly OutputPlan[]): DurableSink {
  const journal = fileJournal(join(workFolderIn(folder), 'journal'));
  return folderSink({ name: `ndjson:${folder}`, folder, makes: 'tables', outputs, journal, prepare });
}

async function prepare({ pages, staging, folder, outputs }: Preparation): Promise<Prepared> {
  const several = new Set(outputs.map(({ bucket }) => bucket)).size > 1;
  const tables = new Map<string, NdjsonTable>();
  try {
    for await (const { run, dataType, count, lines } of pages()) {
      const bucket = outputs[run]?.bucket;
      const file = safeFileName(
        fileNameFor(`${several && bucket !== undefined ? `${bucket}.` : ''}${dataType}.ndjson`),
      );
      const table =
        tables.get(file) ??
        new NdjsonTable(join(folder, file), join(staging, file), mannerOf(dataType, bucket, outputs));
      tables.set(file, table);
      await table.add(lines, count);
    }
  } finally {
    for (const table of tables.values()) await table.close();
  }
  for (const table of tables.values()) await table.finish();
  return { stored: Array.from(tables, ([name, { rows }]) => ({ name, rows })) };
}

interface Manner {
  readonly incremental: boolean;
  readonly key: readonly string[];
}

/** Runs of the same bucket share their tables: as the last of them says. */
function mannerOf(dataType: string, bucket: string | undefined, outputs: readonly OutputPlan[]): Manner {
  const sharing = outputs.filter((output) => output.bucket === bucket);
  const key = sharing.findLast(({ primaryKeys }) => primaryKeys?.has(dataType))?.primaryKeys?.get(dataType);
  return { incremental: sharing.at(-1)?.incremental ?? false, key: key ?? [] };
}

/** A new file while it is made. */
class NdjsonTable {
  /** The number of rows of this run. */
  rows = 0;
  #handle: FileHandle | undefined;

  constructor(
    private readonly old: string,
    private readonly draft: string,
    private readonly manner: Manner,
  ) {}

  /** An old file that nothing is added to stays; one that is replaced may be empty afterwards. */
  async add(lines: Uint8Array, count: number): Promise<void> {
    if (count === 0 && this.manner.incremental) return;
    this.#handle ??= await this.#begin();
    await this.#handle.appendFile(lines);
    this.rows += count;
  }

  async close(): Promise<void> {
    await this.#handle?.close();
  }

  async finish(): Promise<void> {
    const { incremental, key } = this.manner;
    if (!incremental || key.length === 0 || this.#handle === undefined) return;
    const compact = `${this.draft}.compact`;
    await keepLastOfKeys(this.draft, compact, key);
    await rename(compact, this.draft);
  }

  async #begin(): Promise<FileHandle> {
    const copied = this.manner.incremental && (await isCopied(this.old, this.draft));
    const handle = await open(this.draft, 'a+');
    if (copied) await endLastLine(handle);
    return handle;
  }
}

async function isCopied(from: string, to: string): Promise<boolean> {
  try {
    await copyFile(from, to, constants.COPYFILE_FICLONE);
    return true;
  } catch (cause) {
    if (codeOf(cause) === 'ENOENT') return false;
    throw cause;
  }
}

/** Someone may have edited the file and left its last line open. */
async function endLastLine(handle: FileHandle): Promise<void> {
  const { size } = await handle.stat();
  if (size === 0) return;
  const { buffer } = await handle.read(Buffer.alloc(1), 0, 1, size - 1);
  if (buffer[0] !== LF) await handle.appendFile('\n');
}
