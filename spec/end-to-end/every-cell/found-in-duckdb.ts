/** What somebody who is not Headwater reads in DuckDB databases and Parquet files. */
import { DuckDBInstance } from '@duckdb/node-api';
import type { DuckDBConnection, DuckDBType, DuckDBValue } from '@duckdb/node-api';
import type { FoundTable } from './expected';
import { files } from './files';
import { asHex as asNestedHex, isNested, shapeOf, textOf } from './found-structs';
import type { Shape } from './found-structs';
import { quoted, typeOf } from './type-names';

type FoundTables = ReadonlyMap<string, FoundTable>;

async function inDuckdb(
  file: string,
  tables: (query: Query) => Promise<readonly (readonly [name: string, from: string])[]>,
): Promise<FoundTables> {
  const instance = await DuckDBInstance.create(file, file === ':memory:' ? {} : { access_mode: 'READ_ONLY' });
  const connection: DuckDBConnection = await instance.connect();
  const query: Query = async (sql) => (await connection.runAndReadAll(sql)).getRows().map((row) => row.map(textOrNull));
  // The client takes a byte order mark away from the beginning of a text.
  const asHex = (text: string): string => `hex(CAST(${text} AS VARCHAR))`;
  try {
    const found = new Map<string, FoundTable>();
    for (const [name, from] of await tables(query)) {
      const types = (await connection.runAndReadAll(`SELECT * FROM ${from} LIMIT 0`)).columnTypes();
      const columns = (await query(`DESCRIBE SELECT * FROM ${from}`)).map(([column, type], at) => {
        const own = types[at] as DuckDBType;
        if (isNested(own)) return { name: String(column), type: 'json' as const, shape: shapeOf(own, typeOf) };
        return { name: String(column), type: typeOf(String(type)), shape: undefined };
      });
      const cells = columns.map(({ name: column, type, shape }) =>
        shape !== undefined
          ? asNestedHex(quoted(column), shape)
          : ['date', 'timestamp', 'timestamptz'].includes(type)
            ? asHex(`epoch_us(${quoted(column)})`)
            : asHex(quoted(column)),
      );
      const order = columns.some((column) => column.name === '_row_id') ? ' ORDER BY "_row_id"' : '';
      const rows = (await connection.runAndReadAll(`SELECT ${cells.join(', ')} FROM ${from}${order}`)).getRows();
      found.set(name, {
        columns: columns.map(({ shape, ...column }) => (shape === undefined ? column : { ...column, shape })),
        rows: rows.map((row) => row.map((cell, at) => hexed(cell, columns[at]?.shape))),
      });
    }
    return found;
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}

const hexed = (cell: DuckDBValue, shape: Shape | undefined): string | null =>
  shape === undefined ? fromHex(textOrNull(cell)) : textOf(cell, shape);

type Query = (sql: string) => Promise<readonly (readonly (string | null)[])[]>;
const fromHex = (hex: string | null): string | null => (hex === null ? null : Buffer.from(hex, 'hex').toString());
const textOrNull = (value: unknown): string | null => (typeof value === 'string' ? value : null);

export const duckdb = (file: string): Promise<FoundTables> =>
  inDuckdb(file, async (query) =>
    (await query("SELECT table_name FROM duckdb_tables() WHERE schema_name = 'main'")).map(
      ([name]) => [String(name), quoted(String(name))] as const,
    ),
  );

export const parquet = (folder: string): Promise<FoundTables> =>
  inDuckdb(':memory:', async () =>
    (await files(folder, '.parquet')).map(([name, path]) => [name, `read_parquet('${path}')`] as const),
  );
