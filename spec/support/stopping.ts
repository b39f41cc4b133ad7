/**
 * Stops work before the n-th change that it makes to files or databases, as if its process had been killed there, or the machine had lost its
 * power: nothing that it would do afterwards is done. Other work in this process goes on. Or holds work there while another process works.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import fs from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { Server } from 'node:net';
import { DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { openSqlite } from '../../src/sinks/sqlite/driver';
import { NEEDS_SQLITE } from './sqlite';

/** What is left of changes that were not yet flushed to the disk: all of them, half of each file's, or none. */
export type Loss = 'nothing' | 'half' | 'all';

type Call = (this: unknown, ...args: unknown[]) => unknown;
type Owner = Record<string, unknown>;

/** These are replaced below. */
const { existsSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } = fs;

/** One process, as it were. */
class Process {
  changes = 0;
  isStopped = false;
  /** The sizes that files had when they were flushed last; absent where nothing was written since. */
  readonly unflushed = new Map<string, number>();
  readonly databases = new Set<DuckDBInstance>();
  readonly handles = new Set<FileHandle>();
  readonly servers = new Set<Server>();
  /** Connections to databases of SQLite, with their files. */
  readonly connections = new Map<Closed, string>();
  readonly stopped: Promise<void>;
  #stop: () => void = () => undefined;
  #isHeld = false;

  constructor(
    readonly last: number,
    readonly loss: Loss,
    readonly meanwhile?: () => Promise<void>,
  ) {
    this.stopped = new Promise((resolve) => (this.#stop = resolve));
  }

  /** Returns a promise that a change waits for; `undefined`: it does not wait. */
  held(): Promise<void> | undefined {
    if (this.meanwhile === undefined || this.#isHeld || this.changes < this.last) return undefined;
    this.#isHeld = true;
    return processes.exit(this.meanwhile);
  }

  /** Counts a change. @returns false if it is not made */
  count(): boolean {
    if (this.isStopped) return false;
    this.changes += 1;
    if (this.meanwhile !== undefined || this.changes < this.last) return true;
    this.stop();
    return false;
  }

  stop(): void {
    this.isStopped = true;
    for (const [path, size] of this.unflushed) this.#lose(path, size);
    for (const [connection, file] of this.connections) closeAsKilled(connection, file);
    this.#stop();
  }

  #lose(path: string, size: number): void {
    if (this.loss === 'nothing' || !existsSync(path)) return;
    const now = statSync(path).size;
    if (now > size) truncateSync(path, this.loss === 'half' ? size + Math.floor((now - size) / 2) : size);
  }

  wrote(path: string): void {
    if (!this.unflushed.has(path)) this.unflushed.set(path, existsSync(path) ? statSync(path).size : 0);
  }

  /** A file has as many paths as links. */
  flushed(path: string): void {
    this.unflushed.delete(path);
    if (!existsSync(path)) return;
    const { ino } = statSync(path);
    for (const other of this.unflushed.keys())
      if (existsSync(other) && statSync(other).ino === ino) this.unflushed.delete(other);
  }

  moved(from: string, to: string): void {
    const size = this.unflushed.get(from);
    this.unflushed.delete(from);
    if (size === undefined) this.unflushed.delete(to);
    else this.unflushed.set(to, size);
  }
}

const processes = new AsyncLocalStorage<Process>();
const NEVER = new Promise<never>(() => undefined);
/** Whose methods are synchronous, whatever their names are. */
const syncOwners = new Set<Owner>();
const paths = new WeakMap<object, string>();

/** Replaces methods by ones that count, and do nothing in a stopped process. */
function counting(
  owner: Owner,
  names: readonly string[],
  before: (own: Process, self: unknown, args: readonly unknown[]) => void,
): void {
  for (const name of names) {
    const original = owner[name] as Call | undefined;
    if (typeof original !== 'function') continue;
    owner[name] = function counted(this: unknown, ...args: unknown[]): unknown {
      const own = processes.getStore();
      if (own === undefined) return original.apply(this, args);
      const isSync = syncOwners.has(owner) || name.endsWith('Sync');
      if (!own.count()) return isSync ? stop() : NEVER;
      const change = (): unknown => {
        before(own, this, args);
        return original.apply(this, args);
      };
      return (isSync ? undefined : own.held()?.then(change)) ?? change();
    };
  }
}

function stop(): never {
  throw new Error('This process has stopped.');
}

const nothing = (): void => undefined;
const wroteFirst = (own: Process, _: unknown, [path]: readonly unknown[]): void => own.wrote(String(path));
const movedFirst = (own: Process, _: unknown, [from, to]: readonly unknown[]): void =>
  own.moved(String(from), String(to));

const promises = fs.promises as unknown as Owner;
counting(promises, ['appendFile', 'writeFile', 'truncate'], wroteFirst);
counting(promises, ['copyFile'], (own, _, [, to]) => own.wrote(String(to)));
counting(promises, ['rename'], movedFirst);
counting(promises, ['link', 'mkdir', 'mkdtemp', 'rm', 'rmdir', 'symlink', 'unlink'], nothing);
const all = fs as unknown as Owner;
counting(all, ['renameSync'], movedFirst);
counting(all, ['writeFileSync', 'appendFileSync', 'truncateSync'], wroteFirst);
counting(all, ['mkdirSync', 'rmSync', 'unlinkSync'], nothing);

/** Streams write by numbers of files. */
const numbers = new Map<number, string>();
const open = all['open'] as Call;
all['open'] = function opened(this: unknown, ...args: unknown[]): unknown {
  const own = processes.getStore();
  const done = args.at(-1) as (error: unknown, file: number) => void;
  if (own === undefined) return open.apply(this, args);
  if (own.isStopped) return undefined;
  return open.apply(this, [
    ...args.slice(0, -1),
    (error: unknown, file: number) => {
      if (typeof file === 'number') numbers.set(file, String(args[0]));
      done(error, file);
    },
  ]);
};
for (const name of ['write', 'writev']) {
  const original = all[name] as Call;
  all[name] = function written(this: unknown, ...args: unknown[]): unknown {
    const own = processes.getStore();
    if (own !== undefined && !own.count()) return undefined;
    const path = numbers.get(args[0] as number);
    if (path !== undefined) own?.wrote(path);
    return original.apply(this, args);
  };
}

const openHandle = promises['open'] as Call;
let hasHandles = false;
promises['open'] = async function opened(this: unknown, ...args: unknown[]): Promise<unknown> {
  const own = processes.getStore();
  if (own?.isStopped === true) return NEVER;
  const handle = (await openHandle.apply(this, args)) as FileHandle;
  paths.set(handle, String(args[0]));
  own?.handles.add(handle);
  if (hasHandles) return handle;
  hasHandles = true;
  const methods = Object.getPrototypeOf(handle) as Owner;
  const wroteHandle = (process: Process, self: unknown): void => process.wrote(paths.get(self as object) ?? '');
  counting(methods, ['appendFile', 'truncate', 'write', 'writeFile', 'writev'], wroteHandle);
  counting(methods, ['sync', 'datasync'], (process, self) => process.flushed(paths.get(self as object) ?? ''));
  return handle;
};

const servers = Server.prototype as unknown as Owner;
const listen = servers['listen'] as Call;
servers['listen'] = function listened(this: Server, ...args: unknown[]): unknown {
  processes.getStore()?.servers.add(this);
  return listen.apply(this, args);
};

counting(DuckDBConnection.prototype as unknown as Owner, ['run'], nothing);
const create = DuckDBInstance.create.bind(DuckDBInstance);
DuckDBInstance.create = async (...args) => {
  const own = processes.getStore();
  if (own === undefined) return create(...args);
  if (!own.count()) return NEVER;
  const made = await create(...args);
  own.databases.add(made);
  return made;
};

type Closed = { readonly close: () => unknown };
const killed = new WeakSet<Closed>();

/** Closes a connection to a database of SQLite, and leaves its files as they were: who is killed rolls nothing back. */
function closeAsKilled(connection: Closed, file: string): void {
  const left = [file, `${file}-journal`, `${file}-wal`].map((path) => [path, bytesOf(path)] as const);
  connection.close();
  killed.add(connection);
  for (const [path, bytes] of left)
    if (bytes === undefined) rmSync(path, { force: true });
    else writeFileSync(path, bytes);
}

const bytesOf = (path: string): Buffer | undefined => (existsSync(path) ? readFileSync(path) : undefined);

if (NEEDS_SQLITE === undefined) {
  const connection = openSqlite(':memory:');
  const methods = Object.getPrototypeOf(connection) as Owner;
  const statements = Object.getPrototypeOf(connection.prepare('SELECT 1')) as Owner;
  connection.close();
  for (const owner of [methods, statements]) syncOwners.add(owner);
  counting(methods, ['exec'], (own, self) => {
    const named = (self as ReturnType<typeof openSqlite>).prepare('SELECT file FROM pragma_database_list');
    const [{ file } = {}] = processes.exit(() => named.all());
    own.connections.set(self as Closed, String(file));
  });
  counting(statements, ['run', 'all'], nothing);
  const close = methods['close'] as Call;
  methods['close'] = function closed(this: Closed): unknown {
    processes.getStore()?.connections.delete(this);
    return killed.has(this) ? undefined : close.apply(this);
  };
}

/**
 * Does work as a process of its own would that stops before a change.
 *
 * @param last the number of the change that is not made any more; `Infinity` for none
 * @param loss what becomes of changes that were not flushed
 * @returns the number of its changes, and whether it came to its end
 */
export async function stoppedBefore(
  last: number,
  loss: Loss,
  work: () => Promise<void>,
): Promise<{ readonly changes: number; readonly hasEnded: boolean }> {
  const own = new Process(last, loss);
  let hasEnded = false;
  const worked = processes.run(own, work).then(
    () => (hasEnded = !own.isStopped),
    (error: unknown) => {
      // Whatever fails in a process that has stopped was stopped.
      if (!own.isStopped) throw error;
    },
  );
  await Promise.race([worked, own.stopped]);
  if (own.isStopped) {
    for (const database of own.databases) database.closeSync();
    for (const handle of own.handles) await handle.close();
    for (const server of own.servers) server.close();
  }
  return { changes: own.changes, hasEnded };
}

/** Stops the process that calls it. @throws always */
export function stopHere(): never {
  processes.getStore()?.stop();
  return stop();
}

/**
 * Does work as a process of its own would that is slow: before a change, others work.
 *
 * @param at the number of the change that waits, or of the first one behind it that can
 * @param meanwhile what others do before that change; it is done once, or not at all
 * @throws what the work throws
 */
export const heldBefore = (at: number, meanwhile: () => Promise<void>, work: () => Promise<void>): Promise<void> =>
  processes.run(new Process(at, 'nothing', meanwhile), work);
