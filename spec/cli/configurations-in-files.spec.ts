/** The built command with configurations in files of all kinds, and with secrets that stand elsewhere. */
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startServer } from '../support/api-server';
import type { ApiServer } from '../support/api-server';
import { json } from '../support/answers';
import { runToEnd } from '../support/command';

const TOKEN = 's3cr3t-T0ken-99';
let folder: string;
let server: ApiServer;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'headwater-files-'));
  server = await startServer(() => json([{ id: 1 }]));
});
afterEach(async () => {
  await server.close();
  await rm(folder, { recursive: true, force: true });
});
const file = async (name: string, text: string): Promise<string> => {
  await writeFile(join(folder, name), text);
  return join(folder, name);
};
const yaml = (endpoint: string): string => `api:
  baseUrl: ${server.origin}
  http: { headers: { X-Token: { function: concat, args: ["t ", { env: HEADWATER_SPEC_TOKEN }] } } }
config:
  jobs:
    - endpoint: ${endpoint}
`;

describe('headwater run', () => {
  it('sends a secret of --env-file, which is in nothing that it prints or writes', async () => {
    const config = await file('a.yaml', yaml('items'));
    const env = await file('own.env', `HEADWATER_SPEC_TOKEN=${TOKEN}\n`);
    const out = [
      '--to',
      `ndjson:${join(folder, 'out')}`,
      '--record',
      join(folder, 'a.har'),
      '--state',
      join(folder, 's'),
    ];
    const { status, stdout, stderr } = await runToEnd([
      'run',
      config,
      '--env-file',
      env,
      ...out,
      '--log-level',
      'debug',
    ]);
    expect({ status, stderr }).toMatchObject({ status: 0, stderr: expect.stringContaining('GET ') as string });
    expect(server.requests[0]?.headers['x-token']).toBe(`t ${TOKEN}`);
    const names = (await readdir(folder, { recursive: true, withFileTypes: true })).filter(
      (entry) => entry.isFile() && entry.name !== 'own.env',
    );
    expect(names.map(({ name }) => name)).toEqual(expect.arrayContaining(['a.har', 's']));
    const texts = await Promise.all(names.map(({ parentPath, name }) => readFile(join(parentPath, name), 'latin1')));
    expect([stdout, stderr, ...texts].filter((text) => text.includes(TOKEN))).toEqual([]);
  });

  it('reads no .env by itself, and says where a variable is missing', async () => {
    const config = await file('a.yaml', yaml('items'));
    await file('.env', `HEADWATER_SPEC_TOKEN=${TOKEN}\n`);
    const { status, stderr } = await runToEnd(['run', config, '--to', 'ndjson:-']);
    expect(status).toBe(1);
    expect(stderr).toMatch(
      /a\.yaml:3:\d+ api\.http\.headers\.X-Token\.args\[1\]: the environment variable HEADWATER_SPEC_TOKEN is not set/,
    );
    expect(server.requests).toEqual([]);
  });
});

describe('headwater validate', () => {
  const module = (): string => `{ api: { baseUrl: '${server.origin}' }, config: { jobs: [{ endpoint: 'm' }] } };`;

  it.each([
    ['a.mjs', 'export default ', 0, 'The configuration is valid: 1 job.'],
    ['b.mjs', 'export const other = ', 1, 'it has no default export'],
    ['c.cjs', 'module.exports = ', 0, 'The configuration is valid: 1 job.'],
  ])('takes modules: %s %s', async (name, before, wanted, message) => {
    const { status, stdout, stderr } = await runToEnd(['validate', await file(name, before + module())]);
    expect(stdout + stderr).toContain(message);
    expect(status).toBe(wanted);
  });

  it('takes YAML and JSON with comments on standard input', async () => {
    const env = ['--env-file', await file('own.env', 'HEADWATER_SPEC_TOKEN=x-1\n')];
    expect(await runToEnd(['validate', '-', ...env], yaml('items'))).toMatchObject({ status: 0 });
    const commented = `// stations\n{"api":{"baseUrl":"${server.origin}"},"config":{"jobs":[{"endpoint":"a",}]}}`;
    expect(await runToEnd(['validate', '-'], commented)).toMatchObject({ status: 0 });
  });
});
