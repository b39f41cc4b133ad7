import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Creates a folder and its missing parents. The recursive `mkdir` of Node.js never ends if a folder exists although the
 * system reports it missing for a folder inside it, as below `/proc` and on some network drives.
 *
 * @param mode the permissions of each new folder; if absent, the default of the process
 * @throws NodeJS.ErrnoException as `mkdir` does
 * @example await makeFolders('out/tables')
 */
export async function makeFolders(path: string, mode?: number): Promise<void> {
  try {
    await mkdir(path, mode);
  } catch (cause) {
    if (await isFolder(path)) return;
    const above = dirname(path);
    if ((cause as NodeJS.ErrnoException).code !== 'ENOENT' || above === path) throw cause;
    if (!(await isFolder(above))) await makeFolders(above, mode);
    // Another process may have created either in the meantime.
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
