/** Files that are whole or not there, whatever ends the process or the machine. */
import { open, readFile, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { FatalError } from '../../core/errors/errors';
import { makeFolders } from '../../core/make-folders';

/** The mode of folders that hold data of the API and positions. */
export const PRIVATE_FOLDER = 0o700;
/** The mode of files that hold data of the API and positions. */
export const PRIVATE_FILE = 0o600;

/**
 * Makes a folder, and those above it, unless it is there.
 *
 * @param mode absent: as the process makes folders
 * @throws FatalError DESTINATION_ADDRESS when it cannot be made, SINK_FAILED when the disk is full
 */
export async function makeFolder(path: string, mode?: number): Promise<void> {
  await makeFolders(path, mode).catch((cause: unknown): never => {
    throw fileFailure(path, cause);
  });
}

/** The text of a file; `undefined` when there is none. */
export async function textOf(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (cause) {
    if (codeOf(cause) === 'ENOENT') return undefined;
    throw fileFailure(path, cause);
  }
}

/**
 * Puts a file in place in one step: readers find the old text or the new one.
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
    // On a full disk it takes the space that lets the run go on.
    await rm(draft, { force: true }).catch(() => undefined);
    throw fileFailure(path, cause);
  }
}

/** Makes the bytes of a file safe against loss of power. */
export async function syncFile(path: string): Promise<void> {
  const handle = await open(path, 'r+');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Makes the names in a folder safe against loss of power, where the system can. */
export async function syncFolder(path: string): Promise<void> {
  try {
    const handle = await open(path, 'r');
    await handle.sync().finally(() => handle.close());
  } catch (cause) {
    // Some systems open no folders, some sync none.
    if (!['EISDIR', 'EPERM', 'EINVAL', 'ENOTSUP'].includes(codeOf(cause) ?? '')) throw cause;
  }
}

/** The code of an error of the system, for example `ENOSPC`. By its shape: it may come from another realm. */
export function codeOf(cause: unknown): string | undefined {
  const isOfSystem = typeof cause === 'object' && cause !== null && 'code' in cause && 'syscall' in cause;
  return isOfSystem ? String(cause.code) : undefined;
}

const FULL = new Set(['ENOSPC', 'EDQUOT', 'EIO', 'EFBIG']);
const IN_THE_WAY = new Set(['EEXIST', 'ENOTDIR', 'EISDIR']);

/** What to throw when the system did not let a file be read or made. Other errors than those of the system stay. */
export function fileFailure(path: string, cause: unknown): unknown {
  const code = codeOf(cause);
  if (code === undefined) return cause;
  if (FULL.has(code)) return writeFailure(path, cause);
  const reason = IN_THE_WAY.has(code) ? 'something else is in its place' : 'it cannot be read or made';
  const remedy = 'Set that right, or name another folder.';
  const message = `${JSON.stringify(path)} cannot be used: ${reason} (${messageOf(cause)}). ${remedy}`;
  return new FatalError('DESTINATION_ADDRESS', message, { cause });
}

/** The error for a file that takes no more bytes; what was written before counts. */
export const writeFailure = (path: string, cause: unknown): FatalError =>
  new FatalError(
    'SINK_FAILED',
    `${JSON.stringify(path)} could not be written (${messageOf(cause)}). ` +
      'What was stored before is safe: make room, then let the run go on with --resume.',
    { cause },
  );

/** The message of an error. */
export const messageOf = (cause: unknown): string =>
  typeof cause === 'object' && cause !== null && 'message' in cause ? String(cause.message) : String(cause);

/** Maximum bytes of a file name, less than every file system takes: a suffix is added while a file is made. */
const LONGEST = 240;
const NOWHERE = /[%/\\\p{Cc}]|^\./gu;
/** Windows cuts dots and spaces at the end of a name, and what follows a colon is a stream beside the file. */
const NOT_ON_WINDOWS = /[%/\\\p{Cc}<>:"|?*]|^\.|[. ]$/gu;
/** What Windows opens in place of a file, whatever follows the first dot. */
const DEVICE = /^(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[\d¹²³]) *(?:\.|$)/i;
const WINDOWS = 'win32';

/**
 * A name that an API or a path of it gave, as that of a file: what no file name can hold is written as in URLs, so that two names
 * never meet.
 *
 * @param platform as `process.platform` has it
 * @example fileNameFor('rivers/1') // 'rivers%2F1'
 */
export const fileNameFor = (name: string, platform: string = process.platform): string =>
  name.replace(platform === WINDOWS ? NOT_ON_WINDOWS : NOWHERE, (character) => encoded(character.codePointAt(0) ?? 0));

const encoded = (code: number): string => `%${code.toString(16).padStart(2, '0').toUpperCase()}`;

/**
 * The name, if a file in a folder can have it, whoever chose it.
 *
 * @param platform as `process.platform` has it
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
