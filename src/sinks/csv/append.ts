/** Adds rows to a CSV file (docs/sinks.md). */
import { hash } from 'node:crypto';
import { createWriteStream, existsSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import type { RowCounts } from '../../core/durable-sink';
import { FatalError } from '../../core/errors/errors';
import type { Warn } from '../../language/parts/sink';
import { csvLine } from '../../tables/csv-lines';
import { checkOldKey } from '../../tables/schema/changes';
import { unclearKey } from '../../tables/schema/schema';
import type { Bucket, GaveWay, Table, TableLink } from '../../tables/table';
import { LatestRows } from '../files/latest-rows';
import { countsOf, unmatched } from '../row-counts';
import type { TablesOfTypes } from './child-tables';
import { findLost, keysAlike } from './lost-rows';
import type { IsLost, Row, Share, Shares } from './lost-rows';
import { asLines, hasRows, headerOf, oldLines, otherDelimiter } from './old-file';

/**
 * Makes a file with the rows of an old file and those of a table. Columns that either lacks are empty in its rows; those of the old file
 * come first. With a primary key, a row replaces earlier ones with the same key completely; rows whose key columns are all empty stay.
 * Keeps a digest for each key.
 *
 * @param old may not exist, and may have been edited: any CSV with commas and a header; `undefined`: no old rows stay
 * @param path the path of the new file
 * @param rows which rows are removed with their parents, and callbacks for those, and for keys that look alike
 * @returns how many rows of the run are in the file, and the counts of all of its rows; values are not compared
 * @throws FatalError DESTINATION_INCOMPATIBLE when the old file cannot be read as a table, or has rows and no column of the primary key
 * @example await saveAppended('out/rivers.csv', table, 'out/.new/rivers.csv')
 */
export async function saveAppended(
  old: string | undefined,
  table: Table,
  path: string,
  { gone, removed, above, below = [], warn }: RowsAround = {},
): Promise<RowCounts & { readonly rows: number }> {
  const isThere = old !== undefined && existsSync(old) && (await stat(old)).size > 0;
  const isBelowLost = above !== undefined && above.size > 0;
  if (!isThere && table.primaryKey.length === 0 && !isBelowLost) {
    await table.saveCsv(path);
    return { rows: table.count, ...countsOf(unmatched(table.count), { removed: 0, total: table.count }) };
  }
  const header = isThere ? await headerOf(old) : [];
  checkNames(header, table);
  if (isThere) await checkKey(old, header, table);
  const columns = [...header, ...table.columns.filter((column) => !header.includes(column))];
  const places = table.primaryKey.map((column) => columns.indexOf(column));
  const keyOf = (cells: readonly string[]): string | undefined => keyAt(cells, places);
  const alike = keysAlike(table, columns);
  const latest = new LatestRows();
  let hasReplaced = false;
  if (places.length > 0)
    for await (const cells of withClearKeys(rowsOf(table, columns), columns, table))
      if (latest.add(keyOf(cells))) {
        hasReplaced = true;
        alike.add(cells);
      }
  const warning = alike.warning();
  if (warning !== undefined) warn?.('KEYS_ALIKE', warning);
  const linkAt = table.link === undefined ? -1 : columns.indexOf(table.link.column);
  const idIn = (of: readonly string[]) => (cells: Row) =>
    of.map((name) => cells[columns.indexOf(name)] ?? '').join(',');
  const lost = await findLost({
    rows: () => rowsOf(table, columns),
    isReplaced: (at) => latest.isReplaced(at),
    hasReplaced,
    above: above === undefined ? undefined : { idOf: (cells) => cells[linkAt] ?? '', shares: above },
    below: below.map(({ of, shares }) => ({ idOf: idIn(of), shares })),
  });
  let lostRows = 0;
  const isReplaced = (cells: readonly string[]): boolean => {
    const isGone = latest.replaces(keyOf(cells)) || (linkAt >= 0 && gone?.has(cells[linkAt] ?? '') === true);
    if (!isGone) return false;
    lostRows += 1;
    removed?.((column) => cells[columns.indexOf(column)] ?? '');
    return true;
  };
  const losesRows = places.length > 0 || (gone !== undefined && gone.size > 0);
  let [kept, stored] = [0, 0];
  await pipeline(async function* () {
    yield Buffer.from(csvLine(columns));
    if (isThere) kept = yield* oldLines(old, { header, columns, isReplaced: losesRows ? isReplaced : undefined });
    stored = yield* newLines(table, columns, lost?.());
  }, createWriteStream(path));
  const { matched } = latest.counts;
  const counted = places.length === 0 ? unmatched(stored) : { stored, matched };
  return { rows: stored, ...countsOf(counted, { removed: lostRows - matched, total: kept + stored }) };
}

/** Rows of the old file that are removed. */
export interface GoneRows {
  /** The link values of rows that are removed with their parents. */
  readonly gone?: ReadonlySet<string> | undefined;
  /** Is called with each removed row, by a function that returns its value in a column. */
  readonly removed?: (valueIn: (column: string) => string) => void;
  /** The lost rows of the parent table in this run. */
  readonly above?: Shares | undefined;
  /** The tables of lists below: the columns that lead to their rows, and the lost rows of the run. */
  readonly below?: readonly { readonly of: readonly string[]; readonly shares: Shares }[];
}

/** The rows around those of a table. */
export interface RowsAround extends GoneRows {
  /** Is called with keys that look alike. */
  readonly warn?: Warn | undefined;
}

function keyAt(cells: Row, places: readonly number[]): string | undefined {
  const values = places.map((place) => cells[place] ?? '');
  return values.every((value) => value === '') ? undefined : hash('sha1', JSON.stringify(values), 'base64');
}

/** @throws FatalError DESTINATION_INCOMPATIBLE where a column of the file had the values of a placeholder, and now has those of items */
function checkNames(header: Row, { name, gaveWay = new Map<string, GaveWay>() }: Table): void {
  const taken = [...gaveWay].find(
    ([column, given]) => given.isNew && header.includes(column) && !header.includes(given.column),
  );
  if (taken === undefined) return;
  const [column, other] = taken.map((each) => JSON.stringify(typeof each === 'string' ? each : each.column));
  const message =
    `The items of the table ${JSON.stringify(name)} have a key ${column} now, and its file has a column ${column} with the values of a placeholder, or of userData, ` +
    `which would be ${other} from now on. Nothing was stored. Say with a mapping how both are called, or leave the key out of the items, and run again.`;
  throw new FatalError('DESTINATION_INCOMPATIBLE', message, { table: name });
}

/** @throws FatalError DESTINATION_INCOMPATIBLE as {@link checkOldKey} */
async function checkKey(old: string, header: Row, { name, primaryKey }: Table): Promise<void> {
  const other = otherDelimiter(header);
  const hint =
    other === undefined
      ? undefined
      : `Its header is one name with ${JSON.stringify(other)} in it, as some spreadsheets save files: save it with commas.`;
  await checkOldKey(name, primaryKey, header, () => hasRows(old), hint);
}

/** @throws FatalError DESTINATION_INCOMPATIBLE as {@link unclearKey} */
async function* withClearKeys(
  rows: AsyncIterable<Row>,
  columns: Row,
  { name, primaryKey, gaveWay = new Map<string, GaveWay>() }: Table,
): AsyncGenerator<Row> {
  const unclear = primaryKey.flatMap((column) => {
    const given = gaveWay.get(column);
    return given === undefined ? [] : [{ column, at: columns.indexOf(column), other: given.column }];
  });
  for await (const cells of rows) {
    for (const { column, at, other } of unclear) if (cells[at] === '') throw unclearKey(name, column, other);
    yield cells;
  }
}

/** Returns the rows of a table in other columns. */
async function* rowsOf({ rows, columns: own }: Table, columns: readonly string[]): AsyncGenerator<Row> {
  const places = columns.map((column) => own.indexOf(column));
  for await (const chunk of rows) for (const cells of chunk) yield places.map((place) => cells[place] ?? '');
}

async function* newLines(
  table: Table,
  columns: readonly string[],
  isLost: IsLost | undefined,
): AsyncGenerator<Uint8Array, number> {
  const isAlike = csvLine(columns) === csvLine(table.columns);
  if (isLost === undefined && isAlike) {
    yield* table.csv;
    return table.count;
  }
  let at = -1;
  return yield* asLines(rowsOf(table, columns), (cells) => {
    at += 1;
    return isLost?.(cells, at) !== true;
  });
}

/** A table of a run, or one of earlier runs for which this one has no rows. */
export interface TableOfRun {
  readonly table: Table;
  readonly isAbsent: boolean;
}

/** Returns the tables of a bucket, and those that earlier runs made of the same dataTypes: parents before their children. */
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

/** Returns the columns that lead from the child tables of a table to its rows, by the names of the tables. */
export function linksBelow(
  { name, dataType = name }: Table,
  { tables }: Bucket,
  known: TablesOfTypes,
): readonly (readonly [child: string, link: TableLink])[] {
  const links = new Map([...(known.get(dataType) ?? []), ...tables.map((table) => [table.name, table.link] as const)]);
  return [...links].flatMap(([child, link]) => (link?.parent === name ? [[child, link] as const] : []));
}

/** Returns a function that records, of each removed row of a table, the link values of the rows of its child tables. */
export const noteLinks =
  (below: ReturnType<typeof linksBelow>, gone: Map<string, Set<string>>): NonNullable<GoneRows['removed']> =>
  (valueIn) => {
    for (const [child, { of }] of below) {
      const values = gone.get(child) ?? new Set<string>();
      gone.set(child, values.add(of.map(valueIn).join(',')));
    }
  };

/** Returns where a table records its lost rows of the run; of child tables with a key as link, only rows that count were made. */
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
