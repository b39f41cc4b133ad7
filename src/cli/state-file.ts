import { execSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { open, readFile, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import { FatalError, createSeal, isSealed, parseJson, stringifyJson } from '..';
import type { Json, JsonObject, Seal } from '..';
import { makeFolders } from '../core/make-folders';

/** The mode of state files, which only their owner can read, since they may contain credentials. */
const PRIVATE = 0o600;
/** The purpose of an encrypted file. */
const USE = 'state';
/**
 * Reads the state after the last run (docs/language/state.md#where-it-is-kept); it is empty if the file does not exist.
 *
 * @param seal decrypts it; an unencrypted file is read as well, and encrypted when it is saved
 * @throws FatalError CONFIG_UNREADABLE for any file that is no unchanged JSON object: continuing would lose its content
 */
export async function readStateFile(path: string, seal?: Seal): Promise<JsonObject> {
  const state = await readStateJson(path, seal);
  if (typeof state === 'object' && state !== null && !Array.isArray(state)) return state as JsonObject;
  throw new FatalError('CONFIG_UNREADABLE', `--state: ${path} cannot be used: it is not a JSON object`);
}

/** Reads the file as {@link readStateFile} does, whatever JSON is in it: states of Airbyte are lists. */
export async function readStateJson(path: string, seal?: Seal): Promise<Json> {
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
  const hasSum = typeof state === 'object' && state !== null && CHECKSUM in state;
  const isChanged = saved === undefined ? hasSum : sum !== checksumOf(saved);
  if (isChanged) throw unreadable(CHANGED);
  return state;
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

/** Saves a state for a host, in the format of the language, or in another one. */
export const saveHostState = (path: string, state: Json): Promise<void> => replaceFile(path, stringifyJson(state));

/** Replaces the file in one step: the old file stays until the new one is complete, and on the disk. */
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

/** The environment variable with the key that encrypts the files of runs: never an argument, which other users of a machine can see. */
const KEY_VARIABLE = 'HEADWATER_KEY';
/** The environment variable with a command that prints the key, such as the keychain of the system. */
const COMMAND_VARIABLE = 'HEADWATER_KEY_COMMAND';

/** Keys by the commands that printed them: a keychain may ask the user, and once is enough. */
const printed = new Map<string, string>();

/**
 * Returns the key; absent: nothing is encrypted. An empty one counts as too short, since a key was intended.
 *
 * @throws FatalError CONFIG_INVALID for a command that fails, and if both variables are set
 */
export function encryptionKey(): string | undefined {
  const { [KEY_VARIABLE]: key, [COMMAND_VARIABLE]: command } = process.env;
  if (command === undefined) return key;
  if (key !== undefined)
    throw new FatalError(
      'CONFIG_INVALID',
      `${COMMAND_VARIABLE} cannot stand beside ${KEY_VARIABLE}: unset one of them.`,
    );
  const known = printed.get(command) ?? printedBy(command);
  printed.set(command, known);
  return known;
}

/** Returns the key that a command prints to standard output; a keychain that asks for a password can use the terminal. */
function printedBy(command: string): string {
  try {
    return execSync(command, { encoding: 'utf8', stdio: ['inherit', 'pipe', 'inherit'] }).replace(/\r?\n$/, '');
  } catch (failure) {
    // The output, which the failure quotes, may be the key.
    const { status, signal } = failure as { readonly status?: number | null; readonly signal?: string | null };
    const how = typeof status === 'number' ? `ended with status ${status}` : `was ended by ${String(signal)}`;
    const message = `The command in ${COMMAND_VARIABLE}, which should print the key, ${how}.`;
    throw new FatalError('CONFIG_INVALID', message);
  }
}

/** @throws FatalError CONFIG_INVALID for a key that is too short */
export function sealOfEnvironment(): Seal | undefined {
  const key = encryptionKey();
  return key === undefined ? undefined : createSeal(key);
}
