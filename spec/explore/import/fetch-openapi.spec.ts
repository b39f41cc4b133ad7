import { fetchOpenApi } from '../../../src';
import { scriptedApi } from '../../../src/testing';

const DOCUMENT = { openapi: '3.1.0', paths: { '/rivers': { get: {} } } };

describe('fetchOpenApi', () => {
  const api = scriptedApi([
    { path: '/openapi.json', answer: () => ({ json: DOCUMENT }) },
    { path: '/schema', answer: () => ({ json: [{ id: 1 }] }) },
    {
      path: '/swagger.json',
      answer: ({ headers }) => (headers['x-key'] === 'k' ? { json: DOCUMENT } : { status: 401, json: {} }),
    },
  ]);
  const { fetch } = api;

  it('fetches a description', async () => {
    expect(JSON.parse((await fetchOpenApi('http://api.example/openapi.json', { fetch })) ?? '')).toEqual(DOCUMENT);
  });

  it('gives credentials only where it is refused without them', async () => {
    const headers = { 'x-key': 'k' };
    await fetchOpenApi('http://api.example/openapi.json', { fetch, headers });
    expect(api.requests.at(-1)?.headers).not.toHaveProperty('x-key');
    expect(await fetchOpenApi('http://api.example/swagger.json', { fetch, headers })).toContain('3.1.0');
    expect(await fetchOpenApi('http://api.example/swagger.json', { fetch })).toBeUndefined();
  });

  it('finds none in data, and where nothing is', async () => {
    for (const path of ['schema', 'api-docs'])
      expect(await fetchOpenApi(`http://api.example/${path}`, { fetch })).toBeUndefined();
  });

  it('requests nothing of an address that is called otherwise', async () => {
    const before = api.requests.length;
    for (const url of ['http://api.example/rivers', 'no address'])
      expect(await fetchOpenApi(url, { fetch })).toBeUndefined();
    expect(api.requests.length).toBe(before);
  });
});
