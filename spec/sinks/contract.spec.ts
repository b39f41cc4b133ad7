/** Each sink keeps the contract that is exported for sinks of users. */
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdtemp, open, readdir, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { parse } from 'csv-parse/sync';
import { destinationOf, parseJson, sinks } from '../../src';
import type { Destination } from '../../src';
import { describeSink, sinkContract } from '../../src/testing';
import type { ContractPlace, ContractSubject, ReadRow } from '../../src/testing';
import { createStore, webhook } from '../docs/show/webhook-sink';
import { queryDuckDB } from '../support/duckdb';
import { NatsProbe, natsUrl } from '../support/nats-server';
import { describeWithPostgres, testDatabase } from '../support/postgres';
import { BUCKET, describeWithS3, download, NEEDS_S3, useS3 } from '../support/s3';
import { describeWithSqlite, tableOfSqlite } from '../support/sqlite';

jest.setTimeout(30_000);

/** Changes a byte in the middle of a file. */
async function flip(path: string): Promise<void> {
  const handle = await open(path, 'r+');
  const { size } = await handle.stat();
  const at = Math.floor(size / 2);
  const { buffer } = await handle.read(Buffer.alloc(1), 0, 1, at);
  await handle.write(Buffer.from([(buffer[0] ?? 0) ^ 1]), 0, 1, at);
  await handle.close();
}

interface InFolder {
  readonly destination: (folder: string) => Destination;
  /** What a reader finds in the folder. */
  readonly read: (folder: string, table: string) => Promise<readonly ReadRow[]>;
  /** A file that can be damaged. */
  readonly kept?: string;
}

const inFolder =
  ({ destination, read, kept }: InFolder): ContractSubject['place'] =>
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'headwater-contract-'));
    const place: ContractPlace = {
      sink: (outputs) => destination(folder)(outputs),
      read: (table) => read(folder, table),
      remove: () => rm(folder, { recursive: true }),
    };
    return kept === undefined ? place : { ...place, damage: () => flip(join(folder, kept)) };
  };

const linesOf = (text: string): readonly ReadRow[] =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => parseJson(line) as ReadRow);
const textOf = (path: string): Promise<string> => readFile(path, 'utf8').catch(() => '');
const unzippedOf = async (path: string): Promise<string> =>
  existsSync(path) ? gunzipSync(await readFile(path)).toString() : '';
const rowsOf = async (database: string, table: string): Promise<readonly ReadRow[]> => {
  const names = await queryDuckDB(database, `DESCRIBE SELECT * FROM ${table}`);
  const rows = await queryDuckDB(database, `SELECT * FROM ${table}`);
  return rows.map((row) => Object.fromEntries(names.map(([name], at) => [String(name), row[at]])));
};
const csvRows = async (folder: string, table: string): Promise<readonly ReadRow[]> =>
  parse(await textOf(join(folder, `${table}.csv`)), { columns: true });

const FILES: readonly ContractSubject[] = [
  {
    name: 'csv:',
    makes: 'linked-tables',
    place: inFolder({ destination: (folder) => sinks.csv(folder), read: csvRows, kept: '.headwater/journal/0.data' }),
  },
  {
    name: 'csv: at one go',
    makes: 'linked-tables',
    keepsNothing: true,
    place: inFolder({ destination: (folder) => sinks.csv(folder, { keepsNothing: true }), read: csvRows }),
  },
  {
    name: 'ndjson:',
    makes: 'tables',
    place: inFolder({
      destination: (folder) => sinks.ndjson(folder),
      read: async (folder, table) => linesOf(await textOf(join(folder, `${table}.ndjson`))),
      kept: '.headwater/journal/0.data',
    }),
  },
  {
    name: 'csv: compressed',
    makes: 'linked-tables',
    place: inFolder({
      destination: (folder) => sinks.csv(folder, { compress: 'gzip' }),
      read: async (folder, table) => parse(await unzippedOf(join(folder, `${table}.csv.gz`)), { columns: true }),
      kept: '.headwater/journal/0.data',
    }),
  },
  {
    name: 'ndjson: compressed',
    makes: 'tables',
    place: inFolder({
      destination: (folder) => sinks.ndjson(folder, { compress: 'gzip' }),
      read: async (folder, table) => linesOf(await unzippedOf(join(folder, `${table}.ndjson.gz`))),
      kept: '.headwater/journal/0.data',
    }),
  },
  {
    name: 'parquet:',
    makes: 'tables',
    place: inFolder({
      destination: (folder) => sinks.parquet(folder),
      read: async (folder, table) => {
        const file = join(folder, `${table}.parquet`);
        return existsSync(file) ? rowsOf(':memory:', `read_parquet('${file}')`) : [];
      },
      kept: '.headwater/journal/0.data',
    }),
  },
  {
    name: 'duckdb:',
    makes: 'tables',
    place: inFolder({
      destination: (folder) => sinks.duckdb(join(folder, 'x.duckdb')),
      read: async (folder, table) => {
        const file = join(folder, 'x.duckdb');
        const tables = existsSync(file) ? await queryDuckDB(file, 'SELECT table_name FROM duckdb_tables()') : [];
        return tables.some(([name]) => name === table) ? rowsOf(file, `main."${table}"`) : [];
      },
      kept: 'x.duckdb.headwater/0.data',
    }),
  },
];

for (const subject of FILES) describeSink(subject, { describe, it });

describeSink(
  {
    name: 'sqlite:',
    makes: 'tables',
    place: inFolder({
      destination: (folder) => sinks.sqlite(join(folder, 'x.sqlite')),
      read: (folder, table) => Promise.resolve(tableOfSqlite(join(folder, 'x.sqlite'), table) as readonly ReadRow[]),
      kept: 'x.sqlite.headwater/0.data',
    }),
  },
  { describe: describeWithSqlite, it },
);

describeSink(
  {
    name: 'webhook, a sink of a user',
    makes: 'messages',
    place: async () => {
      const folder = await mkdtemp(join(tmpdir(), 'headwater-contract-'));
      const store = createStore();
      const server = createServer(store.listener).listen(0, '127.0.0.1');
      await new Promise((resolve) => server.once('listening', resolve));
      const url = `webhook:http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      const workFolder = join(folder, 'work');
      return {
        sink: (outputs) => destinationOf(url, { components: [webhook(workFolder)] })(outputs),
        read: (table) => Promise.resolve(store.visible(table)),
        damage: () => flip(join(workFolder, '0.data')),
        remove: async () => {
          server.closeAllConnections();
          await new Promise((resolve) => server.close(resolve));
          await rm(folder, { recursive: true });
        },
      };
    },
  },
  { describe, it },
);

describeWithPostgres('with a server', () => {
  describeSink(
    {
      name: 'postgres://',
      makes: 'tables',
      place: async () => {
        const { url, query, drop } = await testDatabase();
        return {
          sink: (outputs) => sinks.postgres(url)(outputs),
          read: async (table) => {
            const [{ there } = {}] = await query(`SELECT to_regclass('public."${table}"') IS NOT NULL AS there`);
            return there === true ? query(`SELECT * FROM public."${table}"`) : [];
          },
          damage: async () => {
            await query(`UPDATE _headwater.pages SET lines = replace(lines, '1', '2')`);
          },
          remove: drop,
        };
      },
    },
    { describe, it },
  );
});

(natsUrl === undefined ? describe.skip : describe)('with a server (needs HEADWATER_TEST_NATS)', () => {
  let probe: NatsProbe;
  beforeAll(async () => (probe = await NatsProbe.connect(natsUrl ?? '')));
  afterAll(() => probe.close());

  describeSink(
    {
      name: 'nats://',
      makes: 'messages',
      visible: 'at-once',
      place: async () => {
        const workFolder = await mkdtemp(join(tmpdir(), 'headwater-contract-'));
        const [stream, prefix] = [`CONTRACT-${randomUUID()}`, `contract-${randomUUID()}`];
        const url = `${natsUrl ?? ''}/${stream}?subject=${prefix}`;
        return {
          sink: (outputs) => sinks.nats(url, { workFolder })(outputs),
          read: async (table) => {
            const messages = await probe.messages(stream).catch(() => []);
            const own = messages.filter(({ subject }) => subject === `${prefix}.${table}`);
            return own.map(({ text }) => parseJson(text) as ReadRow);
          },
          damage: () => flip(join(workFolder, 'journal', 'head.json')),
          remove: async () => {
            await probe.delete(stream).catch(() => undefined);
            await rm(workFolder, { recursive: true });
          },
        };
      },
    },
    { describe, it },
  );
});

describeWithS3(`with a server${NEEDS_S3}`, () => {
  beforeAll(useS3);
  type Make = (place: string, options: { readonly journal: string }) => Destination;
  const inBucket = (make: Make, read: (file: string) => Promise<readonly ReadRow[]>, suffix: string) => async () => {
    const folder = await mkdtemp(join(tmpdir(), 'headwater-contract-'));
    const prefix = `contract-${randomUUID()}`;
    const place: ContractPlace = {
      sink: (outputs) => make(`s3://${BUCKET}/${prefix}`, { journal: folder })(outputs),
      read: async (table) => {
        const copy = await mkdtemp(join(folder, 'read-'));
        const files = await download(prefix, copy);
        return files.includes(`${table}${suffix}`) ? read(join(copy, `${table}${suffix}`)) : [];
      },
      damage: async () => {
        const [own = ''] = (await readdir(folder)).filter((name) => name.startsWith('s3-'));
        await flip(join(folder, own, '.headwater', 'journal', '0.data'));
      },
      remove: () => rm(folder, { recursive: true }),
    };
    return place;
  };
  const parquetRows = (file: string): Promise<readonly ReadRow[]> => rowsOf(':memory:', `read_parquet('${file}')`);
  const csvOf = async (file: string): Promise<readonly ReadRow[]> => parse(await textOf(file), { columns: true });
  const subjects: readonly ContractSubject[] = [
    {
      name: 'ndjson:s3://',
      makes: 'tables',
      place: inBucket(
        (to, own) => sinks.ndjson(to, { ...own, compress: 'gzip' }),
        async (file) => linesOf(await unzippedOf(file)),
        '.ndjson.gz',
      ),
    },
    { name: 'csv:s3://', makes: 'linked-tables', place: inBucket(sinks.csv, csvOf, '.csv') },
    { name: 'parquet:s3://', makes: 'tables', place: inBucket(sinks.parquet, parquetRows, '.parquet') },
  ];
  for (const subject of subjects) describeSink(subject, { describe, it });
});

describe('sinkContract', () => {
  const [ndjson] = FILES.filter(({ name }) => name === 'ndjson:');
  const brokenBy = async (changes: Partial<ContractPlace>): Promise<readonly string[]> => {
    const subject = ndjson as ContractSubject;
    const checks = sinkContract({ ...subject, place: async () => ({ ...(await subject.place()), ...changes }) });
    const broken: string[] = [];
    for (const { name, run } of checks) await run().catch(() => broken.push(name));
    return broken;
  };

  it('finds a reader that sees everything twice', async () => {
    const broken = await brokenBy({ read: () => Promise.resolve([{ id: 1 }, { id: 1 }]) });
    expect(broken.length).toBeGreaterThan(15);
  });

  it('finds damage that nobody notices', async () => {
    const broken = await brokenBy({ damage: () => Promise.resolve() });
    expect(broken).toEqual(['says that pages were damaged, and takes another run']);
  });
});
