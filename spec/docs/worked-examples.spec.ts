/** Every worked example of the manual does what its page says. */
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { validate } from '../../src';
import { BUILT_IN } from '../../src/run/built-in-parts';
import { around, examplesOf, exchangeOf, fencesOf } from '../support/page-examples';
import { runExample } from '../support/run-example';
import type { Example } from '../support/run-example';

const MANUAL = join(__dirname, '../../docs/language');
const pages = readdirSync(MANUAL, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.md'));

describe.each(pages)('docs/language/%s', (page) => {
  const { examples, fragments, strays } = examplesOf(page, readFileSync(join(MANUAL, page), 'utf8'));

  it('has no JSON that nothing runs', () => {
    expect(strays).toEqual([]);
  });

  for (const [place, example] of examples)
    it(`${place}: runs`, async () => {
      await runExample(example);
    });

  for (const [place, fragment] of fragments)
    it(`${place}: is part of a configuration`, () => {
      expect(validate(around(fragment)).warnings).toEqual([]);
    });
});

/** The worked example of every part does what its definition says. */

const { authentication, format, pagination } = BUILT_IN;
const parts = [...authentication.values(), ...format.values(), ...pagination.values()];

describe('the example of', () => {
  it.each(parts.map((part) => [`${part.kind} ${part.name}`, part] as const))('%s', async (_, { example }) => {
    await runExample(example);
  });
});

/** An example that is not so does not pass. */

const right: Example = {
  config: {
    api: { pagination: { method: 'offset', limit: 1 } },
    config: { jobs: [{ endpoint: 'stations', method: 'POST', headers: { 'X-A': 'b' } }] },
  },
  exchanges: [
    {
      request: 'POST /stations',
      requestHeaders: { 'x-a': 'b' },
      requestBody: { limit: 1, offset: 0 },
      response: [{ id: 1 }],
    },
    { request: 'POST /stations', requestBody: { limit: 1, offset: 1 }, response: [] },
  ],
  items: [{ id: 1 }],
};
const [first, last] = right.exchanges as [Example['exchanges'][0], Example['exchanges'][0]];
const exchanges = (...changed: Example['exchanges']): Example => ({ ...right, exchanges: changed });
const { items, ...withoutItems } = right;
const tables = { ...withoutItems, tables: { stations: 'id\n1' } };

describe('runExample', () => {
  it('passes what is so', async () => {
    await runExample(right);
    await runExample(tables);
    await runExample({ ...right, log: ['Offset limit reached'] });
  });

  it.each<readonly [string, Example]>([
    ['a request that is not made', exchanges(first, last, { request: 'GET /rivers', response: [] })],
    ['one request more', exchanges(first)],
    ['another address', exchanges({ ...first, request: 'POST /rivers' }, last)],
    ['another method', exchanges({ ...first, request: 'GET /stations' }, last)],
    ['another header', exchanges({ ...first, requestHeaders: { 'x-a': 'c' } }, last)],
    ['a header that is not there', exchanges({ ...first, requestHeaders: { 'x-b': 'b' } }, last)],
    ['another body', exchanges({ ...first, requestBody: { offset: 0, limit: 1 } }, last)],
    ['another item', { ...right, items: [{ id: 2 }] }],
    ['an item more', { ...right, items: [...(items ?? []), { id: 2 }] }],
    ['another cell', { ...tables, tables: { stations: 'id\n2' } }],
    ['a row more', { ...tables, tables: { stations: 'id\n1\n2' } }],
    ['another table', { ...tables, tables: { rivers: 'id\n1' } }],
    ['an error that does not come', { ...right, error: { code: 'API_SHAPE', parts: [] } }],
    ['an error that is not announced', exchanges({ ...first, status: 404 })],
    ['a line that is not in the log', { ...right, log: ['Force stopping'] }],
    ['a warning', { ...right, config: { ...right.config, note: 1 } }],
  ])('fails for %s', async (_, example) => {
    await expect(runExample(example)).rejects.toThrow();
  });
});

describe('examplesOf', () => {
  const fence = (info: string, ...lines: string[]): string => ['```' + info, ...lines, '```', ''].join('\n');

  it('reads an exchange', () => {
    const text = 'POST /a?b[0]=1\nX-A: b\n\n{"c": 1}\n\n201 Created\nX-D: e\n\n[1]';
    expect(exchangeOf(text)).toEqual({
      request: 'POST /a?b[0]=1',
      requestHeaders: { 'X-A': 'b' },
      requestBody: '{"c": 1}',
      status: 201,
      headers: { 'X-D': 'e' },
      response: '[1]',
    });
  });

  it('knows the heading above a fence', () => {
    expect(fencesOf(`## A heading\n\n${fence('json', '1')}`)).toEqual([
      { info: 'json', text: '1', line: 3, heading: 'A heading' },
    ]);
  });

  it('complains of JSON that nothing runs, and of a configuration from which nothing comes', () => {
    const { strays } = examplesOf('page.md', fence('json', '{}') + fence('json configuration', '{}'));
    expect(strays).toEqual(['page.md:1 : a fence of JSON that nothing runs', 'page.md:4 : nothing comes of it']);
  });
});
