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
    ['no name', { key: 'a' }, 'api.authentication.name: required'],
    ['no key', { name: 'a' }, 'api.authentication.key: required'],
    ['a name that is none', { name: 'X Key', key: 'a' }, 'api.authentication.name: is no name of a header'],
    ['another place', { name: 'a', key: 'b', in: 'cookie' }, 'api.authentication.in:'],
  ])('%s is a fault before the first request', (_what, options, fault) => {
    expect(faultsOf({ type: 'apiKey', ...options }).join('\n')).toContain(fault);
  });
});
