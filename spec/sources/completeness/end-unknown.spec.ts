/** Responses that end with their connection, from a server that writes bytes as they are. */
import { createServer } from 'node:net';
import type { AddressInfo, Server } from 'node:net';
import { gzipSync } from 'node:zlib';
import { extract } from '../../../src';
import type { Item, JsonObject, RunEvent } from '../../../src';
import { zipOf } from '../../support/zip';

let server: Server | undefined;

afterEach(async () => {
  await new Promise<void>((resolve) => (server === undefined ? resolve() : server.close(() => resolve())));
  server = undefined;
});

/** Answers each request with these bytes and closes the connection. */
async function serve(...bytes: readonly (string | Uint8Array)[]): Promise<string> {
  const started = createServer((socket) => {
    socket.once('data', () => socket.end(Buffer.concat(bytes.map((each) => Buffer.from(each)))));
  });
  server = started;
  await new Promise<void>((resolve) => started.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(started.address() as AddressInfo).port}`;
}

const head = (type: string, ...lines: readonly string[]): string =>
  ['HTTP/1.1 200 OK', `Content-Type: ${type}`, ...lines, 'Connection: close', '', ''].join('\r\n');

/** What a run gives, and what it says of its completeness. */
async function run(baseUrl: string, job: JsonObject) {
  const doubts: string[] = [];
  const outcomes: string[] = [];
  const receive = (event: RunEvent): void => {
    if (event.type === 'warning' && event.isExpected !== true) doubts.push(`${event.code} ${event.message}`);
    if (event.type === 'run.finished') outcomes.push(event.outcome);
  };
  const config = { api: { baseUrl }, config: { jobs: [{ endpoint: 'export', ...job }] } };
  const items: Item[] = [];
  for await (const item of extract(config, { onEvent: receive })) items.push(item);
  return { items: items.length, doubts, outcomes };
}

const CSV = 'id,n\r\n1,a\r\n2,b\r\n';
const LINES = '{"id":1}\n{"id":2}\n';
const REPORTED = [
  expect.stringMatching(/^END_UNKNOWN config\.jobs\[0\]: A response of export has neither a length nor chunks/),
];

describe('the end of a response of lines', () => {
  it.each([
    ['CSV', 'text/csv', CSV, { format: 'csv' }],
    ['CSV by its content type', 'text/csv', CSV, {}],
    ['JSON lines', 'application/x-ndjson', LINES, { format: 'jsonl' }],
    ['CSV that is streamed', 'text/csv', CSV, { format: 'csv', stream: true }],
    ['JSON lines that are streamed', 'text/plain', LINES, { format: 'jsonl', stream: { pageItems: 1 } }],
  ])('is unknown where the connection alone tells it: %s', async (_, type, body, job) => {
    const found = await run(await serve(head(type), body), job);
    expect(found).toEqual({ items: 2, doubts: REPORTED, outcomes: ['doubtful'] });
  });

  it.each([
    ['a length', [head('text/csv', `Content-Length: ${CSV.length}`), CSV], { format: 'csv' }],
    [
      'a length, where it is streamed',
      [head('text/csv', `Content-Length: ${CSV.length}`), CSV],
      { format: 'csv', stream: true },
    ],
    [
      'chunks',
      [head('text/csv', 'Transfer-Encoding: chunked'), `${CSV.length.toString(16)}\r\n${CSV}\r\n0\r\n\r\n`],
      { format: 'csv' },
    ],
    ['a coding', [head('text/csv', 'Content-Encoding: gzip'), gzipSync(CSV)], { format: 'csv' }],
    ['a gzip file', [head('text/csv'), gzipSync(CSV)], { format: 'csv' }],
    ['a gzip file that is streamed', [head('text/csv'), gzipSync(CSV)], { format: 'csv', stream: true }],
    ['a zip archive', [head('text/csv'), zipOf([{ name: 'a', content: CSV }])], { format: 'csv' }],
    [
      'a zip archive that is streamed',
      [head('text/csv'), zipOf([{ name: 'a', content: CSV }])],
      { format: 'csv', stream: true },
    ],
    ['a document of JSON', [head('application/json'), '[{"id":1},{"id":2}]'], {}],
    ['a document of JSON that is streamed', [head('application/json'), '[{"id":1},{"id":2}]'], { stream: true }],
    ['a document of XML', [head('text/xml'), '<a><b>1</b><b>2</b></a>'], { format: 'xml', dataField: 'a.b' }],
  ])('is told by %s', async (_, bytes, job) => {
    expect(await run(await serve(...bytes), job)).toEqual({ items: 2, doubts: [], outcomes: ['complete'] });
  });

  it('does not matter where all items have come that the API counts', async () => {
    const url = await serve(head('text/csv', 'X-Total-Count: 2'), CSV);
    expect((await run(url, { format: 'csv', total: { header: 'X-Total-Count' } })).doubts).toEqual([]);
  });

  it('is an error with --strict', async () => {
    const config = { api: { baseUrl: await serve(head('text/csv'), CSV) }, config: { jobs: [{ endpoint: 'export' }] } };
    const all = async (): Promise<void> => {
      for await (const item of extract(config, { strict: true })) expect(item).toBeDefined();
    };
    await expect(all()).rejects.toMatchObject({ code: 'WARNINGS' });
  });

  it('a zip archive that is cut off is an error, whatever tells the end', async () => {
    const cut = zipOf([{ name: 'a', content: CSV }]).subarray(0, -30);
    for (const stream of [undefined, true]) {
      const url = await serve(head('application/zip'), cut);
      await expect(run(url, { format: 'csv', ...(stream === undefined ? {} : { stream }) })).rejects.toMatchObject({
        code: 'API_FORMAT',
        message: expect.stringContaining('it is a damaged zip archive, or it ends too early') as string,
      });
      await new Promise<void>((resolve) => server?.close(() => resolve()));
    }
    server = undefined;
  });
});
