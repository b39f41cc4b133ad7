/** A request with a form, from the command line of curl to a run. */
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { firstValueFrom, toArray } from 'rxjs';
import { extract } from '../../../src';
import { discover } from '../../../src/explore/discover/discover';
import { bodyOf } from '../../../src/explore/detect/body';
import { readCurl } from '../../../src/explore/import/curl';

const FORM = 'application/x-www-form-urlencoded';

describe('a request with a form', () => {
  let server: Server;
  let heard: {
    readonly type: string | undefined;
    readonly url: string | undefined;
    readonly body: string;
    readonly headers: IncomingHttpHeaders;
  }[];
  beforeEach(async () => {
    heard = [];
    server = createServer((request, response) => {
      void text(request).then((body) => {
        const { headers, url } = request;
        heard.push({ type: headers['content-type'], url, body, headers });
        response.writeHead(200, { 'content-type': 'application/json' }).end('{"ships":[{"id":1},{"id":2}]}');
      });
    });
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  });
  afterEach(async () => {
    server.closeAllConnections();
    await new Promise((closed) => server.close(closed));
  });
  const address = (): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}/search`;

  it.each([
    { filter: { env: 'HOST_SECRET' } },
    { env: 'HOST_SECRET' },
    { all: [{ file: '/etc/hostname' }, { deep: { env: 'HOST_SECRET', secret: false } }] },
    { text: { literal: { env: 'HOST_SECRET' } } },
    { like: { ENV: 'HOST_SECRET' } },
    [{ env: 'HOST_SECRET' }],
    { query: 'query($a: A) { ships { id } }', variables: { a: { env: 'HOST_SECRET' } } },
  ])('reads nothing of this machine because its body is like a reference: %j', async (body) => {
    const { configuration } = await discover(readCurl(`curl '${address()}' --json '${JSON.stringify(body)}'`));
    const env = { HOST_SECRET: 'of-this-machine' };
    await firstValueFrom(extract(configuration, { env, secretFiles: true }).items$.pipe(toArray()));
    expect(heard.length).toBeGreaterThan(1);
    for (const sent of heard) expect(JSON.parse(sent.body)).toEqual(body);
  });

  it('is sent as a form by detection and by the run, with its secret as a variable', async () => {
    const curl = `curl '${address()}?v=2' -d river=ALD --data-urlencode 'q=a b&c' -d client_secret=ck_4f1d9b2a7e`;
    const { configuration, findings } = await discover(readCurl(curl));
    expect(configuration).toMatchObject({
      config: { jobs: [{ endpoint: 'search?v=2', method: 'FORM', dataField: 'ships' }] },
    });
    expect(JSON.stringify({ configuration, findings })).not.toContain('ck_4f1d9b2a7e');
    const env = { API_CLIENT_SECRET: 'ck_4f1d9b2a7e' };
    expect(await firstValueFrom(extract(configuration, { env }).items$.pipe(toArray()))).toHaveLength(2);
    const sent = { type: FORM, url: '/search?v=2' };
    expect(heard).toMatchObject([sent, sent]);
    for (const { body } of heard)
      expect([...new URLSearchParams(body)]).toEqual([
        ['river', 'ALD'],
        ['q', 'a b&c'],
        ['client_secret', 'ck_4f1d9b2a7e'],
      ]);
  });

  const KEY = 'ck_4f1d9b2a7e';
  const SIGNATURE = 'sg_77aa01bc9d';
  const ENV = { API_KEY: KEY, API_SIGNATURE: SIGNATURE, API_TOKEN: 'tk_9e8d7c6b5a', API_PASSWORD: 'pw_1a2b3c4d5e' };
  const BASIC = `Basic ${Buffer.from(`me:${ENV.API_PASSWORD}`).toString('base64')}`;

  it.each([
    ['two secrets in its address', '', undefined],
    [
      'two secrets in its address and a token',
      `-H 'Authorization: Bearer ${ENV.API_TOKEN}'`,
      `Bearer ${ENV.API_TOKEN}`,
    ],
    ['two secrets in its address and a password', `-u me:${ENV.API_PASSWORD}`, BASIC],
  ])('with %s keeps them there, and out of the form and of the file', async (_, more, authorization) => {
    const curl = `curl '${address()}?v=2&api_key=${KEY}&signature=${SIGNATURE}' ${more} -d river=ALD`;
    const { configuration, findings, comments } = await discover(readCurl(curl));
    const told = JSON.stringify({ configuration, findings, comments });
    for (const secret of Object.values(ENV)) expect(told).not.toContain(secret);
    expect(told).not.toContain(BASIC.slice(6));
    await firstValueFrom(extract(configuration, { env: ENV }).items$.pipe(toArray()));
    expect(heard.length).toBeGreaterThan(1);
    for (const { url, body, headers } of heard) {
      expect(body).toBe('river=ALD');
      expect(Object.fromEntries(new URL(url ?? '', 'http://h').searchParams)).toEqual({
        v: '2',
        api_key: KEY,
        signature: SIGNATURE,
      });
      expect(headers.authorization).toBe(authorization);
    }
  });

  it('leaves the parameters of a POST without a body in its address', async () => {
    const curl = `curl -X POST '${address()}?river=ALD&api_key=${KEY}&signature=${SIGNATURE}'`;
    const { configuration } = await discover(readCurl(curl));
    await firstValueFrom(extract(configuration, { env: ENV }).items$.pipe(toArray()));
    for (const { url, body } of heard) {
      expect(url).toBe(`/search?river=ALD&api_key=${KEY}&signature=${SIGNATURE}`);
      expect(['', '[]']).toContain(body);
    }
  });

  it('is JSON where its header says so', async () => {
    await discover(readCurl(`curl ${address()} -H 'Content-Type: application/json' -d '{"river":"ALD"}'`));
    expect(heard).toMatchObject([{ type: 'application/json', body: '{"river":"ALD"}' }]);
  });
});

describe('bodyOf', () => {
  it.each([
    ['a=b', undefined, { body: { a: 'b' }, isForm: true }],
    ['a[x]=1&b=x+y', `${FORM}; charset=utf-8`, { body: { 'a[x]': '1', b: 'x y' }, isForm: true }],
    ['5', FORM, { body: { 5: '' }, isForm: true }],
    ['5', 'application/json', { body: 5 }],
    ['{"a":1}', FORM, { body: { a: 1 } }],
    ['[1]', 'application/vnd.api+json', { body: [1] }],
  ])('reads %j of type %s', (text, type, body) => expect(bodyOf(text, type, 'POST')).toEqual(body));

  it.each([
    ['a=b', 'application/json', 'POST', 'no JSON, though'],
    ['<a/>', 'text/xml', 'POST', 'Content-Type is text/xml'],
    ['a=1&a=2', FORM, 'POST', 'has "a" several times'],
    ['a=1', FORM, 'PUT', 'sent by POST, and not by PUT'],
  ] as const)('refuses %j of type %s by %s', (...[text, type, method, message]) =>
    expect(() => bodyOf(text, type, method)).toThrow(message),
  );
});
