import { Secrets } from '../../../src/core/secrets/secrets';
import { maskNamed, secretsIn, secretsNamedIn } from '../../../src/core/secrets/named';

describe('maskNamed', () => {
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
  ])('%s', (text, masked) => {
    expect(maskNamed(text, '***')).toBe(masked);
    expect(maskNamed(masked, '***')).toBe(masked);
  });

  it.each([
    'GET https://h/items?key=name&page_token=abcd1234&sort=token',
    '{"error":"invalid_token","token":"expired","password":["too short"],"token_type":"bearer"}',
    'The token: abcd1234 is mentioned, and no member.',
    '<title>Session</title>',
    '',
  ])('leaves %s', (text) => {
    expect(maskNamed(text, '***')).toBe(text);
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
