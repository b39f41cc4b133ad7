/** One new file of lines while it is made. */
import { createWriteStream } from 'node:fs';
import { chmod, link, open, rename, rm } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { RowCounts, Stored } from '../../core/durable-sink';
import { ROW_ID } from '../../tables/linked/places';
import { checkOldKey } from '../../tables/schema/changes';
import { unclearKey } from '../../tables/schema/schema';
import { keyNotFound } from '../../tables/table';
import { objectIn } from '../files/checksum';
import { compressFile, nameAs, oldFileOf, withPlain } from '../files/compression';
import type { Compression } from '../files/compression';
import { LF, completeLines } from '../files/lines';
import { rowsOfRun, countsOf, unmatched, withoutLost } from '../row-counts';
import type { CountedRows } from '../row-counts';
import { isOrphan } from './linked';
import type { IsGone } from './linked';
import { copyLines, digestsIn, isBlank, keepLastOfKeys } from './upsert';
import type { KeyedLines, OldDigests } from './upsert';

/** How the lines of the old file are treated. */
export interface Manner {
  readonly incremental: boolean;
  readonly key: readonly string[];
  /** The place of the key in the configuration. */
  readonly keyPlace: string;
  /** Returns whether a line of the old file is removed with another one; absent: none is. */
  readonly isGone?: IsGone | undefined;
  /** True if its lines are rows of linked tables. */
  readonly isLinked?: boolean;
  /** True if its lines have the columns of the run. */
  readonly hasRun?: boolean;
  /** True if its lines are rows of lists. */
  readonly isOfLists?: boolean;
}

export interface TablePlace {
  readonly folder: string;
  /** False if files of the folder are there by their names alone. */
  readonly isWhole: boolean;
  readonly staging: string;
  /** The name of its file if it is not compressed. */
  readonly file: string;
  readonly compress: Compression | undefined;
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

  constructor(
    private readonly place: TablePlace,
    private readonly manner: Manner,
  ) {
    this.name = nameAs(place.file, place.compress);
    this.#draft = join(place.staging, place.file);
    // The rows of a removed file are not read.
    const isThere = oldFileOf(place.folder, place.file) !== undefined;
    this.#counts = { arrived: 0, old: isThere ? undefined : 0, gone: 0, orphans: 0 };
  }

  /** Returns whether it is reported: there may be many lists without elements. */
  get isShown(): boolean {
    return this.#counts.arrived > 0 || this.manner.isOfLists !== true;
  }

  /** Returns the counts of its rows; an old file that nothing is added to is not read. */
  get stored(): Stored {
    const { incremental } = this.manner;
    return { name: this.name, ...(this.isMade ? rowsOfLines(this.#counts, incremental) : { rows: 0 }) };
  }

  /** Returns whether its lines are added to those of earlier runs. */
  get isIncremental(): boolean {
    return this.manner.incremental;
  }

  /** Returns the name of its file if it is not compressed. */
  get plainName(): string {
    return this.place.file;
  }

  /** Returns the number of all lines that the file has, if it is made. */
  get total(): number {
    const { incremental } = this.manner;
    return rowsOfLines(this.#counts, incremental).total ?? 0;
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
    if (this.manner.incremental || this.manner.key.length > 0) return false;
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
    if (count === 0 && this.manner.incremental) return;
    await (await this.begin()).appendFile(lines);
    this.#counts.arrived += count;
  }

  /** Creates the file, with the old lines that stay. */
  async begin(): Promise<FileHandle> {
    return (this.#handle ??= await this.#begin());
  }

  async close(): Promise<void> {
    await this.#handle?.close();
  }

  /** Lets lines with keys take the place of others. */
  async merge(): Promise<void> {
    const { incremental, key, keyPlace, isLinked = false } = this.manner;
    if (this.#handle === undefined || key.length === 0 || (!incremental && this.#counts.arrived === 0)) return;
    const compact = `${this.#draft}.compact`;
    const replaced = incremental ? undefined : await this.#replaced();
    const {
      missing: [missing],
      missingBefore,
      lacking,
      ...counts
    } = await keepLastOfKeys({
      ...{ from: this.#draft, to: compact, columns: key, oldBytes: this.#oldBytes, replaced },
      ...this.#comparison,
    });
    if (replaced !== undefined) this.#counts.old = replaced.lines;
    const { stored, total } = counts;
    // What is unknown of the old lines was compared with nothing.
    this.#counts.merged = this.#counts.old === undefined ? { stored, total } : counts;
    if (missing !== undefined) {
      const found = { table: this.name, columns: await keysIn(compact), place: keyPlace };
      throw keyNotFound(missing, isLinked ? found : { ...found, hint: OF_LINES });
    }
    const had = key.filter((column) => !missingBefore.includes(column));
    await checkOldKey(this.name, key, had, () => true);
    const unclear = isLinked ? undefined : lacking.find((column) => this.extra.has(column));
    if (unclear !== undefined) throw unclearKey(this.name, unclear, keyPlace);
    await rename(compact, this.#draft);
  }

  /** Removes the lines without a line in the parent table, if that may have lost some. */
  async keepOf(parent: NdjsonTable): Promise<void> {
    const isLosing = this.manner.incremental || parent.#hasLost;
    if (this.isMade && parent.isMade && isLosing)
      this.#counts.orphans += await filterLines(this.#draft, await isOrphan(parent.#draft));
  }

  /** Returns whether lines of the run gave way to later ones, or went with those of a parent table. */
  get #hasLost(): boolean {
    const { arrived, merged, orphans } = this.#counts;
    return orphans > 0 || (merged !== undefined && merged.stored < arrived);
  }

  /** Returns the lines of the old file that is replaced; `undefined`: there is none, or it cannot be read, which does not matter for the new one. */
  async #replaced(): Promise<OldDigests | undefined> {
    const { folder, isWhole, file } = this.place;
    const old = isWhole ? oldFileOf(folder, file) : undefined;
    if (old === undefined) return undefined;
    const keyed = { columns: this.manner.key, ...this.#comparison };
    return withPlain(old, `${this.#draft}.old`, (path) => digestsIn(path, keyed)).catch(() => undefined);
  }

  async finish(): Promise<void> {
    if (this.isMade) await compressFile(this.#draft, this.place.compress);
  }

  async #begin(): Promise<FileHandle> {
    const { folder, file } = this.place;
    const { incremental, isGone } = this.manner;
    const old = incremental ? oldFileOf(folder, file) : undefined;
    if (old !== undefined) this.#counts.old = await copyLines(old, this.#draft);
    this.isGrown = old !== undefined;
    if (this.isGrown && isGone !== undefined) this.#counts.gone = await filterLines(this.#draft, isGone);
    const handle = await open(this.#draft, 'a+');
    this.#oldBytes = (await handle.stat()).size;
    return handle;
  }

  get #comparison(): Pick<KeyedLines, 'comparable'> {
    const { isLinked = false, hasRun = false } = this.manner;
    const comparable = comparedPart({ isLinked, hasRun });
    return comparable === undefined ? {} : { comparable };
  }
}

/** Removes the lines that are removed with others, in the file itself, and returns their number. */
async function filterLines(path: string, isGone: IsGone): Promise<number> {
  const draft = `${path}.kept`;
  let gone = 0;
  await pipeline(async function* () {
    for await (const { line } of completeLines(path)) {
      if (!isGone(line.toString('utf8'))) yield Buffer.concat([line, Buffer.of(LF)]);
      else if (!isBlank(line)) gone += 1;
    }
  }, createWriteStream(draft));
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
 * @example comparedPart({ isLinked: true, hasRun: false })?.(Buffer.from('{"_row_id":7,"id":1}')) // '"id":1}'
 */
function comparedPart({
  isLinked,
  hasRun,
}: {
  readonly isLinked: boolean;
  readonly hasRun: boolean;
}): ((line: Buffer) => string) | undefined {
  if (!isLinked && !hasRun) return undefined;
  return (line) => {
    const text = line.toString('utf8');
    const own = isLinked ? text.replace(OWN_ID, '') : text;
    return hasRun ? own.replace(OF_RUN, '') : own;
  };
}
