/** Files that are complete or absent, whatever ends the process or the machine. */
import { open, readFile, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { FatalError } from '../../core/errors/errors';
import { makeFolders } from '../../core/make-folders';

/** The mode of folders that contain data of the API and positions. */
export const PRIVATE_FOLDER = 0o700;
/** The mode of files that contain data of the API and positions. */
export const PRIVATE_FILE = 0o600;

/**
 * Makes a folder and its parents, unless they exist.
 *
 * @param mode absent: the default of the process
 * @throws FatalError DESTINATION_ADDRESS when it cannot be made, SINK_FAILED when the disk is full
 */
export async function makeFolder(path: string, mode?: number): Promise<void> {
  await makeFolders(path, mode).catch((cause: unknown): never => {
    throw fileFailure(path, cause);
  });
}

/** Returns the text of a file; `undefined` when there is none. */
export async function textOf(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (cause) {
    if (codeOf(cause) === 'ENOENT') return undefined;
    throw fileFailure(path, cause);
  }
}

/**
 * Replaces a file in one step: readers find the old text or the new one.
 *
 * @throws FatalError DESTINATION_ADDRESS or SINK_FAILED
 * @example await replaceFile('out/receipt.json', '{}')
 */
export async function replaceFile(path: string, text: string | Uint8Array): Promise<void> {
  const draft = `${path}.draft`;
  try {
    const handle = await open(draft, 'w', PRIVATE_FILE);
    try {
      await handle.writeFile(text);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(draft, path);
    await syncFolder(dirname(path));
  } catch (cause) {
    // On a full disk it takes the space that lets the run continue.
    await rm(draft, { force: true }).catch(() => undefined);
    throw fileFailure(path, cause);
  }
}

/** Makes the bytes of a file safe against a loss of power. */
export async function syncFile(path: string): Promise<void> {
  const handle = await open(path, 'r+');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Makes the names in a folder safe against a loss of power, if the system can. */
export async function syncFolder(path: string): Promise<void> {
  try {
    const handle = await open(path, 'r');
    await handle.sync().finally(() => handle.close());
  } catch (cause) {
    // Some systems cannot open folders, some cannot sync them.
    if (!['EISDIR', 'EPERM', 'EINVAL', 'ENOTSUP'].includes(codeOf(cause) ?? '')) throw cause;
  }
}

/** Returns the code of a system error, for example `ENOSPC`. It checks the shape, since the error may come from another realm. */
export function codeOf(cause: unknown): string | undefined {
  const isOfSystem = typeof cause === 'object' && cause !== null && 'code' in cause && 'syscall' in cause;
  return isOfSystem ? String(cause.code) : undefined;
}

const FULL = new Set(['ENOSPC', 'EDQUOT', 'EIO', 'EFBIG']);
const IN_THE_WAY = new Set(['EEXIST', 'ENOTDIR', 'EISDIR']);

/** Returns the error to throw when the system refused to read or make a file. Other errors stay unchanged. */
export function fileFailure(path: string, cause: unknown): unknown {
  const code = codeOf(cause);
  if (code === undefined) return cause;
  if (FULL.has(code)) return writeFailure(path, cause);
  const reason = IN_THE_WAY.has(code) ? 'something else is in its place' : 'it cannot be read or made';
  const remedy = 'Set that right, or name another folder.';
  const message = `${JSON.stringify(path)} cannot be used: ${reason} (${messageOf(cause)}). ${remedy}`;
  return new FatalError('DESTINATION_ADDRESS', message, { cause });
}

/** Returns the error for a file that cannot be written further; what was written before counts. */
export const writeFailure = (path: string, cause: unknown): FatalError =>
  new FatalError(
    'SINK_FAILED',
    `${JSON.stringify(path)} could not be written (${messageOf(cause)}). ` +
      'What was stored before is safe: make room, then let the run go on with --resume.',
    { cause },
  );

/** Returns the message of an error. */
export const messageOf = (cause: unknown): string =>
  typeof cause === 'object' && cause !== null && 'message' in cause ? String(cause.message) : String(cause);

/** The maximum bytes of a file name, less than the limit of every file system: a suffix is added while a file is made. */
const LONGEST = 240;
const NOWHERE = /[%/\\\p{Cc}]|^\./gu;
/** Windows cuts dots and spaces at the end of a name, and reads what follows a colon as a stream of the file. */
const NOT_ON_WINDOWS = /[%/\\\p{Cc}<>:"|?*]|^\.|[. ]$/gu;
/** The devices that Windows opens instead of a file, whatever follows the first dot. */
const DEVICE = /^(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[\d¹²³]) *(?:\.|$)/i;
const WINDOWS = 'win32';

/**
 * Returns a name from an API as a file name: characters that no file name can contain are percent-encoded, so that two names never collide.
 *
 * @param platform a value of `process.platform`
 * @example fileNameFor('rivers/1') // 'rivers%2F1'
 */
export const fileNameFor = (name: string, platform: string = process.platform): string =>
  name.replace(platform === WINDOWS ? NOT_ON_WINDOWS : NOWHERE, (character) => encoded(character.codePointAt(0) ?? 0));

const encoded = (code: number): string => `%${code.toString(16).padStart(2, '0').toUpperCase()}`;

/**
 * Returns the name, if it can be the name of a file in a folder.
 *
 * @param platform a value of `process.platform`
 * @throws FatalError TABLE_NAME
 * @example safeFileName('users.ndjson')
 */
export function safeFileName(name: string, platform: string = process.platform): string {
  const isPlain = !/[/\\\0]/.test(name) && !['', '.', '..'].includes(name);
  const isTaken = platform === WINDOWS && (/[\p{Cc}<>:"|?*]|[. ]$/u.test(name) || DEVICE.test(name));
  if (isPlain && !isTaken && Buffer.byteLength(name) <= LONGEST) return name;
  const remedy = 'Give the job another dataType, or its mapping another destination.';
  throw new FatalError('TABLE_NAME', `A table cannot be stored in a file named ${JSON.stringify(name)}. ${remedy}`, {
    table: name,
  });
}
