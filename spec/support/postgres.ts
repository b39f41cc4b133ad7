/** Databases of a real PostgreSQL server, and pages for them. */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { Client } from 'pg';
import type { RunManifest, Standing } from '../../src/core/durable-sink';
import type { Checkpoint, Item, Page } from '../../src/core/model';
import type { OutputPlan } from '../../src/plan/plan';
import { aPage } from './pages';

const run = promisify(execFile);
const SERVICES = resolve(__dirname, '../../scripts/services.sh');

/** Specs that need a server are skipped where there is none. */
export const describeWithPostgres: jest.Describe =
  process.env.HEADWATER_TEST_POSTGRES === undefined ? describe.skip : describe;
export const NEEDS = '(needs HEADWATER_TEST_POSTGRES: scripts/services.sh run npm test)';

export type Rows = readonly Readonly<Record<string, unknown>>[];

/** A database of its own, seen by somebody who is not Headwater. */
export interface TestDatabase {
  readonly url: string;
  readonly query: (sql: string) => Promise<Rows>;
  /** Also of whoever else is connected. */
  readonly drop: () => Promise<void>;
}

export async function testDatabase(server = process.env.HEADWATER_TEST_POSTGRES ?? ''): Promise<TestDatabase> {
  const name = `spec ${process.pid} ${Date.now()}`;
  const once = async (url: string, sql: string): Promise<Rows> => {
    const client = new Client({ connectionString: url });
    await client.connect();
    try {
      return (await client.query<Record<string, unknown>>(sql)).rows;
    } finally {
      await client.end();
    }
  };
  await once(server, `CREATE DATABASE "${name}"`);
  const url = new URL(server);
  url.pathname = `/${encodeURIComponent(name)}`;
  return {
    url: url.href,
    query: (sql) => once(url.href, sql),
    drop: async () => {
      await once(server, `DROP DATABASE "${name}" WITH (FORCE)`);
    },
  };
}

/** A server that a spec may stop as it likes. */
export interface TestServer {
  readonly url: string;
  /** As after a power cut: nobody is told, nothing is tidied up. */
  readonly restart: () => Promise<void>;
  readonly stop: () => Promise<void>;
}

export async function testServer(): Promise<TestServer> {
  const folder = await mkdtemp(join(tmpdir(), 'headwater-postgres-'));
  const env = { ...process.env, HEADWATER_SERVICES: folder };
  await run('chmod', ['755', folder]);
  const { stdout } = await run(SERVICES, ['start', 'postgres'], { env });
  const text = await readFile(stdout.trim(), 'utf8');
  const values = new Map(text.split('\n').map((line) => line.split(/=(.*)/s, 2) as [string, string]));
  const value = (name: string): string => values.get(`HEADWATER_TEST_POSTGRES${name}`) ?? '';
  const restart = [value('_CTL'), 'restart', '-w', '-m', 'immediate', '-D', value('_DATA')];
  restart.push('-l', join(value('_DATA'), 'server.log'));
  const command = process.getuid?.() === 0 ? ['runuser', '-u', value('_USER'), '--', ...restart] : restart;
  return {
    url: value(''),
    restart: async () => {
      await run(command[0] ?? '', command.slice(1), { cwd: '/' });
    },
    stop: async () => {
      await run(SERVICES, ['stop'], { env });
      await rm(folder, { recursive: true });
    },
  };
}

export const full: OutputPlan = { incremental: false, compatLevel: 3 };
export const append: OutputPlan = { incremental: true, compatLevel: 3 };
export const keyed = (dataType: string, ...columns: readonly string[]): OutputPlan => ({
  ...append,
  primaryKeys: new Map([[dataType, columns]]),
});

export const aHead = (id: string): RunManifest => ({ id, fingerprint: 'f', startedAt: 1, previousStart: 0 });

/** A page of a table. */
export function tablePage(dataType: string, items: readonly Item[], changes: Partial<Page> = {}): Page {
  return aPage(items, { job: { id: dataType, path: 'config.jobs[0]', endpoint: 'e', dataType }, ...changes });
}

/** A checkpoint of a call: the first page of it, unless said otherwise. */
export const at = (call: readonly number[], pages = 1): Checkpoint => ({
  call,
  job: 'j',
  pages,
  items: 0,
  volume: 0,
  position: 9007199254740993n,
});

export async function checkpointsOf({ unfinished }: Standing): Promise<readonly Checkpoint[]> {
  const all: Checkpoint[] = [];
  for await (const checkpoint of unfinished?.checkpoints() ?? []) all.push(checkpoint);
  return all;
}
