import type { RunManifest, WritePage } from '../../core/durable-sink';
import type { PageStamp } from '../../core/evidence';
import { isList } from '../../core/json/objects';
import { parseData, parsePlain } from '../../core/json/parse';
import { utf8Text } from '../../core/json/raw-items';
import type { Checkpoint, JsonArray, JsonObject, Page } from '../../core/model';

/** A page in a journal. */
export interface JournaledPage {
  /** Which page it is: the rest of its checkpoint is among those that {@link RunJournal.checkpoints} returns. */
  readonly checkpoint: Pick<Checkpoint, 'call' | 'job' | 'pages'>;
  readonly run: number;
  readonly dataType: string;
  readonly extra: ReadonlyMap<string, string>;
  /** The stamp of the page. */
  readonly stamp?: PageStamp;
  readonly count: number;
  /** True if `JSON.parse` can read the lines without loss; absent: they were not examined. */
  readonly isPlain?: boolean;
  /** The items, as `Page.lines` returns them, without anything around them. */
  readonly lines: Uint8Array;
}

/** The place of the lines of a page. */
export interface JournaledPlace extends Omit<JournaledPage, 'lines'> {
  /** The path of a file that contains pages of this dataType only. */
  readonly path: string;
  /** The offset in bytes from the start of the file. */
  readonly offset: number;
  /** The number of bytes. */
  readonly length: number;
  /** The checksum of the lines. */
  readonly sum: number;
}

/** A page of items, in a journal or elsewhere. */
export type PageOfItems = Omit<JournaledPage, 'checkpoint'>;

/** Returns the lines of a page in the same memory. */
export const bytesOf = ({ lines }: Pick<PageOfItems, 'lines'>): Buffer =>
  Buffer.from(lines.buffer, lines.byteOffset, lines.byteLength);

/**
 * Parses the items of a page.
 *
 * @param notes whether numbers keep their spelling
 */
export function itemsOf(page: Pick<PageOfItems, 'lines' | 'isPlain'>, notes?: 'spelling'): JsonArray {
  if (page.lines.length === 0) return [];
  // A line end is between two items: within strings it is an escape.
  const text = `[${utf8Text(bytesOf(page)).trimEnd().replaceAll('\n', ',')}]`;
  const items = page.isPlain === true && notes === undefined ? parsePlain(text) : parseData(text, notes);
  return isList(items) ? items : [];
}

/** The place of such a page in a file. */
export type PlaceOfItems = Omit<JournaledPlace, 'checkpoint'>;

/** The dataType of items, and their run. */
export type ItemsOfRun = Pick<PlaceOfItems, 'dataType' | 'run'>;

/** Pages in files, from which the rows of tables are made. */
export interface PagesInFiles {
  readonly places: () => Iterable<PlaceOfItems>;
  readonly pages: (isWanted?: (place: PlaceOfItems) => boolean) => AsyncIterable<PageOfItems>;
}

/** The receipt that a committed run leaves in a destination. */
export interface Receipt {
  /** The id of the run. */
  readonly run: string;
  readonly state: JsonObject;
}

/** The journal that a durable sink needs for the pages of one run until they are published. */
export interface RunJournal {
  /** Drops incomplete pages and returns the run manifest; `undefined` if it contains no run, or none that can be read. */
  readonly open: () => Promise<RunManifest | undefined>;
  /**
   * Returns, once the journal is open, why its run cannot be resumed, if it cannot. All methods but `begin`, `clear` and `close` then throw
   * this.
   */
  readonly damage: () => Error | undefined;
  /** Drops everything and begins a run. */
  readonly begin: (manifest: RunManifest) => Promise<void>;
  /**
   * Resolves when both the page and its checkpoint are stored, or neither. A replacement of this function gets each page alone, since it
   * has no `together`.
   */
  readonly append: WritePage;
  /** Returns the checkpoints of all pages in the order in which they were appended, superseded ones too. */
  readonly checkpoints: () => AsyncIterable<Checkpoint>;
  /** Drops everything. */
  readonly clear: () => Promise<void>;
  /** Closes the journal; its content stays. */
  readonly close: () => Promise<void>;
}

/** What a journal keeps of a page. */
export interface KeptPage extends Pick<
  Page,
  'iteration' | 'table' | 'count' | 'checkpoint' | 'extra' | 'lines' | 'stamp'
> {
  readonly reply: { readonly raw?: { readonly isPlain: boolean } };
}

/** A journal whose pages can be read back. */
export interface Journal extends RunJournal {
  /** Appends pages that were kept elsewhere. */
  readonly keep: (pages: readonly KeptPage[]) => Promise<void>;
  /** Returns the places of pages in the order in which they were appended, without those of calls that later restarted. */
  readonly places: () => Iterable<JournaledPlace>;
  /** Returns the pages of these places; the lines of one are valid until the next one is requested. */
  readonly pages: (isWanted?: (place: JournaledPlace) => boolean) => AsyncIterable<JournaledPage>;
  /** Drops all pages; the run manifest stays. */
  readonly dropPages: () => Promise<void>;
}

/**
 * Returns the places of some pages.
 *
 * @example pagesAt(only(journal.places(), ({ dataType }) => dataType === 'items'))
 */
export function* only<T>(values: Iterable<T>, isWanted: (value: T) => boolean): Generator<T> {
  for (const value of values) if (isWanted(value)) yield value;
}

/** Runs a task when the earlier ones have ended, and returns its result. */
export type SerialQueue = <T>(task: () => Promise<T>) => Promise<T>;

/**
 * Returns a queue that runs tasks one after another. A failed task does not stop those after it.
 *
 * @example const enqueue = createSerialQueue(); await Promise.all([enqueue(write), enqueue(close)]);
 */
export function createSerialQueue(): SerialQueue {
  let last: Promise<unknown> = Promise.resolve();
  return (task) => {
    const result = last.then(task);
    last = result.catch(() => undefined);
    return result;
  };
}

/** Runs a task for each value, several at once. After a failure no other starts, and it rejects when all started ones have ended. */
export async function forEach<T>(values: readonly T[], task: (value: T) => Promise<void>, atOnce = 8): Promise<void> {
  const left = values.values();
  const failures: unknown[] = [];
  const work = async (): Promise<void> => {
    for (const value of left) {
      if (failures.length > 0) return;
      await task(value).catch((error: unknown) => void failures.push(error));
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  if (failures.length > 0) throw failures[0];
}
