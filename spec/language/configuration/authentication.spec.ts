import { BUILT_IN } from '../../../src/run/built-in-parts';
import { accepted, configuration, faults, run, warnings } from './support';

const withOauth = (authentication: unknown, credentials: unknown) =>
  configuration({ authentication }, {}, { authorization: { oauth_api: { id: 'x', credentials } } });
const CREDENTIALS = 'authorization.oauth_api.credentials';
const given = (data: string) => ({ '#data': data, appKey: 'key', '#appSecret': 'secret' });

describe('OAuth credentials', () => {
  it('language 4.6: oauth10 takes consumer and token; appKey may be a number', () => {
    const data = '{"oauth_token":"t","oauth_token_secret":"s"}';
    expect(run(withOauth({ type: 'oauth10' }, { ...given(data), appKey: 1234 })).api.authentication).toMatchObject({
      type: 'oauth10',
      credentials: { consumerKey: '1234', consumerSecret: 'secret', token: 't', tokenSecret: 's' },
    });
  });

  it.each(['oauth10', 'oauth20', 'oauth20.login'])('language 4.6 to 4.8: %s needs credentials', (type) => {
    const authentication = { type, loginRequest: { endpoint: 'login' } };
    const line = `${CREDENTIALS}: required: the OAuth credentials; this type of authentication needs them`;
    expect(faults(withOauth(authentication, undefined))).toEqual([line]);
    expect(faults(configuration({ authentication }, {}, { authorization: { oauth_api: 'x' } }))).toEqual([line]);
    expect(faults(configuration({ authentication }))).toEqual([line]);
  });

  it('language 4.6, 4.7: every part must be there, but may be empty', () => {
    expect(faults(withOauth({ type: 'oauth20' }, { other: 1 }))).toEqual([
      `${CREDENTIALS}.#data: required: the OAuth tokens`,
      `${CREDENTIALS}.appKey: required: the key (client id) of the OAuth application`,
      `${CREDENTIALS}.#appSecret: required: the secret of the OAuth application`,
    ]);
    expect(
      run(withOauth({ type: 'oauth20' }, { '#data': 't', appKey: '', '#appSecret': '' })).api.authentication,
    ).toMatchObject({
      type: 'oauth20',
      options: { format: 'text', headers: {}, query: {} },
      credentials: { data: 't', appKey: '', appSecret: '' },
    });
  });

  it('language 4.6: #data must be JSON text of an object with both tokens', () => {
    const oauth10 = { type: 'oauth10' };
    expect(faults(withOauth(oauth10, given('{"oauth_token')))).toEqual([
      `${CREDENTIALS}.#data: expected JSON in a string, found a string that is not valid JSON`,
    ]);
    expect(faults(withOauth(oauth10, given('["t"]')))).toEqual([
      `${CREDENTIALS}.#data: expected a JSON object in a string, found JSON of type "array"`,
    ]);
    expect(faults(withOauth(oauth10, given('{"oauth_token":""}')))).toEqual([
      `${CREDENTIALS}.#data.oauth_token: required: the OAuth 1.0 token`,
      `${CREDENTIALS}.#data.oauth_token_secret: required: the secret of the OAuth 1.0 token`,
    ]);
    expect(faults(withOauth(oauth10, { ...given('{}'), '#data': { oauth_token: 't' } }))).toEqual([
      `${CREDENTIALS}.#data: expected a string, found an object`,
    ]);
  });

  it('language 4.7: oauth20 of format json needs valid JSON; an unknown format is refused', () => {
    expect(faults(withOauth({ type: 'oauth20', format: 'json' }, given('token')))).toEqual([
      `${CREDENTIALS}.#data: expected JSON in a string, found a string that is not valid JSON`,
    ]);
    expect(faults(withOauth({ type: 'oauth20', format: 'xml' }, {}))).toEqual([
      'api.authentication.format: expected one of text, json, found a string of 3 characters',
      `${CREDENTIALS}: required: the OAuth credentials; this type of authentication needs them`,
    ]);
    expect(run(withOauth({ type: 'oauth20', format: 'json' }, given('{"a":1}'))).api.authentication).toMatchObject({
      options: { format: 'json' },
      credentials: { data: { a: 1 } },
    });
  });

  it('language 4.8: oauth20.login adds the contexts consumer and user', () => {
    const authentication = { type: 'oauth20.login', loginRequest: { endpoint: 'token' } };
    expect(run(withOauth(authentication, given('{"refresh_token":"r"}'))).api.authentication).toMatchObject({
      type: 'oauth20.login',
      credentials: { consumer: { client_id: 'key', client_secret: 'secret' }, user: { refresh_token: 'r' } },
    });
    expect(faults(withOauth({ type: 'oauth20.login' }, given('x')))).toEqual([
      expect.stringMatching(/^api\.authentication\.loginRequest: required/),
      `${CREDENTIALS}.#data: expected JSON in a string, found a string that is not valid JSON`,
    ]);
  });

  it('language 4.6: credentials that no authentication uses are kept, or left out when broken', () => {
    expect(accepted(withOauth(undefined, given('d'))).oauthCredentials).toEqual({
      data: 'd',
      appKey: 'key',
      appSecret: 'secret',
    });
    expect(accepted(withOauth(undefined, 'x'))).not.toHaveProperty('oauthCredentials');
  });
});

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
