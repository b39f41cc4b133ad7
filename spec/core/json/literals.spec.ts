import {
  exactAt,
  keepLiterals,
  literalAt,
  losesDigits,
  withAllDigits,
  withMember,
} from '../../../src/core/json/literals';
import { parseData, parseList } from '../../../src/core/json/parse';
import { sameJson } from '../../../src/core/json/same';
import { stringifyAt, stringifyJson, stringifyValue } from '../../../src/core/json/stringify';
import type { JsonArray, JsonObject } from '../../../src/core/model';

const spelling = '{"a":1.10,"b":[1E5,-0,12345678901234567.250],"c":{"__proto__":1e400},"1":9007199254740993.0}';
const objectOf = (text: string, notes?: 'spelling'): JsonObject => parseData(text, notes) as JsonObject;

describe('how numbers are spelled', () => {
  it('is written again', () => {
    expect(stringifyJson(parseData(spelling, 'spelling'))).toBe(spelling);
  });

  it('is kept only where the value has lost digits, unless it is asked for', () => {
    const lost = '{"a":1.1,"b":[100000,0,12345678901234567.250],"c":{"__proto__":1e400},"1":9007199254740993}';
    expect(stringifyJson(parseData(spelling))).toBe(lost);
    expect(stringifyValue(parseData(spelling, 'spelling'))).toBe(
      lost.replace('.250', '.25').replace('1e400', '1.0E+400'),
    );
  });

  it('is no part of the value', () => {
    const read = objectOf('{"a":12345678901234567.25}');
    expect(JSON.stringify(read)).toBe('{"a":12345678901234568}');
    expect(Object.keys(read)).toEqual(['a']);
    expect(stringifyJson({ ...read })).toBe('{"a":12345678901234568}');
  });

  it('does not outlive a change of the value', () => {
    const read = objectOf('{"a":12345678901234567.25,"b":1.10}', 'spelling');
    const copy = keepLiterals(read, { ...read, a: 7 });
    expect(stringifyJson(copy)).toBe('{"a":7,"b":1.10}');
    expect(literalAt(copy, 'a')).toBeUndefined();
  });

  it('belongs to the last of equal keys', () => {
    expect(stringifyJson(parseData('{"a":1.10,"a":2}', 'spelling'))).toBe('{"a":2}');
    expect(stringifyJson(parseData('{"a":1e400,"a":"x"}'))).toBe('{"a":"x"}');
  });

  it('is known of elements of a list', () => {
    const list = parseList(['1.10', '1e400', '"1.10"'], 'spelling');
    expect(list.map((_, at) => stringifyAt(list, at))).toEqual(['1.10', '1e400', '"1.10"']);
    expect(withAllDigits(list)).toEqual([1.1, '1.0E+400', '1.10']);
    expect(parseData('[1]') as JsonArray).toEqual(withAllDigits([1]));
  });

  it('tells values apart that JavaScript does not', () => {
    const [a, b, c] = ['1234567890.12345678', '1234567890.12345679', '1234567890.123456780'].map((n) => objectOf(`{"a":${n}}`)); // prettier-ignore
    expect(sameJson(a, b)).toBe(false);
    expect(sameJson(a, c)).toBe(true);
    expect(exactAt(a as JsonObject, 'a')).toBe('1234567890.12345678');
    expect([losesDigits(a ?? 0), losesDigits([[a ?? 0]]), losesDigits({ a: 1.1 })]).toEqual([true, true, false]);
  });
});

describe('an object with a member more', () => {
  it.each([
    ['{"a":1.10,"b":2}', 'c', '{"a":1.10,"b":2,"c":"new"}'],
    ['{"a":1.10,"b":2}', 'a', '{"a":"new","b":2}'],
    ['{"a":1.10}', '7', '{"a":1.10,"7":"new"}'],
    ['{"b":1,"7":2}', 'a', '{"b":1,"7":2,"a":"new"}'],
    ['{"__proto__":[1],"a":2}', 'b', '{"__proto__":[1],"a":2,"b":"new"}'],
    ['{"a":2}', '__proto__', '{"a":2,"__proto__":"new"}'],
  ])('%s with %s keeps order and digits', (text, key, made) => {
    expect(stringifyJson(withMember(objectOf(text, 'spelling'), key, 'new'))).toBe(made);
  });
});
