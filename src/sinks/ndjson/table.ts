/** One new file of lines, while it is made. */
import { createWriteStream } from 'node:fs';
import { chmod, link, open, rename, rm } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { RowCounts, Stored } from '../../core/durable-sink';
import { FatalError } from '../../core/errors/errors';
import { ROW_ID } from '../../tables/linked/places';
import { checkOldKey } from '../../tables/schema/changes';
import { unclearKey } from '../../tables/schema/schema';
import { compressFile, nameAs, oldFileOf } from '../files/compression';
import type { Compression } from '../files/compression';
import { LF, completeLines } from '../files/lines';
import { rowsOfRun, toldCounts, unmatched } from '../row-counts';
import type { ToldRows } from '../row-counts';
import { isOrphan } from './linked';
import type { IsGone } from './linked';
import { copyLines, isBlank, keepLastOfKeys } from './upsert';
import type { KeyedLines } from './upsert';

/** What becomes of the lines of the old file. */
export interface Manner {
  readonly incremental: boolean;
  readonly key: readonly string[];
  /** Which lines of the old file go with others; absent: none. */
  readonly isGone?: IsGone | undefined;
  /** Whether its lines are rows of linked tables. */
  readonly isLinked?: boolean;
  /** This tells whether its lines have the columns of the run. */
  readonly hasRun?: boolean;
  /** Whether they are those of lists. */
  readonly isOfLists?: boolean;
}

export interface TablePlace {
  readonly folder: string;
  readonly staging: string;
  /** The name of its file when that is not compressed. */
  readonly file: string;
  readonly compress: Compression | undefined;
}

/** A new file while it is made. */
export class NdjsonTable {
  /** The names of placeholders and of user data of its items, which are no members of lines. */
  readonly extra = new Set<string>();
  /** The name of its file. */
  readonly name: string;
  /** This is true where it has the lines of an old file. */
  isGrown = false;
  #handle: FileHandle | undefined;
  /** Whether the lines that are added stand in the file already. */
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
    // Nobody reads a file that goes.
    const isThere = oldFileOf(place.folder, place.file) !== undefined;
    this.#counts = { arrived: 0, old: isThere ? undefined : 0, gone: 0, orphans: 0 };
  }

  /** Whether anybody is told of it: there may be many lists without elements. */
  get isShown(): boolean {
    return this.#counts.arrived > 0 || this.manner.isOfLists !== true;
  }

  /** What became of it; an old file that nothing is added to is not read. */
  get stored(): Stored {
    const { incremental } = this.manner;
    return { name: this.name, ...(this.isMade ? rowsOfLines(this.#counts, incremental) : { rows: 0 }) };
  }

  /** An old file that nothing is added to is not made anew. */
  get isMade(): boolean {
    return this.#isAdopted || this.#handle !== undefined;
  }

  /**
   * Takes a file that has just the lines which are going to be added: it gets a second name, and nothing is copied. Where the file
   * system gives none, or old lines stay, lines are added as usual.
   */
  async adopt(path: string): Promise<void> {
    if (this.manner.incremental) return;
    // The mode of files that the process makes here: that of the other file may be another one.
    const { mode } = await (await this.begin()).stat();
    await this.close();
    this.#handle = undefined;
    await rm(this.#draft);
    this.#isAdopted = await link(path, this.#draft).then(
      () => true,
      () => false,
    );
    if (this.#isAdopted) await chmod(this.#draft, mode);
  }

  /** An old file that nothing is added to stays; one that is replaced may be empty afterwards. */
  async add(lines: Uint8Array, count: number): Promise<void> {
    if (count === 0 && this.manner.incremental) return;
    if (!this.#isAdopted) await (await this.begin()).appendFile(lines);
    this.#counts.arrived += count;
  }

  /** Makes the file, with the old lines that stay. */
  async begin(): Promise<FileHandle> {
    return (this.#handle ??= await this.#begin());
  }

  async close(): Promise<void> {
    await this.#handle?.close();
  }

  /** Lets lines with keys take the place of others. */
  async merge(): Promise<void> {
    const { incremental, key, isLinked = false } = this.manner;
    if (this.#handle === undefined) return;
    if (incremental && key.length > 0) {
      const compact = `${this.#draft}.compact`;
      const {
        missing: [missing],
        missingBefore,
        lacking,
        ...counts
      } = await keepLastOfKeys({
        ...{ from: this.#draft, to: compact, columns: key, oldBytes: this.#oldBytes },
        ...this.#comparison,
      });
      this.#counts.merged = counts;
      if (missing !== undefined) throw keyless(join(this.place.folder, this.name), missing, isLinked);
      const had = key.filter((column) => !missingBefore.includes(column));
      await checkOldKey(this.name, key, had, () => true);
      const unclear = isLinked ? undefined : lacking.find((column) => this.extra.has(column));
      if (unclear !== undefined) throw unclearKey(this.name, unclear);
      await rename(compact, this.#draft);
    }
  }

  /** Leaves out the lines that belong to no line of another table; both are merged. */
  async keepOf(parent: NdjsonTable): Promise<void> {
    if (this.isMade && parent.isMade)
      this.#counts.orphans += await filterLines(this.#draft, await isOrphan(parent.#draft));
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

/** Leaves the lines out that go with others, in the file itself, and tells how many these are. */
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

/** Items stand in lines as they came: without the columns of tables, which a key may name as well. */
function keyless(file: string, column: string, isLinked: boolean): FatalError {
  const what = `The primary key of ${JSON.stringify(file)} names the column ${JSON.stringify(column)}, which no line has`;
  const remedy = isLinked
    ? 'Lines have the columns of linked tables'
    : 'Lines have the keys of the items, and no columns of placeholders, of userData or of objects in items';
  return new FatalError('DESTINATION_INCOMPATIBLE', `${what}. ${remedy}: correct the primaryKey of the job.`);
}

/** What became of the lines of one file, counted while it is made. */

/** What is counted of a file. */
export interface LineCounts {
  /** Lines of the run. */
  arrived: number;
  /** Lines of the old file; `undefined`: nobody reads it. */
  old: number | undefined;
  /** Old lines that went with others, before those of the run came. */
  gone: number;
  /** Lines that keys were compared of; absent: none were. */
  merged?: ToldRows & { readonly total: number };
  /** Lines that went at the end, since they belong to none of another table: some of them may be of the run. */
  orphans: number;
}

/** @example rowsOfLines({ arrived: 2, old: 3, gone: 0, orphans: 0 }) // { rows: 2, added: 2, changed: 0, unchanged: 0, removed: 0, total: 5 } */
function rowsOfLines(counts: LineCounts, isAdded: boolean): Omit<Stored, 'name'> {
  const { arrived, old, gone, orphans, merged } = counts;
  const told = merged ?? unmatched(arrived);
  const rows = rowsOfRun(told.stored, arrived);
  const total = merged?.total ?? (isAdded ? (old ?? 0) - gone : 0) + arrived;
  // Some of those that went may be of this run.
  if (orphans > 0) return { ...rows, total: total - orphans };
  const { stored, matched = 0 } = told;
  const removed = old === undefined ? undefined : old + stored - matched - total;
  return { ...rows, ...(toldCounts(told, { removed, total }) satisfies RowCounts) };
}

/** An id that each run gives anew stands first in a row of a linked table. */
const OWN_ID = new RegExp(`^\\{"${ROW_ID}":\\d+,?`);
/** What the columns of the run are called, which stand last; they have numbers where an item has a member of the name. */
const OF_RUN = /,?"_run_id(_\d+)?":"[^"]*","_page(_\d+)?":\d+,"_extracted_at(_\d+)?":"[^"]*"\}$/;

/**
 * What of a line tells whether the row has changed.
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
