import { spawn } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { json } from '../support/answers';
import { startServer } from '../support/api-server';
import { COMMAND, runToEnd } from '../support/command';

interface Loaded {
  readonly status: number | null;
  readonly stdout: string;
  /** The paths of the files that were loaded. */
  readonly files: readonly string[];
}

/** Runs the command, and tells what it has loaded. */
async function loadedBy(args: readonly string[], input = '', command = COMMAND): Promise<Loaded> {
  const listing = 'process.on("exit", () => console.error(JSON.stringify(Object.keys(require.cache))))';
  const child = spawn(process.execPath, ['-e', `${listing}; require(${JSON.stringify(command)})`, '--', ...args]);
  child.stdin.end(input);
  const closed = new Promise<number | null>((resolve) => child.once('close', resolve));
  const [stdout, stderr, status] = await Promise.all([text(child.stdout), text(child.stderr), closed]);
  return { status, stdout, files: JSON.parse(stderr.trimEnd().split('\n').at(-1) ?? '') as string[] };
}

/** Strings that are in a part of the command, whatever becomes of its names. */
const MARKS = { engine: 'dataField', undici: 'UND_ERR_CONNECT_TIMEOUT', winston: 'winston:create-logger' };

const partsIn = (files: readonly string[]): readonly string[] => {
  const content = files.map((path) => readFileSync(path, 'utf8')).join('\n');
  return Object.entries(MARKS).flatMap(([part, mark]) => (content.includes(mark) ? [part] : []));
};

const configOf = (baseUrl: string): string =>
  JSON.stringify({ api: { baseUrl }, config: { jobs: [{ endpoint: 'users' }] } });
const VALID = configOf('https://api.example');

describe('the built command (docs/decisions/package-and-command.md)', () => {
  it('stands alone: no subcommand loads a file from outside its folder', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'headwater-command-'));
    cpSync(dirname(COMMAND), folder, { recursive: true });
    const command = join(folder, 'main.js');
    const server = await startServer({ '/users': json([{ id: 1 }]) });
    try {
      const run = await loadedBy(['run', '-'], configOf(server.origin), command);
      expect(run).toMatchObject({ status: 0, stdout: '{"id":1}\n' });
      const ended = await Promise.all(
        [['validate', '-'], ['schema'], ['explain', 'offset'], ['--help'], ['component', '--data-dir', folder]].map(
          (args) => loadedBy(args, VALID, command),
        ),
      );
      // The folder has no config.json, which is what `component` says.
      expect(ended.map(({ status }) => status)).toEqual([0, 0, 0, 0, 2]);
      for (const path of [run, ...ended].flatMap(({ files }) => files)) expect(dirname(path)).toBe(folder);
    } finally {
      await server.close();
      rmSync(folder, { recursive: true });
    }
  });

  it.each([
    { args: ['--version'], parts: [] },
    { args: ['--help'], parts: [] },
    { args: ['schema'], parts: ['engine'] },
    { args: ['explain'], parts: ['engine'] },
    { args: ['validate', '-'], parts: ['engine'] },
    { args: ['run', '-', '--to', 'nowhere:'], parts: ['engine', 'undici', 'winston'] },
  ])('$args loads only what it needs: $parts', async ({ args, parts }) => {
    const { files } = await loadedBy(args, VALID);
    expect(files).toContain(COMMAND);
    expect(partsIn(files)).toEqual(parts);
  });

  it('has no file that requires the first one, which would start it again', async () => {
    const { files } = await loadedBy(['run', '-', '--to', 'nowhere:'], VALID);
    const others = files.filter((path) => path !== COMMAND);
    expect(others.length).toBeGreaterThan(1);
    for (const path of others) expect(readFileSync(path, 'utf8')).not.toMatch(/require\(["'`]\.\/main\.js["'`]\)/);
  });

  it('keeps the names of functions, which stacks are read by', async () => {
    const { files } = await loadedBy(['validate', '-'], VALID);
    const content = files.map((path) => readFileSync(path, 'utf8')).join('\n');
    for (const name of ['probeCommand', 'decodeConfiguration', 'planIteration'])
      expect(content).toContain(`function ${name}(`);
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
    for (const name of ['commander', 'fp-ts', 'rxjs', 'saxes', 'undici', 'winston'])
      expect(licenses).toMatch(new RegExp(`^${name} \\d`, 'm'));
  });
});
