import { randomUUID } from 'node:crypto';
import { closeSync, openSync } from 'node:fs';
import { chmod, link, readFile, readlink, rename, rm, writeFile } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { FatalError } from '../../core/errors/errors';
import { PRIVATE_FILE, codeOf, fileFailure } from './durable-files';

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
  const place = `${path}.next`;
  await take(folder, place, own);
  try {
    if ((await textIn(path)) !== text) return false;
    await rename(await writtenBeside(path, own), path);
    return true;
  } catch (cause) {
    throw fileFailure(path, cause);
  } finally {
    await rm(place, { force: true });
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

/** The process that holds a lock, and whether it still lives. */

/** What is known of the process that has a lock. Numbers of processes alone say little: each container counts anew. */
export interface LockHolder {
  /** The number of the process, as it sees itself. */
  readonly process: number;
  /** When the process was started, in ticks since the kernel was; empty: the system does not tell. */
  readonly start: string;
  /** The id that the kernel got when it was started; empty: the system does not tell. */
  readonly boot: string;
  /** Where the numbers of processes are counted, such as a container; empty: the system does not tell. */
  readonly numbering: string;
  readonly host: string;
  /** The name of a socket that it listens on; empty: it could not make one. */
  readonly socket: string;
  /** An id that this program gives itself when it starts. */
  readonly program: string;
}

const PROGRAM = randomUUID();
const NONE = '-';

/** What this process writes into a lock. */
export async function thisHolder(socket: string): Promise<LockHolder> {
  return {
    process: process.pid,
    start: await startOf(process.pid),
    boot: (await readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(() => '')).trim(),
    numbering: await readlink('/proc/self/ns/pid').catch(() => ''),
    host: encodeURIComponent(hostname()),
    socket,
    program: PROGRAM,
  };
}

export const holderText = ({ process: number, start, boot, numbering, host, socket, program }: LockHolder): string =>
  [number, start, boot, numbering, host, socket, program].map((part) => (part === '' ? NONE : part)).join(' ');

/** The holder in a text; `undefined`: it names none. Earlier versions wrote the number, and when the process was started. */
function holderIn(text: string): LockHolder | undefined {
  const [number = '', ...parts] = text.split(' ').map((part) => (part === NONE ? '' : part));
  const holder = Number(number);
  if (!Number.isSafeInteger(holder) || holder <= 0) return undefined;
  const [start = '', boot = '', numbering = '', host = '', socket = '', program = ''] = parts;
  return { process: holder, start, boot, numbering, host, socket, program };
}

/**
 * Whether another process that lives has the lock of a folder. Where nobody can tell, since it is on another machine or its
 * container is not this one, it does.
 */
async function isOfAnother(holder: LockHolder, folder: string): Promise<boolean> {
  if (holder.program === PROGRAM) return false;
  const own = await thisHolder('');
  if (holder.boot === '' || own.boot === '') {
    if (holder.host !== '' && holder.host !== own.host) return true;
  } else if (holder.boot !== own.boot) {
    // The machine was started anew since then; of another machine nothing can be told from here.
    return holder.host !== own.host;
  }
  if (holder.socket !== '') return answersIn(folder, holder.socket);
  if (holder.numbering !== own.numbering && holder.numbering !== '') return true;
  return holder.process !== process.pid && isRunning(holder);
}

/** Whether a process of this numbering runs, and is the one that was started then. */
async function isRunning({ process: number, start }: LockHolder): Promise<boolean> {
  if (!lives(number)) return false;
  const now = await startOf(number);
  if (now === DEAD) return false;
  return now === '' || start === '' || now === start;
}

function lives(number: number): boolean {
  try {
    return process.kill(number, 0);
  } catch (cause) {
    return codeOf(cause) === 'EPERM';
  }
}

const DEAD = 'dead';

/** When a process was started, where the system tells it. One that was killed keeps its number until its parent hears of it. */
async function startOf(number: number): Promise<string> {
  const stat = await readFile(`/proc/${number}/stat`, 'latin1').catch(() => '');
  // The name before the bracket may hold spaces; of what follows, this is the 22nd field of proc(5).
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields[0] === 'Z' || fields[0] === 'X' ? DEAD : (fields[19] ?? '');
}

/** Sockets that show whether a process lives: the system closes them when it ends, whichever way it ends. */

/** Maximum bytes of the path of a socket on every system. */
const LONGEST_PATH = 100;

/** A socket that this process listens on. */
export interface LockSocket {
  /** The name of its file in the folder. */
  readonly name: string;
  readonly close: () => Promise<void>;
}

/**
 * Listens on a socket in a folder. Processes of the same kernel reach it, in whichever container they are, as long as they see
 * the folder; it keeps no process alive.
 *
 * @returns `undefined` where the system, or the file system, has no such sockets
 * @example const socket = await listenIn('out/.headwater/journal');
 */
async function listenIn(folder: string): Promise<LockSocket | undefined> {
  const name = `lock-${randomUUID()}.sock`;
  const place = shortly(folder);
  const path = join(place.folder, name);
  if (Buffer.byteLength(path) > LONGEST_PATH) return undefined;
  const server = createServer((socket) => socket.destroy());
  const isListening = await new Promise<boolean>((resolve) => {
    server.once('error', () => resolve(false));
    server.listen(path, () => resolve(true));
  });
  if (!isListening) {
    place.leave();
    return undefined;
  }
  server.unref();
  await chmod(join(folder, name), PRIVATE_FILE);
  return {
    name,
    close: async () => {
      await new Promise((resolve) => server.close(resolve));
      place.leave();
      await rm(join(folder, name), { force: true });
    },
  };
}

/** Whether somebody listens on the socket of this name; in doubt, somebody does. */
async function answersIn(folder: string, name: string): Promise<boolean> {
  const place = shortly(folder);
  try {
    return await new Promise<boolean>((resolve) => {
      const socket = connect(join(place.folder, name), () => {
        socket.destroy();
        resolve(true);
      });
      socket.once('error', (error) => resolve(!['ECONNREFUSED', 'ENOENT'].includes(codeOf(error) ?? '')));
    });
  } finally {
    place.leave();
  }
}

/** The folder by a short path: longer ones are cut where a socket is made, so that it would lie somewhere else. */
function shortly(folder: string): { readonly folder: string; readonly leave: () => void } {
  if (process.platform !== 'linux') return { folder, leave: () => undefined };
  const descriptor = openSync(folder, 'r');
  return { folder: `/proc/self/fd/${descriptor}`, leave: () => closeSync(descriptor) };
}
