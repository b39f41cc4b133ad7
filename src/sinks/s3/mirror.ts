/** The tables of a bucket as files in a folder, which is what new files are made of. */
import { readdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { makeFolder, PRIVATE_FILE, PRIVATE_FOLDER } from '../files/durable-files';
import type { OpenBucket } from './client';
import { forEach } from './commits';

/** Which objects are tables. */
export interface TableFiles {
  /** Whether a name within the prefix is that of a file of a table. */
  readonly isTable: (name: string) => boolean;
  /** Whether tables may lie in folders below the prefix, too; default false. */
  readonly isDeep?: boolean;
}

/** A name that a file can have here: keys of others may be anything, and lead anywhere. */
const isPlain = (name: string): boolean =>
  !/[\\\0]/.test(name) && name.split('/').every((part) => !['', '.', '..', '.headwater'].includes(part));

/** The names of the files of tables in a bucket. */
export const tableFilesIn = async (
  bucket: OpenBucket,
  { isTable, isDeep = false }: TableFiles,
): Promise<readonly string[]> => (await bucket.list('', isDeep)).filter((name) => isPlain(name) && isTable(name));

/**
 * Fetches files of a bucket into a folder.
 *
 * @param isRead whether anybody reads their rows; else it only counts which files there are, and they are empty
 */
export async function fetchFiles(
  bucket: OpenBucket,
  { folder, names, isRead }: { readonly folder: string; readonly names: readonly string[]; readonly isRead: boolean },
): Promise<void> {
  await forEach(names, async (name) => {
    const path = join(folder, name);
    await makeFolder(dirname(path), PRIVATE_FOLDER);
    if (isRead) await bucket.download(name, path);
    else await writeFile(path, '', { mode: PRIVATE_FILE });
  });
}

/** Removes all files of a folder but those of its journal. */
export async function removeFiles(folder: string, work: string): Promise<void> {
  for (const name of await readdir(folder))
    if (join(folder, name) !== work) await rm(join(folder, name), { recursive: true, force: true });
}
