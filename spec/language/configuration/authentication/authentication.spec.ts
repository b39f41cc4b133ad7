import { BUILT_IN } from '../../../../src/run/built-in-parts';
import { configuration, faults, run, warnings } from '../support';

const authenticated = (authentication: unknown, config: Record<string, unknown> = {}) =>
  configuration({ authentication }, config);

describe('api.authentication', () => {
  it.each([undefined, null, {}, [], { type: '' }])('language 4: %j is no authentication', (authentication) => {
    expect(run(authenticated(authentication)).api).not.toHaveProperty('authentication');
  });

  it('language 4: warns about options without a type', () => {
    expect(warnings(authenticated({ loginRequest: { endpoint: 'l' } }))).toEqual([
      'api.authentication.loginRequest: has no effect: api.authentication.type is not set',
    ]);
  });

  it('language 4: refuses an unknown type, with the likely meant one', () => {
    expect(faults(authenticated({ type: 'Login' }))).toEqual([
      `api.authentication.type: expected one of ${[...BUILT_IN.authentication.keys()].join(', ')}, url.query, found "Login"; did you mean "login"?`,
    ]);
    expect(faults(authenticated('login'))).toEqual([
      'api.authentication: expected an object, found a string of 5 characters',
    ]);
  });
});

describe('basic', () => {
  const basic = { type: 'basic' };

  it.each([
    [{ username: 'u', '#username': 'x', password: 'p', '#password': 'x' }, 'u', 'p'],
    [{ username: '', '#username': 'u', '#password': 'p' }, 'u', 'p'],
    [{ '#username': 12, '#password': 34 }, '12', '34'],
  ])('language 4.2: takes the credentials from %j', (config, username, password) => {
    expect(run(authenticated(basic, config)).api.authentication).toMatchObject({
      type: 'basic',
      credentials: { username, password },
    });
  });

  it('language 4.2: needs both, not blank', () => {
    expect(faults(authenticated(basic, { '#password': '' }))).toEqual([
      'config.#password: required by basic authentication: "#password" (or "password")',
      'config.#username: required by basic authentication: "#username" (or "username")',
    ]);
  });

  it('language 4.2: refuses credentials that are no text, without showing them', () => {
    expect(faults(authenticated(basic, { username: ['u'], '#password': true }))).toEqual([
      'config.username: expected a string, found an array',
      'config.#password: expected a string, found a boolean (secret, not shown)',
    ]);
  });

  it('language 1.2: warns about the options of other types', () => {
    expect(warnings(authenticated({ ...basic, format: 'json' }, { username: 'u', password: 'p' }))).toEqual([
      'api.authentication.format: has no effect with type basic: it is an option of login, oauth20, oauth20.login and session',
    ]);
  });
});

describe('query', () => {
  it('language 4.3: takes parameters from authentication.query, else from the deprecated api.query', () => {
    const own = configuration({ authentication: { type: 'query', query: { k: { attr: '#k' } } }, query: { old: 1 } });
    expect(run(own).api.authentication?.credentials).toEqual({
      query: { k: { attr: '#k' } },
      path: 'api.authentication.query',
    });
    const old = configuration({ authentication: { type: 'query', query: [] }, query: { k: 'v' } });
    expect(run(old).api.authentication?.credentials).toEqual({ query: { k: 'v' }, path: 'api.query' });
  });

  it('language 4.3: url.query is the deprecated name', () => {
    const input = authenticated({ type: 'url.query', query: { k: 'v' } });
    expect(run(input).api.authentication).toMatchObject({ type: 'query', options: { query: { k: 'v' } } });
    expect(warnings(input)).toEqual(['api.authentication.type: deprecated: "url.query" is now called "query"']);
  });

  it('language 4.3: needs parameters', () => {
    expect(faults(authenticated({ type: 'query' }))).toEqual([
      'api.authentication.query: required: the parameters that query authentication adds, for example {"key": {"attr": "#token"}}',
    ]);
    expect(faults(configuration({ authentication: { type: 'query' }, query: 'k=v' }))).toEqual([
      'api.query: expected an object, found a string of 3 characters',
    ]);
  });
});
