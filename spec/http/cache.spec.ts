import { mkdtemp, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defer, firstValueFrom, of } from 'rxjs';
import { cached } from '../../src/http/cache';
import type { CachePolicy } from '../../src/http/cache';
import { dispatchBy, sendBy } from '../../src/http/dispatch';
import { createSeal } from '../../src/core/sealed';
import type { Request, Response, Send } from '../../src/core/model';
import { aRequest, aResponse, HOME, recorder, secretsOf } from '../support/requests';

const TTL_SECONDS = 60;

let folder: string;
beforeEach(async () => {
  folder = join(await mkdtemp(join(tmpdir(), 'cache-')), 'responses');
});
afterEach(async () => {
  jest.restoreAllMocks();
  await rm(join(folder, '..'), { recursive: true });
});

/** Answers each request with its number, unless told otherwise. */
function server(answer: (request: Request, n: number) => Partial<Response> & { text?: string } = () => ({})) {
  const requests: Request[] = [];
  const send: Send = (request) =>
    defer(() => {
      requests.push(request);
      const n = requests.length;
      return of(aResponse({ request, text: String(n), ...answer(request, n) }));
    });
  return { requests, send };
}

function cachedBy(send: Send, policy: Partial<CachePolicy> = {}) {
  const { events, report } = recorder();
  const context = { retried: [202], report, secrets: secretsOf('s3cret') };
  const stage = sendBy(cached({ folder, ttlSeconds: TTL_SECONDS, scope: 'a', ...policy }, context)(dispatchBy(send)));
  const get = (changes: Partial<Request> = {}): Promise<Response> => firstValueFrom(stage(aRequest(changes)));
  return { get, events, text: async (changes?: Partial<Request>) => textOf(await get(changes)) };
}

const textOf = ({ body }: Response): string => Buffer.from(body).toString();
const onlyFile = async (): Promise<string> => {
  const [file, ...others] = await readdir(folder);
  expect(others).toEqual([]);
  return join(folder, file ?? '');
};

describe('language 1.8: cached', () => {
  it('answers an equal request as it was answered before, also in a later run', async () => {
    const { send, requests } = server(() => ({
      status: 203,
      headers: { link: ['<a>', '<b>'], 'content-type': 'application/json' },
      body: Buffer.from([0, 255, 10]),
    }));
    const fresh = await cachedBy(send).get();
    const kept = await cachedBy(send).get({ purpose: { kind: 'page', job: 'other' } });
    expect(requests).toHaveLength(1);
    expect(kept).toEqual({ ...fresh, isCached: true, request: aRequest({ purpose: { kind: 'page', job: 'other' } }) });
  });

  it.each<[string, Partial<Request>]>([
    ['method', { method: 'POST' }],
    ['URL', { url: `${HOME}/items?page=2` }],
    ['headers', { headers: { accept: 'text/csv' } }],
    ['body', { body: '' }],
  ])('a request with another %s is another request', async (_what, changes) => {
    const { text } = cachedBy(server().send);
    expect([await text(), await text(changes), await text(), await text(changes)]).toEqual(['1', '2', '1', '2']);
  });

  it('the order of headers does not matter', async () => {
    const { text } = cachedBy(server().send);
    expect(await text({ headers: { a: '1', b: '2' } })).toBe('1');
    expect(await text({ headers: { b: '2', a: '1' } })).toBe('1');
  });

  it('requests of another scope have responses of their own', async () => {
    const { send } = server();
    expect(await cachedBy(send, { scope: 'a' }).text()).toBe('1');
    expect(await cachedBy(send, { scope: 'b' }).text()).toBe('2');
  });

  it('a response is as old as its lifetime, then it is requested and kept again', async () => {
    const start = Date.now();
    const now = jest.spyOn(Date, 'now').mockReturnValue(start);
    const { text } = cachedBy(server().send);
    expect(await text()).toBe('1');
    now.mockReturnValue(start + TTL_SECONDS * 1000 - 1);
    expect(await text()).toBe('1');
    now.mockReturnValue(start + TTL_SECONDS * 1000);
    expect(await text()).toBe('2');
    expect(await text()).toBe('2');
    await onlyFile();
  });

  it.each([199, 202, 301, 404, 500])('a response with the status %d is not kept', async (status) => {
    const { text } = cachedBy(server(() => ({ status })).send);
    expect([await text(), await text()]).toEqual(['1', '2']);
  });

  it('after a redirect, the URL that answered is kept with the response', async () => {
    const moved = aRequest({ url: 'https://api.example/moved', provenance: 'received' });
    const { get } = cachedBy(server(() => ({ request: moved })).send);
    await get();
    expect((await get()).request.url).toBe(moved.url);
  });

  it('reports a hit, with secrets masked, and nothing else', async () => {
    const { get, events } = cachedBy(server().send);
    await get({ url: `${HOME}/s3cret` });
    expect(events).toEqual([]);
    await get({ url: `${HOME}/s3cret` });
    expect(events).toEqual([
      {
        type: 'response.cached',
        purpose: { kind: 'page', job: 'items' },
        method: 'GET',
        url: `${HOME}/***`,
        status: 200,
        bytes: 1,
      },
    ]);
  });
});

describe('language 1.8: the files of the cache', () => {
  it('are for their owner only; neither names nor contents show headers of a request or cookies', async () => {
    const { get } = cachedBy(server(() => ({ headers: { 'set-cookie': 'session=s3cret', etag: '"1"' } })).send);
    await get({ headers: { 'x-key': 's3cret' } });
    const file = await onlyFile();
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(file).toMatch(/\/[0-9a-f]{64}\.json$/);
    const text = await readFile(file, 'utf8');
    expect(text).not.toContain('s3cret');
    expect(text).toContain('etag');
  });

  it('are replaced as a whole by requests at once, and no draft is left behind', async () => {
    const { text } = cachedBy(server().send);
    await Promise.all(Array.from({ length: 20 }, () => text()));
    await onlyFile();
    expect(Number(await text())).toBeGreaterThan(0);
  });

  it('a file that was cut off is ignored and replaced', async () => {
    const { text } = cachedBy(server().send);
    await text();
    const file = await onlyFile();
    await truncate(file, (await stat(file)).size - 5);
    expect([await text(), await text()]).toEqual(['2', '2']);
  });

  const whole = { storedAt: 0, method: 'GET', url: HOME, status: 200, headers: {}, body: 'W10=' };
  it.each([
    [],
    null,
    { ...whole, storedAt: '0' },
    { ...whole, storedAt: Number.MAX_SAFE_INTEGER },
    { ...whole, method: 'STEAL' },
    { ...whole, url: '/items' },
    { ...whole, status: '200' },
    { ...whole, headers: { a: 1 } },
    { ...whole, headers: null },
    { ...whole, body: null },
  ])('a file with other content is ignored: %j', async (content) => {
    const { text } = cachedBy(server().send, { ttlSeconds: Number.MAX_SAFE_INTEGER });
    await text();
    await writeFile(await onlyFile(), JSON.stringify(content));
    expect(await text()).toBe('2');
    await writeFile(await onlyFile(), JSON.stringify(whole));
    expect(await text()).toBe('[]');
  });

  it('a file of which a byte is another one is requested again, and reported once', async () => {
    const body = Buffer.from('a token and more');
    const { text, events } = cachedBy(server((_, n) => (n === 1 ? { body } : {})).send);
    await text();
    const file = await onlyFile();
    await writeFile(file, (await readFile(file, 'utf8')).replace(body.toString('base64').slice(0, 8), 'AAAABBBB'));
    expect(await text()).toBe('2');
    await writeFile(file, 'x');
    expect(await text()).toBe('3');
    expect(events.filter(({ type }) => type === 'warning')).toEqual([
      { type: 'warning', code: 'CACHE_UNREADABLE', message: expect.stringContaining('requested again') as string },
    ]);
  });

  it('keeps nothing readable with a key; another key, or none, asks again with a warning', async () => {
    const answers = server(() => ({ text: 'a token' }));
    const sealed = cachedBy(answers.send, { seal: createSeal('a key of sixteen characters') });
    expect([await sealed.text(), await sealed.text()]).toEqual(['a token', 'a token']);
    expect(answers.requests).toHaveLength(1);
    const bytes = await readFile(await onlyFile());
    for (const shown of ['a token', Buffer.from('a token').toString('base64'), 'GET', 'http'])
      expect(bytes.includes(shown)).toBe(false);
    const warning: unknown = expect.objectContaining({ code: 'CACHE_UNREADABLE' });
    for (const policy of [{ seal: createSeal('another key of sixteen') }, {}]) {
      await writeFile(await onlyFile(), bytes);
      const other = cachedBy(answers.send, policy);
      expect(await other.text()).toBe('a token');
      expect(other.events).toContainEqual(warning);
    }
    expect(answers.requests).toHaveLength(3);
    expect(sealed.events).not.toContainEqual(warning);
  });

  it('a folder that cannot be written is reported once; the run goes on', async () => {
    await writeFile(folder, 'not a folder');
    const { text, events } = cachedBy(server().send);
    expect([await text(), await text()]).toEqual(['1', '2']);
    expect(events).toEqual([
      {
        type: 'warning',
        code: 'CACHE_UNUSABLE',
        message: expect.stringMatching(/^Responses cannot be kept in ".*responses": E\w+: /) as string,
      },
    ]);
    await rm(folder);
  });
});
