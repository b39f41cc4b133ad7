import type { Page } from '../../model';
import { GrowingFile } from './growing-file';
import { checksum } from '../files/checksum';
import { dataIn, recordsIn } from './reader';
import type { Extent } from './reader';
import { recordLine } from './records';
import { createScratchBuffer } from './scratch-buffer';

/** Milliseconds between two calls of fsync. */
const SYNC_INTERVAL = 1000;

interface DataFile {
  readonly file: number;
  readonly lines: GrowingFile;
}

/** Appends pages to a journal of files: first the lines, then the record that makes them count. */
export class JournalWriter {
  readonly #scratch = createScratchBuffer();
  readonly #data = new Map<string, DataFile>();
  readonly #unsynced = new Set<GrowingFile>();
  #syncedAt = performance.now();
  /** The number of bytes of records that are safe against loss of power. */
  #safe: number;
  /** The checksum of the last record. */
  #sum: number;

  private constructor(
    private readonly folder: string,
    private readonly records: GrowingFile,
    { safe, sum }: Extent,
  ) {
    this.#safe = safe;
    this.#sum = sum;
  }

  /** @param extent what counts; the files are cut to it */
  static async open(folder: string, extent: Extent): Promise<JournalWriter> {
    const writer = new JournalWriter(folder, await GrowingFile.open(recordsIn(folder), extent.end), extent);
    try {
      for (const [dataType, { file, end }] of extent.data)
        writer.#keep(dataType, { file, lines: await GrowingFile.open(dataIn(folder, file), end) });
      return writer;
    } catch (cause) {
      await writer.abandon();
      throw cause;
    }
  }

  /** The number of bytes of whole records. */
  get end(): number {
    return this.records.end;
  }

  /** @throws FatalError SINK_FAILED; the journal is then as it was */
  async append(page: Page): Promise<void> {
    const { iteration: run, extra, count, checkpoint } = page;
    const { dataType } = page.job;
    const { file, lines } = await this.#dataOf(dataType);
    const bytes = page.lines('', '', this.#scratch);
    const { end } = this.records;
    const before = this.#sum;
    const place = { file, offset: lines.end, length: bytes.length, sum: checksum(bytes), safe: this.#safe };
    try {
      await lines.append(bytes);
      this.#unsynced.add(lines);
      const plain = page.reply.raw?.isPlain === true ? { isPlain: true } : {};
      const record = recordLine({ checkpoint, run, dataType, extra, count, ...place, ...plain }, before);
      await this.records.append(record.bytes);
      this.#sum = record.sum;
      if (performance.now() - this.#syncedAt >= SYNC_INTERVAL) await this.#sync();
    } catch (cause) {
      this.#sum = before;
      await this.records.cut(end);
      await lines.cut(place.offset);
      throw cause;
    }
  }

  /** @throws FatalError SINK_FAILED */
  async close(): Promise<void> {
    try {
      await this.#sync();
    } finally {
      await this.abandon();
    }
  }

  /** Lets go of the files, safe or not against loss of power. */
  async abandon(): Promise<void> {
    await this.records.close();
    for (const { lines } of this.#data.values()) await lines.close();
  }

  async #dataOf(dataType: string): Promise<DataFile> {
    const known = this.#data.get(dataType);
    if (known !== undefined) return known;
    const file = 1 + Math.max(-1, ...Array.from(this.#data.values(), (data) => data.file));
    const made = { file, lines: await GrowingFile.open(dataIn(this.folder, file), 0) };
    this.#data.set(dataType, made);
    return made;
  }

  /** What an earlier process wrote may not be safe yet. */
  #keep(dataType: string, data: DataFile): void {
    this.#data.set(dataType, data);
    this.#unsynced.add(data.lines);
  }

  /** First the lines, so that no record is safe before them. */
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
