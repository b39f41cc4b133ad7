import * as fc from 'fast-check';
import { isBlank, isBlankData, isScalar, textOf, typeName } from '../../../src/core/json/scalars';
import type { Json, JsonScalar } from '../../../src/core/model';

describe('language 0.2: the text of a scalar', () => {
  it.each<[JsonScalar, string]>([
    ['', ''],
    [' a ', ' a '],
    [true, '1'],
    [false, ''],
    [null, ''],
    [0, '0'],
    [-0, '0'],
    [42, '42'],
    [-7, '-7'],
    [1.5, '1.5'],
    [0.1, '0.1'],
    [9007199254740993n, '9007199254740993'],
    [-9007199254740993n, '-9007199254740993'],
    [1e20, '100000000000000000000'],
    [1e25, '1.0E+25'],
    [-1e25, '-1.0E+25'],
    [1.25e30, '1.25E+30'],
    [1e-7, '1.0E-7'],
    [-2.5e-10, '-2.5E-10'],
    [0.000001, '0.000001'],
  ])('%p is %j', (value, text) => {
    expect(textOf(value)).toBe(text);
  });

  it('language 0.3 rule 3: no zeros stay at the end', () => {
    expect(textOf(JSON.parse('1.0') as number)).toBe('1');
    expect(textOf(JSON.parse('1.50') as number)).toBe('1.5');
  });

  it('a number can be read back from its text', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => Number(textOf(value)) === value),
    );
  });
});

describe('kinds of values', () => {
  it.each<[Json | undefined, boolean, string]>([
    ['', true, 'string'],
    [0, true, 'number'],
    [1n, true, 'number'],
    [true, true, 'boolean'],
    [null, true, 'null'],
    [undefined, false, 'nothing'],
    [[], false, 'array'],
    [{}, false, 'object'],
  ])('%p: scalar %p, "%s"', (value, scalar, name) => {
    expect(isScalar(value)).toBe(scalar);
    expect(typeName(value)).toBe(name);
  });
});

describe('language 0.2: blank', () => {
  it.each<[Json | undefined]>([[undefined], [null], [false], [0], [-0], [0n], [''], ['0'], [[]]])(
    '%p is blank',
    (value) => {
      expect(isBlank(value)).toBe(true);
      expect(isBlankData(value)).toBe(true);
    },
  );

  it('an empty object is blank in a configuration, but not in response data', () => {
    expect(isBlank({})).toBe(true);
    expect(isBlankData({})).toBe(false);
  });

  it.each<[Json]>([[true], [1], [-1], [0.1], [1n], [' '], ['0.0'], ['00'], ['false'], [[0]], [[null]], [{ a: null }]])(
    '%p is not blank',
    (value) => {
      expect(isBlank(value)).toBe(false);
      expect(isBlankData(value)).toBe(false);
    },
  );
});
