import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { FatalError } from '../../errors';
import type { Bucket, Table, TableSink } from '../../finished-tables';
import { saveGrown } from './append';
import { safeFileName } from '../files/file-name';

export interface CsvFolderOptions {
  /** What is added to the name of a table's file. */
  readonly suffix: '' | '.csv';
  /** `always`: files are named `bucket.table`; `if-several`: only where tables of several buckets meet. */
  readonly bucketPrefix: 'always' | 'if-several';
  /** Whether a `.manifest` lies beside each file (language 8.11). */
  readonly manifests: boolean;
  /** Where the tables are that rows are added to; default: the folder itself. */
  readonly old?: string;
}

/** A sink whose folder can be made before there is anything to store. */
export interface FolderSink extends TableSink {
  readonly prepare: () => Promise<void>;
}

/**
 * CSV files in a folder, one a table (language 8.11): UTF-8, every field quoted, the header first. They are made in a
 * folder beside and moved in when all are complete, so that a failure leaves the old files in place. Where the configuration
 * says so (`incrementalOutput`), rows are added to those of the old file; with manifests, these say so, and a file has the rows
 * of its run.
 *
 * @param folder made if it is not there
 * @throws FatalError TABLE_NAME for a table whose name cannot be that of a file
 * @throws FatalError CONFIG_INVALID when the folder cannot be made
 * @example csvFolder('out', { suffix: '.csv', bucketPrefix: 'if-several', manifests: false })
 */
export function csvFolder(
  folder: string,
  { suffix, bucketPrefix, manifests, old = folder }: CsvFolderOptions,
): FolderSink {
  const fileName = ({ name }: Bucket, table: Table, several: boolean): string => {
    const prefix = name === undefined || (bucketPrefix === 'if-several' && !several) ? '' : `${name}.`;
    return safeFileName(`${prefix}${table.name}${suffix}`);
  };
  const prepare = async (): Promise<void> => {
    await mkdir(folder, { recursive: true }).catch(refuseFolder(folder));
  };
  return {
    ...(manifests ? {} : { replaces: folder }),
    prepare,
    store: async (buckets) => {
      await prepare();
      const temporary = await mkdtemp(join(folder, '.headwater-'));
      try {
        const made: string[] = [];
        for (const bucket of buckets)
          for (const table of bucket.tables) {
            const file = fileName(bucket, table, buckets.length > 1);
            if (bucket.incremental && !manifests) await saveGrown(join(old, file), table, join(temporary, file));
            else await table.saveCsv(join(temporary, file));
            made.push(file);
            if (!manifests) continue;
            await writeFile(join(temporary, `${file}.manifest`), JSON.stringify(manifestOf(bucket, table)));
            made.push(`${file}.manifest`);
          }
        for (const file of made) await rename(join(temporary, file), join(folder, file));
      } finally {
        await rm(temporary, { recursive: true, force: true });
      }
    },
  };
}

const refuseFolder =
  (folder: string) =>
  (cause: NodeJS.ErrnoException): never => {
    const isFile = cause.code === 'EEXIST' || cause.code === 'ENOTDIR';
    const reason = isFile ? 'a file is in its place' : `it cannot be made (${String(cause.code)})`;
    const message = `Tables cannot be stored in the folder ${JSON.stringify(folder)}: ${reason}. Name another folder.`;
    throw new FatalError('CONFIG_INVALID', message, { cause });
  };

/** What loads the file into storage (language 8.11). */
const manifestOf = ({ name, incremental }: Bucket, table: Table): object => ({
  ...(name === undefined ? {} : { destination: `in.c-${name}.${table.name}` }),
  incremental,
  ...(table.primaryKey.length === 0 ? {} : { primary_key: table.primaryKey }),
});
