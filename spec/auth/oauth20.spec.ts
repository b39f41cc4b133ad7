import { header, oauth, onceUnavailable, urls, useRunner } from './support';

const { run, server } = useRunner();

describe('language 4.7: oauth20', () => {
  it('format json: the fields of `#data`, with every digit; query values replace in place', async () => {
    const { requests } = await run({
      authentication: {
        type: 'oauth20',
        format: 'json',
        headers: { 'X-Id': { authorization: 'data.account.ids.0' } },
        query: { client: { authorization: 'clientId' }, seen: { query: 'client' }, m: { request: 'method' } },
      },
      job: { params: { client: 'job', a: 1 } },
      root: oauth('{"account":{"ids":[9007199254740993]}}'),
    });
    expect(urls(requests)).toEqual(['/items?client=client-1&a=1&seen=job&m=GET']);
    expect(header(requests, 'x-id')).toEqual(['9007199254740993']);
  });

  it('nonce and timestamp are one value in an attempt, and new in the next', async () => {
    const { requests } = await run(
      {
        authentication: {
          type: 'oauth20',
          headers: { 'X-Nonce': { authorization: 'nonce' } },
          query: { n: { authorization: 'nonce' }, t: { authorization: 'timestamp' } },
        },
        root: oauth('token'),
      },
      onceUnavailable(),
    );
    const nonces = header(requests, 'x-nonce');
    expect(nonces).toEqual([expect.stringMatching(/^[0-9a-f]{16}$/), expect.stringMatching(/^[0-9a-f]{16}$/)]);
    expect(nonces[0]).not.toBe(nonces[1]);
    const searches = requests.map(({ url }) => new URL(url, server().origin).searchParams);
    expect(searches.map((search) => search.get('n'))).toEqual(nonces);
    for (const search of searches) expect(Math.abs(Number(search.get('t')) - Date.now() / 1000)).toBeLessThan(60);
  });

  it('what is computed from `data` is never printed; nonce, timestamp and client are no secrets', async () => {
    const query = {
      mac: { function: 'md5', args: [{ authorization: 'data.key' }] },
      client: { authorization: 'clientId' },
    };
    const { shown } = await run({
      authentication: { type: 'oauth20', format: 'json', query },
      root: oauth('{"key":"mac-secret"}'),
    });
    expect(shown).toEqual(['/items?mac=***&client=client-1']);
  });
});
