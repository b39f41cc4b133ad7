import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = join(dirname(fileURLToPath(import.meta.url)), '../..');
/** The programs that use the package. */
export const PROGRAMS = join(ROOT, 'scripts', 'package', 'programs');

/** What every program prints at its end. */
const EXPECTED = '5 stations: A1 B2 C3 D4 E5';

/** Runs a program; gives its standard output. */
export function run(folder, program, args) {
  const { stdout, stderr, status, error } = spawnSync(program, args, { cwd: folder, encoding: 'utf8' });
  if (error !== undefined) throw error;
  if (status === 0) return stdout.trim();
  throw new Error(`${program} ${args.join(' ')} in ${folder} ended with status ${status}:\n${stdout}\n${stderr}`);
}

/** Runs a program of Node.js; gives the last line that it printed. */
export const said = (folder, args) => run(folder, process.execPath, args).split('\n').at(-1);

/** Does one thing, and says that it did. */
export function step(name, work) {
  const begin = performance.now();
  const result = work() ?? '';
  console.log(`${name}: ${result} (${((performance.now() - begin) / 1000).toFixed(1)} s)`);
}

/** That a program ran to its end, which the exit status alone does not tell of a promise that is never settled. */
export function extracted(folder, args) {
  const line = said(folder, args);
  if (line !== EXPECTED)
    throw new Error(`${args.join(' ')} in ${folder} should end with "${EXPECTED}", and printed "${line}".`);
  return line;
}
