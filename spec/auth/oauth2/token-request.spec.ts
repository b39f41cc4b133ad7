import { asLogin, basicPair, inMemory, secretsOf } from '../../../src/auth/oauth2/token-request';
import type { Oauth2Options } from '../../../src/auth/oauth2/token-request';

const OPTIONS: Oauth2Options = {
  tokenEndpoint: 'token',
  grant: 'client_credentials',
  clientAuthentication: 'basic',
  params: {},
  authorizationParams: {},
  margin: undefined,
  refusedStatusCodes: [401],
};
const CREDENTIALS = { clientId: 'river', clientSecret: 's3', username: 'me', password: 'trout', refreshToken: 'r1' };

describe('the login that oauth2 stands for', () => {
  it.each<[Partial<Oauth2Options>, object]>([
    [{}, { grant_type: 'client_credentials' }],
    [{ grant: 'password' }, { grant_type: 'password', username: 'me', password: 'trout' }],
    [{ grant: 'refresh_token' }, { grant_type: 'refresh_token', refresh_token: 'r1' }],
    [
      { clientAuthentication: 'body', scope: 'a b', params: { audience: { attr: 'x' } } },
      {
        grant_type: 'client_credentials',
        client_id: 'river',
        client_secret: 's3',
        scope: 'a b',
        audience: { attr: 'x' },
      },
    ],
    [{ clientAuthentication: 'none' }, { grant_type: 'client_credentials', client_id: 'river' }],
  ])('%j sends %j', (changes, params) => {
    expect(asLogin({ ...OPTIONS, ...changes }, CREDENTIALS).loginRequest.params).toEqual(params);
  });

  it('the refresh token is sent with the same proof, scope and parameters', () => {
    const options: Oauth2Options = { ...OPTIONS, clientAuthentication: 'body', scope: 'a', params: { audience: 'b' } };
    expect(asLogin(options, CREDENTIALS).refreshRequest?.params).toEqual({
      grant_type: 'refresh_token',
      refresh_token: { state: 'refreshToken' },
      client_id: 'river',
      client_secret: 's3',
      scope: 'a',
      audience: 'b',
    });
  });

  it('RFC 6749 section 2.3.1: id and secret are form-encoded in the header', () => {
    const odd = { ...CREDENTIALS, clientId: 'a:b', clientSecret: 'ä +%' };
    expect(Buffer.from(basicPair(odd), 'base64').toString()).toBe('a%3Ab:%C3%A4+%2B%25');
    expect(asLogin(OPTIONS, CREDENTIALS).loginRequest.headers).toEqual({
      Accept: 'application/json',
      Authorization: 'Basic cml2ZXI6czM=',
    });
    expect(secretsOf(CREDENTIALS)).toEqual(['s3', 'trout', 'r1', 'cml2ZXI6czM=']);
  });
});

describe('inMemory', () => {
  it('keeps the values of each login, and those that are not given again', async () => {
    const store = inMemory();
    await store.write('a', new Map([['x', '1']]));
    await store.write('a', new Map([['y', '2']]));
    expect([...store.read('a')]).toEqual([
      ['x', '1'],
      ['y', '2'],
    ]);
    expect(store.read('b').size).toBe(0);
  });
});
