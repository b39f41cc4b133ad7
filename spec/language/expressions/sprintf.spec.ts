import fc from 'fast-check';
import { anyText } from '../../support/any-text';
import { sprintf } from '../../../src/language/expressions/sprintf';
import type { JsonScalar } from '../../../src/core/model';

describe('sprintf (language 7.6)', () => {
  it.each<[string, readonly JsonScalar[], string]>([
    ['%s', ['a'], 'a'],
    ['%s|%s|%s', [true, false, null], '1||'],
    ['%s', [9007199254740993n], '9007199254740993'],
    ['%.3s', ['abcdef'], 'abc'],
    ['%.0s|', ['abc'], '|'],
    ['%.s|', ['abc'], '|'],
    ['%d', [-3], '-3'],
    ['%d', ['12abc'], '12'],
    ['%d', [' 12'], '12'],
    ['%d', ['abc'], '0'],
    ['%d', ['1e3'], '1000'],
    ['%d', ['1e999'], '0'],
    ['%d', [-9.99], '-9'],
    ['%d', [true], '1'],
    ['%d', [-9007199254740993n], '-9007199254740993'],
    ['%u', [-1], '18446744073709551615'],
    ['%x|%X|%o|%b', [255, 255, 8, 5], 'ff|FF|10|101'],
    ['%x', [-1], 'ffffffffffffffff'],
    ['%c', [65], 'A'],
    ['%c', [321], 'A'],
    ['%f', [3.14159265], '3.141593'],
    ['%F', ['1.5'], '1.500000'],
    ['%f', ['abc'], '0.000000'],
    ['%.2f', [2.675], '2.67'],
    ['%.0f', [1.5], '2'],
    ['%.1f', [1e25], '10000000000000000905969664.0'],
    ['%.0f', [1e25], '10000000000000000905969664'],
    ['%e', [1234.5678], '1.234568e+3'],
    ['%.2E', [0.00012], '1.20E-4'],
    ['%g', [0.00001234], '1.234e-5'],
    ['%g', [0.0001234], '0.0001234'],
    ['%g', [1234567], '1.23457e+6'],
    ['%g', [100000], '100000'],
    ['%g', [1e15], '1.0e+15'],
    ['%G', [1e-10], '1.0E-10'],
    ['%.3g', [3.14159], '3.14'],
    ['%.0g', [3.7], '4'],
    ['%g', [0], '0'],
  ])('language 7.6: types: %s of %p', (format, values, expected) => {
    expect(sprintf(format, values)).toBe(expected);
  });

  it.each<[string, readonly JsonScalar[], string]>([
    ['%5d|', [42], '   42|'],
    ['%-5d|', [42], '42   |'],
    ['%05d', [-3], '-0003'],
    ['%+d %+d %+d', [3, 0, -3], '+3 +0 -3'],
    ['%+05d', [3], '+0003'],
    ['%+.1f', [2.5], '+2.5'],
    ['%08.2f', [-3.14159], '-0003.14'],
    ['%5s|%-5s|', ['ab', 'ab'], '   ab|ab   |'],
    ['%05s', ['ab'], '000ab'],
    ["%'*10s", ['abc'], '*******abc'],
    ["%'.05d", [3], '00003'],
    ["%'x08d", [42], '00000042'],
    ["%0'x8d", [42], 'xxxxxx42'],
    ["%'x-8d", [42], '42xxxxxx'],
    ["%'-5d|", [3], '----3|'],
    ["%'č4d", [3], 'ččč3'],
    ['% 5d', [5], '    5'],
    ['%-05d|', [-3], '-3   |'],
    ['%-08.2f', [3.5], '3.500000'],
    ['%-05s', ['ab'], 'ab000'],
    ['%10.3s|', ['abcdef'], '       abc|'],
    ['%3d', [12345], '12345'],
    ['%3s|', ['ěš'], ' ěš|'],
  ])('language 7.6: flags and width: %s of %p', (format, values, expected) => {
    expect(sprintf(format, values)).toBe(expected);
  });

  it.each<[string, readonly JsonScalar[], string]>([
    ['%2$s %1$s', ['a', 'b'], 'b a'],
    ['%1$s %1$s %s', ['a'], 'a a a'],
    ['100 %% of %s', ['it'], '100 % of it'],
    ['%5%', [], '%'],
    ['nothing', ['unused'], 'nothing'],
    ['', [], ''],
  ])('language 7.6: values: %s of %p', (format, values, expected) => {
    expect(sprintf(format, values)).toBe(expected);
  });

  it.each<[string, readonly JsonScalar[], string]>([
    ['%s %s', ['a'], 'the format asks for value 2, but there are 1'],
    ['%3$s', ['a'], 'the format asks for value 3, but there are 1'],
    ['%0$s', ['a'], 'the format asks for value 0, but there are 1'],
    ['100 %', [], 'the format ends within a placeholder; a plain % is written %%'],
    ['%5', [1], 'the format ends within a placeholder; a plain % is written %%'],
    ['%y', [1], "unknown type 'y' after %; the types are s, d, u, f, F, e, E, g, G, x, X, o, b, c and %"],
  ])('language 7.6: user errors: %s of %p', (format, values, message) => {
    expect(() => sprintf(format, values)).toThrow(message);
  });

  it('language 7.6: %d is the number in decimal, whatever its size', () => {
    fc.assert(
      fc.property(fc.bigInt(), fc.maxSafeInteger(), (large, safe) => {
        expect(sprintf('%d %d', [large, safe])).toBe(`${large} ${safe}`);
      }),
    );
  });

  it('language 7.6: %x, %o and %b are read back as the number', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }), (number) => {
        const digits = sprintf('0x%1$x 0o%1$o 0b%1$b', [number]).split(' ');
        expect(digits.map(BigInt)).toEqual([number, number, number]);
      }),
    );
  });

  it('language 7.6: a padded text is as long as its width, or as the text', () => {
    fc.assert(
      fc.property(anyText(), fc.integer({ min: 0, max: 60 }), (text, width) => {
        expect(Array.from(sprintf(`%${width === 0 ? '' : width}s`, [text])).length).toBe(
          Math.max(width, Array.from(text).length),
        );
        expect(sprintf(`%'_${width === 0 ? '' : width}s`, [text]).endsWith(text)).toBe(true);
      }),
    );
  });
});
