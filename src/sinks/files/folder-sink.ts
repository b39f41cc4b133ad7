import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { DurableSink, RunManifest, Stored, TableStand } from '../../core/durable-sink';
import type { JsonObject } from '../../core/model';
import type { OutputPlan } from '../../plan/plan';
import { fileFailure, makeFolder, PRIVATE_FOLDER } from './durable-files';
import { CommitFiles } from './folder-commit';
import type { CommitRecord } from './folder-commit';
import { durableSink } from '../durable';
import type { DestinationParts, Publication } from '../durable';
import type { Journal } from '../journal/journal';
import { committedRun } from '../run-record';

/** The input of a commit, from which the new files are made. */
export interface Preparation {
  /** Returns the places of all pages, which can be read several times. */
  readonly places: Journal['places'];
  readonly pages: Journal['pages'];
  /** A folder for the new files, which replace files of the same name. */
  readonly staging: string;
  /** An empty folder for temporary files, which are no part of the commit. */
  readonly scratch: string;
  /** The destination, unchanged until the commit. */
  readonly folder: string;
  /** False if its files are there by their names alone, without what is in them. */
  readonly isWhole: boolean;
  readonly outputs: readonly OutputPlan[];
  readonly manifest: RunManifest;
  readonly state: JsonObject;
  /** Tables without a page whose rows the run replaces all the same. */
  readonly unfed: readonly string[];
  readonly isOwn: (file: string) => boolean;
}

export interface Prepared {
  readonly stored: readonly Stored[];
  /** The tables whose rows the new files replace. */
  readonly replaced: readonly ReplacedRows[];
  /** The names of old files that are removed when the new ones are in place. */
  readonly removed?: readonly string[];
  /** The state to keep instead of the given one. */
  readonly state?: JsonObject;
}

/** A table whose rows a commit replaces. */
export interface ReplacedRows {
  /** Its name in {@link Stored}. */
  readonly name: string;
  /** The number of rows that it had, or a function that counts them. */
  readonly before: number | (() => Promise<number>);
  /** The number of rows that it gets. */
  readonly after: number;
}

export interface FolderSinkOptions extends Pick<
  DestinationParts,
  'name' | 'makes' | 'maps' | 'structs' | 'addsRunColumns' | 'kept' | 'hasRows'
> {
  readonly folder: string;
  /** The outputs of the runs of the configuration, by their numbers. */
  readonly outputs: readonly OutputPlan[];
  readonly journal: Journal;
  /** Makes the complete new files in the staging folder, and nothing else. */
  readonly prepare: (preparation: Preparation) => Promise<Prepared>;
  /** Refuses an unusable destination before anything is opened. */
  readonly check?: () => void;
  /** Returns whether the file of a table exists. */
  readonly isThere?: ((table: string) => boolean | Promise<boolean>) | undefined;
}

/** What a commit makes its files beside. */
export interface CommitPlace extends Pick<Preparation, 'staging' | 'isWhole'> {
  /** The files that the last commit made. */
  readonly own: readonly string[];
  /** Returns the record of the last run; `undefined`: it is unknown. */
  readonly lastRecord: () => Promise<JsonObject | undefined>;
}

/**
 * Makes the new files of a run in the staging folder.
 *
 * @returns what the commit says of them
 */
export async function makeCommit(
  { prepare, journal, folder, outputs }: FolderSinkOptions,
  { manifest, state, record, unfed, checkRows }: Publication,
  { own, lastRecord, ...place }: CommitPlace,
): Promise<Omit<CommitRecord, 'files'>> {
  const { places, pages } = journal;
  const made = new Set(own);
  const isOwn = (file: string): boolean => made.has(file);
  // It is on the file system of the new files, and no table has this name.
  const scratch = join(place.staging, '.scratch');
  await mkdir(scratch);
  const prepared = await prepare({ places, pages, ...place, scratch, folder, outputs, manifest, state, isOwn, unfed });
  // Everything in the staging folder becomes visible.
  await rm(scratch, { recursive: true, force: true });
  const { stored, replaced, removed = [] } = prepared;
  if (checkRows !== undefined) {
    const known = committedRun((await lastRecord()) ?? {}).stored;
    for (const { name, before, after } of replaced) {
      // A table that the last run stored has the number of rows in its record: its file is not read again.
      const [last, ...others] = known.filter((each) => each.name === name);
      const total = others.length === 0 ? last?.total : undefined;
      checkRows(name, typeof before === 'number' ? before : (total ?? (await before())), after);
    }
  }
  return { receipt: { run: manifest.id, state: prepared.state ?? state }, removed, run: record(stored) };
}

/** Returns the work folder inside a destination, for what is not visible yet. */
export const workFolderIn = (folder: string): string => join(folder, '.headwater');

/**
 * Returns a durable sink whose tables are files in a folder. Pages wait in the journal; a commit makes the new files beside the old ones,
 * records that they are complete, and moves them one by one. If the process is killed before the record, the commit has not begun; if it is
 * killed after it, the next `open` moves the rest.
 *
 * @param options.folder created with its parents if it does not exist
 * @throws FatalError from its methods: DESTINATION_ADDRESS for a folder or a file in it that cannot be used,
 *   DESTINATION_LOCKED while another process has it, SINK_FAILED when the disk is full, and the errors of `prepare`; a
 *   commit that failed can be repeated
 * @example folderSink({ name: 'ndjson:out', folder: 'out', makes: 'tables', outputs, journal: fileJournal(…), prepare })
 */
export function folderSink(options: FolderSinkOptions): DurableSink {
  const { folder, journal, check, isThere, hasRows } = options;
  const { name, makes, maps, structs, addsRunColumns, kept } = options;
  const work = workFolderIn(folder);
  const files = new CommitFiles(folder, work);

  const lastRecord = async (): Promise<JsonObject | undefined> => {
    const last = await files.receipt();
    return last && files.runs.recordOf(last.run);
  };
  const decide = async (run: Publication): Promise<CommitRecord> => {
    try {
      await files.emptyStaging();
      const place = { staging: files.staging, isWhole: true, own: await files.last(), lastRecord };
      return await files.decide(await makeCommit(options, run, place));
    } catch (cause) {
      // On a full disk, these files take the space that lets the run continue.
      await files.forget();
      throw fileFailure(files.staging, cause);
    }
  };
  /** Completes a decided commit, which is never given up. */
  const finishPending = async (): Promise<void> => {
    const pending = await files.pending();
    if (pending === undefined) return;
    await journal.dropPages();
    await files.carryOut(pending);
    await files.forget();
  };

  const standOf = async (table: string): Promise<TableStand> => {
    if ((await hasRows?.(table)) === true) return 'filled';
    return (await isThere?.(table)) === true ? 'empty' : 'gone';
  };

  return durableSink({
    ...{ name, makes, maps, structs, addsRunColumns, kept, hasRows },
    standOf: hasRows && standOf,
    journal: {
      ...journal,
      begin: async (manifest) => {
        await finishPending();
        await journal.begin(manifest);
      },
    },
    prepare: async () => {
      check?.();
      await makeFolder(folder);
      await makeFolder(work, PRIVATE_FOLDER);
    },
    receipt: async () => {
      await finishPending();
      await files.removeStaging();
      return files.receipt();
    },
    recordOf: files.runs.recordOf,
    publish: async (run) => {
      const commit = (await files.pending()) ?? (await decide(run));
      // New files may be hard links to files of the journal: once they are in the destination, nothing may cut them.
      await journal.dropPages();
      await files.carryOut(commit);
      await files.forget();
      return committedRun(commit.run).stored;
    },
  });
}
