/** Checks whether the place of a destination can be reached or written, and whether a run has it now. */
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { FatalError } from '../../core/errors/errors';
import { optionalPackage } from '../../core/optional-package';
import { messageOf } from '../../sinks/files/durable-files';
import { holdOf } from '../../sinks/files/folder-lock';
import { workFolderIn } from '../../sinks/files/folder-sink';
import { natsAddress } from '../../sinks/nats/address';
import { postgresAddress } from '../../sinks/postgres/address';
import { lockOf } from '../../sinks/postgres/names';
import { postgresFailure } from '../../sinks/postgres/session';
import { filePlace } from '../../sinks/s3/address';
import { bucketFailure, openBucket } from '../../sinks/s3/client';
import { openDuckdb } from '../query/duckdb';
import { fault, ok, warning, writableDiagnosis } from './machine';
import type { Diagnosis } from './machine';

const LOCAL = /^(csv|ndjson|parquet|duckdb|sqlite):(?!-$|-\?|s3:)([^?]+)/;
const BUCKET = /^(csv|ndjson|parquet):(s3:[^?]+)/;
const MOST_MILLISECONDS = 10_000;
const WAIT = 'Wait until that run ends, or name another place.';

/** @param name the name of the destination, without credentials */
export async function placeDiagnoses(url: string, name: string): Promise<readonly Diagnosis[]> {
  const about = `destination ${name}`;
  const [, format = '', bucket = ''] = BUCKET.exec(url) ?? [];
  if (bucket !== '') return reached(about, reachBucket(format, bucket));
  if (/^postgres(?:ql)?:/.test(url)) return reached(about, reachPostgres(url));
  if (/^(?:nats|tls):/.test(url)) return reached(about, reachNats(url));
  const [, scheme = '', place = ''] = LOCAL.exec(url) ?? [];
  if (place === '') return [];
  const local = `destination ${place}`;
  return [...writableDiagnosis(local, dirname(place)), ...(await heldDiagnoses(local, scheme, place))];
}

async function heldDiagnoses(about: string, scheme: string, place: string): Promise<readonly Diagnosis[]> {
  const isFile = scheme === 'duckdb' || scheme === 'sqlite';
  const held = await holdOf(isFile ? `${place}.headwater` : join(workFolderIn(place), 'journal'));
  if (held !== undefined) return [warning(about, sentence(held), WAIT)];
  return scheme === 'duckdb' && existsSync(place) ? openedDiagnoses(about, place) : [];
}

/** Checks a database by opening it: DuckDB locks its file itself, even without a run. */
async function openedDiagnoses(about: string, file: string): Promise<readonly Diagnosis[]> {
  try {
    await (await openDuckdb(file)).close();
    return [];
  } catch (error) {
    const code = error instanceof FatalError ? error.code : '';
    if (code === 'PACKAGE_MISSING') return [];
    return [
      code === 'DESTINATION_LOCKED'
        ? warning(about, sentence(error), WAIT)
        : fault(about, sentence(error), 'Restore the file, or name another one.'),
    ];
  }
}

async function reached(about: string, reaching: Promise<void>): Promise<readonly Diagnosis[]> {
  const late = new AbortController();
  const limit = delay(MOST_MILLISECONDS, undefined, { signal: late.signal }).then(() => {
    throw new Error('no answer came in time');
  });
  // The result of the one that ends second is ignored.
  limit.catch(() => undefined);
  reaching.catch(() => undefined);
  try {
    await Promise.race([reaching, limit]);
    return [ok(about, 'can be reached, and takes the credentials')];
  } catch (error) {
    if (error instanceof FatalError && error.code === 'DESTINATION_LOCKED')
      return [warning(about, sentence(error), WAIT)];
    const isMissing = error instanceof FatalError && error.code === 'PACKAGE_MISSING';
    const remedy = isMissing
      ? 'Install that package.'
      : error instanceof NoJetStream
        ? 'Start the server with JetStream ("nats-server -js"), and give the user the right to use it.'
        : 'Check the address, the port and the credentials, and whether a firewall stands between.';
    return [fault(about, `cannot be used: ${sentence(error)}`, remedy)];
  } finally {
    late.abort();
  }
}

const sentence = (error: unknown): string => messageOf(error).replace(/\.$/, '');

/** Milliseconds to wait for a connection to a server, which is not changed. */
const PATIENCE = 5_000;
/** An advisory lock by one number in the catalog of PostgreSQL. */
const HELD = `SELECT count(*)::int AS held FROM pg_catalog.pg_locks WHERE locktype = 'advisory' AND granted AND objsubid = 1
  AND database = (SELECT oid FROM pg_catalog.pg_database WHERE datname = pg_catalog.current_database())
  AND (classid::bigint << 32) | objid::bigint = $1::bigint`;

/** @throws FatalError DESTINATION_LOCKED while a run writes to it; another error if it cannot be used */
async function reachPostgres(url: string): Promise<void> {
  const address = postgresAddress(url);
  const { Client } = optionalPackage('postgres://', 'pg');
  let client: InstanceType<typeof Client> | undefined;
  try {
    client = new Client({
      connectionString: address.connectionString,
      connectionTimeoutMillis: PATIENCE,
      query_timeout: PATIENCE,
    });
    // The query reports a lost connection.
    client.on('error', () => undefined);
    await client.connect();
    const { rows } = await client.query<{ held: number }>(HELD, [lockOf('destination', address.destination)]);
    if ((rows[0]?.held ?? 0) > 0) throw new FatalError('DESTINATION_LOCKED', 'Another run is writing to it.');
  } catch (error) {
    throw postgresFailure('DESTINATION_ADDRESS', address, error);
  } finally {
    await client?.end().catch(() => undefined);
  }
}

/** A NATS server without streams. */
class NoJetStream extends Error {
  override readonly name = 'NoJetStream';
}

/** @throws NoJetStream; another error if it cannot be used */
async function reachNats(url: string): Promise<void> {
  const { server, tls, credentials } = natsAddress(url);
  const transport = optionalPackage('nats://', '@nats-io/transport-node');
  const { jetstreamManager } = optionalPackage('nats://', '@nats-io/jetstream');
  const connection = await transport.connect({
    ...{ servers: server, ...credentials, ...(tls ? { tls: {} } : {}) },
    ...{ name: 'headwater', timeout: PATIENCE, reconnect: false, noAsyncTraces: true },
  });
  try {
    await jetstreamManager(connection, { timeout: PATIENCE }).catch((cause: unknown) => {
      throw new NoJetStream('The server has no JetStream, or this user may not use it.', { cause });
    });
  } finally {
    await connection.close();
  }
}

/** Requests an object that probably does not exist: a missing bucket, or refused keys, give other errors. */
async function reachBucket(format: string, place: string): Promise<void> {
  const { bucket } = filePlace(format, place);
  if (bucket === undefined) return;
  const opened = openBucket(bucket);
  try {
    await opened.text('.headwater/reached');
  } catch (error) {
    throw bucketFailure(bucket, 'open', error);
  }
}
