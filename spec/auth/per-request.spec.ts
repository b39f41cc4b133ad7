import { requestContexts, withCredentialValues } from '../../src/auth/per-request';
import type { Request } from '../../src/core/model';
import { Secrets } from '../../src/core/secrets/secrets';
import { aRequest } from '../support/requests';

const request = (changes: Partial<Request>): object => Object.fromEntries(requestContexts(aRequest(changes)).request);
const query = (search: string): object =>
  Object.fromEntries(requestContexts(aRequest({ url: `https://api.example/items${search}` })).query);

describe('language 7.1: the context request', () => {
  it('a URL with a port and a query', () => {
    expect(request({ method: 'POST', url: 'http://api.example:8080/v1/a%20b?f%5Bx%5D=1+2&y=3' })).toEqual({
      url: 'http://api.example:8080/v1/a%20b?f%5Bx%5D=1+2&y=3',
      path: '/v1/a%20b',
      queryString: 'f%5Bx%5D=1+2&y=3',
      method: 'POST',
      hostname: 'api.example',
      port: '8080',
      resource: '/v1/a%20b?f%5Bx%5D=1+2&y=3',
    });
  });

  it.each([
    ['https', '443'],
    ['http', '80'],
  ])('the port that %s implies is %s; without a query, resource is the path', (scheme, port) => {
    expect(request({ url: `${scheme}://api.example/items` })).toMatchObject({
      port,
      queryString: '',
      resource: '/items',
    });
  });

  it('a user name and a password in the URL are not part of what is sent', () => {
    expect(request({ url: 'https://me:pw@api.example/items' })).toMatchObject({ url: 'https://api.example/items' });
  });
});

describe('language 7.1: the context query', () => {
  it('names and values are decoded; brackets are part of a name', () => {
    expect(query('?f%5Bname%5D=a+b%20c&e=')).toEqual({ 'f[name]': 'a b c', e: '' });
  });

  it('a name without `=` has no entry', () => {
    expect(query('?flag&a=1')).toEqual({ a: '1' });
  });

  it('of a repeated name, the last value counts', () => {
    expect(query('?a=1&a=2')).toEqual({ a: '2' });
  });
});

describe('language 4.1: values that are added to a request', () => {
  it('replace those of the same name in place, and follow the others', () => {
    const request = aRequest({
      url: 'https://api.example/items?a=1&key=old&b=2&key=older',
      headers: { 'x-a': '1', 'x-b': '2' },
    });
    const query = [
      { name: 'tok', value: 'n w' },
      { name: 'key', value: 'new' },
    ];
    expect(withCredentialValues(request, { headers: { 'x-b': '3' }, query, secrets: [] }, new Secrets())).toEqual({
      ...request,
      url: 'https://api.example/items?a=1&key=new&b=2&tok=n%20w',
      headers: { 'x-a': '1', 'x-b': '3' },
    });
  });

  it('without query values the URL stays as it was written', () => {
    const url = 'https://api.example/items?flag&a=b+c';
    expect(withCredentialValues(aRequest({ url }), { headers: {}, query: [], secrets: [] }, new Secrets()).url).toBe(
      url,
    );
  });

  it('that are secret are never printed', () => {
    const secrets = new Secrets();
    withCredentialValues(
      aRequest(),
      { headers: {}, query: [{ name: 'k', value: 'a b&c' }], secrets: ['a b&c'] },
      secrets,
    );
    expect(secrets.mask('GET /items?k=a%20b%26c')).toBe('GET /items?k=***');
  });
});
