/** The rows of mapped child tables whose parents a run replaces (docs/language/mappings.md#child-tables). */
import type { ColumnType } from '../../tables/schema/column-type';
import type { Column } from '../../tables/schema/schema';
import { keyOfType } from '../mapped/key-of-type';
import { LINK } from '../mapped/mapped-rows';
import type { Database } from './connection';
import type { TableLoad } from './load-flat';
import { asText, literal, pathLiteral, quoted } from './sql';
import { typeName } from './type-names';

/** The tables as they are before the run. */
export interface OldTables {
  /** None where there is no such table. */
  readonly columns: (table: string) => Promise<readonly Column[]>;
  /** A table, as SQL has it. */
  readonly from: (table: string) => string;
}

/** The SQL condition that a row `old` of a table is to go; tables of which no row has to go are not in it. */
export type GoneRows = ReadonlyMap<string, string>;

/**
 * Finds the rows that belong to rows which are replaced, at any depth, before anything is stored. They wait in temporary tables.
 *
 * @param loads parents before their children
 * @throws FatalError DESTINATION_INCOMPATIBLE where a key of several columns cannot be compared
 */
export async function findGone(database: Database, loads: readonly TableLoad[], old: OldTables): Promise<GoneRows> {
  const gone = new Map<string, string>();
  for (const { dataType, link, incremental } of loads) {
    if (link === undefined || !incremental) continue;
    const type = (await old.columns(dataType)).find(({ name }) => name === link.column)?.type;
    if (type === undefined) continue;
    const { parent, file } = link;
    const came = `read_json(${pathLiteral(file ?? '')}, format = 'newline_delimited', hive_partitioning = false, columns = {${literal(LINK)}: 'VARCHAR'})`;
    const above = gone.get(parent);
    const sources = [
      ...(file === undefined ? [] : [`SELECT ${quoted(LINK)} AS link FROM ${came}`]),
      ...(above === undefined
        ? []
        : [`SELECT ${await linkOf(parent, link.of, old)} FROM ${old.from(parent)} AS old WHERE ${above}`]),
    ];
    if (sources.length === 0) continue;
    const table = `"temp"."main".${quoted(`_headwater_gone_${gone.size}`)}`;
    const values = `SELECT DISTINCT TRY_CAST(link AS ${typeName(type)}) AS link FROM (${sources.join(' UNION ALL ')}) AS links (link)`;
    await database.run(`CREATE OR REPLACE TEMP TABLE ${quoted(`_headwater_gone_${gone.size}`)} AS ${values}`);
    gone.set(dataType, `EXISTS (SELECT 1 FROM ${table} AS gone WHERE gone.link = old.${quoted(link.column)})`);
  }
  return gone;
}

/** What the child rows of a row `old` have in their link, as a string. */
async function linkOf(table: string, of: readonly string[], { columns }: OldTables): Promise<string> {
  const types = new Map((await columns(table)).map(({ name, type }) => [name, type]));
  const [only] = of;
  if (only !== undefined && of.length === 1) return asText(`old.${quoted(only)}`, types.get(only) ?? 'text');
  return of.map((name) => partOf(table, name, types.get(name) ?? 'text')).join(` || ',' || `);
}

const AS_WRITTEN: readonly ColumnType[] = ['integer', 'bigint', 'date', 'text'];

/** A value in a key of several columns, as the language writes it. */
function partOf(table: string, name: string, type: ColumnType): string {
  const value = `old.${quoted(name)}`;
  if (type === 'boolean') return `CASE WHEN ${value} THEN '1' ELSE '' END`;
  if (AS_WRITTEN.includes(type)) return `coalesce(CAST(${value} AS VARCHAR), '')`;
  throw keyOfType(table, name, type);
}
