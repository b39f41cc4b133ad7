import fc from 'fast-check';
import { timeTypeAt, timeTypeOf } from '../../../src/tables/schema/time-type';
import { runsOf } from '../../support/cases';

/** The rule, written in another way. */
const MOMENT =
  /^(\d{4})-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])(?:[T ](?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,6})?(Z|[+-](?:0\d|1[0-4]):[0-5]\d)?)?$/;

function expected(text: string): string | undefined {
  const [, year, month, day, zone] = MOMENT.exec(text) ?? [];
  if (year === undefined || Number(year) === 0) return undefined;
  const lastOfMonth = new Date(Date.UTC(2000 + (Number(year) % 400), Number(month), 0)).getUTCDate();
  if (Number(day) > lastOfMonth) return undefined;
  if (text.length === 10) return 'date';
  return zone === undefined ? 'timestamp' : 'timestamptz';
}

const upTo = (most: number, digits = 2): fc.Arbitrary<string> =>
  fc.nat(most).map((number) => String(number).padStart(digits, '0'));
const day = fc
  .tuple(fc.oneof(upTo(9999, 4), fc.constantFrom('0000', '1900', '2000', '2024')), upTo(13), upTo(32))
  .map((parts) => parts.join('-'));
const clock = fc.tuple(upTo(24), upTo(60), upTo(60)).map((parts) => parts.join(':'));
const fraction = fc.oneof(
  fc.constant(''),
  upTo(9_999_999, 1).map((digits) => `.${digits}`),
);
const zone = fc.oneof(
  fc.constantFrom('', 'Z'),
  fc.tuple(fc.constantFrom('+', '-'), upTo(15), fc.constant(':'), upTo(60)).map((parts) => parts.join('')),
);
const moment = fc.oneof(
  day,
  fc.tuple(day, fc.constantFrom('T', ' '), clock, fraction, zone).map((parts) => parts.join('')),
);
/** With one character more, less or other. */
const damaged = fc
  .tuple(moment, fc.nat(32), fc.nat(1), fc.constantFrom('', '0', '9', ':', '-', '.', 'Z', 'é'))
  .map(([text, at, gone, added]) => text.slice(0, at) + added + text.slice(at + gone));

describe('the type of a time', () => {
  it.each([
    '2024-02-30',
    '0000-01-01',
    '2024-01-01T00:00',
    '2024-01-01T24:00:00',
    '2024-01-01T00:00:00.',
    '2024-01-01T00:00:00.1234567',
    '2024-01-01T00:00:00x',
    '2024-01-01T00:00:00Zx',
    '2024-01-01T00:00:00+15:00',
    '2024-01-01T00:00:00+0100',
  ])('%s has none', (text) => {
    expect([timeTypeOf(text), expected(text)]).toEqual([undefined, undefined]);
  });

  it('is that of dates that exist, and of times that every database keeps', () => {
    let found = 0;
    fc.assert(
      fc.property(fc.oneof(moment, damaged), (text) => {
        if (expected(text) !== undefined) found += 1;
        expect(timeTypeOf(text)).toBe(expected(text));
      }),
      { numRuns: runsOf(10_000) },
    );
    expect(found).toBeGreaterThan(runsOf(10_000) / 100);
  });

  it('is none for any other text', () => {
    fc.assert(fc.property(fc.string({ unit: 'grapheme', maxLength: 40 }), (text) => timeTypeOf(text) === undefined));
    expect(timeTypeOf('２０２４-02-29')).toBeUndefined();
    expect(timeTypeOf(`2024-02-29${'\u0100'.repeat(9)}`)).toBeUndefined();
  });

  it('is found between any two offsets, whatever stands around', () => {
    const bytes = Buffer.from('12024-02-29T23:59:59.5Z.99-01-01');
    expect(timeTypeAt(bytes, 1, 11)).toBe('date');
    expect(timeTypeAt(bytes, 1, 20)).toBe('timestamp');
    expect(timeTypeAt(bytes, 1, 22)).toBe('timestamp');
    expect(timeTypeAt(bytes, 1, 23)).toBe('timestamptz');
    expect(timeTypeAt(bytes, 1, 24)).toBeUndefined();
    expect(timeTypeAt(bytes, 0, 10)).toBeUndefined();
    expect(timeTypeAt(bytes, 1, 19)).toBeUndefined();
  });
});
