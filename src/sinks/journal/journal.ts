import type { RunManifest, WritePage } from '../../core/durable-sink';
import type { PageStamp } from '../../core/evidence';
import type { Checkpoint, JsonObject } from '../../core/model';

/** A page as a journal has it. */
export interface JournaledPage {
  readonly checkpoint: Checkpoint;
  readonly run: number;
  readonly dataType: string;
  readonly extra: ReadonlyMap<string, string>;
  /** The same as in the page. */
  readonly stamp?: PageStamp;
  readonly count: number;
  /** Whether nothing in the lines asks for more care than `JSON.parse` takes; absent: nobody has looked. */
  readonly isPlain?: boolean;
  /** The items, as `Page.lines` gives them, without anything around them. */
  readonly lines: Uint8Array;
}

/** Where the lines of a page are. */
export interface JournaledPlace extends Omit<JournaledPage, 'lines'> {
  /** The path of a file that has pages of this dataType only. */
  readonly path: string;
  /** The offset in bytes from the start of the file. */
  readonly offset: number;
  /** The number of bytes. */
  readonly length: number;
  /** The checksum of the lines. */
  readonly sum: number;
}

/** A page of items, wherever it waits. */
export type PageOfItems = Omit<JournaledPage, 'checkpoint'>;

/** Where such a page is in files. */
export type PlaceOfItems = Omit<JournaledPlace, 'checkpoint'>;

/** Pages that rows of tables are made of, in files. */
export interface PagesInFiles {
  readonly places: () => AsyncIterable<PlaceOfItems>;
  readonly pages: (isWanted?: (place: PlaceOfItems) => boolean) => AsyncIterable<PageOfItems>;
}

/** What a committed run leaves in a destination. */
export interface Receipt {
  /** The id of the run. */
  readonly run: string;
  readonly state: JsonObject;
}

/** What a durable sink needs of the place where the pages of one run wait until they are published. */
export interface RunJournal {
  /** Drops what was written half and gives the run manifest; `undefined` when there is no run in it, or none that can be read. */
  readonly open: () => Promise<RunManifest | undefined>;
  /** Says, once it is open, why the run in it cannot be resumed, if it cannot. All but `begin`, `clear` and `close` then throws this. */
  readonly damage: () => Error | undefined;
  /** Drops everything and begins a run. */
  readonly begin: (manifest: RunManifest) => Promise<void>;
  /**
   * Resolves when the page and its checkpoint are safe, both or neither. A function in place of this one gets each page alone, as
   * it has no `together` of its own.
   */
  readonly append: WritePage;
  /** Gives the checkpoints of all pages, in the order in which they were appended, superseded ones too. */
  readonly checkpoints: () => AsyncIterable<Checkpoint>;
  /** Drops everything. */
  readonly clear: () => Promise<void>;
  /** Closes it; what it holds stays. */
  readonly close: () => Promise<void>;
}

/** A journal whose pages can be read back. */
export interface Journal extends RunJournal {
  /** Gives the places of pages in the order in which they were appended, without those of calls that were made anew later. */
  readonly places: () => AsyncIterable<JournaledPlace>;
  /** Gives the pages of these places; the lines of one count until the next one is asked for. */
  readonly pages: (isWanted?: (place: JournaledPlace) => boolean) => AsyncIterable<JournaledPage>;
}

/** Runs a task when those before it have ended, and gives its result. */
export type SerialQueue = <T>(task: () => Promise<T>) => Promise<T>;

/**
 * Runs tasks one after another. A task that fails does not stop those after it.
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
