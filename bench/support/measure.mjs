import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { milliseconds } from './clock.mjs';

const wrapper = fileURLToPath(new URL('usage.py', import.meta.url));
const hasPython = spawnSync('python3', ['--version']).status === 0;

/**
 * Runs a command to its end.
 *
 * @param command the program and its arguments
 * @param output the file that takes its standard output
 * @param env further variables of its environment
 * @param silent whether what it complains of is dropped
 * @returns times of the shared clock (`begin`, `end`, milliseconds), `seconds`, `cpu` (user and system, seconds) and
 *   `memory` (largest resident set, MiB). Without python3 on the machine, `cpu` and `memory` are NaN.
 * @throws Error when it fails
 */
export async function measure(command, { output = '/dev/null', env = {}, silent = false } = {}) {
  const descriptor = openSync(output, 'w');
  const [program, ...args] = hasPython ? ['python3', wrapper, ...command] : command;
  const begin = milliseconds();
  const child = spawn(program, args, {
    stdio: ['ignore', descriptor, silent ? 'ignore' : 'inherit', 'pipe'],
    env: { ...process.env, ...env },
  });
  closeSync(descriptor);
  const [report, [exitStatus]] = await Promise.all([text(child.stdio[3]), once(child, 'close')]);
  const usage = hasPython
    ? JSON.parse(report)
    : { status: exitStatus, begin, end: milliseconds(), cpu: Number.NaN, memory: Number.NaN };
  if (usage.status !== 0) throw new Error(`${command.join(' ')} ended with status ${usage.status}`);
  return { ...usage, seconds: (usage.end - usage.begin) / 1000 };
}
