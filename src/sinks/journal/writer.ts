import { open } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { PRIVATE_FILE, fileFailure, writeFailure } from '../files/durable-files';
import type { KeptPage } from './journal';
import type { PageIndex } from './page-index';
import { createScratchBuffer } from './reader';
import type { Extent } from './reader';
import { dataIn, recordFor, recordLine, recordsIn } from './records';
import type { JournalRecord } from './records';

/** Milliseconds between two calls of fsync. */
const SYNC_INTERVAL = 1000;

interface DataFile {
  readonly file: number;
  readonly lines: GrowingFile;
}

/** The data that a group of pages adds to a file. */
interface Appended {
  /** The end of the file before. */
  readonly from: number;
  readonly pieces: Uint8Array[];
  bytes: number;
}

const joined = (pieces: readonly Uint8Array[]): Uint8Array =>
  pieces.length === 1 && pieces[0] !== undefined ? pieces[0] : Buffer.concat(pieces);

/** Appends pages to a file journal: first the lines, then the record that makes them count. */
export class JournalWriter {
  readonly #scratch = createScratchBuffer();
  readonly #data = new Map<string, DataFile>();
  readonly #unsynced = new Set<GrowingFile>();
  /** The pages whose records are complete. */
  readonly index: PageIndex;
  #syncedAt = performance.now();
  /** The number of bytes of records that are safe against a loss of power. */
  #safe: number;
  /** The checksum of the last record. */
  #sum: number;

  private constructor(
    private readonly folder: string,
    private readonly records: GrowingFile,
    { safe, sum, index }: Extent,
    private readonly judges: boolean,
  ) {
    this.#safe = safe;
    this.#sum = sum;
    this.index = index;
  }

  /**
   * @param extent the valid data; the records are cut to it, and each file of lines before anything is appended to it
   * @param judges whether records say which pages are plain
   */
  static async open(folder: string, extent: Extent, judges: boolean): Promise<JournalWriter> {
    const records = await GrowingFile.open(recordsIn(folder), extent.end);
    await records.cut(extent.end);
    const writer = new JournalWriter(folder, records, extent, judges);
    try {
      for (const [dataType, { file, end }] of extent.data)
        writer.#keep(dataType, { file, lines: await GrowingFile.open(dataIn(folder, file), end) });
      return writer;
    } catch (cause) {
      await writer.abandon();
      throw cause;
    }
  }

  /** Returns the number of bytes of whole records. */
  get end(): number {
    return this.records.end;
  }

  /**
   * Appends pages as one group: the lines of each file in one write, then all records in another.
   *
   * @throws FatalError SINK_FAILED; the journal is then as it was
   */
  async append(pages: readonly KeptPage[]): Promise<void> {
    const { end } = this.records;
    const lines = new Map<GrowingFile, Appended>();
    const records: JournalRecord[] = [];
    for (const page of pages) {
      const data = this.#data.get(page.table) ?? (await this.#open(page.table));
      const added = lines.get(data.lines) ?? { from: data.lines.end, pieces: [], bytes: 0 };
      lines.set(data.lines, added);
      // The next page would overwrite the bytes of this one.
      const bytes = pages.length === 1 ? page.lines('', '', this.#scratch) : page.lines();
      const place = { file: data.file, offset: added.from + added.bytes, safe: this.#safe };
      records.push(recordFor(page, bytes, place, this.judges));
      added.pieces.push(bytes);
      added.bytes += bytes.length;
    }
    let text = '';
    let sum = this.#sum;
    for (const record of records) {
      const line = recordLine(record, sum);
      text += line.line;
      sum = line.sum;
    }
    try {
      for (const [file, { pieces }] of lines) {
        await file.append(joined(pieces));
        this.#unsynced.add(file);
      }
      await this.records.append(Buffer.from(text));
      if (performance.now() - this.#syncedAt >= SYNC_INTERVAL) await this.#sync();
    } catch (cause) {
      await this.records.cut(end);
      for (const [file, { from }] of lines) await file.cut(from);
      throw cause;
    }
    this.#sum = sum;
    for (const record of records) this.index.add(record);
  }

  /** @throws FatalError SINK_FAILED */
  async close(): Promise<void> {
    try {
      await this.#sync();
    } finally {
      await this.abandon();
    }
  }

  /** Closes the files without making them safe against a loss of power. */
  async abandon(): Promise<void> {
    await this.records.close();
    for (const { lines } of this.#data.values()) await lines.close();
  }

  async #open(dataType: string): Promise<DataFile> {
    const file = 1 + Math.max(-1, ...Array.from(this.#data.values(), (data) => data.file));
    const made = { file, lines: await GrowingFile.open(dataIn(this.folder, file), 0) };
    this.#data.set(dataType, made);
    return made;
  }

  /** The data of an earlier process may not be safe yet. */
  #keep(dataType: string, data: DataFile): void {
    this.#data.set(dataType, data);
    this.#unsynced.add(data.lines);
  }

  /** Syncs the lines first, so that no record is safe before them. */
  async #sync(): Promise<void> {
    if (this.#unsynced.size > 0) {
      for (const lines of this.#unsynced) await lines.sync();
      await this.records.sync();
      this.#safe = this.records.end;
    }
    this.#unsynced.clear();
    this.#syncedAt = performance.now();
  }
}

/** A file that only grows by complete pieces: incomplete ones are removed. */
class GrowingFile {
  /** True if there may be data after the end. */
  #untidy = false;

  private constructor(
    private readonly path: string,
    private readonly handle: FileHandle,
    private length: number,
  ) {}

  /**
   * @param end the number of valid bytes; what follows them is dropped when something is appended, not at once: the file may have a
   *   second hard link, by which it is complete
   * @throws FatalError DESTINATION or SINK_FAILED
   */
  static async open(path: string, end: number): Promise<GrowingFile> {
    let handle: FileHandle | undefined;
    try {
      handle = await open(path, 'a', PRIVATE_FILE);
      const { size } = await handle.stat();
      const file = new GrowingFile(path, handle, end);
      file.#untidy = size !== end;
      return file;
    } catch (cause) {
      await handle?.close();
      throw fileFailure(path, cause);
    }
  }

  /** Returns the number of valid bytes. */
  get end(): number {
    return this.length;
  }

  /** @throws FatalError SINK_FAILED; the end is then where it was */
  async append(bytes: Uint8Array): Promise<void> {
    try {
      await this.#tidy();
      this.#untidy = true;
      for (let at = 0; at < bytes.length;) at += (await this.handle.write(bytes, at)).bytesWritten;
      this.#untidy = false;
      this.length += bytes.length;
    } catch (cause) {
      throw writeFailure(this.path, cause);
    }
  }

  /** Drops the data after this end; if the system refuses, it tries again before anything is appended. */
  async cut(end: number): Promise<void> {
    this.length = end;
    this.#untidy = true;
    await this.#tidy().catch(() => undefined);
  }

  /** Makes the bytes safe against a loss of power. */
  async sync(): Promise<void> {
    await this.handle.datasync().catch((cause: unknown): never => {
      throw writeFailure(this.path, cause);
    });
  }

  close(): Promise<void> {
    return this.handle.close();
  }

  async #tidy(): Promise<void> {
    if (!this.#untidy) return;
    await this.handle.truncate(this.length);
    this.#untidy = false;
  }
}
