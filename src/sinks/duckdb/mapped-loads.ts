import { addsRows } from '../../tables/loads';
import type { MappedItems, MappedTableOfRun } from '../mapped/map-items';
import type { Column } from '../../tables/schema/schema';
import type { LearnedLoad } from './load-flat';

/** Adds to the loads of a run what mappings say of their tables; those without rows are among them. Parents come first. */
export function withMappedLoads<L extends LearnedLoad>(
  loads: readonly L[],
  { tables }: MappedItems,
  emptied: (load: LearnedLoad) => L,
): readonly L[] {
  const byName = new Map(loads.map((load) => [load.dataType, load]));
  const names = new Set(tables.map(({ name }) => name));
  const mapped = tables.map((table): L => {
    const [links] = table.links;
    const link =
      table.link === undefined ? {} : { link: { ...table.link, ...(links === undefined ? {} : { file: links.path }) } };
    return { ...(byName.get(table.name) ?? emptied(withoutRows(table))), ...link };
  });
  return [...loads.filter(({ dataType }) => !names.has(dataType)), ...mapped];
}

/** Nobody knows the types of columns that have no values. */
function withoutRows({ name, output, columns: names, primaryKey, types }: MappedTableOfRun): LearnedLoad {
  const columns = names.map((column): Column => ({ name: column, type: types.get(column) ?? 'text' }));
  return { dataType: name, incremental: addsRows(output, name), keys: primaryKey, rows: 0, columns };
}
