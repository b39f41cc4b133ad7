/** Answers that hold no data, or a part of it, in the middle of paging: errors, over whole runs against real servers. */
import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo, Server } from 'node:net';
import { gzipSync } from 'node:zlib';
import { extract, HeadwaterError } from '../../src';
import { bytes, json } from '../support/answers';
import type { Answer } from '../support/answers';
import { startServer } from '../support/api-server';
import type { ApiServer } from '../support/api-server';

const PAGE = 10;
const pageAt = (offset: number): readonly object[] =>
  Array.from({ length: Math.min(PAGE, Math.max(0, 35 - offset)) }, (_, at) => ({ id: offset + at }));

interface Outcome {
  readonly count: number;
  readonly code?: string;
  readonly message?: string;
}
async function run(config: object): Promise<Outcome> {
  let count = 0;
  try {
    await extract(config).items$.forEach(() => void (count += 1));
    return { count };
  } catch (error) {
    if (!(error instanceof HeadwaterError)) throw error;
    return { count, code: error.code, message: error.message };
  }
}
const paged = (baseUrl: string, api: object = {}): object => ({
  api: { baseUrl, pagination: { method: 'offset', limit: PAGE }, retryConfig: { maxRetries: 0 }, ...api },
  config: { jobs: [{ endpoint: 'items' }] },
});

describe('a status without data in the middle of paging', () => {
  let server: ApiServer;
  afterEach(() => server.close());
  const serve = async (third: Answer): Promise<string> => {
    server = await startServer(({ url }) => {
      const offset = Number(new URL(url, 'http://h').searchParams.get('offset'));
      return offset === 20 ? third : json(pageAt(offset));
    });
    return server.origin;
  };

  it.each([205, 206, 300, 301, 302, 303, 304, 305, 306, 307, 308])('%i is an error', async (status) => {
    const { count, code, message } = await run(paged(await serve(bytes('', {}, status))));
    expect({ count, code }).toEqual({ count: 20, code: 'API_STATUS' });
    expect(message).toContain(`The API request failed: [${status}] GET ${server.origin}/items?`);
    expect(message).toContain('api.http.ignoreErrors');
  });

  it.each([206, 300, 305])('so is %i with items', async (status) => {
    const { count, code } = await run(paged(await serve(json(pageAt(20), status))));
    expect({ count, code }).toEqual({ count: 20, code: 'API_STATUS' });
  });

  it('206 of an API that counts in units of its own is a page like others', async () => {
    const origin = await serve(json(pageAt(20), 206, { 'content-range': '20-29/35' }));
    expect(await run(paged(origin))).toEqual({ count: 35 });
  });

  it('a status in http.ignoreErrors is taken as it is', async () => {
    const ignoring = { http: { ignoreErrors: [205, 206, 304] } };
    expect(await run(paged(await serve(json(pageAt(20), 206)), ignoring))).toEqual({ count: 35 });
    await server.close();
    expect(await run(paged(await serve(bytes('', {}, 304)), ignoring))).toEqual({ count: 20 });
  });

  it('language 2.8: 204 stays an empty body', async () => {
    expect(await run(paged(await serve(bytes('', {}, 204))))).toEqual({ count: 20 });
  });

  it.each([205, 206, 304, 302])('a login that is answered with %i fails', async (status) => {
    server = await startServer(({ url }) =>
      url === '/login' ? bytes(status === 206 ? '{"token":"t"}' : '', {}, status) : json(pageAt(0)),
    );
    const authentication = {
      type: 'login',
      loginRequest: { endpoint: 'login' },
      apiRequest: { headers: { 'x-token': 'token' } },
    };
    const { code, message } = await run(paged(server.origin, { authentication }));
    expect(code).toBe('API_STATUS');
    expect(message).toContain(`[${status}]`);
    expect(server.requests).toHaveLength(1);
  });
});

describe('a body of success that was cut', () => {
  let server: Server;
  afterEach(() => server.close());

  const body = JSON.stringify(pageAt(0));
  const packed = gzipSync(body);
  const head = (...lines: readonly string[]): string => ['HTTP/1.1 200 OK', ...lines, '', ''].join('\r\n');
  const chunk = (data: Buffer | string): Buffer =>
    Buffer.concat([Buffer.from(`${data.length.toString(16)}\r\n`), Buffer.from(data), Buffer.from('\r\n')]);
  const LAST = '0\r\n\r\n';

  it.each<[string, readonly (Buffer | string)[]]>([
    ['shorter than its Content-Length', [head(`Content-Length: ${body.length + 50}`), body]],
    ['of a Content-Length and no byte', [head(`Content-Length: ${body.length}`)]],
    ['in chunks, the last one missing', [head('Transfer-Encoding: chunked'), chunk(body)]],
    ['in chunks, and no chunk', [head('Transfer-Encoding: chunked')]],
    ['in chunks, cut in one', [head('Transfer-Encoding: chunked'), chunk(body).subarray(0, 30)]],
    [
      'gzip, cut before its checksum',
      [head('Content-Encoding: gzip', 'Connection: close'), packed.subarray(0, packed.length - 8)],
    ],
    [
      'gzip in whole chunks, cut',
      [head('Content-Encoding: gzip', 'Transfer-Encoding: chunked'), chunk(packed.subarray(0, 40)), LAST],
    ],
    ['longer than its Content-Length', [head(`Content-Length: ${body.length - 5}`), body]],
    ['until the connection ends, cut', [head('Connection: close'), body.slice(0, -20)]],
  ])('%s: an error', async (_, pieces) => {
    server = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.once('data', () => {
        for (const piece of pieces) socket.write(piece);
        socket.end();
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const outcome = await run(paged(`http://127.0.0.1:${port}`));
    expect(outcome).toMatchObject({ count: 0, code: expect.stringMatching(/^(NETWORK_|API_)/) as string });
  });
});
