import { accepted, configuration, faults, run } from '../support';

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
