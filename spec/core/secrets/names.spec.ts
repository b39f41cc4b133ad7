import { isDistinct, isHidden, sensitivityOf } from '../../../src/core/secrets/names';

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
