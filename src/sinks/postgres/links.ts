/** The rows of mapped child tables whose parents a run replaces (docs/language/mappings.md#child-tables). */
import { addsRows } from '../../tables/loads';
import type { Client } from 'pg';
import { objectIn } from '../files/object-in';
import { pagesAt } from '../journal/reader';
import { LINK } from '../mapped/mapped-rows';
import type { MappedTableOfRun } from '../mapped/map-items';
import type { ColumnType } from '../../tables/schema/column-type';
import { isDecimal } from '../../tables/schema/decimal-type';
import { timeTypeOf } from '../../tables/schema/time-type';
import { keyOfType } from '../mapped/key-of-type';
import { copyLine } from './cells';
import { copyInto } from './copy';
import { columnName, quoted } from './names';
import { existingTable } from './table';

/**
 * Removes the rows that belong to rows which are replaced, at any depth, before anything is stored.
 *
 * @param tables parents before their children
 * @param inSchema a table, as SQL has it
 * @returns how many rows of a table went; `undefined`: nobody knows
 * @throws FatalError DESTINATION_INCOMPATIBLE where a key of several columns cannot be compared
 */
export async function removeGone(
  client: Client,
  tables: readonly MappedTableOfRun[],
  inSchema: (table: string) => string,
): Promise<ReadonlyMap<string, number | undefined>> {
  const gone = new Map<string, string>();
  for (const { name, link, links, output } of tables) {
    if (link === undefined || !addsRows(output, name)) continue;
    const type = (await typesOf(client, inSchema(name))).get(columnName(link.column));
    if (type === undefined) continue;
    const waiting = quoted(`headwater gone ${gone.size}`);
    await client.query(`CREATE TEMPORARY TABLE ${waiting} (link text) ON COMMIT DROP`);
    for await (const { lines } of pagesAt(links)) {
      const texts = Buffer.from(lines).toString('utf8').split('\n').slice(0, -1).flatMap(linkIn);
      const fitting = TIMES.includes(type) ? texts.filter((text) => timeTypeOf(text) !== undefined) : texts;
      await copyInto(client, `pg_temp.${waiting}`, fitting.map((text) => copyLine([text], ['text'])).join(''));
    }
    const above = gone.get(link.parent);
    if (above !== undefined) {
      const types = await typesOf(client, inSchema(link.parent));
      const isComparable = !TIMES.includes(type) || (link.of.length === 1 && types.get(link.of[0] ?? '') === type);
      if (isComparable)
        await client.query(
          `INSERT INTO pg_temp.${waiting} SELECT ${linkOf(link.parent, link.of, types)} FROM ${inSchema(link.parent)} old WHERE ${above}`,
        );
    }
    const column = `old.${quoted(columnName(link.column))}`;
    gone.set(name, `${comparable(column, type)} IN (SELECT ${readAs(type)} FROM pg_temp.${waiting})`);
  }
  const removed = new Map<string, number | undefined>();
  for (const [name, isGone] of gone) {
    const { rowCount } = await client.query(`DELETE FROM ${inSchema(name)} old WHERE ${isGone}`);
    removed.set(name, rowCount ?? undefined);
  }
  return removed;
}

const linkIn = (line: string): readonly string[] => {
  const text = objectIn(line)?.[LINK];
  return typeof text === 'string' ? [text] : [];
};

async function typesOf(client: Client, table: string): Promise<ReadonlyMap<string, ColumnType>> {
  const existing = await existingTable(client, table);
  return new Map(existing?.columns.map(({ name, type }) => [name, type]));
}

const TIMES: readonly ColumnType[] = ['timestamp', 'timestamptz'];
const isNumber = (type: ColumnType): boolean => ['integer', 'bigint', 'double'].includes(type) || isDecimal(type);

const comparable = (column: string, type: ColumnType): string =>
  isNumber(type) ? `${column}::numeric` : TIMES.includes(type) ? column : textOf(column);

/** A link, as it is compared with a column of this type. */
function readAs(type: ColumnType): string {
  if (isNumber(type)) return String.raw`CASE WHEN link ~ '^-?\d+(\.\d+)?([eE][+-]?\d+)?$' THEN link::numeric END`;
  if (type === 'timestamp') return 'link::timestamp';
  return type === 'timestamptz' ? 'link::timestamptz' : 'link';
}

const textOf = (column: string): string => `to_jsonb(${column}) #>> '{}'`;

/** What the child rows of a row `old` have in their link, as a string. */
function linkOf(table: string, of: readonly string[], types: ReadonlyMap<string, ColumnType>): string {
  const parts = of.map((name) => {
    const column = columnName(name);
    const value = `old.${quoted(column)}`;
    const type = types.get(column) ?? 'text';
    if (of.length === 1) return textOf(value);
    if (type === 'boolean') return `CASE WHEN ${value} THEN '1' ELSE '' END`;
    if (AS_WRITTEN.includes(type)) return `coalesce(${value}::text, '')`;
    throw keyOfType(table, name, type);
  });
  return parts.join(` || ',' || `);
}

const AS_WRITTEN: readonly ColumnType[] = ['integer', 'bigint', 'date', 'text'];
