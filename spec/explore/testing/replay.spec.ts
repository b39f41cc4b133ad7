import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { lastValueFrom, take, toArray } from 'rxjs';
import { extract, stringifyJson } from '../../../src';
import type { ExtractOptions, Har, Json } from '../../../src';
import { replay } from '../../../src/testing';

const PASSWORD = 'p4ss w0rd/+=';
const KEY = 'query-k3y-&-more';
const TOKEN = 't0ken-of-the-session-1';
const REFRESH = 'refr3sh-of-the-session';
const COOKIE = 'c00kie-value-of-the-session';
const SECRETS = [PASSWORD, KEY, TOKEN, REFRESH, COOKIE];

let server: Server;
let url: string;
let failing: number;
beforeEach(async () => {
  failing = 1;
  server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost');
    const send = (value: unknown, headers: Record<string, string> = {}): void => {
      const body = gzipSync(JSON.stringify(value));
      response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip', ...headers }).end(body);
    };
    if (pathname === '/login') {
      send({ token: TOKEN, refresh_token: REFRESH }, { 'set-cookie': `sid=${COOKIE}; Path=/` });
      return;
    }
    if (request.headers.authorization !== `Bearer ${TOKEN}` || !request.headers.cookie?.includes(COOKIE)) {
      response.writeHead(401).end();
      return;
    }
    if (pathname === '/rivers') {
      if (searchParams.get('page') === '2' && failing-- > 0) {
        response.writeHead(503, { 'retry-after': '1' }).end('busy');
        return;
      }
      const page = Number(searchParams.get('page') ?? 1);
      send(page > 2 ? [] : [{ id: page, big: 1, name: 'Wye ü', echo: `${searchParams.get('key')}` }]);
      return;
    }
    if (Number(searchParams.get('page') ?? 1) > 1) {
      if (pathname.endsWith('/photo')) response.writeHead(200, { 'content-type': 'text/csv' }).end('a\n');
      else send([]);
      return;
    }
    if (pathname.endsWith('/photo')) {
      response.writeHead(200, { 'content-type': 'text/csv' }).end(Buffer.from([0x61, 0x0a, 0xe9, 0xff, 0x0a]));
      return;
    }
    send([{ station: pathname, exact: 'x' }]);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
});
afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

const configuration = (secrets: { password: string; key: string }, job: object = {}): Json => ({
  api: {
    baseUrl: url,
    http: { cookies: true, defaultOptions: { params: { key: { attr: '#key' } } } },
    authentication: {
      type: 'login',
      loginRequest: { endpoint: 'login', method: 'POST', params: { password: { attr: '#password' } } },
      apiRequest: { headers: { authorization: { function: 'concat', args: ['Bearer ', { response: 'token' }] } } },
    },
    pagination: { method: 'pagenum', limit: 1 },
  },
  config: {
    '#password': secrets.password,
    '#key': secrets.key,
    jobs: [
      {
        endpoint: 'rivers',
        params: { since: { function: 'date', args: ['Y-m-d H:i:s', { time: 'currentStart' }] } },
        ...job,
        children: [
          { endpoint: 'rivers/{id}/stations', placeholders: { id: 'id' } },
          {
            endpoint: 'rivers/{id}/photo',
            placeholders: { id: 'id' },
            format: { type: 'csv', encoding: 'latin1' },
          },
        ],
      },
    ],
  },
});

const itemsOf = async (config: Json, options: ExtractOptions): Promise<string> => {
  const items = await lastValueFrom(extract(config, options).items$.pipe(toArray()));
  return items.map((item) => stringifyJson(item)).join('\n');
};

async function recorded(): Promise<{ readonly items: string; readonly har: Har }> {
  let har: Har | undefined;
  const items = await itemsOf(configuration({ password: PASSWORD, key: KEY }), {
    ownConnections: true,
    record: (recording) => (har = recording),
  });
  if (har === undefined) throw new Error('nothing was recorded');
  return { items, har };
}

/** The ways in which a secret may stand in a file. */
const formsOf = (secret: string): string[] => [
  secret,
  encodeURIComponent(secret),
  new URLSearchParams({ a: secret }).toString().slice(2),
  JSON.stringify(secret).slice(1, -1),
  ...[secret, `user:${secret}`, ` ${secret}`, `  ${secret}`].map((text) =>
    Buffer.from(text).toString('base64').replace(/=+$/, '').slice(4, -4),
  ),
];

describe('a recording', () => {
  it('is a HAR without any secret, and its replay gives the same items without a network or credentials', async () => {
    const { items, har } = await recorded();
    const text = JSON.stringify(har);
    for (const secret of SECRETS) for (const form of formsOf(secret)) expect(text).not.toContain(form);
    expect(
      har.log.entries.map(({ request, response }) => `${response.status} ${new URL(request.url).pathname}`),
    ).toEqual(
      expect.arrayContaining([
        '200 /login',
        '503 /rivers',
        '200 /rivers',
        '200 /rivers/1/stations',
        '200 /rivers/2/photo',
      ]),
    );
    expect(har.log.entries.some(({ response }) => response.content.encoding === 'base64')).toBe(true);
    server.closeAllConnections();
    server.close();
    const config = configuration({ password: '', key: 'another' });
    const again = await itemsOf(config, replay(JSON.parse(text) as Har));
    // What an API says of a secret is masked; all else is the same, byte by byte.
    expect(again).toBe(items.replaceAll(KEY, '***'));
    expect(again).not.toBe('');
  });

  it('does not replay another run: the error names the request, and the one that is most like it', async () => {
    const { har } = await recorded();
    const config = configuration({ password: 'x', key: 'x' }, { endpoint: 'rivirs' });
    await expect(itemsOf(config, replay(har))).rejects.toMatchObject({
      code: 'NOT_RECORDED',
      message: expect.stringMatching(/rivirs.*most similar recorded request: GET .*rivers\?/s) as string,
    });
  });

  it('has what came until a run was cancelled or failed, and failures are replayed', async () => {
    let har: Har | undefined;
    const options = { ownConnections: true, record: (recording: Har) => (har = recording) };
    await lastValueFrom(extract(configuration({ password: PASSWORD, key: KEY }), options).items$.pipe(take(1)));
    expect(har?.log.entries.length).toBeGreaterThanOrEqual(2);
    const closed = {
      api: { baseUrl: 'http://127.0.0.1:9/', retryConfig: { maxRetries: 0 } },
      config: { jobs: [{ endpoint: 'a' }] },
    };
    await expect(itemsOf(closed, options)).rejects.toMatchObject({ code: 'NETWORK_CONNECT' });
    expect(har?.log.entries.map(({ response }) => [response.status, response._error])).toEqual([
      [0, 'NETWORK_CONNECT'],
    ]);
    await expect(itemsOf(closed, replay(har as unknown as Har))).rejects.toMatchObject({ code: 'NETWORK_CONNECT' });
  });

  it('is refused where it is none', () => {
    expect(() => replay({} as Har)).toThrow(TypeError);
  });
});
