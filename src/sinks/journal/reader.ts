import { open, readdir, stat } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import type { Checkpoint, ScratchBuffer } from '../../core/model';
import { checksum } from '../files/checksum';
import { codeOf, fileFailure } from '../files/durable-files';
import { completeLines, damaged } from '../files/lines';
import type { JournaledPage, JournaledPlace, PlaceOfItems } from './journal';
import { journalDamage, recordOf, statedSum } from './records';
import type { JournalRecord } from './records';

/** Returns the file of the records. */
export const recordsIn = (folder: string): string => join(folder, 'journal.ndjson');

/** Returns the file of the lines of one dataType. */
export const dataIn = (folder: string, file: number): string => join(folder, `${file}.data`);

/** The ends of the records and of each data file of a file journal. */
export interface Extent {
  /** The number of bytes of complete records. */
  readonly end: number;
  /** The checksum of the last record, or that of the run manifest if there is no record. */
  readonly sum: number;
  /** The number of bytes of records that were safe against a loss of power. */
  readonly safe: number;
  /** The data files by dataType. */
  readonly data: ReadonlyMap<string, DataExtent>;
}

export interface DataExtent {
  /** The number of the file. */
  readonly file: number;
  /** The number of valid bytes. */
  readonly end: number;
}

/**
 * Returns the valid extent of a journal, whatever ended the process that wrote it: up to the first record that is incomplete, or whose
 * lines are. What a process or a machine leaves incomplete at the end was not safe yet, and is requested again.
 *
 * @param seed the checksum of the run manifest
 * @throws FatalError JOURNAL_DAMAGED when safe data is incomplete, which no end of a process or a machine can cause
 */
export async function extentOf(folder: string, seed: number): Promise<Extent> {
  const sizes = await dataSizes(folder);
  const data = new Map<string, DataExtent>();
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
      if (!isNext || offset + length > (sizes.get(file) ?? 0)) {
        fault = isNext ? dataIn(folder, file) : recordsIn(folder);
        continue;
      }
      data.set(dataType, { file, end: offset + length });
      owners.set(file, dataType);
      [end, sum] = [behind, stated];
    }
  } catch (cause) {
    if (codeOf(cause) !== 'ENOENT') throw fileFailure(recordsIn(folder), cause);
  }
  if (end < safe) throw journalDamage(JSON.stringify(fault), 'pages that were safe are missing');
  return { end, sum, safe, data };
}

/** Returns the numbers of the existing data files, with their bytes. */
export async function dataSizes(folder: string): Promise<ReadonlyMap<number, number>> {
  const sizes = new Map<number, number>();
  for (const name of await readdir(folder)) {
    const file = /^(\d+)\.data$/.exec(name)?.[1];
    if (file !== undefined) sizes.set(Number(file), (await stat(join(folder, name))).size);
  }
  return sizes;
}

/** The records of a journal to read. */
export interface RecordsRead {
  readonly folder: string;
  /** The checksum of the run manifest. */
  readonly seed: number;
  /** The number of bytes of complete records. */
  readonly end: number;
}

/** Reads the checkpoints of the records, superseded ones too. */
export async function* checkpointsIn(read: RecordsRead): AsyncGenerator<Checkpoint> {
  for await (const { checkpoint } of recordsUpTo(read)) yield checkpoint;
}

/** Reads the places of the pages of the records, without superseded ones, which `superseded` finds. */
export async function* placesIn(
  read: RecordsRead,
  replacedIn: (read: RecordsRead) => Promise<Superseded>,
): AsyncGenerator<JournaledPlace> {
  const replaced = await replacedIn(read);
  let at = 0;
  for await (const record of recordsUpTo(read))
    if (!replaced.has(at++, record.checkpoint)) yield placeOf(record, read.folder);
}

function placeOf(record: JournalRecord, folder: string): JournaledPlace {
  const { checkpoint, run, dataType, extra, stamp, count, offset, length, sum, file } = record;
  const plain = record.isPlain === true ? { isPlain: true } : {};
  const added = stamp === undefined ? { extra } : { extra, stamp };
  return { checkpoint, run, dataType, ...added, count, offset, length, sum, path: dataIn(folder, file), ...plain };
}

/**
 * Returns the pages at these places; the lines of each overwrite those of the one before.
 *
 * @throws FatalError JOURNAL_DAMAGED when lines have changed
 */
export async function* pagesAt<P extends PlaceOfItems>(
  places: AsyncIterable<P> | Iterable<P>,
): AsyncGenerator<Omit<P, 'path' | 'offset' | 'length' | 'sum'> & Pick<JournaledPage, 'lines'>> {
  const handles = new Map<string, FileHandle>();
  const read = partReader();
  try {
    for await (const { path, offset, length, sum, ...page } of places) {
      const handle = handles.get(path) ?? (await open(path, 'r'));
      handles.set(path, handle);
      const lines = await read({ handle, path, offset, length });
      if (checksum(lines) !== sum) throw journalDamage(JSON.stringify(path), changed(page));
      yield { ...page, lines };
    }
  } finally {
    for (const handle of handles.values()) await handle.close();
  }
}

const changed = ({ dataType }: Pick<PlaceOfItems, 'dataType'>): string =>
  `a page of the table ${JSON.stringify(dataType)} is not as it was written`;

async function* recordsUpTo({ folder, seed, end }: RecordsRead): AsyncGenerator<JournalRecord> {
  let read = 0;
  let before = seed;
  for await (const { line, end: behind } of completeLines(recordsIn(folder), end)) {
    const record = recordOf(line, before);
    if (record === undefined) break;
    before = statedSum(line);
    yield record;
    read = behind;
  }
  if (read !== end) throw damaged(recordsIn(folder));
}

/** A part of a file. */
export interface FilePart {
  readonly handle: FileHandle;
  /** The path of the file, for users. */
  readonly path: string;
  /** The offset in bytes from the start of the file. */
  readonly offset: number;
  /** The number of bytes. */
  readonly length: number;
}

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

/** The pages that later ones supersede. */
export interface Superseded {
  /** @param at the number of the page among all, from 0 */
  readonly has: (at: number, checkpoint: Checkpoint) => boolean;
}

/**
 * Remembers the last result: a commit reads the records several times, and they do not change meanwhile.
 *
 * @param find finds the superseded pages in the first `end` bytes of the records of a run
 */
export function rememberSuperseded<R extends { readonly seed: number; readonly end: number }>(
  find: (read: R) => Promise<Superseded>,
): (read: R) => Promise<Superseded> {
  let last: { readonly seed: number; readonly end: number; readonly found: Superseded } | undefined;
  return async (read) => {
    const { seed, end } = read;
    if (last?.seed !== seed || last.end !== end) last = { seed, end, found: await find(read) };
    return last.found;
  };
}

/**
 * Finds the pages that later ones supersede: the first page of a call supersedes all earlier pages of this call and of the calls below it.
 * Keeps a key and a number for each call.
 *
 * @param checkpoints of all pages, in the order in which they were written
 * @example (await superseded(journal.checkpoints())).has(0, checkpoint)
 */
export async function superseded(checkpoints: AsyncIterable<Checkpoint>): Promise<Superseded> {
  const starts = new Map<string, number>();
  let count = 0;
  for await (const { call, pages } of checkpoints) {
    if (pages === 1) starts.set(call.join('.'), count);
    count += 1;
  }
  const startedAfter = (at: number, key: string): boolean => (starts.get(key) ?? -1) > at;
  return {
    has: (at, { call }) => {
      let key = '';
      for (const [depth, number] of call.entries()) {
        key = depth === 0 ? String(number) : `${key}.${number}`;
        if (startedAfter(at, key)) return true;
      }
      return false;
    },
  };
}
