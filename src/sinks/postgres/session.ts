import { setTimeout as delay } from 'node:timers/promises';
import { inspect } from 'node:util';
import type { Client } from 'pg';
import { FatalError } from '../../core/errors/errors';
import type { ErrorCode } from '../../core/errors/errors';
import { optionalPackage } from '../../core/optional-package';
import { inTransaction as transaction } from '../sql';
import type { PostgresAddress } from './address';

/** One connection to PostgreSQL at a time, restored when it is lost. */
export interface PostgresSession {
  /**
   * Does work on the connection, one task after the other. If the connection is lost, the task is repeated on a new one and has to find out
   * itself what is already done.
   *
   * @param code the code of the FatalError when it fails for good
   */
  readonly attempt: <T>(code: ErrorCode, work: (client: Client) => Promise<T>) => Promise<T>;
  /** Stops all waiting for a connection, until the session is closed. */
  readonly interrupt: () => void;
  /** Waits for the current work, but not for a connection. */
  readonly close: () => Promise<void>;
}

interface Link {
  readonly client: Client;
  lost: boolean;
}

/** Milliseconds to wait for a connection. */
const CONNECT_TIMEOUT = 10_000;
const END_TIMEOUT = 1_000;
const PATIENCE_AT_FIRST = 2_000;
const PATIENCE = 60_000;
const FIRST_PAUSE = 50;
const LONGEST_PAUSE = 5_000;
/** The maximum losses of the connection during one task, which may be the cause of the crashes. */
const MOST_LOSSES = 10;

/** Names are always qualified, dates and numbers are in ISO form, and committed data is on disk. */
const SETTINGS = `SET search_path = pg_catalog; SET timezone = 'UTC'; SET datestyle = 'ISO'; SET statement_timeout = 0;
  SET standard_conforming_strings = on; SET client_min_messages = warning; SET idle_in_transaction_session_timeout = 0;
  SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off';
  SELECT set_config(name, '2000', false) FROM pg_settings WHERE name = 'client_connection_check_interval'`;

/**
 * Returns a session that outlives restarts of the server for up to a minute. The first connection has to succeed within seconds.
 *
 * @param prepare runs on each new connection before anything else
 * @example session(address, lock).attempt('SINK_FAILED', (client) => client.query('SELECT 1'))
 */
export function postgresSession(address: PostgresAddress, prepare: (client: Client) => Promise<void>): PostgresSession {
  let link: Link | undefined;
  let wasReady = false;
  let queue: Promise<unknown> = Promise.resolve();
  let closing = new AbortController();

  const drop = async (): Promise<void> => {
    const dropped = link;
    link = undefined;
    if (dropped === undefined) return;
    // An unreachable server does not respond.
    const inVain = delay(END_TIMEOUT, undefined, { ref: false });
    await Promise.race([dropped.client.end().catch(() => undefined), inVain]);
  };
  const connected = async (): Promise<Link> => {
    if (link !== undefined && !link.lost) return link;
    await drop();
    const { Client } = optionalPackage('postgres://', 'pg');
    const client = new Client({
      connectionString: address.connectionString,
      connectionTimeoutMillis: CONNECT_TIMEOUT,
      keepAlive: true,
      application_name: 'headwater',
    });
    const made: Link = { client, lost: false };
    const lose = (): void => void (made.lost = true);
    client.on('error', lose);
    client.on('end', lose);
    link = made;
    await client.connect();
    await client.query(SETTINGS);
    await prepare(client);
    wasReady = true;
    return made;
  };
  const attempt = async <T>(code: ErrorCode, work: (client: Client) => Promise<T>): Promise<T> => {
    let deadline: number | undefined;
    let losses = 0;
    for (let pause = FIRST_PAUSE; ; pause = Math.min(2 * pause, LONGEST_PAUSE)) {
      let isReady = false;
      try {
        const { client } = await connected();
        isReady = true;
        return await work(client);
      } catch (error) {
        const isLost = link?.lost === true;
        const isOver = !isLost && !isPassing(error);
        // Until it is ready, a connection has no lock.
        if (!isReady || isLost) await drop();
        if (isReady) {
          losses += 1;
          deadline = undefined;
          pause = FIRST_PAUSE;
        }
        deadline ??= performance.now() + (wasReady ? PATIENCE : PATIENCE_AT_FIRST);
        if (isOver || losses > MOST_LOSSES || performance.now() > deadline) throw postgresFailure(code, address, error);
        const { signal } = closing;
        await delay(pause, undefined, { signal }).catch(() => undefined);
        if (signal.aborted) throw postgresFailure(code, address, error);
      }
    }
  };
  return {
    attempt: (code, work) => {
      const result = queue.then(() => attempt(code, work));
      queue = result.catch(() => undefined);
      return result;
    },
    interrupt: () => closing.abort(),
    close: async () => {
      closing.abort();
      await queue;
      await drop();
      closing = new AbortController();
    },
  };
}

/** Does work in one transaction. If the connection is lost, the server rolls back itself. */
export const inTransaction = <T>(client: Client, work: () => Promise<T>): Promise<T> =>
  transaction((sql) => client.query(sql), work, 'BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE');

/** An error of the PostgreSQL server. */
export interface ServerError extends Error {
  /** The SQLSTATE. */
  readonly code: string;
  readonly detail?: string;
  readonly where?: string;
}

/** The place of a failure, for users. */
export interface FailurePlace {
  readonly table?: string;
  /** The number of rows of the table before those that were being loaded. */
  readonly rowsBefore?: number;
}

/** The parts of the address of a destination for its errors. */
export type FailedAddress = Pick<PostgresAddress, 'name' | 'secrets' | 'files'>;

/** The server stops or starts, has too many connections, or had a deadlock between two transactions. */
const PASSING_STATES = ['57P01', '57P02', '57P03', '53300', '40001', '40P01'];
const CONNECTION_CLASS = '08';
const PROTOCOL_VIOLATION = '08P01';
const PASSING_NETWORK = [
  ...['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH', 'ENETDOWN', 'EAI_AGAIN'],
  // A socket of the file system, which the server makes when it starts.
  'ENOENT',
];

/** Another connection has the destination. */
export class BusyError extends Error {}

/** Returns the error as an error of the server, if it is one. */
export const asServerError = (error: unknown): ServerError | undefined =>
  error instanceof Error && 'severity' in error && 'code' in error && typeof error.code === 'string'
    ? (error as ServerError)
    : undefined;

/** Returns whether a retry may succeed. */
export function isPassing(error: unknown): boolean {
  if (error instanceof BusyError) return true;
  const state = asServerError(error)?.code;
  if (state !== undefined)
    return PASSING_STATES.includes(state) || (state.startsWith(CONNECTION_CLASS) && state !== PROTOCOL_VIOLATION);
  const { code, syscall } = error as NodeJS.ErrnoException;
  // A file of the URL, such as a certificate, will not appear now.
  if (syscall === 'open') return false;
  return code !== undefined && PASSING_NETWORK.includes(code);
}

/**
 * Returns the error for users: what failed, in which table and row, and what to do.
 *
 * @example throw postgresFailure('SINK_FAILED', address, error, { table: 'user' });
 */
export function postgresFailure(
  code: ErrorCode,
  address: FailedAddress,
  error: unknown,
  place: FailurePlace = {},
): FatalError {
  if (error instanceof FatalError) return error;
  const { name, secrets } = address;
  const table = place.table === undefined ? '' : `, table ${JSON.stringify(place.table)}`;
  const isBusy = error instanceof BusyError;
  const hasFailed = !isBusy && code === 'SINK_FAILED';
  const [problem, remedy] = hasFailed
    ? ['took no more', KEPT]
    : ['cannot be used', isBusy ? 'Nothing was changed.' : CORRECT];
  const said = secrets.mask(saidBy(error, place, address));
  const shown = inspect(error);
  // The original error is left out if it would show a secret.
  const cause = secrets.mask(shown) === shown ? { cause: error } : {};
  const message = `The destination ${name}${table} ${problem}: ${said}. ${remedy}`;
  const shownCode = isBusy ? 'DESTINATION_LOCKED' : code;
  return new FatalError(shownCode, message, { ...cause, table: place.table, destination: name });
}

const CORRECT = 'Correct the destination, or its rights, and run again.';
const KEPT =
  'The rows of earlier runs are as they were, and the pages of this run are kept: put this right, then go on with --resume.';

function saidBy(error: unknown, { rowsBefore }: FailurePlace, { files }: FailedAddress): string {
  const server = asServerError(error);
  if (server === undefined) {
    const { code, message, path = '' } = error as NodeJS.ErrnoException;
    const parameter = files.get(path);
    if (parameter !== undefined)
      return `the file that its parameter ${parameter} names cannot be read (${code ?? message})`;
    return message === '' ? String(code) : message;
  }
  const row = /, line (\d+)/.exec(server.where ?? '')?.[1];
  const counted =
    row === undefined || rowsBefore === undefined ? undefined : `row ${rowsBefore + Number(row)} of the run`;
  const more = [counted, server.detail, server.where, `SQLSTATE ${server.code}`];
  return `${server.message} (${more.filter((part) => part !== undefined && part !== '').join('; ')})`;
}
