import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lookIn, readEnvFiles } from '../../src/language/environment';

let folder: string;
beforeEach(async () => (folder = await mkdtemp(join(tmpdir(), 'headwater-env-'))));
afterEach(() => rm(folder, { recursive: true, force: true }));
const file = async (content: string | Buffer, name = 'token'): Promise<string> => {
  await writeFile(join(folder, name), content);
  return join(folder, name);
};

describe('a variable', () => {
  const look = (name: string, env: Record<string, string>) =>
    lookIn(env, true)({ source: 'env', name, isSecret: true });

  it('has its value', () => {
    expect(look('TOKEN', { TOKEN: ' a b\n' })).toEqual({ value: ' a b\n' });
  });

  it('that is not set is named, with the one that was meant', () => {
    expect(look('TOKNE', { TOKEN: 'abc' })).toEqual({
      fault: 'the environment variable TOKNE is not set; did you mean "TOKEN"?',
      called: 'TOKNE',
    });
    expect(look('TOKEN', { TOKEN: '' })).toEqual({ fault: 'the environment variable TOKEN is empty', called: 'TOKEN' });
    expect(look('constructor', {})).toMatchObject({ fault: expect.stringContaining('is not set') as string });
  });

  it.each(['sk_live_51Hx9vB2m4', 'AKIAIOSFODNN7EXAMPLE', 'eyJhbGciOi.eyJz', 'a b', 'q8Zk2Lp0vW9xT4y'])(
    'whose name looks like a secret is not named: %s',
    (name) => {
      expect(JSON.stringify(look(name, {}))).not.toContain(name);
    },
  );
});

describe('a file', () => {
  const look = (name: string) => lookIn({}, true)({ source: 'file', name, isSecret: true });

  it.each([
    ['abc\n', 'abc'],
    ['abc\r\n', 'abc'],
    ['abc', 'abc'],
    ['abc\n\n', 'abc\n'],
    ['\uFEFFabc\n', 'abc'],
    ['a\r\nb\r\n', 'a\r\nb'],
    ['ü€\n', 'ü€'],
  ])('%j is %j', async (content, value) => {
    expect(look(await file(content))).toEqual({ value });
  });

  it.each([
    ['\n', 'is empty'],
    ['', 'is empty'],
    [Buffer.from([0xff, 0xfe, 0x41]), 'is no text in UTF-8'],
    [Buffer.alloc(1024 * 1024 + 1, 'a'), 'has more than 1048576 bytes'],
  ])('without a value is a fault (%#)', async (content, message) => {
    expect(look(await file(content))).toMatchObject({ fault: expect.stringContaining(message) as string });
  });

  it('that is a folder, or is not there, is a fault', async () => {
    await mkdir(join(folder, 'inner'));
    expect(look(join(folder, 'inner'))).toEqual({
      fault: `the file ${join(folder, 'inner')} is a folder`,
      called: join(folder, 'inner'),
    });
    expect(look(join(folder, 'no'))).toEqual({
      fault: `the file ${join(folder, 'no')} does not exist`,
      called: join(folder, 'no'),
    });
    expect(look('s3cretInTheWrongPlace')).toEqual({ fault: 'the file that it names does not exist' });
  });

  it('is not read where that is not allowed', async () => {
    const name = await file('abc');
    expect(lookIn({}, false)({ source: 'file', name, isSecret: true })).toMatchObject({
      fault: expect.stringContaining('secretFiles') as string,
    });
  });
});

describe('readEnvFiles', () => {
  it('reads lines with comments and quotation marks, also those of Windows; the environment wins, then the later file', async () => {
    const first = await file('\uFEFFA=1\r\n# a comment\r\nB="x y"\r\nexport C=3\r\nD=first\r\n', 'one');
    const second = await file('D=second\nE=\n', 'two');
    expect(readEnvFiles([first, second], { A: 'own' })).toEqual({ A: 'own', B: 'x y', C: '3', D: 'second', E: '' });
  });

  it.each([
    ['TOKEN: s3cretInYaml\nB=2\n', 'has a line that is not NAME=value'],
    ['s3cret\nB=2\n', 'has a line that is not NAME=value'],
  ])('refuses what is none, without quoting it: %j', async (content, message) => {
    const path = await file(content);
    const read = (): unknown => readEnvFiles([path], {});
    expect(read).toThrow(message);
    expect(read).not.toThrow(/s3cret/);
  });

  it('takes comments, blank lines, export, and values of several lines in quotation marks', async () => {
    const path = await file('# a comment\n\nexport A=1\nB="first\nsecond = third"\nC=\n');
    expect(readEnvFiles([path], {})).toMatchObject({ A: '1', B: 'first\nsecond = third', C: '' });
  });

  it('refuses a quotation mark that nothing closes', async () => {
    const path = await file('A="first\nB=2\n');
    expect(() => readEnvFiles([path], {})).toThrow('is not NAME=value');
  });

  it('refuses a file that is not there', () => {
    expect(() => readEnvFiles([join(folder, '.env')], {})).toThrow('--env-file: ');
  });
});
