import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { COMMAND } from '../support/command';

let folder: string;
let cache: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'headwater-code-'));
  cache = join(folder, '.cache');
  copyFileSync(COMMAND, join(folder, 'main.js'));
  write(
    'command.js',
    "const { greeting } = require('./words.js'); exports.command = async () => console.log(greeting());",
  );
  write('words.js', "exports.greeting = () => 'good day';");
});
afterEach(() => rmSync(folder, { recursive: true }));

const write = (name: string, text: string): void => writeFileSync(join(folder, name), text);

/** Runs the beginning of the built command before other files of the command. */
function run(args: readonly string[] = ['greet'], env: NodeJS.ProcessEnv = {}) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(folder, 'main.js'), ...args], {
    encoding: 'utf8',
    env: { ...process.env, ...env },
  });
  return { status, stdout, stderr };
}

const GREETED = { status: 0, stdout: 'good day\n', stderr: '' };

/** Returns the only file of the cache, with what tells whether it was written again. */
function kept(): { readonly name: string; readonly path: string; readonly inode: number } {
  const names = readdirSync(cache);
  expect(names).toHaveLength(1);
  const [name = ''] = names;
  const path = join(cache, name);
  return { name, path, inode: statSync(path).ino };
}

describe('the cache of compiled code (docs/decisions/package-and-command.md)', () => {
  it('is written by the first process, and serves the next ones', () => {
    expect(run()).toEqual(GREETED);
    const first = kept();
    expect(first.name).toMatch(/^greet-\d+$/);
    expect(run()).toEqual(GREETED);
    expect(kept()).toEqual(first);
  });

  it('has a file for each subcommand, and one for all that is none', () => {
    for (const args of [['greet'], ['--help'], ['../../greet']]) expect(run(args)).toEqual(GREETED);
    expect(
      readdirSync(cache)
        .map((name) => name.replace(/-\d+$/, ''))
        .sort(),
    ).toEqual(['greet', 'headwater']);
  });

  it('gives no code of another text, however long it is', () => {
    run();
    const { inode } = kept();
    write('words.js', "exports.greeting = () => 'good-bye';");
    expect(run()).toEqual({ ...GREETED, stdout: 'good-bye\n' });
    expect(kept().inode).not.toBe(inode);
    expect(run()).toEqual({ ...GREETED, stdout: 'good-bye\n' });
  });

  it.each([
    ['empty', () => ''],
    ['cut off', (content: Buffer) => content.subarray(0, content.length / 2)],
    ['damaged', (content: Buffer) => content.fill(7, content.length - 100)],
  ])('is written again if it is %s', (_, damage) => {
    run();
    const whole = readFileSync(kept().path);
    writeFileSync(kept().path, damage(Buffer.from(whole)));
    expect(run()).toEqual(GREETED);
    expect(readFileSync(kept().path)).toHaveLength(whole.length);
  });

  it('takes up what later processes load', () => {
    write(
      'command.js',
      "exports.command = async () => process.env.MORE && console.log(require('./words.js').greeting());",
    );
    expect(run()).toEqual({ ...GREETED, stdout: '' });
    const { inode } = kept();
    expect(run(['greet'], { MORE: '1' })).toEqual(GREETED);
    const more = kept();
    expect(more.inode).not.toBe(inode);
    for (const env of [{ MORE: '1' }, {}]) run(['greet'], env);
    expect(kept()).toEqual(more);
  });

  it('is not written by a process that fails', () => {
    write('command.js', 'exports.command = async () => { process.exitCode = 1; };');
    expect(run().status).toBe(1);
    expect(readdirSync(folder)).not.toContain('.cache');
  });

  it('is neither read nor written with NODE_DISABLE_COMPILE_CACHE', () => {
    expect(run(['greet'], { NODE_DISABLE_COMPILE_CACHE: '1' })).toEqual(GREETED);
    expect(readdirSync(folder)).not.toContain('.cache');
  });

  it('is done without where it cannot be written', () => {
    writeFileSync(cache, 'a file in the place of the folder');
    expect(run()).toEqual(GREETED);
  });

  it('leaves stacks, own paths and packages as Node.js has them', () => {
    const reported =
      "[new Error().stack.split('\\n')[1].trim(), __filename, __dirname, module.filename, require('package')]";
    write('command.js', `exports.command = async () => {\n  console.log(JSON.stringify(${reported}));\n};`);
    mkdirSync(join(folder, 'node_modules'));
    write('node_modules/package.js', "module.exports = 'of others';");
    const path = join(folder, 'command.js');
    const expected = [`at exports.command (${path}:2:31)`, path, folder, path, 'of others'];
    for (const { stdout } of [run(), run()]) expect(JSON.parse(stdout)).toEqual(expected);
  });

  it('leaves files that import others to Node.js', () => {
    write('command.js', "exports.command = async () => console.log(await require('./imports.js')());");
    write(
      'imports.js',
      "module.exports = async () => (await import('./module.mjs')).default(require('./words.js').greeting());",
    );
    write('module.mjs', 'export default (text) => text;');
    for (const ended of [run(), run()]) expect(ended).toEqual(GREETED);
  });
});
