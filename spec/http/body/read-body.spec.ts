import { gzipSync } from 'node:zlib';
import { formatOf, readAs, readAsJson } from '../../../src/http/body/read-body';
import type { Reading } from '../../../src/http/body/read-body';
import type { Json } from '../../../src/core/model';
import { chosenFormat, CONTENT_TYPES } from '../../support/formats';
import { aResponse } from '../../support/requests';

const CSV = { type: 'csv', delimiter: ',', quote: '"', header: true, skipLines: 0 };

/** Whether its end is known is looked at elsewhere. */
const bare = (read: Reading): Reading => (read.kind === 'data' ? { kind: read.kind, data: read.data } : read);
const read = (format: Json, body: string | Uint8Array, contentType?: string): Reading =>
  bare(
    readAs(
      chosenFormat(format),
      aResponse({ body: Buffer.from(body), headers: contentType === undefined ? {} : { 'content-type': contentType } }),
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
    expect(readAsJson(gzipSync('[1]'))).toMatchObject({ kind: 'invalid', as: { label: 'JSON', isJson: true } });
  });
});

describe('language 2.8: empty is nothing but JSON white space', () => {
  it.each([
    ['no bytes', Buffer.of(), 'empty'],
    ['white space', Buffer.from(' \t\r\n'), 'empty'],
    ['invalid bytes alone', Buffer.of(0xff, 0xfe, 0xc0), 'invalid'],
    ['a no-break space', Buffer.from('\u00a0'), 'invalid'],
  ])('%s', (_, body, kind) => {
    expect(readAsJson(body).kind).toBe(kind);
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
