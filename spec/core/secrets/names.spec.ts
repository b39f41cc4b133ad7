import {
  isDistinct,
  isHidden,
  isTokenForm,
  looksLikeToken,
  secretsIn,
  secretsNamedIn,
  sensitivityOf,
} from '../../../src/core/secrets/names';
import { Secrets } from '../../../src/core/secrets/secrets';

describe('sensitivityOf: what a name says of the value under it', () => {
  it.each([
    ...[
      'token',
      'access_token',
      'accessToken',
      'x-auth-token',
      'X-Subject-Token',
      'authToken',
      'authtoken',
      'REFRESH_TOKEN',
    ],
    ...['password', 'user_password', 'passwd', 'pwd', 'secret', 'client_secret', 'clientSecret', 'Authorization'],
    ...['api_key', 'apikey', 'apiKey', 'X-API-Key', 'access-key', 'signature', 'X-Amz-Signature', 'X-Goog-Signature'],
    ...[
      'oauth_signature',
      'PHPSESSID',
      'JSESSIONID',
      'ASP.NET_SessionId',
      'session_id',
      'jwt',
      'XSRF-TOKEN',
      'csrftoken',
    ],
    ...['X-Amz-Security-Token', 'X-Amz-Credential', 'user[password]'],
  ])('%s: a secret', (name) => {
    expect(sensitivityOf(name)).toBe('secret');
  });

  it.each(['key', 'sig', 'auth', 'session', 'sid', 'pass'])('%s: perhaps', (name) => {
    expect(sensitivityOf(name)).toBe('perhaps');
  });

  it.each([
    ...[
      'page_token',
      'nextPageToken',
      'pageToken',
      'continuation_token',
      'sync_token',
      'cursor',
      'token_type',
      'tokenUrl',
    ],
    ...[
      'x-ratelimit-remaining-tokens',
      'max_tokens',
      'X-Amz-SignedHeaders',
      'oauth_signature_method',
      'session_expires',
    ],
    ...[
      'id',
      'name',
      'keyword',
      'monkey',
      'author',
      'author_id',
      'passenger',
      'compass',
      'design',
      'code',
      'error',
      '',
    ],
  ])('%s: nothing', (name) => {
    expect(sensitivityOf(name)).toBe('public');
  });
});

describe('isHidden: what under such a name must not be shown', () => {
  it.each(['a1b2', 'hunter2!', 's3cr3t', 'correcthorse', '123456', 'eyJhbGciOi.eyJzdWIi.c2ln'])('%s', (value) => {
    expect(isHidden(value, 'secret')).toBe(true);
    expect(isHidden(value, 'public')).toBe(false);
  });

  it.each([
    '',
    'abc',
    'true',
    'expired',
    'Invalid',
    'null',
    '3600',
    '12.5',
    'must be at least 8 characters',
    'deleted',
  ])('not %j', (value) => {
    expect(isHidden(value, 'secret')).toBe(false);
  });

  it.each([
    ['a1b2c3d4', true],
    ['name', false],
    ['created_at', false],
    ['12345678', false],
  ])('where the name may mean something else: %s: %p', (value, hidden) => {
    expect(isHidden(value, 'perhaps')).toBe(hidden);
  });
});

it.each([
  ['items', false],
  ['expired', false],
  ['dark', false],
  ['en-US', false],
  ['a1b2c3', true],
  ['correct-horse', true],
])('isDistinct: %s is masked wherever it appears: %p', (value, distinct) => {
  expect(isDistinct(value)).toBe(distinct);
});

describe('looksLikeToken: what a value says of itself', () => {
  it.each([
    '8f3e9c1ab2774d0fa1b2c3d4e5f60718',
    'kT3vQ9-xL0aZr7_mW2sYb8Nc',
    'sk_live_abcdefghijkl',
    'SG.abc.8f3e9c1ab2774d0',
  ])('%s: a token', (value) => {
    expect(looksLikeToken(value)).toBe(true);
  });

  it.each([
    '',
    'north',
    'global-fishing-watch-2',
    '550e8400-e29b-41d4-a716-446655440000',
    'sk_live',
    '2026-01-02T03:04:05Z',
  ])('%s: none', (value) => {
    expect(looksLikeToken(value)).toBe(false);
  });

  it('knows the form of tokens without a look at how random they are', () => {
    expect(isTokenForm('eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln')).toBe(true);
    expect(isTokenForm('8f3e9c1ab2774d0fa1b2c3d4e5f60718')).toBe(false);
  });
});

describe('values under the name of a secret', () => {
  const masked = (text: string): string => new Secrets().mask(text);

  it.each([
    ['GET https://h/?sig=a1b2c3d4&page=2', 'GET https://h/?sig=***&page=2'],
    ['https://h/?page=2&access_token=abcd#x', 'https://h/?page=2&access_token=***#x'],
    ['https://h/?user%5Bpassword%5D=abcd', 'https://h/?user%5Bpassword%5D=***'],
    ['https://h/?a=1&amp;token=abcd', 'https://h/?a=1&amp;token=***'],
    ['"https:\\/\\/h\\/?a=1\\u0026token=abcd"', '"https:\\/\\/h\\/?a=1\\u0026token=***"'],
    ['next=https%3A%2F%2Fh%2F%3Ftoken%3Dabcd', 'next=https%3A%2F%2Fh%2F%3Ftoken%3D***'],
    ['{"token": "ab\\"cd", "id": 1}', '{"token": "***", "id": 1}'],
    ['{"session_id":123456789,"id":123456789}', '{"session_id":***,"id":123456789}'],
    ['{"token":"abcd…', '{"token":"***'],
    ['{"body":"{\\"client_secret\\":\\"abcd\\",\\"n\\":1}"}', '{"body":"{\\"client_secret\\":\\"***\\",\\"n\\":1}"}'],
    ['{"authorization":"Bearer abcd"}', '{"authorization":"Bearer ***"}'],
    ['<e a="1"><token>abcd</token><n>abcd</n></e>', '<e a="1"><token>***</token><n>abcd</n></e>'],
  ])('%s', (text, shown) => {
    expect(masked(text)).toBe(shown);
    expect(masked(shown)).toBe(shown);
  });

  it.each([
    'GET https://h/items?key=name&page_token=abcd1234&sort=token',
    '{"error":"invalid_token","token":"expired","password":["too short"],"token_type":"bearer"}',
    'The token: abcd1234 is mentioned, and no member.',
    '<title>Session</title>',
    '',
  ])('leaves %s', (text) => {
    expect(masked(text)).toBe(text);
  });
});

describe('what is learned from texts and headers', () => {
  it.each([
    ['{"token":"a1b2c3d4","id":1}', ['a1b2c3d4']],
    ['https://h/?token=a%2Fb2c3d4', ['a%2Fb2c3d4', 'a/b2c3d4']],
    ['Authorization: Bearer a1b2c3d4', ['a1b2c3d4']],
    ['password=a1b2c3d4;', ['a1b2c3d4']],
    ['{"token":"abcd"}', []],
    ['The token: expired', []],
  ])('%s: %p', (text, values) => {
    expect(secretsNamedIn(text)).toEqual(expect.arrayContaining(values));
    expect(new Set(secretsNamedIn(text))).toEqual(new Set(values));
  });

  it('a header', () => {
    expect(secretsIn('x-auth-token', 'Bearer a1b2c3d4')).toEqual(['a1b2c3d4']);
    expect(secretsIn('x-ratelimit-remaining-tokens', '149984')).toEqual([]);
  });
});

describe('Secrets.learn', () => {
  it('knows the last 2,000 values at least, and what was registered for good', () => {
    const secrets = new Secrets(['for-good-1']);
    for (let at = 0; at < 10_000; at += 1) secrets.learn(`learned-${at}-x`, 'again-and-again-1');
    const masked = (text: string): boolean => !secrets.mask(text).includes(text);
    expect(masked('for-good-1')).toBe(true);
    expect(masked('again-and-again-1')).toBe(true);
    for (let at = 8_100; at < 10_000; at += 100) expect(masked(`learned-${at}-x`)).toBe(true);
    expect(masked('learned-1-x')).toBe(false);
  });

  it('the beginning of a secret is masked where a text was cut', () => {
    const secrets = new Secrets(['abcdefgh-secret']);
    expect(secrets.mask('found "x abcdefgh-se…')).toBe('found "x ***…');
    expect(secrets.mask('found abcdefgh-se and more')).toBe('found abcdefgh-se and more');
  });
});
