/** Which parts of a request are secrets, and how a configuration refers to them. */
import { createServer } from 'node:http';
import type { IncomingHttpHeaders, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { firstValueFrom, toArray } from 'rxjs';
import { extract, requestsOf } from '../../../src';
import type { Json, JsonObject } from '../../../src';
import { configurationOf } from '../../../src/explore/detect/configuration';
import { writtenBody } from '../../../src/explore/detect/credentials';
import { bodyOf, subjectOf } from '../../../src/explore/detect/subject';
import type { WrittenRequest } from '../../../src/explore/detect/subject';
import { discover } from '../../../src/explore/discover/discover';
import { readCurl } from '../../../src/explore/import/curl';

const SECRET = 'ck_4f1d9b2a7e';
const written = (request: Partial<WrittenRequest>): string =>
  JSON.stringify(
    configurationOf({ subject: subjectOf({ method: 'GET', url: 'https://h.example/ships', headers: {}, ...request }) }),
  );

describe('subjectOf', () => {
  it.each([
    'access_key',
    'consumer_key',
    'consumer_secret',
    'token_auth',
    'X-Amz-Signature',
    'credential',
    'api_secret',
  ])('takes the parameter %s out', (name) => {
    const text = written({ url: `https://h.example/ships?${name}=${SECRET}&river=ALD` });
    expect(text).not.toContain(SECRET);
    expect(text).toContain(`"authentication":{"type":"apiKey","name":"${name}","key":{"env":"API_`);
    expect(text).toContain('"params":{"river":"ALD"}');
  });

  it.each(['X-Master-Key', 'X-Functions-Key', 'DD-APPLICATION-KEY', 'Proxy-Authorization', 'X-Auth'])(
    'takes the header %s out',
    (name) => {
      const text = written({ headers: { [name]: SECRET, 'X-Region': 'north' } });
      expect(text).not.toContain(SECRET);
      expect(text).toContain('"x-region":"north"');
    },
  );

  it.each([
    ['X-Tok', 'sekrit-value-1'],
    ['X-Shop', SECRET],
  ])('takes out the header %s, whose value looks like a credential', (name, value) => {
    const text = written({ headers: { [name]: value } });
    expect(text).not.toContain(value);
    expect(text).toContain('"env":"API_');
  });

  it.each([
    ['Accept', 'application/vnd.github.v3+json'],
    ['X-Api-Version', 'v2026-01-01'],
    ['X-Requested-With', 'XMLHttpRequest2'],
    ['X-Region', 'north'],
    ['X-Client-Type', 'web-2026-01'],
  ])('leaves the header %s', (name, value) => {
    expect(written({ headers: { [name]: value } })).toContain(value);
  });

  const HEX = '8f3e9c1ab2774d0fa1b2c3d4e5f60718';
  const JWT = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl';
  const TOKENS = [
    ['hexadecimal digits', HEX],
    ['a JWT', JWT],
    ['base64url', 'kT3vQ9-xL0aZr7_mW2sYb8Nc'],
    ['base64', 'abcdEFGH1234+/abcdEFGH1234=='],
    ['lower-case letters and digits', 'k3j4h5g6f7d8s9a1q2w3e4r5'],
    ['parts that are joined by a dot', 'joe.8f3e9c1ab2774d0fa1b2c3d4e5f60718'],
    ...['sk_live_abcdefghijklmnop', 'shpat_abcdefghijklmnop', 'ghp_abcdefghijklmnopqrst', 'xoxb-abcdef-ghijkl-mnop']
      .concat(['glpat-abcdefghijklmnop', 'AKIAIOSFODNNEXAMPLEA', 'github_pat_abcdefghijklmnop'])
      .map((token) => ['the prefix of tokens', token] as const),
  ] as const;

  it.each(TOKENS)('takes out a value of %s, whatever its name: %s', (_, token) => {
    const sent = JSON.stringify({ k: token, list: [{ w: [token] }], river: 'ALD' });
    for (const request of [
      { headers: { 'X-Thing': token } },
      { url: `https://h.example/ships?k=${encodeURIComponent(token)}&river=ALD` },
      { method: 'POST' as const, body: sent },
      { method: 'POST' as const, body: `k=${encodeURIComponent(token)}&river=ALD` },
    ]) {
      const text = written(request);
      expect(text).not.toContain(token);
      expect(text).toMatch(/"env":"API_(?:THING|K|W)"/);
    }
  });

  it.each([
    ['Bearer', 'short'],
    ['Bearer', JWT],
    ['bearer', HEX],
    ['Basic', 'dXNlcjpwYXNzd29yZDEyMw=='],
    ['Token', 'sesame'],
    ['ApiKey', 'sesame'],
  ])('takes out the value behind %s %s in any header, and leaves its scheme', (scheme, token) => {
    const text = written({ headers: { 'X-Thing': `${scheme} ${token}` } });
    expect(text).not.toContain(token);
    expect(text).toContain(`"x-thing":{"function":"concat","args":["${scheme} ",{"attr":"#thing"}]}`);
  });

  it.each([
    'sort=created_at_descending_nulls_last_2',
    'cluster=production-eu-west-1-cluster-a',
    'account=550e8400-e29b-41d4-a716-446655440000',
    'since=2026-01-02T03:04:05.678Z',
    'q=basic%20training',
    'fields=id,name,river,updatedAt,lastPosition2,homeHarbour',
    'bbox=12.345678,56.789012,13.345678,57.789012',
    'view=AllShipsOfTheNorthernRivers',
    `cursor=${HEX}`,
    `page_token=${JWT}`,
    'page[after]=kT3vQ9-xL0aZr7_mW2sYb8Nc',
    'continuation=kT3vQ9-xL0aZr7_mW2sYb8Nc',
  ])('leaves the parameter %s', (pair) => {
    const { url, credentials } = subjectOf({ method: 'GET', url: `https://h.example/ships?${pair}`, headers: {} });
    expect(credentials).toEqual([]);
    expect(url).toContain(pair);
  });

  it('takes out a header whose value has a scheme', () => {
    expect(written({ headers: { 'Proxy-Authorization': `Basic ${SECRET}` } })).not.toContain(SECRET);
  });

  it('takes out a header whose value is an address with a secret', () => {
    expect(written({ headers: { 'X-Original-Url': `https://h.example/?access_token=${SECRET}` } })).not.toContain(
      SECRET,
    );
  });

  it.each([
    ['JSON', JSON.stringify({ auth: [{ apiKey: SECRET }], river: 'ALD' })],
    ['a form', `client_secret=${SECRET}&river=ALD`],
  ])('takes the secrets out of a body of %s', (_, body) => {
    const text = written({ method: 'POST', body });
    expect(text).not.toContain(SECRET);
    expect(text).toMatch(/"(?:body|params)":\{.*\{"attr":"#(?:apiKey|clientSecret)"\}.*"river":"ALD"/);
  });

  it('keeps what pages are asked for by', () => {
    expect(written({ url: `https://h.example/ships?page_token=${SECRET}&sort_key=name` })).toContain(
      `"params":{"page_token":"${SECRET}","sort_key":"name"}`,
    );
  });

  it.each([
    ['a token and a header of that name', { headers: { authorization: 'Bearer a1b2c3d4', 'x-token': SECRET } }],
    ['a key and a key of the API', { url: 'https://h.example/ships?key=a1b2c3d4', headers: { 'x-api-key': SECRET } }],
    ['two passwords', { url: `https://me:a1b2c3d4@h.example/ships?password=${SECRET}` }],
  ])('has a variable for each of %s', (_, request) => {
    const variables = [...written(request).matchAll(/"env":"(\w+)"/g)].map(([, name]) => name);
    expect(variables).toHaveLength(2);
    expect(new Set(variables).size).toBe(2);
  });

  it('has one variable for a secret that stands twice', () => {
    const { credentials } = subjectOf({
      method: 'GET',
      url: `https://h.example/ships?token=${SECRET}`,
      headers: { 'x-token': SECRET },
    });
    expect(new Set(credentials.map((each) => ('attribute' in each ? each.attribute : ''))).size).toBe(1);
  });
});

/** A request with a form, from the command line of curl to a run. */

const FORM = 'application/x-www-form-urlencoded';

describe('a request with a form', () => {
  let server: Server;
  let received: {
    readonly type: string | undefined;
    readonly url: string | undefined;
    readonly body: string;
    readonly headers: IncomingHttpHeaders;
  }[];
  beforeEach(async () => {
    received = [];
    server = createServer((request, response) => {
      void text(request).then((body) => {
        const { headers, url } = request;
        received.push({ type: headers['content-type'], url, body, headers });
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
    expect(received.length).toBeGreaterThan(1);
    for (const sent of received) expect(JSON.parse(sent.body)).toEqual(body);
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
    expect(received).toMatchObject([sent, sent]);
    for (const { body } of received)
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
    const reported = JSON.stringify({ configuration, findings, comments });
    for (const secret of Object.values(ENV)) expect(reported).not.toContain(secret);
    expect(reported).not.toContain(BASIC.slice(6));
    await firstValueFrom(extract(configuration, { env: ENV }).items$.pipe(toArray()));
    expect(received.length).toBeGreaterThan(1);
    for (const { url, body, headers } of received) {
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
    for (const { url, body } of received) {
      expect(url).toBe(`/search?river=ALD&api_key=${KEY}&signature=${SIGNATURE}`);
      expect(['', '[]']).toContain(body);
    }
  });

  it('is JSON where its header says so', async () => {
    await discover(readCurl(`curl ${address()} -H 'Content-Type: application/json' -d '{"river":"ALD"}'`));
    expect(received).toMatchObject([{ type: 'application/json', body: '{"river":"ALD"}' }]);
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

/** What a run sends of a job with this body. */
const sent = (body: Json): Json => {
  const job = { endpoint: 'a', method: 'POST', body };
  const config = { api: { baseUrl: 'https://api.example/' }, config: { '#token': 'k7Qd9xZv', jobs: [job] } };
  const text = requestsOf(config, { env: { MYSECRET: 'mysecretvalue' } }).jobs[0]?.requests[0]?.body;
  return JSON.parse(text ?? 'null') as Json;
};

describe('the body of a foreign request is sent as it was', () => {
  it.each<readonly [string, JsonObject]>([
    ['a reference', { a: { env: 'MYSECRET' }, b: { file: '/etc/hostname' } }],
    ['a function', { a: { function: 'concat', args: [{ env: 'MYSECRET' }, { file: '/etc/hostname' }] } }],
    ['a function that there is not', { a: { function: 'file_get_contents', args: 'x' }, b: { function: 1 } }],
    ['contexts', { a: { attr: '#token' }, b: { time: 'currentStart' }, c: { response: 'x' }, d: { item: 'id' } }],
    ['other contexts', { a: { state: 'x' }, b: { window: 'start' }, c: { partition: 'p' }, d: { query: 'q' } }],
    ['at the root', { function: 'concat', args: [{ env: 'MYSECRET' }] }],
    ['at the root, a context', { attr: '#token' }],
    ['in lists', { a: [{ function: 'time' }, [{ attr: '#token' }]] }],
    ['in an object', { a: { b: { c: { time: 'now' } }, d: 1 } }],
    ['a literal', { a: { literal: { attr: '#token' } }, b: { literal: { env: 'X' } }, c: { literal: 1 } }],
    ['a literal of a literal', { a: { literal: { literal: { function: 'time' } } } }],
    ['comments', { a: { attr: '#token', '//': 'x' } }],
    ['what is like neither', { a: { times: 'now' }, b: { attr: 'x', c: 1 }, e: 'env' }],
  ])('%s', (_, body) => {
    expect(sent(writtenBody(body, []))).toEqual(body);
  });
});
