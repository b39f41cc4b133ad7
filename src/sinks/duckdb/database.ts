/** DuckDB as a database of a store: its SQL, and rows that are queries over files. */
import { quoted } from '../../core/json/sql-name';
import { FatalError } from '../../core/errors/errors';
import type { Column } from '../../tables/schema/schema';
import type { QueryWrite } from '../loading/load-flat';
import { LINK } from '../loading/mapped-items';
import { converted } from '../loading/query';
import { literal, pathLiteral, typeName, typeNamed } from '../sql';
import { listOf } from '../stores/merge';
import type { SqlDialect, SqlRows } from '../stores/merge';
import { otherColumn } from '../stores/sql-store';
import type { OwnTable, SqlDatabase } from '../stores/sql-store';
import { describe, exists } from './connection';
import type { Database } from './connection';

/** Returns what the SQL of DuckDB is like. */
export const duckdbDialect = ({ run, rows }: Database): SqlDialect => ({
  run,
  rows,
  type: typeName,
  same: (one, other) => `${one} IS NOT DISTINCT FROM ${other}`,
  converted,
  parsed: (text, type) => `TRY_CAST(${text} AS ${typeName(type)})`,
  temporary: (name) => `"temp"."main".${quoted(name)}`,
  create: (table, columns, isTemporary = false) =>
    `CREATE ${isTemporary ? 'TEMP ' : ''}TABLE ${table} (${columns.join(', ')})`,
});

/** Returns the way of rows in files into a database: queries that read them, and the check that all values came. */
export const queryRows = (database: Database): SqlRows<QueryWrite> => {
  const { run } = database;
  const stage = async (into: string, write: QueryWrite, row: string): Promise<string> => {
    // The number of a row is `rowid` only if no column has this name.
    const hasRowid = !write.columns.some(({ name }) => name.toLowerCase() === ROWID);
    const numbered = hasRowid ? '' : `, row_number() OVER () AS ${quoted(row)}`;
    await run(`CREATE TEMP TABLE ${into} AS SELECT *${numbered} FROM (${write.query}) AS staged`);
    await checkComplete(database, into, write);
    return hasRowid ? ROWID : quoted(row);
  };
  return {
    stage,
    fill: async (into, write, isEmpty) => {
      const names = listOf(write.columns.map(({ name }) => name));
      // Among the rows that are there, nobody could count those that came.
      const staged = '"temp"."main"."_headwater_added"';
      if (!isEmpty) await stage(staged, write, '');
      await run(`INSERT INTO ${into} (${names}) ${isEmpty ? write.query : `SELECT ${names} FROM ${staged}`}`);
      await (isEmpty ? checkComplete(database, into, write) : run(`DROP TABLE ${staged}`));
    },
    links: (file) =>
      Promise.resolve(
        `SELECT ${quoted(LINK)} AS link FROM read_json(${pathLiteral(file)}, format = 'newline_delimited', hive_partitioning = false, columns = {${literal(LINK)}: 'VARCHAR'})`,
      ),
  };
};

const ROWID = 'rowid';

/** @throws FatalError SINK_FAILED when rows of the write are missing, or a value is NULL that is not NULL in the pages */
export async function checkComplete(database: Database, from: string, write: QueryWrite): Promise<void> {
  const { table, columns, rows } = write;
  const counts = ['count(*)', ...columns.map(({ name }) => `count(${quoted(name)})`)];
  const [found = []] = await database.rows(`SELECT ${counts.join(', ')} FROM ${from}`);
  const wanted = [rows, ...(await write.filled())];
  const at = wanted.findIndex((count, place) => Number(found[place]) !== count);
  if (at < 0) return;
  const what = at === 0 ? 'rows' : `values in the column ${JSON.stringify(columns[at - 1]?.name)}`;
  const message = `The table ${JSON.stringify(table)} got ${String(found[at])} of ${String(wanted[at])} ${what}.`;
  throw new FatalError('SINK_FAILED', `${message} Nothing was stored. This is a defect of Headwater: report it.`);
}

/**
 * Returns the columns of rows that a run adds to.
 *
 * @throws FatalError DESTINATION_INCOMPATIBLE when they have columns that a run would not make
 */
export async function columnsOf(database: Database, from: string, table: string): Promise<readonly Column[]> {
  return (await describe(database, from)).map(([name, declared]) => {
    const type = typeNamed(declared);
    if (type === undefined) throw otherColumn(table, name, declared);
    return { name, type };
  });
}

/** The tables of the sink itself are in a schema. */
const OWN = '_headwater';

/**
 * Makes an open database one for `sqlStoreBy`: the tables of runs are in its schema `main`.
 *
 * @example const store = sqlStoreBy(await duckdbDatabase(database), queryRows(database))
 */
export async function duckdbDatabase(database: Database): Promise<Omit<SqlDatabase, 'transaction' | 'close'>> {
  // It is put before schemas, since it may have the name of one.
  const catalog = String((await database.rows('SELECT current_database()'))[0]?.[0]);
  const own = `${quoted(catalog)}.${quoted(OWN)}`;
  const sqlOf = (table: string): string => `${quoted(catalog)}."main".${quoted(table)}`;
  const ownOf = (table: OwnTable): string => `${own}.${quoted(table)}`;
  return {
    ...duckdbDialect(database),
    table: sqlOf,
    own: ownOf,
    describe: async (table) => {
      const [schema, name, from] =
        typeof table === 'string' ? ['main', table, sqlOf(table)] : [OWN, table.own, ownOf(table.own)];
      if (!(await exists(database, catalog, schema, name))) return [];
      return (await describe(database, from)).map(([column, type]) => ({ name: column, type }));
    },
    create: (table, columns, isTemporary = false) => {
      const statement = duckdbDialect(database).create(table, columns, isTemporary);
      return table.startsWith(`${own}.`) ? `CREATE SCHEMA IF NOT EXISTS ${own}; ${statement}` : statement;
    },
    typeNamed: (type) => typeNamed(type),
    notesTypes: false,
    keepsTables: false,
    renamed: (from, name) => `ALTER TABLE ${from} RENAME TO ${quoted(name)}`,
  };
}
