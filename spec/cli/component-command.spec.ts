import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bytes, json } from '../support/answers';
import { startServer } from '../support/api-server';
import type { ApiServer } from '../support/api-server';
import { runToEnd } from '../support/command';

describe('headwater component (language 1.1)', () => {
  let server: ApiServer;
  let data: string;
  beforeEach(async () => {
    server = await startServer({ '/boats': json([{ id: 1 }]), '/broken': json({ error: 'no' }, 500) });
    data = await mkdtemp(join(tmpdir(), 'headwater-spec-'));
    await mkdir(join(data, 'in'));
  });
  afterEach(async () => {
    await server.close();
    await rm(data, { recursive: true });
  });
  const given = (path: string, content: string): Promise<void> => writeFile(join(data, path), content);
  const configure = (endpoint: string): Promise<void> =>
    given(
      'config.json',
      JSON.stringify({
        parameters: {
          api: { baseUrl: server.origin, retryConfig: { maxRetries: 0 } },
          config: { outputBucket: 'b', jobs: [{ endpoint }] },
        },
      }),
    );
  const component = () => runToEnd(['component', '--data-dir', `${data}//`]);

  it('writes tables, manifests and the state, and keeps unknown keys of the old state', async () => {
    await configure('boats');
    await given('in/state.json', '{"other":9007199254740993,"time":{"previousStart":5}}');
    const { status, stderr } = await component();
    expect(stderr).toContain('Extractor finished successfully.');
    expect(status).toBe(0);
    expect(await readFile(join(data, 'out/tables/b.boats'), 'utf8')).toBe('"id"\n"1"\n');
    expect(JSON.parse(await readFile(join(data, 'out/tables/b.boats.manifest'), 'utf8'))).toEqual({
      destination: 'in.c-b.boats',
      incremental: false,
    });
    const state = await readFile(join(data, 'out/state.json'), 'utf8');
    expect(state).toContain('"other":9007199254740993');
    expect((JSON.parse(state) as { time: { previousStart: number } }).time.previousStart).toBeGreaterThan(1.6e9);
  });

  it('language 0.3 rule 5: leaves bytes of a body out that are no UTF-8, and says so', async () => {
    await server.close();
    server = await startServer({ '/boats': bytes(Buffer.from('[{"id":"caf\xe9"}]', 'latin1')) });
    await configure('boats');
    const { status, stderr } = await component();
    expect(stderr).toContain('no UTF-8');
    expect(status).toBe(0);
    expect(await readFile(join(data, 'out/tables/b.boats'), 'utf8')).toBe('"id"\n"caf"\n');
  });

  it.each<[string, string | undefined]>([
    ['missing', undefined],
    ['unreadable', '{"time":'],
    ['no object', '[]'],
  ])('a state that is %s is a warning and means that there is none', async (_, state) => {
    await configure('boats');
    if (state !== undefined) await given('in/state.json', state);
    const { status, stderr } = await component();
    expect(stderr).toMatch(/warn: No state of an earlier run is used/);
    expect(status).toBe(0);
  });

  it.each<[string, string | undefined, RegExp]>([
    ['missing', undefined, /Configuration file '.*config\.json' not found\./],
    ['no JSON', '{"parameters": {"config": {"#token": "s3cret"}', /Configuration file is not a valid JSON/],
  ])('exits 2 for a configuration file that is %s', async (_, content, message) => {
    if (content !== undefined) await given('config.json', content);
    const { status, stderr } = await component();
    expect(stderr).toMatch(message);
    expect(stderr).not.toContain('s3cret');
    expect(status).toBe(2);
  });

  it.each<[string, object]>([
    ['beside "parameters"', { extends: './base.json', parameters: {} }],
    ['inside of it', { parameters: { extends: ['./base.json'] } }],
  ])('follows no other files, and says so, where extends stands %s', async (_, config) => {
    await configure('boats');
    const { parameters } = JSON.parse(await readFile(join(data, 'config.json'), 'utf8')) as { parameters: object };
    await given('base.json', '{}');
    const inside = { ...parameters, ...(config as { parameters: object }).parameters };
    await given('config.json', JSON.stringify({ ...config, parameters: inside }));
    const { status, stderr } = await component();
    expect(stderr).toMatch(/extends: the component follows no other files: write all into config\.json/);
    expect(status).toBe(1);
    expect([server.requests.length, existsSync(join(data, 'out'))]).toEqual([0, false]);
  });

  it('ignores an extends that names no file, as any other key', async () => {
    await configure('boats');
    const config = JSON.parse(await readFile(join(data, 'config.json'), 'utf8')) as object;
    await given('config.json', JSON.stringify({ ...config, extends: { a: 1 } }));
    expect(await component()).toMatchObject({ status: 0 });
  });

  it('exits 1 and writes nothing when the API is at fault', async () => {
    await configure('broken');
    const { status, stderr } = await component();
    expect(stderr).toContain('[500] GET');
    expect(stderr).not.toContain('successfully');
    expect(status).toBe(1);
    expect(existsSync(join(data, 'out'))).toBe(false);
  });

  it('finds its folder in KBC_DATADIR', async () => {
    await configure('boats');
    process.env['KBC_DATADIR'] = data;
    try {
      expect((await runToEnd(['component'])).status).toBe(0);
    } finally {
      delete process.env['KBC_DATADIR'];
    }
    expect(existsSync(join(data, 'out/tables/b.boats'))).toBe(true);
  });
});
