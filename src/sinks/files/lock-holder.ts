/** The process that holds a lock, and whether it still lives. */
import { randomUUID } from 'node:crypto';
import { readFile, readlink } from 'node:fs/promises';
import { hostname } from 'node:os';
import { codeOf } from './durable-files';
import { answersIn } from './lock-socket';

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
export function holderIn(text: string): LockHolder | undefined {
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
export async function isOfAnother(holder: LockHolder, folder: string): Promise<boolean> {
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
