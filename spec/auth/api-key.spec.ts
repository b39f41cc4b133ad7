import { lastValueFrom, toArray } from 'rxjs';
import { explainConfiguration, extract, requestsOf, validate } from '../../src';
import { scriptedApi } from '../../src/testing';
import { faultsOf, useRunner } from './support';

const { run } = useRunner();

describe('apiKey', () => {
  it('sends the key in a header, in place of one of the same name', async () => {
    const { requests } = await run({
      authentication: { type: 'apiKey', name: 'X-Api-Key', key: { attr: '#key' } },
      config: { '#key': 'k-71' },
      job: { headers: { 'x-api-key': 'mine' } },
    });
    expect(requests.map(({ headers }) => headers['x-api-key'])).toEqual(['k-71']);
  });

  it('sends it in the query, with what has a meaning there escaped, and never prints it', async () => {
    const { requests, shown } = await run({
      authentication: { type: 'apiKey', in: 'query', name: 'key', key: 'a&b=c d' },
      job: { params: { page: 2, key: 'mine' } },
    });
    expect(requests.map(({ url }) => new URL(url, 'http://x').searchParams.getAll('key'))).toEqual([['a&b=c d']]);
    expect(shown.join()).not.toContain('a&b=c d');
    expect(shown.join()).toContain('key=***');
  });

  it.each([
    ['header', {}, (_: URL, headers: Readonly<Record<string, string>>) => headers['x-api-key']],
    ['query', { in: 'query' }, (url: URL) => url.searchParams.get('X-Api-Key')],
  ] as const)('sends a key of the environment in the %s, and never prints it', async (_place, options, keyIn) => {
    const heard: unknown[] = [];
    const api = scriptedApi([
      { path: '/a', answer: ({ url, headers }) => ({ json: [{ heard: heard.push(keyIn(url, headers)) }] }) },
    ]);
    const config = {
      api: {
        baseUrl: 'https://api.example',
        authentication: { type: 'apiKey', name: 'X-Api-Key', key: { env: 'HEADWATER_SPEC_KEY' }, ...options },
      },
      config: { jobs: [{ endpoint: 'a' }] },
    };
    const told: unknown[] = [];
    const env = { HEADWATER_SPEC_KEY: 'k-71 & more' };
    const extraction = extract(config, {
      ...{ env, fetch: api.fetch, logger: { log: (...line: unknown[]) => void told.push(line) } },
      record: (har) => void told.push(har),
    });
    await lastValueFrom(extraction.items$.pipe(toArray()));
    expect(heard).toEqual(['k-71 & more']);
    told.push(requestsOf(config, { env }), explainConfiguration(config, { env }));
    expect(JSON.stringify(told)).not.toMatch(/k-71/);
    expect(requestsOf(config, { env, unset: 'stand in' }).variables.map(({ name }) => name)).toEqual([
      expect.stringMatching(/^HEADWATER_SPEC_KEY/),
    ]);
    expect(() => validate(config, { env: {} })).toThrow(
      'api.authentication.key: the environment variable HEADWATER_SPEC_KEY is not set',
    );
  });

  it.each([
    ['no name', { key: 'a' }, 'api.authentication.name: required'],
    ['no key', { name: 'a' }, 'api.authentication.key: required'],
    ['a name that is none', { name: 'X Key', key: 'a' }, 'api.authentication.name: is no name of a header'],
    ['another place', { name: 'a', key: 'b', in: 'cookie' }, 'api.authentication.in:'],
  ])('%s is a fault before the first request', (_what, options, fault) => {
    expect(faultsOf({ type: 'apiKey', ...options }).join('\n')).toContain(fault);
  });
});
