import { prepare } from '../../src/run/prepare';

const AUTHENTICATION = {
  type: 'login',
  loginRequest: { endpoint: 'login', params: { who: { function: 'concat', args: [{ attr: 'account.name' }, '!'] } } },
  apiRequest: { headers: { 'x-token': 'token' } },
};
const userOf = (config: object, api: object = {}): string | undefined =>
  prepare(
    {
      api: { baseUrl: 'https://api.example/', authentication: AUTHENTICATION, ...api },
      config: { account: { name: 'acme' }, jobs: [{ endpoint: 'a' }], ...config },
    },
    {},
  ).planned.iterations[0]?.user;

describe('the user of an iteration', () => {
  it('is the same whatever else the configuration asks for', () => {
    expect(userOf({})).toMatch(/^[0-9a-f]{64}$/);
    expect(userOf({ river: 'Aare', jobs: [{ endpoint: 'b', params: { river: { attr: 'river' } } }] })).toBe(userOf({}));
  });

  it.each([
    ['an attribute that the login reads', () => userOf({ account: { name: 'other' } })],
    ['the base URL', () => userOf({}, { baseUrl: 'https://other.example/' })],
    ['the authentication', () => userOf({}, { authentication: { ...AUTHENTICATION, expires: 5 } })],
    ['none at all', () => userOf({}, { authentication: undefined })],
    [
      'what another type takes of config',
      () => userOf({ '#username': 'u', '#password': 'p' }, { authentication: { type: 'basic' } }),
    ],
  ])('tells apart: %s', (_, other) => {
    expect(other()).not.toBe(userOf({}));
  });

  it('tells apart users of a type that takes its credentials itself', () => {
    const basic = (password: string) =>
      userOf({ '#username': 'u', '#password': password }, { authentication: { type: 'basic' } });
    expect(basic('one')).not.toBe(basic('two'));
  });
});
