import { json } from '../support/answers';
import { urls, useRunner } from './support';

const { run, server } = useRunner();

describe('language 4.3: query', () => {
  const authentication = {
    type: 'query',
    query: {
      token: { attr: '#token' },
      signature: { function: 'sha1', args: [{ function: 'concat', args: [{ attr: '#token' }, { query: 'type' }] }] },
      resource: { request: 'resource' },
    },
  };
  const config = { '#token': 'secret-token' };

  it('is evaluated for each request, and replaces values of the same name in place', async () => {
    const { requests } = await run(
      {
        authentication: { type: 'query', query: { seen: { request: 'queryString' }, key: 'K' } },
        job: { params: { key: 'job', z: 1 } },
        api: { pagination: { method: 'offset', limit: 1 } },
      },
      ({ url }) => json(url.includes('offset=0') ? [1] : []),
    );
    expect(urls(requests)).toEqual([
      '/items?key=K&z=1&limit=1&offset=0&seen=key=job&z=1&limit=1&offset=0',
      '/items?key=K&z=1&limit=1&offset=1&seen=key=job&z=1&limit=1&offset=1',
    ]);
  });

  it('language 2.3: the values go to the URL of a POST too; the body stays', async () => {
    const { requests } = await run({ authentication: { type: 'query', query: { k: 1 } }, job: { method: 'POST' } });
    expect(requests[0]).toMatchObject({ method: 'POST', url: '/items?k=1', body: '[]' });
  });

  it('language 3.2: `false` is 0, `null` is left out', async () => {
    const query = { on: true, off: false, none: null, e: '' };
    const { requests } = await run({ authentication: { type: 'query', query } });
    expect(urls(requests)).toEqual(['/items?on=1&off=0&e=']);
  });

  it('an address that a response gives has the values replaced, so that none comes twice', async () => {
    const { requests } = await run(
      { authentication: { type: 'query', query: { token: 'new' } }, api: { pagination: { method: 'response.url' } } },
      ({ url }) => json(url.includes('page=2') ? [] : { items: [1], next_page: `${url}&page=2`.replace('new', 'old') }),
    );
    expect(urls(requests)).toEqual(['/items?token=new', '/items?token=new&page=2']);
  });

  it('what is computed from secret attributes is never printed', async () => {
    const { shown, requests } = await run({ authentication, config, job: { params: { type: 'users' } } });
    const url = String(requests[0]?.url);
    const signature = new URL(url, 'http://h').searchParams.get('signature');
    expect(signature).toMatch(/^[0-9a-f]{40}$/);
    expect(shown).toEqual(['/items?type=users&token=***&signature=***&resource=/items?type=users']);
  });

  it('language 4.4: a list that comes out of an expression is an error before any request', async () => {
    const query = { key: { function: 'ifempty', args: [[1, 2], 'x'] } };
    await expect(run({ authentication: { type: 'query', query } })).rejects.toMatchObject({
      code: 'EXPRESSION_FAILED',
      message: 'api.authentication.query.key: expected a string or a number, found array',
    });
    expect(server().requests).toEqual([]);
  });

  it('a name that the query of a request does not have is an error that names it', async () => {
    const query = { key: { query: 'typ' } };
    await expect(run({ authentication: { type: 'query', query }, job: { params: { type: 1 } } })).rejects.toThrow(
      /^api\.authentication\.query\.key: .*query 'typ' not found! Did you mean 'type'\?/,
    );
  });
});
