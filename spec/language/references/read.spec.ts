/** Secrets from outside of a configuration: they are sent, and nothing that a run leaves has them. */
import { mkdtemp, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { ConfigurationError, client, deliver, extract, prepare, sinks, validate } from '../../../src';
import type { Har, JsonObject, RunEvent } from '../../../src';
import type { Json } from '../../../src/core/model';
import { secretValues } from '../../../src/language/references/read';

const TOKEN = 'tK9-q/Zx+7w=ü3';
const KEY = 'kY4pB8vN2mR6';
const NAMES = { TOKEN, BASE: 'https://api.test/', TENANT: 't-8841-kQ' };
const config = {
  api: {
    baseUrl: { env: 'BASE', secret: false },
    http: { headers: { Authorization: { function: 'concat', args: ['Bearer ', { env: 'TOKEN' }] } } },
  },
  config: {
    // None of these names begins with a #.
    token: { env: 'TOKEN' },
    jobs: [
      {
        endpoint: 'items',
        params: {
          digest: { function: 'md5', args: [{ attr: 'token' }] },
          direct: { function: 'sha1', args: [{ env: 'TOKEN' }] },
        },
      },
    ],
  },
};

let folder: string;
beforeEach(async () => (folder = await mkdtemp(join(tmpdir(), 'headwater-ref-'))));
afterEach(() => rm(folder, { recursive: true, force: true }));

/** The text of all files below a folder. */
async function allText(path: string): Promise<string> {
  const names = await readdir(path, { recursive: true });
  const texts = await Promise.all(
    names.map(async (name) => ((await stat(join(path, name))).isFile() ? readFile(join(path, name), 'latin1') : name)),
  );
  return [...names, ...texts].join('\n');
}

interface Ran {
  readonly urls: readonly URL[];
  readonly headers: readonly Headers[];
  readonly reported: string;
  readonly state?: JsonObject;
}

async function run(
  answer: () => Response,
  env: Readonly<Record<string, string>> = NAMES,
  resume = false,
): Promise<Ran> {
  const urls: URL[] = [];
  const headers: Headers[] = [];
  const reported: unknown[] = [];
  const recorded: Har[] = [];
  const delivery = await deliver(config, [sinks.ndjson(join(folder, 'out'))], {
    env,
    resume,
    plainRetries: true,
    logger: { log: (level, message) => void reported.push(level, message) },
    // A page is data, with the request that it came of.
    onEvent: (event: RunEvent) => void reported.push(event.type === 'page.extracted' ? event.page.job : event),
    record: (har) => void recorded.push(har),
    fetch: (input, init) => {
      urls.push(new URL(input));
      headers.push(new Headers(init?.headers));
      return Promise.resolve(answer());
    },
  }).catch((error: unknown) => error);
  const texts = [...reported, recorded, delivery].map(
    (each) => inspect(each, { depth: 20 }) + JSON.stringify(each, bigintText),
  );
  const state = delivery instanceof Error ? {} : { state: (delivery as { state: JsonObject }).state };
  return { urls, headers, reported: texts.join('\n'), ...state };
}

const bigintText = (_: string, value: unknown): unknown => (typeof value === 'bigint' ? String(value) : value);
const forms = (secret: string): readonly string[] => [
  secret,
  encodeURIComponent(secret),
  Buffer.from(secret).toString('base64').slice(0, -2),
];

describe('a secret that a configuration refers to', () => {
  it('is sent, and is in nothing that the run tells or keeps, nor is what is computed of it', async () => {
    const { urls, headers, reported } = await run(() => Response.json([{ id: 1 }]));
    expect(headers[0]?.get('authorization')).toBe(`Bearer ${TOKEN}`);
    const computed = [...(urls[0]?.searchParams.values() ?? [])];
    expect(computed).toHaveLength(2);
    const text = reported + (await allText(folder));
    expect(reported).toContain('https://api.test/items');
    const leaks = [...forms(TOKEN), ...computed].map((form) => text.indexOf(form)).filter((at) => at >= 0);
    expect(leaks.map((at) => text.slice(Math.max(0, at - 80), at + 40))).toEqual([]);
  });

  it('is in no error, also where the server repeats it', async () => {
    const { reported } = await run(() => new Response(`{"error":"bad token ${TOKEN}"}`, { status: 403 }));
    expect(reported).toContain('403');
    expect(forms(TOKEN).filter((form) => reported.includes(form))).toEqual([]);
  });

  it('may change while a run is resumed', async () => {
    const broken = await run(() => {
      throw new Error('cut');
    });
    expect(broken.reported).toContain('cut');
    const { reported, state } = await run(() => Response.json([{ id: 1 }]), { ...NAMES, TOKEN: 'another-9Zq' }, true);
    expect(reported).not.toContain('The run cannot go on');
    expect(state).toBeDefined();
  });

  it('is masked by validate().mask', () => {
    const { mask } = validate(config, { env: NAMES });
    expect(mask(`it is ${TOKEN}.`)).toBe('it is ***.');
    expect(mask('https://api.test/items')).toBe('https://api.test/items');
  });

  it('may stand in the address of a destination', () => {
    const url = `postgres://u:${KEY}@h/db`;
    const to = {
      ...config,
      config: { ...config.config, sinks: [{ env: 'TO' }, { to: { env: 'TO' }, nested: 'json' }] },
    };
    const { sinks: found, mask } = validate(to, { env: { ...NAMES, TO: url } });
    expect(found).toEqual([url, { to: url, nested: 'json' }]);
    expect(mask(url)).not.toContain(KEY);
  });

  it('is a fault where it is computed into items', () => {
    const compute = { leak: { function: 'concat', args: [{ env: 'TOKEN' }, 'x'] } };
    const jobs = [{ endpoint: 'items', compute }];
    expect(() => extract({ ...config, config: { jobs } }, { env: NAMES })).toThrow('uses a secret');
  });
});

describe('references that give nothing', () => {
  it('are faults with their paths, with all other faults, and without values', async () => {
    await writeFile(join(folder, 'limit'), 'n0tANumb3r\n');
    const wrong = {
      api: { baseUrl: { env: 'BSE' }, pagination: { method: 'offset', limit: { file: join(folder, 'limit') } } },
      config: { token: { file: folder }, jobs: [{ endpoint: 'items', dataField: 5, method: { env: 'TOKEN' } }] },
    };
    const faults = [{ parameters: wrong }, wrong].map((each) => {
      try {
        return validate(each, { env: NAMES, secretFiles: true });
      } catch (error) {
        return (error as ConfigurationError).faults;
      }
    });
    expect(faults[0]).toEqual(faults[1]);
    expect(faults[0]).toEqual([
      { path: 'api.baseUrl', message: 'the environment variable BSE is not set; did you mean "BASE"?' },
      { path: 'config.token', message: `the file ${folder} is a folder` },
      {
        path: 'api.pagination.limit',
        message: expect.stringMatching(/integer, found something else in what it refers to$/) as string,
      },
      { path: 'config.jobs[0].dataField', message: expect.any(String) as string },
      { path: 'config.jobs[0].method', message: expect.stringContaining('found something else') as string },
    ]);
    expect(JSON.stringify(faults)).not.toMatch(/n0tANumb3r|tK9/);
  });

  it('are mistakes that lenient makes warnings where they are only like references', () => {
    const like = { ...config, config: { jobs: [{ endpoint: 'items', params: { key: { ENV: 'TOKEN' } } }] } };
    expect(() => validate(like, { env: NAMES })).toThrow(ConfigurationError);
    expect(validate(like, { env: NAMES, lenient: true }).warnings).toMatchObject([
      { path: 'config.jobs[0].params.key' },
    ]);
  });
});

describe('who may read what', () => {
  const reading = { ...config, config: { token: { file: '/etc/hostname' }, jobs: [{ endpoint: 'items' }] } };

  it('with variables of its own, an application opens no files unless it says so', () => {
    expect(() => validate(reading, { env: NAMES })).toThrow('secretFiles');
  });

  it('with env: false they are objects like any other', () => {
    const plain = {
      api: { baseUrl: 'https://api.test/' },
      config: { stage: { env: 'TOKEN' }, jobs: [{ endpoint: 'items' }] },
    };
    expect(validate(plain, { env: false })).toMatchObject({ jobs: 1, warnings: [] });
    expect(() => validate(plain, { env: {} })).toThrow('is not set');
  });

  it('works in prepared configurations and in clients', () => {
    const prepared = prepare(
      { ...config, config: { ...config.config, jobs: [{ endpoint: 'items', params: { river: { attr: 'river' } } }] } },
      { parameters: { river: 'string' }, env: NAMES },
    );
    expect(JSON.stringify(prepared.configuration({ river: 'Alder' }))).not.toContain(TOKEN);
    const made = client(config.api, { env: NAMES });
    expect(made.extract(config.config).warnings).toEqual([]);
  });
});

describe('secretValues (language 1.4)', () => {
  it('finds what is below a key with #, also inside JSON text', () => {
    expect(secretValues({ a: 'open', '#b': ['x', { c: '["y"]' }] })).toEqual(['x', '["y"]', 'y']);
  });

  it('does not descend into what nests too deep', () => {
    let deep: Json = 'x';
    for (let level = 0; level < 100_000; level += 1) deep = { '#a': deep };
    expect(secretValues(deep)).toEqual([]);
    const text = '['.repeat(100_000) + ']'.repeat(100_000);
    expect(secretValues({ '#a': text })).toEqual([text]);
  });
});
