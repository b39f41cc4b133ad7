import { isObject, keysOf } from '../../core/json/keys';
import { literalAt, lostDigitsAt, memberAt } from '../../core/json/literals';
import { parseList } from '../../core/json/parse';
import type { Item, Json } from '../../core/model';
import { stringifyAt } from '../../core/json/stringify';
import { fitted, misfit } from '../../tables/schema/chosen-type';
import { copyLine, UnstorableError } from './cells';
import type { PageOfLines } from './pages';
import { addedColumns, runColumn } from '../../tables/run-columns';
import { isForeign } from './table';
import type { TableColumn, TableLayout } from './table';

/** Which columns of a table a run fills, and with what. */
export interface CopyWriter {
  /** The indexes of the filled columns in the layout. */
  readonly places: readonly number[];
  /** The rows of a page as lines of COPY. */
  readonly lines: (page: PageOfLines) => string;
}

/** Keys of items and names of extra columns that a run has. */
export interface SeenColumns {
  readonly keys: Set<string>;
  readonly extras: Set<string>;
}

/** The column of items that are no objects. */
const VALUE = 'value';

export const itemsOf = ({ lines }: PageOfLines, notes?: 'spelling'): readonly Item[] =>
  lines === '' ? [] : parseList(lines.slice(0, -1).split('\n'), notes);

export const keysOfItem = (item: Item): readonly string[] => (isObject(item) ? keysOf(item) : [VALUE]);

/**
 * Columns that no item has are left out, so that those which the table had before keep their defaults.
 *
 * @throws UnrowableError from `lines`, and FatalError COLUMN_TYPE
 */
export function copyWriter(layout: TableLayout, { keys, extras }: SeenColumns, table: string): CopyWriter {
  const { columns, columnOf, columnOfExtra, keepsSpelling } = layout;
  const filled = new Set<number | undefined>([...Array.from(keys, columnOf), ...Array.from(extras, columnOfExtra)]);
  const chosen = [...columns.keys()].filter((place) => filled.has(place));
  // Items may have no fields at all.
  const places = chosen.length === 0 ? [...columns.keys()] : chosen;
  const types = places.map((place) => columns[place]?.type ?? 'text');
  const foreign = places.map((place) => isForeign(columns[place] as TableColumn));
  const order = new Map(places.map((place, index) => [place, index]));
  const at = (place: number | undefined): number => order.get(place as number) ?? -1;
  const atKey = new Map(Array.from(keys, (key) => [key, at(columnOf(key))]));
  const atExtra = new Map(Array.from(extras, (name) => [name, at(columnOfExtra(name))]));
  const isFitted = places.map((place, at) => columns[place]?.isChosen === true && types[at] !== 'json');
  const fit = (token: string, cell: number): string => {
    const type = types[cell] ?? 'text';
    const fits = fitted(token, type);
    if (fits === undefined) throw misfit(table, columns[places[cell] ?? -1]?.name ?? '', type, token);
    return fits.startsWith('"') ? (JSON.parse(fits) as string) : fits;
  };
  const lineOf = (items: readonly Item[], index: number, added: ReadonlyMap<string, string>): string => {
    const item = items[index] as Item;
    const cells = new Array<Json | undefined>(places.length);
    const literals = new Array<string | undefined>(places.length);
    for (const key of keysOfItem(item)) {
      const [holder, place] = isObject(item) ? [item, key] : [items, index];
      const cell = atKey.get(key) as number;
      // A column that waits for a value.
      if (cell < 0) continue;
      if (isFitted[cell] === true && memberAt(holder, place) !== null) {
        cells[cell] = fit(stringifyAt(holder, place), cell);
        continue;
      }
      cells[cell] = memberAt(holder, place);
      literals[cell] = (foreign[cell] === true ? lostDigitsAt : literalAt)(holder, place);
    }
    for (const [name, value] of added)
      cells[atExtra.get(name) as number] = runColumn(name)?.type === 'integer' ? Number(value) : value;
    return copyLine(cells, types, literals);
  };
  return {
    places,
    lines: (page) => {
      const added = addedColumns(page);
      return itemsOf(page, keepsSpelling ? 'spelling' : undefined)
        .map((_, index, items) => {
          try {
            return lineOf(items, index, added);
          } catch (error) {
            throw error instanceof UnstorableError ? new UnstorableRowError(index, error) : error;
          }
        })
        .join('');
    },
  };
}

/** A row that PostgreSQL has no way to hold, by its place in its page. */
export class UnstorableRowError extends Error {
  constructor(
    readonly index: number,
    readonly reason: UnstorableError,
  ) {
    super(reason.message);
  }
}
