/** The destinations that a person names by a URL, with `--to` or in `config.sinks` (docs/sinks.md). */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { csvTables } from './csv-tables';
import type { Destination } from './deliver';
import { FatalError } from './errors';
import type { Log } from './log';
import type { Sink } from './model';
import { Secrets } from './secrets';
import { duckdb } from './sinks/duckdb';
import { nats } from './sinks/nats';
import { ndjson } from './sinks/ndjson/stream';
import { ndjsonFolder } from './sinks/ndjson/folder';
import { parquetFolder } from './sinks/parquet/folder';
import { postgres } from './sinks/postgres';
import { transient } from './sinks/transient';

export interface DestinationOptions {
  /** Items on standard output bear their dataType. */
  readonly tag?: boolean;
  /** Hears what tables cannot hold as it came. */
  readonly logger?: Log;
}

/**
 * The destinations of this project, for `deliver`.
 *
 * @example await deliver(config, [sinks.duckdb('items.duckdb'), sinks.csv('tables')]);
 */
export const sinks = {
  ndjson:
    (folder: string): Destination =>
    (outputs) =>
      ndjsonFolder(folder, outputs),
  csv: csvTables,
  parquet:
    (folder: string): Destination =>
    (outputs) =>
      parquetFolder(folder, outputs),
  duckdb:
    (file: string): Destination =>
    (outputs) =>
      duckdb(file, outputs),
  postgres:
    (url: string): Destination =>
    (outputs) =>
      postgres(url, outputs),
  nats:
    (url: string, workFolder = workFolderOf(url)): Destination =>
    (outputs) =>
      nats(url, { outputs, workFolder }),
  /** A sink of your own that keeps nothing of a run that is broken off. */
  transient:
    (name: string, sink: Sink): Destination =>
    () =>
      transient(name, sink),
};

type FromUrl = (rest: string, options: DestinationOptions, url: string) => Destination;

/** By the scheme; what follows it is a path, or the whole is a URL. */
const DESTINATIONS: Readonly<Record<string, FromUrl>> = {
  ndjson: (rest, { tag = false }) =>
    rest === '-' ? sinks.transient('ndjson:-', ndjson(process.stdout, { tag })) : sinks.ndjson(rest),
  csv: (rest, { logger }) => sinks.csv(rest, logger === undefined ? {} : { logger }),
  parquet: (rest) => sinks.parquet(rest),
  duckdb: (rest) => sinks.duckdb(rest),
  postgres: (_, __, url) => sinks.postgres(url),
  postgresql: (_, __, url) => sinks.postgres(url),
  nats: (_, __, url) => sinks.nats(url),
  tls: (_, __, url) => sinks.nats(url),
};

/**
 * The destination that a URL names: `ndjson:-`, `ndjson:FOLDER`, `csv:FOLDER`, `parquet:FOLDER`, `duckdb:FILE`,
 * `postgres://…`, `nats://…`.
 *
 * @throws FatalError CONFIG_INVALID for any other
 * @example destinationOf('duckdb:items.duckdb')
 */
export function destinationOf(url: string, options: DestinationOptions = {}): Destination {
  const [, scheme = '', rest = ''] = /^([a-z]+):(.+)$/s.exec(url) ?? [];
  const make = Object.hasOwn(DESTINATIONS, scheme) ? DESTINATIONS[scheme] : undefined;
  const isServer = ['postgres', 'postgresql', 'nats', 'tls'].includes(scheme);
  if (make === undefined || (isServer && !rest.startsWith('//'))) throw unknown(url);
  return make(rest, options, url);
}

/** Where a stream's progress is kept on this machine. The URL may hold a password: its digest names the folder. */
function workFolderOf(url: string): string {
  return join('.headwater', `nats-${createHash('sha256').update(url).digest('hex').slice(0, 16)}`);
}

/** Without what could be a password, however it is written. */
function unknown(url: string): FatalError {
  const bare = url.includes('@') ? url.replace(/^(\w*:?(\/\/)?).*@/s, '$1***@') : url;
  const shown = JSON.stringify(new Secrets().mask(bare));
  const known = 'ndjson:-, ndjson:FOLDER, csv:FOLDER, parquet:FOLDER, duckdb:FILE, postgres://… or nats://…';
  return new FatalError('CONFIG_INVALID', `A destination should be ${known}; found ${shown}`);
}
