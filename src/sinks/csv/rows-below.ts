/** Rows of child tables that go with the rows of their parents, where these are replaced by their keys. */
import type { Bucket, Table, TableLink } from '../../tables/table';
import type { TablesOfTypes } from './child-tables';
import type { GoneRows } from './append';
import type { Share, Shares } from './lost-rows';

/** A table of a run, or one of earlier runs that this one has no rows for. */
export interface TableOfRun {
  readonly table: Table;
  readonly isAbsent: boolean;
}

/** The tables of a bucket, and those that earlier runs have made of the same dataTypes: parents before their children. */
export function parentsFirst({ tables }: Bucket, known: TablesOfTypes): readonly TableOfRun[] {
  const names = new Set(tables.map(({ name }) => name));
  const types = new Set(tables.map(({ name, dataType = name }) => dataType));
  const absent = [...types].flatMap((dataType) =>
    Array.from(known.get(dataType) ?? []).flatMap(([name, link]) =>
      names.has(name) || link === undefined ? [] : [withoutRows({ name, dataType, link })],
    ),
  );
  const all = new Map([...tables, ...absent].map((table) => [table.name, table]));
  const depthOf = (table: Table | undefined, seen = 0): number =>
    table?.link === undefined || seen > all.size ? 0 : 1 + depthOf(all.get(table.link.parent), seen + 1);
  return [...all.values()]
    .sort((a, b) => depthOf(a) - depthOf(b))
    .map((table) => ({ table, isAbsent: !names.has(table.name) }));
}

function withoutRows(head: { readonly name: string; readonly dataType: string; readonly link: TableLink }): Table {
  const none = { [Symbol.asyncIterator]: async function* (): AsyncGenerator<never> {} };
  return {
    ...head,
    columns: [],
    primaryKey: [],
    count: 0,
    rows: none,
    csv: none,
    saveCsv: () => Promise.resolve(),
  };
}

/** What leads from the child tables of a table to its rows, by their names. */
export function linksBelow(
  { name, dataType = name }: Table,
  { tables }: Bucket,
  known: TablesOfTypes,
): readonly (readonly [child: string, link: TableLink])[] {
  const links = new Map([...(known.get(dataType) ?? []), ...tables.map((table) => [table.name, table.link] as const)]);
  return [...links].flatMap(([child, link]) => (link?.parent === name ? [[child, link] as const] : []));
}

/** Notes of each row of a table that goes what the rows of its child tables have in their links. */
export const noteLinks =
  (below: ReturnType<typeof linksBelow>, gone: Map<string, Set<string>>): NonNullable<GoneRows['removed']> =>
  (valueIn) => {
    for (const [child, { of }] of below) {
      const values = gone.get(child) ?? new Set<string>();
      gone.set(child, values.add(of.map(valueIn).join(',')));
    }
  };

/** Where a table notes what becomes of rows of the run; of child tables that a key leads to, only rows that count were made. */
export const sharesBelow = (
  { primaryKey }: Table,
  below: ReturnType<typeof linksBelow>,
  lost: Map<string, Shares>,
): NonNullable<GoneRows['below']> =>
  below.flatMap(([child, { of }]) => {
    if (of.join('\n') === primaryKey.join('\n')) return [];
    const shares = lost.get(child) ?? new Map<string, Share>();
    lost.set(child, shares);
    return [{ of, shares }];
  });
