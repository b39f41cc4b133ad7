import { secretValues } from '../../../src/language/values/secret-values';
import type { Json } from '../../../src/core/model';

describe('secretValues (language 1.4)', () => {
  it('finds what is below a key with #, also inside JSON text', () => {
    expect(secretValues({ a: 'open', '#b': ['x', { c: '["y"]' }] })).toEqual(['x', '["y"]', 'y']);
  });

  it('does not descend into what nests too deep', () => {
    let deep: Json = 'x';
    for (let level = 0; level < 100_000; level += 1) deep = { '#a': deep };
    expect(secretValues(deep)).toEqual([]);
    const text = '['.repeat(100_000) + ']'.repeat(100_000);
    expect(secretValues({ '#a': text })).toEqual([text]);
  });
});
