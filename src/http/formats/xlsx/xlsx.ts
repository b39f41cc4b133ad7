import { accept, codec, expected, type Codec } from '../../../language/codec/codec';
import { integerFrom } from '../../../language/codec/primitives';
import { always, optional, withDefault } from '../../../language/codec/record';
import { defineFormat } from '../../../language/parts/format/define';
import { header } from '../header';
import { Unreadable } from '../../../language/parts/format/unreadable';
import { rowsOf } from './cells';
import { NO_EXCEL } from './parts';
import { tableOf } from './table';
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
  summary: 'Reads a sheet of an Excel file: an array of objects, one a row, by the names of the header.',
  use: 'The API answers with a workbook of Excel 2007 or later, or of a program that writes such ones.',
  answer: 'A file whose sheet has one table, mostly with a header; items are found without `dataField`.',
  options: {
    sheet: optional(sheet, {
      about: 'Which sheet is read: its name, or its place from 1. Charts do not count, hidden sheets do.',
      default: 'the only one; several are an error that lists them',
      example: 'Levels',
    }),
    header: always(header, {
      about:
        'With `true` the first row with values has the names, with `false` they are `A`, `B`, …; an array has the names from column A on, where no row has them.',
      default: '`true`',
      example: ['id', 'name'],
    }),
    skipRows: withDefault(integerFrom(0), 0, {
      about:
        'Rows at the top of the sheet that are passed over, above the header, or above the data; empty ones count.',
      unit: 'rows',
      example: 2,
    }),
  },
  rules: [
    'Numbers keep all digits that the file has.',
    'A number that its style shows as a date is a string: `2026-01-31`, `2026-01-31T08:30:00` or `08:30:00`. Durations (`[h]:mm`) stay numbers of days.',
    'An empty cell is `null`; a row without values is passed over. Hidden rows and columns are read like others.',
    'Of merged cells the first has the value, and the others are empty.',
    'A formula is its result, as the file has it; one without a result is an error.',
    'An error in a cell is a string, such as `#N/A`.',
    'A column with values and without a name has its letters: `C`. A name that two columns have is an error.',
    'Unpacked, what is read of the file may have 256 MiB. Files of the old kind (`.xls`), binary ones (`.xlsb`) and encrypted ones are errors.',
  ],
  example: {
    about: 'The second sheet has a title above its table. In place of the file stands what its sheets hold.',
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
