import fc from 'fast-check';
import { gzipSync } from 'node:zlib';
import { BrokenItems } from '../../../src/core/json/item-reader';
import { hasLiterals } from '../../../src/core/json/literals';
import { stringifyJson } from '../../../src/core/json/stringify';
import type { Json } from '../../../src/core/model';
import { LONGEST_BODY } from '../../../src/http/body/content-coding';
import { formatOf, readAs, readAsJson } from '../../../src/http/body/read-body';
import type { Reading } from '../../../src/http/body/read-body';
import { openBody } from '../../../src/http/body/stream-body';
import { chosenFiles } from '../../../src/http/formats/zip';
import { runsOf } from '../../support/cases';
import { CONTENT_TYPES, chosenFormat } from '../../support/formats';
import { aResponse } from '../../support/requests';
import { workbookOf } from '../../support/xlsx';
import { zipOf } from '../../support/zip';
import type { ZipFile } from '../../support/zip';

describe('read body', () => {
  const CSV = { type: 'csv', delimiter: ',', quote: '"', header: true, skipLines: 0 };

  /** Whether its end is known is looked at elsewhere. */
  const bare = (read: Reading): Reading => (read.kind === 'data' ? { kind: read.kind, data: read.data } : read);
  const read = (format: Json, body: string | Uint8Array, contentType?: string): Reading =>
    bare(
      readAs(
        chosenFormat(format),
        aResponse({
          body: Buffer.from(body),
          headers: contentType === undefined ? {} : { 'content-type': contentType },
        }),
      ),
    );
  const guess = (contentType: string, text: string): Reading | undefined => {
    const response = aResponse({ text, headers: { 'content-type': contentType } });
    const format = formatOf(CONTENT_TYPES, response, text);
    return format === undefined ? undefined : bare(readAs(format, response));
  };
  const data = (value: unknown): object => ({ kind: 'data', data: value });

  describe('a body by its format', () => {
    it('JSON lines: big integers digit for digit; a faulty line is named by its number', () => {
      expect(read({ type: 'jsonl' }, '{"id":9007199254740993}\r\n\n[1]\n"x"')).toEqual(
        data([{ id: 9007199254740993n }, [1], 'x']),
      );
      expect(read({ type: 'jsonl' }, '[1,2]\n')).toEqual(data([[1, 2]]));
      expect(read({ type: 'jsonl' }, '[{"id":1},{"id":2}]\n')).toMatchObject({
        kind: 'invalid',
        reason: 'it is one array of JSON, and not a value in each line: leave "format" out',
      });
      expect(read({ type: 'jsonl' }, '{"id":1}\n\n{"id":\n')).toMatchObject({
        kind: 'invalid',
        as: { label: 'JSON lines', isJson: false },
        reason: expect.stringMatching(/^line 3: Unexpected end/) as string,
      });
    });

    it('text is an object with the text in it', () => {
      expect(read({ type: 'text' }, ' a\nb ')).toEqual(data({ data: ' a\nb ' }));
    });

    it('an explicit json is JSON, and nothing else whatever the content type', () => {
      expect(read({ type: 'json' }, '{"a":1}', 'text/csv')).toEqual(data({ a: 1 }));
      expect(read({ type: 'json' }, '<a/>', 'text/xml')).toMatchObject({
        kind: 'invalid',
        as: { label: 'JSON', isJson: true },
      });
    });

    it.each([{ type: 'json' }, { type: 'xml' }, CSV, { type: 'jsonl' }, { type: 'text' }] as const)(
      'an empty body is empty: $type',
      (format) => {
        expect(read(format, ' \n')).toEqual({ kind: 'empty' });
      },
    );

    it('a gzip file is unpacked', () => {
      expect(read(CSV, gzipSync('a\n1\n'), 'application/gzip')).toEqual(data([{ a: '1' }]));
      const damaged = gzipSync('a\n1\n').subarray(0, 12);
      expect(read(CSV, damaged)).toMatchObject({ kind: 'invalid', reason: 'it is a damaged gzip file' });
    });

    it('only JSON text is read where no format is given: a gzip file is no JSON', () => {
      expect(readAsJson(gzipSync('[1]'), { headers: {} })).toMatchObject({
        kind: 'invalid',
        as: { label: 'JSON', isJson: true },
      });
    });
  });

  describe('language 2.8: empty is nothing but JSON white space', () => {
    it.each([
      ['no bytes', Buffer.of(), 'empty'],
      ['white space', Buffer.from(' \t\r\n'), 'empty'],
      ['invalid bytes alone', Buffer.of(0xff, 0xfe, 0xc0), 'invalid'],
      ['a no-break space', Buffer.from('\u00a0'), 'invalid'],
    ])('%s', (_, body, kind) => {
      expect(readAsJson(body, { headers: {} }).kind).toBe(kind);
    });
  });

  describe('the encoding of a body', () => {
    const latin = Buffer.from('a\nBäche\n', 'latin1');

    it.each([
      ['of the format', { ...CSV, encoding: 'windows-1252' }, latin, 'text/csv; charset=utf-8', [{ a: 'Bäche' }]],
      ['of the content type', CSV, latin, 'text/csv; header=present; charset="ISO-8859-1"', [{ a: 'Bäche' }]],
      ['of a mark', CSV, Buffer.from('\uFEFFa\nBäche\n', 'utf16le'), 'text/csv', [{ a: 'Bäche' }]],
      [
        'of the XML declaration',
        { type: 'xml' },
        Buffer.from('<?xml version="1.0" encoding="latin1"?><a>ä</a>', 'latin1'),
        'text/xml',
        { a: 'ä' },
      ],
      ['UTF-8 with a mark', CSV, '\uFEFFa\nBäche\n', 'text/csv', [{ a: 'Bäche' }]],
      ['UTF-8 for a charset that nobody knows', CSV, 'a\nBäche\n', 'text/csv; charset=none', [{ a: 'Bäche' }]],
    ] as const)('is the one %s', (_, format, body, contentType, value) => {
      expect(read(format, body, contentType)).toEqual(data(value));
    });
  });

  describe('a body that is not in its encoding', () => {
    const latin = Buffer.from('name\nMüller\nJosé\n', 'latin1');

    it.each([
      ['nothing is said', { type: 'csv' }, 'text/csv'],
      ['the content type says UTF-8', { type: 'csv' }, 'text/csv; charset=utf-8'],
      ['it is JSON lines', { type: 'jsonl' }, ''],
      ['it is text', { type: 'text' }, 'text/plain'],
    ])('is refused, and no character of it is lost: %s', (_, format, contentType) => {
      expect(read(format, latin, contentType)).toMatchObject({
        kind: 'invalid',
        reason: expect.stringContaining('set "encoding" in the format') as string,
      });
    });

    it('shows what was no character, where the format says which encoding it is', () => {
      expect(read({ type: 'csv', encoding: 'utf-8' }, latin, '')).toEqual(
        data([{ name: 'M\uFFFDller' }, { name: 'Jos\uFFFD' }]),
      );
    });
  });

  describe('a body that is no JSON, by its content type', () => {
    it.each([
      ['text/xml', '<a>1</a>', { a: '1' }],
      ['Application/Atom+XML; charset=utf-8', '\n<feed/>', { feed: '' }],
      ['text/csv; header=present', '"id","n"\n1,2', [{ id: '1', n: '2' }]],
      ['text/tab-separated-values', 'id\tn\n1\t"', [{ id: '1', n: '"' }]],
      ['application/x-ndjson', '{"a":1}\n{"a":2}\n', [{ a: 1 }, { a: 2 }]],
      ['application/jsonl', '{"a":1}\n{"a":2}\n', [{ a: 1 }, { a: 2 }]],
    ])('%s', (contentType, text, value) => {
      expect(guess(contentType, text)).toEqual(data(value));
    });

    it.each([
      ['text/csv', '{"a":'],
      ['text/csv', '<html>'],
      ['text/xml', '{"a":'],
      ['application/x-ndjson', '<html>'],
      ['application/xhtml+xml', '<html/>'],
      ['text/html', '<html/>'],
      ['text/plain', 'a,b'],
      ['', '<a/>'],
    ])('%s does not decide of %s', (contentType, text) => {
      expect(guess(contentType, text)).toBeUndefined();
    });
  });
});

describe('unpack', () => {
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
    const rows = (found: Reading): string | undefined =>
      found.kind === 'data' ? stringifyJson(found.data) : undefined;

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
});
