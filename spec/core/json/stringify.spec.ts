import * as fc from 'fast-check';
import { objectFrom } from '../../../src/core/json/objects';
import { stringifyJson } from '../../../src/core/json/stringify';
import type { Json } from '../../../src/core/model';

describe('language 0.3: writing JSON', () => {
  it.each<[Json, string]>([
    [null, 'null'],
    [true, 'true'],
    [1.5, '1.5'],
    [1e25, '1e+25'],
    [-0, '0'],
    ['a/b "é" \u0000 \\', '"a/b \\"é\\" \\u0000 \\\\"'],
    ['\ud800', '"\\ud800"'],
    [[], '[]'],
    [{}, '{}'],
    [{ a: [1, { b: null }], c: {} }, '{"a":[1,{"b":null}],"c":{}}'],
  ])('as JSON.stringify does: %p', (value, text) => {
    expect(stringifyJson(value)).toBe(text);
  });

  it.each<[string, Json, string]>([
    ['a bigint alone', -9007199254740993n, '-9007199254740993'],
    ['bigints inside', { a: [9007199254740993n, 1, 'x'], b: 2n }, '{"a":[9007199254740993,1,"x"],"b":2}'],
    [
      'written order of keys',
      objectFrom([
        ['b', 1],
        ['1', 'é"'],
        ['0', {}],
      ]),
      '{"b":1,"1":"é\\"","0":{}}',
    ],
    [
      'written order inside',
      [
        {
          in: objectFrom([
            ['b', 1],
            ['1', []],
          ]),
        },
      ],
      '[{"in":{"b":1,"1":[]}}]',
    ],
    [
      '__proto__ and a quoted key',
      objectFrom([
        ['__proto__', 1n],
        ['"', 2],
      ]),
      '{"__proto__":1,"\\"":2}',
    ],
  ])('beyond JSON.stringify: %s', (_, value, text) => {
    expect(stringifyJson(value)).toBe(text);
  });

  it('plain values are written alike beside one that needs care', () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: 'binary' }), (value) => {
        expect(stringifyJson([value as Json, 1n])).toBe(`[${JSON.stringify(value)},1]`);
      }),
    );
  });

  it('a value nested 100,000 levels deep is an error that can be caught', () => {
    let value: Json = 1n;
    for (let level = 0; level < 100_000; level += 1) value = [value];
    expect(() => stringifyJson(value)).toThrow(RangeError);
  });
});
