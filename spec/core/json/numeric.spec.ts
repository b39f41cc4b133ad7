import fc from 'fast-check';
import { compareDecimals } from '../../../src/core/json/decimal';
import { isCount, isDecimal, isIndex, isInteger, isNumeric, isPathIndex } from '../../../src/core/json/scalars';
import { runsOf } from '../../support/cases';

const KINDS = { isCount, isIndex, isInteger, isDecimal, isNumeric };
const kindsOf = (text: string): string[] => Object.entries(KINDS).flatMap(([name, is]) => (is(text) ? [name] : []));
const ALL = Object.keys(KINDS);

const space = fc.constantFrom('', ' ', '\t', '\n ');
const sign = fc.constantFrom('', '+', '-');
const digits = fc.stringMatching(/^\d{1,25}$/);
/** What looks like a number, and mostly is none. */
const scrap = fc.string({
  unit: fc.constantFrom('0', '1', '9', '.', '+', '-', 'e', 'E', ' ', 'x', '\n', '_'),
  maxLength: 8,
});

describe('which strings are numbers', () => {
  it.each([
    ['0', ALL],
    ['12', ALL],
    ['012', ['isCount', 'isInteger', 'isDecimal', 'isNumeric']],
    ['-7', ['isInteger', 'isDecimal', 'isNumeric']],
    [' 7 ', ['isInteger', 'isDecimal', 'isNumeric']],
    ['7.50', ['isDecimal', 'isNumeric']],
    ['7.', ['isNumeric']],
    ['.5', ['isNumeric']],
    ['1e3', ['isNumeric']],
    ['-1.5E-3', ['isNumeric']],
    ['', []],
    [' ', []],
    ['.', []],
    ['+', []],
    ['1 2', []],
    ['1,5', []],
    ['0x10', []],
    ['1_000', []],
    ['Infinity', []],
    ['NaN', []],
    ['1e', []],
    ['7\n8', []],
    ['٣', []],
  ])('%j: %j', (text, kinds) => expect(kindsOf(text)).toEqual(kinds));

  it('each grammar is a part of the next wider one', () => {
    fc.assert(
      fc.property(scrap, (text) => {
        const wider = [isIndex, isCount, isInteger, isDecimal, isNumeric].map((is) => is(text));
        expect(wider).toEqual([...wider].sort((a, b) => Number(a) - Number(b)));
      }),
      { numRuns: runsOf(2000) },
    );
  });

  it('what is numeric is a finite or too large number of JavaScript, and a decimal number', () => {
    fc.assert(
      fc.property(scrap, (text) => {
        expect(isNumeric(text) && Number.isNaN(Number(text))).toBe(false);
        const parts = /^[\s+-]*\.|\.\s*$|\.[eE]/;
        if (isNumeric(text) && !parts.test(text)) expect(compareDecimals(text.trim(), '0')).toBeDefined();
      }),
      { numRuns: runsOf(2000) },
    );
  });

  it('integers are those that BigInt reads', () => {
    fc.assert(
      fc.property(space, sign, digits, space, (before, plus, number, after) => {
        const text = before + plus + number + after;
        expect(isInteger(text)).toBe(true);
        expect(BigInt(text)).toBe(BigInt(number) * (plus === '-' ? -1n : 1n));
      }),
    );
  });

  it.each([
    ['0', true],
    ['-1', true],
    ['-12', true],
    ['-0', false],
    ['-01', false],
    ['+1', false],
    ['--1', false],
    ['-', false],
    ['-1.0', false],
  ])('%j as a step of a path in an array: %s', (text, isStep) => expect(isPathIndex(text)).toBe(isStep));

  it('indexes are those that JavaScript spells so', () => {
    fc.assert(fc.property(digits, (text) => expect(isIndex(text)).toBe(String(BigInt(text)) === text)));
  });
});
