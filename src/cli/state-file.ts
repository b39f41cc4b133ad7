import { createHash } from 'node:crypto';
import { open, readFile, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import { FatalError, isSealed, parseJson, stringifyJson } from '..';
import type { Json, JsonObject, Seal } from '..';
import { makeFolders } from '../core/make-folders';
import { KEY_VARIABLE } from './encryption-key';

/** The mode of state files: they may hold credentials, so only their owner reads them. */
const PRIVATE = 0o600;
/** The purpose of an encrypted file. */
const USE = 'state';
/**
 * Reads the state of the last run (docs/language/state.md#where-it-is-kept); the state is empty when there is no such
 * file.
 *
 * @param seal decrypts it; a file that is not encrypted is read as well, and encrypted when it is saved
 * @throws FatalError CONFIG_UNREADABLE for any other file than a JSON object as it was saved: to go on would lose what is in it
 */
export async function readStateFile(path: string, seal?: Seal): Promise<JsonObject> {
  const unreadable = (reason: string): FatalError =>
    new FatalError('CONFIG_UNREADABLE', `--state: ${path} cannot be used: ${reason}`);
  const bytes = await readFile(path).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return Buffer.from('{}');
    throw unreadable(String(error));
  });
  if (isSealed(bytes) && seal === undefined)
    throw unreadable(`it is encrypted. Set ${KEY_VARIABLE} to the key that it was written with`);
  const content = isSealed(bytes) ? seal?.open(bytes, USE) : bytes;
  if (content === undefined)
    throw unreadable(`it was encrypted with another key than that of ${KEY_VARIABLE}, or it is damaged`);
  const text = content.toString('utf8');
  const [, saved, sum] = SIGNED.exec(text) ?? [];
  const state = parsed(saved === undefined ? text : `${saved}}`);
  if (state === undefined) throw unreadable('it is not JSON');
  if (typeof state !== 'object' || state === null || Array.isArray(state)) throw unreadable('it is not a JSON object');
  const isChanged = saved === undefined ? CHECKSUM in state : sum !== checksumOf(saved);
  if (isChanged) throw unreadable(CHANGED);
  return state as JsonObject;
}

/** The key of the checksum over the rest of the file. */
const CHECKSUM = 'headwater.checksum';
const SIGNED = /^(.*?),?"headwater\.checksum":"([0-9a-f]{16})"\}$/s;
const CHANGED = `it is not as it was saved. If you changed it yourself, delete the key "${CHECKSUM}" in it`;

const checksumOf = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 16);

function parsed(content: string): Json | undefined {
  try {
    return parseJson(content);
  } catch {
    return undefined;
  }
}

/**
 * Saves the state for the next run, with a checksum.
 *
 * @param seal encrypts it
 */
export function saveStateFile(path: string, state: JsonObject, seal?: Seal): Promise<void> {
  const open = stringifyJson(state).slice(0, -1);
  const text = `${open}${open === '{' ? '' : ','}"${CHECKSUM}":"${checksumOf(open)}"}`;
  return replaceFile(path, seal === undefined ? text : seal.close(Buffer.from(text), USE), PRIVATE);
}

/** Saves a state that a host reads, as the language has it. */
export const saveHostState = (path: string, state: JsonObject): Promise<void> =>
  replaceFile(path, stringifyJson(state));

/** In one step: the old file stays until the new one is complete, and on the disk. */
async function replaceFile(path: string, content: string | Buffer, mode?: number): Promise<void> {
  const temporary = `${path}.new`;
  await makeFolders(dirname(path));
  const handle = await open(temporary, 'w', mode);
  try {
    await handle.writeFile(content);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(temporary, path);
}
