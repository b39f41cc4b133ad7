/** The files of tables from earlier runs, which may be compressed, and which of their rows stay. */
import { constants, createReadStream, createWriteStream, existsSync } from 'node:fs';
import { copyFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { FatalError } from '../../core/errors/errors';
import type { Warn } from '../../language/parts/sink';
import type { StoredRows } from '../row-counts';
import { codeOf, messageOf } from './durable-files';
import { BLOCK } from './lines';

/** The compression of the files of tables. */
export type Compression = 'gzip';

const GZIP = '.gz';

/** Returns the name of the file of a table, for example `items.csv.gz`. */
export const nameAs = (name: string, compress: Compression | undefined): string =>
  compress === undefined ? name : `${name}${GZIP}`;

/**
 * Returns the file whose rows stay when rows are added, compressed or not.
 *
 * @param name the name of the uncompressed file
 * @returns its path; `undefined`: there is none
 * @throws FatalError DESTINATION_INCOMPATIBLE when both exist
 */
export function oldFileOf(folder: string, name: string): string | undefined {
  const [first, second] = [name, `${name}${GZIP}`].map((each) => join(folder, each)).filter((path) => existsSync(path));
  if (first === undefined || second === undefined) return first;
  const message = `There are ${JSON.stringify(first)} and ${JSON.stringify(second)}, and rows can be added to one of them only. Move away the one that is no table of yours.`;
  throw new FatalError('DESTINATION_INCOMPATIBLE', message);
}

/** Returns the error for a file that rows cannot be added to. */
export const unusableFile = (path: string, reason: string): FatalError =>
  new FatalError(
    'DESTINATION_INCOMPATIBLE',
    `Rows cannot be added to ${JSON.stringify(path)}: ${reason}. Correct the file, or move it away.`,
  );

/**
 * Returns the bytes of a file, decompressed.
 *
 * @throws FatalError DESTINATION_DAMAGED when it cannot be decompressed
 */
export async function* plainBytes(file: string): AsyncGenerator<Buffer> {
  const bytes: Readable & AsyncIterable<Buffer> = createReadStream(file, { highWaterMark: BLOCK });
  if (!file.endsWith(GZIP)) {
    yield* bytes;
    return;
  }
  const plain = createGunzip();
  // The loop over it reports a failure.
  pipeline(bytes, plain).catch(() => undefined);
  try {
    yield* plain;
  } catch (cause) {
    if (codeOf(cause) !== undefined) throw cause;
    const message = `${JSON.stringify(file)} cannot be read (${messageOf(cause)}). Restore the file, or move it away.`;
    throw new FatalError('DESTINATION_DAMAGED', message, { cause });
  }
}

/** Copies a file, decompressed. */
export const copyPlain = (from: string, to: string): Promise<void> =>
  from.endsWith(GZIP)
    ? pipeline(plainBytes(from), createWriteStream(to))
    : copyFile(from, to, constants.COPYFILE_FICLONE);

/** Reads a file that may be compressed: then a decompressed copy at `path` is read and removed afterwards. */
export async function withPlain<F extends string | undefined, T>(
  file: F,
  path: string,
  read: (plain: F | string) => Promise<T>,
): Promise<T> {
  if (file?.endsWith(GZIP) !== true) return read(file);
  try {
    await copyPlain(file, path);
    return await read(path);
  } finally {
    await rm(path, { force: true });
  }
}

/** Returns whether a file, compressed or not, has that many lines. */
export const hasLines = async (file: string | undefined, count: number): Promise<boolean> =>
  (await linesIn(file, count)) >= count;

/**
 * Returns the number of lines of a file, compressed or not; 0 if there is none.
 *
 * @param most the number at which it stops counting
 */
export async function linesIn(file: string | undefined, most = Infinity): Promise<number> {
  if (file === undefined) return 0;
  const bytes = createReadStream(file);
  const input = file.endsWith(GZIP) ? bytes.pipe(createGunzip()) : bytes;
  let found = 0;
  try {
    for await (const line of createInterface({ input, crlfDelay: Infinity })) {
      if (line !== '') found += 1;
      if (found >= most) break;
    }
    return found;
  } finally {
    bytes.destroy();
  }
}

/** Replaces a new file by a compressed one, if compression is set. */
export async function compressFile(path: string, compress: Compression | undefined): Promise<void> {
  if (compress === undefined) return;
  await pipeline(createReadStream(path), createGzip(), createWriteStream(nameAs(path, compress)));
  await rm(path);
}

/** The folder of tables before a commit. */
interface OldFolder {
  /** The folder of the tables. */
  readonly folder: string;
  /** Returns whether an earlier run made a file. */
  readonly isOwn: (file: string) => boolean;
  readonly warn: Warn | undefined;
}

/**
 * Returns the names of old files in the other form: the new ones have their rows, or replace them. A compressed file that no run made may
 * be a backup: it stays, with a warning.
 *
 * @param files the names of the new files; those whose rows were added to old ones are `grown`
 */
export function superseded(
  files: ReadonlyMap<string, 'replaced' | 'grown'>,
  { folder, isOwn, warn }: OldFolder,
): string[] {
  return Array.from(files).flatMap(([file, how]) => {
    const other = file.endsWith(GZIP) ? file.slice(0, -GZIP.length) : `${file}${GZIP}`;
    if (!existsSync(join(folder, other))) return [];
    if (how === 'grown' || !other.endsWith(GZIP) || isOwn(other)) return [other];
    const [path, made] = [JSON.stringify(join(folder, other)), JSON.stringify(file)];
    const message = `${path} was not made by the last run, and stays: it is not the table that this run stores in ${made}.`;
    warn?.('TABLE_STRUCTURE', message);
    return [];
  });
}

/** The content of a row that is compared, or a digest of it. */
type Content = string | number | undefined;

/** The last row of a key. */
interface LatestRow {
  at: number;
  content: Content;
  /** What the old file has of the key. */
  old: 'none' | 'other' | 'same';
}

/**
 * Decides which rows are in a file of old rows and of rows of a run, in any format: old rows come first, without those whose key comes
 * again, and of rows of the run with equal keys the last one. Rows without a key all stay. It keeps an entry for each key of the run.
 *
 * @example
 * const latest = new LatestRows();
 * for (const row of rows) latest.add(keyOf(row), contentOf(row));
 * const kept = [...old.filter((row) => !latest.replaces(keyOf(row), () => contentOf(row))), ...rows.filter((_, at) => !latest.isReplaced(at))];
 */
export class LatestRows {
  readonly #latest = new Map<string, LatestRow>();
  readonly #replaced = new Set<number>();
  #rows = 0;

  /**
   * Adds the next row of the run.
   *
   * @param key `undefined`: it has none
   * @returns whether it takes the place of another one of the run
   */
  add(key: string | undefined, content?: Content): boolean {
    const at = this.#rows++;
    if (key === undefined) return false;
    const earlier = this.#latest.get(key);
    if (earlier === undefined) {
      this.#latest.set(key, { at, content, old: 'none' });
      return false;
    }
    this.#replaced.add(earlier.at);
    earlier.at = at;
    earlier.content = content;
    return true;
  }

  /** Returns whether a row of the run, by its number, has given way to a later one. */
  isReplaced(at: number): boolean {
    return this.#replaced.has(at);
  }

  /**
   * Returns whether an old row gives way to one of the run, once all of these are added.
   *
   * @param contentOf gives what is compared; absent: nothing is
   */
  replaces(key: string | undefined, contentOf?: () => Content): boolean {
    const latest = key === undefined ? undefined : this.#latest.get(key);
    if (latest === undefined) return false;
    if (latest.old !== 'same')
      latest.old = contentOf !== undefined && contentOf() === latest.content ? 'same' : 'other';
    return true;
  }

  /** The counts of the rows, once all old rows were asked for. */
  get counts(): StoredRows {
    let [matched, same] = [0, 0];
    for (const { old } of this.#latest.values()) {
      if (old !== 'none') matched += 1;
      if (old === 'same') same += 1;
    }
    return { stored: this.#rows - this.#replaced.size, matched, same };
  }
}
