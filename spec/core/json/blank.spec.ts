import { isBlank, isBlankData } from '../../../src/core/json/blank';
import type { Json } from '../../../src/core/model';

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
