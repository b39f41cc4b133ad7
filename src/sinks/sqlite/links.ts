/** The rows of mapped child tables whose parents a run replaces (docs/language/mappings.md#child-tables). */
import { isObject } from '../../core/json/keys';
import { parseData } from '../../core/json/parse';
import { stringifyAt } from '../../core/json/stringify';
import { quoted } from '../duckdb/sql';
import { completeLines } from '../files/complete-lines';
import { keyOfType } from '../mapped/key-of-type';
import { CELL } from '../mapped/mapped-rows';
import type { ColumnType } from '../../tables/schema/column-type';
import { isDecimal } from '../../tables/schema/decimal-type';
import type { Column } from '../../tables/schema/schema';
import { fittedCell, storageOf } from './cells';
import type { Connection } from './driver';
import type { RowLoad } from './load';

/**
 * Removes the rows that belong to rows which are replaced, at any depth, before anything is stored.
 *
 * @param loads parents before their children
 * @param columnsOf the columns of a table; none where there is no such table
 * @throws FatalError DESTINATION_INCOMPATIBLE where a key of several columns cannot be compared
 */
export async function removeGone(
  connection: Connection,
  loads: readonly RowLoad[],
  columnsOf: (table: string) => readonly Column[],
): Promise<void> {
  const gone = new Map<string, string>();
  for (const { dataType, link, incremental } of loads) {
    const type = typeIn(columnsOf(dataType), link?.column ?? '');
    if (link === undefined || !incremental || type === undefined) continue;
    const waiting = `temp.${quoted(`_headwater_gone_${gone.size}`)}`;
    connection.exec(`DROP TABLE IF EXISTS ${waiting}; CREATE TABLE ${waiting} (link ${storageOf(type)}) STRICT`);
    const insert = connection.prepare(`INSERT INTO ${waiting} VALUES (?)`);
    const add = (token: string): void => {
      const cell = fittedCell(token, type);
      if (cell !== undefined) insert.run(cell);
    };
    if (link.file !== undefined)
      for await (const { line } of completeLines(link.file)) {
        const parent = parseData(line.toString('utf8'), 'spelling');
        if (isObject(parent)) add(stringifyAt(parent, CELL));
      }
    const above = gone.get(link.parent);
    if (above !== undefined)
      for (const key of keysOf(connection, link.parent, above, { of: link.of, columns: columnsOf(link.parent) }))
        add(key);
    gone.set(dataType, `${quoted(link.column)} IN (SELECT link FROM ${waiting})`);
  }
  for (const [table, isGone] of gone) connection.exec(`DELETE FROM ${quoted(table)} WHERE ${isGone}`);
}

const typeIn = (columns: readonly Column[], column: string): ColumnType | undefined =>
  columns.find(({ name }) => name === column)?.type;

/** What the child rows of the rows that go have in their link, as JSON. */
function* keysOf(
  connection: Connection,
  table: string,
  isGone: string,
  { of, columns }: { readonly of: readonly string[]; readonly columns: readonly Column[] },
): Generator<string> {
  const types = of.map((name) => typeIn(columns, name) ?? 'text');
  // Integers beyond 2^53 come as texts, and doubles as they are: as texts they would be rounded.
  const values = of.map((name, at) => (types[at] === 'double' ? quoted(name) : `CAST(${quoted(name)} AS TEXT)`));
  const listed = values.map((value, at) => `${value} AS "${at}"`).join(', ');
  for (const row of connection.prepare(`SELECT ${listed} FROM ${quoted(table)} WHERE ${isGone}`).all()) {
    const texts = of.map((_, at) => (row[at] === null ? undefined : String(row[at] as string | number)));
    if (of.length > 1) yield JSON.stringify(texts.map((text, at) => partOf(table, of[at], types[at], text)).join(','));
    else if (texts[0] !== undefined) yield tokenOf(texts[0], types[0] ?? 'text');
  }
}

const isNumber = (type: ColumnType): boolean => ['integer', 'bigint', 'double'].includes(type) || isDecimal(type);

function tokenOf(text: string, type: ColumnType): string {
  if (type === 'boolean') return text === '1' ? 'true' : 'false';
  return isNumber(type) || type === 'json' ? text : JSON.stringify(text);
}

/** A value in a key of several columns, as the language writes it. */
function partOf(table: string, column = '', type: ColumnType = 'text', text = ''): string {
  if (type === 'boolean') return text === '1' ? '1' : '';
  if (type === 'double' || type === 'json' || isDecimal(type)) throw keyOfType(table, column, type);
  return text;
}
