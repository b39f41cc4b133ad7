/** Files that other programs have written: spec/fixtures/files/make.py made them, with openpyxl, XlsxWriter and Info-ZIP. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isRight } from 'fp-ts/Either';
import type { Json } from '../../../src/core/model';
import { readAs } from '../../../src/http/body/read-body';
import { responseFormat } from '../../../src/language/configuration/jobs/format';
import { BUILT_IN } from '../../../src/run/built-in-parts';
import { aRequest, aResponse } from '../../support/requests';

const folder = join(__dirname, '..', '..', 'fixtures', 'files');

/** The items of a file, or why there are none. */
function read(file: string, format: Json): Json | string {
  const chosen = responseFormat(BUILT_IN).decode(format);
  if (!isRight(chosen)) throw new Error('no format');
  const found = readAs(chosen.right, aResponse({ request: aRequest(), body: readFileSync(join(folder, file)) }));
  return found.kind === 'data' ? found.data : found.kind === 'invalid' ? found.reason : '';
}

const FIRST = {
  id: 1,
  text: 'Zürich – “x”',
  number: 1.5,
  day: '2024-02-29',
  moment: '2024-02-29T08:30:15',
  time: '08:30:00',
  flag: true,
  formula: 3,
  rich: 'plain bold',
  empty: null,
};
const NOTHING = { day: null, moment: null, time: null, flag: null, formula: null, rich: null, empty: null };
/** Both write 16 digits of a number. */
const SECOND = { ...NOTHING, id: 2, text: 'a\nb', number: 1234567890.123457, flag: false, rich: '  spaced  ' };
const THIRD = { ...NOTHING, id: 3, text: '007', number: 0 };

describe('Excel files of other programs', () => {
  it('openpyxl: texts, rich texts, dates, hidden sheets, merged cells', () => {
    expect(read('openpyxl.xlsx', 'xlsx')).toContain('"Levels", "Hidden"');
    expect(read('openpyxl.xlsx', { type: 'xlsx', sheet: 'Levels' })).toEqual([
      FIRST,
      SECOND,
      { ...THIRD, number: -0, rich: '' },
      { ...NOTHING, id: 4, text: 'merged', number: null },
    ]);
    expect(read('openpyxl.xlsx', { type: 'xlsx', sheet: 'Hidden' })).toEqual([{ secret: 'x' }]);
  });

  it('openpyxl: a formula that nobody has computed is an error', () => {
    expect(read('openpyxl-formula.xlsx', 'xlsx')).toContain('B2');
  });

  it.each(['xlsxwriter.xlsx', 'xlsxwriter-constant-memory.xlsx'])(
    '%s: shared texts, texts in their cells, results',
    (file) => {
      expect(read(file, 'xlsx')).toEqual([FIRST, SECOND, THIRD]);
      expect(read(file, 'csv')).toBe('it is an Excel workbook: read it with {"type": "xlsx"} as the format');
    },
  );
});

describe('archives of Info-ZIP', () => {
  const LEVELS = [{ id: '1', level: '2.5' }];

  it('with a folder and a name that is not ASCII', () => {
    expect(read('zip.zip', { type: 'csv', file: 'data/levels-*.csv' })).toEqual([{ id: '2', level: '3.0' }, ...LEVELS]);
    expect(read('zip.zip', { type: 'text', file: 'data/länge.txt' })).toEqual({ data: 'x\n' });
    expect(read('zip.zip', 'csv')).toContain('"data/levels-1.csv"');
  });

  it.each(['stream.zip', 'stored.zip'])('%s', (file) => {
    expect(read(file, 'csv')).toEqual(LEVELS);
  });

  it('that are encrypted are an error', () => {
    expect(read('encrypted.zip', 'csv')).toBe('the file "data/levels-1.csv" of the zip archive is encrypted');
  });
});
