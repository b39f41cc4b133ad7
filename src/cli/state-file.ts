import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { FatalError, parseJson, stringifyJson } from '../index';
import type { Json, JsonObject } from '../index';

/** Only their owner reads such files: they may hold credentials. */
export const PRIVATE = 0o600;

/**
 * Reads the state of the last run (language 8.13); an empty one when there is no such file.
 *
 * @throws FatalError CONFIG_UNREADABLE for any other file than a JSON object: to go on would lose what is in it
 */
export async function readStateFile(path: string): Promise<JsonObject> {
  const unreadable = (reason: string): FatalError =>
    new FatalError('CONFIG_UNREADABLE', `--state: ${path} cannot be used: ${reason}`);
  const content = await readFile(path, 'utf8').catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '{}';
    throw unreadable(String(error));
  });
  const state = parsed(content);
  if (state === undefined) throw unreadable('it is not JSON');
  if (typeof state !== 'object' || state === null || Array.isArray(state)) throw unreadable('it is not a JSON object');
  return state as JsonObject;
}

function parsed(content: string): Json | undefined {
  try {
    return parseJson(content);
  } catch {
    return undefined;
  }
}

/**
 * Writes a state, in one step: the old file stays until the new one is complete.
 *
 * @param mode permissions of a new file
 */
export async function saveStateFile(path: string, state: JsonObject, mode?: number): Promise<void> {
  const temporary = `${path}.new`;
  await mkdir(dirname(path), { recursive: true });
  await writeFile(temporary, stringifyJson(state), mode === undefined ? {} : { mode });
  await rename(temporary, path);
}
