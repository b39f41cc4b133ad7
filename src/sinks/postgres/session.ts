import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from 'pg';
import type { ErrorCode } from '../../core/errors/errors';
import { optionalPackage } from '../../core/optional-package';
import { isPassing, postgresFailure } from './failure';
import type { PostgresAddress } from './address';

/** One connection to PostgreSQL at a time, made anew when it is lost. */
export interface PostgresSession {
  /**
   * Does work on the connection, one work after the other. Where the connection is lost, the work is done again on a new
   * one: it has to find out itself what is there already.
   *
   * @param code of the FatalError when it fails for good
   */
  readonly attempt: <T>(code: ErrorCode, work: (client: Client) => Promise<T>) => Promise<T>;
  /** Lets nobody wait for a connection any more, until the session is closed. */
  readonly interrupt: () => void;
  /** Waits for the work at hand, but not for a connection. */
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
/** Maximum losses of the connection during one piece of work, which may be what brings the server down. */
const MOST_LOSSES = 10;

/** Names are always written in full, texts of dates and numbers are those of ISO, and what is committed is on disk. */
const SETTINGS = `SET search_path = pg_catalog; SET timezone = 'UTC'; SET datestyle = 'ISO'; SET statement_timeout = 0;
  SET standard_conforming_strings = on; SET client_min_messages = warning; SET idle_in_transaction_session_timeout = 0;
  SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off';
  SELECT set_config(name, '2000', false) FROM pg_settings WHERE name = 'client_connection_check_interval'`;

/**
 * A session that outlives restarts of the server for up to a minute. The first connection has to be there within seconds.
 *
 * @param prepare is done on each new connection before anything else
 * @example session(address, lock).attempt('SINK_FAILED', (client) => client.query('SELECT 1'))
 */
export function postgresSession(address: PostgresAddress, prepare: (client: Client) => Promise<void>): PostgresSession {
  let link: Link | undefined;
  let wasReady = false;
  let turn: Promise<unknown> = Promise.resolve();
  let closing = new AbortController();

  const drop = async (): Promise<void> => {
    const dropped = link;
    link = undefined;
    if (dropped === undefined) return;
    // A server that is out of reach does not answer.
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
      const result = turn.then(() => attempt(code, work));
      turn = result.catch(() => undefined);
      return result;
    },
    interrupt: () => closing.abort(),
    close: async () => {
      closing.abort();
      await turn;
      await drop();
      closing = new AbortController();
    },
  };
}

/** Does work in one transaction: all of it or nothing. */
export async function inTransaction<T>(client: Client, work: () => Promise<T>): Promise<T> {
  await client.query('BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE');
  try {
    const result = await work();
    await client.query('COMMIT');
    return result;
  } catch (error) {
    // Where the connection is lost, the server rolls back itself.
    await client.query('ROLLBACK').catch(() => undefined);
    throw error;
  }
}
