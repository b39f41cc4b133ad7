/** The destinations with tables, and what somebody who is not Headwater reads in them: one line for each. */
import { readFile } from 'node:fs/promises';
import { Client } from 'pg';
import type { FoundTable } from './expected';
import { files } from './files';
import { read, written } from './json-value';
import type { Value } from './json-value';
import { duckdb, parquet } from './found-in-duckdb';
import type { Flavour } from './feeds';
import { quoted, typeOf } from './type-names';

export type FoundTables = ReadonlyMap<string, FoundTable>;

export interface DestinationOfCells {
  readonly name: string;
  /** What it makes of items: typed tables, the language's own, a line for each item, or rows of linked tables without types. */
  readonly makes: 'typed' | 'csv' | 'lines' | 'rows';
  /** Whether objects and lists are linked tables although the destination would leave them as they are. */
  readonly linked?: boolean;
  /** Whether objects and lists are one column of JSON. */
  readonly nestedJson?: boolean;
  /** Whether they are columns of STRUCT and LIST. */
  readonly structs?: boolean;
  /** The digits that a decimal has at most. */
  readonly digits?: number;
  readonly flavour?: Flavour;
  /** The variable of the environment that names its server. */
  readonly needs?: string;
  /** @param place an empty folder, or what `prepare` has made */
  readonly url: (place: string) => string;
  readonly tables: (place: string) => Promise<FoundTables>;
  /** Makes a place for a run outside of the folder; gives what names it. */
  readonly prepare?: (number: number) => Promise<string>;
}

export const DESTINATIONS: readonly DestinationOfCells[] = [
  { name: 'ndjson', makes: 'lines', url: (place) => `ndjson:${place}/out`, tables: (place) => lines(`${place}/out`) },
  {
    name: 'ndjson, tables',
    makes: 'rows',
    linked: true,
    url: (place) => `ndjson:${place}/out`,
    tables: (place) => rowsOfLines(`${place}/out`),
  },
  {
    name: 'csv',
    makes: 'csv',
    flavour: { alike: true },
    url: (place) => `csv:${place}/out`,
    tables: (place) => csv(`${place}/out`),
  },
  {
    name: 'parquet',
    makes: 'typed',
    url: (place) => `parquet:${place}/out`,
    tables: (place) => parquet(`${place}/out`),
  },
  {
    name: 'duckdb',
    makes: 'typed',
    url: (place) => `duckdb:${place}/x.duckdb`,
    tables: (place) => duckdb(`${place}/x.duckdb`),
  },
  {
    name: 'duckdb, JSON',
    makes: 'typed',
    nestedJson: true,
    url: (place) => `duckdb:${place}/x.duckdb`,
    tables: (place) => duckdb(`${place}/x.duckdb`),
  },
  {
    name: 'parquet, JSON',
    makes: 'typed',
    nestedJson: true,
    url: (place) => `parquet:${place}/out`,
    tables: (place) => parquet(`${place}/out`),
  },
  {
    name: 'duckdb, STRUCT',
    makes: 'typed',
    structs: true,
    url: (place) => `duckdb:${place}/x.duckdb`,
    tables: (place) => duckdb(`${place}/x.duckdb`),
  },
  {
    name: 'parquet, STRUCT',
    makes: 'typed',
    structs: true,
    url: (place) => `parquet:${place}/out`,
    tables: (place) => parquet(`${place}/out`),
  },
  { name: 'postgres', makes: 'typed', ...inPostgres() },
  { name: 'postgres, JSON', makes: 'typed', nestedJson: true, ...inPostgres() },
];

/** Rows as lines of JSON: each member is a cell of JSON. */
async function rowsOfLines(folder: string): Promise<FoundTables> {
  const found = new Map<string, FoundTable>();
  for (const [name, path] of await files(folder, '.ndjson')) {
    const lines = (await readFile(path, 'utf8')).split('\n').slice(0, -1).map(read);
    const rows = lines.map((line) => new Map(line.kind === 'object' ? line.members : []));
    const columns = [...new Set(rows.flatMap((row) => [...row.keys()]))];
    found.set(name, {
      columns: columns.map((column) => ({ name: column, type: 'json' })),
      rows: rows.map((row) => columns.map((column) => cellOf(row.get(column)))),
    });
  }
  return found;
}

const cellOf = (value: Value | undefined): string | null => (value === undefined ? null : written(value));

async function lines(folder: string): Promise<FoundTables> {
  const found = new Map<string, FoundTable>();
  for (const [name, path] of await files(folder, '.ndjson')) {
    const rows = (await readFile(path, 'utf8')).split('\n').slice(0, -1);
    found.set(name, { columns: [{ name: 'line', type: 'text' }], rows: rows.map((line) => [line]) });
  }
  return found;
}

/** Reads what docs/language/tables.md#files-and-buckets says: every field in quotes, lines that end with LF. */
async function csv(folder: string): Promise<FoundTables> {
  const found = new Map<string, FoundTable>();
  for (const [name, path] of await files(folder, '.csv')) {
    const [header = [], ...rows] = fieldsOf(await readFile(path, 'utf8'));
    found.set(name, { columns: header.map((column) => ({ name: column, type: 'text' as const })), rows });
  }
  return found;
}

function fieldsOf(text: string): readonly string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  const field = /"((?:[^"]|"")*)"([,\n])/y;
  while (field.lastIndex < text.length) {
    const at = field.lastIndex;
    const [, value = '', end] = field.exec(text) ?? [];
    if (end === undefined) throw new Error(`no field at ${at}: ${text.slice(at, at + 80)}`);
    row.push(value.replaceAll('""', '"'));
    if (end === '\n') rows.push(row.splice(0));
  }
  row = [];
  return rows;
}

function inPostgres(
  flavour: Flavour = {},
): Pick<DestinationOfCells, 'digits' | 'flavour' | 'needs' | 'url' | 'tables' | 'prepare'> {
  const needs = 'HEADWATER_TEST_POSTGRES';
  const server = process.env[needs] ?? '';
  const withClient = async <T>(work: (client: Client) => Promise<T>): Promise<T> => {
    const client = new Client({ connectionString: server });
    await client.connect();
    try {
      return await work(client);
    } finally {
      await client.end();
    }
  };
  return {
    needs,
    digits: 10_000,
    flavour: { ...flavour, storable: true },
    url: (schema) => {
      const url = new URL(server);
      url.searchParams.set('schema', schema);
      return url.href;
    },
    prepare: async (number) => {
      const schema = `cells_${process.pid}_${Date.now()}_${number}`;
      await withClient((client) => client.query(`CREATE SCHEMA ${schema}`));
      return schema;
    },
    tables: (schema) => withClient((client) => tablesOfSchema(client, schema)),
  };
}

async function tablesOfSchema(client: Client, schema: string): Promise<FoundTables> {
  const { rows: all } = await client.query<{ table: string; name: string; type: string }>(
    `SELECT table_name AS table, column_name AS name, data_type AS type FROM information_schema.columns
      WHERE table_schema = $1 ORDER BY table_name, ordinal_position`,
    [schema],
  );
  const found = new Map<string, FoundTable>();
  for (const table of new Set(all.map((column) => column.table))) {
    const columns = all
      .filter((column) => column.table === table)
      .map(({ name, type }) => ({ name, type: typeOf(type) }));
    const cells = columns.map(({ name, type }) =>
      ['date', 'timestamp', 'timestamptz'].includes(type)
        ? `(extract(epoch FROM ${quoted(name)}) * 1000000)::bigint::text`
        : `${quoted(name)}::text`,
    );
    const order = columns.some(({ name }) => name === '_row_id') ? 'rows."_row_id"' : 'ctid';
    const { rows } = await client.query<(string | null)[]>({
      text: `SELECT ${cells.join(', ')} FROM ${schema}.${quoted(table)} AS rows ORDER BY ${order}`,
      rowMode: 'array',
    });
    found.set(table, { columns, rows });
  }
  return found;
}
