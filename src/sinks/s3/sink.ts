import { readdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { DurableSink, RunManifest, SharedJournal, Stored } from '../../core/durable-sink';
import { FatalError } from '../../core/errors/errors';
import { requirePackage } from '../../core/optional-package';
import { addsAnyRows } from '../../tables/table';
import { durableSink } from '../durable';
import type { LastReceipt, Publication } from '../durable';
import { PRIVATE_FILE, PRIVATE_FOLDER, fileFailure, makeFolder, replaceFile, textOf } from '../files/durable-files';
import { folderSink, makeCommit, workFolderIn } from '../files/folder-sink';
import type { FolderSinkOptions } from '../files/folder-sink';
import { forEach } from '../journal/journal';
import type { RunJournal } from '../journal/journal';
import { objectJournal } from '../journal/object-journal';
import { committedRun } from '../run-record';
import type { BucketAddress } from './address';
import { bucketFailure, openBucket } from './client';
import type { Work } from './client';
import { BucketCommits } from './commits';

/**
 * Returns a durable sink whose tables are files: in a folder, or in a bucket.
 *
 * @param address the bucket; `undefined`: they stay in `options.folder`
 * @throws FatalError from its methods: as {@link folderSink} and {@link bucketSink}
 * @example fileSink(undefined, { name: 'ndjson:out', folder: 'out', makes: 'tables', outputs, journal, prepare, isTable })
 */
export const fileSink = (
  address: BucketAddress | undefined,
  options: Omit<BucketSinkOptions, 'address'>,
): DurableSink => (address === undefined ? folderSink(options) : bucketSink({ ...options, address }));

/** The options of a sink of a bucket: those of a folder, and which files are its tables. */
export interface BucketSinkOptions extends FolderSinkOptions {
  readonly address: BucketAddress;
  /** Returns whether a name within the prefix is the name of a file of a table. */
  readonly isTable: (name: string) => boolean;
  /** True if tables may be in folders below the prefix as well; default false. */
  readonly isDeep?: boolean;
  /** True if even a run that replaces all tables reads old files. */
  readonly alwaysReads?: boolean;
}

/** Opens a bucket, with its commits and the journal of a run that other machines make as well. */
function openDestination(address: BucketAddress, work: string) {
  const bucket = openBucket(address);
  const parts = objectJournal(address.name, `.headwater/${address.format}/journal/`, bucket);
  return { bucket, commits: new BucketCommits(bucket, address, work), parts };
}

type Opened = ReturnType<typeof openDestination>;

/**
 * Returns a durable sink whose tables are objects in a bucket. Pages wait in a journal on this machine; a commit makes the new files here
 * and uploads them, then one object decides on them, and they are copied to their places. If the process is killed before the decision, the
 * commit has not begun; if it is killed after it, the next `open` on any machine copies the rest.
 *
 * @param options.folder a folder of this machine; everything in it belongs to the sink
 * @throws FatalError from its methods: DESTINATION_ADDRESS for a bucket that cannot be used, DESTINATION_LOCKED when another
 *   run was committed to it meanwhile, SINK_FAILED when a commit fails, RESUME (`damage`), and as `folderSink`
 */
function bucketSink(options: BucketSinkOptions): DurableSink {
  const { address, folder, outputs, journal, check, hasRows, isThere, isTable } = options;
  const { makes, maps, structs, addsRunColumns, kept } = options;
  const { name } = address;
  const work = workFolderIn(folder);
  const base = join(work, 'base');
  let opened: Opened | undefined;
  let outdated: FatalError | undefined;
  /** The run of the journal, if others make parts of it, whose pages are still to be gathered. */
  let scattered: RunManifest | undefined;
  /** True if the bucket has a journal of parts. A run of one process looks for it once, and writes none itself. */
  let hasParts = false;
  /** The id of the run of the journal, if it was published, and another machine has published one since. */
  let overtaken: string | undefined;

  /** Runs a task with the bucket; its errors are for users. */
  const withBucket = async <T>(phase: Work, task: (opened: Opened) => Promise<T>): Promise<T> => {
    try {
      opened ??= openDestination(address, work);
      return await task(opened);
    } catch (cause) {
      throw bucketFailure(address, phase, cause, await opened?.bucket.secrets().catch(() => undefined));
    }
  };
  /** Returns the names of the files of tables. */
  const tableFiles = async ({ bucket }: Opened): Promise<readonly string[]> =>
    (await bucket.list('', options.isDeep === true)).filter((file) => isPlain(file) && isTable(file));
  /**
   * Downloads the tables into the folder.
   *
   * @param isRead whether their rows are read; otherwise only their names count, and they are empty
   */
  const fetchTables = async (now: Opened, isRead: boolean): Promise<void> => {
    await removeFiles(folder, work);
    await forEach(await tableFiles(now), async (name) => {
      const path = join(folder, name);
      await makeFolder(dirname(path), PRIVATE_FOLDER);
      if (isRead) await now.bucket.download(name, path);
      else await writeFile(path, '', { mode: PRIVATE_FILE });
    });
  };

  /** Returns whether the bucket is unchanged since the run of the journal began. */
  const isCurrent = async ({ generation }: BucketCommits): Promise<boolean> =>
    (await textOf(base)) === String(generation);

  /** Decides on a run of this machine after another commit to the bucket: it cannot be resumed, unless it was published before. */
  const judge = async ({ id }: RunManifest, { commits }: Opened): Promise<void> => {
    if (commits.last?.receipt.run === id || (await isCurrent(commits))) return;
    const why = `another run was committed to ${name} since it began, and may have stored the same rows`;
    if ((await commits.recordOf(id)) !== undefined) overtaken = id;
    else
      outdated = new FatalError(
        'RESUME',
        `The run that was broken off cannot go on: ${why}. Run again without --resume.`,
      );
  };

  const runs: RunJournal = {
    ...journal,
    open: async () => {
      outdated = undefined;
      overtaken = undefined;
      const found = await journal.open();
      // After the lock of the journal: another process may be committing these files at this moment.
      await removeFiles(folder, work);
      return withBucket('open', async (now) => {
        await now.commits.settle();
        await now.commits.check();
        const begun = await now.parts.begun();
        scattered = begun?.manifest;
        hasParts = begun !== undefined;
        if (begun !== undefined) {
          await replaceFile(base, String(begun.generation));
          await journal.begin(begun.manifest);
        }
        const left = scattered ?? found;
        if (left !== undefined) await judge(left, now);
        return left;
      });
    },
    checkpoints: async function* () {
      const run = scattered;
      if (run !== undefined)
        await withBucket('commit', async ({ parts }) => {
          for await (const pages of parts.pages(run)) await journal.keep(pages);
        });
      scattered = undefined;
      yield* journal.checkpoints();
    },
    clear: async () => {
      scattered = undefined;
      if (hasParts) await withBucket('commit', ({ parts }) => parts.drop());
      hasParts = false;
      await journal.clear();
    },
    damage: () => outdated ?? journal.damage(),
    begin: async (manifest) => {
      // Drops the pages of the last run first: they do not fit to the new content of the bucket.
      await runs.clear();
      const generation = opened?.commits.generation ?? 0;
      await replaceFile(base, String(generation));
      await journal.begin(manifest);
      outdated = undefined;
    },
  };

  const receipt = async (now: Opened): Promise<LastReceipt | undefined> => {
    const { last } = now.commits;
    if (last === undefined) return undefined;
    const names = await tableFiles(now);
    const gone = last.files.find((file) => isTable(file) && !names.includes(file));
    const left = { ...last.receipt, ...(overtaken === undefined ? {} : { run: overtaken }) };
    if (gone === undefined) return left;
    return { ...left, state: {}, forgotten: `the object ${JSON.stringify(gone)} of the last run is gone.` };
  };

  /** Makes the new files on this machine, and uploads them; from the decision on they belong to the bucket. */
  const commit = async (run: Publication): Promise<readonly Stored[]> => {
    const isWhole = options.alwaysReads === true || outputs.some(addsAnyRows) || run.checkRows !== undefined;
    const { staging, last } = await withBucket('commit', async (now) => {
      await fetchTables(now, isWhole);
      return now.commits;
    });
    try {
      await rm(staging, { recursive: true, force: true });
      await makeFolder(staging, PRIVATE_FOLDER);
      const place = { staging, isWhole, own: last?.files ?? [], lastRecord: () => Promise.resolve(last?.run) };
      const made = await makeCommit(options, run, place).catch((cause: unknown): never => {
        throw fileFailure(staging, cause);
      });
      await withBucket('commit', ({ commits }) => commits.decide(made));
      return committedRun(made.run).stored;
    } finally {
      await rm(staging, { recursive: true, force: true });
      await removeFiles(folder, work);
    }
  };
  const publish = async (run: Publication): Promise<readonly Stored[]> => {
    const isDecided = await withBucket('commit', async ({ commits }) => {
      await commits.read();
      if (commits.last?.receipt.run === run.manifest.id) return true;
      if (!(await isCurrent(commits))) throw commits.overtaken();
      return false;
    });
    const stored = isDecided ? undefined : await commit(run);
    return withBucket('commit', async ({ commits }) => {
      const last = await commits.settle();
      return stored ?? committedRun(last?.run ?? {}).stored;
    });
  };

  const shared: SharedJournal = {
    begin: async (manifest) => {
      const generation = Number(await textOf(base));
      hasParts = true;
      await withBucket('part', ({ parts }) => parts.begin({ manifest, generation }));
    },
    take: (run, part, attempt) =>
      withBucket('part', async ({ parts }) => {
        const own = await parts.take(run, part, attempt);
        return {
          checkpoints: async function* () {
            const all = own.checkpoints()[Symbol.asyncIterator]();
            for (;;) {
              const next = await withBucket('part', () => all.next());
              if (next.done === true) return;
              yield next.value;
            }
          },
          lastOf: (other) => withBucket('part', () => own.lastOf(other)),
          checkpointOf: (call, page) => withBucket('part', () => own.checkpointOf(call, page)),
          write: (page) => withBucket('part', () => own.write(page)),
        };
      }),
    drop: (run) =>
      withBucket('part', async ({ commits, parts }) => {
        await commits.read();
        await parts.dropRun(run, () => Promise.resolve(commits.last?.receipt.run));
      }),
    close: () => {
      opened?.bucket.close();
      opened = undefined;
      return Promise.resolve();
    },
  };

  return durableSink({
    ...{ name, makes, maps, structs, addsRunColumns, kept, shared },
    hasRows:
      hasRows &&
      (async (table) => {
        await withBucket('commit', (now) => fetchTables(now, true));
        return hasRows(table);
      }),
    // The names of objects are enough: users remove no rows from them, and reading all would be expensive.
    standOf:
      isThere &&
      (async (table) => {
        await withBucket('open', (now) => fetchTables(now, false));
        return (await isThere(table)) ? 'filled' : 'gone';
      }),
    journal: runs,
    prepare: async () => {
      check?.();
      requirePackage(name, '@aws-sdk/client-s3');
      requirePackage(name, '@aws-sdk/lib-storage');
      await makeFolder(work, PRIVATE_FOLDER);
    },
    receipt: () => withBucket('open', receipt),
    recordOf: (run) => withBucket('open', ({ commits }) => commits.recordOf(run)),
    publish,
    close: shared.close,
  });
}

/** Returns whether a name can be a local file name: other keys may be anything, and lead anywhere. */
const isPlain = (name: string): boolean =>
  !/[\\\0]/.test(name) && name.split('/').every((part) => !['', '.', '..', '.headwater'].includes(part));

/** Removes all files of a folder except its journal. */
async function removeFiles(folder: string, work: string): Promise<void> {
  for (const name of await readdir(folder))
    if (join(folder, name) !== work) await rm(join(folder, name), { recursive: true, force: true });
}
