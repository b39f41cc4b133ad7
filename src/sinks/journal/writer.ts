import { open } from 'node:fs/promises';
import { PRIVATE_FILE, fileFailure, writeFailure } from '../files/durable-files';
import type { KeptPage } from './journal';
import { createScratchBuffer, extentOf } from './reader';
import { dataIn, recordFor, recordLine, recordsIn } from './records';
import type { JournalRecord } from './records';

/** Milliseconds between two calls of fsync. */
const SYNC_INTERVAL = 1000;

/** Appends pages to a file journal: first the lines, then the record that makes them count. */
export type JournalWriter = Awaited<ReturnType<typeof openWriter>>;

/**
 * Opens a file journal to append to it. What is incomplete is cut off: the records now, each file of lines before anything is appended to it.
 *
 * @param seed the checksum of the run manifest
 * @param judges whether records say which pages are plain
 * @throws FatalError JOURNAL_DAMAGED as of `extentOf`, DESTINATION or SINK_FAILED
 */
export async function openWriter(folder: string, seed: number, judges: boolean) {
  const extent = await extentOf(folder, seed);
  const { index } = extent;
  let { safe, sum } = extent;
  const scratch = createScratchBuffer();
  const records = await openGrowing(recordsIn(folder), extent.end);
  await records.cut(extent.end);
  const data = new Map<string, { readonly file: number; readonly lines: GrowingFile }>();
  const nextFile = (): number => 1 + Math.max(-1, ...Array.from(data.values(), ({ file }) => file));
  const openData = async (dataType: string, file = nextFile(), end = 0) => {
    const made = { file, lines: await openGrowing(dataIn(folder, file), end) };
    data.set(dataType, made);
    return made;
  };
  /** Closes the files without making them safe against a loss of power. */
  const abandon = async (): Promise<void> => {
    await records.close();
    for (const { lines } of data.values()) await lines.close();
  };
  try {
    for (const [dataType, { file, end }] of extent.data) await openData(dataType, file, end);
  } catch (cause) {
    await abandon();
    throw cause;
  }
  // The data of an earlier process may not be safe yet.
  const unsynced = new Set(Array.from(data.values(), ({ lines }) => lines));
  let syncedAt = performance.now();
  /** Syncs the lines first, so that no record is safe before them. */
  const sync = async (): Promise<void> => {
    if (unsynced.size > 0) {
      for (const lines of unsynced) await lines.sync();
      await records.sync();
      safe = records.end();
    }
    unsynced.clear();
    syncedAt = performance.now();
  };
  return {
    /** The pages whose records are complete. */
    index,
    /** Returns the number of bytes of whole records. */
    end: records.end,
    /**
     * Appends pages as one group: the lines of each file in one write, then all records in another.
     *
     * @throws FatalError SINK_FAILED; the journal is then as it was
     */
    append: async (pages: readonly KeptPage[]): Promise<void> => {
      const end = records.end();
      const added = new Map<GrowingFile, { readonly from: number; end: number; readonly pieces: Uint8Array[] }>();
      const group: JournalRecord[] = [];
      let text = '';
      let last = sum;
      for (const page of pages) {
        const { file, lines } = data.get(page.table) ?? (await openData(page.table));
        const into = added.get(lines) ?? { from: lines.end(), end: lines.end(), pieces: [] };
        added.set(lines, into);
        // The next page would overwrite the bytes of this one.
        const bytes = pages.length === 1 ? page.lines('', '', scratch) : page.lines();
        const record = recordFor(page, bytes, { file, offset: into.end, safe }, judges);
        into.pieces.push(bytes);
        into.end += bytes.length;
        const line = recordLine(record, last);
        text += line.line;
        last = line.sum;
        group.push(record);
      }
      try {
        for (const [file, { pieces }] of added) {
          await file.append(pieces);
          unsynced.add(file);
        }
        await records.append([Buffer.from(text)]);
        if (performance.now() - syncedAt >= SYNC_INTERVAL) await sync();
      } catch (cause) {
        await records.cut(end);
        for (const [file, { from }] of added) await file.cut(from);
        throw cause;
      }
      sum = last;
      for (const record of group) index.add(record);
    },
    /** @throws FatalError SINK_FAILED */
    close: () => sync().finally(abandon),
    abandon,
  };
}

type GrowingFile = Awaited<ReturnType<typeof openGrowing>>;

/**
 * Opens a file that only grows by complete pieces: incomplete ones are removed.
 *
 * @param end the number of valid bytes; what follows them is dropped when something is appended, not at once: the file may have a
 *   second hard link, by which it is complete
 * @throws FatalError DESTINATION or SINK_FAILED
 */
async function openGrowing(path: string, end: number) {
  const handle = await open(path, 'a', PRIVATE_FILE).catch((cause: unknown): never => {
    throw fileFailure(path, cause);
  });
  let length = end;
  /** True if there may be data after the end. */
  let isUntidy = true;
  const tidy = async (): Promise<void> => {
    if (!isUntidy) return;
    await handle.truncate(length);
    isUntidy = false;
  };
  const orFail = (cause: unknown): never => {
    throw writeFailure(path, cause);
  };
  const write = async (bytes: Uint8Array): Promise<void> => {
    await tidy();
    isUntidy = true;
    for (let at = 0; at < bytes.length;) at += (await handle.write(bytes, at)).bytesWritten;
    isUntidy = false;
    length += bytes.length;
  };
  return {
    /** Returns the number of valid bytes. */
    end: (): number => length,
    /** @throws FatalError SINK_FAILED; the end is then where it was */
    append: (pieces: readonly Uint8Array[]): Promise<void> =>
      write(pieces.length === 1 && pieces[0] !== undefined ? pieces[0] : Buffer.concat(pieces)).catch(orFail),
    /** Drops the data after this end; if the system refuses, it tries again before anything is appended. */
    cut: async (to: number): Promise<void> => {
      length = to;
      isUntidy = true;
      await tidy().catch(() => undefined);
    },
    /** Makes the bytes safe against a loss of power. */
    sync: (): Promise<void> => handle.datasync().catch(orFail),
    close: (): Promise<void> => handle.close(),
  };
}
