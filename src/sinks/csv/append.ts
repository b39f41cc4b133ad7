/** Adds rows to a CSV file (docs/sinks.md). */
import { hash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import type { RowCounts } from '../../core/durable-sink';
import { FatalError } from '../../core/errors/errors';
import type { Warn } from '../../language/parts/sink';
import { csvLine } from '../../tables/csv-lines';
import { checkOldKey } from '../../tables/schema/changes';
import { unclearKey } from '../../tables/schema/schema';
import type { GaveWay, Table } from '../../tables/table';
import { LatestRows } from '../files/old-files';
import { countsOf, unmatched } from '../row-counts';
import { asLines, hasRows, headerOf, hintFor, oldLines } from './old-file';
import type { Row } from './old-file';

/** The rows of a table of lists that are removed with those of its parent table, by the link values that lead to these. */
export interface RowsToRemove {
  /** The rows of the old file that are removed. */
  readonly old: Set<string>;
  /** The rows of the run that are removed, since a later row of the run replaces their parents. */
  readonly ofRun: Map<string, Share>;
}

/** The number of rows of a run with the same id, and how many of them are lost. Such rows are equal, and have equal rows below. */
interface Share {
  total: number;
  lost: number;
}

/** The rows around those of a table. */
export interface RowsAround {
  /** Which of its rows are removed. */
  readonly remove: RowsToRemove;
  /** The tables of lists below: the columns that lead to their rows, and where those that are removed are recorded. */
  readonly below: readonly (RowsToRemove & { readonly of: Row })[];
  /** Is called with keys that look alike. */
  readonly warn?: Warn | undefined;
}

/** The number of rows of a run in a file, and the counts of all of its rows. */
export type SavedRows = RowCounts & { readonly rows: number };

/**
 * Makes a file with the rows of an old file and those of a table. Columns that either lacks are empty in its rows; those of the old file
 * come first. With a primary key, a row replaces earlier ones with the same key completely; rows whose key columns are all empty stay.
 * Keeps a digest for each key.
 *
 * @param old exists, and may have been edited: any CSV with commas and a header; `undefined`: no old rows stay
 * @param path the path of the new file
 * @returns how many rows of the run are in the file, and the counts of all of its rows; values are not compared
 * @throws FatalError DESTINATION_INCOMPATIBLE when the old file cannot be read as a table, or has rows and no column of the primary key
 * @example await saveAppended('out/rivers.csv', table, 'out/.new/rivers.csv', { remove, below: [] })
 */
export async function saveAppended(
  old: string | undefined,
  table: Table,
  path: string,
  { remove, below, warn }: RowsAround,
): Promise<SavedRows> {
  const { primaryKey, link } = table;
  const isThere = old !== undefined && (await stat(old)).size > 0;
  if (!isThere && primaryKey.length === 0 && remove.ofRun.size === 0) {
    await table.saveCsv(path);
    return { rows: table.count, ...countsOf(unmatched(table.count), { removed: 0, total: table.count }) };
  }
  const header = isThere ? await headerOf(old) : [];
  checkNames(header, table);
  if (isThere) await checkOldKey(table.name, primaryKey, header, () => hasRows(old), hintFor(header));
  const columns = [...header, ...table.columns.filter((column) => !header.includes(column))];
  const valuesIn = (names: Row): ((cells: Row) => Row) => {
    const places = names.map((name) => columns.indexOf(name));
    return (cells) => places.map((place) => cells[place] ?? '');
  };
  const keyIn = valuesIn(primaryKey);
  const keyOf = (cells: Row): string | undefined => {
    const values = keyIn(cells);
    return values.every((value) => value === '') ? undefined : hash('sha1', JSON.stringify(values), 'base64');
  };
  const linkAt = link === undefined ? -1 : columns.indexOf(link.column);
  const lists = below.map(({ of, ...rows }) => {
    const idIn = valuesIn(of);
    // A child table with a key as its link has only rows that count.
    return { ...rows, idOf: (cells: Row) => idIn(cells).join(','), isMade: of.join('\n') === primaryKey.join('\n') };
  });

  const latest = new LatestRows();
  const checkKey = clearKeys(table, columns);
  const alike = new KeysAlike(table, columns);
  const withoutParents = new Map<string, number>();
  let hasReplaced = false;
  if (primaryKey.length > 0 || remove.ofRun.size > 0)
    for await (const cells of rowsOf(table, columns)) {
      checkKey(cells);
      const id = cells[linkAt] ?? '';
      if (remove.ofRun.has(id)) withoutParents.set(id, (withoutParents.get(id) ?? 0) + 1);
      if (!latest.add(keyOf(cells))) continue;
      hasReplaced = true;
      alike.add(cells);
    }
  if (alike.warning !== undefined) warn?.('KEYS_ALIKE', alike.warning);
  /** Returns a function that is called for one row of the run after another, from the first. */
  const whichAreLost = (): IsLost => {
    const met = new Map<string, number>();
    return (cells, at) => {
      const id = cells[linkAt] ?? '';
      const count = withoutParents.get(id);
      if (count === undefined) return latest.isReplaced(at);
      const { total, lost } = remove.ofRun.get(id) ?? { total: 1, lost: 0 };
      const number = (met.get(id) ?? 0) + 1;
      met.set(id, number);
      return number <= (count * lost) / total || latest.isReplaced(at);
    };
  };
  const isLosing = hasReplaced || withoutParents.size > 0;
  const toNote = lists.filter(({ isMade }) => !isMade);
  if (isLosing && toNote.length > 0) await noteLost(() => rowsOf(table, columns), whichAreLost(), toNote);

  let removed = 0;
  const isRemoved = (cells: Row): boolean => {
    if (!latest.replaces(keyOf(cells)) && (linkAt < 0 || !remove.old.has(cells[linkAt] ?? ''))) return false;
    removed += 1;
    for (const { old: ids, idOf } of lists) ids.add(idOf(cells));
    return true;
  };
  const mayRemove = primaryKey.length > 0 || remove.old.size > 0;
  let [kept, stored] = [0, 0];
  await pipeline(async function* () {
    yield Buffer.from(csvLine(columns));
    if (isThere) kept = yield* oldLines(old, header, columns, mayRemove ? isRemoved : undefined);
    stored = yield* newLines(table, columns, isLosing ? whichAreLost() : undefined);
  }, createWriteStream(path));
  const { matched } = latest.counts;
  const counted = primaryKey.length === 0 ? unmatched(stored) : { stored, matched };
  return { rows: stored, ...countsOf(counted, { removed: removed - matched, total: kept + stored }) };
}

/** Returns whether a row of the run is lost: a later one replaces it, or its parent. */
type IsLost = (cells: Row, at: number) => boolean;

/** Records the ids of lost rows for the tables below. */
async function noteLost(
  rows: () => AsyncIterable<Row>,
  isLost: IsLost,
  below: readonly (RowsToRemove & { readonly idOf: (cells: Row) => string })[],
): Promise<void> {
  let at = 0;
  for await (const cells of rows())
    if (isLost(cells, at++))
      for (const { idOf, ofRun } of below) {
        const id = idOf(cells);
        if (id !== '') ofRun.set(id, { total: 0, lost: (ofRun.get(id)?.lost ?? 0) + 1 });
      }
  for await (const cells of rows())
    for (const { idOf, ofRun } of below) {
      const share = ofRun.get(idOf(cells));
      if (share !== undefined) share.total += 1;
    }
}

/** Detects rows of one run whose keys are equal in the file, but maybe not in the items: a cell of `null`, `""` or `false` is empty. */
class KeysAlike {
  readonly #places: readonly (readonly [column: string, at: number, values: readonly string[]])[];
  readonly #met = new Set<string>();
  #rows = 0;

  constructor(
    private readonly table: Table,
    columns: Row,
  ) {
    this.#places = Array.from(table.keyBlanks ?? [], ([column, values]) => [
      column,
      columns.indexOf(column),
      [...values],
    ]);
  }

  /** Adds a row with the key of an earlier one. */
  add(cells: Row): void {
    const alike = this.#places.filter(([, at]) => cells[at] === '');
    for (const [column, , values] of alike)
      this.#met.add(`${JSON.stringify(column)} (${values.slice(0, -1).join(', ')} and ${values.at(-1) ?? ''})`);
    if (alike.length > 0) this.#rows += 1;
  }

  /** The warning; `undefined`: there is none. */
  get warning(): string | undefined {
    if (this.#rows === 0) return undefined;
    return (
      `Rows of the table ${JSON.stringify(this.table.name)} gave way to others with the same key, ${this.#rows} of them with an empty cell in it where items have different values: ` +
      `${[...this.#met].join(', ')}. CSV does not distinguish them, and rows may be missing. Make other columns the primary key, or store the table elsewhere, such as in duckdb:.`
    );
  }
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

/** Returns a function that throws FatalError DESTINATION_INCOMPATIBLE, as {@link unclearKey}, for a row. */
function clearKeys({ name, primaryKey, gaveWay }: Table, columns: Row): (cells: Row) => void {
  const unclear = primaryKey.flatMap((column) => {
    const given = gaveWay?.get(column);
    return given === undefined ? [] : [{ column, at: columns.indexOf(column), other: given.column }];
  });
  return (cells) => {
    const found = unclear.find(({ at }) => cells[at] === '');
    if (found !== undefined) throw unclearKey(name, found.column, found.other);
  };
}

/** Returns the rows of a table in other columns. */
async function* rowsOf({ rows, columns: own }: Table, columns: Row): AsyncGenerator<Row> {
  const places = columns.map((column) => own.indexOf(column));
  for await (const chunk of rows) for (const cells of chunk) yield places.map((place) => cells[place] ?? '');
}

async function* newLines(table: Table, columns: Row, isLost: IsLost | undefined): AsyncGenerator<Uint8Array, number> {
  if (isLost === undefined && csvLine(columns) === csvLine(table.columns)) {
    yield* table.csv;
    return table.count;
  }
  let at = 0;
  return yield* asLines(rowsOf(table, columns), (cells) => isLost?.(cells, at++) !== true);
}
