import { isLeft } from 'fp-ts/Either';
import { faultLine } from '../../../src/core/errors/errors';
import { flatten } from '../../../src/core/json/flatten';
import type { JsonObject } from '../../../src/core/model';
import { loginUrl } from '../../../src/auth/login/url';
import { scopeOf } from '../../support/expressions';

const BASE = 'https://api.example/v2';
const scope = scopeOf({ attr: flatten({ office: 'north', '#path': 'hidden', list: ['a'] }) });
const faultsOf = (endpoint: string | JsonObject): string[] => {
  const checked = loginUrl(endpoint, BASE, 'api.authentication.loginRequest.endpoint', scope);
  return isLeft(checked) ? checked.left.map(faultLine) : [];
};

describe('docs/extensions/functions.md: the endpoint of a login', () => {
  it.each<[string | JsonObject, string, readonly string[]]>([
    ['login', `${BASE}/login`, []],
    [{ attr: 'office' }, `${BASE}/north`, []],
    [
      { function: 'concat', args: ['https://', { attr: 'office' }, '.example/login'] },
      'https://north.example/login',
      [],
    ],
    [{ function: 'urlencode', args: ['a b'] }, `${BASE}/a+b`, []],
    [{ attr: '#path' }, `${BASE}/hidden`, ['hidden']],
  ])('%j', (endpoint, url, secrets) => {
    expect(loginUrl(endpoint, BASE, 'api.authentication.loginRequest.endpoint', scope)).toMatchObject({
      right: { url, secrets },
    });
  });

  const place = 'api.authentication.loginRequest.endpoint';
  it.each<[JsonObject, string]>([
    [{ attr: 'nope' }, `${place}: User script error: Error evaluating user function - attr 'nope' not found!`],
    [{ time: 'currentStart' }, `${place}: the function gives no string; expected the path or URL of the login`],
    [{ function: 'concat', args: [] }, `${place}: the function gives no string`],
    [{ function: 'concat', args: ['http://'] }, `${place}: expected an endpoint that makes a URL with the base URL`],
  ])('%j is refused before the run', (endpoint, message) => {
    expect(faultsOf(endpoint)).toEqual([expect.stringContaining(message)]);
  });
});
