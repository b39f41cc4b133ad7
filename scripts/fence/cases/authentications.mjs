/**
 * One case for each way of logging in. The two grants of `oauth2` that a person takes part in (`authorization_code`,
 * `device_code`) are left out: they need somebody at a browser.
 */
import { ids, json, slice, text } from '../answers.mjs';
import { PLAIN } from '../columns.mjs';

const stations = ids(1, 2);
const jobs = [{ endpoint: 'stations', params: { page: 2 } }];

/** One request, which has what it was given. */
const sent = (name, authentication, { api = {}, config = {}, authorization } = {}) => ({
  name: `auth-${name}`,
  config: {
    api: { authentication, ...api },
    config: { ...config, jobs },
    ...(authorization && { authorization: { oauth_api: { credentials: authorization } } }),
  },
  answer: () => json(stations),
  to: ['stdout', 'duckdb'],
});

const bearerOf = (path) => ({
  headers: { Authorization: { function: 'concat', args: ['Bearer ', { response: path }] } },
});

const login = (more = {}) => ({
  type: 'login',
  loginRequest: {
    endpoint: 'session',
    method: 'POST',
    params: { user: { attr: 'user' }, password: { attr: '#password' } },
  },
  apiRequest: bearerOf('access.token'),
  ...more,
});

const reader = { user: 'reader', '#password': 'trout' };

/** Three pages behind a login; each login gives another token. */
const behindLogin = (name, authentication, isFresh) => ({
  name: `auth-${name}`,
  config: {
    api: { authentication, pagination: { method: 'offset', limit: 1 } },
    config: { ...reader, jobs: [{ endpoint: 'stations' }] },
  },
  answer: (request) => {
    const { memory, path, headers } = request;
    if (path === '/session') {
      memory.logins = (memory.logins ?? 0) + 1;
      return json({ access: { token: `token-${memory.logins}` }, expires_in: 1 });
    }
    if (!isFresh(headers.authorization, memory, request)) return json({ error: 'stale' }, { status: 401 });
    return json(slice(stations, request));
  },
  to: [...PLAIN, 'extract'],
});

export const authentications = [
  sent('basic', { type: 'basic' }, { config: { username: 'reader', '#password': 'trout' } }),
  sent('bearer', { type: 'bearer', token: { attr: '#token' } }, { config: { '#token': 'rb7' } }),
  sent(
    'api-key',
    { type: 'apiKey', name: 'api_key', in: 'query', key: { attr: '#key' } },
    { config: { '#key': 'k71' } },
  ),
  sent('api-key-header', { type: 'apiKey', name: 'X-Key', key: { attr: '#key' } }, { config: { '#key': 'k71' } }),
  sent(
    'query',
    {
      type: 'query',
      query: {
        key: { attr: 'key' },
        sign: { function: 'sha1', args: [{ function: 'concat', args: [{ attr: 'key' }, { query: 'page' }] }] },
      },
    },
    { config: { key: 'k1' } },
  ),
  sent(
    'oauth10',
    { type: 'oauth10' },
    {
      authorization: {
        '#data': JSON.stringify({ oauth_token: 't1', oauth_token_secret: 't2' }),
        appKey: 'ck',
        '#appSecret': 'cs',
      },
    },
  ),
  sent(
    'oauth20',
    {
      type: 'oauth20',
      format: 'json',
      headers: { Authorization: { function: 'concat', args: ['Bearer ', { authorization: 'data.access_token' }] } },
    },
    { authorization: { '#data': JSON.stringify({ access_token: 'b7d1' }), appKey: 'river', '#appSecret': 's' } },
  ),
  sent(
    'jwt',
    { type: 'jwt', algorithm: 'HS256', key: { attr: '#key' }, claims: { iss: 'river' } },
    { config: { '#key': 'a secret that both sides share' } },
  ),
  sent(
    'signature',
    {
      type: 'signature',
      parts: [{ request: 'method' }, { request: 'resource' }],
      template: 'HMAC {keyId}:{signature}',
    },
    { config: { keyId: 'river', '#signatureKey': 's3cret' } },
  ),
  behindLogin('login', login(), () => true),
  // Zero seconds: a login before each request, whatever the clock says.
  behindLogin('login-expires', login({ expires: 0 }), (header, { logins }) => header === `Bearer token-${logins}`),
  // The second page finds the token stale, once.
  behindLogin('login-renewed', login(), (header, memory, { query }) => query.offset === '0' || memory.logins > 1),
  behindLogin('login-refused', login(), () => false),
  {
    name: 'auth-oauth20-login',
    config: {
      api: {
        authentication: {
          type: 'oauth20.login',
          loginRequest: {
            endpoint: 'oauth/token',
            method: 'FORM',
            params: {
              grant_type: 'refresh_token',
              client_id: { consumer: 'client_id' },
              client_secret: { consumer: 'client_secret' },
              refresh_token: { user: 'refresh_token' },
            },
          },
          apiRequest: bearerOf('access_token'),
          expires: { response: 'expires_in', relative: true },
        },
      },
      config: { jobs },
      authorization: {
        oauth_api: {
          credentials: { '#data': JSON.stringify({ refresh_token: 'r1' }), appKey: 'river', '#appSecret': 's3' },
        },
      },
    },
    answer: ({ path }) => json(path === '/oauth/token' ? { access_token: 'b7d1', expires_in: 3600 } : stations),
    to: PLAIN,
  },
  {
    name: 'auth-oauth2',
    config: {
      api: { authentication: { type: 'oauth2', tokenEndpoint: 'oauth/token', scope: 'stations:read' } },
      config: { clientId: 'river', '#clientSecret': 's3', jobs },
    },
    answer: ({ path }) =>
      json(path === '/oauth/token' ? { access_token: 'b7d1', token_type: 'Bearer', expires_in: 3600 } : stations),
    to: [...PLAIN, 'extract'],
  },
  {
    name: 'auth-digest',
    config: {
      api: { authentication: { type: 'digest' }, pagination: { method: 'offset', limit: 1 } },
      config: { username: 'reader', '#password': 'trout', jobs: [{ endpoint: 'stations' }] },
    },
    // Without a quality of protection nothing in the answer to the challenge is of chance.
    answer: (request) =>
      request.headers.authorization === undefined
        ? json({ error: 'who?' }, { status: 401, headers: { 'www-authenticate': 'Digest realm="rivers", nonce="n1"' } })
        : json(slice(stations, request)),
    to: PLAIN,
  },
  {
    name: 'auth-session',
    config: {
      api: {
        authentication: {
          type: 'session',
          loginRequest: {
            endpoint: 'login',
            method: 'FORM',
            params: { user: { attr: 'user' }, password: { attr: '#password' } },
          },
          loginPage: '/login',
        },
        pagination: { method: 'offset', limit: 1 },
      },
      config: { ...reader, jobs: [{ endpoint: 'stations' }] },
    },
    // The session is over once, at the second page: a redirect leads to the page of the login.
    answer: (request) => {
      const { method, path, memory, query, headers } = request;
      if (path === '/login' && method === 'POST') {
        memory.sessions = (memory.sessions ?? 0) + 1;
        return text('Welcome', 'text/html', { headers: { 'set-cookie': `sid=s${memory.sessions}; Path=/; HttpOnly` } });
      }
      if (path === '/login') return text('<form><input type="password"></form>', 'text/html');
      if (headers.cookie === 'sid=s1' && query.offset === '1')
        return text('', 'text/html', { status: 302, headers: { location: '/login' } });
      return json(slice(stations, request));
    },
    to: [...PLAIN, 'extract'],
  },
];
