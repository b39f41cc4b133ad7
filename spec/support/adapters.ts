/** The sinks, each with what specs need to run against it: how a place is made, read, damaged and blocked, and how it differs. */
import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, open, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { parseJson, sinks } from '../../src';
import type { Destination, Json, JsonObject, Stored } from '../../src';
import type { DurableSink } from '../../src/core/durable-sink';
import { stringifyJson } from '../../src/core/json/stringify';
import type { Item } from '../../src/core/model';
import type { OutputPlan } from '../../src/plan/plan';
import type { ContractPlace, ContractSubject, ReadRow } from '../../src/testing';
import { ALL_CASES, sharedCases } from './cases';
import type { SharedIt } from './cases';
import { changeDuckDB } from './duckdb';
import { aPageOf } from './durable';
import { NatsProbe, natsUrl } from './nats-server';
import { closedInTheEnd } from './opened';
import { testDatabase } from './postgres';
import type { TestDatabase } from './postgres';
import { BUCKET, download, s3Url, useS3 } from './s3';
import { changeSqlite, NEEDS_SQLITE } from './sqlite';
import {
  csvPlace,
  csvRows,
  duckdbPlace,
  lineRows,
  ndjsonPlace,
  parquetPlace,
  parquetRows,
  postgresPlace,
  sqlitePlace,
} from './tables';
import type { TablesPlace } from './tables';

/** Changes a byte in the middle of a file. */
export async function flip(path: string): Promise<void> {
  const handle = await open(path, 'r+');
  const { size } = await handle.stat();
  const at = Math.floor(size / 2);
  const { buffer } = await handle.read(Buffer.alloc(1), 0, 1, at);
  await handle.write(Buffer.from([(buffer[0] ?? 0) ^ 1]), 0, 1, at);
  await handle.close();
}

/** A sink of this package, and whether it can be had here. */
export interface ContractAdapter {
  /** The rules that are public hold for it. */
  readonly subject: ContractSubject;
  /** What it lacks here; absent: it is available. */
  readonly needs?: string;
}

/** Registers specs of a sink; where it cannot be had they are skipped, and say why. */
export function describeAvailable(name: string, needs: string | undefined, body: () => void): void {
  if (needs === undefined) describe(name, body);
  else describe.skip(`${name} (skipped: it needs ${needs})`, body);
}

/** A new place of a sink in a folder or in a file, for the contract. */
const placed =
  (make: () => Promise<TablesPlace>, kept?: (at: string) => string): ContractSubject['place'] =>
  async () => {
    const { at, to, rows, drop } = await make();
    const place: ContractPlace = {
      sink: (outputs) => to()(outputs),
      read: async (table) => (await rows(table)) ?? [],
      remove: drop,
    };
    return kept === undefined ? place : { ...place, damage: () => flip(kept(at)) };
  };
const inFolder = (folder: string): string => join(folder, '.headwater', 'journal', '0.data');
const besideFile = (file: string): string => join(`${file}.headwater`, '0.data');

type MakeInBucket = (place: string, options: { readonly journal: string }) => Destination;

/** A new place of a sink in a bucket. */
const inBucket =
  (make: MakeInBucket, read: (file: string) => Promise<readonly ReadRow[]>, suffix: string): ContractSubject['place'] =>
  async () => {
    useS3();
    const folder = await mkdtemp(join(tmpdir(), 'headwater-contract-'));
    const prefix = `contract-${randomUUID()}`;
    return {
      sink: (outputs) => make(`s3://${BUCKET}/${prefix}`, { journal: folder })(outputs),
      read: async (table) => {
        const copy = await mkdtemp(join(folder, 'read-'));
        const files = await download(prefix, copy);
        return files.includes(`${table}${suffix}`) ? read(join(copy, `${table}${suffix}`)) : [];
      },
      damage: async () => {
        const [own = ''] = (await readdir(folder)).filter((name) => name.startsWith('s3-'));
        await flip(inFolder(join(folder, own)));
      },
      remove: () => rm(folder, { recursive: true }),
    };
  };

let probed: Promise<NatsProbe> | undefined;
/** One connection for all places. */
function natsProbe(): Promise<NatsProbe> {
  if (probed !== undefined) return probed;
  const made = NatsProbe.connect(natsUrl ?? '');
  closedInTheEnd(async () => (await made).close());
  return (probed = made);
}

async function natsPlace(): Promise<ContractPlace> {
  const probe = await natsProbe();
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
}

const NEEDS_SERVICES = 'scripts/services.sh run npm test';
const postgresNeeds =
  process.env.HEADWATER_TEST_POSTGRES === undefined ? `HEADWATER_TEST_POSTGRES: ${NEEDS_SERVICES}` : undefined;
const natsNeeds = natsUrl === undefined ? `HEADWATER_TEST_NATS: ${NEEDS_SERVICES}` : undefined;
const s3Needs = s3Url === undefined ? `HEADWATER_TEST_S3: ${NEEDS_SERVICES}` : undefined;

/** For sinks whose code is that of another one, or nearly: files of NDJSON and CSV are compressed by one function, DuckDB writes Parquet. */
const alike = ALL_CASES ? undefined : 'npm run test:all, because its code is that of another sink';

type Adapted = Pick<ContractSubject, 'makes' | 'place'> & Partial<Omit<ContractSubject, 'name'>>;
const adapter = (name: string, subject: Adapted, needs?: string): ContractAdapter => ({
  subject: { name, ...subject },
  ...(needs === undefined ? {} : { needs }),
});

/** Each sink that keeps the contract, in each form in which it has code of its own. */
export const CONTRACT_ADAPTERS: readonly ContractAdapter[] = [
  adapter('csv:', { makes: 'linked-tables', place: placed(csvPlace, inFolder) }),
  adapter('csv: at one go', {
    ...{ makes: 'linked-tables', keepsNothing: true },
    place: placed(() => csvPlace({ keepsNothing: true })),
  }),
  adapter(
    'csv: compressed',
    {
      makes: 'linked-tables',
      place: placed(() => csvPlace({ compress: 'gzip' }), inFolder),
    },
    alike,
  ),
  adapter('ndjson:', { makes: 'tables', place: placed(ndjsonPlace, inFolder) }),
  adapter(
    'ndjson: compressed',
    { makes: 'tables', place: placed(() => ndjsonPlace({ compress: 'gzip' }), inFolder) },
    alike,
  ),
  adapter('parquet:', { makes: 'tables', place: placed(parquetPlace, inFolder) }, alike),
  adapter('duckdb:', { makes: 'tables', place: placed(duckdbPlace, besideFile) }),
  adapter('sqlite:', { makes: 'tables', place: placed(sqlitePlace, besideFile) }, NEEDS_SQLITE),
  adapter(
    'postgres://',
    {
      makes: 'tables',
      place: async () => {
        const { query, ...place } = await postgresPlace();
        const damage = async (): Promise<void> => {
          await query(`UPDATE _headwater.pages SET lines = replace(lines, '1', '2')`);
        };
        return { ...(await placed(() => Promise.resolve(place))()), damage };
      },
    },
    postgresNeeds,
  ),
  adapter('nats://', { makes: 'messages', visible: 'at-once', place: natsPlace }, natsNeeds),
  adapter(
    'ndjson:s3://',
    {
      makes: 'tables',
      place: inBucket(
        (to, own) => sinks.ndjson(to, { ...own, compress: 'gzip' }),
        async (file) => lineRows(gunzipSync(await readFile(file)).toString()),
        '.ndjson.gz',
      ),
    },
    s3Needs,
  ),
  adapter(
    'csv:s3://',
    {
      makes: 'linked-tables',
      place: inBucket(sinks.csv, async (file) => csvRows(await readFile(file, 'utf8')), '.csv'),
    },
    s3Needs,
  ),
  adapter('parquet:s3://', { makes: 'tables', place: inBucket(sinks.parquet, parquetRows, '.parquet') }, s3Needs),
];

/** The kinds of values for which tables have types. */
export type Kind = 'boolean' | 'integer' | 'bigint' | 'double' | 'date' | 'time' | 'instant' | 'json' | 'text';

/** How a sink with tables differs from others, for whoever reads its tables. */
export interface Traits {
  /** The types of its columns; absent: it has texts alone, or values as they came. */
  readonly types?: Readonly<Record<Kind, string>>;
  /** Whether older values become those of the wider type that a column gets, and are equal to new ones of that type. */
  readonly rewritesTypes: boolean;
  /** Whether items without members are rows, also where no item has one; else there is no table without a column. */
  readonly hasEmptyRows: boolean;
  /** How it writes true and false. */
  readonly booleans: readonly [string, string];
  /** Whether keys are those of the database itself: no row is without one, and no two rows have the same, also in tables that are replaced. */
  readonly enforcesKeys: boolean;
  /** Whether items stay as they came where objects and lists stay JSON: no column is added to them, and no name is changed. */
  readonly keepsItems: boolean;
  /** The most columns that a table may have unless the configuration says otherwise; undefined: lines may have any number of keys. */
  readonly mostColumns: string | undefined;
  /** Whether names that differ in their case alone are names of different columns. */
  readonly caseSensitiveNames: boolean;
  /** Whether names that differ in their case alone are names of different tables. */
  readonly caseSensitiveTables: boolean;
  /** The code of a run with lists whose table has the name of another job. */
  readonly namesakes: string;
  /** Names that no table can have. */
  readonly refusedNames: readonly string[];
  /** Whether rows stay in the order in which they came. */
  readonly isOrdered: boolean;
  /** Whether somebody else may have made its tables, or may change them, by SQL. */
  readonly isDatabase: boolean;
  /** How rows of lists know their parents. */
  readonly linkedTables: 'numbers' | 'checksums';
  /** What it tells of the rows that a commit changed. */
  readonly counts: Counts;
}

/** What a sink tells of rows. */
export interface Counts {
  /** Whether numbers may be left out. */
  readonly isSparing: boolean;
  /** Whether they are right only in a table where each row has a key of its own. */
  readonly needsUniqueKeys: boolean;
  /** Which rows are compared with those that they replace. */
  readonly compares: 'all' | 'flat' | 'none';
  /** What it tells all the same. */
  readonly summary: (stored: Stored) => boolean;
}

/** The options of sinks that specs of several have. */
export interface PlaceOptions {
  readonly nested?: 'tables' | 'json';
  readonly compress?: 'gzip';
  readonly partitionBy?: readonly string[];
}

/** A place of a sink with tables. */
export interface AdapterPlace extends TablesPlace {
  readonly sink: (outputs: readonly OutputPlan[]) => DurableSink;
  /** The cells of these columns as texts, a list a row; null where there is none. */
  readonly cells: (table: string, ...columns: readonly string[]) => Promise<readonly Cells[]>;
  /**
   * Puts something into the place of a table that was not there, so that it cannot be made when rows are added to it.
   *
   * @returns what a run fails with, and what takes it away again
   */
  readonly block: (table: string) => Promise<Obstacle>;
  /** Changes a database behind the back of runs; absent: it is no database. */
  readonly change?: (sql: string) => Promise<void>;
}
export type Cells = readonly (string | null)[];
export interface Obstacle {
  readonly code: string;
  readonly clear: () => Promise<void>;
}

/** A sink with tables. */
export interface TableAdapter {
  readonly name: string;
  readonly needs?: string;
  readonly traits: Traits;
  /** The options that it has. */
  readonly options: readonly (keyof PlaceOptions)[];
  readonly make: (options: PlaceOptions) => Promise<TablesPlace & Pick<AdapterPlace, 'block' | 'change'>>;
}

/** What a reader finds in a cell, as text; null where it has nothing. */
export const textOf = (value: Json | Date | undefined): string | null => {
  if (value === null || value === undefined || value === '') return null;
  if (value instanceof Date) return value.toISOString();
  return typeof value === 'object' ? stringifyJson(value) : String(value);
};

/** A file in the place of a table. */
const blockFile =
  (at: string, suffix: string, content: string, code: string) =>
  async (table: string): Promise<Obstacle> => {
    const file = join(at, `${table}${suffix}`);
    await mkdir(at, { recursive: true });
    await writeFile(file, content);
    return { code, clear: () => rm(file) };
  };
/** A view in the place of a table. */
const blockView =
  (change: (sql: string) => Promise<void>, code = 'SINK_FAILED') =>
  async (table: string): Promise<Obstacle> => {
    await change(`CREATE VIEW "${table}" AS SELECT 1 AS id`);
    return { code, clear: () => change(`DROP VIEW "${table}"`) };
  };

const TYPED = {
  rewritesTypes: true,
  hasEmptyRows: true,
  enforcesKeys: false,
  keepsItems: false,
  mostColumns: '2,000',
  caseSensitiveNames: false,
  caseSensitiveTables: true,
  refusedNames: [],
  namesakes: 'TABLE_NAME',
  isOrdered: true,
  isDatabase: false,
  linkedTables: 'numbers',
  booleans: ['true', 'false'],
  counts: { isSparing: false, needsUniqueKeys: false, compares: 'all', summary: () => true },
} satisfies Partial<Traits>;
const DUCKDB_TYPES: Readonly<Record<Kind, string>> = {
  boolean: 'BOOLEAN',
  integer: 'INTEGER',
  bigint: 'BIGINT',
  double: 'DOUBLE',
  date: 'DATE',
  time: 'TIMESTAMP',
  instant: 'TIMESTAMP WITH TIME ZONE',
  json: 'JSON',
  text: 'VARCHAR',
};

let shared: Promise<TestDatabase> | undefined;
/** One database for all places of a file of specs, each of which is a schema. */
function sharedDatabase(): Promise<TestDatabase> {
  if (shared !== undefined) return shared;
  const made = testDatabase();
  closedInTheEnd(async () => (await made).drop());
  return (shared = made);
}

/** Each sink with tables. */
export const TABLE_ADAPTERS: readonly TableAdapter[] = [
  {
    name: 'csv:',
    options: ['compress'],
    traits: {
      ...TYPED,
      booleans: ['1', ''],
      hasEmptyRows: false,
      namesakes: 'API_SHAPE',
      caseSensitiveNames: true,
      linkedTables: 'checksums',
      counts: {
        ...{ isSparing: true, needsUniqueKeys: false, compares: 'none' },
        summary: ({ rows, total }) => (rows === undefined) === (total === undefined),
      },
    },
    make: async ({ compress }) => {
      const place = await csvPlace(compress === undefined ? {} : { compress });
      return { ...place, block: blockFile(place.at, '.csv', '"id","id"\n"1","2"\n', 'DESTINATION_INCOMPATIBLE') };
    },
  },
  {
    name: 'ndjson:',
    options: ['nested', 'compress'],
    traits: {
      ...TYPED,
      rewritesTypes: false,
      keepsItems: true,
      mostColumns: undefined,
      refusedNames: ['x'.repeat(300)],
      caseSensitiveNames: true,
      counts: {
        ...{ isSparing: true, needsUniqueKeys: true, compares: 'all' },
        // A file that no line comes to is not read.
        summary: ({ rows, total }) => rows === 0 || total !== undefined,
      },
    },
    make: async ({ nested, compress }) => {
      const options = { ...(nested === undefined ? {} : { nested }), ...(compress === undefined ? {} : { compress }) };
      const place = await ndjsonPlace(options);
      return { ...place, block: blockFile(place.at, '.ndjson', 'no JSON\n', 'DESTINATION_INCOMPATIBLE') };
    },
  },
  {
    name: 'parquet:',
    options: ['nested', 'partitionBy'],
    traits: { ...TYPED, types: DUCKDB_TYPES, refusedNames: ['x'.repeat(300)] },
    make: async ({ nested, partitionBy }) => {
      const place = await parquetPlace({
        ...(nested === undefined ? {} : { nested }),
        ...(partitionBy === undefined ? {} : { partitionBy }),
      });
      return { ...place, block: blockFile(place.at, '.parquet', 'no Parquet', 'DESTINATION_DAMAGED') };
    },
  },
  {
    name: 'duckdb:',
    options: ['nested'],
    traits: { ...TYPED, types: DUCKDB_TYPES, caseSensitiveTables: false, isDatabase: true },
    make: async ({ nested }) => {
      const place = await duckdbPlace(nested === undefined ? {} : { nested });
      const change = (sql: string): Promise<void> => changeDuckDB(place.at, sql);
      return { ...place, change, block: blockView(change) };
    },
  },
  {
    name: 'sqlite:',
    ...(NEEDS_SQLITE === undefined ? {} : { needs: NEEDS_SQLITE }),
    options: ['nested'],
    traits: {
      ...TYPED,
      types: {
        ...{ boolean: 'INTEGER', integer: 'INTEGER', bigint: 'INTEGER', double: 'REAL', date: 'TEXT', time: 'TEXT' },
        ...{ instant: 'TEXT', json: 'TEXT', text: 'TEXT' },
      },
      booleans: ['1', '0'],
      caseSensitiveTables: false,
      refusedNames: ['sqlite_x', '_headwater'],
      isDatabase: true,
    },
    make: async ({ nested }) => {
      const place = await sqlitePlace(nested === undefined ? {} : { nested });
      const change = async (sql: string): Promise<void> => {
        changeSqlite(place.at, sql);
        return Promise.resolve();
      };
      return { ...place, change, block: blockView(change, 'DESTINATION_INCOMPATIBLE') };
    },
  },
  {
    name: 'postgres://',
    ...(postgresNeeds === undefined ? {} : { needs: postgresNeeds }),
    options: ['nested'],
    traits: {
      ...TYPED,
      types: {
        ...{ boolean: 'boolean', integer: 'integer', bigint: 'bigint', double: 'double precision', date: 'date' },
        ...{ time: 'timestamp without time zone', instant: 'timestamp with time zone', json: 'jsonb', text: 'text' },
      },
      enforcesKeys: true,
      mostColumns: '1,600',
      refusedNames: ['', 'a\0b', '\ud800'],
      isOrdered: false,
      isDatabase: true,
      counts: {
        ...{ isSparing: true, needsUniqueKeys: true, compares: 'flat' },
        summary: ({ added, changed }) => added !== undefined && changed !== undefined,
      },
    },
    make: async ({ nested }) => {
      const { query, ...place } = await postgresPlace(nested === undefined ? {} : { nested }, await sharedDatabase());
      const change = async (sql: string): Promise<void> => {
        await query(`CREATE SCHEMA IF NOT EXISTS PLACE; SET search_path = PLACE; ${sql}`);
      };
      return { ...place, change, block: blockView(change) };
    },
  },
];

/** A place of an adapter that specs use; it is dropped after the spec. */
export type MakePlace = (options?: PlaceOptions) => Promise<AdapterPlace>;

/**
 * Registers the same specs for each sink with tables, or for some of them.
 *
 * @param body gets an `it` by which each case runs against some of the sinks; with that of jest it runs against all of them
 */
export function describeTables(
  body: (adapter: TableAdapter, make: MakePlace, it: SharedIt) => void,
  adapters: readonly TableAdapter[] = TABLE_ADAPTERS,
): void {
  const casesOf = sharedCases();
  const last = adapters.findLast(({ needs }) => needs === undefined);
  for (const [number, adapter] of adapters.entries())
    describeAvailable(adapter.name, adapter.needs, () => {
      const made: { readonly close: () => Promise<void> }[] = [];
      afterEach(async () => {
        for (const { close } of made.splice(0).reverse()) await close();
      });
      const make: MakePlace = async (options = {}) => {
        const place = await adapter.make(options);
        made.push({ close: place.drop });
        const sink = (outputs: readonly OutputPlan[]): DurableSink => {
          const opened = place.to()(outputs);
          made.push(opened);
          return opened;
        };
        const cells: AdapterPlace['cells'] = async (table, ...columns) =>
          ((await place.rows(table)) ?? []).map((row) => columns.map((column) => textOf(row[column])));
        return { ...place, sink, cells };
      };
      body(adapter, make, casesOf(number, adapter === last));
    });
}

/** Items of one job, and what their rows have beside them. */
export interface Part {
  /** Default: `user`. */
  readonly table?: string;
  readonly items: readonly Item[];
  readonly extra?: Readonly<Record<string, string>>;
}

let runs = 0;
/** Begins a run that has the state of the one before, and writes its pages. */
export async function begun(
  { sink: make }: Pick<AdapterPlace, 'sink'>,
  output: OutputPlan,
  parts: readonly Part[],
): Promise<{ readonly sink: DurableSink; readonly state: JsonObject }> {
  const sink = make([output]);
  const { state } = await sink.open();
  await sink.begin({ id: `run ${(runs += 1)}`, fingerprint: 'f', startedAt: 1_700_000_000, previousStart: 0 }, state);
  for (const [job, { table = 'user', items, extra = {} }] of parts.entries())
    await sink.write(aPageOf(table, items, { extra: new Map(Object.entries(extra)), checkpoint: { call: [0, job] } }));
  return { sink, state };
}

/** A whole run, with the state of the one before. */
export async function store(
  place: Pick<AdapterPlace, 'sink'>,
  output: OutputPlan,
  ...parts: readonly (Part | readonly Item[])[]
): Promise<readonly Stored[]> {
  const all = parts.map((part): Part => (Array.isArray(part) ? { items: part as readonly Item[] } : (part as Part)));
  const { sink, state } = await begun(place, output, all);
  try {
    return await sink.commit(state);
  } finally {
    await sink.close();
  }
}

/** Runs whose rows take the place of the old tables. */
export const REPLACE: OutputPlan = { incremental: false, compatLevel: 3 };
/** Runs whose rows are added. */
export const APPEND: OutputPlan = { incremental: true, compatLevel: 3 };
/** Runs whose rows take the place of those with the same key, in the table `user`. */
export const mergedBy = (...keys: readonly string[]): OutputPlan => ({
  ...APPEND,
  primaryKeys: new Map([['user', keys]]),
});
