import { flatten } from '../../../src/core/json/objects';
import type { JsonObject } from '../../../src/core/model';
import { compileLogin } from '../../../src/auth/login/compile';
import type { LoginWritten } from '../../../src/auth/login/options';
import { valuesOf } from '../../../src/auth/login/place';
import type { LoginPlan } from '../../../src/auth/login/plan';
import { scopeOf } from '../../support/expressions';

const given = (content: JsonObject) => valuesOf({ content, headers: {} });

function planned(params: JsonObject, attributes: JsonObject = {}, base = 'https://api.example/'): LoginPlan {
  const login: LoginWritten = {
    loginRequest: { endpoint: 'login', method: 'GET', params, headers: {}, functionsInLists: false },
    format: 'json',
    apiRequest: { headers: {}, query: {} },
    expires: { kind: 'never' },
    margin: undefined,
    refusedStatusCodes: [401],
    persist: { token: 'data.token', other: 'other' },
  };
  const result = compileLogin(login, { baseUrl: base, scope: scopeOf({ attr: flatten(attributes) }) });
  if (result._tag === 'Left') throw new Error(JSON.stringify(result.left));
  return result.right.plan;
}
const keptOf = (...given: Parameters<typeof planned>) => {
  const { kept } = planned(...given);
  if (kept === undefined) throw new Error('nothing is kept');
  return kept;
};

describe('what a login keeps (docs/language/authentication.md#kept-tokens)', () => {
  const params = { t: { function: 'ifempty', args: [{ state: 'token' }, { attr: '#t' }] }, s: { state: 'other' } };

  it('the request has what was kept, else what the configuration says, else an empty text', () => {
    const plan = planned(params, { '#t': 'configured' });
    expect(plan.request().request.url).toBe('https://api.example/login?t=configured&s=');
    const { request, secrets } = keptOf(params, { '#t': 'configured' }).request(new Map([['token', 'kept']]));
    expect(request.url).toBe('https://api.example/login?t=kept&s=');
    expect(secrets).toContain('kept');
  });

  it('takes scalars that are there from the response', () => {
    const { values } = keptOf(params, { '#t': 'x' });
    expect(values(given({ data: { token: 5 }, other: null }))).toEqual(new Map([['token', '5']]));
    expect(values(given({ data: { token: '' }, other: ['x'] }))).toEqual(new Map());
  });

  it('the login is known by what it logs in with, not by the time of day', () => {
    const timed = { ...params, at: { function: 'time' } };
    jest.useFakeTimers({ now: 0 });
    const first = keptOf(timed, { '#t': 'x', name: 'a' }).login;
    jest.setSystemTime(5000);
    const second = keptOf(timed, { '#t': 'x', name: 'b' }).login;
    jest.useRealTimers();
    expect(second).toBe(first);
    expect(keptOf(timed, { '#t': 'y' }).login).not.toBe(first);
    expect(keptOf(timed, { '#t': 'x' }, 'https://other.example/').login).not.toBe(first);
    expect(first).not.toContain('x');
  });
});
