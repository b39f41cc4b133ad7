import { access, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readConfiguration, validate } from '../../../src';
import { stringifyJson } from '../../../src/core/json/stringify';
import type { Json, ConfigurationError } from '../../../src';

let folder: string;
beforeEach(async () => (folder = await mkdtemp(join(tmpdir(), 'headwater-parts-'))));
afterEach(() => rm(folder, { recursive: true, force: true }));

async function write(files: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    await mkdir(join(folder, name, '..'), { recursive: true });
    await writeFile(join(folder, name), text);
  }
}
async function read(files: Readonly<Record<string, string>>, name = 'main.yaml') {
  await write(files);
  return readConfiguration(join(folder, name));
}
const merged = async (files: Readonly<Record<string, string>>, name?: string): Promise<string> =>
  stringifyJson((await read(files, name)).configuration as Json);
const refusal = async (files: Readonly<Record<string, string>>): Promise<string> => {
  const error: unknown = await read(files).catch((failure: unknown) => failure);
  expect(error).toMatchObject({ code: 'CONFIG_UNREADABLE' });
  return String(error).replaceAll(folder, '');
};
const faultsOf = async (files: Readonly<Record<string, string>>, name?: string): Promise<readonly string[]> => {
  const { configuration, located } = await read(files, name);
  try {
    validate(configuration);
    return [];
  } catch (error) {
    return (located(error) as ConfigurationError).faults.map(({ path }) => path.replaceAll(folder, ''));
  }
};

describe('parts of a configuration', () => {
  it('objects merge, later ones win, lists are replaced; digits and order stay', async () => {
    const base =
      'api: {baseUrl: "https://a.example", http: {headers: {a: 1234567890.12345678901, b: 2}}}\nconfig: {tags: [1, 2], "2": x, n: 12345678901234567890}';
    const main =
      'extends: ./base.yaml\napi: {http: {headers: {b: 0.12345678901234567890}}}\nconfig: {tags: [3], m: null}';
    expect(await merged({ 'base.yaml': base, 'main.yaml': main })).toBe(
      '{"api":{"baseUrl":"https://a.example","http":{"headers":{"a":1234567890.12345678901,"b":0.12345678901234567890}}},' +
        '"config":{"tags":[3],"2":"x","n":12345678901234567890,"m":null}}',
    );
  });

  it('jobs merge by their id; others are added', async () => {
    const base = 'config: {jobs: [{id: a, endpoint: a, params: {x: 1}}, {endpoint: b}]}';
    const main = 'extends: base.yaml\nconfig: {jobs: [{endpoint: c}, {id: a, params: {y: 2}}, {id: d, endpoint: d}]}';
    const { config } = JSON.parse(await merged({ 'base.yaml': base, 'main.yaml': main })) as {
      config: { jobs: unknown[] };
    };
    expect(config.jobs).toEqual([
      { id: 'a', endpoint: 'a', params: { x: 1, y: 2 } },
      { endpoint: 'b' },
      { endpoint: 'c' },
      { id: 'd', endpoint: 'd' },
    ]);
  });

  it.each([
    ['jobs: { endpoint: c }', { endpoint: 'c' }],
    ['jobs: null', null],
    ['jobs: many', 'many'],
  ])('jobs that are no list replace those before, as any value does: %s', async (written, jobs) => {
    const files = { 'base.yaml': 'config: {jobs: [{id: a, endpoint: a}]}', 'main.yaml': '' };
    const main = `extends: base.yaml\nconfig:\n  ${written}`;
    expect(JSON.parse(await merged({ ...files, 'main.yaml': main }))).toEqual({ config: { jobs } });
    expect(await faultsOf({ ...files, 'main.yaml': main })).toContain('/main.yaml:3:9 config.jobs');
  });

  it.each(['config: null', 'config: {jobs: null}'])('jobs are added to those behind %s alone', async (between) => {
    const files = {
      'base.yaml': 'config: {jobs: [{id: a, endpoint: a, params: {x: 1}}, {endpoint: b}]}',
      'middle.yaml': `extends: base.yaml\n${between}`,
      'main.yaml':
        'extends: middle.yaml\napi: {baseUrl: "https://a.example"}\nconfig:\n  jobs:\n    - {endpoint: [1]}\n    - {id: a, endpoint: c}',
    };
    expect(JSON.parse(await merged(files))).toMatchObject({
      config: { jobs: [{ endpoint: [1] }, { id: 'a', endpoint: 'c' }] },
    });
    expect(await faultsOf(files)).toEqual(['/main.yaml:5:18 config.jobs[0].endpoint']);
  });

  it('takes JSON, YAML and modules, in both forms, relative to the file that names them; each once', async () => {
    const files = {
      'main.cjs': 'module.exports = { extends: ["parts/one.json", "parts/two.cjs"], config: { c: 3 } };',
      'parts/one.json': '// the first\n{"extends": "../shared/base.yaml", "parameters": {"config": {"b": 1}}}',
      'parts/two.cjs': 'module.exports = { extends: ["../shared/base.yaml"], config: { b: 2 } };',
      'shared/base.yaml': 'api: {baseUrl: "https://a.example"}\nconfig: {b: 0, jobs: [{endpoint: a}]}',
    };
    expect(JSON.parse(await merged(files, 'main.cjs'))).toEqual({
      api: { baseUrl: 'https://a.example' },
      config: { b: 2, c: 3, jobs: [{ endpoint: 'a' }] },
    });
  });

  it('a module extends files, too', async () => {
    const files = { 'main.cjs': 'module.exports = () => ({ extends: "base.yaml" });', 'base.yaml': 'config: {a: 1}' };
    expect(await merged(files, 'main.cjs')).toBe('{"config":{"a":1}}');
  });

  it.each([
    ['JSON', { 'main.json': '{"extends": "./run.cjs"}' }],
    ['YAML', { 'main.yaml': 'extends: run.cjs' }],
    ['a part in JSON', { 'main.cjs': 'module.exports = { extends: "p.json" };', 'p.json': '{"extends": "run.cjs"}' }],
  ])('%s runs no module', async (_, files) => {
    const program = `require('node:fs').writeFileSync(${JSON.stringify(join(folder, 'ran'))}, ''); module.exports = {};`;
    await write({ ...files, 'run.cjs': program });
    const [name = ''] = Object.keys(files);
    await expect(readConfiguration(join(folder, name))).rejects.toThrow('only a module may extend one');
    await expect(access(join(folder, 'ran'))).rejects.toThrow('ENOENT');
  });

  it('a fault is told with the part that it stands in, and its place there', async () => {
    const faults = await faultsOf({
      'base.yaml': 'api:\n  baseUrl: 5x\nconfig:\n  jobs:\n    - id: a\n      endpoint: a\n    - endpoint: [1]\n',
      'main.yaml':
        'extends: base.yaml\nconfig:\n  concurrency: many\n  jobs:\n    - id: b\n      endpoint: b\n      children: 7\n',
    });
    expect(faults).toContain('/base.yaml:2:12 api.baseUrl');
    expect(faults).toContain('/main.yaml:3:16 config.concurrency');
    expect(faults).toContain('/base.yaml:7:17 config.jobs[1].endpoint');
    expect(faults).toContain('/main.yaml:7:17 config.jobs[2].children');
  });

  it('a fault of a wrapped part and of a module names their files', async () => {
    const wrapped = '{"parameters": {"api": {\n "baseUrl": 5}}}';
    const files = {
      'w.json': wrapped,
      'm.cjs': 'module.exports = { config: { concurrency: "x" } };',
      'main.cjs': 'module.exports = { extends: ["w.json", "m.cjs"], config: { jobs: [{ endpoint: "a" }] } };',
    };
    const faults = await faultsOf(files, 'main.cjs');
    expect(faults).toEqual(expect.arrayContaining(['/w.json:2:13 api.baseUrl', '/m.cjs config.concurrency']));
  });

  it.each<readonly [string, Readonly<Record<string, string>>, string]>([
    [
      'a circle',
      { 'main.yaml': 'extends: b.yaml', 'b.yaml': 'extends: ./main.yaml' },
      '/main.yaml → /b.yaml → /main.yaml',
    ],
    ['itself', { 'main.yaml': 'extends: main.yaml' }, '/main.yaml → /main.yaml'],
    ['a URL', { 'main.yaml': 'extends: "https://a.example/base.yaml"' }, 'no URL'],
    ['a number', { 'main.yaml': 'extends: 5' }, '"extends" names a file, or is a list of files'],
    [
      'a file that is not there',
      { 'main.yaml': 'extends: base.yaml' },
      '/base.yaml cannot be read: there is no such file',
    ],
    [
      'a list as a part',
      { 'main.yaml': 'extends: b.yaml', 'b.yaml': '[1]' },
      '/b.yaml:1:1 cannot be used: it is no object',
    ],
    ['a part that is no YAML', { 'main.yaml': 'extends: b.yaml', 'b.yaml': 'a: [' }, '/b.yaml is not valid YAML'],
  ])('%s is refused', async (_, files, message) => {
    expect(await refusal(files)).toContain(message);
  });

  it('a configuration that was not read from a file is told that nothing is merged', () => {
    const config = {
      extends: './base.yaml',
      api: { baseUrl: 'https://a.example' },
      config: { jobs: [{ endpoint: 'a' }] },
    };
    expect(() => validate(config)).toThrow('files are merged by readConfiguration(path)');
  });
});
