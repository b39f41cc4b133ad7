import fc from 'fast-check';
import {
  compareDecimals,
  decimalText,
  fitsDouble,
  isExact,
  numberOf,
  sameDecimal,
  subtractDecimals,
} from '../../../src/core/json/decimal';

describe('decimals', () => {
  it.each([
    ['1.50', '1.5'],
    ['-0.0', '0'],
    ['100', '100'],
    ['0.00100', '0.001'],
    ['12345678901234567.250', '12345678901234567.25'],
    ['1e2', '100'],
    ['15e299', '1.5E+300'],
    ['-1E400', '-1.0E+400'],
    ['0.5e-10', '5.0E-11'],
    ['soon', 'soon'],
  ])('the text of %s is %s', (literal, text) => expect(decimalText(literal)).toBe(text));

  it('the text of a number is the same number', () => {
    const exponent = fc.integer({ min: -30, max: 30 });
    fc.assert(
      fc.property(fc.bigInt(), exponent, (digits, power) =>
        expect(sameDecimal(decimalText(`${digits}e${power}`), `${digits}e${power}`)).toBe(true),
      ),
    );
  });

  it('that are equal differ by 0, negative ones too', () => {
    expect(compareDecimals('-45', '-45.0')).toBe(0);
    expect(compareDecimals('0e5', '-0')).toBe(0);
  });

  it('are ordered and subtracted as integers are', () => {
    fc.assert(
      fc.property(fc.bigInt(), fc.bigInt(), fc.integer({ min: -20, max: 20 }), (a, b, power) => {
        const [x, y] = [`${a}e${power}`, `${b}e${power}`];
        expect(Math.sign(compareDecimals(x, y) ?? NaN)).toBe(a < b ? -1 : Number(a > b));
        expect(sameDecimal(subtractDecimals(x, y) ?? '', `${a - b}e${power}`)).toBe(true);
      }),
    );
  });

  it('of any sizes are ordered', () => {
    expect(compareDecimals('1e300', '2')).toBeGreaterThan(0);
    expect(compareDecimals('-1e300', '2')).toBeLessThan(0);
    expect(compareDecimals('1e-400', '0')).toBeGreaterThan(0);
    expect(compareDecimals('0.0', '-0')).toBe(0);
    expect(compareDecimals('x', '1')).toBeUndefined();
  });

  it('too large to calculate with are left alone', () => {
    expect(subtractDecimals('1e999999999', '1')).toBeUndefined();
    expect(subtractDecimals('1e-999999999', '1')).toBeUndefined();
    expect(subtractDecimals('x', '1')).toBeUndefined();
  });

  it.each<[string, number | bigint, boolean, boolean]>([
    ['0.1', 0.1, true, true],
    ['0.10', 0.1, true, true],
    ['0.10000000000000001', 0.1, false, true],
    ['0.100000000000000005', 0.1, false, false],
    ['1e300', 1e300, true, true],
    ['1e400', Infinity, false, false],
    ['1e-400', 0, false, false],
    ['9007199254740993', 9007199254740993n, true, false],
    ['9007199254740993.0', 9007199254740993n, true, false],
    ['9007199254740993.1', 9007199254740994, false, false],
  ])('%s is read as %p', (literal, value, exact, double) => {
    expect(numberOf(literal)).toBe(value);
    expect(isExact(literal)).toBe(exact);
    expect(fitsDouble(literal)).toBe(double);
  });

  it('every double fits itself, with 17 digits, too', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        expect(fitsDouble(JSON.stringify(value))).toBe(true);
        expect(fitsDouble(value.toPrecision(17))).toBe(true);
      }),
    );
  });
});
