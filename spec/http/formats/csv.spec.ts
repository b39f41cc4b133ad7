import { csv } from '../../../src/http/formats/csv';
import { keysOf } from '../../../src/core/json/keys';
import type { JsonObject } from '../../../src/core/model';

type CsvFormat = Parameters<typeof csv.read>[1];

const format = (changes: Partial<CsvFormat> = {}): CsvFormat => ({
  delimiter: ',',
  quote: '"',
  header: true,
  skipLines: 0,
  ...changes,
});
const read = (text: string, changes: Partial<CsvFormat> = {}) =>
  csv.read(text, format(changes)) as readonly JsonObject[];

describe('CSV as items', () => {
  it('one object a line by the names of the header, every value a text', () => {
    expect(read('id,n\r\n007,"a ""b"", c"\r\n9007199254740993,\r\n')).toEqual([
      { id: '007', n: 'a "b", c' },
      { id: '9007199254740993', n: '' },
    ]);
  });

  it.each([
    ['id;n\n1;a\n2;b\n', ',', ';'],
    ['id\tn\n1\ta\n', ',', '\\t'],
    ['id|n\n', ';', '|'],
    ['id,n\n1,"a"\n', ';', ','],
  ])('lines with another delimiter are no table: %j by %j', (text, delimiter, meant) => {
    expect(() => read(text, { delimiter, quote: '' })).toThrow(`set format.delimiter to "${meant}"`);
  });

  it('a single column may hold them, and its name where the configuration gives it', () => {
    expect(read('name\nLee; Ann\n')).toEqual([{ name: 'Lee; Ann' }]);
    expect(read('a;b\nx\n', { header: ['a;b'], skipLines: 1 })).toEqual([{ 'a;b': 'x' }]);
  });

  it('a field may hold line ends; empty lines are skipped', () => {
    expect(read('a,b\n\n"x\ny",1\n\n')).toEqual([{ a: 'x\ny', b: '1' }]);
  });

  it.each([
    ['a\tb\n1\t"2\n', { delimiter: '\t', quote: '' }],
    ["a;b\n1;'\"2'\n", { delimiter: ';', quote: "'" }],
  ])('delimiter and quote are those of the format: %j', (text, changes) => {
    expect(read(text, changes)).toEqual([{ a: '1', b: '"2' }]);
  });

  it.each([
    ['a,b\r\n1,2\n', [{ a: '1', b: '2' }]],
    ['a\r\n1\n2\r\n3\n', [{ a: '1' }, { a: '2' }, { a: '3' }]],
    [
      'a,b\n1,2\r\n3,"4"\r\n',
      [
        { a: '1', b: '2' },
        { a: '3', b: '4' },
      ],
    ],
  ])('lines may end in different ways: %j', (text, items) => {
    expect(read(text)).toEqual(items);
  });

  it('a column without name must not take the place of one that is called by its number', () => {
    expect(() => read('1,\nx,y\n')).toThrow('the header has the name "1" twice');
  });

  it('without a header, names are given, or are the numbers of the columns', () => {
    expect(read('1,2\n', { header: false })).toEqual([{ '0': '1', '1': '2' }]);
    expect(read('1,2\n', { header: ['a', 'b'] })).toEqual([{ a: '1', b: '2' }]);
  });

  it('lines above the header are skipped', () => {
    expect(read('report of 2020\nby me\na\n1\n', { skipLines: 2 })).toEqual([{ a: '1' }]);
  });

  it('names that look like numbers keep their order; a column without name has its number', () => {
    const [item = {}] = read('2024,2023,\n1,2,3\n');
    expect(keysOf(item)).toEqual(['2024', '2023', '2']);
  });

  it('a column called __proto__ is data', () => {
    const [item = {}] = read('__proto__\nx\n');
    expect(Object.getOwnPropertyDescriptor(item, '__proto__')?.value).toBe('x');
  });

  it('a header alone gives no items', () => {
    expect(read('a,b\n')).toEqual([]);
  });

  it.each([
    ['a,b\n1,2\n1\n', {}, 'line 3 has another number of fields (1)'],
    ['a,b\n1,2,secret\n', {}, 'line 2 has another number of fields (3)'],
    ['a\n"1\n2\n', {}, 'a quote is never closed'],
    ['a\n1"2\n', {}, 'line 2: a quote stands in the middle of a field'],
    ['a\n"1"2\n', {}, 'line 2: a quote stands in the middle of a field'],
    ['a,a\n1,2\n', {}, 'has the name "a" twice'],
    ['1,2,3\n', { header: ['a', 'b'] }, 'the lines have 3 fields, but format.header has 2 names'],
  ])('%j is refused', (text, changes, reason) => {
    expect(() => read(text, changes)).toThrow(reason);
    expect(() => read(text, changes)).toThrow(/^(?!.*secret)/);
  });
});
