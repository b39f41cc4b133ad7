import { join } from 'node:path';
import type { DurableSink, Made, RunManifest, Stored, TableStand } from '../../core/durable-sink';
import type { JsonObject } from '../../core/model';
import type { OutputPlan } from '../../plan/plan';
import { fileFailure, makeFolder, PRIVATE_FOLDER } from './durable-files';
import { CommitFiles } from './folder-commit';
import type { CommitRecord } from './folder-commit';
import { durableSink } from '../durable';
import type { Publication } from '../durable';
import type { Journal } from '../journal/journal';

/** The input of a commit: what the new files are made of. */
export interface Preparation {
  /** The places of all pages, which can be read several times. */
  readonly places: Journal['places'];
  readonly pages: Journal['pages'];
  /** An empty folder for the new files; those of its files take the place of files of the same name. */
  readonly staging: string;
  /** The destination as it is until the commit. */
  readonly folder: string;
  readonly outputs: readonly OutputPlan[];
  readonly manifest: RunManifest;
  readonly state: JsonObject;
  /** Whether the last run has made a file of the destination. */
  /** Tables of which there is no page, and whose rows the run replaces all the same. */
  readonly unfed: readonly string[];
  readonly isOwn: (file: string) => boolean;
}

export interface Prepared {
  readonly stored: readonly Stored[];
  /** The names of old files that go when the new ones are there. */
  readonly removed?: readonly string[];
  /** The state to keep in place of the one that was given. */
  readonly state?: JsonObject;
}

export interface FolderSinkOptions {
  /** The name of the sink for people, without credentials. */
  readonly name: string;
  readonly folder: string;
  readonly makes: Made;
  /** True where `config.mappings` say what its tables are like. */
  readonly maps?: true;
  /** True where objects and lists may be columns of STRUCT and LIST (docs/sinks.md#objects-and-lists). */
  readonly structs?: true;
  /** Whether rows have the columns of the run, where pages have a stamp; default false. */
  readonly addsRunColumns?: boolean;
  /** How each run of the configuration writes, by its number. */
  readonly outputs: readonly OutputPlan[];
  readonly journal: Journal;
  /** Makes the complete new files in the staging folder, and nothing else. */
  readonly prepare: (preparation: Preparation) => Promise<Prepared>;
  /** Refuses what cannot be used at all, before anything is opened. */
  readonly check?: () => void;
  /** Whether a table has rows of earlier runs. */
  readonly hasRows?: (table: string) => Promise<boolean>;
  /** This tells whether the file of a table is there. */
  readonly isThere?: (table: string) => boolean | Promise<boolean>;
  /** After a commit: what the sink itself has to know in the next run. */
  readonly kept?: () => JsonObject;
}

/** The folder, inside a destination, of what is not yet to be seen. */
export const workFolderIn = (folder: string): string => join(folder, '.headwater');

/**
 * A durable sink whose tables are files in a folder. Pages wait in the journal; a commit makes the new files beside the
 * old ones, notes that they are complete, and moves them in one by one. Killed before the note, it is as if the commit had
 * not begun; killed after it, the next `open` moves in what is left.
 *
 * @param options.folder made when it is not there, all but its last part as well
 * @throws FatalError from its methods: DESTINATION_ADDRESS for a folder or a file in it that cannot be used,
 *   DESTINATION_LOCKED while another process has it, SINK_FAILED when the disk is full, and whatever `prepare` throws; a
 *   commit that failed can be repeated
 * @example folderSink({ name: 'ndjson:out', folder: 'out', makes: 'tables', outputs, journal: fileJournal(…), prepare })
 */
export function folderSink(options: FolderSinkOptions): DurableSink {
  const {
    name,
    folder,
    makes,
    maps,
    structs,
    addsRunColumns = false,
    outputs,
    journal,
    prepare,
    check,
    kept,
    hasRows,
    isThere,
  } = options;
  const work = workFolderIn(folder);
  const files = new CommitFiles(folder, work);

  const decide = async ({ manifest, state, record, unfed }: Publication): Promise<CommitRecord> => {
    try {
      await files.emptyStaging();
      const { places, pages } = journal;
      const { staging } = files;
      const own = new Set(await files.last());
      const isOwn = (file: string): boolean => own.has(file);
      const prepared = await prepare({ places, pages, staging, folder, outputs, manifest, state, isOwn, unfed });
      const { stored, removed = [] } = prepared;
      const receipt = { run: manifest.id, state: prepared.state ?? state };
      return await files.decide({ receipt, stored, removed, run: record(stored) });
    } catch (cause) {
      // On a full disk, these files take the space that lets the run go on.
      await files.forget();
      throw fileFailure(files.staging, cause);
    }
  };
  /** A commit that was decided on is never given up. */
  const finishPending = async (): Promise<void> => {
    const pending = await files.pending();
    if (pending === undefined) return;
    await journal.clear();
    await files.carryOut(pending);
    await files.forget();
  };

  const standOf = async (table: string): Promise<TableStand> => {
    if ((await hasRows?.(table)) === true) return 'filled';
    return (await isThere?.(table)) === true ? 'empty' : 'gone';
  };

  return durableSink({
    name,
    makes,
    ...(maps === undefined ? {} : { maps }),
    ...(structs === undefined ? {} : { structs }),
    addsRunColumns,
    ...(kept === undefined ? {} : { kept }),
    ...(hasRows === undefined ? {} : { hasRows, standOf }),
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
    committed: files.has,
    publish: async (run) => {
      const commit = (await files.pending()) ?? (await decide(run));
      // New files may be files of the journal under a second name: once they are in the destination, nothing cuts them any more.
      await journal.begin(run.manifest);
      await files.carryOut(commit);
      await files.forget();
      return commit.stored;
    },
  });
}
