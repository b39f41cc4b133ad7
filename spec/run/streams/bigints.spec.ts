import fc from 'fast-check';
import { parseJson, stringifyJson } from '../../../src';
import type { Json } from '../../../src';
import { withoutBigints } from '../../../src/run/streams/bigints';

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
