import { createReadStream, createWriteStream } from 'node:fs';
import { appendFile, copyFile, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { LineBuffer, csvLine, readCsv } from './csv-lines';
import type { RowOfCells } from './csv-lines';
import type { Table } from './table';

/** Maximum bytes that all spools of a folder hold in memory together before they are flushed. */
const HELD = 4_194_304;
const CHUNK_BYTES = 262_144;

/**
 * A private temporary folder for lines, created when the first line has to leave memory.
 *
 * @example
 * const folder = new SpoolFolder(tmpdir());
 * const spool = folder.open('');
 * spool.appendCells(['a cell']);
 * await folder.flush();
 * await folder.remove();
 */
export class SpoolFolder {
  readonly #spools = new Set<Spool>();
  #path: Promise<string> | undefined;
  #opened = 0;

  /** @param parent an existing folder */
  constructor(private readonly parent: string) {}

  /** @param header the beginning of the spool's file, for instance the header line of a table */
  open(header: string): Spool {
    const number = (this.#opened += 1);
    const spool = new Spool(header, async () => {
      this.#path ??= mkdtemp(join(this.parent, 'headwater-'));
      return join(await this.#path, String(number));
    });
    this.#spools.add(spool);
    return spool;
  }

  /** Writes the memory of the spools to their files, if it is large. */
  async flush(): Promise<void> {
    let held = 0;
    for (const spool of this.#spools) held += spool.held;
    if (held >= HELD) await Promise.all(Array.from(this.#spools, (spool) => spool.write()));
  }

  /** Forgets a spool and removes its file. */
  async discard(spool: Spool): Promise<void> {
    this.#spools.delete(spool);
    await spool.remove();
  }

  /** Removes the folder with all files. */
  async remove(): Promise<void> {
    await Promise.allSettled(Array.from(this.#spools, (spool) => spool.remove()));
    this.#spools.clear();
    const path = await this.#path?.catch(() => undefined);
    if (path !== undefined) await rm(path, { recursive: true, force: true });
    this.#path = undefined;
  }
}

/** How far a spool is. */
export interface SpoolMark {
  readonly rows: number;
  readonly held: number;
}

/** Lines, appended one by one and read in chunks from the start. */
export class Spool {
  #lines = new LineBuffer();
  #spareMemory: Buffer | undefined;
  #file: string | undefined;
  #written: Promise<void> = Promise.resolve();
  #moved = false;
  /** The number of rows that were appended. */
  rows = 0;

  /** @param header the beginning of the file, which is not part of the lines that are read */
  constructor(
    readonly header: string,
    private readonly place: () => Promise<string>,
  ) {}

  /** Returns the number of bytes in memory. */
  get held(): number {
    return this.#lines.length;
  }

  get isEmpty(): boolean {
    return !this.#moved && this.#file === undefined && this.#lines.length === 0;
  }

  appendCells(cells: readonly string[]): void {
    this.rows += 1;
    this.#lines.appendCells(cells);
  }

  appendRow(row: RowOfCells): void {
    this.rows += 1;
    this.#lines.appendRow(row);
  }

  mark(): SpoolMark {
    return { rows: this.rows, held: this.#lines.length };
  }

  /** Takes back the rows behind a mark, while none of them has left memory. */
  backTo({ rows, held }: SpoolMark): void {
    this.rows = rows;
    this.#lines.backTo(held);
  }

  /** Moves the lines in memory to the file; calls are served in order. */
  write(): Promise<void> {
    const lines = this.#lines;
    this.#lines = new LineBuffer(this.#spareMemory);
    this.#spareMemory = undefined;
    if (lines.length > 0) this.#written = this.#written.then(() => this.#appendToFile(lines));
    return this.#written;
  }

  /** Returns everything appended so far. */
  async *chunks(): AsyncGenerator<Uint8Array> {
    this.#mustBeHere();
    await this.#written;
    const start = Buffer.byteLength(this.header);
    if (this.#file !== undefined) yield* createReadStream(this.#file, { start, highWaterMark: CHUNK_BYTES });
    if (this.#lines.length > 0) yield Buffer.from(this.#lines.bytes);
  }

  /** Moves the file, header included, to a path. */
  async moveTo(path: string): Promise<void> {
    this.#mustBeHere();
    await this.write();
    if (this.#file === undefined) await writeFile(path, this.header);
    else await move(this.#file, path);
    this.#file = undefined;
    this.#moved = true;
  }

  async remove(): Promise<void> {
    this.#lines = new LineBuffer();
    await this.#written;
    if (this.#file !== undefined) await rm(this.#file, { force: true });
    this.#file = undefined;
  }

  #mustBeHere(): void {
    if (this.#moved) throw new Error('The rows of this table are gone: they were moved to a file already.');
  }

  async #appendToFile(lines: LineBuffer): Promise<void> {
    if (this.#file === undefined) {
      const file = await this.place();
      await writeFile(file, this.header);
      this.#file = file;
    }
    await appendFile(this.#file, lines.bytes);
    this.#spareMemory = lines.reusable;
  }
}

/** Moves a file; to another file system it has to be copied. */
async function move(file: string, path: string): Promise<void> {
  try {
    await rename(file, path);
  } catch {
    await copyFile(file, path);
    await rm(file);
  }
}

/**
 * Returns a table whose rows wait in spools.
 *
 * @param parts its rows, one part after another
 */
export function spooledTable(
  head: Pick<Table, 'name' | 'columns' | 'primaryKey' | 'gaveWay' | 'dataType' | 'link'>,
  parts: readonly Spool[],
): Table {
  const csv = { [Symbol.asyncIterator]: () => chunksOf(parts) };
  const rows = { [Symbol.asyncIterator]: () => readCsv(csv) };
  const count = parts.reduce((sum, part) => sum + part.rows, 0);
  return { ...head, count, rows, csv, saveCsv: (path) => save(csvLine(head.columns), parts, path) };
}

async function* chunksOf(parts: readonly Spool[]): AsyncGenerator<Uint8Array> {
  for (const part of parts) yield* part.chunks();
}

/** Saves a table as a file. A single file that already has the right header need not be copied. */
async function save(header: string, parts: readonly Spool[], path: string): Promise<void> {
  const [first, ...others] = parts.filter((part) => !part.isEmpty);
  if (first?.header === header && others.length === 0) await first.moveTo(path);
  else await saveChunks(header, chunksOf(parts), path);
}

/** Makes a file of a header and chunks. */
export const saveChunks = (header: string, chunks: AsyncIterable<Uint8Array>, path: string): Promise<void> =>
  pipeline(withHeader(header, chunks), createWriteStream(path));

async function* withHeader(header: string, chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield Buffer.from(header);
  yield* chunks;
}
