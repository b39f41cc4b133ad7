import { isSecretPlace, shown } from '../../../src/language/codec/show';

describe('shown', () => {
  it.each([
    ['text', 'a string of 4 characters'],
    ['x', 'a string of 1 character'],
    ['', 'an empty string'],
    [5, '5'],
    [-0.5, '-0.5'],
    [9007199254740993n, 'a number of 16 characters'],
    [true, 'true'],
    [null, 'null'],
    [undefined, 'nothing'],
    [[1], 'an array'],
    [{ a: 1 }, 'an object'],
  ])('language 9: %p as %s', (value, text) => {
    expect(shown(value, ['api'])).toBe(text);
  });

  it('language 1.4: names secrets by type', () => {
    expect(shown('text', ['config', '#a', 'b'])).toBe('a string (secret, not shown)');
    expect(shown(7, ['#a'])).toBe('a number (secret, not shown)');
    expect(shown([1], ['#a'])).toBe('an array');
    expect(isSecretPlace(['config', 'a#b'])).toBe(false);
  });
});
