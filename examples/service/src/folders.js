// @ts-check
/** Work folders: one a message, since one run at a time has such a folder, and a message that comes again needs its own. */
import { createHash } from 'node:crypto';
import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * The folder of a message: the same whenever it is delivered, and that of no other one.
 *
 * @param {string} root
 * @param {string} tenant
 * @param {string} id anything
 */
export const folderOf = (root, tenant, id) =>
  join(root, tenant, createHash('sha256').update(id).digest('hex').slice(0, 32));

/**
 * Removes folders that nothing was written to for longer than messages are kept.
 *
 * @param {string} root
 * @param {number} olderThanMs
 * @returns {Promise<number>} how many
 */
export async function removeOldFolders(root, olderThanMs) {
  await mkdir(root, { recursive: true });
  let removed = 0;
  for (const tenant of await readdir(root))
    for (const name of await readdir(join(root, tenant))) {
      const folder = join(root, tenant, name);
      if (Date.now() - (await lastWrite(folder)) <= olderThanMs) continue;
      await rm(folder, { recursive: true, force: true });
      removed += 1;
    }
  return removed;
}

/** A run that is under way writes to its journal; a folder that somebody else has just removed is new. @param {string} folder */
async function lastWrite(folder) {
  const times = await Promise.all([folder, join(folder, 'journal')].map((path) => stat(path).catch(() => undefined)));
  const known = times.flatMap((time) => time?.mtimeMs ?? []);
  return known.length === 0 ? Date.now() : Math.max(...known);
}
