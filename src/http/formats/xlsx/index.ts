import { noteLiterals } from '../../../core/json/literals';
import { objectFrom } from '../../../core/json/objects';
import type { Json, JsonObject } from '../../../core/model';
import { accept, codec, expected } from '../../../language/codec/codec';
import type { Codec } from '../../../language/codec/codec';
import { integerFrom } from '../../../language/codec/primitives';
import { always, optional, withDefault } from '../../../language/codec/record';
import { Unreadable } from '../../../language/parts/errors';
import { defineFormat } from '../../../language/parts/format';
import { header } from '../options';
import { lettersOf, rowsOf } from './cells';
import type { Cell, Row } from './cells';
import { NO_EXCEL } from './parts';
import { sheetOf } from './workbook';

const sheet: Codec<string | number> = codec(
  'Sheet',
  {
    anyOf: [
      { type: 'string', minLength: 1 },
      { type: 'integer', minimum: 1 },
    ],
  },
  (input, context) =>
    (typeof input === 'string' && input !== '') || (typeof input === 'number' && Number.isInteger(input) && input > 0)
      ? accept(input)
      : expected('the name of a sheet, or its place from 1', input, context),
);

/** Excel (docs/language/formats/xlsx.md). */
export const xlsx = defineFormat({
  name: 'xlsx',
  label: 'Excel',
  summary: 'Reads a sheet of an Excel file: an array of objects, by the names of the header.',
  use: 'Use it for workbooks of Excel 2007 or later.',
  answer: 'The rows are the items, without `dataField`.',
  options: {
    sheet: optional(sheet, {
      about: 'The name of the sheet, or its place from 1. Charts do not count, hidden sheets do.',
      default: 'the only sheet; several are an error that lists them',
      example: 'Levels',
    }),
    header: always(header, {
      about:
        'Where the names are: in the first row with values (`true`), nowhere (`false`: `A`, `B`, …), or in this array, from column A on.',
      default: '`true`',
      example: ['id', 'name'],
    }),
    skipRows: withDefault(integerFrom(0), 0, {
      about: 'Rows to skip at the top, with empty ones.',
      example: 2,
    }),
  },
  rules: [
    'Numbers keep the digits of the file. A number with the style of a date is a string: `2026-01-31`, `2026-01-31T08:30:00` or `08:30:00`. Durations (`[h]:mm`) stay numbers of days.',
    'An empty cell is `null`. A row without values is skipped. Hidden rows and columns are read. Of merged cells, only the first has the value.',
    'A formula is its stored result; without one it is an error. An error in a cell is a string, such as `#N/A`.',
    'A column with values and without a name gets its letters: `C`. A duplicate name is an error.',
    'The limit is 256 MiB, unpacked. `.xls`, `.xlsb` and encrypted files are errors.',
  ],
  example: {
    about: 'The example shows the sheets in place of the file. The second has a title above its table:',
    config: {
      api: {},
      config: { jobs: [{ endpoint: 'report', format: { type: 'xlsx', sheet: 'Levels', skipRows: 1 } }] },
    },
    exchanges: [
      {
        request: 'GET /report',
        headers: { 'content-type': 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet' },
        response: {
          About: [['Made for you']],
          Levels: [['Levels of all stations'], ['id', 'level', 'ok'], [1, 2.5, true], [2, null, false]],
        },
      },
    ],
    items: [
      { id: 1, level: 2.5, ok: true },
      { id: 2, level: null, ok: false },
    ],
  },
  showsEnd: true,
  otherNames: { excel: {}, xls: {}, spreadsheet: {} },
  read: () => {
    throw new Unreadable(NO_EXCEL);
  },
  readBytes: (bytes, options) => tableOf(rowsOf(sheetOf(bytes, options.sheet), options.skipRows), options.header),
});

/**
 * The most empty cells: a small file can name cells that are far from each other, and each empty one between them would
 * be a `null`.
 */
const MOST_EMPTY = 1_000_000;
const EMPTY_PER_VALUE = 20;

/** The least number of columns without names that is a mistake rather than an omission of the author. */
const LEAST_COLUMNS = 3;

/** A column with the name of its values. */
interface Column {
  readonly at: number;
  readonly name: string;
}

/**
 * Returns one object for each row, with `null` for empty cells.
 *
 * @param header whether the first row has the names; or the names, from the first column on
 * @throws Unreadable if two columns have one name, or one has values and no name
 */
function tableOf(rows: readonly Row[], header: boolean | readonly string[]): readonly JsonObject[] {
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
  // A column without name and values is skipped.
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
