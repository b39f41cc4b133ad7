import { spawn } from 'node:child_process';
import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { join } from 'node:path';
import { Console } from 'node:console';
import { Readable, Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { describe as describeFailure, EXIT } from '../../src/cli/exit-status';
import { program } from '../../src/cli/program';
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

/** Runs the command to its end, in a process of its own. */
export const runApart = (args: readonly string[], input = ''): Promise<Ended> => startCommand(args, input).ended();

/** What `process.exit` throws in a command that runs in this process. */
class Exit extends Error {
  constructor(readonly status: number) {
    super(`process.exit(${status})`);
  }
}

/** What a stream was given, without a terminal behind it. */
function collector(): { readonly stream: Writable; readonly text: () => string } {
  const chunks: Buffer[] = [];
  const stream = new Writable({
    write: (chunk: Buffer, _, done) => {
      chunks.push(chunk);
      done();
    },
  });
  return { stream, text: () => Buffer.concat(chunks).toString() };
}

/** Runs `work` with other members of `process`. */
async function withProcess<T>(members: Readonly<Record<string, unknown>>, work: () => Promise<T>): Promise<T> {
  const before = Object.keys(members).map((name) => [name, Object.getOwnPropertyDescriptor(process, name)] as const);
  for (const [name, value] of Object.entries(members))
    Object.defineProperty(process, name, { value, configurable: true, writable: true, enumerable: true });
  try {
    return await work();
  } finally {
    for (const [name, descriptor] of before)
      if (descriptor === undefined) Reflect.deleteProperty(process, name);
      else Object.defineProperty(process, name, descriptor);
  }
}

async function statusOf(args: readonly string[]): Promise<number> {
  let status: number | undefined;
  try {
    await program((ended) => (status = ended)).parseAsync([process.execPath, 'headwater', ...args]);
  } catch (error) {
    if (error instanceof Exit) return error.status;
    process.stderr.write(`${describeFailure(error)}\n`);
    return EXIT.programError;
  }
  return status ?? EXIT.programError;
}

/** Commands that run in this process share its standard streams: one at a time. */
let running: Promise<unknown> = Promise.resolve();

/**
 * Runs the command to its end, in this process: to start one of its own takes longer than most commands. What is about the process
 * itself (its signals, its end, what it loads) is a matter of {@link runApart}.
 */
export function runToEnd(args: readonly string[], input = ''): Promise<Ended> {
  const run = async (): Promise<Ended> => {
    const [stdout, stderr] = [collector(), collector()];
    const exit = (code?: number): never => {
      throw new Exit(code ?? 0);
    };
    const stdin = Readable.from(input === '' ? [] : [Buffer.from(input)]);
    const members = { stdout: stdout.stream, stderr: stderr.stream, stdin, exit, exitCode: undefined };
    const { console } = globalThis;
    // The logger writes to the streams of the console.
    globalThis.console = new Console({ stdout: stdout.stream, stderr: stderr.stream });
    const status = await withProcess(members, () => statusOf(args)).finally(() => (globalThis.console = console));
    return { status, stdout: stdout.text(), stderr: stderr.text() };
  };
  const ended = running.then(run);
  running = ended.catch(() => undefined);
  return ended;
}
