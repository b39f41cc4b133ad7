/** Files of variables on the command line, which Node.js has an option for as well. */
import { spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { COMMAND, runToEnd } from '../support/command';

const CONFIG = JSON.stringify({
  api: { baseUrl: 'https://api.example', http: { headers: { 'X-Key': { env: 'HEADWATER_SPEC_KEY' } } } },
  config: { jobs: [{ endpoint: 'a' }] },
});
const OURS = '--env-file: gone.env does not exist\n';
const node = (args: readonly string[]) =>
  spawnSync(process.execPath, args, { input: CONFIG, encoding: 'utf8', env: { PATH: process.env['PATH'] } });

describe('a file of variables that is not there', () => {
  it.each(['run', 'validate', 'preview', 'plan', 'explain', 'doctor', 'login'])('is told by %s', async (command) => {
    const state = command === 'login' ? ['--state', 'unused.json'] : [];
    const { status, stderr } = await runToEnd([command, '-', ...state, '-e', 'gone.env'], CONFIG);
    expect(stderr).toContain(OURS.trim());
    expect(status).toBe(1);
  });

  it('is told by its long name where the program stands behind --', () => {
    const { status, stderr } = node(['--', COMMAND, 'validate', '-', '--env-file', 'gone.env']);
    expect([status, stderr]).toEqual([1, OURS]);
  });

  it('is told by Node.js else, which the documents say, until there is one that does not', () => {
    const { status, stderr } = node([COMMAND, 'validate', '-', '--env-file', 'gone.env']);
    expect([
      [9, `node: gone.env: not found`],
      [1, OURS.trim()],
    ]).toContainEqual([status, stderr.trim().replace(/^.*node: /, 'node: ')]);
  });

  it('is left to the command by the image', async () => {
    const image = await readFile(join(__dirname, '../../Dockerfile'), 'utf8');
    expect(image).toMatch(/exec node -- \S+main\.js "\$@"/);
  });
});

describe('a file of variables', () => {
  let folder: string;
  beforeEach(async () => (folder = await mkdtemp(join(tmpdir(), 'headwater-env-'))));
  afterEach(() => rm(folder, { recursive: true }));

  it.each(['-e', '--env-file'])('is read with %s', async (flag) => {
    const file = join(folder, 'own.env');
    await writeFile(file, 'HEADWATER_SPEC_KEY=a1b2c3d4\n');
    const { status, stdout } = await runToEnd(['validate', '-', flag, file], CONFIG);
    expect([status, stdout]).toEqual([0, 'The configuration is valid: 1 job.\n']);
  });
});
