import { objectFrom } from '../../../core/json/keys';
import { noteLiterals } from '../../../core/json/literals';
import type { Json, JsonObject } from '../../../core/model';
import { Unreadable } from '../../../language/parts/format/unreadable';
import { lettersOf } from './cells';
import type { Cell, Row } from './cells';

/** A small file can name cells that are far from each other; each empty one between them would be a `null`. */
const MOST_EMPTY = 1_000_000;
const EMPTY_PER_VALUE = 20;

/** So many columns have no names by mistake, not because a person left one out. */
const LEAST_COLUMNS = 3;

/** A column with the name of its values. */
interface Column {
  readonly at: number;
  readonly name: string;
}

/**
 * One object a row, with `null` for empty cells.
 *
 * @param header whether the first row has the names; or the names, from the first column on
 * @throws Unreadable where two columns have one name, or one has values and no name is given for it
 */
export function tableOf(rows: readonly Row[], header: boolean | readonly string[]): readonly JsonObject[] {
  const [first, ...others] = rows;
  if (first === undefined) return [];
  const body = header === true ? others : rows;
  const used = new Set(body.flatMap((row) => [...row.keys()]));
  if (header === true && first.size === 1 && used.size >= LEAST_COLUMNS)
    throw new Unreadable(
      `its first row has one cell, and the rows below have ${used.size} columns: it looks like a title. ` +
        'Pass over it with format.skipRows, or give the names yourself: an array in format.header',
    );
  const columns = columnsOf(first, used, header);
  const values = body.reduce((sum, row) => sum + row.size, 0);
  if (body.length * columns.length > MOST_EMPTY + EMPTY_PER_VALUE * values)
    throw new Unreadable(`nearly all cells of its ${body.length} rows and ${columns.length} columns are empty`);
  const again = columns.find(({ name }, at) => columns.findIndex((each) => each.name === name) < at);
  if (again !== undefined) {
    const remedy = 'give the names yourself: an array in format.header, and "skipRows" for the rows above the data';
    throw new Unreadable(
      `two columns have the name ${JSON.stringify(again.name)}, one of them ${lettersOf(again.at)}; ${remedy}`,
    );
  }
  return body.map((row) => itemOf(row, columns));
}

function columnsOf(first: Row, used: ReadonlySet<number>, header: boolean | readonly string[]): readonly Column[] {
  const places = [...used].sort((one, other) => one - other);
  if (typeof header === 'object') {
    const nameless = places.find((at) => at >= header.length);
    if (nameless === undefined) return header.map((name, at) => ({ at, name }));
    throw new Unreadable(`its column ${lettersOf(nameless)} has values, but format.header has ${header.length} names`);
  }
  if (!header) return places.map((at) => ({ at, name: lettersOf(at) }));
  const all = [...new Set([...places, ...first.keys()])].sort((one, other) => one - other);
  // A column without name and values is none.
  return all.flatMap((at) => {
    const name = nameIn(first.get(at));
    return name === '' && !used.has(at) ? [] : [{ at, name: name === '' ? lettersOf(at) : name }];
  });
}

const nameIn = (cell: Cell | undefined): string =>
  cell === undefined ? '' : (cell.literal ?? String(cell.value)).trim();

function itemOf(row: Row, columns: readonly Column[]): JsonObject {
  const spelled = new Map<string, string>();
  const entries = columns.map(({ at, name }): readonly [string, Json] => {
    const cell = row.get(at);
    if (cell?.literal !== undefined && cell.literal !== String(cell.value)) spelled.set(name, cell.literal);
    return [name, cell?.value ?? null];
  });
  const item = objectFrom(entries);
  if (spelled.size > 0) noteLiterals(item, spelled);
  return item;
}
