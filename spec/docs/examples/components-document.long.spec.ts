/** The modules of docs/components.md run as they stand there, with the built package. */
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { bytes } from '../../support/answers';
import { startServer } from '../../support/api-server';
import { needsBuild } from '../../support/build';
import { COMMAND } from '../../support/command';

needsBuild('components.js');
const ROOT = join(__dirname, '../../..');
const document = readFileSync(join(ROOT, 'docs', 'components.md'), 'utf8');
const blocks = (language: string): string[] =>
  [...document.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\`$`, 'gms'))].map(([, block = '']) => block);
/** The module of a part by its name; the others by what they are for. */
const nameOf = (module: string): string =>
  /^ {2}name: '(\w+)'/m.exec(module)?.[1] ?? (module.includes('describeSink') ? 'test' : 'parts');
const execute = promisify(execFile);

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'headwater-spec-'));
  mkdirSync(join(folder, 'node_modules'));
  symlinkSync(ROOT, join(folder, 'node_modules', 'headwater'));
  symlinkSync(join(ROOT, 'node_modules', 'rxjs'), join(folder, 'node_modules', 'rxjs'));
  for (const module of blocks('js')) writeFileSync(join(folder, `${nameOf(module)}.cjs`), module);
});
afterAll(() => rmSync(folder, { recursive: true }));
const headwater = (...words: readonly string[]) =>
  execute(process.execPath, [COMMAND, ...words, '--components', 'parts.cjs'], { cwd: folder });

describe('docs/components.md', () => {
  it('has a module for each kind of part', async () => {
    const { stdout } = await headwater('explain');
    expect(stdout.match(/^ {2}(?:slug|marker|key|pairs|archive|timing) /gm)).toHaveLength(6);
  });

  it('runs its configuration with all of them', async () => {
    const server = await startServer(({ url, headers }) => {
      if (headers['x-key'] !== 'trout') return bytes('', {}, 403);
      return bytes({ '/v1/levels?at=mill-weir': 'a=1\nb=2', '/v1/levels?at=mill-weir&after=b': 'c=3' }[url] ?? '');
    });
    const [shown = ''] = blocks('json');
    writeFileSync(join(folder, 'shown.json'), shown);
    expect((await headwater('validate', 'shown.json')).stdout).toBe('The configuration is valid: 1 job.\n');
    writeFileSync(join(folder, 'config.json'), shown.replace('https://api.example', server.origin));
    const { stderr } = await headwater('run', 'config.json');
    expect(stderr.match(/^200 after \d+ ms$/gm)).toHaveLength(3);
    expect(JSON.parse(readFileSync(join(folder, 'items.json'), 'utf8'))).toMatchObject({
      items: {
        levels: [
          { key: 'a', value: '1' },
          { key: 'b', value: '2' },
          { key: 'c', value: '3' },
        ],
      },
    });
    await server.close();
  });

  it('has a sink that keeps the contract', async () => {
    const { stdout } = await execute(process.execPath, ['--test', 'test.cjs'], { cwd: folder });
    expect(stdout).toMatch(/^(?:#|ℹ) fail 0$/m);
    expect(Number(/^(?:#|ℹ) pass (\d+)$/m.exec(stdout)?.[1])).toBeGreaterThan(10);
  });
});
