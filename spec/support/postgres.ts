/** Databases of a real PostgreSQL server, and pages for them. */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { Client } from 'pg';
import type { RunManifest, Standing } from '../../src/core/durable-sink';
import type { Checkpoint, Item, Page } from '../../src/core/model';
import type { OutputPlan } from '../../src/plan/plan';
import { closedInTheEnd } from './opened';
import { ownPort } from './own-port';
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

/** What becomes of an operation: the server never gets it, does it and nobody hears of it, or does it when something else is done. */
export type Fate = 'unsent' | 'unanswered' | (() => Promise<unknown>);

/** A way to a server that can be cut. */
export interface Wire {
  readonly url: string;
  /** Once, the next command with this text reaches the server, and the connection is lost before the answer comes back. */
  readonly loseAnswerTo: (command: string) => void;
  /**
   * Sets what becomes of an operation of those that come from now on: statements, parts of a COPY, ends of transactions.
   *
   * @param isLast true if the client is killed then: the server loses it, and the client hears nothing any more
   */
  readonly at: (operation: number, fate: Fate, isLast?: boolean) => void;
  /** The number of operations since then. */
  readonly operations: () => number;
  /** Resolves when a client was killed. */
  readonly killed: Promise<void>;
  /** Lets nobody through any more. */
  readonly close: () => Promise<void>;
}

/** The messages of a client that the server does something for: Query, Execute, Sync, CopyData, CopyDone. */
const OPERATIONS = 'QESdc';

/** Returns the messages of a client as they become whole; the first one has no type. */
function messagesOf(): (chunk: Buffer) => readonly Buffer[] {
  let left = Buffer.alloc(0);
  let hasType = false;
  return (chunk) => {
    left = Buffer.concat([left, chunk]);
    const whole: Buffer[] = [];
    for (;;) {
      const at = hasType ? 1 : 0;
      const end = left.length < at + 4 ? Infinity : at + left.readUInt32BE(at);
      if (left.length < end) return whole;
      whole.push(left.subarray(0, end));
      left = left.subarray(end);
      hasType = true;
    }
  };
}

export async function wireTo(url: string): Promise<Wire> {
  const { hostname, port } = new URL(url);
  const sockets = new Set<Socket>();
  let awaited: string | undefined;
  let operations = 0;
  let planned: { readonly operation: number; readonly fate: Fate; readonly isLast: boolean } | undefined;
  let isKilled = false;
  let kill: () => void = () => undefined;
  const killed = new Promise<void>((resolve) => (kill = resolve));
  const planFor = (message: Buffer, hasType: boolean): { readonly fate?: Fate; readonly isLast?: boolean } => {
    if (awaited !== undefined && message.includes(awaited)) {
      awaited = undefined;
      return { fate: 'unanswered' };
    }
    if (!hasType || !OPERATIONS.includes(message.toString('latin1', 0, 1))) return {};
    operations += 1;
    return operations === planned?.operation ? planned : {};
  };
  const server = createServer((near) => {
    const far = connect(Number(port), hostname);
    const messages = messagesOf();
    let sent = Promise.resolve();
    let isFirst = true;
    let isMute = false;
    const cut = (): void => {
      far.destroy();
      if (!isKilled) near.destroy();
    };
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on('error', cut).on('close', cut);
    }
    const send = async (message: Buffer): Promise<void> => {
      if (isKilled) return;
      const { fate, isLast = false } = planFor(message, !isFirst);
      isFirst = false;
      if (typeof fate === 'function') await fate();
      isKilled ||= isLast;
      if (fate !== 'unsent') far.write(message);
      if (isLast) {
        // What was sent before is done, however the client ended.
        far.end();
        kill();
      } else if (fate === 'unsent') cut();
      if (fate === 'unanswered') isMute = true;
    };
    near.on('data', (chunk) => {
      for (const message of messages(chunk)) sent = sent.then(() => send(message));
    });
    far.on('data', (chunk) => {
      if (isMute) cut();
      else near.write(chunk);
    });
  });
  const own = await ownPort();
  await new Promise<void>((resolve) => server.listen(own, '127.0.0.1', resolve));
  const wired = new URL(url);
  wired.port = String(own);
  return {
    url: wired.href,
    loseAnswerTo: (command) => (awaited = command),
    at: (operation, fate, isLast = false) => {
      operations = 0;
      planned = { operation, fate, isLast };
    },
    operations: () => operations,
    killed,
    close: closedInTheEnd(() => {
      server.close();
      for (const socket of sockets) socket.destroy();
    }),
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
