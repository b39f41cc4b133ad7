/** One new file of lines while it is made. */
import { hash } from 'node:crypto';
import { appendFile, chmod, link, open, rename, rm, stat } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import type { RowCounts, Stored } from '../../core/durable-sink';
import { decimalText } from '../../core/json/decimal';
import { lostDigitsAt } from '../../core/json/literals';
import { ownValue } from '../../core/json/objects';
import { stringifyJson } from '../../core/json/stringify';
import type { JsonObject } from '../../core/model';
import { ROW_ID } from '../../tables/linked/places';
import { checkOldKey } from '../../tables/schema/changes';
import { unclearKey } from '../../tables/schema/schema';
import { keyNotFound } from '../../tables/table';
import { objectIn } from '../files/checksum';
import { LatestRows, compressFile, copyPlain, nameAs, oldFileOf, plainBytes, unusableFile } from '../files/old-files';
import type { Compression } from '../files/old-files';
import { BYTE_ORDER_MARK, LF, bytesIn, completeLines, linesAmong, writeLines } from '../files/lines';
import { rowsOfRun, countsOf, unmatched, withoutLost } from '../row-counts';
import type { CountedRows } from '../row-counts';
import { isOrphan } from './linked';
import type { IsGone } from './linked';

/** A file of lines, and how those of the old file are treated. */
export interface TableOptions {
  readonly folder: string;
  /** False if files of the folder are there by their names alone. */
  readonly isWhole: boolean;
  readonly staging: string;
  /** The name of its file if it is not compressed. */
  readonly file: string;
  readonly compress: Compression | undefined;
  readonly incremental: boolean;
  readonly key: readonly string[];
  /** The place of the key in the configuration. */
  readonly keyPlace: string;
  /** Returns whether a line of the old file is removed with another one; absent: none is. */
  readonly isGone: IsGone | undefined;
  /** True if its lines are rows of linked tables. */
  readonly isLinked: boolean;
  /** True if its lines have the columns of the run. */
  readonly hasRun: boolean;
  /** True if its lines are rows of lists. */
  readonly isOfLists: boolean;
}

/** A new file while it is made. */
export class NdjsonTable {
  /** The names of placeholders and of user data of its items, which are no members of lines. */
  readonly extra = new Set<string>();
  /** The name of its file. */
  readonly name: string;
  /** True if it contains the lines of an old file. */
  isGrown = false;
  #handle: FileHandle | undefined;
  /** True if the file is another name of one with the lines to add. */
  #isAdopted = false;
  readonly #draft: string;
  readonly #counts: LineCounts;
  /** The bytes of old lines. */
  #oldBytes = 0;

  constructor(readonly options: TableOptions) {
    const { file, compress, staging } = options;
    this.name = nameAs(file, compress);
    this.#draft = join(staging, file);
    // The rows of a removed file are not read.
    this.#counts = { arrived: 0, old: this.oldFile === undefined ? 0 : undefined, gone: 0, orphans: 0 };
  }

  /** The path of the file of earlier runs; `undefined`: there is none. */
  get oldFile(): string | undefined {
    return oldFileOf(this.options.folder, this.options.file);
  }

  /** Returns whether it is reported: there may be many lists without elements. */
  get isShown(): boolean {
    return this.#counts.arrived > 0 || !this.options.isOfLists;
  }

  /** Returns the counts of its rows; an old file that nothing is added to is not read. */
  get stored(): Stored {
    const rows = this.isMade ? rowsOfLines(this.#counts, this.options.incremental) : { rows: 0 };
    return { name: this.name, ...rows };
  }

  /** Returns whether the file is made; an old file that nothing is added to stays. */
  get isMade(): boolean {
    return this.#isAdopted || this.#handle !== undefined;
  }

  /**
   * Takes a file that contains exactly the lines to add: it gets a second hard link, and nothing is copied or read.
   *
   * @param rows the number of its lines
   * @returns false if the lines have to be added, since the file system has no links, or old lines stay, or a key has one line
   */
  async adopt(path: string, rows: number): Promise<boolean> {
    if (this.options.incremental || this.options.key.length > 0) return false;
    // Files that the process makes here may have another mode than the other file.
    const { mode } = await (await this.begin()).stat();
    await this.close();
    this.#handle = undefined;
    await rm(this.#draft);
    this.#isAdopted = await link(path, this.#draft).then(
      () => true,
      () => false,
    );
    if (!this.#isAdopted) return false;
    await chmod(this.#draft, mode);
    this.#counts.arrived = rows;
    return true;
  }

  /** Adds lines. An old file that nothing is added to stays; one that is replaced may be empty afterwards. */
  async add(lines: Uint8Array, count: number): Promise<void> {
    if (count === 0 && this.options.incremental) return;
    await (await this.begin()).appendFile(lines);
    this.#counts.arrived += count;
  }

  /** Creates the file, with the old lines that stay. */
  async begin(): Promise<FileHandle> {
    if (this.#handle !== undefined) return this.#handle;
    const { incremental, isGone } = this.options;
    const old = incremental ? this.oldFile : undefined;
    if (old !== undefined) {
      this.#counts.old = await copyLines(old, this.#draft);
      this.isGrown = true;
      if (isGone !== undefined) this.#counts.gone = await filterLines(this.#draft, isGone);
    }
    this.#handle = await open(this.#draft, 'a+');
    this.#oldBytes = (await this.#handle.stat()).size;
    return this.#handle;
  }

  async close(): Promise<void> {
    await this.#handle?.close();
  }

  /** Lets lines with keys take the place of others. */
  async merge(): Promise<void> {
    const { incremental, key, keyPlace, isLinked } = this.options;
    if (this.#handle === undefined || key.length === 0 || (!incremental && this.#counts.arrived === 0)) return;
    const latest = new LatestRows();
    const [before, own] = [new LineKeys(key), new LineKeys(key)];
    for await (const { line } of completeLines(this.#draft, Infinity, this.#oldBytes))
      latest.add(own.keyOf(line), this.#contentOf(line));
    const compact = `${this.#draft}.compact`;
    let kept = 0;
    await writeLines(
      compact,
      this.#latestLines(latest, before, () => (kept += 1)),
    );
    if (!incremental) await this.#countReplaced(latest);
    const total = kept + latest.counts.stored;
    // What is unknown of the old lines was compared with nothing.
    const counted = this.#counts.old === undefined ? { stored: latest.counts.stored } : latest.counts;
    this.#counts.merged = { ...counted, total };
    const missing = key.find((column) => own.missing.has(column) && before.missing.has(column));
    if (missing !== undefined) {
      const found = { table: this.name, columns: await keysIn(compact), place: keyPlace };
      throw keyNotFound(missing, isLinked ? found : { ...found, hint: OF_LINES });
    }
    const had = key.filter((column) => !before.missing.has(column));
    await checkOldKey(this.name, key, had, () => before.lines > 0);
    const isLacking = (column: string): boolean => own.lacking.has(column) || before.lacking.has(column);
    const unclear = isLinked ? undefined : key.find((column) => isLacking(column) && this.extra.has(column));
    if (unclear !== undefined) throw unclearKey(this.name, unclear, keyPlace);
    await rename(compact, this.#draft);
  }

  /** @param onKept is called for each old line that stays, blank ones left out */
  async *#latestLines(latest: LatestRows, before: LineKeys, onKept: () => void): AsyncGenerator<Buffer> {
    for await (const { line } of completeLines(this.#draft, this.#oldBytes)) {
      if (latest.replaces(before.keyOf(line), () => this.#contentOf(line))) continue;
      if (!isBlank(line)) onKept();
      yield line;
    }
    let at = 0;
    for await (const { line } of completeLines(this.#draft, Infinity, this.#oldBytes))
      if (!latest.isReplaced(at++)) yield line;
  }

  /** Removes the lines without a line in the parent table, if that may have lost some. */
  async keepOf(parent: NdjsonTable): Promise<void> {
    const isLosing = this.options.incremental || parent.#hasLost;
    if (this.isMade && parent.isMade && isLosing)
      this.#counts.orphans += await filterLines(this.#draft, await isOrphan(parent.#draft));
  }

  /** Returns whether lines of the run gave way to later ones, or went with those of a parent table. */
  get #hasLost(): boolean {
    const { arrived, merged, orphans } = this.#counts;
    return orphans > 0 || (merged !== undefined && merged.stored < arrived);
  }

  /** Compares the lines of the old file that is replaced; whether it can be read does not matter for the new one. */
  async #countReplaced(latest: LatestRows): Promise<void> {
    const old = this.options.isWhole ? this.oldFile : undefined;
    if (old === undefined) return;
    const keys = new LineKeys(this.options.key);
    try {
      for await (const { line } of linesAmong(plainBytes(old)))
        latest.replaces(keys.keyOf(line), () => this.#contentOf(line));
      this.#counts.old = keys.lines;
    } catch {
      // Its number of lines stays unknown.
    }
  }

  async finish(): Promise<void> {
    if (this.isMade) await compressFile(this.#draft, this.options.compress);
  }

  /** Returns a checksum and the length of the part of a line that shows whether the row has changed. */
  #contentOf(line: Buffer): number {
    const { isLinked, hasRun } = this.options;
    const part = isLinked || hasRun ? comparedPart(line.toString('utf8'), this.options) : line;
    return crc32(part) * LENGTHS + (part.length % LENGTHS);
  }
}

/** The number of lengths that fit into a number beside a checksum. */
const LENGTHS = 2 ** 20;

/** Removes the lines that are removed with others, in the file itself, and returns their number. */
async function filterLines(path: string, isGone: IsGone): Promise<number> {
  const draft = `${path}.kept`;
  let gone = 0;
  const left = async function* (): AsyncGenerator<Buffer> {
    for await (const { line } of completeLines(path)) {
      if (!isGone(line.toString('utf8'))) yield line;
      else if (!isBlank(line)) gone += 1;
    }
  };
  await writeLines(draft, left());
  await rename(draft, path);
  return gone;
}

/** Lines have the keys of the items; a key may name a column that only tables have. */
const OF_LINES =
  ' Lines have the keys of the items, and no columns of placeholders, of userData or of objects in items.';

/** Returns the keys of the first line of a file. */
async function keysIn(path: string): Promise<readonly string[]> {
  for await (const { line } of completeLines(path))
    if (!isBlank(line)) return Object.keys(objectIn(line.toString('utf8')) ?? {});
  return [];
}

/** The counts of the lines of one file while it is made. */
export interface LineCounts {
  /** Lines of the run. */
  arrived: number;
  /** Lines of the old file; `undefined`: it is not read, as one that is replaced where there is no key. */
  old: number | undefined;
  /** Old lines that were removed with others, before those of the run came. */
  gone: number;
  /** Lines whose keys were compared; absent: none were. */
  merged?: CountedRows & { readonly total: number };
  /** Lines that were removed at the end, since they have no parent line: some of them may belong to the run. */
  orphans: number;
}

/** @example rowsOfLines({ arrived: 2, old: 3, gone: 0, orphans: 0 }) // { rows: 2, added: 2, changed: 0, unchanged: 0, removed: 0, total: 5 } */
function rowsOfLines(counts: LineCounts, isAdded: boolean): Omit<Stored, 'name'> {
  const { arrived, old, gone, orphans, merged } = counts;
  const counted = merged ?? unmatched(arrived);
  const rows = rowsOfRun(counted.stored, arrived);
  const total = merged?.total ?? (isAdded ? (old ?? 0) - gone : 0) + arrived;
  // Some of the removed lines may belong to this run.
  if (orphans > 0 && isAdded) return { ...rows, total: total - orphans };
  const { stored, matched = 0 } = counted;
  const removed = old === undefined ? undefined : old + stored - matched - total;
  const all = { ...rows, ...(countsOf(counted, { removed, total }) satisfies RowCounts) };
  return orphans > 0 ? withoutLost(all, total - orphans) : all;
}

/** Matches the id at the start of a row of a linked table, which each run assigns again. */
const OWN_ID = new RegExp(`^\\{"${ROW_ID}":\\d+,?`);
/** Matches the columns of the run at the end of a line; they have numbers if an item has a member of the name. */
const OF_RUN = /,?"_run_id(_\d+)?":"[^"]*","_page(_\d+)?":\d+,"_extracted_at(_\d+)?":"[^"]*"\}$/;

/**
 * Returns the part of a line that shows whether the row has changed.
 *
 * @example comparedPart('{"_row_id":7,"id":1}', { isLinked: true, hasRun: false }) // '"id":1}'
 */
function comparedPart(line: string, { isLinked, hasRun }: Pick<TableOptions, 'isLinked' | 'hasRun'>): string {
  const own = isLinked ? line.replace(OWN_ID, '') : line;
  return hasRun ? own.replace(OF_RUN, '') : own;
}

/** Finds the keys of lines: the columns are at the top level of their objects. */
class LineKeys {
  /** The number of lines that are not blank. */
  lines = 0;
  /** The columns that no line has had so far. */
  readonly missing: Set<string>;
  /** The columns that some line lacked. */
  readonly lacking = new Set<string>();

  constructor(private readonly columns: readonly string[]) {
    this.missing = new Set(columns);
  }

  /** Returns `undefined` for lines that are no objects, or have nothing or `null` in all columns. */
  keyOf(line: Buffer): string | undefined {
    if (isBlank(line)) return undefined;
    this.lines += 1;
    const item = objectIn(line.toString('utf8'));
    if (item === undefined) return undefined;
    const values = this.columns.map((column) => {
      const value = ownValue(item, column);
      if (value === undefined) this.lacking.add(column);
      else this.missing.delete(column);
      return value ?? null;
    });
    if (values.every((value) => value === null)) return undefined;
    const texts = values.map((value, at) => lostDigitsOf(item, this.columns[at] ?? '') ?? stringifyJson(value));
    return hash('sha1', texts.join(), 'base64');
  }
}

/** Returns the digits of numbers that JavaScript would round: they are keys of different rows. */
function lostDigitsOf(item: JsonObject, column: string): string | undefined {
  const literal = lostDigitsAt(item, column);
  return literal === undefined ? undefined : decimalText(literal);
}

/**
 * Copies the lines of a file, compressed or not, to which lines are added; a user may have edited it. Text after the last line end is a
 * line as well, and a byte order mark is removed.
 *
 * @returns their number; blank ones do not count
 * @throws FatalError DESTINATION_INCOMPATIBLE with the number of a line that is no JSON; DESTINATION_DAMAGED when the file cannot be read
 * @example await copyLines('out/items.ndjson.gz', 'out/.headwater/staging/items.ndjson')
 */
async function copyLines(from: string, to: string): Promise<number> {
  await copyPlain(from, to);
  const { size } = await stat(to);
  if (size > 0 && (await bytesIn(to, { start: size - 1 }))[0] !== LF) await appendFile(to, '\n');
  let [count, blank] = [0, 0];
  for await (const { line, end } of completeLines(to)) {
    count += 1;
    if (!isJson(line.toString('utf8')))
      throw unusableFile(from, end > size ? `its last line is not whole (line ${count})` : `line ${count} is no JSON`);
    if (isBlank(line)) blank += 1;
  }
  const start = await bytesIn(to, { end: BYTE_ORDER_MARK.length - 1 });
  // Lines are read without it.
  if (start.equals(BYTE_ORDER_MARK)) await filterLines(to, () => false);
  return count - blank;
}

const [SPACE, BRACE] = [0x20, 0x7b];

/** Returns whether a line has only white space. */
const isBlank = (line: Buffer): boolean =>
  line.length === 0 || (line[0] !== BRACE && line.every((byte) => byte <= SPACE));

/** Returns whether a line is JSON or blank; blank lines stay. */
function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return text.trim() === '';
  }
}
