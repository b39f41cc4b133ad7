import fc from 'fast-check';
import { csv } from '../../../src/http/formats/csv';
import { quickRows } from '../../../src/http/formats/csv-rows';
import { streamCsv } from '../../../src/http/formats/csv-stream';
import { Unreadable } from '../../../src/language/parts/format/unreadable';
import { BrokenItems } from '../../../src/core/json/item-reader';
import { decodeUtf8 } from '../../../src/core/json/utf8';
import { textsOf } from '../../support/item-blocks';
import { runsOf } from '../../support/cases';

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
  header: fc.constantFrom<CsvFormat['header']>(true, false, ['x', '1']),
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
