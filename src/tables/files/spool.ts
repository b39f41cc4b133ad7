/** Lines that wait in a private temporary folder: little memory, however many there are. */
import { createReadStream } from 'node:fs';
import { appendFile, copyFile, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { LineBuffer } from './line-buffer';

/** Maximum bytes that all spools of a folder hold in memory together before they are flushed. */
const HELD = 4_194_304;
const CHUNK_BYTES = 262_144;

/**
 * A temporary folder that only its owner may enter, made when the first text has to leave memory.
 *
 * @example
 * const folder = new SpoolFolder(tmpdir());
 * const spool = folder.open();
 * spool.appendText('a line');
 * await folder.flush();
 * await folder.remove();
 */
export class SpoolFolder {
  readonly #spools = new Set<Spool>();
  #path: Promise<string> | undefined;
  #opened = 0;

  /** @param parent an existing folder */
  constructor(private readonly parent: string) {}

  /** @param header what the spool's file starts with, for instance the header line of a table */
  open(header = ''): Spool {
    const number = (this.#opened += 1);
    const spool = new Spool(header, async () => {
      this.#path ??= mkdtemp(join(this.parent, 'headwater-'));
      return join(await this.#path, String(number));
    });
    this.#spools.add(spool);
    return spool;
  }

  /** Writes what the spools hold in memory to their files, when it is much. */
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

/** Lines, appended one by one and read in chunks from the start. */
export class Spool {
  #lines = new LineBuffer();
  #spareMemory: Buffer | undefined;
  #file: string | undefined;
  #written: Promise<void> = Promise.resolve();
  #moved = false;
  #rows = 0;

  /** @param header what the file starts with; no part of the lines that are read */
  constructor(
    readonly header: string,
    private readonly place: () => Promise<string>,
  ) {}

  /** The number of bytes in memory. */
  get held(): number {
    return this.#lines.length;
  }

  get isEmpty(): boolean {
    return !this.#moved && this.#file === undefined && this.#lines.length === 0;
  }

  appendText(line: string): void {
    this.#lines.appendText(line);
  }

  /** The number of rows that were appended. */
  get rows(): number {
    return this.#rows;
  }

  appendCells(cells: readonly string[]): void {
    this.#rows += 1;
    this.#lines.appendCells(cells);
  }

  /** Moves the lines in memory to the file; calls are served in order. */
  write(): Promise<void> {
    const lines = this.#lines;
    this.#lines = new LineBuffer(this.#spareMemory);
    this.#spareMemory = undefined;
    if (lines.length > 0) this.#written = this.#written.then(() => this.#appendToFile(lines));
    return this.#written;
  }

  /** Everything appended so far. */
  async *chunks(): AsyncGenerator<Uint8Array> {
    this.#mustBeHere();
    await this.#written;
    if (this.#file !== undefined) yield* readFrom(this.#file, Buffer.byteLength(this.header));
    if (this.#lines.length > 0) yield Buffer.from(this.#lines.bytes);
  }

  /** Makes the file, header included, the one at a path. */
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
    this.#spareMemory = lines.memory;
  }
}

const readFrom = (file: string, start: number): AsyncIterable<Uint8Array> =>
  createReadStream(file, { start, highWaterMark: CHUNK_BYTES });

/** To another file system, a file has to be copied. */
async function move(file: string, path: string): Promise<void> {
  try {
    await rename(file, path);
  } catch {
    await copyFile(file, path);
    await rm(file);
  }
}
