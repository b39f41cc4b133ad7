import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigurationError, FatalError, readConfiguration, validate } from '../../../src';
import { stringifyJson } from '../../../src/core/json/stringify';
import type { Json } from '../../../src';

let folder: string;
beforeEach(async () => (folder = await mkdtemp(join(tmpdir(), 'headwater-read-'))));
afterEach(() => rm(folder, { recursive: true, force: true }));

async function read(text: string, name = 'config.yaml') {
  await writeFile(join(folder, name), text);
  return readConfiguration(join(folder, name));
}
const jsonOf = async (text: string, name?: string): Promise<string> =>
  stringifyJson((await read(text, name)).configuration as Json);
async function faultOf(text: string, name?: string): Promise<string> {
  const error: unknown = await read(text, name).catch((failure: unknown) => failure);
  expect(error).toBeInstanceOf(FatalError);
  expect(error).toMatchObject({ code: 'CONFIG_UNREADABLE' });
  return (error as FatalError).message;
}

describe('YAML', () => {
  it.each([
    ['id: 12345678901234567890', '{"id":12345678901234567890}'],
    ['price: 1234567890.12345678901', '{"price":1234567890.12345678901}'],
    ['day: 2024-06-01', '{"day":"2024-06-01"}'],
    ['at: 2024-06-01T10:00:00Z', '{"at":"2024-06-01T10:00:00Z"}'],
    ['country: no\nyes: off\non: y', '{"country":"no","yes":"off","on":"y"}'],
    ['a: true\nb: null\nc: ~\nd:', '{"a":true,"b":null,"c":null,"d":null}'],
    ['time: 12:30:45', '{"time":"12:30:45"}'],
    ['a: 0o17\nb: 0x1F\nc: +5\nd: .5\ne: 1.', '{"a":15,"b":31,"c":5,"d":0.5,"e":1}'],
    ['1: a\n10: b\n2: c', '{"1":"a","10":"b","2":"c"}'],
    ['__proto__: x\nconstructor: y', '{"__proto__":"x","constructor":"y"}'],
    ['a: &x {b: 1}\nc: *x', '{"a":{"b":1},"c":{"b":1}}'],
    ['a: |\n  one\n  two\nb: >-\n  one\n  two', '{"a":"one\\ntwo\\n","b":"one two"}'],
    ['"007": "007"', '{"007":"007"}'],
    ['%YAML 1.1\n---\na: yes', '{"a":"yes"}'],
    ['\uFEFFa: 1\r\nb: 2\r\n', '{"a":1,"b":2}'],
  ])('%j', async (text, json) => {
    expect(await jsonOf(text)).toBe(json);
  });

  it.each([
    ['a: 1\n\tb: s3cret', 'a tab indents a line: use spaces at line 2, column 1'],
    ['a: 1\nb: 2\na: s3cret', 'a key stands twice at line 3, column 1'],
    ['1: a\n"1": s3cret', 'a key stands twice at line 2, column 1'],
    ['zip: 01234', 'a number begins with 0: put it into quotation marks if it is text at line 1, column 6'],
    ['a: .inf', 'JSON has no such number at line 1, column 4'],
    ['a: !env s3cret', 'there is no such tag at line 1'],
    ['a: !!binary czNjcmV0', 'this is no value of JSON at line 1'],
    ['a: *s3cret', 'there is no such anchor at line 1'],
    ['a: &x\n  b: *x', 'an alias stands inside of what it stands for at line 2'],
    ['<<: &x {a: s3cret}', '"<<" merges nothing'],
    ['a: 1\n---\nb: s3cret', 'a second document begins'],
    ['{a: 1}: s3cret', 'a key is no text'],
    ['a: "s3cret', 'at line 1'],
    ['a: s3cret: b', 'at line 1'],
    ['', 'it is empty'],
  ])('%j is refused with its place, and without its text', async (text, message) => {
    const fault = await faultOf(text);
    expect(fault).toContain(message);
    expect(fault).not.toContain('s3cret');
  });

  it('does not follow aliases without end', async () => {
    const levels = Array.from(
      { length: 12 },
      (_, at) => `l${at + 1}: &l${at + 1} [${Array(9).fill(`*l${at}`).join(', ')}]`,
    );
    expect(await faultOf(['l0: &l0 [x]', ...levels].join('\n'))).toContain('aliases stand for too many values');
  });
});

describe('JSON', () => {
  const commented = '{\n  // the id\n  "id": 12345678901234567890, /* and */ "a": [1, 2,],\n}';

  it.each(['config.json', 'config.jsonc', 'config'])('may have comments and trailing commas: %s', async (name) => {
    expect(await jsonOf(commented, name)).toBe('{"id":12345678901234567890,"a":[1,2]}');
  });

  it('is refused with its place, and without its text', async () => {
    expect(await faultOf('{\n  "token": "s3cret" "b": 1\n}', 'a.json')).toMatch(
      /a\.json is not valid JSON: comma expected at line 2, column \d+$/,
    );
    expect(await faultOf('{"a": s3cret}', 'a.json')).not.toContain('s3cret');
    expect(await faultOf('', 'a.json')).toContain('not valid JSON');
  });
});

// Modules of ES are loaded by Node.js itself: spec/cli/configurations.spec.ts.
describe('modules', () => {
  it.each([
    ['a.cjs', 'module.exports = { a: 1 };'],
    ['b.cjs', 'module.exports = async () => ({ a: 1 });'],
  ])('%s: %s', async (name, text) => {
    expect((await read(text, name)).configuration).toEqual({ a: 1 });
  });

  it.each([
    ['c.cjs', 'module.exports = () => { throw new Error("boom"); };', 'its default export throws: Error: boom'],
    ['d.cjs', 'throw new Error("boom");', 'it cannot be loaded: Error: boom'],
  ])('%s: %s is refused', async (name, text, message) => {
    expect(await faultOf(text, name)).toContain(message);
  });
});

describe('places of faults', () => {
  const yaml =
    'api:\n  baseUrl: https://api.test/\nconfig:\n  jobs:\n    - endpoint: 5\n    - endpoint: ok\n      dataField: 5\n';
  const json = `{ // c\n  "parameters": { "api": { "baseUrl": "https://api.test/" },\n    "config": { "jobs": [ { "endpoint": "ok",\n "dataField": 5 } ] } } }`;

  const messagesOf = async (text: string, name: string): Promise<string> => {
    const { configuration, located } = await read(text, name);
    try {
      validate(configuration);
      return '';
    } catch (error) {
      const shown = located(error);
      expect(shown).toBeInstanceOf(ConfigurationError);
      return (shown as ConfigurationError).message;
    }
  };

  it('are those in the file', async () => {
    const message = await messagesOf(yaml, 'stations.yaml');
    expect(message).toContain('stations.yaml:5:17 config.jobs[0].endpoint: ');
    expect(message).toContain('stations.yaml:7:18 config.jobs[1].dataField: ');
    expect(await messagesOf(json, 'stations.json')).toContain('stations.json:4:15 config.jobs[0].dataField: ');
  });

  it('are those around it for what is not there', async () => {
    expect(await messagesOf('api: {}\nconfig:\n  jobs: [{}]\n', 'a.yaml')).toContain(
      'a.yaml:3:10 config.jobs[0].endpoint',
    );
  });
});
