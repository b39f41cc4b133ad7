import { open } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { FatalError } from '../../core/errors/errors';
import type { Checkpoint, ScratchBuffer } from '../../core/model';
import { checksum } from '../files/checksum';
import { codeOf, fileFailure } from '../files/durable-files';
import { completeLines, damaged } from '../files/lines';
import type { JournaledPage, PlaceOfItems } from './journal';
import { PageIndex } from './page-index';
import { dataIn, journalDamage, recordOf, recordsIn, statedSum } from './records';

/**
 * Returns the valid extent of a journal, whatever ended the process that wrote it: up to the first record that is incomplete, or whose
 * lines are. What a process or a machine leaves incomplete at the end was not safe yet, and is requested again. All lines are read for it,
 * so that what another process wrote is checked once, before anything relies on it.
 *
 * @param seed the checksum of the run manifest
 * @returns the number of bytes of complete records (`end`), and of those that were safe against a loss of power; the checksum of the last one,
 *   or the seed if there is none
 * @throws FatalError JOURNAL_DAMAGED when lines have changed, or when safe data is incomplete, which no end of a process or a machine can cause
 */
export async function extentOf(folder: string, seed: number) {
  const lines = linesReader();
  const index = new PageIndex(folder);
  /** The number of the data file of each dataType, and its valid bytes. */
  const data = new Map<string, { file: number; end: number }>();
  const owners = new Map<number, string>();
  let [end, sum, safe, stated] = [0, seed, 0, seed];
  let fault: string | undefined;
  try {
    for await (const { line, end: behind } of completeLines(recordsIn(folder))) {
      const record = recordOf(line, stated);
      // The record after a damaged one still says what was safe.
      stated = statedSum(line);
      safe = Math.max(safe, record?.safe ?? 0);
      if (fault !== undefined) continue;
      if (record === undefined) {
        fault = recordsIn(folder);
        continue;
      }
      const { dataType, file, offset, length } = record;
      const known = data.get(dataType) ?? { file, end: 0 };
      const isNext = known.file === file && known.end === offset && (owners.get(file) ?? dataType) === dataType;
      const path = dataIn(folder, file);
      if (isNext)
        await lines.read({ ...record, path }).catch((cause: unknown) => {
          if (!isAbsence(cause)) throw cause;
          fault = path;
        });
      else fault = recordsIn(folder);
      if (fault !== undefined) continue;
      index.add(record);
      data.set(dataType, { file, end: offset + length });
      owners.set(file, dataType);
      [end, sum] = [behind, stated];
    }
  } catch (cause) {
    if (codeOf(cause) !== 'ENOENT') throw fileFailure(recordsIn(folder), cause);
  } finally {
    await lines.close();
  }
  if (end < safe) throw journalDamage(JSON.stringify(fault), 'pages that were safe are missing');
  return { end, sum, safe, data, index };
}

/**
 * Reads the checkpoints of the records, superseded ones too.
 *
 * @param seed the checksum of the run manifest
 * @param end the number of bytes of complete records
 */
export async function* checkpointsIn(folder: string, seed: number, end: number): AsyncGenerator<Checkpoint> {
  let read = 0;
  let before = seed;
  for await (const { line, end: behind } of completeLines(recordsIn(folder), end)) {
    const record = recordOf(line, before);
    if (record === undefined) break;
    before = statedSum(line);
    yield record.checkpoint;
    read = behind;
  }
  if (read !== end) throw damaged(recordsIn(folder));
}

/**
 * Returns the pages at these places; the lines of each overwrite those of the one before.
 *
 * @throws FatalError JOURNAL_DAMAGED when lines have changed
 */
export async function* pagesAt<P extends PlaceOfItems>(
  places: Iterable<P>,
): AsyncGenerator<Omit<P, 'path' | 'offset' | 'length' | 'sum'> & Pick<JournaledPage, 'lines'>> {
  const reader = linesReader();
  try {
    for (const { path, offset, length, sum, ...page } of places) {
      const { dataType } = page;
      yield { lines: await reader.read({ dataType, path, offset, length, sum }), ...page };
    }
  } finally {
    await reader.close();
  }
}

type LinesPlace = Pick<PlaceOfItems, 'dataType' | 'path' | 'offset' | 'length' | 'sum'>;

/** Returns functions that read the lines of pages from their files, which are kept open. */
function linesReader() {
  const handles = new Map<string, FileHandle>();
  const part = partReader();
  return {
    /**
     * Returns lines that are valid until the next ones are read.
     *
     * @throws FatalError JOURNAL_DAMAGED when they have changed, DESTINATION_DAMAGED when the file is shorter
     */
    read: async ({ dataType, path, offset, length, sum }: LinesPlace): Promise<Uint8Array> => {
      const handle = handles.get(path) ?? (await open(path, 'r'));
      handles.set(path, handle);
      const lines = await part({ handle, path, offset, length });
      if (checksum(lines) === sum) return lines;
      const what = `a page of the table ${JSON.stringify(dataType)} is not as it was written`;
      throw journalDamage(JSON.stringify(path), what);
    },
    close: async (): Promise<void> => {
      for (const handle of handles.values()) await handle.close();
    },
  };
}

/** Returns whether lines are not there: whatever ended a process may have left them out. */
const isAbsence = (cause: unknown): boolean =>
  codeOf(cause) === 'ENOENT' || (cause instanceof FatalError && cause.code === 'DESTINATION_DAMAGED');

/** A part of a file, whose path is for users. */
export type FilePart = Pick<PlaceOfItems, 'path' | 'offset' | 'length'> & { readonly handle: FileHandle };

/** The bytes that are read at once if parts are adjacent. */
const BLOCK = 1_048_576;

/**
 * Reads parts of files, several adjacent ones at once, since each read is a switch to another thread. The result is valid until the next
 * part is requested.
 *
 * @returns throws FatalError DESTINATION_DAMAGED when the file is shorter
 * @example const read = partReader(); const lines = await read({ handle, path: '0.data', offset: 0, length: 4 });
 */
export function partReader(): (part: FilePart) => Promise<Uint8Array> {
  const scratch = createScratchBuffer();
  let held: { readonly path: string; readonly offset: number; readonly bytes: Uint8Array } | undefined;
  let last: { readonly path: string; readonly end: number } | undefined;
  return async ({ handle, path, offset, length }) => {
    const follows = last?.path === path && last.end === offset;
    last = { path, end: offset + length };
    const from = offset - (held?.offset ?? 0);
    if (held?.path === path && from >= 0 && from + length <= held.bytes.length)
      return held.bytes.subarray(from, from + length);
    const room = scratch(follows ? Math.max(length, BLOCK) : length);
    held = undefined;
    let end = 0;
    while (end < length) {
      const { bytesRead } = await handle.read(room, end, room.length - end, offset + end);
      if (bytesRead === 0) throw damaged(path);
      end += bytesRead;
    }
    held = { path, offset, bytes: room.subarray(0, end) };
    return room.subarray(0, length);
  };
}

/** Maximum bytes that are kept; larger memory is released after use. */
const LARGEST_KEPT = 16 * 1024 * 1024;

/**
 * Returns a scratch buffer for one chunk after the other: each overwrites the one before. Allocating memory for large chunks costs more
 * than filling it, since the garbage collector has to run for every few of them.
 *
 * @example const scratch = createScratchBuffer(); const lines = page.lines('', '', scratch);
 */
export function createScratchBuffer(): ScratchBuffer {
  let kept = new Uint8Array(0);
  return (bytes) => {
    if (bytes > LARGEST_KEPT) return new Uint8Array(bytes);
    if (kept.length < bytes) kept = new Uint8Array(Math.min(LARGEST_KEPT, 2 * bytes));
    return kept.subarray(0, bytes);
  };
}
