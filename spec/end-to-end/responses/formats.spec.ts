/** docs/language/responses.md#formats over whole runs. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { RequestListener, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { firstValueFrom, lastValueFrom, toArray } from 'rxjs';
import { extract, validate } from '../../../src';
import type { Item, Page, RunEvent } from '../../../src';
import { createProgressTracker } from '../../../src/run/state/progress';
import { bytes } from '../../support/answers';
import { startServer } from '../../support/api-server';
import type { ApiServer, Routes } from '../../support/api-server';
import { exampleAt } from '../examples';

describe('response formats', () => {
  let server: ApiServer;
  afterEach(() => server.close());

  const serve = async (routes: Routes): Promise<void> => {
    server = await startServer(routes);
  };
  const warnings: string[] = [];
  async function itemsOf(config: object): Promise<readonly Item[]> {
    warnings.length = 0;
    const onEvent = (event: RunEvent): void => {
      if (event.type === 'warning') warnings.push(event.code);
    };
    const items: Item[] = [];
    for await (const item of extract(config, { onEvent })) items.push(item);
    return items;
  }
  const withJob = (job: object, http: object = {}): object => ({
    api: { baseUrl: server.origin, http },
    config: { jobs: [{ endpoint: 'a', ...job }] },
  });

  it('examples/extensions/response-formats.json is valid and reads each format', async () => {
    await serve({
      '/files/gauges.jsonl.gz': bytes(gzipSync('{"id":9007199254740993}\n{"id":2}\n'), {
        'content-type': 'application/gzip',
      }),
      '/files/levels.csv': bytes(Buffer.from('Pegelstände\nid;höhe\n1;2,50\n', 'latin1'), {
        'content-type': 'text/csv',
      }),
      '/files/rivers.xml': bytes('<network><river id="ALD">Alder</river><river id="MAR">Marl</river></network>'),
    });
    const config = exampleAt(server.origin, 'response-formats.json');
    expect(validate(config)).toMatchObject({ jobs: 3, warnings: [] });
    expect(await itemsOf(config)).toEqual([
      { id: 9007199254740993n },
      { id: 2 },
      { id: '1', höhe: '2,50' },
      { '@id': 'ALD', '#text': 'Alder' },
      { '@id': 'MAR', '#text': 'Marl' },
    ]);
    expect(warnings).toEqual([]);
  });

  it('pagination by offset works on CSV, and on a single element of XML', async () => {
    const page = (rows: string) => bytes(`id\n${rows}`, { 'content-type': 'text/csv' });
    const pages = [page('1\n2\n'), page('3\n')];
    let asked = 0;
    server = await startServer(() => pages[asked++] ?? page(''));
    const api = { baseUrl: server.origin, pagination: { method: 'offset', limit: 2 } };
    expect(await itemsOf({ api, config: { jobs: [{ endpoint: 'a' }] } })).toEqual([
      { id: '1' },
      { id: '2' },
      { id: '3' },
    ]);
    expect(server.requests.map(({ url }) => url)).toEqual(['/a?limit=2&offset=0', '/a?limit=2&offset=2']);
  });

  it('dataField takes one element as one item, and none as none', async () => {
    await serve({ '/one': bytes('<r><i>1</i></r>'), '/none': bytes('<r/>') });
    const job = { format: 'xml', dataField: 'r.i' };
    expect(await itemsOf(withJob({ ...job, endpoint: 'one' }))).toEqual(['1']);
    expect(await itemsOf(withJob({ ...job, endpoint: 'none' }))).toEqual([]);
    expect(warnings).toEqual(['NO_DATA']);
  });

  it('language 2.8: without a format, JSON is JSON whatever its content type', async () => {
    await serve({ '/a': bytes('[{"a":1}]', { 'content-type': 'text/csv' }) });
    expect(await itemsOf(withJob({}))).toEqual([{ a: 1 }]);
  });

  it('without a format, a single line of JSON lines is JSON, with a warning; several are lines', async () => {
    const headers = { 'content-type': 'application/x-ndjson' };
    await serve({ '/one': bytes('{"id":1,"n":[5]}\n', headers), '/two': bytes('{"id":1}\n{"id":2}\n', headers) });
    expect(await itemsOf(withJob({ endpoint: 'one' }))).toEqual([{ id: 1, n: [5] }]);
    expect(warnings).toEqual(['FORMAT_GUESSED']);
    expect(await itemsOf(withJob({ endpoint: 'one', format: 'jsonl' }))).toEqual([{ id: 1, n: [5] }]);
    expect(await itemsOf(withJob({ endpoint: 'two' }))).toEqual([{ id: 1 }, { id: 2 }]);
    expect(warnings).toEqual([]);
  });

  it('the format of a job counts more than that of api.http; json turns guessing off', async () => {
    await serve({ '/a': bytes('<a/>', { 'content-type': 'text/xml' }) });
    expect(await itemsOf(withJob({ format: 'text', dataField: 'data' }, { format: 'csv' }))).toEqual(['<a/>']);
    await expect(itemsOf(withJob({}, { format: 'json' }))).rejects.toMatchObject({ code: 'API_NOT_JSON' });
  });

  it('a faulty body is an error that names the request, the line and the reason', async () => {
    await serve({ '/a': bytes('id,n\n1,2\n3\n') });
    await expect(itemsOf(withJob({ format: 'csv' }))).rejects.toMatchObject({
      code: 'API_FORMAT',
      message: `Invalid CSV response from API: GET ${server.origin}/a: line 3 has another number of fields (1) than the first line. id,n 1,2 3`,
    });
  });

  it('language 2.9: with an ignored status, a faulty body is errorData, and no content type is asked', async () => {
    await serve({ '/a': bytes('<a/>', { 'content-type': 'text/xml' }, 404) });
    const http = { ignoreErrors: [404] };
    expect(await itemsOf(withJob({ dataField: '.' }, http))).toEqual([{ errorData: '<a/>' }]);
    expect(await itemsOf(withJob({ dataField: '.', format: 'jsonl' }, http))).toEqual([{ errorData: '<a/>' }]);
    expect(await itemsOf(withJob({ dataField: '.', format: 'xml' }, http))).toEqual([{ a: '' }]);
  });
});

/** Responses that are cut into pages as they arrive, in whole runs over real connections (docs/language/large-responses.md). */

const ROWS = Array.from({ length: 10 }, (_, id) => ({ id, text: `row ${id}` }));
const JSON_BODY = JSON.stringify({ meta: { of: [1] }, rows: ROWS, total: 10 });
const CSV_BODY = `id,text\n${ROWS.map(({ id, text }) => `${id},"${text},\n"`).join('\n')}\n`;

const servers: Server[] = [];
afterAll(() => {
  for (const server of servers) {
    server.closeAllConnections();
    server.close();
  }
});

async function serve(listener: RequestListener): Promise<{ origin: string; asked: string[] }> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? '');
    listener(request, response);
  });
  servers.push(server.listen(0, '127.0.0.1'));
  await once(server, 'listening');
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, asked };
}

/** The body in pieces, so that they arrive as several. */
function inPieces(response: ServerResponse, body: Uint8Array, size = 7): void {
  for (let at = 0; at < body.length; at += size) response.write(body.subarray(at, at + size));
  response.end();
}
const always =
  (body: string | Uint8Array, headers: Record<string, string> = {}): RequestListener =>
  (_, response) => {
    response.writeHead(200, headers);
    inPieces(response, Buffer.from(body));
  };

interface RunOptions {
  readonly job?: object;
  readonly api?: object;
  readonly resume?: readonly Page[];
  readonly fetch?: typeof fetch;
}
function start(origin: string, { job = {}, api = {}, resume, fetch }: RunOptions = {}) {
  const events: RunEvent[] = [];
  const config = {
    api: { baseUrl: origin, ...api },
    config: { jobs: [{ id: 'rows', endpoint: 'rows', stream: { pageItems: 4 }, dataField: 'rows', ...job }] },
  };
  const book = createProgressTracker();
  for (const { checkpoint } of resume ?? []) book.add(checkpoint);
  const { pages$ } = extract(config, {
    onEvent: (event) => events.push(event),
    ...(fetch === undefined ? {} : { fetch }),
    ...(resume === undefined ? {} : { resume: { startedAt: 1, progress: book.progress() } }),
  });
  return { pages$, events };
}
async function run(origin: string, options: RunOptions = {}) {
  const { pages$, events } = start(origin, options);
  const pages = await lastValueFrom(pages$.pipe(toArray()));
  return { pages, events, items: pages.flatMap(({ items }) => items) };
}
const CSV = { format: 'csv', dataField: '.' };
const CSV_ROWS = ROWS.map(({ id, text }) => ({ id: String(id), text: `${text},\n` }));
const JSON_LINES = { format: 'jsonl', dataField: '.' };

describe('a streamed response', () => {
  it('is cut into pages, and its last one has what stands beside the items', async () => {
    const { origin, asked } = await serve(always(JSON_BODY));
    const { pages, items, events } = await run(origin, { job: { total: 'total' } });
    expect(items).toEqual(ROWS);
    expect(pages.map(({ count }) => count)).toEqual([4, 4, 2]);
    expect(pages.at(-1)?.reply.data).toMatchObject({ meta: { of: [1] }, total: 10 });
    expect(events.at(-1)).toMatchObject({ type: 'run.finished', items: 10, outcome: 'complete' });
    expect(asked).toEqual(['/rows']);
  });

  it('is incomplete where it counts more items than it has', async () => {
    const { origin } = await serve(always(JSON.stringify({ rows: ROWS, total: 11 })));
    await expect(run(origin, { job: { total: 'total' } })).rejects.toMatchObject({ code: 'INCOMPLETE' });
  });

  it.each([
    ['CSV', CSV, CSV_BODY, CSV_ROWS],
    [
      'CSV without a header',
      { format: { type: 'csv', header: ['a'], skipLines: 1 }, dataField: '.' },
      '"x"\n1\n2\n3',
      ['1', '2', '3'].map((a) => ({ a })),
    ],
    ['JSON lines', JSON_LINES, ROWS.map((row) => JSON.stringify(row)).join('\r\n\n'), ROWS],
    ['an array', { dataField: '.' }, JSON.stringify(ROWS), ROWS],
    ['no array, which is read as ever', { dataField: 'rows' }, '{"rows": {"id": 1}}', [{ id: 1 }]],
  ])('may be %s', async (_, job, body, expected) => {
    const { origin } = await serve(always(body));
    expect((await run(origin, { job })).items).toEqual(expected);
  });

  it.each([
    ['gzip', gzipSync(JSON_BODY), { 'content-encoding': 'gzip' }],
    ['br', brotliCompressSync(JSON_BODY), { 'content-encoding': 'br' }],
    ['a gzip file', gzipSync(JSON_BODY), {}],
  ])('may be packed: %s', async (_, body, headers) => {
    const { origin } = await serve(always(body, headers));
    expect((await run(origin)).items).toEqual(ROWS);
  });

  describe('in another encoding', () => {
    const NAMES = [{ name: 'Bäche' }, { name: 'Flüsse' }];
    const LATIN_1 = { 'content-type': 'application/json; charset=ISO-8859-1' };
    const lines = NAMES.map((row) => `${JSON.stringify(row)}\n`).join('');
    const table = `name\n${NAMES.map(({ name }) => `${name}\n`).join('')}`;

    it.each<[string, object, Buffer, Record<string, string>]>([
      ['JSON, by its content type', {}, Buffer.from(JSON.stringify({ rows: NAMES }), 'latin1'), LATIN_1],
      [
        'JSON, by its format',
        { format: { type: 'json', encoding: 'windows-1252' } },
        Buffer.from(JSON.stringify({ rows: NAMES }), 'latin1'),
        {},
      ],
      ['JSON in UTF-16', {}, Buffer.from(`\uFEFF${JSON.stringify({ rows: NAMES })}`, 'utf16le'), {}],
      ['JSON lines in UTF-16', JSON_LINES, Buffer.from(`\uFEFF${lines}`, 'utf16le'), {}],
      ['CSV in UTF-16', CSV, Buffer.from(`\uFEFF${table}`, 'utf16le'), {}],
      ['CSV, by its content type', CSV, Buffer.from(table, 'latin1'), LATIN_1],
    ])('has all of its characters: %s', async (_, job, body, headers) => {
      const { origin } = await serve(always(body, headers));
      const { items, pages } = await run(origin, { job });
      expect(items).toEqual(NAMES);
      const written = pages.map((page) => Buffer.from(page.lines()).toString()).join('');
      expect(written).toBe(lines);
    });

    it.each([
      ['JSON', {}, JSON.stringify({ rows: NAMES }), 'API_NOT_JSON'],
      ['JSON lines', JSON_LINES, lines, 'API_FORMAT'],
      ['CSV', CSV, table, 'API_FORMAT'],
    ])('is an error where nothing names it: %s', async (_, job, text, code) => {
      const { origin } = await serve(always(Buffer.from(text, 'latin1')));
      await expect(run(origin, { job })).rejects.toMatchObject({
        code,
        message: expect.stringMatching(/no UTF-8, .*set "encoding" in the format/) as string,
      });
    });
  });

  it('goes through what a job makes of its items', async () => {
    const { origin } = await serve(always(JSON_BODY));
    const { items } = await run(origin, { job: { filter: 'id>7', compute: { twice: { item: 'id' } } } });
    expect(items).toEqual([8, 9].map((id) => ({ id, text: `row ${id}`, twice: id })));
  });

  it.each([
    [
      'an array without end',
      { dataField: '.' },
      JSON.stringify(ROWS).slice(0, -1),
      'API_NOT_JSON',
      'it ends within the array',
    ],
    ['a document without end', {}, JSON_BODY.slice(0, -1), 'API_NOT_JSON', 'it ends too early'],
    ['a quote without end', CSV, CSV_BODY.slice(0, -4), 'API_FORMAT', 'a quote is never closed'],
    ['a line that is too short', CSV, `${CSV_BODY}11`, 'API_FORMAT', 'another number of fields'],
    ['a line that is no JSON', JSON_LINES, '{"id": 1}\n{"id"', 'API_FORMAT', 'line 2'],
    ['two lines that are JSON together', JSON_LINES, '[1\n2]', 'API_FORMAT', 'line 1'],
    ['a damaged gzip file', {}, gzipSync(JSON_BODY).subarray(0, -9), 'API_NOT_JSON', 'gzip'],
    ['a page that is no JSON', { dataField: '.' }, '[1, 2 3]', 'API_NOT_JSON', ''],
  ])('is an error with %s', async (_, job, body, code, message) => {
    const { origin } = await serve(always(body));
    await expect(run(origin, { job })).rejects.toMatchObject({
      code,
      message: expect.stringContaining(message) as string,
    });
  });

  it('is an error with a status of failure, as ever', async () => {
    const { origin } = await serve((_, response) => response.writeHead(403).end('{"error": "no"}'));
    await expect(run(origin)).rejects.toMatchObject({ code: 'API_STATUS', status: 403 });
  });

  it('follows redirects', async () => {
    const { origin } = await serve((request, response) => {
      if (request.url === '/rows') response.writeHead(302, { location: '/file' }).end();
      else always(JSON_BODY)(request, response);
    });
    expect((await run(origin)).items).toEqual(ROWS);
  });

  it('is requested again when the connection breaks, and passes over what has come', async () => {
    let requests = 0;
    const { origin } = await serve((_, response) => {
      requests += 1;
      response.writeHead(200, { 'content-length': String(JSON_BODY.length) });
      if (requests > 1) response.end(JSON_BODY);
      else response.write(JSON_BODY.slice(0, 200), () => response.destroy());
    });
    const { items, pages, events } = await run(origin);
    expect(items).toEqual(ROWS);
    expect(pages.map(({ count }) => count)).toEqual([4, 4, 2]);
    expect(requests).toBe(2);
    expect(events).toContainEqual(
      expect.objectContaining({ type: 'retry.scheduled', because: expect.stringContaining('after item 4') as string }),
    );
  });

  it('fails when it breaks for good', async () => {
    const { origin } = await serve((_, response) => {
      response.writeHead(200, { 'content-length': '1000' });
      response.write(JSON_BODY.slice(0, 100), () => response.destroy());
    });
    const failing = run(origin, { api: { retryConfig: { maxRetries: 1 } } });
    await expect(failing).rejects.toMatchObject({ code: 'NETWORK_RESET' });
  });

  it('fails when another response comes after a break', async () => {
    let requests = 0;
    const { origin } = await serve((_, response) => {
      const body = JSON_BODY.replaceAll('row ', `row of ${++requests}`);
      response.writeHead(200, { 'content-length': String(body.length) });
      if (requests > 1) response.end(body);
      else response.write(body.slice(0, 260), () => response.destroy());
    });
    await expect(run(origin)).rejects.toMatchObject({ code: 'RESUME' });
  });

  /** It breaks off after 4 items and some bytes, once; then another response comes. */
  const broken = (then: RequestListener): RequestListener => {
    let requests = 0;
    return (request, response) => {
      requests += 1;
      if (requests > 1) then(request, response);
      else {
        response.writeHead(200, { 'content-length': String(JSON_BODY.length) });
        response.write(JSON_BODY.slice(0, 200), () => response.destroy());
      }
    };
  };
  const status =
    (code: number): RequestListener =>
    (_, response) =>
      response.writeHead(code).end(code === 204 ? undefined : '{"message": "there is nothing"}');
  const NOT_THE_REST = [
    ['the status 204', 204, {}],
    ['a status that a rule skips', 404, { job: { rules: [{ when: { status: 404 }, do: 'skip' }] } }],
    ['a status that a rule stops at', 404, { job: { rules: [{ when: { status: 404 }, do: 'stop' }] } }],
    ['a status that is ignored', 404, { api: { http: { ignoreErrors: [404] } } }],
    ['a status of success that has nothing', 201, {}],
  ] as const;

  it.each(NOT_THE_REST)('fails when %s comes after a break', async (_, code, options) => {
    const { origin } = await serve(broken(status(code)));
    await expect(run(origin, options)).rejects.toMatchObject({
      code: 'RESUME',
      status: code,
      message: expect.stringContaining(`it has the status ${code} now, and 4 items had come`) as string,
    });
  });

  it.each(NOT_THE_REST)('does not go on with %s', async (_, code, options) => {
    let listener = always(JSON_BODY);
    const { origin } = await serve((request, response) => listener(request, response));
    const { pages } = await run(origin, options);
    listener = status(code);
    const resumed = run(origin, { ...options, resume: pages.slice(0, 1) });
    await expect(resumed).rejects.toMatchObject({ code: 'RESUME', status: code });
  });

  it('says what a status of failure means that comes after a break', async () => {
    const { origin } = await serve(broken(status(404)));
    await expect(run(origin)).rejects.toMatchObject({ code: 'API_STATUS', status: 404 });
    const rules = [{ when: { status: 404 }, do: 'fail', message: 'The export is gone.' }];
    const { origin: other } = await serve(broken(status(404)));
    await expect(run(other, { job: { rules } })).rejects.toMatchObject({ code: 'API_ERROR', status: 404 });
  });

  it('may be empty by a rule or a status from the beginning', async () => {
    for (const [, code, options] of NOT_THE_REST.slice(0, 4)) {
      const { origin } = await serve(status(code));
      expect((await run(origin, options)).items).toEqual([]);
    }
  });

  it.each([1, 2, 3])('goes on behind page %i with nothing lost or doubled', async (known) => {
    const { origin, asked } = await serve(always(CSV_BODY));
    const whole = await run(origin, { job: CSV });
    const before = whole.pages.slice(0, known);
    const rest = await run(origin, { job: CSV, resume: before });
    expect([...before.flatMap(({ items }) => items), ...rest.items]).toEqual(CSV_ROWS);
    expect(asked).toHaveLength(known === 3 ? 1 : 2);
  });

  it('does not go on with another response', async () => {
    let body = JSON_BODY;
    const { origin } = await serve((request, response) => always(body)(request, response));
    const { pages } = await run(origin);
    body = JSON_BODY.replace('row 1', 'row X');
    await expect(run(origin, { resume: pages.slice(0, 1) })).rejects.toMatchObject({ code: 'RESUME' });
    body = JSON.stringify({ rows: ROWS.slice(0, 2) });
    await expect(run(origin, { resume: pages.slice(0, 1) })).rejects.toMatchObject({ code: 'RESUME' });
  });

  it('holds the server back while nobody reads, and closes the connection when nobody wants more', async () => {
    const row = `{"text":"${'x'.repeat(1000)}"}`;
    let written = 0;
    let closed: Promise<unknown> = Promise.resolve();
    const { origin } = await serve((_, response) => {
      closed = once(response, 'close');
      response.write(`{"rows":[${row}`);
      const more = (): void => {
        if (response.destroyed) return;
        for (let at = 0; at < 64; at += 1) written += row.length;
        if (response.write(`,${row}`.repeat(64))) setImmediate(more);
        else response.once('drain', more);
      };
      more();
    });
    const { pages$ } = start(origin, { job: { prefetch: 1 } });
    const iterator = extract(
      {
        api: { baseUrl: origin },
        config: { jobs: [{ endpoint: 'rows', stream: { pageItems: 4 }, dataField: 'rows', prefetch: 1 }] },
      },
      {},
    )[Symbol.asyncIterator]();
    await iterator.next();
    // Buffers of the system fill first, on a busy machine slowly; without back-pressure there is no end of it.
    let held = -1;
    while (held !== written) {
      held = written;
      await new Promise((resolve) => setTimeout(resolve, 300));
    }
    expect(held).toBeLessThan(100_000_000);
    await iterator.return?.();
    await closed;
    expect((await firstValueFrom(pages$)).count).toBe(4);
    await closed;
  });

  it('is given up when it says nothing for too long', async () => {
    const { origin } = await serve((_, response) => void response.write(JSON_BODY.slice(0, 100)));
    const api = { http: { requestTimeout: 0.2 }, retryConfig: { maxRetries: 0, firstConnection: 0 } };
    await expect(run(origin, { api })).rejects.toMatchObject({ code: 'NETWORK_TIMEOUT' });
  });

  it.each([
    ['within the array', {}, '{"rows":[{"id":1}', ' '],
    ['before the array', {}, '{', ' '],
    ['behind the array', {}, '{"rows":[{"id":1}]', ' '],
    ['within an item', {}, '{"rows":["', 'x'],
    ['between lines', JSON_LINES, '{"id":1}\n', '\n'],
    ['within a row', CSV, 'id\n', '1'],
    ['in a gzip file', JSON_LINES, gzipSync('{"id":1}\n'), gzipSync('')],
  ])('is given up when bytes drip %s and no item comes', async (_, job, beginning, drop) => {
    // A fetch answers before any timer fires: at a socket, the headers of a busy machine might be what takes too long.
    const fetch: typeof globalThis.fetch = (_url, init) => {
      const pull = async (to: ReadableStreamDefaultController): Promise<void> => {
        await wait(5);
        // As every fetch does, it ends its body when it is aborted.
        if (init?.signal?.aborted === true) to.error(init.signal.reason);
        else to.enqueue(Buffer.from(drop));
      };
      return Promise.resolve(
        new Response(new ReadableStream({ start: (to) => to.enqueue(Buffer.from(beginning)), pull })),
      );
    };
    const api = { http: { requestTimeout: 0.1 }, retryConfig: { maxRetries: 0, firstConnection: 0 } };
    await expect(run('https://api.example/', { job, api, fetch })).rejects.toMatchObject({
      code: 'NETWORK_TIMEOUT',
      message: expect.stringMatching(/^No further item came from api.*within 0.1 seconds/) as string,
    });
  });

  it('may take longer than a request, as long as items come', async () => {
    const { origin } = await serve((_, response) => {
      response.write('[0');
      let sent = 0;
      const dripping = setInterval(() => {
        if (++sent <= 12) response.write(`,${sent}`);
        else {
          clearInterval(dripping);
          response.end(']');
        }
      }, 150);
    });
    const api = { http: { requestTimeout: 1.5 }, retryConfig: { maxRetries: 0, firstConnection: 0 } };
    const { items } = await run(origin, { job: { dataField: '.' }, api });
    expect(items).toHaveLength(13);
  });

  it('is not given up while it waits for the consumer', async () => {
    let rest = (): void => undefined;
    const { origin } = await serve((_, response) => {
      response.write('[1,2,3,4,5,6');
      rest = () => response.end(',7,8]');
    });
    const config = {
      api: { baseUrl: origin, http: { requestTimeout: 1 }, retryConfig: { maxRetries: 0, firstConnection: 0 } },
      config: { jobs: [{ endpoint: 'rows', stream: { pageItems: 1 }, dataField: '.', prefetch: 1 }] },
    };
    const items: unknown[] = [];
    for await (const item of extract(config)) {
      items.push(item);
      if (items.length > 1) continue;
      await new Promise((resolve) => setTimeout(resolve, 1500));
      rest();
    }
    expect(items).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  });

  it('goes through a fetch of the application, too', async () => {
    const fetch = (): Promise<globalThis.Response> => Promise.resolve(new Response(JSON_BODY));
    const { pages$ } = extract(
      {
        api: { baseUrl: 'https://api.example/' },
        config: { jobs: [{ endpoint: 'rows', stream: true, dataField: 'rows' }] },
      },
      { fetch },
    );
    const pages = await lastValueFrom(pages$.pipe(toArray()));
    expect(pages.flatMap(({ items }) => items)).toEqual(ROWS);
  });

  it.each([
    [{}, { pagination: { method: 'offset', limit: 2 } }, 'needs a job without pagination'],
    [{ format: 'xml' }, {}, 'cannot be with the format xml'],
    [{ dataField: '$.rows[*]' }, {}, 'needs a dataField that is a path of keys'],
    [{ stream: 3 }, {}, 'expected true, false, or an object with "pageItems"'],
  ])('is refused with %j', (job, api, message) => {
    const config = {
      api: { baseUrl: 'https://api.example/', ...api },
      config: { jobs: [{ endpoint: 'rows', stream: true, ...job }] },
    };
    expect(() => validate(config)).toThrow(message);
  });
});
