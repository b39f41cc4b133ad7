import { spawn } from 'node:child_process';
import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { needsBuild } from './build';
import { closedInTheEnd } from './opened';

/** The built command: `npm test` builds it first. */
export const COMMAND = needsBuild(join('cli', 'main.js'));

export interface Ended {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Started {
  readonly child: ChildProcessWithoutNullStreams;
  /** Resolves to the exit status. */
  readonly closed: Promise<number | null>;
  /** Resolves to all that it printed; fails if its output is cut off. */
  readonly ended: () => Promise<Ended>;
}

/** Starts the command; it has to exit by itself. */
export function startCommand(args: readonly string[], input = ''): Started {
  const child = spawn(process.execPath, [COMMAND, ...args], { stdio: 'pipe', env: process.env });
  closedInTheEnd(() => child.kill('SIGKILL'));
  child.stdin.end(input);
  const closed = new Promise<number | null>((resolve) => child.once('close', (code) => resolve(code)));
  const ended = async (): Promise<Ended> => {
    const [status, stdout, stderr] = await Promise.all([closed, text(child.stdout), text(child.stderr)]);
    return { status, stdout, stderr };
  };
  return { child, closed, ended };
}

/** Runs the command to its end. */
export const runToEnd = (args: readonly string[], input = ''): Promise<Ended> => startCommand(args, input).ended();
