import { open, readdir, stat } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import type { Checkpoint } from '../model';
import { bytesAt, damaged } from './bytes-at';
import { completeLines } from './complete-lines';
import { codeOf, fileFailure } from './durable-files';
import type { JournaledPage, JournaledPlace } from './journal';
import { recordOf } from './journal-records';
import type { JournalRecord } from './journal-records';
import { scratch } from './scratch';
import { superseded } from './superseded';

/** The file of the records. */
export const recordsIn = (folder: string): string => join(folder, 'journal.ndjson');

/** The file of the lines of one dataType. */
export const dataIn = (folder: string, file: number): string => join(folder, `${file}.data`);

/** Where a journal of files ends, and each of its data files. */
export interface Extent {
  /** Bytes of whole records. */
  readonly end: number;
  /** By dataType. */
  readonly data: ReadonlyMap<string, DataExtent>;
}

export interface DataExtent {
  /** The number of the file. */
  readonly file: number;
  /** Bytes. */
  readonly end: number;
}

/**
 * How far a journal can be relied on, whatever ended the process that wrote it: up to the first record that is not whole,
 * or whose lines are not.
 */
export async function extentOf(folder: string): Promise<Extent> {
  const sizes = await dataSizes(folder);
  const data = new Map<string, DataExtent>();
  const owners = new Map<number, string>();
  let end = 0;
  try {
    for await (const { line, end: behind } of completeLines(recordsIn(folder))) {
      const record = recordOf(line);
      if (record === undefined) break;
      const { dataType, file, offset, length } = record;
      const known = data.get(dataType) ?? { file, end: 0 };
      const isNext = known.file === file && known.end === offset && (owners.get(file) ?? dataType) === dataType;
      if (!isNext || offset + length > (sizes.get(file) ?? 0)) break;
      data.set(dataType, { file, end: offset + length });
      owners.set(file, dataType);
      end = behind;
    }
  } catch (cause) {
    if (codeOf(cause) !== 'ENOENT') throw fileFailure(recordsIn(folder), cause);
  }
  return { end, data };
}

/** The numbers of the data files that are there, with their bytes. */
export async function dataSizes(folder: string): Promise<ReadonlyMap<number, number>> {
  const sizes = new Map<number, number>();
  for (const name of await readdir(folder)) {
    const file = /^(\d+)\.data$/.exec(name)?.[1];
    if (file !== undefined) sizes.set(Number(file), (await stat(join(folder, name))).size);
  }
  return sizes;
}

/** The checkpoints of the records up to this end, superseded ones too. */
export async function* checkpointsIn(folder: string, end: number): AsyncGenerator<Checkpoint> {
  for await (const { checkpoint } of recordsUpTo(folder, end)) yield checkpoint;
}

/** The places of the pages of the records up to this end, without superseded ones. */
export async function* placesIn(folder: string, end: number): AsyncGenerator<JournaledPlace> {
  const anew = await superseded(checkpointsIn(folder, end));
  let at = 0;
  for await (const { file, ...page } of recordsUpTo(folder, end))
    if (!anew.has(at++, page.checkpoint)) yield { ...page, path: dataIn(folder, file) };
}

/** The pages at these places; the lines of one take the place of those of the one before. */
export async function* pagesAt(places: AsyncIterable<JournaledPlace>): AsyncGenerator<JournaledPage> {
  const handles = new Map<string, FileHandle>();
  const room = scratch();
  try {
    for await (const { path, offset, length, ...page } of places) {
      const handle = handles.get(path) ?? (await open(path, 'r'));
      handles.set(path, handle);
      yield { ...page, lines: await bytesAt(handle, offset, length, path, room) };
    }
  } finally {
    for (const handle of handles.values()) await handle.close();
  }
}

async function* recordsUpTo(folder: string, end: number): AsyncGenerator<JournalRecord> {
  let read = 0;
  for await (const { line, end: behind } of completeLines(recordsIn(folder), end)) {
    const record = recordOf(line);
    if (record === undefined) break;
    yield record;
    read = behind;
  }
  if (read !== end) throw damaged(recordsIn(folder));
}
