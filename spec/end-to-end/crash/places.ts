/** The destinations of the crash specs, and what a reader finds in them. */
import { mkdtemp, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { DuckDBInstance } from '@duckdb/node-api';
import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { Client } from 'pg';
import { stringifyJson } from '../../../src/core/json/stringify';
import type { JsonObject } from '../../../src/core/model';
import { BUCKET, download, s3Url, useS3 } from '../../support/s3';
import { NEEDS_SQLITE, querySqlite, tableOfSqlite } from '../../support/sqlite';

/** One destination, in a folder of its own. */
export interface Place {
  readonly url: string;
  /** Everything that a reader sees, in an order that does not depend on the run. */
  readonly read: () => Promise<string>;
}

export interface KindOfPlace {
  readonly name: string;
  /** Why it cannot be had here. */
  readonly missing?: string | undefined;
  readonly make: (folder: string, number: number) => Promise<Place>;
}

const files = (scheme: string, settings = ''): KindOfPlace => ({
  name: `${scheme}${settings}`.replace(/\W/g, '-'),
  make: (folder) =>
    Promise.resolve({ url: `${scheme}:${join(folder, 'out')}${settings}`, read: () => readFiles(join(folder, 'out')) }),
});

async function readFiles(folder: string): Promise<string> {
  const names = (await readdir(folder)).filter((name) => !name.startsWith('.')).sort();
  const texts = await Promise.all(names.map((name) => readText(join(folder, name))));
  return names.map((name, at) => `== ${name}\n${texts[at]}`).join('');
}

async function readText(path: string): Promise<string> {
  const bytes = await readFile(path);
  return (path.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString();
}

const parquet: KindOfPlace = {
  name: 'parquet',
  make: (folder) => {
    const out = join(folder, 'out');
    const read = async (): Promise<string> => {
      const names = (await readdir(out)).filter((name) => name.endsWith('.parquet')).sort();
      const tables = names.map((name) => `read_parquet('${join(out, name)}')`);
      return rowsOf(':memory:', tables, names);
    };
    return Promise.resolve({ url: `parquet:${out}`, read });
  },
};

const partitions: KindOfPlace = {
  name: 'parquet-partitions',
  make: (folder) => {
    const out = join(folder, 'out');
    const read = async (): Promise<string> => {
      const names = (await readdir(out)).filter((name) => !name.startsWith('.')).sort();
      const globs = names.map((name) => join(out, name, name.endsWith('.parquet') ? '' : '*/*.parquet'));
      const tables = globs.map((glob) => `read_parquet('${glob.replace(/\/$/, '')}', union_by_name = true)`);
      return rowsOf(':memory:', tables, names);
    };
    return Promise.resolve({ url: `parquet:${out}?partitionBy=id`, read });
  },
};

const duckdb: KindOfPlace = {
  name: 'duckdb',
  make: (folder) => {
    const file = join(folder, 'items.duckdb');
    return Promise.resolve({ url: `duckdb:${file}`, read: () => rowsOf(file) });
  },
};

const sqlite: KindOfPlace = {
  name: 'sqlite',
  missing: NEEDS_SQLITE,
  make: (folder) => {
    const file = join(folder, 'items.sqlite');
    const read = (): Promise<string> => {
      const names = querySqlite(
        file,
        "SELECT name, sql FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '\\_headwater%' ESCAPE '\\' ORDER BY name",
      );
      const parts = names.flatMap(({ name, sql }) => [
        `== ${String(sql)}`,
        ...tableOfSqlite(file, String(name))
          .map((row) => stringifyJson(row as JsonObject))
          .sort(),
      ]);
      return Promise.resolve(parts.join('\n'));
    };
    return Promise.resolve({ url: `sqlite:${file}`, read });
  },
};

async function rowsOf(file: string, tables?: readonly string[], names = tables): Promise<string> {
  const instance = await DuckDBInstance.create(file);
  const connection = await instance.connect();
  try {
    const query = async (sql: string): Promise<readonly unknown[]> =>
      (await connection.runAndReadAll(sql)).getRowObjectsJson();
    const all =
      tables ??
      (await query("SELECT table_name FROM information_schema.tables WHERE table_schema = 'main' ORDER BY 1")).map(
        (row) => (row as { table_name: string }).table_name,
      );
    const parts: string[] = [];
    for (const [at, table] of all.entries()) {
      const types = await query(`DESCRIBE SELECT * FROM ${table}`);
      const rows = (await query(`SELECT * FROM ${table}`)).map((row) => JSON.stringify(row)).sort();
      parts.push(`== ${names?.[at] ?? table} ${JSON.stringify(types)}`, ...rows);
    }
    return parts.join('\n');
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}

const server = process.env.HEADWATER_TEST_POSTGRES;
const postgres: KindOfPlace = {
  name: 'postgres',
  ...(server === undefined ? { missing: 'HEADWATER_TEST_POSTGRES' } : {}),
  make: async (_, number) => {
    const schema = `crash_${process.pid}_${number}`;
    const withClient = async <T>(work: (client: Client) => Promise<T>): Promise<T> => {
      const client = new Client({ connectionString: server });
      await client.connect();
      try {
        return await work(client);
      } finally {
        await client.end();
      }
    };
    await withClient((client) => client.query(`CREATE SCHEMA ${schema}`));
    const url = new URL(server ?? '');
    url.searchParams.set('schema', schema);
    const read = (): Promise<string> =>
      withClient(async (client) => {
        const columns = await client.query<Record<string, string>>(
          `SELECT table_name, column_name, data_type FROM information_schema.columns WHERE table_schema = $1 ORDER BY table_name, ordinal_position`,
          [schema],
        );
        const names = [...new Set(columns.rows.map(({ table_name: name }) => name))];
        const parts = [JSON.stringify(columns.rows)];
        for (const name of names) {
          const { rows } = await client.query<{ row: string }>(
            `SELECT t::text AS row FROM ${schema}."${name}" t ORDER BY 1`,
          );
          parts.push(`== ${name}`, ...rows.map(({ row }) => row));
        }
        return parts.join('\n');
      });
    return { url: url.href, read };
  },
};

const natsServer = process.env.HEADWATER_TEST_NATS;
const nats: KindOfPlace = {
  name: 'nats',
  ...(natsServer === undefined ? { missing: 'HEADWATER_TEST_NATS' } : {}),
  make: (_, number) => {
    const stream = `CRASH_${process.pid}_${number}`;
    const subject = `crash.${process.pid}.${number}`;
    const read = async (): Promise<string> => {
      const connection = await connect({ servers: natsServer ?? '' });
      try {
        const manager = await jetstreamManager(connection);
        const { state } = await manager.streams.info(stream);
        const consumer = await jetstream(connection).consumers.get(stream);
        const lines: string[] = [];
        for (let count = 0; count < state.messages; count += 1) {
          const message = await consumer.next({ expires: 5000 });
          if (message === null) throw new Error(`${stream} ended after ${count} of ${state.messages} messages`);
          lines.push(`${message.subject.slice(subject.length)} ${message.string()}`);
        }
        return lines.sort().join('\n');
      } finally {
        await connection.close();
      }
    };
    return Promise.resolve({ url: `${natsServer}/${stream}?subject=${subject}`, read });
  },
};

/** The tables of a bucket, downloaded into a folder whose readers are those of folders. */
const inBucket = (scheme: string, settings = ''): KindOfPlace => ({
  name: `${scheme}-s3${settings}`.replace(/\W/g, '-'),
  ...(s3Url === undefined ? { missing: 'HEADWATER_TEST_S3' } : {}),
  make: (folder, number) => {
    useS3();
    const prefix = `crash-${process.pid}-${number}`;
    const read = async (): Promise<string> => {
      const out = await mkdtemp(join(folder, 'read-'));
      const names = await download(prefix, out);
      if (scheme !== 'parquet') return readFiles(out);
      return rowsOf(
        ':memory:',
        names.map((name) => `read_parquet('${join(out, name)}')`),
        names,
      );
    };
    return Promise.resolve({ url: `${scheme}:s3://${BUCKET}/${prefix}${settings}`, read });
  },
});

export const PLACES: readonly KindOfPlace[] = [
  files('ndjson'),
  files('csv'),
  files('ndjson', '?compress=gzip'),
  files('csv', '?compress=gzip'),
  parquet,
  partitions,
  duckdb,
  sqlite,
  postgres,
  nats,
  inBucket('ndjson'),
  inBucket('csv', '?compress=gzip'),
  inBucket('parquet'),
];
