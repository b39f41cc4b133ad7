import { randomUUID } from 'node:crypto';
import { open, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { FatalError } from '..';
import type { ExtractOptions, Har, UnsetOption } from '..';

/**
 * Writes a recording (`--record`) that only its owner can read, completely or not at all.
 *
 * @throws FatalError CONFIG_UNREADABLE when it cannot be written there
 */
export async function saveRecording(path: string, recording: Har): Promise<void> {
  const draft = join(dirname(path), `.${randomUUID()}.har.tmp`);
  try {
    const file = await open(draft, 'wx', 0o600);
    try {
      await file.writeFile(`${JSON.stringify(recording, null, 2)}\n`);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(draft, path);
  } catch (cause) {
    await rm(draft, { force: true });
    throw new FatalError('CONFIG_UNREADABLE', `--record: ${path} cannot be written: ${String(cause)}`, { cause });
  }
}

/**
 * Returns the options that run a configuration from a recording (`--replay`).
 *
 * @throws FatalError CONFIG_UNREADABLE when it is none
 */
export async function replayFrom(path: string): Promise<Pick<ExtractOptions, 'fetch' | 'scheduler' | 'unset'>> {
  const { replay } = await import('../explore/testing/replay.js');
  return usable('--replay', path, async () => replay(await parsedFile(path)));
}

/** Returns the option for variables that are not set: without requests, none is needed. */
export const missingIn = ({ replay }: { readonly replay?: string }): UnsetOption =>
  replay === undefined ? {} : { unset: 'stand in' };

/**
 * Reads a recording.
 *
 * @param option the option that names it
 * @throws FatalError CONFIG_UNREADABLE when it is none
 */
export const readRecording = (option: string, path: string): Promise<Har> =>
  usable(option, path, async () => {
    const recording = await parsedFile(path);
    const { replay } = await import('../explore/testing/replay.js');
    replay(recording);
    return recording;
  });

const parsedFile = async (path: string): Promise<Har> => JSON.parse(await readFile(path, 'utf8')) as Har;

async function usable<T>(option: string, path: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (cause) {
    throw new FatalError('CONFIG_UNREADABLE', `${option}: ${path} cannot be used: ${String(cause)}`, { cause });
  }
}
