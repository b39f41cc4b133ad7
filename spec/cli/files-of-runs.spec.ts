/** The built command does not write over what it reads. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json } from '../support/answers';
import { startServer } from '../support/api-server';
import type { ApiServer } from '../support/api-server';
import { runToEnd } from '../support/command';

let server: ApiServer;
let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'headwater-files-'));
  server = await startServer({ '/users': json([{ id: 1 }]) });
});
afterEach(async () => {
  await server.close();
  await rm(folder, { recursive: true, force: true });
});

it.each([
  ['--record', 'c.json', 'the configuration'],
  ['--state', 'c.json', 'the configuration'],
  ['--record', 'base.yaml', 'a part of it'],
  ['--state', 'env', 'the file of --env-file'],
  ['--record', 'token', 'a file that the configuration refers to'],
  ['--to', 'c.json', 'the configuration'],
])('%s %s is refused before the first request', async (flag, name, what) => {
  const at = (file: string): string => join(folder, file);
  const texts = {
    'base.yaml': `api:\n  baseUrl: ${server.origin}\n`,
    'c.json': JSON.stringify({
      extends: './base.yaml',
      api: { authentication: { type: 'bearer', token: { file: at('token') } } },
      config: { jobs: [{ endpoint: 'users' }] },
    }),
    env: 'A=1\n',
    token: 'k7Qd9xZvR2\n',
  };
  for (const [file, text] of Object.entries(texts)) await writeFile(at(file), text);
  const value = flag === '--to' ? `duckdb:${at(name)}` : at(name);
  const { status, stderr } = await runToEnd(['run', at('c.json'), '--env-file', at('env'), flag, value]);
  expect([status, server.requests]).toEqual([1, []]);
  expect(stderr).toContain(`${at(name)} is ${what}`);
  for (const [file, text] of Object.entries(texts)) expect(await readFile(at(file), 'utf8')).toBe(text);
});
