/** Files as people leave them: each gives the data that it says, or a fault with its place. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readConfiguration } from '../../../src';
import type { Json } from '../../../src';
import { stringifyJson } from '../../../src/core/json/stringify';
import { runApart } from '../../support/command';

let folder: string;
beforeEach(async () => (folder = await mkdtemp(join(tmpdir(), 'headwater-odd-'))));
afterEach(() => rm(folder, { recursive: true, force: true }));

type Files = Readonly<Record<string, string | Buffer>>;
const write = (files: Files): Promise<unknown> =>
  Promise.all(Object.entries(files).map(([name, content]) => writeFile(join(folder, name), content)));
const text = async (name: string, content: string | Buffer): Promise<string> => {
  await write({ [name]: content });
  return stringifyJson((await readConfiguration(join(folder, name))).configuration as Json);
};
const refusal = async (name: string, files: Files): Promise<string> => {
  await write(files);
  const error: unknown = await readConfiguration(join(folder, name)).catch((failure: unknown) => failure);
  expect(error).toMatchObject({ code: 'CONFIG_UNREADABLE' });
  return (error as Error).message.replaceAll(`${folder}/`, '');
};

describe('what stands in a file', () => {
  it.each<[string, string, string | Buffer, string]>([
    [
      'dates and times',
      'a.yaml',
      'a: 2024-01-01\nb: 2024-01-01T10:00:00Z\nc: 10:30',
      '{"a":"2024-01-01","b":"2024-01-01T10:00:00Z","c":"10:30"}',
    ],
    ['no, on and yes', 'a.yaml', 'no: no\non: on\nyes: [yes, off, y]', '{"no":"no","on":"on","yes":["yes","off","y"]}'],
    [
      'big numbers in YAML',
      'a.yaml',
      'a: 9007199254740993\nb: 0xFFFFFFFFFFFFFFFFFF',
      '{"a":9007199254740993,"b":4722366482869645213695}',
    ],
    ['big numbers in JSON', 'a.json', '{"a": 9007199254740993} // b', '{"a":9007199254740993}'],
    ['an octal number of YAML 1.2', 'a.yaml', 'a: 0o10', '{"a":8}'],
    ['digits with separators, which are text', 'a.yaml', 'a: 1_000', '{"a":"1_000"}'],
    ['a byte order mark in YAML', 'a.yaml', '\ufeffa: 1', '{"a":1}'],
    ['a byte order mark in JSON', 'a.json', '\ufeff{"a": 1}', '{"a":1}'],
    ['lines of Windows in YAML', 'a.yaml', 'a: |\r\n  x\r\n  y\r\nb: 1\r\n', '{"a":"x\\ny\\n","b":1}'],
    ['comments and commas in JSON', 'a.json', '/* a */ {"a": [1,], // b\r\n "b": 2,\r\n}', '{"a":[1],"b":2}'],
    ['comments that stand twice', 'a.json', '{"//": "x", "//": "y", "a": 1}', '{"//":"y","a":1}'],
    ['one document between its marks', 'a.yaml', '---\na: 1\n...\n', '{"a":1}'],
    ['anchors', 'a.yaml', 'a: &x {b: 1}\nc: *x', '{"a":{"b":1},"c":{"b":1}}'],
    [
      'an anchor that is given again',
      'a.yaml',
      'a: &x 1\nb: &y [*x]\nc: &x 2\nd: *y\ne: *x',
      '{"a":1,"b":[1],"c":2,"d":[1],"e":2}',
    ],
    ['the anchor of a key', 'a.yaml', '&k a: 1\nb: *k', '{"a":1,"b":"a"}'],
  ])('is read: %s', async (_, name, content, expected) => {
    expect(await text(name, content)).toBe(expected);
  });

  it.each<[string, string, string | Buffer, string]>([
    [
      'a tab that indents',
      'a.yaml',
      'a:\n\tb: 1',
      'a.yaml is not valid YAML: a tab indents a line: use spaces at line 2, column 1',
    ],
    [
      'a key that stands twice in YAML',
      'a.yaml',
      'a: 1\nb: 2\na: 3',
      'a.yaml is not valid YAML: a key stands twice at line 3, column 1',
    ],
    [
      'a key that stands twice in JSON',
      'a.json',
      '{"a": {"b": 1,\n "b": 2}}',
      'a.json is not valid JSON: a key stands twice at line 2, column 2',
    ],
    [
      'one in JSON with comments',
      'a.jsonc',
      '// x\n{"a": 1, "a": 2,}',
      'a.jsonc is not valid JSON: a key stands twice at line 2, column 10',
    ],
    [
      'a merge of YAML 1.1',
      'a.yaml',
      'a: &x {b: 1}\nc:\n  <<: *x',
      'a.yaml is not valid YAML: "<<" merges nothing in YAML 1.2: use "extends", or write the keys at line 3, column 3',
    ],
    [
      'an octal number of old',
      'a.yaml',
      'a: 010',
      'a.yaml is not valid YAML: a number begins with 0: put it into quotation marks if it is text at line 1, column 4',
    ],
    ['one in JSON', 'a.json', '{"a": 010}', 'a.json is not valid JSON: comma expected at line 1, column 8'],
    [
      'a number out of range in YAML',
      'a.yaml',
      'b: 1\na: 1e400',
      'a.yaml is not valid YAML: a number is out of range at line 2, column 4',
    ],
    [
      'one in JSON',
      'a.json',
      '{"b": 1,\n"a": 1e400}',
      'a.json is not valid JSON: a number is out of range at line 2, column 6',
    ],
    [
      'one in JSON with comments',
      'a.json',
      '{"b": 1, // c\n"a": 1e400}',
      'a.json is not valid JSON: a number is out of range at line 2, column 6',
    ],
    ['a file without text', 'a.yaml', '', 'a.yaml is not valid YAML: it is empty'],
    ['one in JSON', 'a.json', '\ufeff\n', 'a.json is not valid JSON: it is empty'],
    ['a comment alone', 'a.yaml', '# a\n', 'a.yaml is not valid YAML: it is empty'],
    [
      'several documents',
      'a.yaml',
      'a: 1\n---\nb: 1',
      'a.yaml is not valid YAML: a second document begins at line 2, column 1',
    ],
    [
      'another encoding',
      'a.yaml',
      Buffer.from('a: 1\nb: "caf\xe9"\n', 'latin1'),
      'a.yaml cannot be read: it is no text in UTF-8: save it in that encoding; the first other byte is at line 2, column 8',
    ],
    [
      'UTF-16',
      'a.json',
      Buffer.from('\ufeff{"a": 1}', 'utf16le'),
      'a.json cannot be read: it is no text in UTF-8: save it in that encoding; the first other byte is at line 1, column 1',
    ],
    [
      'a second colon',
      'a.yaml',
      'a: b: c',
      'a.yaml is not valid YAML: a line has a second ": ": put its text into quotation marks, if it is text at line 1, column 4',
    ],
  ])('is refused with its place: %s', async (_, name, content, expected) => {
    expect(await refusal(name, { [name]: content })).toBe(expected);
  });

  const INDENTED = 'a line is indented otherwise than those beside it';
  it.each([
    [
      'a key that is indented deeper than the one before it',
      'a:\n  - b: c\n      d: 1',
      `${INDENTED}: the one below at line 2`,
    ],
    ['a key that is indented less than the one before it', 'a:\n  - b: c\n   d: 1', `or ${INDENTED} at line 3`],
    ['a key that is indented between two objects', 'a:\n  b:\n    c: 1\n   d: 2', `${INDENTED}, or a bracket`],
    ['an item that is indented less than the one before it', 'a:\n    - b: 1\n   - c: 2', `${INDENTED}: the one below`],
    ['a key without a colon', 'a:\n  b c\n  d: 1', 'a key has no ": " after it at line 2'],
    ['a string that begins with %', 'a: %b', 'begins with a character that has a meaning in YAML'],
    ['a string after a bracket', 'a: {b}/c', 'something follows where the value is over'],
    ['no comma between brackets', 'a: {b: 1 c: 2}', 'a comma is missing between brackets'],
  ])('is refused with what may be meant: %s', async (_, written, expected) => {
    expect(await refusal('a.yaml', { 'a.yaml': written })).toContain(expected);
  });

  it('is a folder', async () => {
    await mkdir(join(folder, 'inner.yaml'));
    expect(await refusal('inner.yaml', {})).toBe('inner.yaml cannot be read: it is a folder');
  });
});

describe('parts that cannot be used', () => {
  const own = (extended: string): string => `config: {jobs: []}\nextends: ${extended}\n`;
  it.each<[string, Files, string]>([
    [
      'a circle',
      { 'a.yaml': own('b.yaml'), 'b.yaml': 'extends:\n  - c.yaml', 'c.yaml': '{"extends": "./a.yaml"}' },
      'c.yaml:1:13 cannot be used: files extend each other in a circle: a.yaml → b.yaml → c.yaml → a.yaml',
    ],
    [
      'itself',
      { 'a.yaml': own('./a.yaml') },
      'a.yaml:2:10 cannot be used: files extend each other in a circle: a.yaml → a.yaml',
    ],
    [
      'no file',
      { 'a.yaml': own('[gone.yaml]') },
      'gone.yaml cannot be read: there is no such file; a.yaml:2:11 extends it',
    ],
    [
      'no file of a part',
      { 'a.yaml': own('b.json'), 'b.json': '{\n"extends": "gone.yaml"}' },
      'gone.yaml cannot be read: there is no such file; b.json:2:12 extends it',
    ],
    ['a folder', { 'a.yaml': own('.') }, '. cannot be read: it is a folder; a.yaml:2:10 extends it'],
    [
      'a URL',
      { 'a.yaml': own('https://a.example/b.yaml') },
      'a.yaml:2:10 cannot be used: "extends" names files alone, and no URL: download it first',
    ],
    [
      'a number',
      { 'a.yaml': own('[b.yaml, 7]'), 'b.yaml': 'api: {}' },
      'a.yaml:2:19 cannot be used: "extends" names a file, or is a list of files',
    ],
    [
      'another format',
      { 'a.yaml': own('b.csv'), 'b.csv': 'a,b\n1,2\n' },
      'b.csv:1:1 cannot be used: it is no object, and so no part of a configuration',
    ],
    [
      'a part with a fault in its syntax',
      { 'a.yaml': own('b.yaml'), 'b.yaml': 'a:\n\tb: 1' },
      'b.yaml is not valid YAML: a tab indents a line: use spaces at line 2, column 1',
    ],
  ])('are told with file, line and column: %s', async (_, files, expected) => {
    const reported = await refusal('a.yaml', files);
    expect(reported.replace(`${folder} `, '. ')).toBe(expected);
  });

  it('two jobs of one list stay two, also where a part has one of the same id', async () => {
    await write({
      'b.yaml': 'config: {jobs: [{id: x, endpoint: x, params: {a: 1}}]}',
      'a.yaml': 'extends: b.yaml\nconfig: {jobs: [{id: x, endpoint: y}, {id: x, endpoint: z}]}',
    });
    const { configuration } = await readConfiguration(join(folder, 'a.yaml'));
    expect(configuration).toEqual({
      config: {
        jobs: [
          { id: 'x', endpoint: 'y', params: { a: 1 } },
          { id: 'x', endpoint: 'z' },
        ],
      },
    });
  });
});

describe('a module', () => {
  const reported = async (name: string, content: string): Promise<string> => {
    await write({ [name]: content });
    const { stderr, stdout, status } = await runApart(['validate', join(folder, name)]);
    return `${status} ${stderr}${stdout}`.replaceAll(`${folder}/`, '').trim();
  };

  it('that cannot be parsed, or throws, is told with its line', async () => {
    expect(await reported('a.mjs', 'export default {\n  api: ;\n};\n')).toBe(
      "1 a.mjs cannot be used: it cannot be loaded: SyntaxError: Unexpected token ';' at line 2",
    );
    expect(await reported('b.mjs', '\nthrow new Error("no");\n')).toBe(
      '1 b.mjs cannot be used: it cannot be loaded: Error: no at line 2, column 7',
    );
    expect(await reported('c.cjs', 'module.exports = () => {\n  throw new Error("no");\n};\n')).toBe(
      '1 c.cjs cannot be used: its default export throws: Error: no at line 2, column 9',
    );
  });

  it('in TypeScript is loaded where Node.js does it, and else the version is named that does', async () => {
    const said = await reported(
      'a.mts',
      'const url: string = "https://a.example";\nexport default { api: { baseUrl: url }, config: { jobs: [{ endpoint: "a" }] } };\n',
    );
    expect(said).toMatch(
      /^0 The configuration is valid: 1 job\.$|^1 a\.mts cannot be used: Node\.js v2\S+ does not load this/,
    );
    const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
    expect(said.startsWith('0')).toBe(major > 22 || (major === 22 && minor >= 18));
  });
});
