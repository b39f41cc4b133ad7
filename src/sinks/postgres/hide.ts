/** Takes rows away that were visible before a commit which never came (docs/sinks.md#rows-before-the-commit). */
import { FatalError } from '../../core/errors/errors';
import { PARENT_ROW_ID, ROW_ID } from '../../tables/linked/places';
import type { Load } from './load';
import { inSchema, lockTables } from './load-tables';
import { quoted } from './names';
import type { Shown, ShownTable } from './shown';
import { existingTable } from './table';
import { hasRows } from './table-stand';

type Place = Pick<Load, 'client' | 'address'>;

/**
 * Removes the rows of a run that are visible, inside a transaction; those of its lists first, which are known by the rows that they
 * belong to. Tables that the run has made, and that nobody else uses, go with them.
 *
 * @returns the tables that have gone
 * @throws FatalError DESTINATION_INCOMPATIBLE where a table no longer tells these rows from others
 */
export async function hide(place: Place, { loadId, tables }: Shown): Promise<ReadonlySet<string>> {
  const { client } = place;
  const roots = tables.filter(({ parent }) => parent === undefined);
  await lockTables(
    place,
    roots.map(({ name }) => name),
  );
  const conditions = new Map<string, string>();
  for (const { name, parent, columns } of tables) {
    const existing = await existingTable(client, inSchema(place, name));
    if (existing === undefined) continue;
    const names = new Set(existing.columns.map((column) => column.name));
    const above = parent === undefined ? undefined : conditions.get(parent);
    const needed = parent === undefined ? columns : [PARENT_ROW_ID];
    if (needed.length === 0 || !needed.every((column) => names.has(column))) throw untold(place, name, needed);
    if (parent === undefined)
      conditions.set(name, columns.map((column) => `${quoted(column)} = ${literal(loadId)}`).join(' OR '));
    else if (above !== undefined)
      conditions.set(
        name,
        `${quoted(PARENT_ROW_ID)} IN (SELECT ${quoted(ROW_ID)} FROM ${inSchema(place, parent)} WHERE ${above})`,
      );
  }
  for (const [name, condition] of [...conditions].reverse())
    await client.query(`DELETE FROM ${inSchema(place, name)} WHERE ${condition}`);
  const gone = new Set<string>();
  for (const root of roots) {
    const family = familyOf(root, tables);
    if (!(await isUnused(place, family))) continue;
    for (const { name } of family) {
      await client.query(`DROP TABLE IF EXISTS ${inSchema(place, name)}`);
      gone.add(name);
    }
  }
  return gone;
}

/** The table of items and those of the lists in them, parents before their children. */
function familyOf(root: ShownTable, tables: readonly ShownTable[]): readonly ShownTable[] {
  const names = new Set([root.name]);
  for (const { name, parent } of tables) if (parent !== undefined && names.has(parent)) names.add(name);
  return tables.filter(({ name }) => names.has(name));
}

async function isUnused(place: Place, family: readonly ShownTable[]): Promise<boolean> {
  if (family.some(({ before }) => before.length > 0)) return false;
  for (const { name } of family) {
    const table = inSchema(place, name);
    const existing = await existingTable(place.client, table);
    if (existing?.hasDependents === true) return false;
    // Whoever adds rows at this moment has added them when the lock is there.
    if (existing !== undefined) await place.client.query(`LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`);
    if (await hasRows(place, name)) return false;
  }
  return true;
}

const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`;

const untold = ({ address }: Place, table: string, columns: readonly string[]): FatalError =>
  new FatalError(
    'DESTINATION_INCOMPATIBLE',
    `The destination ${address.name}, table ${JSON.stringify(table)}, cannot be used: it has rows of a run that was not committed, and they ` +
      `cannot be told from others, since a column that it had is missing: ${columns.join(', ')}. Put the table right, and remove ` +
      `the row of this destination from the table "shown" of the schema ${JSON.stringify(address.journalSchema)}.`,
    { table },
  );
