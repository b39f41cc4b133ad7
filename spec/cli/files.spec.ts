import { link, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { filesOfDestinations, refuseOverwriting } from '../../src/cli/files';
import { json } from '../support/answers';
import { startServer } from '../support/api-server';
import type { ApiServer } from '../support/api-server';
import { runToEnd } from '../support/command';

describe('own files', () => {
  let folder: string;
  beforeEach(async () => (folder = await mkdtemp(join(tmpdir(), 'headwater-own-'))));
  afterEach(() => rm(folder, { recursive: true, force: true }));
  const at = (name: string): string => join(folder, name);
  const written = (path: string): void =>
    refuseOverwriting([{ what: '--state', path }], [{ what: 'the configuration', path: at('c.json') }]);

  describe('a file that is read is not written', () => {
    beforeEach(() => writeFile(at('c.json'), '{}'));

    it.each<readonly [string, () => Promise<string>]>([
      ['by its path', () => Promise.resolve(at('c.json'))],
      ['by a path with detours', () => Promise.resolve(`${folder}/./x/../c.json`)],
      ['by a relative path', () => Promise.resolve(relative(process.cwd(), at('c.json')))],
      ['by a link', () => symlink(at('c.json'), at('link')).then(() => at('link'))],
      ['by a folder that is a link', () => symlink(folder, at('same')).then(() => at('same/c.json'))],
      ['by another name of the file', () => link(at('c.json'), at('other')).then(() => at('other'))],
    ])('%s', async (_, make) => {
      const path = await make();
      expect(() => written(path)).toThrow('the configuration');
    });

    it('but other files are, and new ones', async () => {
      await writeFile(at('s.json'), '{}');
      expect(() => written(at('s.json'))).not.toThrow();
      expect(() => written(at('new.json'))).not.toThrow();
      expect(() => written(folder)).not.toThrow();
    });

    it('nor are two outputs one file', () => {
      const outputs = ['--state', '--record'].map((what) => ({ what, path: at('new') }));
      expect(() => refuseOverwriting(outputs, [])).toThrow(`--record: ${at('new')} is --state`);
    });

    it('nor is a database in its place', () => {
      const files = filesOfDestinations(['duckdb:a.db?x=1', { to: 'sqlite:b.db' }, 'csv:out', 'ndjson:-']);
      expect(files.map(({ path }) => path)).toEqual(['a.db', 'b.db']);
    });
  });
});

/** The built command does not write over what it reads. */

describe('files of runs', () => {
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
});
