/** Temporal servers for specs, and workers of the built command. */
import { execFile, spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { COMMAND } from './command';
import { closedInTheEnd } from './opened';

const run = promisify(execFile);
const SCRIPT = resolve(__dirname, '../../scripts/temporal.sh');

/** The key of the clusters of specs. */
export const KEY = 'a key that all of them have';

/** Where no usual system and no other spec takes ports: a server has ten, and finds them free when it is started again. */
const FIRST_PORT = 11_000;
const SERVERS = 390;

/** A Temporal server that a spec may kill. */
export interface TemporalServer {
  readonly port: number;
  /** As by a crash, and then a start on the same store. */
  readonly restart: () => Promise<void>;
  readonly stop: () => Promise<void>;
}

/** @param events a workflow begins anew after so many events; default: that of the server, 4,096 */
export async function temporalServer(events?: number): Promise<TemporalServer> {
  const store = await mkdtemp(join(tmpdir(), 'headwater-temporal-'));
  if (events !== undefined)
    await writeFile(join(store, 'limits.yaml'), `limit.historyCount.suggestContinueAsNew: [{ value: ${events} }]\n`);
  const port = FIRST_PORT + 10 * Math.floor(Math.random() * SERVERS);
  const env = { ...process.env, HEADWATER_TEMPORAL_STORE: store, HEADWATER_TEMPORAL_PORT: String(port) };
  await run(SCRIPT, ['start'], { env });
  return {
    port,
    restart: async () => {
      await run(SCRIPT, ['stop', '-9'], { env });
      await run(SCRIPT, ['start'], { env });
    },
    stop: closedInTheEnd(async () => {
      await run(SCRIPT, ['stop', '-9'], { env });
      await rm(store, { recursive: true });
    }),
  };
}

/** Workers, which are killed at the end of the spec. */
export interface Workers {
  readonly start: (flags?: readonly string[], env?: NodeJS.ProcessEnv) => ChildProcess;
  /** What a worker has written. */
  readonly outputOf: (worker: ChildProcess) => string;
  readonly kill: () => void;
}

/** Makes workers of a queue. */
export function workersOf(address: string, queue: string): Workers {
  const all = new Map<ChildProcess, string[]>();
  const kill = (): void => {
    for (const worker of all.keys()) {
      worker.kill('SIGCONT');
      worker.kill('SIGKILL');
    }
    all.clear();
  };
  closedInTheEnd(kill);
  return {
    start: (flags = [], env = {}) => {
      const place = ['--temporal', address, '--task-queue', queue];
      const worker = spawn(process.execPath, [COMMAND, 'worker', ...place, ...flags], {
        ...{ stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, HEADWATER_KEY: KEY, ...env } },
      });
      const output: string[] = [];
      for (const stream of [worker.stdout, worker.stderr])
        stream.on('data', (chunk: Buffer) => output.push(String(chunk)));
      all.set(worker, output);
      return worker;
    },
    outputOf: (worker) => (all.get(worker) ?? []).join(''),
    kill,
  };
}
