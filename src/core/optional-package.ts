import Module from 'node:module';
import type * as S3 from '@aws-sdk/client-s3';
import type * as Uploads from '@aws-sdk/lib-storage';
import type * as DuckDb from '@duckdb/node-api';
import type * as JetStream from '@nats-io/jetstream';
import type * as Nats from '@nats-io/transport-node';
import type * as Postgres from 'pg';
import type * as PostgresCopy from 'pg-copy-streams';
import type * as Ssh from 'ssh2';
import type * as TemporalActivity from '@temporalio/activity';
import type * as TemporalClient from '@temporalio/client';
import { FatalError } from './errors/errors';

/** The packages that may be missing: the optional peers of package.json, and DuckDB, which npm can omit. */
interface OptionalPackages {
  readonly '@aws-sdk/client-s3': typeof S3;
  readonly '@aws-sdk/lib-storage': typeof Uploads;
  readonly '@duckdb/node-api': typeof DuckDb;
  readonly '@nats-io/jetstream': typeof JetStream;
  readonly '@nats-io/transport-node': typeof Nats;
  /** The type is unknown because its types are absent if the package is. */
  readonly 'better-sqlite3': unknown;
  readonly '@temporalio/activity': typeof TemporalActivity;
  readonly '@temporalio/client': typeof TemporalClient;
  /** Its types are absent here: it brings a compiler of its own. */
  readonly '@temporalio/worker': unknown;
  readonly '@temporalio/worker/package.json': { readonly version: string };
  readonly pg: typeof Postgres;
  readonly 'pg-copy-streams': typeof PostgresCopy;
  readonly ssh2: typeof Ssh;
}

/**
 * Requires a package from the place of this file, which may be a bundle of an application. No bundler follows it, not
 * even one that recognises the name `createRequire`: bundlers neither require nor pack optional packages.
 */
const fromHere = (): NodeJS.Require => Module.createRequire(__filename);

/**
 * Loads an optional package.
 *
 * @param user the scheme of a destination or the option that needs it, for the message
 * @throws FatalError PACKAGE_MISSING, with what to install
 * @example const { Client } = optionalPackage('postgres://', 'pg');
 */
export function optionalPackage<N extends keyof OptionalPackages>(user: string, name: N): OptionalPackages[N] {
  try {
    return fromHere()(name) as OptionalPackages[N];
  } catch (cause) {
    throw isMissing(cause, name) ? missing(user, name, cause) : cause;
  }
}

/**
 * Checks that a package is installed. A package that is loaded only at the end of a run is thus reported missing at the
 * start.
 *
 * @throws FatalError PACKAGE_MISSING
 * @example requirePackage('duckdb:', '@duckdb/node-api');
 */
export function requirePackage(user: string, name: string): void {
  try {
    fromHere().resolve(name);
  } catch (cause) {
    throw missing(user, name, cause);
  }
}

/**
 * Returns whether the package itself is missing, not one of its dependencies. It compares the shape of the error, which
 * may come from another realm.
 */
function isMissing(cause: unknown, name: string): boolean {
  const { code, message = '' } = cause as Partial<NodeJS.ErrnoException>;
  return code === 'MODULE_NOT_FOUND' && message.startsWith(`Cannot find module '${name}'`);
}

function missing(user: string, name: string, cause: unknown): FatalError {
  const message = `${user} needs the package ${name}, which is not installed. Install it: npm install ${name}`;
  return new FatalError('PACKAGE_MISSING', message, { cause });
}
