/** The one file that the studio reads and writes. */
import { createHash, randomUUID } from 'node:crypto';
import { open, readFile, realpath, rename, rm, stat } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { RefusedRequest } from './refused-request';

/** A text and what tells it from others. */
export interface FileContent {
  readonly text: string;
  /** A digest; absent where there is no file. */
  readonly version?: string;
}

const MOST_BYTES = 2_000_000;

/**
 * @throws RefusedRequest NOT_READABLE
 * @example (await readConfiguration('rivers.json')).text
 */
export async function readConfiguration(path: string): Promise<FileContent> {
  try {
    if ((await stat(path)).size > MOST_BYTES) throw new Error(`it is larger than ${MOST_BYTES} bytes`);
    const text = (await readFile(path, 'utf8')).replace(/^\uFEFF/, '');
    return { text, version: versionOf(text) };
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return { text: '' };
    throw new RefusedRequest(422, 'NOT_READABLE', `${basename(path)} cannot be read: ${message}.`);
  }
}

/**
 * Replaces the file in one step. It keeps its mode; a new one is for its owner alone, since it may hold secrets.
 *
 * @param version of what the person has seen: a file that somebody else has changed meanwhile stays
 * @throws RefusedRequest FILE_CHANGED
 */
export async function saveConfiguration(path: string, text: string, version: string | undefined): Promise<FileContent> {
  const found = await readConfiguration(path);
  if (found.version !== version)
    throw new RefusedRequest(
      409,
      'FILE_CHANGED',
      `${basename(path)} has been changed by another program. Reload to see what it says now; copy your changes before.`,
    );
  // A link stays one: what it leads to is replaced.
  const target = version === undefined ? path : await realpath(path);
  const mode = version === undefined ? 0o600 : (await stat(target)).mode & 0o777;
  const temporary = join(dirname(target), `.${basename(target)}.${randomUUID()}.new`);
  // Never a file or a link that somebody else has put there.
  const handle = await open(temporary, 'wx', 0o600);
  try {
    await writeAll(handle, text, mode).finally(() => handle.close());
    await rename(temporary, target);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  return { text, version: versionOf(text) };
}

async function writeAll(handle: FileHandle, text: string, mode: number): Promise<void> {
  await handle.writeFile(text);
  await handle.chmod(mode);
  await handle.sync();
}

const versionOf = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 32);
