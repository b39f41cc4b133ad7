import fc from 'fast-check';
import * as t from 'io-ts';
import { z } from 'zod';
import { parseJson, stringifyJson } from '../../../src';
import type { Json } from '../../../src';
import { decoding, withoutBigints } from '../../../src/run/streams/decoding';

const AREA = { id: 'x', levels: [{ at: 1 }, { at: 'two' }] };

describe('decoding', () => {
  it.each([
    ['a codec of io-ts', t.type({ id: t.number, levels: t.array(t.type({ at: t.number })) }, 'Area')],
    ['a schema of zod', z.object({ id: z.number(), levels: z.array(z.object({ at: z.number() })) })],
    ['a parser with the issues of zod', { parse: (value: unknown) => z.object({ id: z.number() }).parse(value) }],
  ])('%s: tells where a value is wrong, without the value', (_, decoder) => {
    const result = decoding<unknown>(decoder, 'it')(AREA);
    expect(result.ok).toBe(false);
    if (result.ok) return;
    expect(result.reasons[0]).toMatch(/^id: .*number/);
    expect(result.reasons.join('\n')).not.toContain('two');
  });

  it.each([
    ['a codec of io-ts', t.type({ id: t.string })],
    ['a schema of zod', z.object({ id: z.string() })],
    ['a parser', { parse: (value: unknown) => ({ id: (value as { id: string }).id }) }],
    ['a Standard Schema', { '~standard': { validate: (value: unknown) => ({ value: value as { id: string } }) } }],
  ])('%s: gives what the decoder gives', (_, decoder) => {
    expect(decoding<{ id: string }>(decoder, 'it')({ id: 'x' })).toEqual({ ok: true, value: { id: 'x' } });
  });

  it('takes a Standard Schema as such, with keys and objects as path', () => {
    const issues = [{ message: 'wrong', path: ['a', { key: 1 }] }, { message: 'all of it' }];
    const decoder = {
      '~standard': { validate: () => ({ issues }) },
      parse: () => {
        throw new Error('unused');
      },
    };
    expect(decoding(decoder, 'it')({})).toEqual({ ok: false, reasons: ['a.1: wrong', 'all of it'] });
  });

  it('tells the message of any other error, and of any other Left', () => {
    const parse = (): never => {
      throw new RangeError('too low');
    };
    expect(decoding({ parse }, 'it')(1)).toEqual({ ok: false, reasons: ['too low'] });
    const decode = () => ({ _tag: 'Left' as const, left: 'no' });
    expect(decoding({ decode }, 'it')(1)).toEqual({ ok: false, reasons: ['no'] });
  });

  it('refuses what is no decoder, gives no Either or no result, or takes its time', () => {
    expect(() => decoding({} as { parse: () => never }, 'options.items["a"]')).toThrow(
      'options.items["a"]: expected a decoder',
    );
    expect(() => decoding({ decode: () => 7 as never }, 'it')(1)).toThrow('no Either');
    for (const result of [undefined, null, true]) {
      const decoder = { '~standard': { validate: () => result as never } };
      expect(() => decoding(decoder, 'options.items["a"]')(1)).toThrow(
        new TypeError('options.items["a"]: `validate` gave no result: neither a value nor issues'),
      );
    }
    const later = { '~standard': { validate: () => Promise.resolve({ value: 1 }) } };
    expect(() => decoding(later, 'it')(1)).toThrow('asynchronous');
  });
});

describe('withoutBigints', () => {
  it('writes the digits, wherever they stand, and keeps the order of keys', () => {
    const item = parseJson('{"b":[9007199254740993,{"10":-9007199254740995,"2":1}],"a":1}');
    expect(withoutBigints(item, 'string')).toEqual({
      ok: true,
      value: { b: ['9007199254740993', { '10': '-9007199254740995', '2': 1 }], a: 1 },
    });
    const made = withoutBigints(item, 'string');
    expect(made.ok && stringifyJson(made.value)).toBe(
      '{"b":["9007199254740993",{"10":"-9007199254740995","2":1}],"a":1}',
    );
  });

  it('takes a number that is equal, and tells the place of an integer that has none', () => {
    expect(withoutBigints({ id: 9007199254740994n }, 'number')).toEqual({ ok: true, value: { id: 9007199254740994 } });
    const huge = 10n ** 400n;
    expect(withoutBigints([{ id: 9007199254740993n }, huge], 'number')).toEqual({
      ok: false,
      reasons: [
        "0.id: no number is equal to this integer: take bigints: 'string'",
        "1: no number is equal to this integer: take bigints: 'string'",
      ],
    });
  });

  it('leaves what has none as it is, with the digits that came', () => {
    const item = parseJson('{"level":1.10,"far":123456789.12345678901}');
    const made = withoutBigints(item, 'number');
    expect(made.ok && made.value).toBe(item);
    const mixed = withoutBigints(parseJson('{"id":9007199254740993,"far":123456789.12345678901}'), 'string');
    expect(mixed.ok && stringifyJson(mixed.value)).toBe('{"id":"9007199254740993","far":123456789.12345678901}');
  });

  it('loses no digit of any integer', () => {
    fc.assert(
      fc.property(fc.bigInt(), (id) => {
        const made = withoutBigints({ id }, 'number');
        if (made.ok) expect(BigInt((made.value as { id: number }).id)).toBe(id);
        else expect(BigInt(Number(id))).not.toBe(id);
        expect(withoutBigints(id as Json, 'string')).toEqual({ ok: true, value: String(id) });
      }),
    );
  });
});
