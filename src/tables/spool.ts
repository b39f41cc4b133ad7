/** Lines that wait in a private temporary folder: little memory, however many there are. */
import { createReadStream } from 'node:fs';
import { appendFile, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { LineBuffer } from './line-buffer';

/** Bytes that all spools of a folder hold in memory together before they write. */
const HELD = 4_194_304;
const CHUNK_BYTES = 262_144;

/**
 * A temporary folder that only its owner may enter, made when the first text has to leave memory.
 *
 * @example
 * const folder = new SpoolFolder(tmpdir());
 * const spool = folder.open();
 * spool.appendText('a line');
 * await folder.settle();
 * await folder.remove();
 */
export class SpoolFolder {
  readonly #spools = new Set<Spool>();
  #path: Promise<string> | undefined;
  #opened = 0;

  /** @param parent an existing folder */
  constructor(private readonly parent: string) {}

  open(): Spool {
    const number = (this.#opened += 1);
    const spool = new Spool(async () => {
      this.#path ??= mkdtemp(join(this.parent, 'headwater-'));
      return join(await this.#path, String(number));
    });
    this.#spools.add(spool);
    return spool;
  }

  /** Writes what the spools hold, when it is much. */
  async settle(): Promise<void> {
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
    if (this.#path !== undefined) await rm(await this.#path, { recursive: true, force: true });
    this.#path = undefined;
  }
}

/** Lines, appended one by one and read in chunks from the start. */
export class Spool {
  #lines = new LineBuffer();
  #spareRoom: Buffer | undefined;
  #file: string | undefined;
  #written: Promise<void> = Promise.resolve();

  constructor(private readonly place: () => Promise<string>) {}

  /** Bytes in memory. */
  get held(): number {
    return this.#lines.length;
  }

  appendText(line: string): void {
    this.#lines.appendText(line);
  }

  appendCells(cells: readonly string[]): void {
    this.#lines.appendCells(cells);
  }

  /** Moves the lines in memory to the file; calls are served in order. */
  write(): Promise<void> {
    const lines = this.#lines;
    this.#lines = new LineBuffer(this.#spareRoom);
    this.#spareRoom = undefined;
    if (lines.length > 0) this.#written = this.#written.then(() => this.#appendToFile(lines));
    return this.#written;
  }

  /** Everything appended so far. */
  async *chunks(): AsyncGenerator<Uint8Array> {
    await this.#written;
    if (this.#file !== undefined)
      yield* createReadStream(this.#file, { highWaterMark: CHUNK_BYTES }) as AsyncIterable<Uint8Array>;
    if (this.#lines.length > 0) yield Uint8Array.from(this.#lines.bytes);
  }

  async remove(): Promise<void> {
    this.#lines = new LineBuffer();
    await this.#written;
    if (this.#file !== undefined) await rm(this.#file, { force: true });
    this.#file = undefined;
  }

  async #appendToFile(lines: LineBuffer): Promise<void> {
    this.#file ??= await this.place();
    await appendFile(this.#file, lines.bytes);
    this.#spareRoom = lines.room;
  }
}
