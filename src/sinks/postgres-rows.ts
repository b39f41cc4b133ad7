import { isObject, keysOf, ownValue } from '../json/keys';
import { parseJson } from '../json/parse';
import type { Item, Json } from '../model';
import { copyLine, UnstorableError } from './postgres-cells';
import type { NumberedPage } from './postgres-journal';
import type { TableLayout } from './postgres-table';

/** Which columns of a table a run fills, and with what. */
export interface RowWriter {
  /** Places of the columns that are filled, in the layout. */
  readonly places: readonly number[];
  /** The rows of a page as lines of COPY. */
  readonly lines: (page: NumberedPage['page']) => string;
}

/** Keys of items and names of extra columns that a run has. */
export interface Seen {
  readonly keys: Set<string>;
  readonly extras: Set<string>;
}

/** The column of items that are no objects. */
const VALUE = 'value';

export const itemsOf = ({ lines }: NumberedPage['page']): readonly Item[] =>
  lines === '' ? [] : lines.slice(0, -1).split('\n').map(parseJson);

export const keysOfItem = (item: Item): readonly string[] => (isObject(item) ? keysOf(item) : [VALUE]);

/**
 * Columns that no item has are left out, so that those which the table had before keep their defaults.
 *
 * @throws UnrowableError from `lines`
 */
export function rowWriter({ columns, columnOf, columnOfExtra }: TableLayout, { keys, extras }: Seen): RowWriter {
  const filled = new Set<number | undefined>([...Array.from(keys, columnOf), ...Array.from(extras, columnOfExtra)]);
  const chosen = [...columns.keys()].filter((place) => filled.has(place));
  // Items may have no fields at all.
  const places = chosen.length === 0 ? [...columns.keys()] : chosen;
  const types = places.map((place) => columns[place]?.type ?? 'text');
  const order = new Map(places.map((place, index) => [place, index]));
  const at = (place: number | undefined): number => order.get(place as number) ?? -1;
  const atKey = new Map(Array.from(keys, (key) => [key, at(columnOf(key))]));
  const atExtra = new Map(Array.from(extras, (name) => [name, at(columnOfExtra(name))]));
  const cellsOf = (item: Item, extra: ReadonlyMap<string, string>): readonly (Json | undefined)[] => {
    const cells = new Array<Json | undefined>(places.length);
    for (const key of keysOfItem(item)) cells[atKey.get(key) as number] = isObject(item) ? ownValue(item, key) : item;
    for (const [name, value] of extra) cells[atExtra.get(name) as number] = value;
    return cells;
  };
  return {
    places,
    lines: (page) =>
      itemsOf(page)
        .map((item, index) => {
          try {
            return copyLine(cellsOf(item, page.extra), types);
          } catch (error) {
            throw error instanceof UnstorableError ? new UnrowableError(index, error) : error;
          }
        })
        .join(''),
  };
}

/** A row that PostgreSQL has no way to hold, by its place in its page. */
export class UnrowableError extends Error {
  constructor(
    readonly index: number,
    readonly reason: UnstorableError,
  ) {
    super(reason.message);
  }
}
