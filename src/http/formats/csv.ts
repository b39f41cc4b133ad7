import { accept, codec, expected, refine, withSchema, type Codec } from '../../language/codec/codec';
import { integerFrom, isMissing, string } from '../../language/codec/primitives';
import { always, withDefault } from '../../language/codec/record';
import { tolerant } from '../../language/codec/schema';
import { shown } from '../../language/codec/show';
import { objectFrom } from '../../core/json/keys';
import type { JsonObject } from '../../core/model';
import { streamCsv } from './csv-stream';
import { readTable } from './csv-table';
import type { CsvFormat } from './csv-table';
import { defineFormat } from '../../language/parts/format/define';
import { encoding } from './encoding';
import { file } from './file';
import { header } from './header';

/**
 * One object a line, every value a string. Empty lines are skipped; all others have as many fields as the first.
 *
 * @throws Unreadable with the number of the line that is at fault
 * @example readCsv('id;n\n1;x\n', { delimiter: ';', quote: '"', header: true, skipLines: 0 })
 * // [{ id: '1', n: 'x' }]
 */
function readCsv(text: string, format: CsvFormat): readonly JsonObject[] {
  const { keys, rows } = readTable(text, format);
  return rows.map((cells) => objectFrom(cells.map((cell, at) => [keys[at] ?? '', cell])));
}

const character = (what: string): Codec<string> =>
  withSchema(
    refine('Character', string, (written, context) =>
      Array.from(written).length === 1 ? accept(written) : expected(`${what}: one character`, written, context),
    ),
    () => ({ type: 'string', minLength: 1, maxLength: 1 }),
  );

const quoteMark = character('the quote, or an empty string for none');
const quote: Codec<string> = codec(
  'Quote',
  tolerant({ type: 'string', maxLength: 1 }, { enum: [false, null] }),
  (input, context) => {
    if (isMissing(input)) return accept('"');
    return input === '' || input === false ? accept('') : quoteMark.validate(input, context);
  },
);

const COMMAS: CsvFormat = { delimiter: ',', quote: '"', header: true, skipLines: 0 };
const BEGINS = /^\s*[^\s[{<]/;

/** CSV and the like (docs/extensions/response-formats.md). */
export const csv = defineFormat({
  name: 'csv',
  label: 'CSV',
  summary: 'Reads a body as lines with a delimiter: an array of objects, one a line, by the names of the header.',
  use: 'The API answers with CSV or TSV.',
  answer: 'Lines of equally many fields, mostly with a header; items are found without `dataField`.',
  options: {
    delimiter: withDefault(character('the delimiter'), ',', {
      about: 'What stands between two fields; a tabulator is `"\\t"`.',
      example: ';',
    }),
    quote: always(quote, {
      about: 'What stands around a field that holds a delimiter. If it is empty, nothing does.',
      default: '`"`',
      example: "'",
    }),
    header: always(header, {
      about:
        'With `true` the first line has the names, with `false` they are `0`, `1`, …; an array has the names where no line has them.',
      default: '`true`',
      example: ['id', 'name'],
    }),
    skipLines: withDefault(integerFrom(0), 0, {
      about: 'Lines above the header, or above the data, that are passed over.',
      unit: 'lines',
      example: 2,
    }),
    encoding,
    file,
  },
  rules: [
    'Every value is a string.',
    'Empty lines are passed over; any other line with another number of fields than the first is the error `API_FORMAT`, with its number.',
    'A column without a name has its number, from 0.',
    'A name that comes twice in the header is an error.',
    'The delimiter cannot be the quote.',
    'A header of one name with another delimiter in it is an error: the delimiter is then mostly that one.',
    'A web page is no CSV.',
    'Of several files in a zip archive, the rows of all are items; files of which each has columns that the other lacks are an error.',
  ],
  example: {
    about: 'Fields are separated by semicolons; the first line names them.',
    config: { api: {}, config: { jobs: [{ endpoint: 'levels', format: { type: 'csv', delimiter: ';' } }] } },
    exchanges: [
      { request: 'GET /levels', headers: { 'content-type': 'text/csv' }, response: 'id;level\n1;2.5\n2;3.0\n' },
    ],
    items: [
      { id: '1', level: '2.5' },
      { id: '2', level: '3.0' },
    ],
  },
  check: (options) =>
    options.delimiter === options.quote
      ? [{ message: `expected a delimiter that is not the quote, found ${shown(options.delimiter, [])}` }]
      : [],
  contentTypes: [
    { type: /^(?:text|application)\/(?:x-)?csv$|^text\/comma-separated-values$/, begins: BEGINS, options: COMMAS },
    { type: /^text\/tab-separated-values$/, begins: BEGINS, options: { ...COMMAS, delimiter: '\t', quote: '' } },
  ],
  otherNames: { tsv: { delimiter: '\t' }, zip: { file: '*.csv' } },
  hasColumns: true,
  read: readCsv,
  stream: streamCsv,
});
