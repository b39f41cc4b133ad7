import fc from 'fast-check';
import { jsonPathOf, exactValueAt, valueAt, valuesAt } from '../../../src/core/json/path';
import { parseList } from '../../../src/core/json/parse';
import { stringifyJson } from '../../../src/core/json/stringify';
import type { Json } from '../../../src/core/model';

const DATA: Json = {
  items: [{ id: 1, on: true }, { id: 2 }, { id: 9007199254740993n, on: true }],
  meta: { next: 'x' },
};

describe('JSON paths', () => {
  it.each<[string, Json | undefined]>([
    ['$.meta.next', 'x'],
    ['$["meta"]["next"]', 'x'],
    ['$.items[-1].id', 9007199254740993n],
    ['$.items[?@.id == 2].id', 2],
    ['$.items[?@.id > 2].id', 9007199254740993n],
    ['$.items[?@.on].id', [1, 9007199254740993n]],
    ['$.items[?@.id == 7].id', undefined],
    ['$..next', 'x'],
    ['$.constructor', undefined],
    ['$["__proto__"]', undefined],
  ])('%s', (path, value) => {
    expect(valueAt(DATA, path)).toEqual(value);
    expect(exactValueAt(DATA, path)).toEqual(value);
  });

  it.each<[Json, string, Json | undefined]>([
    [{ $: { id: 1 }, id: 2 }, '$.id', 1],
    [{ $: { id: 1 }, id: 2 }, '$["$"].id', 1],
    [{ $: { id: 1 }, id: 2 }, '$["id"]', 2],
    [{ $skip: 5 }, '$skip', 5],
    [{ '$.a b': 1 }, '$.a b', 1],
    [{ $: { 'a-b': 1 } }, '$.a-b', 1],
  ])('a key with a dollar sign is a key: %j %s', (data, path, value) => {
    expect(valueAt(data, path)).toEqual(value);
  });

  it('leaves alone what has another delimiter', () => {
    expect(jsonPathOf('$.a/b', '/')).toBeUndefined();
    expect(valueAt({ '$.a': { b: 1 } }, '$.a/b', '/')).toBe(1);
  });

  it('reads no path otherwise that led to a value as keys', () => {
    const key = fc.constantFrom('$', 'a', '$a', '[0]', 'b');
    fc.assert(
      fc.property(fc.array(key, { minLength: 1, maxLength: 4 }), (keys) => {
        const data = keys.reduceRight<Json>((inner, each) => ({ [each]: inner }), 7);
        expect(valueAt(data, keys.join('.'))).toBe(7);
      }),
    );
  });

  it('keeps the digits of what it finds', () => {
    const [data = null] = parseList(['{"a":[{"x":1.50},{"x":2.10}]}'], 'spelling');
    expect(stringifyJson(valuesAt(data, '$.a[*].x', '.') ?? null)).toBe('[1.50,2.10]');
  });

  it('takes no longer for a pattern that others do not get done with', () => {
    expect(valueAt([{ a: 'a'.repeat(5000) }], '$[?match(@.a, "(a+)+b")]')).toBeUndefined();
    expect(valueAt([{ a: 'xay' }], '$[?search(@.a, "a")].a')).toBe('xay');
    expect(valueAt([{ a: 'xay' }], '$[?match(@.a, "a")].a')).toBeUndefined();
    expect(valueAt([{ a: 'a' }], '$[?match(@.a, "(")].a')).toBeUndefined();
    expect(valueAt([{ a: 1 }], '$[?match(@.a, "1")].a')).toBeUndefined();
  });
});
