/** Each type of authentication over whole runs, against a real server (language 4). */
import { createHash, createHmac } from 'node:crypto';
import { lastValueFrom, toArray } from 'rxjs';
import { extract } from '../../src';
import type { RunEvent } from '../../src';
import { json, redirectTo } from '../support/answers';
import type { Answer } from '../support/answers';
import { startServer } from '../support/api-server';
import type { ApiServer, ReceivedRequest } from '../support/api-server';

let server: ApiServer;
afterEach(() => server.close());

interface Configured {
  readonly authentication?: object;
  readonly config?: object;
  readonly job?: object;
  readonly api?: object;
  /** What stands beside `api` and `config`. */
  readonly root?: object;
}

/** Runs one job at `items` against the server. */
async function run(
  { authentication, config, job, api, root }: Configured,
  answer: (request: ReceivedRequest) => Answer = () => json([1]),
): Promise<{ readonly requests: readonly ReceivedRequest[]; readonly events: readonly RunEvent[] }> {
  server = await startServer(answer);
  const events: RunEvent[] = [];
  const configuration = {
    api: { baseUrl: server.origin, authentication, ...api },
    config: { ...config, jobs: [{ endpoint: 'items', ...job }] },
    ...root,
  };
  const { items$ } = extract(configuration, { onEvent: (event) => events.push(event) });
  await lastValueFrom(items$.pipe(toArray()));
  return { requests: server.requests, events };
}

const urls = (requests: readonly ReceivedRequest[]): string[] => requests.map(({ url }) => decodeURIComponent(url));
const header = (requests: readonly ReceivedRequest[], name = 'authorization'): unknown[] =>
  requests.map(({ headers }) => headers[name]);
const oauth = (data: string, changes: object = {}): object => ({
  authorization: {
    oauth_api: { credentials: { '#data': data, appKey: 'client-1', '#appSecret': 'app-secret', ...changes } },
  },
});
/** Answers 503 once, then as told. */
function onceUnavailable(answer: Answer = json([1])): () => Answer {
  let calls = 0;
  const now = json({}, 503, { 'retry-after': 'Thu, 01 Jan 2015 00:00:00 GMT' });
  return () => ((calls += 1) === 1 ? now : answer);
}

describe('language 4.2: basic', () => {
  const authentication = { type: 'basic' };
  const paging = { pagination: { method: 'offset', limit: 1 } };

  it('every request carries the header', async () => {
    const { requests } = await run(
      { authentication, api: paging, config: { username: 'Jöhn', '#password': 's:ecret' } },
      ({ url }) => json(url.includes('offset=0') ? [1] : []),
    );
    const expected = `Basic ${Buffer.from('Jöhn:s:ecret').toString('base64')}`;
    expect(header(requests)).toEqual([expected, expected]);
  });

  it('language 2.5: it takes the place of a header of lower layers and of a user name in the URL', async () => {
    server = await startServer(() => json([1]));
    const config = { username: 'u', password: 'p', jobs: [{ endpoint: 'items', headers: { Authorization: 'mine' } }] };
    const baseUrl = server.origin.replace('://', '://other:pw@');
    await lastValueFrom(extract({ api: { baseUrl, authentication }, config }).items$);
    expect(header(server.requests)).toEqual([`Basic ${Buffer.from('u:p').toString('base64')}`]);
  });

  it('a 401 is an answer like any other: the request is not repeated', async () => {
    await expect(
      run({ authentication, config: { username: 'u', password: 'p' } }, () => json({}, 401)),
    ).rejects.toMatchObject({ code: 'API_STATUS' });
    expect(server.requests).toHaveLength(1);
  });

  it('a password without `#`, and the header, are never printed', async () => {
    const header64 = Buffer.from('someone:pass-word').toString('base64');
    const failing = run({ authentication, config: { username: 'someone', password: 'pass-word' } }, ({ headers }) =>
      json({ seen: headers.authorization, password: 'pass-word' }, 400),
    );
    const message = await failing.then(String, String);
    expect(message).toContain('"seen":"Basic ***"');
    expect(message).not.toContain(header64);
    expect(message).not.toContain('pass-word');
  });
});

describe('language 4.3: query', () => {
  const authentication = {
    type: 'query',
    query: {
      token: { attr: '#token' },
      signature: { function: 'sha1', args: [{ function: 'concat', args: [{ attr: '#token' }, { query: 'type' }] }] },
      resource: { request: 'resource' },
    },
  };
  const config = { '#token': 'secret-token' };

  it('is evaluated for each request, and replaces values of the same name in place', async () => {
    const { requests } = await run(
      {
        authentication: { type: 'query', query: { seen: { request: 'queryString' }, key: 'K' } },
        job: { params: { key: 'job', z: 1 } },
        api: { pagination: { method: 'offset', limit: 1 } },
      },
      ({ url }) => json(url.includes('offset=0') ? [1] : []),
    );
    expect(urls(requests)).toEqual([
      '/items?key=K&z=1&limit=1&offset=0&seen=key=job&z=1&limit=1&offset=0',
      '/items?key=K&z=1&limit=1&offset=1&seen=key=job&z=1&limit=1&offset=1',
    ]);
  });

  it('language 2.3: the values go to the URL of a POST too; the body stays', async () => {
    const { requests } = await run({ authentication: { type: 'query', query: { k: 1 } }, job: { method: 'POST' } });
    expect(requests[0]).toMatchObject({ method: 'POST', url: '/items?k=1', body: '[]' });
  });

  it('language 3.2: `false` is 0, `null` is left out', async () => {
    const query = { on: true, off: false, none: null, e: '' };
    const { requests } = await run({ authentication: { type: 'query', query } });
    expect(urls(requests)).toEqual(['/items?on=1&off=0&e=']);
  });

  it('an address that a response gives has the values replaced, so that none comes twice', async () => {
    const { requests } = await run(
      { authentication: { type: 'query', query: { token: 'new' } }, api: { pagination: { method: 'response.url' } } },
      ({ url }) => json(url.includes('page=2') ? [] : { items: [1], next_page: `${url}&page=2`.replace('new', 'old') }),
    );
    expect(urls(requests)).toEqual(['/items?token=new', '/items?token=new&page=2']);
  });

  it('what is computed from secret attributes is never printed', async () => {
    const { events, requests } = await run({ authentication, config, job: { params: { type: 'users' } } });
    const url = String(requests[0]?.url);
    const signature = new URL(url, 'http://h').searchParams.get('signature');
    expect(signature).toMatch(/^[0-9a-f]{40}$/);
    const shown = events.flatMap((event) => (event.type === 'request.sent' ? [decodeURIComponent(event.url)] : []));
    expect(shown).toEqual([`${server.origin}/items?type=users&token=***&signature=***&resource=/items?type=users`]);
  });

  it('language 4.4: a list that comes out of an expression is an error before any request', async () => {
    const query = { key: { function: 'ifempty', args: [[1, 2], 'x'] } };
    await expect(run({ authentication: { type: 'query', query } })).rejects.toMatchObject({
      code: 'EXPRESSION_FAILED',
      message: 'api.authentication.query.key: expected a text or a number, found list',
    });
    expect(server.requests).toEqual([]);
  });

  it('a name that the query of a request does not have is an error that names it', async () => {
    const query = { key: { query: 'typ' } };
    await expect(run({ authentication: { type: 'query', query }, job: { params: { type: 1 } } })).rejects.toThrow(
      /^api\.authentication\.query\.key: .*query 'typ' not found! Did you mean "type"\?/,
    );
  });
});

describe('language 4.6: oauth10', () => {
  const authentication = { type: 'oauth10' };
  const root = oauth('{"oauth_token":"user token","oauth_token_secret":"token&secret"}', { appKey: 1234 });
  const FIELDS = [
    'oauth_consumer_key',
    'oauth_nonce',
    'oauth_signature',
    'oauth_signature_method',
    'oauth_timestamp',
    'oauth_token',
    'oauth_version',
  ];
  const fieldsOf = ({ headers }: ReceivedRequest): [string, string][] =>
    [...String(headers.authorization).matchAll(/(\w+)="([^"]*)"/g)].map(([, name = '', value = '']) => [
      name,
      decodeURIComponent(value),
    ]);
  /** The signature as a server computes it: from what it received. */
  function serverSignature(request: ReceivedRequest): string {
    const url = new URL(request.url, server.origin);
    const body = request.headers['content-type']?.includes('form') === true ? request.body : '';
    const enc = (text: string): string =>
      encodeURIComponent(text).replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);
    const pairs = [...url.searchParams, ...new URLSearchParams(body), ...fieldsOf(request)]
      .filter(([name]) => name !== 'oauth_signature')
      .map(([name, value]) => `${enc(name)}=${enc(value)}`)
      .sort();
    const base = [request.method, enc(url.origin + url.pathname), enc(pairs.join('&'))].join('&');
    return createHmac('sha1', `${enc('app-secret')}&${enc('token&secret')}`)
      .update(base)
      .digest('base64');
  }

  it.each(['GET', 'POST', 'FORM'])(
    'a server accepts the signature of a %s; the header has 7 fields in order',
    async (method) => {
      const { requests } = await run({
        authentication,
        root,
        job: { method, params: { f: { a: "b c=d'&" }, z: [1, 2] } },
      });
      const [request] = requests;
      if (request === undefined) throw new Error('no request came');
      const fields = Object.fromEntries(fieldsOf(request));
      expect(Object.keys(fields)).toEqual(FIELDS);
      expect(fields).toMatchObject({ oauth_consumer_key: '1234', oauth_token: 'user token', oauth_version: '1.0' });
      expect(fields['oauth_signature']).toBe(serverSignature(request));
      expect(Math.abs(Number(fields['oauth_timestamp']) - Date.now() / 1000)).toBeLessThan(60);
    },
  );

  it('each attempt and each redirect has a nonce of its own and a signature of its own', async () => {
    const { requests } = await run({ authentication, root }, ({ url }) =>
      url.startsWith('/items') ? unavailableThenMoved() : json([1]),
    );
    expect(urls(requests)).toEqual(['/items', '/items', '/moved?a=1']);
    expect(new Set(requests.map((request) => Object.fromEntries(fieldsOf(request))['oauth_nonce'])).size).toBe(3);
    for (const request of requests)
      expect(Object.fromEntries(fieldsOf(request))['oauth_signature']).toBe(serverSignature(request));
  });
  const unavailableThenMoved = onceUnavailable(redirectTo('/moved?a=1'));

  it('what is secret in the header is never printed', async () => {
    let sent = '';
    const failing = run({ authentication, root }, (request) => {
      sent = Object.fromEntries(fieldsOf(request))['oauth_signature'] ?? '';
      return json({ seen: request.headers.authorization }, 400);
    });
    const message = await failing.then(String, String);
    expect(message).toMatch(/oauth_signature=\\"\*\*\*\\".*oauth_token=\\"\*\*\*\\"/);
    expect(sent).not.toBe('');
    expect(message).not.toContain(encodeURIComponent(sent));
  });
});

describe('language 4.7: oauth20', () => {
  const bearer = { Authorization: { function: 'concat', args: ['Bearer ', { authorization: 'data' }] } };

  it('format text: the whole of `#data`; appKey and #appSecret may be empty', async () => {
    const { requests } = await run({
      authentication: { type: 'oauth20', headers: bearer },
      root: oauth('{some} token', { appKey: '', '#appSecret': '' }),
    });
    expect(header(requests)).toEqual(['Bearer {some} token']);
  });

  it('format json: the fields of `#data`, with every digit; query values replace in place', async () => {
    const { requests } = await run({
      authentication: {
        type: 'oauth20',
        format: 'json',
        headers: { 'X-Id': { authorization: 'data.account.ids.0' } },
        query: { client: { authorization: 'clientId' }, seen: { query: 'client' }, m: { request: 'method' } },
      },
      job: { params: { client: 'job', a: 1 } },
      root: oauth('{"account":{"ids":[9007199254740993]}}'),
    });
    expect(urls(requests)).toEqual(['/items?client=client-1&a=1&seen=job&m=GET']);
    expect(header(requests, 'x-id')).toEqual(['9007199254740993']);
  });

  it('nonce and timestamp are one value in an attempt, and new in the next', async () => {
    const { requests } = await run(
      {
        authentication: {
          type: 'oauth20',
          headers: { 'X-Nonce': { authorization: 'nonce' } },
          query: { n: { authorization: 'nonce' }, t: { authorization: 'timestamp' } },
        },
        root: oauth('token'),
      },
      onceUnavailable(),
    );
    const nonces = header(requests, 'x-nonce');
    expect(nonces).toEqual([expect.stringMatching(/^[0-9a-f]{16}$/), expect.stringMatching(/^[0-9a-f]{16}$/)]);
    expect(nonces[0]).not.toBe(nonces[1]);
    const searches = requests.map(({ url }) => new URL(url, server.origin).searchParams);
    expect(searches.map((search) => search.get('n'))).toEqual(nonces);
    for (const search of searches) expect(Math.abs(Number(search.get('t')) - Date.now() / 1000)).toBeLessThan(60);
  });

  it('what is computed from `data` is never printed; nonce, timestamp and client are no secrets', async () => {
    const query = {
      mac: { function: 'md5', args: [{ authorization: 'data.key' }] },
      client: { authorization: 'clientId' },
    };
    const { events } = await run({
      authentication: { type: 'oauth20', format: 'json', query },
      root: oauth('{"key":"mac-secret"}'),
    });
    const shown = events.flatMap((event) => (event.type === 'request.sent' ? [event.url] : []));
    expect(shown).toEqual([`${server.origin}/items?mac=***&client=client-1`]);
  });
});

describe('language 4.8: oauth20.login', () => {
  const authentication = {
    type: 'oauth20.login',
    loginRequest: {
      endpoint: 'token',
      method: 'FORM',
      params: {
        client_id: { consumer: 'client_id' },
        client_secret: { consumer: 'client_secret' },
        refresh_token: { user: 'tokens.0' },
        scope: { attr: 'scope' },
      },
      headers: { 'X-Proof': { function: 'sha1', args: [{ user: 'tokens.0' }] } },
    },
    apiRequest: { headers: { Authorization: { response: 'access_token' } }, query: { scope: { attr: 'scope' } } },
  };
  const root = oauth('{"tokens":["refresh-me"]}');
  const api = ({ url }: ReceivedRequest): Answer => json(url === '/token' ? { access_token: 'access-1' } : [1]);

  it('the login has the contexts consumer, user and attr; the rest is as with login', async () => {
    const { requests } = await run({ authentication, root, config: { scope: 'all' } }, api);
    expect(requests.map(({ method, url, body }) => [method, url, body])).toEqual([
      ['POST', '/token', 'client_id=client-1&client_secret=app-secret&refresh_token=refresh-me&scope=all'],
      ['GET', '/items?scope=all', ''],
    ]);
    expect(header(requests)).toEqual([undefined, 'access-1']);
  });

  it('what is computed from user and from the client secret is never printed', async () => {
    const failing = run({ authentication, root, config: { scope: 'all' } }, ({ headers, body }) =>
      json({ proof: headers['x-proof'], body }, 400),
    );
    const message = await failing.then(String, String);
    expect(message).toContain('"proof":"***"');
    expect(message).toContain('client_id=client-1&client_secret=***&refresh_token=***&scope=all');
  });
});

describe('language 4.9: AWS signature', () => {
  const aws = {
    signature: {
      credentials: { accessKeyId: 'key-id', '#secretKey': 'aws-secret', serviceName: 'svc', regionName: 'eu-1' },
    },
  };
  const AWS =
    /^AWS4-HMAC-SHA256 Credential=key-id\/\d{8}\/eu-1\/svc\/aws4_request, SignedHeaders=.*host;x-amz-date, Signature=[0-9a-f]{64}$/;

  it('signs login and requests, each attempt and each redirect anew, over the values of the login', async () => {
    const authentication = {
      type: 'login',
      loginRequest: { endpoint: 'login' },
      apiRequest: { query: { t: 'token' } },
    };
    const unavailableThenMoved = onceUnavailable(redirectTo('/moved'));
    const { requests } = await run({ authentication, root: { aws } }, ({ url }) =>
      url === '/login' ? json({ token: 'T' }) : url.startsWith('/items') ? unavailableThenMoved() : json([1]),
    );
    expect(urls(requests)).toEqual(['/login', '/items?t=T', '/items?t=T', '/moved?t=T']);
    expect(header(requests)).toEqual(requests.map(() => expect.stringMatching(AWS)));
    for (const request of requests) expect(header([request])).toEqual([serverHeader(request)]);
  });

  it('after any other authentication: the header of basic gives way', async () => {
    const config = { username: 'u', password: 'p' };
    const { requests } = await run({ authentication: { type: 'basic' }, config, root: { aws } });
    expect(header(requests)).toEqual([expect.stringMatching(AWS)]);
  });

  it('the signature is never printed', async () => {
    const failing = run({ root: { aws } }, ({ headers }) => json({ seen: headers.authorization }, 400));
    expect(await failing.then(String, String)).toContain('SignedHeaders=host;x-amz-date, Signature=***"');
  });

  /** The header as AWS computes it: from what it received. */
  function serverHeader({ method, url, headers }: ReceivedRequest): string {
    const date = String(headers['x-amz-date']);
    const sha = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();
    const { pathname, search } = new URL(url, server.origin);
    const empty = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';
    const canonical = [
      method,
      pathname,
      search.slice(1),
      `host:${headers.host}`,
      `x-amz-date:${date}`,
      '',
      'host;x-amz-date',
      empty,
    ].join('\n');
    const scope = [date.slice(0, 8), 'eu-1', 'svc', 'aws4_request'];
    const key = scope.reduce<string | Buffer>(sha, 'AWS4aws-secret');
    const digest = createHash('sha256').update(canonical).digest('hex');
    const signature = sha(key, ['AWS4-HMAC-SHA256', date, scope.join('/'), digest].join('\n')).toString('hex');
    return `AWS4-HMAC-SHA256 Credential=key-id/${scope.join('/')}, SignedHeaders=host;x-amz-date, Signature=${signature}`;
  }
});
