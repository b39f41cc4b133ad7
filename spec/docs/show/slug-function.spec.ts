import * as E from 'fp-ts/Either';
import { deliver, extract, sinks, validate } from '../../../src';
import type { Json, JsonObject } from '../../../src';
import { partsWithBuiltIn } from '../../../src/run/built-in-parts';
import { compileExpression } from '../../../src/language/expressions/expression';
import { EXAMPLE_NOW } from '../../../src/components';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { useNock } from '../../support/nock';
import { slug } from './slug-function';

const api = useNock();
const components = [slug];
const call = (title: Json): JsonObject => ({ function: 'slug', args: [title] });

/** The function wherever expressions stand. */
const config: JsonObject = {
  api: {
    baseUrl: { function: 'concat', args: ['https://', call({ attr: 'host' }), '.example/'] },
    http: {
      headers: { 'X-Title': call({ attr: 'host' }) },
      defaultOptions: { params: { common: call('De Fault') } },
    },
    authentication: {
      type: 'login',
      loginRequest: { endpoint: call('Log In'), method: 'GET', headers: { 'X-User': call('User A') } },
      apiRequest: { headers: { 'X-Token': call({ response: 'token' }) } },
    },
  },
  config: {
    host: 'A P I',
    jobs: [
      {
        endpoint: 'rivers',
        params: { q: call('Big River') },
        userData: { by: call('Some One') },
        children: [
          { endpoint: 'rivers/{name}', placeholders: { name: { path: 'name', ...call({ placeholder: 'value' }) } } },
        ],
      },
    ],
  },
};

const serve = (): void => {
  api('https://a-p-i.example').get('/log-in').matchHeader('x-user', 'user-a').reply(200, { token: 'To Ken' });
  api('https://a-p-i.example')
    .get('/rivers?common=de-fault&q=big-river')
    .matchHeader('x-token', 'to-ken')
    .matchHeader('x-title', 'a-p-i')
    .reply(200, [{ name: 'Water of Ald' }]);
  api('https://a-p-i.example')
    .get('/rivers/water-of-ald?common=de-fault')
    .reply(200, [{ length: 7 }]);
};

describe('a function of an application', () => {
  it.each([...(slug.examples ?? [])])('$args', ({ args, result }) => {
    const parts = partsWithBuiltIn(components);
    if (E.isLeft(parts)) throw new Error(JSON.stringify(parts.left));
    const place = { path: 'here', contexts: [], functions: parts.right.function };
    const compiled = compileExpression({ function: 'slug', args }, place);
    expect(E.isRight(compiled) && compiled.right.evaluate({}, EXAMPLE_NOW)).toBe(result);
  });

  it('may stand wherever functions may', async () => {
    serve();
    const items = [];
    for await (const item of extract(config, { components })) items.push(item);
    expect(items).toEqual([{ name: 'Water of Ald' }, { length: 7 }]);
  });

  it('runs into durable sinks', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'headwater-'));
    try {
      serve();
      const { stored } = await deliver(config, [sinks.ndjson(folder)], { components });
      expect(stored.map(({ tables }) => tables.length)).toEqual([2]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('is checked like those of Headwater', () => {
    const jobs = (params: object) => ({
      api: { baseUrl: 'https://api.example/' },
      config: { jobs: [{ endpoint: 'a', params }] },
    });
    expect(validate(jobs({ q: call('x') }), { components }).warnings).toEqual([]);
    expect(() => validate(jobs({ q: { function: 'slug', args: [] } }), { components })).toThrow(
      "config.jobs[0].params.q: User script error: Bad argument count for function 'slug'! It takes 1, given are 0.",
    );
    expect(() => validate(jobs({ q: { function: 'slugg', args: ['a'] } }), { components })).toThrow(
      "Did you mean 'slug'?",
    );
    expect(() => validate(jobs({ q: call('x') }))).toThrow("Illegal function 'slug'!");
  });
});
