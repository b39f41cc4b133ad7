import fc from 'fast-check';
import * as E from 'fp-ts/Either';
import { createHash, createHmac } from 'node:crypto';
import type { Json } from '../../../../src/core/model';
import { compileExpression } from '../../../../src/language/expressions/expression';
import { EXAMPLE_NOW, argumentCounts } from '../../../../src/language/expressions/functions/define';
import { BUILT_IN } from '../../../../src/run/built-in-parts';

const NOW = 1_600_000_000;

function call(name: string, ...args: readonly Json[]): Json {
  const compiled = compileExpression(
    { function: name, args },
    { path: 'here', contexts: [], functions: BUILT_IN.function },
  );
  if (E.isLeft(compiled)) throw new Error(JSON.stringify(compiled.left));
  return compiled.right.evaluate({}, NOW);
}

function textFrom(name: string, ...args: readonly Json[]): string {
  const value = call(name, ...args);
  if (typeof value !== 'string') throw new Error(`${name} gave no text`);
  return value;
}

const text = fc.string({ unit: 'grapheme' });

describe('hashes (specification 2.4, language 7.2)', () => {
  it('specification 2.4: sha1 is hexadecimal text', () => {
    expect(call('sha1', 'NotSoSecret')).toBe('64d5d2977cc2573afbd187ff5e71d1529fd7f6d8');
  });

  it.each<[string, string]>([
    ['md5', '900150983cd24fb0d6963f7d28e17f72'],
    ['SHA256', 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'],
    ['crc32b', '352441c2'],
    ['sha512/256', '53048e2681941ef99b2e29b76b4c7dabe4c2d0c634fc6d46e0e2f13107e7af23'],
    ['sha3-256', '3a985da74fe225b2045c172d6bd390bd855f086e3e9d525b46bfe24511431532'],
    ['ripemd160', '8eb208f7e05d987a9b044a8e98c6b087f15a0bfc'],
  ])('language 7.2: hash by %s of "abc"', (algorithm, digest) => {
    expect(call('hash', algorithm, 'abc')).toBe(digest);
  });

  it('language 7.2: crc32b has eight digits', () => {
    expect(call('hash', 'crc32b', '')).toBe('00000000');
  });

  it('language 7.2: hash_hmac takes algorithm, text, key', () => {
    expect(call('hash_hmac', 'sha256', '12345abcd5678efgh90ijk', 'TeaPot')).toBe(
      'd868d581b2f2edd09e8e7ce12c00723b3fcffb6a5d74c40eae9d94181a0bf731',
    );
  });

  it('language 7.2: any text is hashed as its UTF-8 bytes', () => {
    fc.assert(
      fc.property(text, text, fc.constantFrom('md5', 'sha1', 'sha256', 'sha384', 'sha512'), (value, key, algorithm) => {
        const bytes = Buffer.from(value, 'utf8');
        const digest = createHash(algorithm).update(bytes).digest('hex');
        expect(call('hash', algorithm, value)).toBe(digest);
        if (algorithm === 'md5' || algorithm === 'sha1') expect(call(algorithm, value)).toBe(digest);
        const keyed = createHmac(algorithm, Buffer.from(key, 'utf8')).update(bytes).digest('hex');
        expect(call('hash_hmac', algorithm, value, key)).toBe(keyed);
      }),
    );
  });

  it('language 7.3: an algorithm that there is not', () => {
    expect(() => call('hash', 'sha25', 'a')).toThrow(
      "here: User script error: Function 'hash': unknown algorithm 'sha25'. Did you mean 'sha256'?",
    );
    expect(() => call('hash', 'whirlpool', 'a')).toThrow(/unknown algorithm 'whirlpool'\. Known: 'md5'.*'crc32b'/);
    expect(() => call('hash_hmac', 'crc32b', 'a', 'k')).toThrow("unknown algorithm 'crc32b'");
  });
});

describe('encodings (language 7.2)', () => {
  it.each<[Json, string]>([
    ['', ''],
    ['jane:secret', 'amFuZTpzZWNyZXQ='],
    ['ěšč', 'xJvFocSN'],
    [true, 'MQ=='],
    [null, ''],
    [9007199254740993n, 'OTAwNzE5OTI1NDc0MDk5Mw=='],
  ])('specification 2.4: base64_encode of %p', (value, expected) => {
    expect(call('base64_encode', value)).toBe(expected);
  });

  it('specification 2.4: base64 is standard, padded, and decodes to the UTF-8 bytes', () => {
    fc.assert(
      fc.property(text, (value) => {
        const encoded = textFrom('base64_encode', value);
        expect(encoded).toMatch(/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/);
        expect(Buffer.from(encoded, 'base64').toString('utf8')).toBe(value);
      }),
    );
  });

  it.each<[string, string]>([
    ['a b', 'a+b'],
    ['a+b&c=d/e', 'a%2Bb%26c%3Dd%2Fe'],
    ["-._~!*'()", '-._%7E%21%2A%27%28%29'],
    ['č', '%C4%8D'],
  ])('language 7.2: urlencode of %s', (value, expected) => {
    expect(call('urlencode', value)).toBe(expected);
  });

  it('language 7.2: what urlencode makes is read back by a form decoder', () => {
    fc.assert(
      fc.property(text, (value) => {
        expect(new URLSearchParams(`v=${textFrom('urlencode', value)}`).get('v')).toBe(value);
      }),
    );
  });
});

describe('texts (language 7.2)', () => {
  it('specification 2.4: concat joins any number of arguments in order', () => {
    expect(call('concat', 'a', 1, true, false, null, 1.5, 'z')).toBe('a111.5z');
    expect(call('concat')).toBe('');
  });

  it('language 7.2: implode joins a list with a glue', () => {
    expect(call('implode', ', ', ['a', 2, true, null])).toBe('a, 2, 1, ');
    expect(call('implode', ',', [])).toBe('');
  });

  it.each<[Json]>([[null], [false], [0], [0n], [''], ['0'], [[]], [{}]])(
    'language 7.2: ifempty gives the second value for %j',
    (blank) => {
      expect(call('ifempty', blank, 'fallback')).toBe('fallback');
    },
  );

  it.each<[Json]>([['a'], [' '], [1], [true], ['0.0'], [[0]]])('language 7.2: ifempty keeps %j', (value) => {
    expect(call('ifempty', value, 'fallback')).toEqual(value);
  });

  it.each<[string, readonly Json[], string]>([
    ['md5', [['a']], "Function 'md5': argument 1 must be a string, a number or a boolean, given 'array'."],
    [
      'concat',
      ['a', { b: 1 }],
      "Function 'concat': argument 2 must be a string, a number or a boolean, given 'object'.",
    ],
    ['implode', [',', 'a'], "Function 'implode': argument 2 must be an array, given 'string'."],
    [
      'implode',
      [',', [['a']]],
      "Function 'implode': argument 2 must be an array of strings, numbers and booleans, given 'array'.",
    ],
    [
      'sprintf',
      ['%s', ['a']],
      "Function 'sprintf': argument 2 must be a string, a number or a boolean, given 'array'.",
    ],
    ['sprintf', ['%s %s', 'a'], "Function 'sprintf': the format asks for value 2, but there are 1."],
  ])('language 7.3: %s of %j', (name, args, message) => {
    expect(() => call(name, ...args)).toThrow(`here: User script error: ${message}`);
  });

  it('language 7.6: sprintf takes a format and values', () => {
    expect(call('sprintf', "%'.05d/%s", 234, true)).toBe('00234/1');
    expect(call('sprintf', 5)).toBe('5');
  });
});

describe('times (language 7.2)', () => {
  it('language 7.2: time is the current time', () => {
    expect(call('time')).toBe(NOW);
  });

  it('language 7.4: date takes the current time unless it is given one', () => {
    expect(call('date', 'Y-m-d H:i:s')).toBe('2020-09-13 12:26:40');
    expect(call('date', 'Y-m-d', null)).toBe('2020-09-13');
    expect(call('date', 'Y-m-d', 0)).toBe('1970-01-01');
    expect(call('date', 'Y-m-d', '1600000000.9')).toBe('2020-09-13');
    expect(call('date', 'Y-m-d', -1n)).toBe('1969-12-31');
  });

  it('language 7.5: strtotime takes the current time for a base unless it is given one', () => {
    expect(call('strtotime', '+1 day')).toBe(NOW + 86_400);
    expect(call('strtotime', '+1 day', 100)).toBe(86_500);
    expect(call('strtotime', '+1 day', '100')).toBe(86_500);
  });

  it('language 7.2: strtotime gives false for what it does not understand; a date of that is the beginning of 1970', () => {
    expect(call('strtotime', 'whenever')).toBe(false);
    expect(call('date', 'Y-m-d', { function: 'strtotime', args: ['whenever'] })).toBe('1970-01-01');
  });

  it('language 7.5: seven days after a date', () => {
    const start = { function: 'strtotime', args: ['2017-10-04'] };
    expect(call('date', 'Y-m-d', { function: 'strtotime', args: ['+7 days', start] })).toBe('2017-10-11');
  });

  it.each<[string, readonly Json[], string]>([
    [
      'date',
      ['Y', '2020-01-01'],
      "Function 'date': argument 2 must be a Unix timestamp in seconds (the function strtotime makes one of a string), given 'string'.",
    ],
    ['date', ['Y', [1]], "Function 'date': argument 2 must be a Unix timestamp"],
    [
      'date',
      ['Y', 1e15],
      "Function 'date': argument 2 is beyond the calendar; a timestamp counts seconds, not milliseconds.",
    ],
    ['strtotime', ['now', ''], "Function 'strtotime': argument 2 must be a Unix timestamp"],
  ])('language 7.3: %s of %j', (name, args, message) => {
    expect(() => call(name, ...args)).toThrow(`here: User script error: ${message}`);
  });
});

const calls = Array.from(BUILT_IN.function.values(), ({ name, examples = [] }) =>
  examples.map(({ args, result }) => ({ name, args, result })),
).flat();

const evaluated = (name: string, args: readonly Json[]): Json => {
  const place = { path: 'here', contexts: [], functions: BUILT_IN.function };
  const compiled = compileExpression({ function: name, args }, place);
  if (E.isLeft(compiled)) throw new Error(JSON.stringify(compiled.left));
  return compiled.right.evaluate({}, EXAMPLE_NOW);
};

describe('the examples of functions', () => {
  it('are called at a moment with a name', () => {
    expect(new Date(EXAMPLE_NOW * 1000).toISOString()).toBe('2021-06-16T09:30:15.000Z');
  });

  it.each(calls)('$name $args', ({ name, args, result }) => {
    expect(evaluated(name, args)).toEqual(result);
  });
});

describe('the arguments of functions', () => {
  it('are as many as the language says', () => {
    expect(
      Object.fromEntries(Array.from(BUILT_IN.function, ([name, definition]) => [name, argumentCounts(definition)])),
    ).toMatchObject({
      base64_decode: [1, 1],
      base64_encode: [1, 1],
      coalesce: [1, Infinity],
      concat: [0, Infinity],
      date: [1, 2],
      hash: [2, 2],
      hash_hmac: [3, 3],
      ifempty: [2, 2],
      implode: [2, 2],
      jwt: [2, 4],
      md5: [1, 1],
      now: [0, 2],
      rawurlencode: [1, 1],
      regex: [2, 3],
      replace: [3, 3],
      sha1: [1, 1],
      split: [2, 2],
      sprintf: [1, Infinity],
      strtotime: [1, 2],
      time: [0, 0],
      urlencode: [1, 1],
      uuid: [0, 1],
    });
  });
});
