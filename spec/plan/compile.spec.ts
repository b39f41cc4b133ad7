import { isLeft } from 'fp-ts/lib/Either';
import type { LimitsPlan } from '../../src/plan/plan';
import { prepare } from '../../src/run/validate';
import { accepted, configuration } from '../language/configuration/support';
import { planConfiguration } from '../support/language';

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

const RATE = { requests: 10, seconds: 1 };

function limitsOf(input: unknown): LimitsPlan | undefined {
  const planned = planConfiguration(accepted(input));
  return isLeft(planned) ? undefined : planned.right.iterations[0]?.http.limits;
}

describe('docs/language/rate-limits.md: the plan', () => {
  it('is empty, unless told', () => {
    expect(limitsOf(configuration())).toEqual({ rates: [] });
  });

  it('gathers the rates of the API, of jobs and of their children', () => {
    const http = { maxRequests: 8, maxRequestsPerOrigin: 2, rateLimit: { ...RATE, path: '/a' } };
    const child = {
      id: 'c',
      endpoint: 'items/{id}',
      placeholders: { id: 'id' },
      rateLimit: { requests: 1, seconds: 2 },
    };
    const jobs = [
      { id: 'a', endpoint: 'items', children: [child] },
      { id: 'b', endpoint: 'b', rateLimit: [RATE, RATE] },
    ];
    expect(limitsOf(configuration({ http }, { jobs }))).toEqual({
      maxRequests: 8,
      maxRequestsPerOrigin: 2,
      rates: [
        { rate: RATE, path: '/a' },
        { rate: { requests: 1, seconds: 2 }, job: 'c' },
        { rate: RATE, job: 'b' },
        { rate: RATE, job: 'b' },
      ],
    });
  });
});
