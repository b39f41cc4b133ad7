/** Parts that another copy of this package has made: they work by what they are, not by their classes. */
import { ConfigurationError, extract, validate } from '../../../src';
import type { Item } from '../../../src';
import * as own from '../../../src/components';
import { useNock } from '../../support/nock';

const api = useNock();

function anotherCopy(): typeof own {
  let copy = own;
  jest.isolateModules(() => {
    copy = jest.requireActual<typeof own>('../../../src/components');
  });
  return copy;
}
const other = anotherCopy();

const pairs = other.defineFormat({
  name: 'pairs',
  label: 'pairs',
  summary: 'Reads a body as lines of a key and a value: an array of objects.',
  use: 'The API answers with properties.',
  answer: 'One pair a line; items are found without `dataField`.',
  options: {
    separator: other.withDefault(other.string, '=', { about: 'What stands between key and value.', example: ':' }),
    encoding: other.encoding,
  },
  rules: ['A line without a separator is an error.'],
  example: {
    about: 'Two pairs.',
    config: { api: {}, config: { jobs: [{ endpoint: 'levels', format: 'pairs' }] } },
    exchanges: [{ request: 'GET /levels', response: 'a=1\nb=2' }],
    items: [
      { key: 'a', value: '1' },
      { key: 'b', value: '2' },
    ],
  },
  check: ({ separator }) => (separator === '\n' ? [{ option: 'separator', message: 'cannot be a line break' }] : []),
  contentTypes: [{ type: /^text\/x-pairs$/, begins: /^\s*[^[{<]/, options: { separator: '=' } }],
  otherNames: { properties: { separator: ':' } },
  read: (text, { separator }) =>
    text.split('\n').map((line, at) => {
      const [key = '', value] = line.split(separator);
      if (value === undefined) throw new other.Unreadable(`line ${at + 1} has no ${JSON.stringify(separator)}`);
      return { key, value };
    }),
});
const strict = other.defineFunction({
  name: 'strict',
  summary: 'A string that is not empty.',
  use: 'An attribute that must have a value.',
  arguments: [{ name: 'value', about: 'The string.' }],
  result: 'The string.',
  rules: [],
  examples: [{ args: ['a'], result: 'a' }],
  call: (args) => {
    const text = other.textAt(args, 0);
    if (text === '') throw new other.ScriptError('argument 1 is empty.');
    return text;
  },
});
const components = [pairs, strict];

const configured = (job: object) => ({
  api: { baseUrl: 'https://api.example/' },
  config: { jobs: [{ endpoint: 'levels', ...job }] },
});
async function itemsOf(job: object): Promise<readonly Item[]> {
  const items: Item[] = [];
  for await (const item of extract(configured(job), { components })) items.push(item);
  return items;
}
const faultsOf = (job: object): readonly string[] => {
  try {
    return validate(configured(job), { components }).warnings.map(({ path, message }) => `${path}: ${message}`);
  } catch (error) {
    if (error instanceof ConfigurationError) return error.faults.map(({ path, message }) => `${path}: ${message}`);
    throw error;
  }
};
const answers = (body: string | Buffer, contentType = 'text/plain') =>
  api('https://api.example').get('/levels').reply(200, body, { 'content-type': contentType });

it('has classes of its own', () => {
  expect(other.Unreadable).not.toBe(own.Unreadable);
  expect(new other.Unreadable('x')).toBeInstanceOf(own.Unreadable);
  expect(new Error('x')).not.toBeInstanceOf(own.Unreadable);
  expect(new other.ScriptError('x')).toBeInstanceOf(own.ScriptError);
  expect(new other.ScriptError('x')).not.toBeInstanceOf(own.Unreadable);
});

describe('a format of an application', () => {
  it('reads bodies, with its options', async () => {
    answers('a:1\nb:2');
    expect(await itemsOf({ format: { type: 'pairs', separator: ':' } })).toEqual(pairs.example?.items);
  });

  it('has the option encoding by its name', async () => {
    answers(Buffer.from('ä=ö', 'latin1'));
    expect(await itemsOf({ format: { type: 'pairs', encoding: 'latin1' } })).toEqual([{ key: 'ä', value: 'ö' }]);
  });

  it('is known by its content type, where the job has no format', async () => {
    answers('a=1\nb=2', 'text/x-pairs; charset=utf-8');
    expect(await itemsOf({})).toEqual(pairs.example?.items);
  });

  it('says what cannot be read', async () => {
    answers('a=1\nb');
    await expect(itemsOf({ format: 'pairs' })).rejects.toMatchObject({
      code: 'API_FORMAT',
      message: expect.stringContaining(
        'Invalid pairs response from API: GET https://api.example/levels: line 2 has no "=".',
      ) as string,
    });
  });

  it('is checked like those of Headwater', () => {
    const place = 'config.jobs[0].format';
    expect(faultsOf({ format: { type: 'pairs', separator: '\n' } })).toEqual([
      `${place}.separator: cannot be a line break`,
    ]);
    expect(faultsOf({ format: 'properties' })).toEqual([
      `${place}: expected one of csv, json, jsonl, pairs, text, xlsx, xml, found "properties"; write {"type": "pairs", "separator": ":"}`,
    ]);
    expect(faultsOf({ format: { type: 'xml', separator: ':' } })).toEqual([
      `${place}.separator: has no effect with type xml: it is an option of pairs`,
    ]);
    expect(faultsOf({ format: { type: 'xlsx', encoding: 'latin1' } })).toEqual([
      `${place}.encoding: has no effect with type xlsx: it is an option of csv, json, jsonl, pairs, text and xml`,
    ]);
  });
});

describe('a function of an application', () => {
  it('says what it cannot use, and the engine says where', () => {
    const headers = { 'X-A': { function: 'strict', args: [''] } };
    const config = { ...configured({}), api: { baseUrl: 'https://api.example/', http: { headers } } };
    expect(() => validate(config, { components })).toThrow(
      "User script error: Function 'strict': argument 1 is empty.",
    );
  });
});
