import { link, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { FatalError } from '../../errors';
import { codeOf, fileFailure, PRIVATE_FILE } from './durable-files';

/** More often than a lock can be taken away in between by others that start at the same moment. */
const ATTEMPTS = 5;
/** Milliseconds: a lock that is empty for longer was left by a process that died while it made it. */
const WRITING = 100;

/**
 * Keeps other processes out of a folder, as long as this one lives.
 *
 * @returns lets them in again
 * @throws FatalError DESTINATION_LOCKED when a process that lives has the folder
 * @example const unlock = await lockFolder('out/.headwater/journal');
 */
export async function lockFolder(folder: string): Promise<() => Promise<void>> {
  const path = join(folder, 'lock');
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    if (await isMade(path)) return () => rm(path, { force: true });
    const text = await textIn(path);
    if (await isOfAnother(text)) throw refusal(folder, path, text);
    await takeAway(path, text);
  }
  throw refusal(folder, path, await textIn(path));
}

async function isMade(path: string): Promise<boolean> {
  try {
    const text = `${process.pid} ${await startOf(process.pid)}`;
    await writeFile(path, text, { flag: 'wx', mode: PRIVATE_FILE });
    return true;
  } catch (cause) {
    if (codeOf(cause) === 'EEXIST') return false;
    throw fileFailure(path, cause);
  }
}

async function textIn(path: string): Promise<string> {
  const read = (): Promise<string> => readFile(path, 'utf8').catch(() => '');
  const text = await read();
  if (text !== '') return text;
  await sleep(WRITING);
  return read();
}

/**
 * Whether a process that lives has the lock. Not this one: a container's program has the same number each time that it
 * starts. Nor one that got the number of a dead one, after the machine was started anew.
 */
async function isOfAnother(text: string): Promise<boolean> {
  const [number = '', start] = text.split(' ');
  const holder = Number(number);
  if (!Number.isSafeInteger(holder) || holder <= 0 || holder === process.pid || !lives(holder)) return false;
  const startNow = await startOf(holder);
  if (startNow === DEAD) return false;
  return startNow === '' || start === undefined || start === '' || startNow === start;
}

function lives(holder: number): boolean {
  try {
    return process.kill(holder, 0);
  } catch (cause) {
    return codeOf(cause) === 'EPERM';
  }
}

const DEAD = 'dead';

/** When a process was started, where the system tells it. One that was killed keeps its number until its parent hears of it. */
async function startOf(process: number): Promise<string> {
  const stat = await readFile(`/proc/${process}/stat`, 'latin1').catch(() => '');
  // The name before the bracket may hold spaces; of what follows, this is the 22nd field of proc(5).
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields[0] === 'Z' || fields[0] === 'X' ? DEAD : (fields[19] ?? '');
}

/** Removes the lock of a dead process, and not that of another one which did the same just before. */
async function takeAway(path: string, text: string): Promise<void> {
  const aside = `${path}.${process.pid}`;
  try {
    await rename(path, aside);
    if ((await readFile(aside, 'utf8')) !== text) await link(aside, path);
  } catch (cause) {
    if (!['ENOENT', 'EEXIST'].includes(codeOf(cause) ?? '')) throw fileFailure(path, cause);
  } finally {
    await rm(aside, { force: true });
  }
}

function refusal(folder: string, path: string, text: string): FatalError {
  const remedy = `Wait until it ends, or name another folder. If it is no such run, remove ${JSON.stringify(path)}.`;
  const message = `Another run (process ${text.split(' ', 1)[0]}) writes to the folder ${JSON.stringify(folder)}. ${remedy}`;
  return new FatalError('DESTINATION_LOCKED', message);
}
