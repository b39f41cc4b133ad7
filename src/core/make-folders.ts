import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Makes a folder, and those above it that are missing. The recursive `mkdir` of Node.js never ends where a folder is there and the system
 * says of one in it that it is not, as below `/proc` and at some network drives.
 *
 * @param mode the permissions of each folder that is made; absent: as the process makes folders
 * @throws NodeJS.ErrnoException as `mkdir` does
 * @example await makeFolders('out/tables')
 */
export async function makeFolders(path: string, mode?: number): Promise<void> {
  try {
    await mkdir(path, mode);
  } catch (cause) {
    if (await isFolder(path)) return;
    const above = dirname(path);
    if ((cause as NodeJS.ErrnoException).code !== 'ENOENT' || above === path || (await isFolder(above))) throw cause;
    await makeFolders(above, mode);
    // Another process may have made it meanwhile.
    await mkdir(path, mode).catch(async (later: unknown) => {
      if (!(await isFolder(path))) throw later;
    });
  }
}

const isFolder = (path: string): Promise<boolean> =>
  stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
