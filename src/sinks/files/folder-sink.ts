import { join } from 'node:path';
import type { DurableSink, Made, RunHead, Stored } from '../../durable-sink';
import type { JsonObject } from '../../model';
import type { OutputPlan } from '../../plan/plan';
import { fileFailure, makeFolder, PRIVATE_FOLDER } from './durable-files';
import { CommitFiles } from './folder-commit';
import type { FolderCommit } from './folder-commit';
import type { Journal } from '../journal/journal';
import { damageOf } from '../journal/damage';

/** What the new files are made of. */
export interface Preparation {
  /** They can be read several times. */
  readonly places: Journal['places'];
  readonly pages: Journal['pages'];
  /** An empty folder for the new files; those of its files take the place of files of the same name. */
  readonly staging: string;
  /** The destination as it is until the commit. */
  readonly folder: string;
  readonly outputs: readonly OutputPlan[];
  readonly head: RunHead;
  readonly state: JsonObject;
}

export interface Prepared {
  readonly stored: readonly Stored[];
  /** To keep in place of the state that was given. */
  readonly state?: JsonObject;
}

export interface FolderSinkOptions {
  /** For people, without credentials. */
  readonly name: string;
  readonly folder: string;
  readonly makes: Made;
  /** How each run of the configuration writes, by its number. */
  readonly outputs: readonly OutputPlan[];
  readonly journal: Journal;
  /** Makes the complete new files in the staging folder, and nothing else. */
  readonly prepare: (preparation: Preparation) => Promise<Prepared>;
}

/** The folder, inside a destination, of what is not yet to be seen. */
export const workFolderIn = (folder: string): string => join(folder, '.headwater');

/**
 * A durable sink whose tables are files in a folder. Pages wait in the journal; a commit makes the new files beside the
 * old ones, notes that they are complete, and moves them in one by one. Killed before the note, it is as if the commit had
 * not begun; killed after it, the next `open` moves in what is left.
 *
 * @param options.folder made when it is not there, all but its last part as well
 * @throws FatalError from its methods: DESTINATION for a folder or a file in it that cannot be used, SINK_FAILED when the
 *   disk is full, and whatever `prepare` throws; a commit that failed can be repeated
 * @example folderSink({ name: 'ndjson:out', folder: 'out', makes: 'tables', outputs, journal: fileJournal(…), prepare })
 */
export function folderSink({ name, folder, makes, outputs, journal, prepare }: FolderSinkOptions): DurableSink {
  const work = workFolderIn(folder);
  const files = new CommitFiles(folder, work);
  let head: RunHead | undefined;

  const carryOut = async (commit: FolderCommit): Promise<readonly Stored[]> => {
    await files.carryOut(commit);
    head = undefined;
    await journal.clear();
    await files.forget();
    return commit.stored;
  };
  const decide = async (run: RunHead, state: JsonObject): Promise<FolderCommit> => {
    try {
      await files.emptyStaging();
      const { places, pages } = journal;
      const { staging } = files;
      const prepared = await prepare({ places, pages, staging, folder, outputs, head: run, state });
      return await files.decide({ run: run.id, state: prepared.state ?? state }, prepared.stored);
    } catch (cause) {
      // On a full disk this is the room that lets the run go on.
      await files.forget();
      throw fileFailure(files.staging, cause);
    }
  };
  /** A commit that was decided on is never given up. */
  const finishPending = async (): Promise<readonly Stored[] | undefined> => {
    const pending = await files.pending();
    return pending === undefined ? undefined : carryOut(pending);
  };

  return {
    name,
    makes,
    open: async () => {
      await makeFolder(folder);
      await makeFolder(work, PRIVATE_FOLDER);
      head = await journal.open();
      await finishPending();
      await files.removeStaging();
      const receipt = await files.receipt();
      return {
        state: receipt?.state ?? {},
        ...(receipt === undefined ? {} : { finished: receipt.run }),
        ...(receipt?.forgotten === undefined ? {} : { forgotten: receipt.forgotten }),
        ...(head === undefined ? {} : { unfinished: { head, checkpoints: journal.checkpoints } }),
        ...damageOf(journal),
      };
    },
    begin: async (next) => {
      await finishPending();
      head = undefined;
      await journal.begin(next);
      head = next;
    },
    write: journal.append,
    commit: async (state) => {
      const stored = await finishPending();
      if (stored !== undefined) return stored;
      if (head === undefined) throw new Error('There is no run to commit.');
      return carryOut(await decide(head, state));
    },
    close: journal.close,
  };
}
