import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';
import { extract, validate } from '../../src';
import { initCommand, type InitFlags } from '../../src/cli/init-command';
import { firstValueFrom, toArray } from 'rxjs';
import { APIS, COUNT } from '../explore/detect/apis';
import { serve, type Serving } from '../explore/detect/serve';

const LIST = {
  'application/json': { schema: { type: 'array', items: { type: 'object', properties: { id: { type: 'integer' } } } } },
};

describe('headwater init', () => {
  let folder: string;
  let serving: Serving | undefined;
  let stdout: string;
  let stderr: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'headwater-init-'));
    [stdout, stderr, serving] = ['', '', undefined];
    jest.spyOn(process.stdout, 'write').mockImplementation((text) => ((stdout += String(text)), true));
    jest.spyOn(process.stderr, 'write').mockImplementation((text) => ((stderr += String(text)), true));
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    rmSync(folder, { recursive: true });
    await serving?.close();
  });

  const file = (name: string): string => join(folder, name);
  const init = (source: string | undefined, flags: Partial<InitFlags> = {}): Promise<number> =>
    initCommand(source, { yes: true, guess: true, out: file('out.yaml'), ...flags });
  const api = (name: string) => {
    const found = APIS.find((each) => each.name === name);
    if (found === undefined) throw new Error(name);
    return found;
  };

  it.each(['out.yaml', 'out.jsonc', 'out.json'])('writes %s, which is valid and gives all items', async (name) => {
    const { path, answer } = api('PocketBase');
    serving = await serve({ path, answer });
    expect(await init(`${serving.origin}${path}`, { out: file(name) })).toBe(0);
    const text = readFileSync(file(name), 'utf8');
    // The preview asks for nothing again.
    expect(stdout).toContain(`Found, by ${serving.requests()} requests:`);
    expect(text).toContain('has the number of this page');
    // Each request is told as it is sent.
    expect(stdout.match(/^ +\d+ {2}GET http:\S+records\S*$/gm)).toHaveLength(serving.requests());
    const bare = name === 'out.jsonc' ? text.replace(/^\s*\/\/.*$/gm, '') : text;
    const config: unknown = name === 'out.yaml' ? parse(text) : JSON.parse(bare);
    expect(validate(config as never).warnings).toEqual([]);
    expect(await firstValueFrom(extract(config as object).items$.pipe(toArray()))).toHaveLength(COUNT);
    expect(stdout).toContain('pagenum (sure)');
    expect(stdout).toContain('3 items at dataField "items", configured');
    expect(stdout).toContain('records (3 rows): id integer');
    expect(stdout).toContain('Next: headwater run');
  });

  it('writes hints in the format of the file, and what it is not sure of with what to try', async () => {
    const boats = Array.from({ length: 10 }, (_, at) => ({ id: at, updated_at: `2024-01-${10 + at}T00:00:00Z` }));
    serving = await serve({ path: '/boats', answer: () => ({ body: boats }) });
    expect(await init(`${serving.origin}/boats`)).toBe(0);
    expect(readFileSync(file('out.yaml'), 'utf8')).toContain(
      'such as pagination: { method: pagenum, pageParam: NAME }.',
    );
    expect(await init(`${serving.origin}/boats`, { out: file('out.jsonc') })).toBe(0);
    expect(readFileSync(file('out.jsonc'), 'utf8')).toContain(
      '// UNSURE: Nothing in the response says whether there is more than these 10 items, and that number looks like the size of a page. ' +
        'If there is, write into api how to get it, such as "pagination": {"method": "pagenum", "pageParam": "NAME"}.',
    );
  });

  it('takes an object of objects for items, or for one object, as it is told', async () => {
    const levels = { ald: { level: 1, gauge: 'a' }, brock: { level: 2, gauge: 'b' } };
    serving = await serve({ path: '/rivers', answer: () => ({ body: { rivers: levels } }) });
    const rowsOf = async (flags: Partial<InitFlags>, name: string): Promise<unknown> => {
      expect(await init(`${serving?.origin}/rivers`, { ...flags, out: file(name) })).toBe(0);
      return firstValueFrom(extract(parse(readFileSync(file(name), 'utf8')) as object).items$.pipe(toArray()));
    };
    const rows = [
      { id: 'ald', level: 1, gauge: 'a' },
      { id: 'brock', level: 2, gauge: 'b' },
    ];
    expect(await rowsOf({}, 'found.yaml')).toEqual(rows);
    expect(await rowsOf({ keyed: false }, 'one.yaml')).toEqual([{ rivers: levels }]);
    expect(await rowsOf({ keyed: true, dataField: 'rivers' }, 'keyed.yaml')).toEqual(rows);
  });

  it('takes objects of one field each for one object, and says how they are items', async () => {
    const users = { u0: { name: 'Ada' }, u1: { name: 'Grace' } };
    serving = await serve({ path: '/people', answer: () => ({ body: { users } }) });
    expect(await init(`${serving.origin}/people`, { out: file('people.yaml') })).toBe(0);
    const text = readFileSync(file('people.yaml'), 'utf8');
    expect(text).toContain('# Written by headwater init. What begins with UNSURE needs a look.');
    expect(text).toContain(
      '# UNSURE: The response is taken as one object. If each of the 2 members of the object "users" is an item, ' +
        'write into the job dataField: users and rows: { keys: id }.',
    );
    expect(await init(`${serving.origin}/people`, { keyed: false, out: file('one.yaml') })).toBe(0);
    const one = readFileSync(file('one.yaml'), 'utf8');
    expect(one).toContain('# Written by headwater init.\n');
    expect(one).not.toContain('UNSURE');
  });

  it('finds no paging where a map that it is told of comes again', async () => {
    serving = await serve({ path: '/prices', answer: () => ({ body: { bitcoin: { usd: 1 }, ethereum: { usd: 2 } } }) });
    expect(await init(`${serving.origin}/prices`, { keyed: true, out: file('prices.yaml') })).toBe(0);
    const found = parse(readFileSync(file('prices.yaml'), 'utf8')) as object;
    expect(found).not.toHaveProperty('api.pagination');
    expect(await firstValueFrom(extract(found).items$.pipe(toArray()))).toEqual([
      { id: 'bitcoin', usd: 1 },
      { id: 'ethereum', usd: 2 },
    ]);
  });

  it('sends a request once that may change something, and previews its response', async () => {
    serving = await serve({ path: '/', answer: () => ({ body: { ships: [{ id: 1 }, { id: 2 }] } }) });
    expect(await init(`curl ${serving.origin}/orders --json '{"count":2}'`)).toBe(0);
    expect(serving.requests()).toBe(1);
    expect(stdout).toContain('2 items at dataField "ships", configured');
  });

  it('refuses to overwrite a file', async () => {
    const { path, answer } = api('Slack');
    serving = await serve({ path, answer });
    writeFileSync(file('out.yaml'), 'mine');
    expect(await init(`${serving.origin}${path}`)).toBe(1);
    expect(readFileSync(file('out.yaml'), 'utf8')).toBe('mine');
    expect(stderr).toContain('is not overwritten');
  });

  it.each<[string, string, Partial<InitFlags>]>([
    ['of the last word of the address', 'conversations.yaml', {}],
    ['of --name', 'channels.yaml', { name: 'channels' }],
  ])('finds a file %s before it requests anything', async (_, name, flags) => {
    const before = process.cwd();
    const { answer } = api('Slack');
    serving = await serve({ path: '/conversations', answer });
    writeFileSync(file(name), 'mine');
    process.chdir(folder);
    try {
      const given = { yes: true, guess: true, ...flags };
      expect(await initCommand(`${serving.origin}/conversations`, given)).toBe(1);
      expect([readFileSync(name, 'utf8'), serving.requests()]).toEqual(['mine', 0]);
      expect(stderr).toContain(`${name} is there already`);
      const document = JSON.stringify({
        ...{ openapi: '3.0.0', info: { title: 'Slack', version: '1' }, servers: [{ url: serving.origin }] },
        paths: { '/conversations': { get: { responses: { 200: { description: '', content: LIST } } } } },
      });
      writeFileSync('api.json', document);
      writeFileSync('conversations.yaml', 'mine');
      expect(await initCommand('api.json', { yes: true, guess: true })).toBe(1);
      expect(serving.requests()).toBe(0);
    } finally {
      process.chdir(before);
    }
  });

  it('writes and prints no secret, wherever the request had it', async () => {
    const { path, answer } = api('Slack');
    serving = await serve({ path, answer });
    const origin = serving.origin.replace('http://', 'http://me:s3cret-pw@');
    const source = `curl '${origin}${path}?api_key=s3cret-key' -H 'X-Auth-Token: s3cret-token' -b 'sid=s3cret-cookie'`;
    expect(await init(source)).toBe(0);
    const written = readFileSync(file('out.yaml'), 'utf8');
    expect(`${written}${stdout}${stderr}`).not.toContain('s3cret');
    expect(written).toContain('"#password":\n    env: API_PASSWORD\n');
    expect(stdout).toContain('Set API_PASSWORD, API_KEY, API_AUTH_TOKEN, API_COOKIE in the environment');
    expect(() => validate(parse(written), { env: {} })).toThrow('the environment variable API_KEY is not set');
  });

  it('writes and prints no value that is a secret by its form, whatever its name', async () => {
    const [hex, jwt, stripe] = [
      '8f3e9c1ab2774d0fa1b2c3d4e5f60718',
      'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln',
      'sk_live_abcdefghijk',
    ];
    let isRefused = false;
    serving = await serve({
      path: '/ships',
      answer: ({ url, headers }) => {
        const isKnown = headers['x-thing'] === `Bearer ${hex}` && headers['x-org'] === stripe;
        isRefused ||= !isKnown || url.searchParams.get('k') !== jwt;
        const next = url.searchParams.has('page') ? null : `/ships?k=${jwt}&page=2`;
        return { body: { ships: [{ id: next === null ? 2 : 1 }], next } };
      },
    });
    const source = `curl '${serving.origin}/ships?k=${jwt}' -H 'X-Thing: Bearer ${hex}' -H 'X-Org: ${stripe}'`;
    expect(await init(source)).toBe(0);
    const written = readFileSync(file('out.yaml'), 'utf8');
    for (const secret of [hex, jwt, stripe]) expect(`${written}${stdout}${stderr}`).not.toContain(secret);
    const { items$ } = extract(parse(written) as object, { env: { API_THING: hex, API_ORG: stripe, API_K: jwt } });
    expect(await firstValueFrom(items$.pipe(toArray()))).toHaveLength(2);
    expect(isRefused).toBe(false);
  });

  it('asks for no variable that stands in the body of the request', async () => {
    serving = await serve({ path: '/a', answer: () => ({ body: '[{"id":1},{"id":2}]' }) });
    const body = '{"q":{"env":"MYSECRET"},"f":{"function":"concat","args":[{"env":"MYSECRET"}]}}';
    expect(await init(`curl ${serving.origin}/a -H 'content-type: application/json' -d '${body}'`)).toBe(0);
    expect(stdout).not.toMatch(/were not written|^Set /m);
    expect(readFileSync(file('out.yaml'), 'utf8')).toContain('literal:');
  });

  it('sends credentials to no host that only a document from the network names', async () => {
    const other = await serve({ path: '/things', answer: () => ({ body: '[{"id":1}]' }) });
    const document = {
      ...{ openapi: '3.0.0', info: { title: 'T', version: '1' }, servers: [{ url: other.origin }] },
      paths: { '/things': { get: { responses: { 200: { description: 'x', content: LIST } } } } },
    };
    serving = await serve({ path: '/openapi.json', answer: () => ({ body: JSON.stringify(document) }) });
    try {
      for (const flags of [{ bearer: 'TOKEN1234' }, { header: ['X-Sec: TOKEN1234'] }, { user: 'me:TOKEN1234' }]) {
        stderr = '';
        expect(await init(`${serving.origin}/openapi.json`, flags)).toBe(1);
        expect(stderr).toContain(`--base-url ${other.origin}`);
        expect(stderr).not.toContain('TOKEN1234');
      }
      expect(await init(`${serving.origin}/openapi.json`, { bearer: 'TOKEN1234', baseUrl: other.origin })).toBe(0);
      expect(await init(`${serving.origin}/openapi.json`, { out: file('bare.yaml') })).toBe(0);
    } finally {
      await other.close();
    }
  });

  it('says that a web page is none, and names the description of an API in it', async () => {
    const body = '<!doctype html><html><a href="/v1/openapi.json">API</a></html>';
    serving = await serve({ path: '/', answer: () => ({ headers: { 'content-type': 'text/html' }, body }) });
    expect(await init(serving.origin)).toBe(1);
    expect(stderr).toContain(
      `This is a web page, not data. It names a description of the API: headwater init ${serving.origin}/v1/openapi.json`,
    );
  });

  it('says which credentials an API wants', async () => {
    const headers = { 'www-authenticate': 'Basic realm="x"' };
    serving = await serve({ path: '/', answer: () => ({ status: 401, headers, body: {} }) });
    expect(await init(serving.origin)).toBe(1);
    expect(stderr).toContain('It wants credentials: a name and a password (Basic): --user NAME:PASSWORD.');
  });

  it('lets no name of an API reach the terminal or a comment as it is', async () => {
    const evil = 'ships\u001b[2J\n# api: evil\u202e';
    serving = await serve({
      path: '/',
      answer: () => ({ body: { [evil]: [{ id: 1, 'a\u001b]0;b': '\u009b31m' }, { id: 2 }] } }),
    });
    expect(await init(`${serving.origin}/x`)).toBe(0);
    for (const each of ['\u001b', '\u009b', '\u202e']) expect(stdout).not.toContain(each);
    const config = parse(readFileSync(file('out.yaml'), 'utf8')) as { readonly api: { readonly baseUrl: string } };
    expect(config.api.baseUrl).toBe(`${serving.origin}/`);
  });

  it('sends no credentials to where an API redirects', async () => {
    const received: string[] = [];
    const other = await serve({ path: '/', answer: ({ url }) => (received.push(url.href), { body: [{ id: 1 }] }) });
    serving = await serve({
      path: '/',
      answer: () => ({ status: 302, headers: { location: `${other.origin}/ships` }, body: '' }),
    });
    await init(`${serving.origin}/ships?api_key=s3cret-key`).finally(other.close);
    expect(received.join()).not.toContain('s3cret');
    expect(`${stdout}${stderr}`).not.toContain('s3cret');
  });

  it.each([
    [undefined, 'Name what has the data'],
    ['ftp://h.example/a', 'no address of http'],
    ['curl https://h.example | sh', 'no part of one command'],
  ])('refuses %s', async (source, message) => {
    expect(await init(source)).toBe(1);
    expect(stderr).toContain(message);
  });

  it('stops where the API asks for fewer requests', async () => {
    let requests = 0;
    const answer = () => ((requests += 1) > 2 ? { status: 429, body: {} } : { body: [{ id: 1 }, { id: 2 }] });
    serving = await serve({ path: '/', answer });
    await init(`${serving.origin}/ships`);
    // The one that was refused is asked three times.
    expect(requests).toBeLessThanOrEqual(6);
  });

  it('waits where the API says for how long, and goes on', async () => {
    const ships = Array.from({ length: 30 }, (_, id) => ({ id: id + 1 }));
    let requests = 0;
    serving = await serve({
      path: '/',
      answer: ({ url }) => {
        if ((requests += 1) === 2) return { status: 429, headers: { 'retry-after': '0.1' }, body: {} };
        const page = Number(url.searchParams.get('page') ?? 1);
        return { body: { ships: ships.slice((page - 1) * 10, page * 10), page, pages: 3 } };
      },
    });
    expect(await init(`${serving.origin}/ships`)).toBe(0);
    expect(stdout).toContain('pagenum (sure)');
  });
});
