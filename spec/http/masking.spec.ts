import { Secrets } from '../../src/core/secrets/secrets';
import { shownLoginBody } from '../../src/http/masking';

const shown = (body: string, ...secrets: string[]): string => {
  const registry = new Secrets(secrets);
  return shownLoginBody(body, (text) => registry.mask(text));
};

describe('what is shown of the body of a login', () => {
  it.each([
    ['JSON', '{"access_token":"gho_16C7e42F","expires_in":3600}', '{"access_token":"***","expires_in":3600}'],
    ['JSON below the name', '{"access_token":{"value":"abcdefgh"}}', '{"access_token":{"value":"***"}}'],
    ['JSON of a name that says nothing', '{"data":{"t":"k7Qd9xZvR2mPw4"}}', '{"data":{"t":"***"}}'],
    ['a list', '["k7Qd9xZ"]', '["***"]'],
    ['one string', '"abcdefgh"', '"***"'],
    ['one number', '80801234', '"***"'],
    ['a token with a blank', '{"access_token":"abc def"}', '{"access_token":"***"}'],
    ['an escaped line break', '{"access_token":"abc\\r\\nX-Evil: 1"}', '{"access_token":"***"}'],
    ['a form', 'access_token=gho_16C7&scope=repo&token_type=bearer', 'access_token=***&scope=repo&token_type=bearer'],
    ['a form of one field', 'token=abc', 'token=***'],
    ['a form with an empty field', 'oauth_token=a&x=', 'oauth_token=***&x='],
    ['a form whose token ends with =', 'access_token=YWJjZA==', '***'],
    ['a token in base64 alone', 'YWJjZA=', '***'],
    ['a name that may be the token', 'YWJjZGVm1=x&scope=repo', '***'],
    ['a secret that is known', '{"user":"alder","note":"of alder"}', '{"user":"***","note":"of ***"}', 'alder'],
    ['a secret in a scope', 'scope=alder&t=1', 'scope=***&t=***', 'alder'],
    ['plain text', 'gho_16C7e42F', '***'],
    ['words', 'your token is gho16', '***'],
    ['a page', '<html><body>gho_16C7e42F</body></html>', '***'],
    ['XML', '<r><access_token>gho_16C7e42F</access_token></r>', '***'],
    ['JSON with a raw line break', '{"access_token":"abc\r\nX-Evil: 1"}', '***'],
    ['JSON that is cut', '{"access_token":"gho_16C7e42F"', '***'],
    ['JSON with something behind it', '{"access_token":"gho_16C7e42F"}}', '***'],
  ])('%s', (_, body, expected, ...secrets) => {
    expect(shown(body, ...secrets)).toBe(expected);
  });

  it.each([
    ['nothing', ''],
    ['an empty object', '{ }'],
    ['an error', '{ "error": "invalid_grant_2", "error_description": "The code has expired" }'],
    ['the end', '{"expires_at":"2030-01-01T00:00:00Z","ok":true,"until":"2030-01-01T00:00:00Z"}'],
  ])('%s stays as it is', (_, body) => {
    expect(shown(body)).toBe(body);
  });
});
