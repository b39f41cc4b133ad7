/** The studio and configurations that are made of parts: the page edits the file itself, and a run has all of it. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createCalls } from '../../src/studio/calls';
import type { Calls } from '../../src/studio/calls';
import type { Beneath } from '../../src/studio/wire';
import { scriptedApi } from '../../src/testing';

const SECRET = 'k-71f-secret-93';
const BASE = `api:
  baseUrl: http://api.example
  http: { headers: { X-Api-Token: { attr: '#token' } } }
config:
  '#token': ${SECRET}
  jobs:
    - { id: first, endpoint: lakes }
`;
const OWN = `# What this river asks for.
extends: ./base.yaml
config:
  jobs:
    - endpoint: rivers # all of them
    - { id: first, params: { size: 5 } }
`;

interface Fault {
  readonly path: string;
  readonly message: string;
  readonly part?: string;
}
interface Checked {
  readonly jobs: number;
  readonly faults: readonly Fault[];
  readonly warnings: readonly Fault[];
  readonly beneath?: Beneath | null;
}

describe('a studio for a configuration with parts', () => {
  let folder: string;
  let calls: Calls;
  const api = scriptedApi([
    { path: '/rivers', answer: ({ headers }) => ({ json: [{ id: 1, received: headers['x-api-token'] ?? '' }] }) },
    { path: '/lakes', answer: { json: [{ id: 2 }] } },
  ]);
  const at = (name: string): string => join(folder, name);
  const open = (name: string): Calls =>
    createCalls({ path: at(name), queries: '', lenient: false, components: [], fetch: api.fetch });
  /** What the page gets. */
  const ask = async <T>(name: string, given: object = {}): Promise<T> =>
    calls.mask.masked(await calls.call[name]?.({ ...given }, new AbortController().signal)) as T;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'headwater-studio-parts-'));
    await writeFile(at('base.yaml'), BASE);
    await writeFile(at('rivers.yaml'), OWN);
    calls = open('rivers.yaml');
  });
  afterEach(() => rm(folder, { recursive: true }));

  it('shows the text of the file itself, checks all of it, and previews it without the secret of a part', async () => {
    const { text } = await ask<{ text: string }>('open');
    expect(text).toBe(OWN);
    expect(await ask('check', { text })).toMatchObject({ jobs: 2, faults: [], warnings: [] });
    const preview = await ask<{ jobs: { path: string; endpoint: string }[] }>('preview', { text });
    expect(preview.jobs.map(({ endpoint }) => endpoint)).toEqual(['lakes', 'rivers']);
    expect(JSON.stringify(preview)).toContain('"received":"***"');
    expect(JSON.stringify(preview)).not.toContain(SECRET);
  });

  it('saves the text as it was written, and leaves the parts alone', async () => {
    const { text, version } = await ask<{ text: string; version: string }>('open');
    await ask('save', { text: text.replace('all of them', 'each of them'), version });
    expect(await readFile(at('rivers.yaml'), 'utf8')).toBe(OWN.replace('all of them', 'each of them'));
    expect(await readFile(at('base.yaml'), 'utf8')).toBe(BASE);
  });

  it('names jobs by their places in the text, and those of parts by their files', async () => {
    await writeFile(at('base.yaml'), BASE.replace('lakes }', 'lakes }\n    - { endpoint: lakes, dataType: more }'));
    const { jobs } = await ask<{ jobs: { path: string }[] }>('preview', { text: OWN });
    expect(jobs.map(({ path }) => path)).toEqual([
      'config.jobs[1]',
      `${at('base.yaml')}:8:7 config.jobs[1]`,
      'config.jobs[0]',
    ]);
    await ask('run', { text: OWN });
    await new Promise<void>((resolve) => {
      const timer = setInterval(() => {
        if (calls.runs.current().endedAt === undefined) return;
        clearInterval(timer);
        resolve();
      }, 20);
    });
    expect(calls.runs.current()).toMatchObject({ state: 'finished' });
    expect(
      calls.runs
        .timeline()
        .jobs()
        .map(({ path }) => path),
    ).toEqual(jobs.map(({ path }) => path));
  });

  it('tells a fault of the file with its path there, and one of a part with its file and line', async () => {
    const own = await ask<Checked>('check', { text: OWN.replace('endpoint: rivers', 'endpiont: rivers') });
    expect(own.faults.map(({ path }) => path)).toContain('config.jobs[0].endpoint');
    await writeFile(at('base.yaml'), BASE.replace('http://api', 'ftp://api'));
    const { faults } = await ask<Checked>('check', { text: OWN });
    expect(faults.map(({ path, part }) => [path, part])).toEqual([
      [`${at('base.yaml')}:2:12 api.baseUrl`, at('base.yaml')],
    ]);
    await expect(ask('preview', { text: OWN })).rejects.toMatchObject({
      faults: [{ path: `${at('base.yaml')}:2:12 api.baseUrl` }],
    });
  });

  it('tells what is wrong with the files that it names', async () => {
    const gone = await ask<Checked>('check', { text: OWN.replace('base.yaml', 'gone.yaml') });
    expect(gone.faults[0]?.message).toContain('gone.yaml cannot be read: there is no such file');
    const self = await ask<Checked>('check', { text: OWN.replace('base.yaml', 'rivers.yaml') });
    expect(self.faults[0]?.message).toContain('in a circle');
  });

  it('gives the page the jobs of its parts, with what they are called and ask for, and nothing else', async () => {
    await writeFile(
      at('lower.yaml'),
      `config:
  '#token': t-4c1-overwritten
  '#name': lochs
  sinks: [{ type: duckdb, file: hidden.duckdb }]
  jobs:
    - { endpoint: 'tarns?key=t-4c1-overwritten', params: { a: hidden }, window: { field: hidden } }
    - { endpoint: { function: concat, args: [hidden] }, dataType: lochs, primaryKey: [id, { attr: hidden }] }
`,
    );
    await writeFile(
      at('base.yaml'),
      `extends: ./lower.yaml
api:
  baseUrl: http://api.example
  pagination: { method: offset, limit: 100, firstPageParams: false }
config:
  '#token': ${SECRET}
  jobs:
    - id: first
      endpoint: lakes
      incremental: { field: seen, param: hidden }
      concurrency: 3
      children: [{ endpoint: 'lakes/{id}', placeholders: { id: hidden } }]
`,
    );
    const { beneath } = await ask<Checked>('check', { text: OWN });
    expect(beneath?.config).toEqual({
      api: { pagination: { method: 'offset', limit: true, firstPageParams: true } },
      config: {
        sinks: [true],
        jobs: [
          { endpoint: 'tarns?key=⟨secret 1⟩', window: true },
          { dataType: '⟨secret 2⟩', primaryKey: ['id'] },
          {
            ...{ id: 'first', endpoint: 'lakes', incremental: { field: 'seen' }, concurrency: 3 },
            children: [{ endpoint: 'lakes/{id}' }],
          },
        ],
      },
    });
    expect(Object.entries(beneath?.places ?? {}).map(([place, { file, line }]) => [place, file, line])).toEqual([
      ['api.pagination', 'base.yaml', 4],
      ['config.jobs[0]', 'lower.yaml', 6],
      ['config.jobs[1]', 'lower.yaml', 7],
      ['config.jobs[2]', 'base.yaml', 8],
      ['config.jobs[2].children[0]', 'base.yaml', 12],
    ]);
    expect(JSON.stringify(beneath)).not.toMatch(/hidden|t-4c1|lochs/);
  });

  it('has one placeholder for a secret in the name of a job, in the text and in the part', async () => {
    await writeFile(at('base.yaml'), BASE.replace('id: first', `id: ${SECRET}`));
    const own = OWN.replace('id: first', `id: ${SECRET}`);
    await writeFile(at('rivers.yaml'), own);
    const { text, version } = await ask<{ text: string; version: string }>('open');
    expect(text).toBe(OWN.replace('id: first', 'id: ⟨secret 1⟩'));
    const { beneath } = await ask<Checked>('check', { text });
    expect(beneath?.config).toEqual({ config: { jobs: [{ id: '⟨secret 1⟩', endpoint: 'lakes' }] } });
    await ask('save', { text, version });
    expect(await readFile(at('rivers.yaml'), 'utf8')).toBe(own);
  });

  it('tells of the parts whatever is wrong with the text, as long as they can be read', async () => {
    const wrong = await ask<Checked>('check', { text: OWN.replace('rivers', '{ env: [] }') });
    expect(wrong.faults).not.toEqual([]);
    expect(Object.keys(wrong.beneath?.places ?? {})).toEqual(['config.jobs[0]']);
    expect((await ask<Checked>('check', { text: OWN.replace('base.yaml', 'gone.yaml') })).beneath).toBeNull();
    expect(await ask('check', { text: `${OWN} "` })).not.toHaveProperty('beneath');
    expect(await ask('check', { text: BASE })).not.toHaveProperty('beneath');
  });

  it('runs no module that a document names', async () => {
    await writeFile(at('base.mjs'), 'globalThis.hasRun = true;\nexport default { config: { jobs: [] } };\n');
    const text = OWN.replace('base.yaml', 'base.mjs');
    const { faults } = await ask<Checked>('check', { text });
    expect(faults[0]?.message).toContain('only a module may extend one');
    await expect(ask('preview', { text })).rejects.toThrow('only a module may extend one');
    expect(globalThis).not.toHaveProperty('hasRun');
  });

  it('does not open a module, which it could not write', () => {
    expect(() => open('rivers.mjs')).toThrow(/rivers\.mjs is a module/);
  });

  it('takes JSON with comments', async () => {
    const text =
      '{\n  // a river\n  "extends": "base.yaml",\n  "config": { "jobs": [{ "endpoint": "rivers" },] },\n}\n';
    await writeFile(at('rivers.jsonc'), text);
    calls = open('rivers.jsonc');
    expect(await ask<{ text: string }>('open')).toMatchObject({ text });
    expect(await ask('check', { text })).toMatchObject({ jobs: 2, faults: [], warnings: [] });
  });
});
