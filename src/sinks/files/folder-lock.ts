import { randomUUID } from 'node:crypto';
import { closeSync, openSync } from 'node:fs';
import { chmod, link, readFile, readlink, rename, rm, writeFile } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { FatalError } from '../../core/errors/errors';
import { PRIVATE_FILE, codeOf, fileFailure } from './durable-files';

/** The maximum number of attempts to take a lock; processes that start at the same moment cannot take it from each other more often. */
const ATTEMPTS = 5;
/** Milliseconds: a lock that is empty for longer was left by a process that died while it made it. */
const WRITING = 100;
/** The error codes of file systems without hard links. */
const WITHOUT_LINKS: ReadonlySet<string> = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS']);

/**
 * Locks a folder against other processes as long as this one lives, including processes of other containers that share the folder. A killed
 * process locks nobody out. This process itself may take the lock again.
 *
 * @returns a function that releases the lock
 * @throws FatalError DESTINATION_LOCKED when a live process has the folder, or one whose state is unknown here
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
 * Checks who has the lock of a folder, without taking it.
 *
 * @returns the error that `lockFolder` would throw; `undefined`: it would take the lock
 */
export async function holdOf(folder: string): Promise<FatalError | undefined> {
  const path = join(folder, 'lock');
  const text = (await textIn(path)) ?? '';
  const holder = holderIn(text);
  return holder !== undefined && (await isOfAnother(holder, folder)) ? refusal(folder, path, text) : undefined;
}

/** Makes the lock at a path, or takes it over from a dead process. */
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

/** Makes a lock that nobody has, in one step with its text, so that no process takes it for a half-made one. */
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

/** Writes a file; returns false if there is one. */
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
  await isWritten(beside, own);
  return beside;
}

/** Returns the text of a lock; `undefined`: there is none, which differs from an empty one. */
const textIn = (path: string): Promise<string | undefined> =>
  readFile(path, 'utf8').catch((cause: unknown) => (codeOf(cause) === 'ENOENT' ? undefined : ''));

/** Returns the text of the lock, after waiting for its owner to write it. */
async function writtenIn(path: string): Promise<string | undefined> {
  const text = await textIn(path);
  if (text !== '') return text;
  await sleep(WRITING);
  return textIn(path);
}

/**
 * Replaces the lock of a dead process. Only one process at a time may do so, and it checks again before: otherwise a slow process would
 * remove the lock of another one that did the same just before.
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

/** Removes the socket of a killed process; its name comes from a file that may have been changed. */
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

/** The process that holds a lock. Process ids alone are not enough, since each container has its own. */
export interface LockHolder {
  /** The process id in its own namespace. */
  readonly process: number;
  /** The start of the process, in ticks since the start of the kernel; empty: the system does not report it. */
  readonly start: string;
  /** The boot id of the kernel; empty: the system does not report it. */
  readonly boot: string;
  /** The namespace of process ids, such as a container; empty: the system does not report it. */
  readonly numbering: string;
  readonly host: string;
  /** The name of a socket that it listens on; empty: it could not make one. */
  readonly socket: string;
  /** An id that this program generates at its start. */
  readonly program: string;
}

const PROGRAM = randomUUID();
const NONE = '-';

/** Returns the content of a lock of this process. */
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

/** Returns the holder in a string; `undefined`: it names none. */
function holderIn(text: string): LockHolder | undefined {
  const [number = '', ...parts] = text.split(' ').map((part) => (part === NONE ? '' : part));
  const holder = Number(number);
  if (!Number.isSafeInteger(holder) || holder <= 0) return undefined;
  const [start = '', boot = '', numbering = '', host = '', socket = '', program = ''] = parts;
  return { process: holder, start, boot, numbering, host, socket, program };
}

/**
 * Returns whether another live process has the lock of a folder. If this is unknown, because it is on another machine or in another
 * container, it counts as alive.
 */
async function isOfAnother(holder: LockHolder, folder: string): Promise<boolean> {
  if (holder.program === PROGRAM) return false;
  const own = await thisHolder('');
  if (holder.boot === '' || own.boot === '') {
    if (holder.host !== '' && holder.host !== own.host) return true;
  } else if (holder.boot !== own.boot) {
    // The machine was restarted since then; the state of another machine is unknown here.
    return holder.host !== own.host;
  }
  if (holder.socket !== '') return answersIn(folder, holder.socket);
  if (holder.numbering !== own.numbering && holder.numbering !== '') return true;
  return holder.process !== process.pid && isRunning(holder);
}

/** Returns whether a process of this namespace runs, and started at that time. */
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

/** Returns the start of a process, if the system reports it. A killed process keeps its id until its parent reaps it. */
async function startOf(number: number): Promise<string> {
  const stat = await readFile(`/proc/${number}/stat`, 'latin1').catch(() => '');
  // The name before the bracket may contain spaces; this is the 22nd field of proc(5).
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields[0] === 'Z' || fields[0] === 'X' ? DEAD : (fields[19] ?? '');
}

/** The maximum bytes of the path of a socket on every system. */
const LONGEST_PATH = 100;

/** A socket that this process listens on, which shows that it lives: the system closes it when the process ends in any way. */
export interface LockSocket {
  /** The name of its file in the folder. */
  readonly name: string;
  readonly close: () => Promise<void>;
}

/**
 * Listens on a socket in a folder. Processes of the same kernel can reach it from any container that sees the folder; it does not keep the
 * process alive.
 *
 * @returns `undefined` if the system, or the file system, has no such sockets
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

/** Returns whether a process listens on the socket of this name; if in doubt, true. */
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

/** Returns the folder by a short path: the system cuts longer paths, and the socket would be somewhere else. */
function shortly(folder: string): { readonly folder: string; readonly leave: () => void } {
  if (process.platform !== 'linux') return { folder, leave: () => undefined };
  const descriptor = openSync(folder, 'r');
  return { folder: `/proc/self/fd/${descriptor}`, leave: () => closeSync(descriptor) };
}
