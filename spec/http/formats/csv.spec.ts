import fc from 'fast-check';
import { BrokenItems, decodeUtf8 } from '../../../src/core/json/item-reader';
import { keysOf } from '../../../src/core/json/objects';
import type { JsonObject } from '../../../src/core/model';
import { csv, quickRows, streamCsv } from '../../../src/http/formats/csv';
import { Unreadable } from '../../../src/language/parts/errors';
import { runsOf } from '../../support/cases';
import { textsOf } from '../../support/item-blocks';

describe('csv', () => {
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

    it.each(['id;n\n1;"a;b"\n', 'id;n\n1;a,b\n', '# export\n\nid;n\n1;"a"\n'])(
      'the delimiter is named before a line that has no place in a table: %j',
      (text) => {
        const skipLines = text.startsWith('#') ? 1 : 0;
        expect(() => read(text, { skipLines })).toThrow('set format.delimiter to ";"');
      },
    );

    it('the first name may hold another delimiter and a line end, in quotes', () => {
      expect(read('"a;\nb",c\n1,2\n')).toEqual([{ 'a;\nb': '1', c: '2' }]);
    });

    it('a single column may hold them, and its name where the configuration gives it', () => {
      expect(read('name\nLee; Ann\n')).toEqual([{ name: 'Lee; Ann' }]);
      expect(read('a;b\nx\n', { header: ['a;b'], skipLines: 1 })).toEqual([{ 'a;b': 'x' }]);
    });

    it('a field may hold line ends; empty lines are skipped', () => {
      expect(read('a,b\n\n"x\ny",1\n\n')).toEqual([{ a: 'x\ny', b: '1' }]);
    });

    it.each<[string, Partial<CsvFormat>, readonly JsonObject[]]>([
      ['a\n1\n\n3\n', {}, [{ a: '1' }, { a: '' }, { a: '3' }]],
      ['\r\n\na\r\n\r\n1\r\n\r\n', {}, [{ a: '' }, { a: '1' }, { a: '' }]],
      ['\n1\n', { header: ['a'] }, [{ a: '' }, { a: '1' }]],
      ['\n1\r\r2', { header: false }, [{ '0': '' }, { '0': '1' }, { '0': '' }, { '0': '2' }]],
    ])('of one column, an empty line is a row with an empty cell: %j', (text, changes, items) => {
      expect(read(text, changes)).toEqual(items);
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
});

describe('csv stream', () => {
  type CsvFormat = Parameters<typeof csv.read>[1];
  const COMMAS: CsvFormat = { delimiter: ',', quote: '"', header: true, skipLines: 0 };

  function streamed(text: string, format: CsvFormat, cuts: readonly number[] = []): unknown {
    const bytes = Buffer.from(text);
    const at = [...new Set([0, ...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length])].sort((a, b) => a - b);
    const reader = streamCsv(format, decodeUtf8);
    const blocks = at.slice(1).flatMap((to, index) => reader.push(bytes.subarray(at[index], to)));
    return [...blocks, ...reader.end()].flatMap(textsOf).map((item) => JSON.parse(item) as unknown);
  }
  const REFUSED = 'refused';
  function unlessRefused(read: () => unknown): unknown {
    try {
      return read();
    } catch (error) {
      if (error instanceof Unreadable || error instanceof BrokenItems) return REFUSED;
      throw error;
    }
  }
  const asJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

  const formats = fc.record({
    delimiter: fc.constantFrom(',', ';', '\t', '\\', 'é'),
    quote: fc.constantFrom('"', "'", ''),
    header: fc.constantFrom<CsvFormat['header']>(true, false, ['x'], ['x', '1']),
    skipLines: fc.constant(0),
  });
  const cutting = fc.array(fc.nat({ max: 200 }), { maxLength: 8 });

  describe('CSV that arrives piece by piece', () => {
    it('has the items of the whole body, and is refused where that is, however it is cut', () => {
      const text = fc
        .array(
          fc.constantFrom('a', '1', 'é', '😀', ',', ';', '\t', '"', '"', "'", '\\', '\n', '\n', '\r', '\r\n', '\u0001'),
        )
        .map((parts) => `${parts.join('')}\n`);
      fc.assert(
        fc.property(text, formats, cutting, (body, format, cuts) => {
          expect(unlessRefused(() => streamed(body, format, cuts))).toEqual(
            unlessRefused(() => asJson(csv.read(body, format))),
          );
        }),
        { numRuns: runsOf(2000) },
      );
    });

    it.each([
      [COMMAS, '\ufeff\r\nid,n\r\n1,a\r\n2,b\r\n3,c\r\n', 5],
      [{ ...COMMAS, skipLines: 1 }, '"Report for\nMarch",\nid,n\n1,a\n2,b\n3,c\n', 12],
      [COMMAS, '\n\n\nid,n\n1,a\n2,b\n3,c\n', 1],
    ])('knows its names where lines come before them: %j %j', (format, body, size) => {
      const cuts = Array.from({ length: Math.floor(body.length / size) }, () => size);
      const items = [
        { id: '1', n: 'a' },
        { id: '2', n: 'b' },
        { id: '3', n: 'c' },
      ];
      expect(asJson(csv.read(body.replace('\ufeff', ''), format))).toEqual(items);
      expect(streamed(body, format, cuts)).toEqual(items);
    });

    it('has every cell as it was written, with quotes or without', () => {
      const cell = fc.string({ unit: 'grapheme' });
      const rows = fc.array(fc.tuple(cell, cell, fc.boolean()), { minLength: 1, maxLength: 8 });
      fc.assert(
        fc.property(rows, cutting, (cells, cuts) => {
          const written = (value: string, always: boolean): string =>
            always || /[",\r\n]/.test(value) || value === '' ? `"${value.replaceAll('"', '""')}"` : value;
          const lines = cells.map(([a, b, always]) => `${written(a, always)},${written(b, always)}\r\n`);
          const items = cells.map(([a, b]) => ({ a, '2': b }));
          expect(streamed(`a,2\r\n${lines.join('')}`, COMMAS, cuts)).toEqual(items);
        }),
        { numRuns: runsOf(500) },
      );
    });
  });

  describe('quickRows', () => {
    const read = (text: string, keys: readonly string[] = ['2', 'a"']): readonly string[] | undefined => {
      const block = quickRows(keys, COMMAS)?.(Buffer.from(text));
      return block === undefined ? undefined : textsOf(block);
    };

    it('writes an object a line, its keys in their order', () => {
      expect(read('1,x\r\n\n"""",\n,"y\\\n"')).toEqual([
        '{"2":"1","a\\"":"x"}',
        '{"2":"\\"","a\\"":""}',
        '{"2":"","a\\"":"y\\\\\\n"}',
      ]);
    });

    it('makes room for nothing but escapes', () => {
      const value = '\u0001'.repeat(1000);
      expect(read(`${value},"${value}"\n`)).toEqual([JSON.stringify({ '2': value, 'a"': value })]);
    });

    it.each(['1\n', '1,2,3\n', '1,2"\n', '1,"2" \n', '1,"2'])('leaves %j to the careful reader', (text) => {
      expect(read(text)).toBeUndefined();
    });

    it('knows delimiters of one byte only', () => {
      expect(quickRows(['a'], { delimiter: 'é', quote: '"' })).toBeUndefined();
    });
  });
});
