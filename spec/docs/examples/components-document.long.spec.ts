/** The modules of docs/components.md compile, as strictly as it gets, and run, with the built package. */
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import ts from 'typescript';
import { bytes } from '../../support/answers';
import { startServer } from '../../support/api-server';
import { needsBuild } from '../../support/build';
import { COMMAND } from '../../support/command';
import { fencesOf } from '../../support/page-examples';

needsBuild('components.js');
const ROOT = join(__dirname, '../../..');
const fences = fencesOf(readFileSync(join(ROOT, 'docs', 'components.md'), 'utf8'));
const blocks = (language: string): readonly string[] =>
  fences.flatMap(({ info, text }) => (info === language ? [text] : []));
/** The first line of a module is its name. */
const modules = blocks('ts').map((text) => [/^\/\/ (\S+\.ts)\n/.exec(text)?.[1] ?? '', text] as const);
const execute = promisify(execFile);

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'headwater-spec-'));
  mkdirSync(join(folder, 'node_modules', '@types'), { recursive: true });
  symlinkSync(ROOT, join(folder, 'node_modules', 'headwater'));
  for (const name of ['rxjs', '@types/node'])
    symlinkSync(join(ROOT, 'node_modules', name), join(folder, 'node_modules', name));
  for (const [name, text] of modules) writeFileSync(join(folder, name), text);
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Compiles modules into the folder `build`. @returns what the compiler complains of */
function compiled(names: readonly string[]): readonly string[] {
  const options: ts.CompilerOptions = {
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.Node16,
    moduleResolution: ts.ModuleResolutionKind.Node16,
    ...{ strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true, noImplicitReturns: true },
    ...{ esModuleInterop: true, skipLibCheck: true, types: ['node'], outDir: join(folder, 'build') },
  };
  const program = ts.createProgram(
    names.map((name) => join(folder, name)),
    options,
    ts.createCompilerHost(options),
  );
  program.emit();
  return ts
    .getPreEmitDiagnostics(program)
    .map(({ file, messageText }) => `${file?.fileName}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`);
}

const headwater = (...words: readonly string[]) =>
  execute(process.execPath, [COMMAND, ...words, '--components', 'build/parts.js'], { cwd: folder });

describe('docs/components.md', () => {
  it('has modules that compile', () => {
    const cwd = process.cwd();
    process.chdir(folder);
    try {
      expect(compiled(modules.map(([name]) => name))).toEqual([]);
      writeFileSync(
        join(folder, 'wrong.ts'),
        "import { slug } from './slug';\nexport const wrong: number = slug.name;\n",
      );
      expect(compiled(['wrong.ts'])).toEqual([expect.stringMatching(/wrong\.ts: Type '\w+' is not assignable/)]);
    } finally {
      process.chdir(cwd);
    }
  }, 60_000);

  it('has a module for each kind of part', async () => {
    const { stdout } = await headwater('explain');
    expect(stdout.match(/^ {2}(?:slug|marker|key|pairs|archive|timing)(?: |$)/gm)).toHaveLength(6);
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
    const { stdout } = await execute(process.execPath, ['--test', 'build/archive.test.js'], { cwd: folder });
    expect(stdout).toMatch(/^(?:#|ℹ) fail 0$/m);
    expect(Number(/^(?:#|ℹ) pass (\d+)$/m.exec(stdout)?.[1])).toBeGreaterThan(10);
  }, 60_000);
});
