import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { LONGEST_BODY } from '../../../src/http/body/body-limit';
import { readAs } from '../../../src/http/body/read-body';
import type { Reading } from '../../../src/http/body/read-body';
import { openBody } from '../../../src/http/body/stream-body';
import { chosenFiles } from '../../../src/http/formats/zip/choose';
import { BrokenItems } from '../../../src/core/json/item-reader';
import { hasLiterals } from '../../../src/core/json/literals';
import { stringifyJson } from '../../../src/core/json/stringify';
import type { Json } from '../../../src/core/model';
import { chosenFormat } from '../../support/formats';
import { aResponse } from '../../support/requests';
import { workbookOf } from '../../support/xlsx';
import { zipOf } from '../../support/zip';
import type { ZipFile } from '../../support/zip';
import { runsOf } from '../../support/cases';

const read = (format: Json, body: Uint8Array): Reading => readAs(chosenFormat(format), aResponse({ body }));
const data = (value: unknown): unknown => expect.objectContaining({ kind: 'data', data: value }) as unknown;
const invalid = (reason: string): object => ({ kind: 'invalid', reason });

/** What a streamed body comes to, or the reason why it is broken. */
async function streamed(format: Json, body: Uint8Array, piece = body.length): Promise<string> {
  const pieces = async function* (): AsyncGenerator<Uint8Array> {
    for (let at = 0; at < body.length; at += piece) yield await Promise.resolve(body.subarray(at, at + piece));
  };
  const stream = { [Symbol.asyncIterator]: () => pieces(), cancel: () => undefined };
  const found: Uint8Array[] = [];
  try {
    for await (const bytes of openBody({ ...aResponse({}), stream }, chosenFormat(format)).bytes) found.push(bytes);
  } catch (error) {
    if (error instanceof BrokenItems) return error.message;
    throw error;
  }
  return Buffer.concat(found).toString();
}

const CSV = 'id,n\n1,a\n2,b\n';
const ROWS = [
  { id: '1', n: 'a' },
  { id: '2', n: 'b' },
];
const one = (file: Partial<ZipFile> = {}): Buffer => zipOf([{ name: 'levels.csv', content: CSV, ...file }]);
const several = zipOf([
  { name: 'a/levels.csv', content: CSV },
  { name: 'a/', content: '' },
  { name: 'rivers.json', content: '{"rivers":[]}' },
  { name: '__MACOSX/a/._levels.csv', content: 'x' },
]);

it('a link in an archive is no file of it', () => {
  const link = { name: 'latest.csv', content: 'a/levels.csv', mode: 0o120777 };
  expect(read('csv', zipOf([{ name: 'a/levels.csv', content: CSV, mode: 0o100644 }, link]))).toEqual(data(ROWS));
  expect(JSON.stringify(read('csv', zipOf([link])))).toContain('a zip archive without files');
});

describe('a zip archive of one file is unpacked', () => {
  it.each([
    ['deflated', one()],
    ['stored', one({ method: 0 })],
    [
      'with folders, and what macOS adds',
      zipOf([
        { name: 'x/', content: '' },
        { name: 'x/a.csv', content: CSV },
        { name: '__MACOSX/x/._a.csv', content: '' },
      ]),
    ],
    ['with a comment', zipOf([{ name: 'a', content: CSV }], { comment: 'PK\x05\x06 or so' })],
    ['zip64', zipOf([{ name: 'a.csv', content: CSV }], { isZip64: true })],
    ['that holds a gzip file', one({ content: gzipSync(CSV) })],
    ['in a gzip file', gzipSync(one())],
  ])('%s', async (_, body) => {
    expect(read('csv', body)).toEqual(data(ROWS));
    expect(await streamed('csv', body)).toBe(CSV);
    expect(await streamed('csv', body, 3)).toBe(CSV);
  });

  it('whatever the format is', () => {
    expect(read('json', one({ content: '{"a":1.50}' }))).toEqual(data({ a: 1.5 }));
    expect(read('xml', one({ content: '<a>1</a>' }))).toEqual(data({ a: '1' }));
    expect(read('text', one({ content: 'x' }))).toEqual(data({ data: 'x' }));
    expect(read('csv', one({ content: ' \n' }))).toEqual({ kind: 'empty' });
  });
});

describe('several files', () => {
  it('without a choice are an error that lists them', async () => {
    const reason =
      'the zip archive has several files; name one, or a pattern of them, in format.file: "a/levels.csv", "rivers.json"';
    expect(read('csv', several)).toMatchObject(invalid(reason));
    expect(await streamed('csv', several)).toBe(reason);
  });

  it.each(['a/levels.csv', '*.csv', 'a/*', '*level*', '*/l*s.*v'])('%s chooses', async (file) => {
    expect(read({ type: 'csv', file }, several)).toEqual(data(ROWS));
    expect(await streamed({ type: 'csv', file }, several)).toBe(CSV);
  });

  it.each(['levels.csv', '*.CSV', 'a/*levels.csv*.csv', ''])('%j chooses nothing', (file) => {
    expect(() => chosenFiles(several, file)).toThrow(
      'no file of the zip archive has a name like format.file; it has "a/levels.csv", "rivers.json"',
    );
  });

  it('are an Excel file where they look like one', () => {
    const workbook = zipOf(['[Content_Types].xml', 'xl/workbook.xml'].map((name) => ({ name, content: '<a/>' })));
    expect(read('csv', workbook)).toMatchObject(
      invalid('it is an Excel workbook: read it with {"type": "xlsx"} as the format'),
    );
    expect(read({ type: 'csv', file: '*.xml' }, workbook)).toMatchObject({ kind: 'invalid' });
  });

  it('of one name are an error', () => {
    const twice = zipOf([
      { name: 'a.csv', content: CSV },
      { name: 'a.csv', content: CSV },
    ]);
    expect(() => chosenFiles(twice, 'a.csv')).toThrow('the zip archive has several files of the name "a.csv"');
  });

  it('that a pattern names become one array, digits included', () => {
    const parts = zipOf(['[1.10]', '', '[{"a":2.50}]'].map((content, at) => ({ name: `${at}.json`, content })));
    const found = read({ type: 'json', file: '*.json' }, parts);
    expect(found.kind === 'data' && stringifyJson(found.data)).toBe('[1.10,{"a":2.50}]');
    expect(found.kind === 'data' && Array.isArray(found.data) && hasLiterals(found.data as Json[])).toBe(true);
  });

  it('of one kind may have more columns than others, in any order; those of two kinds are an error', () => {
    const files = (...contents: readonly string[]): Uint8Array =>
      zipOf(contents.map((content, at) => ({ name: `${at}.csv`, content })));
    const all = (...contents: readonly string[]) => read({ type: 'csv', file: '*' }, files(...contents));
    expect(all('a,b\n1,2\n', 'b,a\n3,4\n', '', 'x,y\n', 'a\n5\n')).toEqual(
      data([{ a: '1', b: '2' }, { b: '3', a: '4' }, { a: '5' }]),
    );
    expect(all('a\n1\n', 'a,b\n2,3\n')).toEqual(data([{ a: '1' }, { a: '2', b: '3' }]));
    expect(all('a,b\n1,2\n', 'a,c\n3,4\n')).toMatchObject(
      invalid(
        'the files "0.csv" and "1.csv" have different columns: "b" is only in the first, "c" only in the other. ' +
          'Name files of one kind in format.file, and read the others by another job',
      ),
    );
    expect(all('a\n1\n', 'a,b\n1,2\n', 'a,c\n3,4\n')).toMatchObject({ kind: 'invalid' });
  });

  it('are no array where one of them is none, or is broken', async () => {
    expect(
      read(
        { type: 'json', file: '*.json' },
        zipOf([
          { name: 'a.json', content: '[]' },
          { name: 'b.json', content: '{}' },
        ]),
      ),
    ).toMatchObject(invalid('the file "b.json" is no array, so it is read alone: name it in format.file'));
    const broken = zipOf([
      { name: 'a.csv', content: CSV },
      { name: 'b.csv', content: 'a,b\n1\n' },
    ]);
    expect(read({ type: 'csv', file: '*' }, broken)).toMatchObject(
      invalid('the file "b.csv": line 2 has another number of fields (1) than the first line'),
    );
    expect(await streamed({ type: 'csv', file: '*' }, broken)).toBe(
      'with "stream" one file of a zip archive is read; name it in format.file: "a.csv", "b.csv"',
    );
  });

  it('are asked for, but the body is no archive', async () => {
    const reason = 'it is no zip archive, although format.file names a file of one';
    expect(read({ type: 'csv', file: '*.csv' }, Buffer.from(CSV))).toMatchObject(invalid(reason));
    expect(await streamed({ type: 'csv', file: '*.csv' }, Buffer.from(CSV))).toBe(reason);
  });
});

const DAMAGED = 'the file "levels.csv" of the zip archive is damaged';
const CUT = 'it is a damaged zip archive, or it ends too early';

describe('an archive that is not what it says is an error', () => {
  it.each([
    ['a wrong checksum', one({ crc: 7 }), DAMAGED],
    ['a size that is too small', one({ size: 5 }), DAMAGED],
    ['a size that is too large', one({ size: 500 }), DAMAGED],
    ['a stored file with another size', one({ method: 0, size: 5 }), DAMAGED],
    ['encrypted', one({ flags: 1 }), 'the file "levels.csv" of the zip archive is encrypted'],
    [
      'packed by another method',
      one({ method: 12 }),
      'the file "levels.csv" of the zip archive is packed by method 12, not by deflate',
    ],
    ['cut off', one().subarray(0, -1), CUT],
    ['cut off in the file', one().subarray(0, 40), CUT],
    ['a byte more', Buffer.concat([one(), Buffer.of(0)]), CUT],
    ['something before it', Buffer.concat([one().subarray(0, 4), one()]), CUT],
    ['without files', zipOf([]), 'it is a zip archive without files'],
  ])('%s', async (_, body, reason) => {
    expect(read('csv', body)).toMatchObject(invalid(reason));
    expect(await streamed('csv', body)).toBe(reason);
  });

  it('one within another is refused', () => {
    expect(read('csv', one({ content: one() }))).toMatchObject(
      invalid('the file "levels.csv" of the zip archive is a zip archive itself'),
    );
  });

  it('one that says to unpack to more than a body may have is refused, and no more is unpacked than it says', () => {
    const reason = `unpacked it is longer than ${LONGEST_BODY} bytes`;
    expect(read('csv', one({ size: LONGEST_BODY + 1 }))).toMatchObject(invalid(reason));
    const half = { content: 'x', size: LONGEST_BODY / 2 + 1 };
    expect(
      read(
        { type: 'csv', file: '*' },
        zipOf([
          { name: 'a', content: '' },
          { name: 'b', ...half },
        ]),
      ),
    ).toMatchObject(invalid('the file "b" of the zip archive is damaged'));
    const bomb = Buffer.alloc(2 ** 24);
    expect(read('csv', one({ content: bomb, size: 10 }))).toMatchObject(invalid(DAMAGED));
  });
});

describe('bytes that are changed or cut off', () => {
  const sheet =
    '<row><c t="inlineStr"><is><t>id</t></is></c></row><row><c><v>1</v></c></row><row><c><v>2</v></c></row>';
  const files: readonly (readonly [Json, Buffer])[] = [
    ['csv', one()],
    ['csv', one({ method: 0 })],
    ['csv', zipOf([{ name: 'a.csv', content: CSV }], { isZip64: true })],
    [{ type: 'csv', file: '*.csv' }, zipOf([1, 2, 3].map((at) => ({ name: `${at}.csv`, content: CSV })))],
    ['xlsx', workbookOf({ A: sheet })],
  ];
  const rows = (found: Reading): string | undefined => (found.kind === 'data' ? stringifyJson(found.data) : undefined);

  it.each(files)('never give other rows without an error: %j', (format, body) => {
    const whole = rows(read(format, body));
    expect(whole).toBeDefined();
    // What does not even begin as an archive is text.
    const place = fc.integer({ min: 4, max: body.length - 1 });
    const damage = fc.oneof(
      place.map((length) => body.subarray(0, length)),
      fc.tuple(place, fc.integer({ min: 1, max: 255 })).map(([at, by]) => {
        const changed = Buffer.from(body);
        changed[at] = (changed[at] ?? 0) ^ by;
        return changed;
      }),
    );
    fc.assert(
      fc.property(damage, (damaged) => {
        const found = rows(read(format, damaged));
        return found === undefined || found === whole;
      }),
      { numRuns: runsOf(1500) },
    );
  });
});
