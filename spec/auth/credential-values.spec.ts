import { withCredentialValues } from '../../src/auth/credential-values';
import { Secrets } from '../../src/core/secrets/secrets';
import { aRequest } from '../support/requests';

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
