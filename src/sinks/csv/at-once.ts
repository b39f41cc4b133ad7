import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DurableSink, RunManifest, Stored } from '../../core/durable-sink';
import { addFacts, FatalError } from '../../core/errors/errors';
import { makeFolders } from '../../core/make-folders';
import type { JsonObject } from '../../core/model';
import { asPageOfTables, createBuckets } from '../../tables/buckets';
import type { Buckets } from '../../tables/buckets';
import { superseded } from '../files/compression';
import { emptyOld, moveFiles, writeTables } from './files';
import { warningsTo } from './tables';
import type { CsvTables } from './tables';

/**
 * Linked tables as CSV files, made of a run in one go: nothing is kept of an interrupted run, and nothing lies in the
 * folder but the files. They are made in a folder beside and moved in when all are complete, so that a failure leaves the
 * old files in place.
 *
 * @param csv.spoolFolder an existing folder where rows wait until all are there; default: that of the system for temporary files
 * @throws FatalError from its methods: DESTINATION_ADDRESS when the folder cannot be made; TABLE_NAME; as `createBuckets`
 * @example csvAtOnce({ folder: 'out', layout: PLAIN, outputs, warn })
 */
export function csvAtOnce({
  folder,
  layout,
  outputs,
  warn,
  compress,
  spoolFolder = tmpdir(),
  uniqueIds = false,
}: CsvTables): DurableSink {
  const name = `csv:${folder}`;
  let buckets: Buckets | undefined;
  let kept: JsonObject = {};
  const types = new Set<string>();
  const start = ({ id, startedAt }: RunManifest, state: JsonObject): Buckets =>
    createBuckets({
      ...{ outputs, spoolFolder, state, startedAt, uniqueIn: uniqueIds ? id : undefined },
      ...warningsTo(warn),
    });
  const store = async (made: Buckets): Promise<readonly Stored[]> => {
    const tables = await made.finish();
    await makeFolders(folder).catch(refuseFolder(folder));
    const staging = await mkdtemp(join(folder, '.headwater-'));
    try {
      const places = { staging, old: folder, layout, compress, warn };
      const written = await writeTables(tables, new Map(), places);
      const files = new Map([...written.files, ...(await emptyOld(types, new Map(), outputs, places))]);
      await moveFiles([...files.keys()], staging, folder);
      const isOwn = (): boolean => false;
      const told = { folder, isOwn, warn: (message: string) => warn('TABLE_STRUCTURE', message) };
      // Without a suffix, any name may be that of another table.
      for (const file of layout.suffix === '' ? [] : superseded(files, told)) await rm(join(folder, file));
      kept = made.state();
      return written.stored;
    } finally {
      await rm(staging, { recursive: true, force: true });
    }
  };
  const stop = async (): Promise<void> => {
    const ended = buckets;
    buckets = undefined;
    await ended?.close();
  };
  const named = (error: unknown): never => {
    throw addFacts(error, { destination: name });
  };
  return {
    name,
    makes: 'linked-tables',
    keepsNothing: true,
    ...(layout.manifests ? { isLoadedByOthers: true } : {}),
    open: () => Promise.resolve({ state: {} }),
    begin: async (manifest, state = {}) => {
      await stop();
      types.clear();
      buckets = start(manifest, state);
    },
    write: async (page) => {
      if (buckets === undefined) throw new Error('A page came before a run was begun.');
      types.add(page.table);
      await buckets.add(asPageOfTables(page)).catch(named);
    },
    commit: async () => {
      if (buckets === undefined) throw new Error('There is no run to commit.');
      const stored = await store(buckets).catch(named);
      await stop();
      return stored;
    },
    kept: () => kept,
    close: stop,
  };
}

const refuseFolder =
  (folder: string) =>
  (cause: NodeJS.ErrnoException): never => {
    const isFile = cause.code === 'EEXIST' || cause.code === 'ENOTDIR';
    const reason = isFile ? 'a file is in its place' : `it cannot be made (${String(cause.code)})`;
    const message = `Tables cannot be stored in the folder ${JSON.stringify(folder)}: ${reason}. Name another folder.`;
    throw new FatalError('DESTINATION_ADDRESS', message, { cause });
  };
