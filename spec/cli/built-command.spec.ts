import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { json } from '../support/answers';
import { startServer } from '../support/api-server';
import { COMMAND, runToEnd } from '../support/command';

describe('the built command (docs/architecture.md)', () => {
  it('is one file: a run loads no other, neither of the project nor of a package', async () => {
    const server = await startServer({ '/users': json([{ id: 1 }]) });
    const config = JSON.stringify({ api: { baseUrl: server.origin }, config: { jobs: [{ endpoint: 'users' }] } });
    const listing = 'process.on("exit", () => console.error(JSON.stringify(Object.keys(require.cache))))';
    const child = spawn(process.execPath, ['-e', `${listing}; require(${JSON.stringify(COMMAND)})`, 'run', '-']);
    child.stdin.end(config);
    const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
    await server.close();
    expect(stdout).toBe('{"id":1}\n');
    expect(JSON.parse(stderr.trimEnd().split('\n').at(-1) ?? '')).toEqual([COMMAND]);
  });

  it('knows its version without package.json', async () => {
    const { version } = JSON.parse(readFileSync(join(__dirname, '..', '..', 'package.json'), 'utf8')) as {
      version: string;
    };
    expect(await runToEnd(['--version'])).toEqual({ status: 0, stdout: `${version}\n`, stderr: '' });
  });

  it('starts with the line that makes it a program', () => {
    expect(readFileSync(COMMAND, 'utf8')).toMatch(/^#!\/usr\/bin\/env node\n/);
  });

  it('brings the licences of the packages that are in it', () => {
    const licenses = readFileSync(join(dirname(COMMAND), 'licenses.txt'), 'utf8');
    for (const name of ['commander', 'fp-ts', 'rxjs', 'undici', 'winston'])
      expect(licenses).toMatch(new RegExp(`^${name} \\d`, 'm'));
  });
});
