import * as E from 'fp-ts/Either';
import fc from 'fast-check';
import { createVerify, generateKeyPairSync } from 'node:crypto';
import { BUILT_IN } from '../../../../src/run/built-in-parts';
import { compileExpression } from '../../../../src/language/expressions/expression';
import type { Json } from '../../../../src/core/model';

const NOW = 1_600_000_000;

function compiled(name: string, ...args: readonly Json[]) {
  const place = { path: 'here', contexts: ['attr'] as const, functions: BUILT_IN.function };
  const found = compileExpression({ function: name, args }, place);
  if (E.isLeft(found)) throw new Error(JSON.stringify(found.left));
  return found.right;
}
const call = (name: string, ...args: readonly Json[]): Json => compiled(name, ...args).evaluate({}, NOW);
function textFrom(name: string, ...args: readonly Json[]): string {
  const value = call(name, ...args);
  if (typeof value !== 'string') throw new Error(`${name} gave no string`);
  return value;
}
const part = (token: string, at: number): unknown =>
  JSON.parse(Buffer.from(token.split('.')[at] ?? '', 'base64url').toString());

const text = fc.string({ unit: 'grapheme' });
const separator = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 3 });

describe('rawurlencode', () => {
  it('gives what decodes to the same string, without a plus for a space', () => {
    fc.assert(
      fc.property(text, (value) => {
        const encoded = textFrom('rawurlencode', value);
        expect(encoded).toMatch(/^(?:[A-Za-z0-9._~-]|%[0-9A-F]{2})*$/);
        expect(decodeURIComponent(encoded)).toBe(value.toWellFormed());
      }),
    );
  });
});

describe('base64_decode', () => {
  it('gives what was encoded, in either alphabet, with padding or without, in lines or not', () => {
    fc.assert(
      fc.property(text, (value) => {
        const encoded = textFrom('base64_encode', value);
        const forURLs = Buffer.from(value).toString('base64url');
        for (const form of [encoded, encoded.replace(/=/g, ''), forURLs, encoded.replace(/(.{4})/g, '$1\r\n')])
          expect(textFrom('base64_decode', form)).toBe(value.toWellFormed());
      }),
    );
  });

  it('gives null for bytes that are no UTF-8', () => {
    expect(call('base64_decode', '/w==')).toBeNull();
  });

  it.each(['trout!', 'abcde', 'ab=c', 'a-b/', '===='])('refuses %s, which is no base64', (value) => {
    expect(() => call('base64_decode', value)).toThrow('argument 1 is no base64.');
  });
});

describe('split', () => {
  it('is undone by implode', () => {
    fc.assert(
      fc.property(text, separator, (value, between) => {
        expect(call('implode', between, call('split', value, between))).toBe(value);
      }),
    );
  });

  it('refuses an empty separator', () => {
    expect(() => call('split', 'ald', '')).toThrow('must not be empty');
  });
});

describe('replace', () => {
  it('takes both strings literally', () => {
    expect(call('replace', 'a.c$1abc', '.', '$&')).toBe('a$&c$1abc');
    expect(() => call('replace', 'ald', '', 'x')).toThrow('must not be empty');
  });
});

describe('coalesce', () => {
  it('leaves alone what is blank but there', () => {
    expect(call('coalesce', null, false, 1)).toBe(false);
    expect(call('coalesce', null, '', 1)).toBe('');
  });
});

describe('regex', () => {
  it('takes no longer for a pattern that others do not get done with', () => {
    const begun = Date.now();
    expect(call('regex', 'a'.repeat(5000), '^(a+)+b$')).toBeNull();
    expect(Date.now() - begun).toBeLessThan(10_000);
  });

  it('replaces every match, with groups by number and by name', () => {
    expect(call('regex', '2020-02-03', '(\\d+)-(\\d+)-(\\d+)', '$3.$2.$1')).toBe('03.02.2020');
    expect(call('regex', 'a1b2', '[0-9]', '\\$')).toBe('a$b$');
    expect(call('regex', 'a1', '(?P<digit>[0-9])', '<${digit}>')).toBe('a<1>');
  });

  it('gives an empty string for a group that took no part', () => {
    expect(call('regex', 'b', '(a)?b')).toBeNull();
  });

  it.each([
    ['(', 'cannot be used'],
    ['(?=a)', 'Look-ahead'],
    ['a'.repeat(1001), '1001 characters'],
  ])('refuses the pattern %#', (pattern, message) => {
    expect(() => call('regex', 'ald', pattern)).toThrow(message);
  });

  it('does not show a pattern that it cannot use', () => {
    expect(() => call('regex', 'ald', '(s3cret')).not.toThrow('s3cret');
  });

  it('goes on with any number of patterns', () => {
    for (let at = 0; at < 250; at += 1) expect(call('regex', `${at}x`, `^${at}x$`)).toBe(`${at}x`);
  });
});

describe('uuid', () => {
  it('is another one each time, unless it has a name', () => {
    const shape = /^[\da-f]{8}-[\da-f]{4}-([45])[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/;
    expect(shape.exec(textFrom('uuid'))?.[1]).toBe('4');
    expect(call('uuid')).not.toBe(call('uuid'));
    fc.assert(
      fc.property(text, (name) => {
        expect(shape.exec(textFrom('uuid', name))?.[1]).toBe('5');
        expect(call('uuid', name)).toBe(call('uuid', name));
      }),
    );
  });
});

describe('now', () => {
  it.each<[readonly Json[], Json]>([
    [['iso 8601'], '2020-09-13T12:26:40Z'],
    [['TIME'], '12:26:40'],
    [['unix', '-7 days'], 1_599_395_200],
    [['ymd'], '200913'],
  ])('now %j is %j', (args, value) => {
    expect(call('now', ...args)).toBe(value);
  });

  it('refuses a word that is misspelled, and words that mean no moment', () => {
    expect(() => call('now', 'unixms')).toThrow("Did you mean 'unix-ms'?");
    expect(() => call('now', 'unix', 'soon')).toThrow('no moment');
  });
});

describe('jwt', () => {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();

  it.each([
    ['PEM', pem],
    ['PEM on one line', pem.replaceAll('\n', '\\n')],
  ])('signs by RS256 with a key in %s', (_, key) => {
    const token = textFrom('jwt', { iss: 'ald', exp: { function: 'now', args: ['unix', '+1 hour'] } }, key, 'RS256', {
      kid: '7',
    });
    expect(part(token, 0)).toEqual({ alg: 'RS256', typ: 'JWT', kid: '7' });
    expect(part(token, 1)).toEqual({ iss: 'ald', exp: NOW + 3600 });
    const end = token.lastIndexOf('.');
    const isSigned = createVerify('sha256')
      .update(token.slice(0, end))
      .verify(publicKey, token.slice(end + 1), 'base64url');
    expect(isSigned).toBe(true);
  });

  it('does not let the header name another algorithm', () => {
    expect(part(textFrom('jwt', {}, 'key', 'HS256', { alg: 'none' }), 0)).toEqual({ alg: 'HS256', typ: 'JWT' });
  });

  it('is a secret if its key is one', () => {
    expect(compiled('jwt', {}, { attr: '#key' }).usesSecrets).toBe(true);
    expect(compiled('jwt', {}, 'key').usesSecrets).toBe(false);
  });

  it.each<[string, readonly Json[], string]>([
    ['an unknown algorithm', [{}, 'key', 'none'], 'HS256, RS256'],
    ['a key that is none', [{}, 'no-s3cret-key', 'RS256'], 'RSA private key'],
    ['an empty key', [{}, ''], 'empty'],
    ['claims that are no object', ['claims', 'key'], 'must be an object'],
  ])('refuses %s', (_, args, message) => {
    expect(() => call('jwt', ...args)).toThrow(message);
    expect(() => call('jwt', ...args)).not.toThrow('s3cret');
  });
});
