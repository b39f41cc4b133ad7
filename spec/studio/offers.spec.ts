/** What the server of the studio makes of OpenAPI documents and HAR files. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { needsBuild } from '../support/build';
import { openStudio } from '../../src/studio/studio';
import type { Studio } from '../../src/studio/studio';
import type { Begun, Offer } from '../../src/studio/wire';
import { scriptedApi } from '../../src/testing';
import { entry, har } from '../explore/import/har-text';

const SECRET = 'k-71f-secret-93';
const EVIL = '<img src=x onerror=alert(1)>\u202e';
const RIVER = { type: 'object', properties: { id: { type: 'integer' }, up: { $ref: '#/components/schemas/River' } } };
const list = (more: object = {}) => ({
  get: {
    responses: { 200: { content: { 'application/json': { schema: { type: 'array', items: RIVER } } } } },
    ...more,
  },
});
/** A description whose items refer to themselves. */
const openApi = (more: object = {}): string =>
  JSON.stringify({
    ...{ openapi: '3.1.0', info: { title: EVIL }, servers: [{ url: 'http://api.example/' }] },
    paths: {
      '/rivers': list({ summary: EVIL }),
      '/rivers/{id}/levels': list({ parameters: [{ name: 'unit', in: 'query', required: true }] }),
      '/lakes/{lake}/depths': list(),
    },
    components: {
      schemas: { River: RIVER },
      securitySchemes: { key: { type: 'apiKey', in: 'header', name: 'X-Api-Key' } },
    },
    security: [{ key: [] }],
    ...more,
  });
const rivers = (page: number): object => ({
  data: [1, 2].map((id) => ({ id: page * 2 + id, name: `River ${id}` })),
  next: page < 3 ? `http://api.example/recorded?page=${page + 1}&api_key=${SECRET}` : null,
});
const recorded = (...more: readonly object[]): string =>
  har(
    ...[1, 2, 3].map((page) =>
      entry(`http://api.example/recorded?page=${page}&api_key=${SECRET}`, rivers(page), {
        headers: { Cookie: `sid=${SECRET}`, 'X-Csrf-Token': SECRET },
      }),
    ),
    ...more,
  );

describe('documents that the studio begins from', () => {
  let folder: string;
  let path: string;
  let studio: Studio;
  let sent: string;
  const api = scriptedApi([
    { path: '/openapi.json', answer: () => ({ json: JSON.parse(openApi({ servers: [{ url: '/' }] })) as object }) },
    { path: '/rivers', answer: () => ({ json: [{ id: 1 }, { id: 2 }] }) },
    { path: '/rivers/1/levels', answer: () => ({ json: [] }) },
    { path: '/rivers/2/levels', answer: () => ({ json: [{ gauge: 3, metres: 1.5 }] }) },
    { path: '/lakes/a%2Fb/depths', answer: () => ({ json: [{ metres: 3 }] }) },
  ]);

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'headwater-studio-'));
    path = join(folder, 'rivers.yaml');
    await writeFile(path, '');
    studio = await openStudio({
      path,
      page: folder,
      queries: needsBuild('cli/query-process.js'),
      fetch: api.fetch,
      env: { API_KEY: 'of-the-environment' },
    });
    sent = '';
  });
  afterEach(async () => {
    await studio.close();
    await rm(folder, { recursive: true });
  });

  const call = async (name: string, given: object): Promise<readonly [number, unknown]> => {
    const { origin, hash } = new URL(studio.url);
    const headers = { origin, authorization: `Bearer ${hash.slice(1)}`, 'content-type': 'application/json' };
    const response = await fetch(`${origin}/api/${name}`, { method: 'POST', headers, body: JSON.stringify(given) });
    const body = await response.text();
    sent += body;
    return [response.status, JSON.parse(body)];
  };
  const offer = async (source: string): Promise<Offer> => {
    const [status, body] = await call('offer', { source });
    expect([status, body]).toMatchObject([200, { choices: expect.any(Array) as unknown }]);
    return body as Offer;
  };
  const choose = async (given: object): Promise<Begun> => {
    const [status, body] = await call('choose', given);
    expect([status, body]).toMatchObject([200, { text: expect.any(String) as unknown }]);
    return body as Begun;
  };

  it('offers the lists of an OpenAPI document whose references go in circles, and asks nothing', async () => {
    const before = api.requests.length;
    const { title, kind, choices } = await offer(openApi());
    expect([kind, title]).toEqual(['openapi', EVIL.replace('\u202e', '\ufffd')]);
    expect(choices).toEqual([
      { id: '/rivers', summary: title, values: [], variables: [expect.stringContaining('API')] },
      { id: '/lakes/{lake}/depths', values: ['lake'], variables: [expect.stringContaining('API')] },
      { id: '/rivers/{id}/levels', parent: 0, values: ['unit'], variables: [expect.stringContaining('API')] },
    ]);
    expect(api.requests.length).toBe(before);
  });

  it('opens an OpenAPI document at an address, and asks where it is for what it does not say', async () => {
    const [status, body] = await call('begin', { source: 'http://api.example/openapi.json' });
    expect([status, body]).toMatchObject([200, { kind: 'openapi', wantsBaseUrl: false }]);
    const { number, choices } = body as Offer;
    expect(choices).toHaveLength(3);
    await choose({ offer: number, choices: [0], values: {}, secrets: {} });
    expect(api.requests.at(-1)?.url.pathname).toBe('/rivers');
  });

  it('asks for a list with a secret that the person gives, or else that of the environment', async () => {
    const { number, choices } = await offer(openApi());
    const [name = ''] = choices[0]?.variables ?? [];
    const begun = await choose({ offer: number, choices: [0], values: {}, secrets: { [name]: SECRET } });
    expect(begun).toMatchObject({ variables: [name], unset: [] });
    expect(begun.text).toContain(`env: ${name}`);
    expect(api.requests.at(-1)?.headers).toMatchObject({ 'x-api-key': SECRET });
    await call('save', { text: begun.text, version: ((await call('open', {}))[1] as { version: string }).version });
    expect(await readFile(path, 'utf8')).toContain('endpoint: rivers');
    expect(sent + (await readFile(path, 'utf8'))).not.toContain(SECRET);
  });

  it('writes a parent and its children in one go, and asks for children of items until one has some', async () => {
    const { number } = await offer(openApi());
    const before = api.requests.length;
    const begun = await choose({ offer: number, choices: [2], values: { unit: 'm' }, secrets: {} });
    expect(begun.lists.map(({ name, unseen }) => [name, unseen])).toEqual([
      ['rivers', undefined],
      ['levels', undefined],
    ]);
    expect(begun.text).toMatch(/endpoint: rivers\n(.*\n)*.*children:\n(.*\n)*.*endpoint: rivers\/\{id\}\/levels/);
    expect((await call('check', { text: begun.text }))[1]).toMatchObject({ jobs: 1, faults: [] });
    const asked = api.requests.slice(before).map(({ url }) => `${url.pathname}${url.search}`);
    expect(asked).toContain('/rivers/2/levels?unit=m');
    expect(begun.requests).toBe(asked.length);
    expect(api.requests.at(-1)?.headers).toMatchObject({ 'x-api-key': 'of-the-environment' });
    expect(sent).not.toContain('of-the-environment');
  });

  it('writes several lists, and says of which ones the API gave nothing', async () => {
    const { number } = await offer(openApi());
    const begun = await choose({ offer: number, choices: [0, 1], values: { lake: 'nowhere' }, secrets: {} });
    expect(begun.lists).toMatchObject([{ name: 'rivers' }, { name: 'depths', unseen: expect.any(String) as unknown }]);
    expect(begun.lists[0]).not.toHaveProperty('unseen');
    expect((await call('check', { text: begun.text }))[1]).toMatchObject({ jobs: 2, faults: [] });
  });

  it('fills placeholders, so that none leads elsewhere, and wants all of them', async () => {
    const { number } = await offer(openApi());
    const chosen = { offer: number, secrets: {} };
    for (const values of [{}, { lake: '' }, 7, { lake: 1 }])
      expect((await call('choose', { ...chosen, choices: [1], values }))[0]).toBe(422);
    for (const values of [{}, { unit: '' }])
      expect((await call('choose', { ...chosen, choices: [2], values }))[0]).toBe(422);
    await choose({ ...chosen, choices: [1], values: { lake: 'a/b' } });
    expect(api.requests.at(-1)?.url.href).toMatch(/^http:\/\/api\.example\/lakes\/a%2Fb\/depths/);
  });

  it('says that a secret has no value where nobody has given one', async () => {
    await studio.close();
    studio = await openStudio({
      path,
      page: folder,
      queries: needsBuild('cli/query-process.js'),
      fetch: api.fetch,
      env: {},
    });
    const { number, choices } = await offer(openApi());
    const begun = await choose({ offer: number, choices: [0], values: {}, secrets: {} });
    expect(begun).toMatchObject({ variables: [], unset: choices[0]?.variables });
  });

  it('wants the address of an API whose document has none', async () => {
    const { number, wantsBaseUrl } = await offer(openApi({ servers: [{ url: '/' }] }));
    expect(wantsBaseUrl).toBe(true);
    const chosen = { offer: number, choices: [0], values: {}, secrets: {} };
    for (const baseUrl of [undefined, 'file:///etc', 'nowhere'])
      expect((await call('choose', { ...chosen, baseUrl }))[0]).toBe(422);
    const { text } = await choose({ ...chosen, baseUrl: 'http://api.example' });
    expect(text).toContain('http://api.example/');
  });

  it('begins from a HAR without a request, and keeps its secrets', async () => {
    const before = api.requests.length;
    const { number, choices } = await offer(recorded());
    expect(choices).toMatchObject([{ id: '/recorded', summary: '3 responses' }]);
    const begun = await choose({ offer: number, choices: [0], values: {}, secrets: {} });
    expect(api.requests.length).toBe(before);
    const findings = begun.lists[0]?.findings;
    expect(findings).toContainEqual(expect.objectContaining({ about: 'data', value: 'data' }));
    expect(findings).toContainEqual(expect.objectContaining({ about: 'paging', value: 'response.url' }));
    expect(begun.variables.length).toBeGreaterThan(0);
    expect((await call('check', { text: begun.text }))[1]).toMatchObject({ jobs: 1, faults: [] });
    expect(sent).not.toContain(SECRET);
  });

  it('takes a HAR that other calls would refuse for its size, and none that is larger still', async () => {
    const page = entry('http://api.example/large', [{ id: 1, text: 'x'.repeat(6_000_000) }, { id: 2 }]);
    expect((await offer(har(page))).choices).toMatchObject([{ id: '/large' }]);
    expect(await call('offer', { source: 'x'.repeat(64_000_000) })).toMatchObject([
      413,
      { error: { code: 'TOO_LARGE' } },
    ]);
    expect((await call('begin', { source: 'x'.repeat(5_000_000) }))[0]).toBe(413);
  });

  it.each([
    ['nothing', ''],
    ['neither', 'rivers of mine'],
    ['no JSON', '{"log": {"entries": ['],
    ['no entries', '{"log": {}}'],
    ['entries that are none', '{"log": {"entries": [null, 1, "a", {}, {"request": 1}, {"request": {"url": []}}]}}'],
    ['addresses that are none', har(entry('file:///etc/passwd', [{ id: 1 }]), entry('no address', [{ id: 1 }]))],
    ['an OpenAPI document without lists', '{"openapi": "3.1.0", "paths": {}}'],
    ['YAML that is broken', 'openapi: 3.1.0\npaths: ['],
    ['aliases that grow', `openapi: 3.1.0\na: &a [1]\n${'b: &b [*a, *a]\n'.repeat(2)}`],
  ])('refuses %s', async (_, source) => {
    expect((await call('offer', { source }))[0]).toBe(422);
  });

  it('survives headers of a HAR that no request can have', async () => {
    const wrong = entry('http://api.example/wrong', [{ id: 1 }], { status: 204, headers: { 'a b': 'c\r\nd: e' } });
    const { number } = await offer(har(wrong));
    const [status] = await call('choose', { offer: number, choices: [0], values: {}, secrets: {} });
    expect([200, 422]).toContain(status);
  });

  it('refuses a choice of a document that was replaced, and choices that are none', async () => {
    const { number } = await offer(openApi());
    await offer(recorded());
    const chosen = { values: {}, secrets: {} };
    expect(await call('choose', { ...chosen, offer: number, choices: [0] })).toMatchObject([
      409,
      { error: { code: 'OFFER_GONE' } },
    ]);
    for (const choice of [9, -1, 0.5, 'length', '__proto__', {}])
      expect((await call('choose', { ...chosen, offer: number + 1, choices: [choice] }))[0]).toBe(409);
    for (const choices of [[], undefined, 'all', {}])
      expect((await call('choose', { ...chosen, offer: number + 1, choices }))[0]).toBe(422);
  });
});
