import { ConfigurationError, validate } from '../../src';
import { requestContexts } from '../../src/auth/request-contexts';
import type { Authentication } from '../../src/config/configuration';
import type { Fault } from '../../src/errors';
import { planAuthentication } from '../../src/plan/authentication';
import { planOauth20 } from '../../src/plan/oauth20';
import { aRequest } from '../support/requests';
import { scopeOf } from '../support/expressions';

const PATH = 'api.authentication';
const CREDENTIALS = { '#data': '{"token":"t-1"}', appKey: 'k', '#appSecret': 's' };

function faultsOf(authentication: object, credentials: object = CREDENTIALS): readonly Fault[] {
  try {
    validate({
      api: { baseUrl: 'https://api.example', authentication },
      config: { '#token': 'x', jobs: [{ endpoint: 'items' }] },
      authorization: { oauth_api: { credentials } },
    });
    return [];
  } catch (error) {
    if (error instanceof ConfigurationError) return error.faults;
    throw error;
  }
}
const at = (path: string, message: RegExp): object => ({ path, message: expect.stringMatching(message) as string });

describe('faults of an authentication, before any request', () => {
  it('language 4.3: every reference to nothing, with its place', () => {
    const query = { a: { attr: '#tokn' }, b: { function: 'md5', args: [{ request: 'host' }] }, c: { query: 'any' } };
    expect(faultsOf({ type: 'query', query })).toEqual([
      at(`${PATH}.query.a`, /attr '#tokn' not found! Did you mean '#token'/),
      at(`${PATH}.query.b.args[0]`, /request 'host' not found!/),
    ]);
  });

  it('language 4.3: the deprecated api.query is named as such', () => {
    const api = { baseUrl: 'https://api.example', authentication: { type: 'query' }, query: { a: { attr: 'b' } } };
    expect(() => validate({ api, config: { jobs: [{ endpoint: 'items' }] } })).toThrow(/api\.query\.a: /);
  });

  it('language 4.4: lists and objects that are no expressions', () => {
    const query = { a: [1], b: { atr: '#token' }, c: { attr: '#token', x: 1 }, d: { attr: '#token' }, e: null };
    const expected = (found: string): RegExp =>
      new RegExp(`^expected a text, a number or an expression \\("function", "attr", .*\\), found ${found}$`);
    expect(faultsOf({ type: 'query', query })).toEqual([
      at(`${PATH}.query.a`, expected('list')),
      at(`${PATH}.query.b`, expected('object')),
      at(`${PATH}.query.c`, expected('object')),
    ]);
  });

  it('language 4.7: `authorization` holds what the format gives; `attr` is no context', () => {
    const headers = { a: { authorization: 'data' }, b: { authorization: 'data.tokn' }, c: { attr: '#token' } };
    expect(faultsOf({ type: 'oauth20', format: 'json', headers, query: { d: { authorization: 'secret' } } })).toEqual([
      at(`${PATH}.headers.a`, /holds several values, name one of them: .*data\.token/),
      at(`${PATH}.headers.b`, /authorization 'data.tokn' not found! Did you mean 'data.token'/),
      at(`${PATH}.headers.c`, /found object$/),
      at(`${PATH}.query.d`, /authorization 'secret' not found!/),
    ]);
    expect(faultsOf({ type: 'oauth20', headers: { a: { authorization: 'data' } } })).toEqual([]);
  });

  it.each([
    ['oauth10', { '#data': '{"oauth_token":"a"}', appKey: 'k', '#appSecret': 's' }, '#data.oauth_token_secret'],
    ['oauth20', { '#data': 'x', appKey: 'k' }, '#appSecret'],
    ['oauth20.login', { appKey: 'k', '#appSecret': 's' }, '#data'],
  ])('language 4.6 to 4.8: %s needs its credentials', (type, credentials, missing) => {
    const loginRequest = type === 'oauth20.login' ? { loginRequest: { endpoint: 'token' } } : {};
    expect(faultsOf({ type, ...loginRequest }, credentials).map(({ path }) => path)).toEqual([
      `authorization.oauth_api.credentials.${missing}`,
    ]);
  });
});

describe('language 4.7: oauth20, compiled', () => {
  /** Of an API that wants a MAC over the request. */
  const mac = {
    function: 'concat',
    args: [
      { authorization: 'data.access_token' },
      '|',
      {
        function: 'md5',
        args: [
          {
            function: 'hash_hmac',
            args: [
              'sha256',
              {
                function: 'implode',
                args: [
                  '\n',
                  [
                    { authorization: 'timestamp' },
                    { authorization: 'nonce' },
                    { request: 'method' },
                    { request: 'resource' },
                    { request: 'hostname' },
                    { request: 'port' },
                    '\n',
                  ],
                ],
              },
              { authorization: 'data.mac_secret' },
            ],
          },
        ],
      },
    ],
  };
  const oauth = (changes: object): Extract<Authentication, { type: 'oauth20' }> => ({
    type: 'oauth20',
    format: 'json',
    headers: { Authorization: mac },
    query: {},
    credentials: { data: '{"access_token":"testToken","mac_secret":"iAreSoSecret123"}', appKey: 'a', appSecret: 'b' },
    ...changes,
  });

  it('gives the header of a recorded exchange, and says that it is secret', () => {
    const planned = planOauth20(oauth({}), scopeOf());
    if (planned._tag === 'Left') throw new Error(JSON.stringify(planned.left));
    const request = aRequest({ url: 'http://mock-server:80/104-oauth2-hmac/users' });
    const attempt = { nonce: '605cce2a2f687253', timestamp: 1492958193 };
    const header = 'testToken|ae96f93def8f02770f30e858e074b2a7';
    expect(planned.right.plan.values(requestContexts(request), attempt)).toEqual({
      headers: { authorization: header },
      query: [],
      secrets: [header],
    });
    expect(planned.right.secrets).toEqual(['testToken', 'iAreSoSecret123']);
  });

  it('language 4.4: what comes out of an expression has to be a scalar', () => {
    const planned = planOauth20(
      oauth({ headers: {}, query: { a: { function: 'ifempty', args: [[1], 2] } } }),
      scopeOf(),
    );
    if (planned._tag === 'Left') throw new Error(JSON.stringify(planned.left));
    const { values } = planned.right.plan;
    expect(() => values(requestContexts(aRequest()), { nonce: 'n', timestamp: 0 })).toThrow(
      'api.authentication.query.a: expected a text or a number, found list',
    );
  });
});

describe('language 4.2 and 4.6: what is known before the run', () => {
  const planned = (authentication: Authentication): unknown => {
    const api = { authentication } as Parameters<typeof planAuthentication>[0];
    const result = planAuthentication(api, 'https://api.example/', scopeOf({ attr: new Map() }));
    return result._tag === 'Right' ? result.right : result.left;
  };

  it('no authentication', () => {
    expect(planned({ type: 'none' })).toEqual({ plan: { type: 'none' }, secrets: [] });
  });

  it('basic: the header; password and pair are secrets', () => {
    expect(planned({ type: 'basic', username: 'JohnDoe', password: 'secret' })).toEqual({
      plan: { type: 'basic', authorization: 'Basic Sm9obkRvZTpzZWNyZXQ=' },
      secrets: ['secret', 'Sm9obkRvZTpzZWNyZXQ='],
    });
  });

  it('oauth10: the credentials; all but the consumer key are secrets', () => {
    const credentials = { consumerKey: 'ck', consumerSecret: 'cs', token: 't', tokenSecret: 'ts' };
    expect(planned({ type: 'oauth10', credentials })).toEqual({
      plan: { type: 'oauth10', credentials },
      secrets: ['cs', 't', 'ts'],
    });
  });
});
