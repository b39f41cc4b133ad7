import type { Request } from '../../../src/core/model';
import { redacted } from '../../../src/run/recording';
import { Secrets } from '../../../src/core/secrets/secrets';

const BASE = { method: 'GET', url: 'https://api.example/a', headers: {} };
const PAGE = { ...BASE, purpose: { kind: 'page' } } as unknown as Request;
const LOGIN = { ...BASE, purpose: { kind: 'login' } } as unknown as Request;

/** The body as the recording has it. */
function recorded(body: string | Uint8Array, secrets: readonly string[], request = PAGE, type = 'text/plain'): Buffer {
  const response = { status: 200, headers: { 'content-type': type } };
  const exchange = { request, startedAt: 0, milliseconds: 1, response, body: Buffer.from(body as Uint8Array) };
  const { content } = redacted([exchange], 0, new Secrets(secrets)).log.entries[0]?.response ?? {};
  return Buffer.from(content?.text ?? '', content?.encoding === 'base64' ? 'base64' : 'utf8');
}

describe('JSON stays JSON when secrets are masked in it', () => {
  it.each([
    ['a list in a string', '{"keys":"a, s3cret, b"}', '{"keys":"a, ***, b"}'],
    ['JSON in a string', '{"inner":"{\\"n\\":s3cret}"}', '{"inner":"{\\"n\\":***}"}'],
    ['a string that ends with a backslash', '["\\\\",80801234,"[s3cret]"]', '["\\\\","***","[***]"]'],
    ['a key', '{"s3cret":1}', '{"***":1}'],
    ['a number', '{"pin": 80801234, "n":[1,80801234]}', '{"pin": "***", "n":[1,"***"]}'],
    ['a part of a number', '[-80801234,1808012345.5]', '["-***","1***5.5"]'],
    ['lines of JSON', '{"pin":80801234}\n\n{"pin":"[80801234]"}\n', '{"pin":"***"}\n\n{"pin":"[***]"}\n'],
    ['after a byte order mark', '\uFEFF{"pin":80801234}', '\uFEFF{"pin":"***"}'],
  ])('%s', (_, body, expected) => {
    const text = recorded(body, ['s3cret', '80801234']).toString();
    expect(text).toBe(expected);
    for (const line of text.trim().split(/\n+/)) expect(() => void JSON.parse(line)).not.toThrow();
  });

  it('as far as it was read', () => {
    const text = recorded('[{"pin":80801234},{"pin":"808', ['80801234'], PAGE, 'application/json').toString();
    expect(text).toBe('[{"pin":"***"},{"pin":"808');
  });

  it('a number beside a byte that is no UTF-8', () => {
    const body = Buffer.from('{"name":"\xE9","pin":80801234}', 'latin1');
    expect(recorded(body, ['80801234']).toString('latin1')).toBe('{"name":"\xE9","pin":"***"}');
  });
});

describe('what is no JSON gets no quotes', () => {
  it.each([
    ['a quoted cell', 'id,keys\n1,"a, s3cret, b"\n', 'id,keys\n1,"a, ***, b"\n'],
    ['cells', 'id,pin,n\n1,80801234,2\n', 'id,pin,n\n1,***,2\n'],
    ['one number', '80801234', '***'],
    ['JavaScript', 'run({a: 80801234})', 'run({a: ***})'],
  ])('%s', (_, body, expected) => {
    expect(recorded(body, ['s3cret', '80801234']).toString()).toBe(expected);
  });
});

describe('a body with a byte that is no UTF-8', () => {
  const around = (text: string, encoding: BufferEncoding): Buffer =>
    Buffer.concat([Buffer.from([0xff]), Buffer.from(` ${text} `, encoding), Buffer.from([0xfe])]);

  it.each([
    ['in UTF-8', 'pässwörd', 'utf8'],
    ['in Latin-1', 'pässwörd', 'latin1'],
    ['of other scripts', '密码-пароль', 'utf8'],
  ] as const)('has no secret %s', (_, secret, encoding) => {
    expect(recorded(around(secret, encoding), [secret])).toEqual(around('***', 'utf8'));
  });

  it('has no secret in the JSON of a quote', () => {
    expect(recorded(around('{"a":"ä\\"ößt"}', 'utf8'), ['ä"ößt'])).toEqual(around('{"a":"***"}', 'utf8'));
  });

  it('keeps the rest, byte by byte', () => {
    const body = Buffer.from(Array.from({ length: 256 }, (_, at) => at));
    expect(recorded(body, ['pässwörd'])).toEqual(body);
  });

  it('is kept whole of data, and not at all of a login', () => {
    const body = around('{"access_token":"a1b2c3d4e5f6"}', 'utf8');
    expect(recorded(body, [], LOGIN).toString()).toBe('***');
    expect(recorded(body, [])).toEqual(body);
  });
});

describe('what stands beside the body', () => {
  const har = (type: string, headers: Readonly<Record<string, string>> = {}): string => {
    const request = { ...PAGE, method: 'POST' as const, headers: { 'content-type': type }, body: '' };
    const response = { status: 200, headers: { 'content-type': type, ...headers } };
    const exchange = { request, startedAt: 0, milliseconds: 1, response, body: Buffer.from('') };
    return JSON.stringify(redacted([exchange], 0, new Secrets(['a1b2c3d4'])));
  };

  it.each([
    ['the type of the content', har('application/a1b2c3d4; x=a1b2c3d4')],
    ['the name of a header', har('text/plain', { 'x-a1b2c3d4-y': '1' })],
    ['the address of a redirect', har('text/plain', { location: '/x?y=a1b2c3d4' })],
    ['the name of a cookie', har('text/plain', { 'set-cookie': 'a1b2c3d4=1; Path=/a1b2c3d4' })],
    ['a header that says when to come again', har('text/plain', { 'retry-after': 'a1b2c3d4' })],
  ])('has no secret: %s', (_, recording) => {
    expect(recording).not.toContain('a1b2c3d4');
    expect(recording).toContain('***');
  });
});
