/** One connection to a server that is a destination: nothing of it is changed. */
import { optionalPackage } from '../../core/optional-package';
import { FatalError } from '../../core/errors/errors';
import { natsAddress } from '../../sinks/nats/address';
import { filePlace } from '../../sinks/s3/address';
import { openBucket } from '../../sinks/s3/client';
import { bucketFailure } from '../../sinks/s3/failure';
import { postgresAddress } from '../../sinks/postgres/address';
import { postgresFailure } from '../../sinks/postgres/failure';
import { lockOf } from '../../sinks/postgres/names';

/** Milliseconds to wait for a connection. */
const PATIENCE = 5_000;
/** An advisory lock by one number, as PostgreSQL lists it. */
const HELD = `SELECT count(*)::int AS held FROM pg_catalog.pg_locks WHERE locktype = 'advisory' AND granted AND objsubid = 1
  AND database = (SELECT oid FROM pg_catalog.pg_database WHERE datname = pg_catalog.current_database())
  AND (classid::bigint << 32) | objid::bigint = $1::bigint`;

/** @throws FatalError DESTINATION_LOCKED while a run writes to it; another where it cannot be used */
export async function reachPostgres(url: string): Promise<void> {
  const address = postgresAddress(url);
  const { Client } = optionalPackage('postgres://', 'pg');
  let client: InstanceType<typeof Client> | undefined;
  try {
    client = new Client({
      connectionString: address.connectionString,
      connectionTimeoutMillis: PATIENCE,
      query_timeout: PATIENCE,
    });
    // A connection that is lost says so to the query.
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

/** A server of NATS that keeps no streams. */
export class NoJetStream extends Error {
  override readonly name = 'NoJetStream';
}

/** @throws NoJetStream; another where it cannot be used */
export async function reachNats(url: string): Promise<void> {
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

/** Asks for an object that is seldom there: a bucket that is not, or keys that it refuses, are something else. */
export async function reachBucket(format: string, place: string): Promise<void> {
  const { bucket } = filePlace(format, place);
  if (bucket === undefined) return;
  const opened = openBucket(bucket);
  try {
    await opened.text('.headwater/reached');
  } catch (error) {
    throw bucketFailure(bucket, 'open', error);
  }
}
