import fc from 'fast-check';
import { LineBuffer, csvLine, readCsv } from '../../src/tables/csv-lines';

const text = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.string({ unit: fc.constantFrom('"', ',', '\n', 'a', 'é', '日'), maxLength: 200 }),
);
const rows = fc
  .integer({ min: 1, max: 4 })
  .chain((width) => fc.array(fc.array(text, { minLength: width, maxLength: width })));

/** What a line is, said without care for speed. */
const lineOf = (cells: readonly string[]): string =>
  `${cells.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(',')}\n`;

const bytesOf = (lines: readonly (readonly string[])[]): Buffer => {
  const buffer = new LineBuffer();
  for (const cells of lines) buffer.appendCells(cells);
  return buffer.bytes;
};

describe('language 8.11: lines of CSV', () => {
  it('quotes every field, doubles quotes and ends each line with LF', () => {
    expect(csvLine(['1', '', 'a "b"', 'x,\ny'])).toBe('"1","","a ""b""","x,\ny"\n');
  });

  it.each([
    ['short', ['1', '', 'a "b"', 'é"日😀']],
    ['long', ['x'.repeat(80), `"${'é'.repeat(5000)}"`, '"'.repeat(90)]],
  ])('have bytes for %s cells', (_, cells) => {
    expect(bytesOf([cells, cells]).toString()).toBe(lineOf(cells).repeat(2));
  });

  it('are read as they were written, wherever the bytes are cut', async () => {
    await fc.assert(
      fc.asyncProperty(rows, fc.integer({ min: 1, max: 9 }), async (written, size) => {
        const bytes = bytesOf(written);
        expect(bytes.toString()).toBe(written.map(lineOf).join(''));
        const read: (readonly string[])[] = [];
        for await (const chunk of readCsv(piecesOf(bytes, size))) read.push(...chunk);
        expect(read).toEqual(written);
      }),
    );
  });
});

async function* piecesOf(bytes: Buffer, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield await Promise.resolve(bytes.subarray(at, at + size));
}
