import { readAs } from '../../../../src/http/body/read-body';
import { isOldOffice } from '../../../../src/http/formats/xlsx/parts';
import { stringifyJson } from '../../../../src/core/json/stringify';
import type { Json } from '../../../../src/core/model';
import { chosenFormat } from '../../../support/formats';
import { aResponse } from '../../../support/requests';
import { sheetDataOf, workbookOf } from '../../../support/xlsx';
import type { WorkbookParts } from '../../../support/xlsx';
import { zipOf } from '../../../support/zip';

/** The items of a file as JSON, or the reason why there are none. */
function read(body: Uint8Array, options: object = {}): string {
  const found = readAs(chosenFormat({ type: 'xlsx', ...options }), aResponse({ body }));
  return found.kind === 'data' ? stringifyJson(found.data) : found.kind === 'empty' ? 'empty' : found.reason;
}

/** The value of one cell. */
const cell = (written: string, parts: WorkbookParts = {}): string =>
  read(workbookOf({ A: `<row><c t="str"><v>a</v></c></row><row>${written}</row>` }, parts)).replace(
    /^\[\{"a":(.*)\}\]$/,
    '$1',
  );
const number = (days: string, style: number | string, is1904 = false): string =>
  cell(`<c s="1"><v>${days}</v></c>`, { styles: [style], is1904 });
const table = (rows: readonly (readonly Json[])[], options: object = {}): string =>
  read(workbookOf({ A: sheetDataOf(rows) }), options);

it('a small file does not become a large table', () => {
  const sparse = Array.from({ length: 1200 }, (_, at) => (at === 0 ? Array.from({ length: 1200 }, () => 1) : [at]));
  expect(table(sparse, { header: false })).toContain('nearly all cells of its 1200 rows and 1200 columns are empty');
});

describe('cells', () => {
  it.each([
    ['a number', '<c><v>12</v></c>', '12'],
    ['all digits of a number', '<c t="n"><v>0.30000000000000004</v></c>', '0.30000000000000004'],
    ['a number as it is written', '<c><v>1.50</v></c>', '1.50'],
    ['an exponent', '<c><v>1.2345678901234568E+19</v></c>', '1.2345678901234568E+19'],
    ['more digits than JavaScript holds', '<c><v>12345678901234567891</v></c>', '12345678901234567891'],
    ['true', '<c t="b"><v>1</v></c>', 'true'],
    ['false', '<c t="b"><v>0</v></c>', 'false'],
    ['an error', '<c t="e"><v>#N/A</v></c>', '"#N/A"'],
    ['a date in ISO 8601', '<c t="d"><v>2026-01-31</v></c>', '"2026-01-31"'],
    ['the string of a formula', '<c t="str"><f>B1</f><v> x_x000D_y</v></c>', '" x\\ry"'],
    ['the empty string of a formula', '<c t="str"><f>B1</f><v></v></c>', '""'],
    ['the number of a formula', '<c><f>SUM(B1:B2)</f><v>3</v></c>', '3'],
    ['a string in place', '<c t="inlineStr"><is><t>x</t><r><t xml:space="preserve"> y</t></r></is></c>', '"x y"'],
    ['a string in CDATA', '<c t="inlineStr"><is><t><![CDATA[<x>]]></t></is></c>', '"<x>"'],
    ['an empty one beside one that is not', '<c/><c r="B2"><v>1</v></c>', 'null,"B":1'],
    ['with a prefix', '<x:c xmlns:x="u"><x:v>1</x:v></x:c>', '1'],
  ])('%s', (_, written, value) => {
    expect(cell(written)).toBe(value);
  });

  it('strings that are shared, without how they are read aloud', () => {
    const strings = '<si><t>x &amp; y</t></si><si><r><t>a</t></r><rPh><t>z</t></rPh><r><t>b</t></r></si><si/>';
    expect(cell('<c t="s"><v>0</v></c>', { strings })).toBe('"x & y"');
    expect(cell('<c t="s"><v>1</v></c>', { strings })).toBe('"ab"');
    expect(cell('<c t="s"><v>2</v></c>', { strings })).toBe('""');
    expect(cell('<c t="s"><v>3</v></c>', { strings })).toBe('the cell A2 has a value that is none of its type');
  });

  it.each([
    ['<c><f>SUM(B1:B2)</f></c>', 'formula without its result'],
    ['<c><f>SUM(B1:B2)</f><v/></c>', 'formula without its result'],
    ['<c><v>x</v></c>', 'a value that is none of its type'],
    ['<c><v>1,5</v></c>', 'a value that is none of its type'],
    ['<c t="b"><v>2</v></c>', 'a value that is none of its type'],
    ['<c t="new"><v>2</v></c>', 'a value that is none of its type'],
    ['<c t="s"><v>-1</v></c>', 'a value that is none of its type'],
    ['<c r="B2"/><c r="A2"><v>1</v></c>', 'in row 2 its cells are out of order'],
    ['<c r="XFE2"><v>1</v></c>', 'in row 2 it has a cell beyond column XFD'],
    ['<c r="A3"><v>1</v></c>', 'in row 2 its cells are out of order'],
    ['<c r="R1C1"><v>1</v></c>', 'in row 2 its cells are out of order'],
    ['</row><row r="2"><c><v>1</v></c>', 'after row 2 its rows are out of order'],
    ['<c><v>&nbsp;</v></c>', 'its part "xl/worksheets/sheet1.xml" is no XML'],
  ])('%s is an error: %s', (written, reason) => {
    expect(cell(written)).toContain(reason);
  });
});

describe('dates', () => {
  it.each([
    ['45292', 14, '"2024-01-01"'],
    ['45292.5', 14, '"2024-01-01T12:00:00"'],
    ['45292', 22, '"2024-01-01T00:00:00"'],
    ['45292.520833333336', 'yyyy\\-mm\\-dd" at "hh:mm', '"2024-01-01T12:30:00"'],
    ['45292.000005787037', 'dd/mm/yyyy hh:mm:ss.000', '"2024-01-01T00:00:00.500"'],
    ['0.354166666666667', 20, '"08:30:00"'],
    ['0', 'h:mm AM/PM', '"00:00:00"'],
    ['1.25', 'hh:mm', '"1900-01-01T06:00:00"'],
    ['45292', '[$-409]mmm-yy;@', '"2024-01-01"'],
    ['45292', 'mmmm', '"2024-01-01"'],
    ['45292', '[Red]d.m.yy', '"2024-01-01"'],
    ['59', 14, '"1900-02-28"'],
    ['61', 14, '"1900-03-01"'],
    ['2958465', 14, '"9999-12-31"'],
    // Days that there are not, and what is no date.
    ['60', 14, '60'],
    ['0', 14, '0'],
    ['-1', 14, '-1'],
    ['2958466', 14, '2958466'],
    ['1.5', '[h]:mm', '1.5'],
    ['1.5', 46, '1.5'],
    ['1.5', '0.00E+00', '1.5'],
    ['1.5', '0 "days"', '1.5'],
    ['1.5', 'General', '1.5'],
    ['1.5', '#,##0.00_€;[Red]-#,##0.00', '1.5'],
    ['1.5', '@', '1.5'],
  ])('%s as %s is %s', (days, style, value) => {
    expect(number(days, style)).toBe(value);
  });

  it('are counted from 1904 where the file says so', () => {
    expect(number('0', 14, true)).toBe('"1904-01-01"');
    expect(number('43830.5', 22, true)).toBe('"2024-01-01T12:00:00"');
    expect(number('2957003', 14, true)).toBe('"9999-12-31"');
    expect(number('2957004', 14, true)).toBe('2957004');
  });

  it('of a style that the file has not are an error', () => {
    expect(cell('<c s="7"><v>1</v></c>', { styles: [14] })).toBe('the cell A2 has a style that the file has not');
    expect(cell('<c s="7"><v>1</v></c>')).toBe('1');
  });
});

describe('rows and columns', () => {
  const rows = [
    ['id', ' n ', null, null],
    [1, 'x', null, true],
    [null, null, null, null],
    [2, null, null, null],
  ];

  it('names come from the first row with values, or are letters; rows without values are none', () => {
    expect(table(rows)).toBe('[{"id":1,"n":"x","D":true},{"id":2,"n":null,"D":null}]');
    expect(table([[], [null], ...rows])).toBe(table(rows));
    expect(table(rows.slice(1), { header: false })).toBe('[{"A":1,"B":"x","D":true},{"A":2,"B":null,"D":null}]');
    expect(table([])).toBe('[]');
    expect(table([['id']])).toBe('[]');
    expect(table([[2026], [1]])).toBe('[{"2026":1}]');
  });

  it('names are given, and rows above are passed over, whatever they hold', () => {
    expect(table(rows, { header: ['a', 'b', 'c', 'd'], skipRows: 1 })).toBe(
      '[{"a":1,"b":"x","c":null,"d":true},{"a":2,"b":null,"c":null,"d":null}]',
    );
    expect(table(rows, { header: ['a', 'b', 'c'], skipRows: 1 })).toBe(
      'its column D has values, but format.header has 3 names',
    );
    const title = '<row r="3"><c><f>NOW()</f></c></row>';
    expect(
      read(workbookOf({ A: `${title}<row r="5"><c r="B5"><v>7</v></c></row><row><c r="B6"><v>1</v></c></row>` }), {
        skipRows: 3,
      }),
    ).toBe('[{"7":1}]');
  });

  it('a name that two columns have is an error', () => {
    const remedy = 'give the names yourself: an array in format.header, and "skipRows" for the rows above the data';
    expect(
      table([
        ['a', 'b', 'a'],
        [1, 2, 3],
      ]),
    ).toBe(`two columns have the name "a", one of them C; ${remedy}`);
    expect(
      table([
        ['B', null],
        [1, 2],
      ]),
    ).toBe(`two columns have the name "B", one of them B; ${remedy}`);
  });

  it('columns beyond Z have two letters', () => {
    expect(read(workbookOf({ A: '<row r="1"><c r="AB1"><v>1</v></c></row>' }), { header: false })).toBe('[{"AB":1}]');
  });
});

describe('a title', () => {
  const rows = [['Levels of 2024'], ['id', 'n', 'at'], [1, 'a', 'x']];

  it('above the names is an error that says what to do', () => {
    expect(table(rows)).toContain('format.skipRows');
    expect(table(rows, { skipRows: 1 })).toBe('[{"id":1,"n":"a","at":"x"}]');
  });

  it('is none where there are just two columns', () => {
    expect(table([['id'], [1, 'note']])).toBe('[{"id":1,"B":"note"}]');
  });
});

it('a text within a cell is read without its type', () => {
  expect(cell('<c><is><t>x</t></is></c>')).toBe('"x"');
});

describe('sheets', () => {
  const body = workbookOf({ First: sheetDataOf([['a'], [1]]), 'R & D': sheetDataOf([['a'], [2]]) });
  const names = '"First", "R & D"';

  it('are chosen by name or place; several without a choice are an error that lists them', () => {
    expect(read(body, { sheet: 'First' })).toBe('[{"a":1}]');
    expect(read(body, { sheet: 'R & D' })).toBe('[{"a":2}]');
    expect(read(body, { sheet: 2 })).toBe('[{"a":2}]');
    expect(read(body)).toBe(`it has several sheets; name one in format.sheet: ${names}`);
    expect(read(body, { sheet: 'first' })).toBe(`it has no sheet as format.sheet says; it has ${names}`);
    expect(read(body, { sheet: 3 })).toBe(`it has no sheet as format.sheet says; it has ${names}`);
  });

  it.each([-1, 1.5, true, ['A']])('%j is none', (sheet) => {
    expect(() => chosenFormat({ type: 'xlsx', sheet })).toThrow('no format');
  });
});

describe('what is no Excel file', () => {
  const OLD = Buffer.from('d0cf11e0a1b11ae100000000', 'hex');

  it.each([
    ['nothing', Buffer.of(), 'empty'],
    ['text', Buffer.from('id;n'), 'it is no Excel file (.xlsx)'],
    ['an old one', OLD, 'it is an Excel file of the old kind (.xls), or an encrypted one'],
    ['another archive', zipOf([{ name: 'a.csv', content: 'a' }]), 'it is no Excel file (.xlsx)'],
    [
      'an archive of one',
      zipOf([{ name: 'b/a.xlsx', content: 'a' }]),
      'it is a zip archive with "b/a.xlsx" in it: an Excel file is read by itself',
    ],
    [
      'a binary one',
      workbookOf(
        { A: '' },
        { others: { '_rels/.rels': '<r><Relationship Type="x/officeDocument" Target="xl/workbook.bin"/></r>' } },
      ),
      'it is a binary Excel file (.xlsb), or none',
    ],
    [
      'one whose sheet is something else',
      workbookOf({ A: '' }, { others: { 'xl/worksheets/sheet1.xml': '<html><body><p>Log in</p></body></html>' } }),
      'its part "xl/worksheets/sheet1.xml" has no rows of a sheet',
    ],
    ['one without sheets', workbookOf({}), 'it has no sheet with cells'],
    [
      'one with broken XML',
      workbookOf({ A: '</row>' }),
      'its part "xl/worksheets/sheet1.xml" is no XML: 1:49: unexpected close tag.',
    ],
    [
      'one that lacks a part',
      workbookOf(
        { A: '' },
        { others: { 'xl/workbook.xml': '<workbook><sheet name="B" r:id="none" xmlns:r="u"/></workbook>' } },
      ),
      'it has no part for the sheet "B"',
    ],
    [
      'one whose part is no UTF-8',
      workbookOf({ A: '' }, { others: { 'xl/workbook.xml': Buffer.of(0xff) } }),
      'its part "xl/workbook.xml" is no UTF-8',
    ],
  ])('%s', (_, body, reason) => {
    expect(read(body)).toContain(reason);
  });

  it('is told by its beginning', () => {
    expect(isOldOffice(OLD)).toBe(true);
    expect(isOldOffice(Buffer.from('d0cf', 'hex'))).toBe(false);
  });
});
