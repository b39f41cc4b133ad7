/** Secrets are planted wherever a run meets them; nothing that it prints, tells or throws may hold one, or a part of one. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { lastValueFrom, toArray } from 'rxjs';
import { deliver, extract, preview, secretsOf, sinks, validate } from '../../../src';
import type { Destination, Har, RunEvent } from '../../../src';
import { bytes, json, redirectTo } from '../../support/answers';
import type { Answer } from '../../support/answers';
import { startServer } from '../../support/api-server';
import type { ApiServer, ReceivedRequest } from '../../support/api-server';
import { runToEnd } from '../../support/command';

/** One for each place; each has its own beginning, so that a part of it can be told, too. */
const PLANTED = {
  attribute: 'aT7r-1-attr-Zq/x+=w0',
  header: 'hD3r-2-conf-Qk9vB2m4',
  password: 'pW5d-3-"login"-ü-77Xy',
  loginToken: 'lT0k-4-resp-a8F3k2Lp',
  loginCookie: 'lC0k-5-cook-9sK2mQ7z',
  subjectToken: 'sT0k-6-head-4hJ8pW1c',
  pageCookie: 'pC0k-7-cook-2bN6vT9x',
  nextToken: 'nT0k-8-link-5gH3dS8q',
  signature: 'sI9n-9-link-7uY1eR4t',
  redirected: 'rD1r-10-loc-6zX2cV5b',
  reported: 'tO1d-11-body-3kM9nB7v',
  inner: 'iN5r-12-json-8wE2rT6y',
} as const;
const LEAST = 8;

/** The forms in which a secret may be printed, and its beginning in each. */
const formsOf = (secret: string): readonly string[] =>
  [
    secret,
    encodeURIComponent(secret),
    JSON.stringify(secret).slice(1, -1),
    JSON.stringify(JSON.stringify(secret).slice(1, -1)).slice(1, -1),
    Buffer.from(secret).toString('base64').slice(0, -4),
    Buffer.from(secret).toString('base64url').slice(0, -4),
    Buffer.from(secret).toString('hex'),
  ].map((form) => form.slice(0, LEAST));

const around = (text: string, at: number): string => text.slice(Math.max(0, at - 60), at + 40);

function expectNone(text: string): void {
  const leaks = Object.entries(PLANTED).flatMap(([name, secret]) =>
    formsOf(secret).flatMap((form) => (text.includes(form) ? [`${name}: ${around(text, text.indexOf(form))}`] : [])),
  );
  expect(leaks).toEqual([]);
}

/** As a server repeats what it was sent, in many forms. */
const echo = (filler = ''): string =>
  `${filler}${Object.entries(PLANTED)
    .filter(([name]) => !['reported', 'inner', 'redirected'].includes(name))
    .map(([, secret]) => `${secret} ${encodeURIComponent(secret)} ${Buffer.from(secret).toString('base64')}`)
    .join(' ')}`;
const reported = (): string =>
  JSON.stringify({
    password: PLANTED.reported,
    request: JSON.stringify({ client_secret: PLANTED.inner }),
    echo: echo(),
  });

interface Case {
  readonly name: string;
  /** The answer to the second page. */
  readonly second: (request: ReceivedRequest, origin: string) => Answer;
  readonly status: number;
  readonly config?: object;
}
const done = json({ items: [{ id: 2 }] });
const nextTo = (next: string): Answer => json({ items: [{ id: 2 }], next });
const query = `access_token=${PLANTED.nextToken}&X-Amz-Signature=${PLANTED.signature}`;
const failing = (body: string, status = 400): Answer => bytes(body, {}, status);

const CASES: readonly Case[] = [
  { name: 'success', second: () => done, status: 0 },
  { name: 'an error that repeats all', second: () => failing(echo()), status: 1 },
  { name: 'an error that tells more', second: () => failing(reported()), status: 1 },
  { name: 'an error as XML', second: () => failing(`<e><token>${PLANTED.reported}</token></e>`), status: 1 },
  { name: 'an error as text', second: () => failing(`Authorization: Bearer ${PLANTED.reported}`), status: 1 },
  ...[270, 280, 285, 290, 295].map((length) => ({
    name: `an error whose excerpt ends in the midst of a secret, at ${length}`,
    second: () => failing(echo('x'.repeat(length))),
    status: 1,
  })),
  { name: 'a success that is no JSON', second: () => bytes(`<html>${echo()}</html>`), status: 1 },
  { name: 'a redirect to nowhere', second: () => redirectTo(`javascript:token=${PLANTED.redirected}`), status: 1 },
  {
    name: 'a redirect to another host',
    second: () => redirectTo(`http://evil.example/?session_token=${PLANTED.redirected}`),
    status: 1,
  },
  {
    name: 'a ring of redirects',
    second: ({ url }) => redirectTo(`${url}&session_token=${PLANTED.redirected}`),
    status: 1,
  },
  { name: 'a next page elsewhere', second: () => nextTo(`https://evil.example/items?${query}`), status: 1 },
  {
    name: 'a next page that is no address',
    second: () => nextTo(`ftp://u:${PLANTED.reported}@h/items?${query}`),
    status: 1,
  },
  {
    name: 'a next page that is long',
    second: () => nextTo(`data:${'x'.repeat(185)}${PLANTED.nextToken}${'y'.repeat(200)}`),
    status: 1,
  },
  {
    name: 'a next page that is no string',
    second: () => json({ items: [{ id: 1 }], next: { token: PLANTED.reported } }),
    status: 1,
  },
];

describe('what a run prints holds no secret', () => {
  let server: ApiServer;
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'headwater-secrets-'));
  });
  afterEach(async () => {
    await server.close();
    await rm(folder, { recursive: true });
  });

  const serve = async ({ second }: Case): Promise<object> => {
    server = await startServer((request) => {
      const { url } = request;
      if (url.startsWith('/login'))
        return json({ token: PLANTED.loginToken, expires_in: 3600 }, 200, {
          'set-cookie': `sid=${PLANTED.loginCookie}; HttpOnly`,
          'x-subject-token': PLANTED.subjectToken,
        });
      if (url.startsWith('/items?page=2')) return second(request, server.origin);
      return json({ items: [{ id: 1, token: 'as-it-came-1' }], next: `/items?page=2&${query}` }, 200, {
        'set-cookie': [`flavour=${PLANTED.pageCookie}`, 'theme=dark'],
      });
    });
    return {
      api: {
        baseUrl: server.origin,
        http: { headers: { 'x-attribute': { attr: '#attribute' }, 'x-plain': { attr: '#header' } } },
        retryConfig: { maxRetries: 0 },
        pagination: { method: 'response.url', urlKey: 'next' },
        authentication: {
          type: 'login',
          loginRequest: { endpoint: 'login', method: 'POST', params: { password: { attr: '#password' } } },
          apiRequest: { headers: { 'x-token': 'token' }, query: { key: { response: 'token' } } },
        },
      },
      config: {
        '#attribute': PLANTED.attribute,
        '#header': PLANTED.header,
        '#password': PLANTED.password,
        jobs: [{ endpoint: 'items', dataField: 'items' }],
      },
    };
  };

  it.each(CASES.map((each) => [each.name, each] as const))('to those who use it as a library: %s', async (_, each) => {
    const config = await serve(each);
    const events: RunEvent[] = [];
    const lines: unknown[] = [];
    const logger = { log: (...line: unknown[]) => lines.push(line) };
    const failure = await extract(config, { logger, onEvent: (event) => events.push(event) })
      .items$.forEach(() => undefined)
      .catch((error: unknown) => error);
    // A page is data, and goes on as it came.
    const others = events.filter(({ type }) => type !== 'page.extracted');
    expect(others.length).toBeGreaterThan(4);
    for (const shown of [failure, others, lines]) {
      expectNone(inspect(shown, { depth: 20, maxStringLength: null, maxArrayLength: null, showHidden: true }));
      expectNone(JSON.stringify(shown ?? null));
    }
    expect(failure === undefined ? 0 : 1).toBe(each.status);
  });

  it.each(['success', 'an error that tells more', 'a next page elsewhere'])(
    'to those who run it: %s',
    async (name) => {
      const each = CASES.find((one) => one.name === name) ?? { name, second: () => done, status: 0 };
      const path = join(folder, 'config.json');
      await writeFile(path, JSON.stringify(await serve(each)));
      for (const format of ['text', 'json']) {
        const args = ['run', path, '--to', 'ndjson:-', '--log-level', 'debug', '--log-format', format];
        const { status, stdout, stderr } = await runToEnd(args);
        expectNone(stderr);
        expect(stderr).toContain('/items?page=2');
        expect(stdout).toContain('"token":"as-it-came-1"');
        expect(status).toBe(each.status);
      }
    },
    60_000,
  );

  it('logs stay readable: short values and common words are no secrets', async () => {
    const config = await serve({
      name: '',
      second: () =>
        bytes(
          JSON.stringify({
            error: 'invalid_token',
            token: 'expired',
            key: 'name',
            password: ['too short'],
            page_token: 'abc1',
          }),
          { 'set-cookie': ['theme=dark', 'session=deleted', 'n=1', 'lang=items'] },
          400,
        ),
      status: 1,
    });
    const failure: unknown = await extract(config)
      .items$.forEach(() => undefined)
      .catch((error: unknown) => error);
    expect((failure as Error).message).toContain(
      '{"error":"invalid_token","token":"expired","key":"name","password":["too short"],"page_token":"abc1"}',
    );
    expect((failure as Error).message).toContain(`GET ${server.origin}/items?page=2&access_token=***`);
  });
});

describe('secret addresses', () => {
  const BASE = 'https://api.example/bot123456:AAETOKENTOKEN/';
  const config = {
    api: { baseUrl: { env: 'BU' }, retryConfig: { maxRetries: 0 } },
    config: { jobs: [{ endpoint: 'getX' }] },
  };

  describe('an address that is a secret', () => {
    it('is masked in parts, too: a server repeats its path', async () => {
      const fetch = (input: string | URL | Request): Promise<Response> => {
        const { pathname } = new URL(input instanceof Request ? input.url : input);
        const reported = `no such method ${pathname}, ${encodeURIComponent(pathname)}, AAETOKENTOKEN`;
        return Promise.resolve(Response.json({ error: reported }, { status: 404, headers: { 'x-path': pathname } }));
      };
      let recording: Har | undefined;
      const events: unknown[] = [];
      const { items$ } = extract(config, {
        ...{ fetch, env: { BU: BASE } },
        record: (har) => (recording = har),
        onEvent: (event) => events.push(event),
      });
      const error = await lastValueFrom(items$.pipe(toArray())).catch((failure: unknown) => failure);
      const texts = [String(error), JSON.stringify(error), JSON.stringify(recording), JSON.stringify(events)];
      expect(texts[0]).toContain('no such method ***/getX');
      for (const text of texts) expect(text).not.toMatch(/AAETOKEN|123456/);
    });

    it('leaves usual words', () => {
      const { mask } = validate(config, { env: { BU: 'https://api.example/api/v2/' } });
      expect(mask('GET /api/v2/users')).toBe('GET /api/v2/users');
    });
  });

  describe('secrets of other configurations', () => {
    it('are masked with those of this one', () => {
      const secrets = secretsOf({ ...config, config: { ...config.config, '#key': 'a1b2c3d4' } }, { env: { BU: BASE } });
      const { mask } = validate(config, { env: { BU: 'https://b.example/' }, secrets });
      expect(mask('a1b2c3d4 and /bot123456:AAETOKENTOKEN')).toBe('*** and ***');
    });
  });
});

/** A secret of the configuration may stand in the address of a destination: no run tells it. */

const SECRET = 'S3cr3tOfTheFolder';

describe('a secret in the path of a destination', () => {
  let folder: string;
  beforeEach(async () => (folder = await mkdtemp(join(tmpdir(), 'headwater-secret-'))));
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const run = async (to: Destination, job: object, reported: unknown[] = []): Promise<unknown> => {
    const config = {
      api: { baseUrl: 'https://api.test/' },
      config: { '#token': SECRET, jobs: [{ endpoint: 't', ...job }] },
    };
    return deliver(config, [to], {
      fetch: () => Promise.resolve(Response.json([{ id: 1, at: 'x' }])),
      onEvent: (event: RunEvent) => void reported.push(event),
    }).catch((error: unknown) => error);
  };
  const text = (value: unknown): string =>
    JSON.stringify(value, (_, inner: unknown) =>
      inner instanceof Error ? [inner.message, inner.stack, Object.entries(inner)] : inner,
    );

  it('is masked in what the run gives back, in its warnings, and in refusals', async () => {
    const to = sinks.csv(join(folder, SECRET));
    const reported: unknown[] = [];
    const delivery = await run(to, {}, reported);
    expect(text(delivery)).toContain('csv:');
    const warned = await run(to, { params: { since: { time: 'previousStart' } } }, reported);
    expect(reported).toContainEqual(expect.objectContaining({ type: 'warning', code: 'CONFIGURATION' }));
    const refused = await run(to, { incremental: { field: 'at', param: 'since' } }, reported);
    expect(refused).toMatchObject({ code: 'CONFIG_INVALID' });
    expect(text([delivery, warned, refused, reported])).not.toContain(SECRET);
  });
});

describe('logins in recordings', () => {
  const TOKEN = 'gho_16C7e42F292c6912E7';
  const answering =
    (body: string, type: string) =>
    (input: string | URL | Request): Promise<Response> => {
      const { pathname } = new URL(String(input instanceof Request ? input.url : input));
      return Promise.resolve(
        pathname === '/token' ? new Response(body, { headers: { 'content-type': type } }) : Response.json([{ id: 1 }]),
      );
    };
  const config = {
    api: {
      baseUrl: 'https://api.example/',
      authentication: { type: 'oauth2', tokenEndpoint: 'token' },
      retryConfig: { maxRetries: 0 },
    },
    config: { clientId: 'c', '#clientSecret': 'sssssss', jobs: [{ endpoint: 'items' }] },
  };

  describe('the token of a login is neither recorded nor shown', () => {
    it.each([
      ['a form', `access_token=${TOKEN}&scope=repo&token_type=bearer`, 'application/x-www-form-urlencoded'],
      ['plain text', TOKEN, 'text/plain'],
      ['a page', `<html><body>${TOKEN}</body></html>`, 'text/html'],
      ['JSON with a raw line break', `{"access_token":"${TOKEN}\r\nX-Evil: 1"}`, 'application/json'],
      ['JSON with a line break', `{"access_token":"${TOKEN}\\r\\nX-Evil: 1"}`, 'application/json'],
      ['a list', `["${TOKEN}"]`, 'application/json'],
      ['good JSON', `{"access_token":"${TOKEN}","token_type":"bearer"}`, 'application/json'],
    ])('%s', async (_, body, type) => {
      const fetch = answering(body, type);
      let recording: Har | undefined;
      const { items$ } = extract(config, { fetch, record: (har) => (recording = har) });
      const message = await lastValueFrom(items$).then(String, String);
      const texts = [message, JSON.stringify(recording), JSON.stringify(await preview(config, { fetch }))];
      expect(texts[1]).toContain('https://api.example/token');
      for (const text of texts) expect(text).not.toContain(TOKEN.slice(0, 8));
    });
  });
});
