/** The lines of mapped child tables whose parents a run replaces (docs/language/mappings.md#child-tables). */
import { addsRows } from '../../tables/loads';
import { decimalText } from '../../core/json/decimal';
import { literalAt } from '../../core/json/literals';
import { ownValue } from '../../core/json/keys';
import { plainText } from '../../tables/mapping/cell';
import type { JsonObject } from '../../core/model';
import { completeLines } from '../files/complete-lines';
import { objectIn } from '../files/object-in';
import type { MappedTableOfRun } from '../mapped/map-items';
import { CELL } from '../mapped/mapped-rows';
import { pagesAt } from '../journal/reader';

/** Tells whether a line of the old file of a table is to go. */
export type IsGone = (line: string) => boolean;

/**
 * Finds the lines that belong to lines which are replaced, at any depth. It keeps a string for each key of a parent that came.
 *
 * @param tables parents before their children
 * @param oldFile the path of the old file of a table, which is not compressed; `undefined`: there is none
 * @returns what is to go, by the table; tables of which nothing goes are not in it
 */
export async function findGone(
  tables: readonly MappedTableOfRun[],
  oldFile: (table: MappedTableOfRun) => Promise<string | undefined>,
): Promise<ReadonlyMap<string, IsGone>> {
  const gone = new Map<string, IsGone>();
  const files = new Map<string, string | undefined>();
  for (const table of tables) if (addsRows(table.output, table.name)) files.set(table.name, await oldFile(table));
  for (const { name, link, links } of tables) {
    if (link === undefined || files.get(name) === undefined) continue;
    const keys = new Set<string>();
    for await (const { lines } of pagesAt(links))
      for (const line of Buffer.from(lines).toString('utf8').split('\n').slice(0, -1))
        add(keys, keyIn(objectIn(line), [CELL]));
    const isParentGone = gone.get(link.parent);
    if (isParentGone !== undefined)
      for await (const { line } of completeLines(files.get(link.parent) ?? ''))
        if (isParentGone(line.toString('utf8'))) add(keys, keyIn(objectIn(line.toString('utf8')), link.of));
    if (keys.size > 0) gone.set(name, (line) => keys.has(keyIn(objectIn(line), [link.column]) ?? ''));
  }
  return gone;
}

const add = (keys: Set<string>, key: string | undefined): void => {
  if (key !== undefined) keys.add(key);
};

/** What the lines below a line have in their link; `undefined`: nothing. */
function keyIn(item: JsonObject | undefined, of: readonly string[]): string | undefined {
  if (item === undefined) return undefined;
  const [only] = of;
  if (only === undefined || of.length > 1)
    return JSON.stringify(of.map((key) => plainText({ holder: item, key })).join(','));
  const value = ownValue(item, only);
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'number') return decimalText(literalAt(item, only) ?? String(value));
  return typeof value === 'bigint' ? String(value) : JSON.stringify(value);
}
