/** What the types of authentication send, as rows of a table: contract.spec.ts says what holds for each of them. */
import { createHash, createHmac } from 'node:crypto';

/** A request as the API got it. */
export interface Seen {
  readonly method: string;
  readonly url: URL;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Changes of a configuration, and the faults for which it is refused then, before the first request. */
export interface Refused {
  readonly authentication?: object;
  readonly config?: object;
  readonly credentials?: object;
  readonly faults: readonly string[];
}

/** What a login is, and what it gives. */
export interface Login {
  /** The request, as `POST /login [authorization: …] body`. */
  readonly asked: string;
  /** The answer to the login with this number, from 1. */
  readonly answer: (count: number) => { readonly json: object; readonly headers?: Readonly<Record<string, string>> };
  /** What an error shows of the login, where the API repeats its body and the header `x-proof`. */
  readonly shown: string;
}

export interface Row {
  readonly type: string;
  readonly what: string;
  /** The options. */
  readonly options: object;
  readonly config?: object;
  /** In `authorization.oauth_api`. */
  readonly credentials?: object;
  /**
   * The credentials in a request, if they are right: what is sent, as it is.
   *
   * @param logins how many there were
   */
  readonly proof: (request: Seen, logins: number) => string | undefined;
  readonly login?: Login;
  /** What the API demands of whoever has not proved anything. */
  readonly challenge?: Readonly<Record<string, string>>;
  /** Whether each request has credentials of its own. */
  readonly isFresh?: boolean;
  /** Whether a status 401 leads to new credentials, and the request is repeated. */
  readonly renews?: boolean;
  /** Of a job that has something in the place of the credentials itself. */
  readonly own: { readonly headers?: object; readonly params?: object };
  /** What must not be seen, beside what is made of it. */
  readonly secrets: readonly string[];
  /** What of the credentials in a request is secret; absent: all but a word before them. */
  readonly secretsIn?: (proof: string) => readonly string[];
  /** How an error shows the credentials of a request that the API repeats. */
  readonly shown: string | RegExp;
  /** How events show credentials in the query. */
  readonly inQuery?: string;
  /** A slip in an option, and the option that was meant; absent: there are no options. */
  readonly slip?: readonly [written: string, meant: string];
  readonly refused: readonly Refused[];
  /** The option with a secret that may stand in the environment, and the variable that a command of a plan has for what is made of it. */
  readonly secretOption?: readonly [option: string, shownAs: RegExp];
  /** This is true where credentials are for the host that gave them, and for no other. */
  readonly isOfHost?: boolean;
}

const MINE = { headers: { Authorization: 'mine' } };
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
const sha1 = (text: string): string => createHash('sha1').update(text).digest('hex');
const hmac = (text: string, key: string): string => createHmac('sha256', key).update(text).digest('hex');
const base64 = (text: string): string => Buffer.from(text).toString('base64');
const isSent =
  (expected: string) =>
  ({ headers }: Seen): string | undefined =>
    headers['authorization'] === expected ? expected : undefined;
const fieldsIn = (header: string): Readonly<Record<string, string>> =>
  Object.fromEntries([...header.matchAll(/(\w+)="?([^",]*)"?/g)].map(([, name = '', value = '']) => [name, value]));
/** The token of the last login. */
const isToken = ({ headers }: Seen, logins: number): string | undefined =>
  headers['authorization'] === `Bearer t0k3n-${logins}` ? headers['authorization'] : undefined;
const attr = (name: string): object => ({ attr: name });
const NO_TOKEN = 'api.authentication.token: required';
const needs = (key: string, type: string): string => `config.${key}: required by ${type} authentication`;

const USER = { username: 'Jöhn', '#password': 's:ecret-word' };
const basic: Row = {
  ...{ type: 'basic', what: 'a name and a password', options: {}, config: USER },
  proof: isSent(`Basic ${base64('Jöhn:s:ecret-word')}`),
  own: MINE,
  secrets: ['s:ecret-word', base64('Jöhn:s:ecret-word')],
  shown: '"seen":"Basic ***"',
  refused: [
    { config: { username: '' }, faults: [needs('#username', 'basic')] },
    { config: { '#password': '' }, faults: [needs('#password', 'basic')] },
    {
      config: { username: undefined, '#password': undefined },
      faults: [needs('#username', 'basic'), needs('#password', 'basic')],
    },
  ],
};

const plain: Row = {
  ...basic,
  ...{ what: 'a password without `#`', config: { username: 'someone', password: 'pass-word' } },
  proof: isSent(`Basic ${base64('someone:pass-word')}`),
  secrets: ['pass-word', base64('someone:pass-word')],
  refused: [],
};

const bearer: Row = {
  ...{
    type: 'bearer',
    what: 'a token of config',
    options: { token: attr('#token') },
    config: { '#token': 'rb-71-abc' },
  },
  proof: isSent('Bearer rb-71-abc'),
  own: MINE,
  secrets: ['rb-71-abc'],
  shown: '"seen":"Bearer ***"',
  slip: ['tokn', 'token'],
  secretOption: ['token', /^HEADWATER_SPEC_SECRET/],
  refused: [
    { authentication: { token: undefined }, faults: [NO_TOKEN] },
    { authentication: { token: undefined, tokn: 'rb-71-abc' }, faults: [NO_TOKEN] },
    { authentication: { token: '' }, faults: [NO_TOKEN] },
    { config: { '#token': '' }, faults: ['api.authentication.token: gives no string: the secret is empty'] },
    { authentication: { token: attr('#tokne') }, faults: ['api.authentication.token: User script error: '] },
    {
      config: { '#token': 'rb-71-abc\n' },
      faults: ['api.authentication.token: has a line break or another character that cannot be sent'],
    },
  ],
};

const scheme: Row = {
  ...bearer,
  ...{ what: 'another word, and a token in place', options: { token: 'plain-token', scheme: 'Token' }, config: {} },
  proof: isSent('Token plain-token'),
  secrets: ['plain-token'],
  shown: '"seen":"Token ***"',
  slip: ['schem', 'scheme'],
  refused: [],
};

const apiKey: Row = {
  ...{
    type: 'apiKey',
    what: 'a header',
    options: { name: 'X-Api-Key', key: attr('#key') },
    config: { '#key': 'k-71-abc' },
  },
  proof: ({ headers }) => (headers['x-api-key'] === 'k-71-abc' ? 'k-71-abc' : undefined),
  own: { headers: { 'x-api-key': 'mine' } },
  secrets: ['k-71-abc'],
  shown: '"seen":"***"',
  slip: ['nam', 'name'],
  secretOption: ['key', /^HEADWATER_SPEC_SECRET/],
  refused: [
    { authentication: { name: undefined }, faults: ['api.authentication.name: required'] },
    { authentication: { key: undefined }, faults: ['api.authentication.key: required'] },
    { config: { '#key': '' }, faults: ['api.authentication.key: gives no string: the secret is empty'] },
    { authentication: { name: 'X Key' }, faults: ['api.authentication.name: is no name of a header'] },
    { authentication: { in: 'cookie' }, faults: ['api.authentication.in: expected one of header, query'] },
  ],
};

const queryKey: Row = {
  ...apiKey,
  ...{
    what: 'the query, with what has a meaning there',
    options: { name: 'key', in: 'query', key: 'a&b=c d' },
    config: {},
  },
  proof: ({ url }) => (url.searchParams.getAll('key').join('|') === 'a&b=c d' ? 'a&b=c d' : undefined),
  own: { params: { page: 2, key: 'mine' } },
  secrets: ['a&b=c d', 'a%26b%3Dc%20d'],
  slip: ['key_', 'key'],
  inQuery: 'key=***',
  refused: [],
};

const query: Row = {
  type: 'query',
  what: 'a key, and what is computed of it and of the request',
  options: {
    query: {
      token: attr('#token'),
      sign: { function: 'sha1', args: [{ function: 'concat', args: [attr('#token'), { request: 'path' }] }] },
    },
  },
  config: { '#token': 'q-71-abc' },
  proof: ({ url: { pathname, searchParams } }) => {
    const [token, sign] = ['token', 'sign'].map((name) => searchParams.getAll(name).join('|'));
    return token === 'q-71-abc' && sign === sha1(`q-71-abc${pathname}`) ? `${token} ${sign}` : undefined;
  },
  own: { params: { token: 'mine', sign: 'mine' } },
  secrets: ['q-71-abc'],
  secretsIn: (proof) => proof.split(' '),
  shown: '"seen":"*** ***"',
  slip: ['qery', 'query'],
  inQuery: 'token=***&sign=***',
  refused: [
    {
      authentication: { query: undefined },
      faults: ['api.authentication.query: required: the parameters that query authentication adds'],
    },
    { authentication: { query: { a: attr('#tokn') } }, faults: ['api.authentication.query.a: User script error: '] },
  ],
};

const digest: Row = {
  ...{ type: 'digest', what: 'a challenge', options: {}, config: { username: 'reader', '#password': 'tr0ut-word' } },
  challenge: { 'www-authenticate': 'Digest realm="rivers", nonce="n0nce", qop="auth", algorithm=SHA-256' },
  proof: ({ method, url, headers }) => {
    const { nonce, nc, cnonce, uri, response } = fieldsIn(headers['authorization'] ?? '');
    const path = url.pathname + url.search;
    const key = sha256('reader:rivers:tr0ut-word');
    const expected = sha256(`${key}:${nonce}:${nc}:${cnonce}:auth:${sha256(`${method}:${path}`)}`);
    return uri === path && response === expected ? response : undefined;
  },
  isFresh: true,
  own: MINE,
  secrets: ['tr0ut-word'],
  shown: '"seen":"***"',
  refused: [
    { config: { username: '' }, faults: [needs('#username', 'digest')] },
    { config: { '#password': '' }, faults: [needs('#password', 'digest')] },
  ],
};

const KEY = 'k3y-of-the-river-that-nobody-tells';
const jwtOf = (token: string, key = KEY): Record<string, unknown> | undefined => {
  const [header = '', claims = '', signature] = token.split('.');
  const expected = createHmac('sha256', key).update(`${header}.${claims}`).digest('base64url');
  if (signature !== expected) return undefined;
  return JSON.parse(Buffer.from(claims, 'base64url').toString()) as Record<string, unknown>;
};
const jwt: Row = {
  type: 'jwt',
  what: 'a token that is signed',
  options: { algorithm: 'HS256', key: attr('#key'), jti: true, claims: { iss: 'river', sub: attr('#claim') } },
  config: { '#key': KEY, '#claim': 'cl41m-secret' },
  proof: ({ headers }) => {
    const [, token = ''] = (headers['authorization'] ?? '').split('Bearer ');
    return jwtOf(token)?.['sub'] === 'cl41m-secret' ? `Bearer ${token}` : undefined;
  },
  renews: true,
  own: MINE,
  secrets: [KEY, 'cl41m-secret'],
  shown: '"seen":"Bearer ***"',
  slip: ['lifetme', 'lifetime'],
  secretOption: ['key', /^AUTHORIZATION$/],
  refused: [
    { authentication: { algorithm: undefined }, faults: ['api.authentication.algorithm: required'] },
    { authentication: { algorithm: 'none' }, faults: ['api.authentication.algorithm: expected one of'] },
    { authentication: { key: undefined }, faults: ['api.authentication.key: required'] },
    { authentication: { algorithm: 'RS256' }, faults: ['api.authentication.key: is no private key'] },
    { config: { '#key': '' }, faults: ['api.authentication.key: gives no string: the secret is empty'] },
    { authentication: { claims: { exp: 1 } }, faults: ['api.authentication.claims: has "iat", "exp" or "jti"'] },
    { authentication: { lifetime: -1 }, faults: ['api.authentication.lifetime: expected an integer'] },
    { authentication: { claims: { iss: attr('isuer') } }, faults: ['api.authentication.claims'] },
    { authentication: { exchange: { as: 'client' } }, faults: ['api.authentication.exchange.tokenEndpoint: required'] },
  ],
};

const gives = (count: number) => ({ json: { access_token: `t0k3n-${count}`, token_type: 'bearer', expires_in: 3600 } });

const RENEWED = { proof: isToken, renews: true, own: MINE, shown: '"seen":"***"' };
const exchanged: Row = {
  ...jwt,
  ...RENEWED,
  what: 'a token that is exchanged for another one',
  options: { ...jwt.options, exchange: { tokenEndpoint: 'login', as: 'client', scope: 'stations:read' } },
  login: {
    asked: 'POST /login grant_type=client_credentials',
    answer: gives,
    shown: 'client_assertion=***',
  },
  slip: ['exchang', 'exchange'],
  secretOption: ['key', /^SECRET$/],
  refused: [],
};

const BEARER = { function: 'concat', args: ['Bearer ', { response: 'access_token' }] };
const login: Row = {
  ...RENEWED,
  type: 'login',
  what: 'a token that becomes a header',
  options: {
    loginRequest: {
      endpoint: 'login',
      method: 'POST',
      params: { user: 'me', password: attr('#password') },
      headers: { 'X-Proof': { function: 'sha1', args: [attr('#password')] } },
    },
    apiRequest: { headers: { Authorization: BEARER } },
  },
  config: { '#password': 'pw-71-abc' },
  secrets: ['pw-71-abc', sha1('pw-71-abc')],
  login: {
    asked: `POST /login [x-proof: ${sha1('pw-71-abc')}] {"user":"me","password":"pw-71-abc"}`,
    answer: gives,
    shown: '"proof":"***"',
  },
  slip: ['apiReqest', 'apiRequest'],
  refused: [
    {
      authentication: { loginRequest: undefined },
      faults: ['api.authentication.loginRequest: required: the login request'],
    },
    {
      authentication: { loginRequest: { method: 'POST' } },
      faults: ['api.authentication.loginRequest.endpoint: required: the path or URL of the login'],
    },
    {
      authentication: { loginRequest: { endpoint: 'login', params: { a: attr('#pasword') } } },
      faults: ['api.authentication.loginRequest.params.a: User script error: '],
    },
  ],
};

const loginQuery: Row = {
  ...login,
  what: 'a token that becomes a parameter',
  options: { ...login.options, apiRequest: { query: { key: 'access_token' } } },
  proof: ({ url }, logins) => (url.searchParams.get('key') === `t0k3n-${logins}` ? `t0k3n-${logins}` : undefined),
  own: {},
  shown: '"seen":"***"',
  inQuery: 'key=***',
  refused: [],
};

const session: Row = {
  type: 'session',
  what: 'a cookie',
  options: {
    loginRequest: { endpoint: 'login', method: 'FORM', params: { user: 'me', password: attr('#password') } },
  },
  config: { '#password': 'pW5d-of-the-reader' },
  proof: ({ headers }, logins) => (headers['cookie'] === `sid=s3ss10n-${logins}` ? headers['cookie'] : undefined),
  login: {
    asked: 'POST /login user=me&password=pW5d-of-the-reader',
    answer: (count) => ({ json: {}, headers: { 'set-cookie': `sid=s3ss10n-${count}; Path=/; HttpOnly` } }),
    shown: 'user=me&password=***',
  },
  renews: true,
  own: {},
  secrets: ['pW5d-of-the-reader'],
  shown: '"seen":"sid=***"',
  slip: ['loginPag', 'loginPage'],
  isOfHost: true,
  refused: [
    { authentication: { loginRequest: undefined }, faults: ['api.authentication.loginRequest: required'] },
    { authentication: { loginPage: 'http://[' }, faults: ['api.authentication.loginPage: is no path and no URL'] },
  ],
};

const signature: Row = {
  type: 'signature',
  what: 'a signature of the request, with a time and a nonce',
  options: {
    parts: [{ request: 'method' }, { request: 'resource' }, { signature: 'timestamp' }, { signature: 'nonce' }],
    header: 'X-Signature',
    headers: { 'X-Time': { signature: 'timestamp' }, 'X-Nonce': { signature: 'nonce' }, 'X-Key': attr('keyId') },
    timestamp: 'milliseconds',
  },
  config: { '#signatureKey': 's1gnature-key', keyId: 'k1' },
  proof: ({ method, url, headers }) => {
    const text = [method, url.pathname + url.search, headers['x-time'], headers['x-nonce']].join('\n');
    const isRight = headers['x-key'] === 'k1' && headers['x-signature'] === hmac(text, 's1gnature-key');
    return isRight ? headers['x-signature'] : undefined;
  },
  isFresh: true,
  own: { headers: { 'x-signature': 'mine', 'X-Nonce': 'mine' } },
  secrets: ['s1gnature-key'],
  shown: '"seen":"***"',
  slip: ['separater', 'separator'],
  refused: [
    { authentication: { parts: undefined }, faults: ['api.authentication.parts: required'] },
    { authentication: { parts: [] }, faults: ['api.authentication.parts: required'] },
    { authentication: { template: 'x' }, faults: ['api.authentication.template: has no {signature}'] },
    { authentication: { header: 'a b' }, faults: ['api.authentication.header: is no name of a header'] },
    { authentication: { headers: { 'x-signature': 'x' } }, faults: ['api.authentication.headers: has the header'] },
    {
      authentication: { algorithm: 'sha255' },
      faults: [
        'api.authentication.algorithm: expected one of sha256, sha1, sha384, sha512, md5, found "sha255"; did you mean "sha256"?',
      ],
    },
    { config: { '#signatureKey': '' }, faults: [needs('#signatureKey', 'signature')] },
    {
      authentication: { template: '{keyId}{signature}' },
      config: { keyId: '' },
      faults: [needs('keyId', 'signature')],
    },
  ],
};

const CREDENTIALS = { appKey: 'client-1', '#appSecret': 'app-secret' };
const CREDENTIAL = 'authorization.oauth_api.credentials';
const lacking = (key: string): Refused => ({
  credentials: { [key]: undefined },
  faults: [`${CREDENTIAL}.${key}: required`],
});
const TOKENS = '{"oauth_token":"user token","oauth_token_secret":"token&secret"}';
const encoded = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);
const oauth10: Row = {
  ...{ type: 'oauth10', what: 'a signature', options: {} },
  credentials: { ...CREDENTIALS, '#data': TOKENS },
  proof: ({ method, url, headers }) => {
    const header = headers['authorization'] ?? '';
    const fields = Object.entries(fieldsIn(header)).map(([name, value]) => [name, decodeURIComponent(value)] as const);
    const given = Object.fromEntries(fields);
    const pairs = [...url.searchParams, ...fields].filter(([name]) => name !== 'oauth_signature');
    const sorted = pairs
      .map(([name, value]) => `${encoded(name)}=${encoded(value)}`)
      .sort()
      .join('&');
    const text = [method, encoded(url.origin + url.pathname), encoded(sorted)].join('&');
    const expected = createHmac('sha1', `app-secret&${encoded('token&secret')}`)
      .update(text)
      .digest('base64');
    return given['oauth_signature'] === expected && given['oauth_token'] === 'user token' ? header : undefined;
  },
  isFresh: true,
  own: MINE,
  secrets: ['app-secret', 'user token', 'user%20token', 'token&secret', encoded('token&secret')],
  secretsIn: (proof) => {
    const { oauth_signature: made = '' } = fieldsIn(proof);
    return [made, decodeURIComponent(made)];
  },
  shown: /oauth_signature=\\"\*\*\*\\".*oauth_token=\\"\*\*\*\\"/,
  refused: [
    ...['#data', 'appKey', '#appSecret'].map(lacking),
    {
      credentials: { '#data': '{"oauth_token":"a"}' },
      faults: [`${CREDENTIAL}.#data.oauth_token_secret: required`],
    },
  ],
};

const oauth20: Row = {
  ...{ type: 'oauth20', what: 'a token that is there already' },
  options: { headers: { Authorization: { function: 'concat', args: ['Bearer ', { authorization: 'data' }] } } },
  credentials: { '#data': '{some} token', appKey: '', '#appSecret': '' },
  proof: isSent('Bearer {some} token'),
  own: MINE,
  secrets: ['{some} token'],
  shown: '"seen":"***"',
  slip: ['heders', 'headers'],
  refused: ['#data', 'appKey', '#appSecret'].map(lacking),
};

const oauth20Login: Row = {
  ...RENEWED,
  ...{ type: 'oauth20.login', what: 'a refresh token that is there already' },
  options: {
    loginRequest: {
      endpoint: 'login',
      method: 'FORM',
      params: {
        client_id: { consumer: 'client_id' },
        client_secret: { consumer: 'client_secret' },
        refresh_token: { user: 'tokens.0' },
        scope: attr('scope'),
      },
      headers: { 'X-Proof': { function: 'sha1', args: [{ user: 'tokens.0' }] } },
    },
    apiRequest: { headers: { Authorization: BEARER }, query: { scope: attr('scope') } },
  },
  config: { scope: 'all' },
  proof: (request, logins) =>
    request.url.searchParams.getAll('scope').join('|') === 'all' ? isToken(request, logins) : undefined,
  credentials: { ...CREDENTIALS, '#data': '{"tokens":["refresh-me"]}' },
  secrets: ['refresh-me', 'app-secret', sha1('refresh-me')],
  login: {
    asked: `POST /login [x-proof: ${sha1('refresh-me')}] client_id=client-1&client_secret=app-secret&refresh_token=refresh-me&scope=all`,
    answer: gives,
    shown: 'client_id=client-1&client_secret=***&refresh_token=***&scope=all',
  },
  slip: ['loginReqest', 'loginRequest'],
  refused: [
    ...['#data', 'appKey', '#appSecret'].map(lacking),
    { authentication: { loginRequest: undefined }, faults: ['api.authentication.loginRequest: required'] },
  ],
};

const CLIENT = { clientId: 'river', '#clientSecret': 'cl13nt-word' };
const oauth2: Row = {
  ...RENEWED,
  ...{ type: 'oauth2', what: 'client credentials', options: { tokenEndpoint: 'login' }, config: CLIENT },
  secrets: ['cl13nt-word', base64('river:cl13nt-word')],
  login: {
    asked: `POST /login [authorization: Basic ${base64('river:cl13nt-word')}] grant_type=client_credentials`,
    answer: gives,
    shown: '"authorization":"***"',
  },
  slip: ['tokenEndpont', 'tokenEndpoint'],
  refused: [
    { authentication: { tokenEndpoint: undefined }, faults: ['api.authentication.tokenEndpoint: required'] },
    { config: { clientId: '' }, faults: [needs('clientId', 'oauth2')] },
    { config: { '#clientSecret': '' }, faults: [needs('#clientSecret', 'oauth2')] },
    {
      authentication: { clientAuthentication: 'none', grant: 'password' },
      config: { '#clientSecret': '', username: 'me' },
      faults: [needs('#password', 'oauth2')],
    },
    {
      authentication: { clientAuthentication: 'none', grant: 'refresh_token' },
      config: { '#clientSecret': '' },
      faults: [needs('#refreshToken', 'oauth2')],
    },
  ],
};

const password: Row = {
  ...oauth2,
  what: 'a name and a password, in the body, and a second name that does not count',
  config: { ...CLIENT, username: 'me', '#username': 'other', '#password': 'tr0ut-word' },
  options: { tokenEndpoint: 'login', grant: 'password', clientAuthentication: 'body', scope: 'read write' },
  secrets: ['cl13nt-word', 'tr0ut-word'],
  login: {
    asked:
      'POST /login grant_type=password&username=me&password=tr0ut-word&client_id=river&client_secret=cl13nt-word&scope=read write',
    answer: gives,
    shown: 'grant_type=password&username=me&password=***&client_id=river&client_secret=***',
  },
  slip: ['gran', 'grant'],
  refused: [],
};

const refresh: Row = {
  ...oauth2,
  ...{ what: 'a refresh token', config: { ...CLIENT, '#refreshToken': 'r3fresh-0' } },
  options: { tokenEndpoint: 'login', grant: 'refresh_token' },
  secrets: ['cl13nt-word', base64('river:cl13nt-word'), 'r3fresh-0'],
  login: {
    asked: `POST /login [authorization: Basic ${base64('river:cl13nt-word')}] grant_type=refresh_token&refresh_token=r3fresh-0`,
    answer: (count) => ({ json: { ...gives(count).json, refresh_token: `r3fresh-${count}` } }),
    shown: 'grant_type=refresh_token&refresh_token=***',
  },
  slip: ['scop', 'scope'],
  refused: [],
};

/** All rows. */
export const ROWS: readonly Row[] = [
  ...[basic, plain, bearer, scheme, apiKey, queryKey, query, digest, jwt, exchanged, login, loginQuery, session],
  ...[signature, oauth10, oauth20, oauth20Login, oauth2, password, refresh],
];
