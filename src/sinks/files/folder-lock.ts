import { randomUUID } from 'node:crypto';
import { link, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { FatalError } from '../../core/errors/errors';
import { codeOf, fileFailure, PRIVATE_FILE } from './durable-files';
import { holderIn, holderText, isOfAnother, thisHolder } from './lock-holder';
import { listenIn } from './lock-socket';

/** Maximum attempts to take a lock: processes that start at the same moment cannot take it away more often than that. */
const ATTEMPTS = 5;
/** Milliseconds: a lock that is empty for longer was left by a process that died while it made it. */
const WRITING = 100;
/** What file systems say that have no hard links. */
const WITHOUT_LINKS: ReadonlySet<string> = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS']);

/**
 * Keeps other processes out of a folder, as long as this one lives: those of other containers too, where they share the
 * folder. A process that was killed keeps nobody out. This process itself may take the lock again.
 *
 * @returns a function that releases the lock
 * @throws FatalError DESTINATION_LOCKED when a process that lives has the folder, or one that nobody can see from here
 * @example const unlock = await lockFolder('out/.headwater/journal');
 */
export async function lockFolder(folder: string): Promise<() => Promise<void>> {
  const path = join(folder, 'lock');
  const socket = await listenIn(folder);
  const own = holderText(await thisHolder(socket?.name ?? ''));
  try {
    await take(folder, path, own);
  } catch (error) {
    await socket?.close();
    throw error;
  }
  return async () => {
    try {
      // Another sink of this process may have it by now.
      if ((await textIn(path)) === own) await rm(path, { force: true });
    } finally {
      await socket?.close();
    }
  };
}

/**
 * Says who has the lock of a folder, and takes nothing.
 *
 * @returns what `lockFolder` would throw; `undefined`: it would take the lock
 */
export async function holdOf(folder: string): Promise<FatalError | undefined> {
  const path = join(folder, 'lock');
  const text = (await textIn(path)) ?? '';
  const holder = holderIn(text);
  return holder !== undefined && (await isOfAnother(holder, folder)) ? refusal(folder, path, text) : undefined;
}

/** Makes the lock at a path, or takes it over from a process that is dead. */
async function take(folder: string, path: string, own: string): Promise<void> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    if (await isMade(path, own)) return;
    const text = await writtenIn(path);
    // It was released meanwhile.
    if (text === undefined) continue;
    const holder = holderIn(text);
    if (holder !== undefined && (await isOfAnother(holder, folder))) throw refusal(folder, path, text);
    const isTaken = await takeOver(folder, path, text, own);
    if (isTaken && holder !== undefined && holder.socket !== '') await removeSocket(folder, holder.socket);
    if (isTaken) return;
  }
  throw refusal(folder, path, (await textIn(path)) ?? '');
}

/** Makes a lock that nobody has; with its text at once, so that nobody takes it for one that was left half-made. */
async function isMade(path: string, own: string): Promise<boolean> {
  const beside = await writtenBeside(path, own);
  try {
    await link(beside, path);
    return true;
  } catch (cause) {
    if (codeOf(cause) === 'EEXIST') return false;
    if (!WITHOUT_LINKS.has(codeOf(cause) ?? '')) throw fileFailure(path, cause);
    return await isWritten(path, own);
  } finally {
    await rm(beside, { force: true });
  }
}

async function isWritten(path: string, own: string): Promise<boolean> {
  try {
    await writeFile(path, own, { flag: 'wx', mode: PRIVATE_FILE });
    return true;
  } catch (cause) {
    if (codeOf(cause) === 'EEXIST') return false;
    throw fileFailure(path, cause);
  }
}

async function writtenBeside(path: string, own: string): Promise<string> {
  const beside = `${path}.${randomUUID()}`;
  try {
    await writeFile(beside, own, { flag: 'wx', mode: PRIVATE_FILE });
    return beside;
  } catch (cause) {
    throw fileFailure(path, cause);
  }
}

/** The text of a lock; `undefined`: there is none, which is not the same as one that is empty. */
const textIn = (path: string): Promise<string | undefined> =>
  readFile(path, 'utf8').catch((cause: unknown) => (codeOf(cause) === 'ENOENT' ? undefined : ''));

/** The text of the lock, once whoever makes it has written it. */
async function writtenIn(path: string): Promise<string | undefined> {
  const text = await textIn(path);
  if (text !== '') return text;
  await sleep(WRITING);
  return textIn(path);
}

/**
 * Puts a lock in the place of that of a dead process. Only one process at a time may, and it looks again before: else one that
 * was slow would take away the lock of another which did the same just before.
 */
async function takeOver(folder: string, path: string, text: string, own: string): Promise<boolean> {
  const turn = `${path}.next`;
  await take(folder, turn, own);
  try {
    if ((await textIn(path)) !== text) return false;
    await rename(await writtenBeside(path, own), path);
    return true;
  } catch (cause) {
    throw fileFailure(path, cause);
  } finally {
    await rm(turn, { force: true });
  }
}

/** Removes what a killed process has left; the name comes from a file that somebody may have changed. */
async function removeSocket(folder: string, name: string): Promise<void> {
  if (/^lock-[0-9a-f-]+\.sock$/.test(name)) await rm(join(folder, name), { force: true });
}

function refusal(folder: string, path: string, text: string): FatalError {
  const { process: number = '', host = '' } = holderIn(text) ?? {};
  const where = host === '' ? '' : ` on ${decodeURIComponent(host)}`;
  const remedy = `Wait until it ends, or name another folder. If it is no such run, remove ${JSON.stringify(path)}.`;
  const message = `Another run (process ${number}${where}) writes to the folder ${JSON.stringify(folder)}. ${remedy}`;
  return new FatalError('DESTINATION_LOCKED', message);
}
