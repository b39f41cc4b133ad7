import fc from 'fast-check';
import { compareTimes, furthest, isTimeText, movedBack, secondsAfter, timeBefore } from '../../../src/core/json/order';
import type { Json } from '../../../src/core/model';

/** Ways to write the instant of an ISO 8601 string in UTC, by who writes so. */
const FORMS: Readonly<Record<string, (iso: string) => string>> = {
  'ISO 8601': (iso) => iso,
  'ISO 8601 in lower case': (iso) => iso.toLowerCase(),
  'ISO 8601 in its basic form': (iso) => iso.replace(/[-:]/g, ''),
  'ISO 8601 with a comma': (iso) => iso.replace('.', ','),
  'ISO 8601 with an offset of hours': (iso) => iso.replace('Z', '+00'),
  Jira: (iso) => iso.replace('Z', '+0000'),
  Python: (iso) => iso.replace('Z', '+00:00'),
  PostgreSQL: (iso) => iso.replace('T', ' ').replace('Z', '+00'),
  Ruby: (iso) => iso.replace('T', ' ').replace('Z', ' +0000'),
  'Rails and BigQuery': (iso) => iso.replace('T', ' ').replace('Z', ' UTC'),
  'no zone': (iso) => iso.replace('T', ' ').replace('Z', ''),
  slashes: (iso) => iso.replaceAll('-', '/').replace('T', ' '),
};

describe.each(Object.entries(FORMS))('times as written: %s', (_, form) => {
  const instants = fc.tuple(
    fc.date({ min: new Date('1000-01-02'), max: new Date('9999-12-31'), noInvalidDate: true }),
    fc.integer({ min: 0, max: 80_000_000 }),
  );

  it('are in the order of their instants, and moved back in their own form', () => {
    fc.assert(
      fc.property(instants, ([date, seconds]) => {
        const [later, earlier] = [date, new Date(date.getTime() - seconds * 1000)].map((each) => each.toISOString());
        const [a, b] = [form(later ?? ''), form(earlier ?? '')];
        expect(isTimeText(a)).toBe(true);
        expect(Math.sign(compareTimes(a, b) ?? NaN)).toBe(Math.sign(seconds));
        expect(timeBefore(a, seconds)).toBe(b);
        expect(secondsAfter(a, date.getTime() / 1000 - seconds)).toBeCloseTo(seconds, 3);
      }),
    );
  });
});

describe('times', () => {
  it.each([
    ['2024-05-01T00:00:00.123456Z', '2024-05-01T00:00:00.123457Z', -1],
    ['2024-05-01T00:00:00.10Z', '2024-05-01T00:00:00.1Z', 0],
    ['2024-05-01T00:00:00Z', '2024-05-01 02:00:00+02', 0],
    ['2024-05-01T00:00:00Z', '2024-05-01 02:00:00 +0130', -1],
    ['2024-05-01', '2024-04-30T22:00:00-0200', 0],
    ['2024-05-01 9:00:00', '2024-05-01 10:00:00', -1],
    ['2024-02-29T24:00', '2024-03-01', 0],
    ['0001-01-01T00:00:00', '1901-01-01', -1],
  ])('%s is to %s as %p is to 0', (a, b, order) => {
    expect(Math.sign(compareTimes(a, b) ?? NaN)).toBe(order);
    expect(compareTimes(b, a)).toBe(0 - (compareTimes(a, b) ?? NaN));
  });

  it.each([
    ['2024-05-01T02:00:00+02:00', 3600, '2024-05-01T01:00:00+02:00'],
    ['2024-05-01T00:00:00-0330', 1, '2024-04-30T23:59:59-0330'],
    ['2024-05-01T00:00:00.123456Z', 1, '2024-04-30T23:59:59.123456Z'],
    ['2024-05-01T00:00:00.1Z', 0.25, '2024-04-30T23:59:59.8Z'],
    ['2024-05-01T00:00:00Z', 0.25, '2024-04-30T23:59:59Z'],
    ['2024-05-01 10:00', 30, '2024-05-01 09:59'],
    ['2024-05-01', 300, '2024-04-30'],
    ['2024-05-01 9:00:00', 3600, '2024-05-01 8:00:00'],
    ['2024-05-01 10:00:00', Infinity, undefined],
    ['0000-01-01', 86_400, undefined],
  ])('%s and %p seconds: %s', (text, seconds, expected) => expect(timeBefore(text, seconds)).toBe(expected));

  it.each([
    '',
    '2024',
    '20240501',
    '20240501100000',
    '2024-05',
    '2024-5-1',
    '2024-05/01',
    '2024-02-30',
    '2024-13-01',
    '2024-05-01-05',
    '2024-05-01+02',
    '2024-05-01Z',
    '2024-05-01T25:00:00Z',
    '2024-05-01T10:60:00Z',
    '2024-05-01T10:00.5Z',
    '2024-05-01T10',
    '2024-05-01T10:00:00+02:60',
    '2024-05-01 10:00:00 PM',
    '12/31/2025',
    '31.12.2025',
    '01HV5S1Y7Q4Z3T9N8XKJ6M2P0R',
  ])('%j is none', (text) => {
    expect(isTimeText(text)).toBe(false);
    expect(compareTimes(text, '2024-05-01')).toBeUndefined();
    expect(timeBefore(text, 1)).toBeUndefined();
  });
});

describe('furthest', () => {
  it.each<[Json | undefined, Json | undefined, Json | undefined]>([
    [1, 2, 2],
    [10, 9, 10],
    ['9', '10', '10'],
    [9007199254740993n, 9007199254740992, 9007199254740993n],
    ['1.5', '1.25', '1.5'],
    ['1700000000.123456781', '1700000000.123456789', '1700000000.123456789'],
    [1e25, 2, 1e25],
    ['2024-05-01T00:00:00Z', '2024-05-01T01:00:00+02:00', '2024-05-01T00:00:00Z'],
    ['2024-05-01', '2024-05-01T00:00:01Z', '2024-05-01T00:00:01Z'],
    ['2024-05-01 10:00:00', '2024-05-01T09:00:00', '2024-05-01 10:00:00'],
    ['b', 'a', 'b'],
    [null, 'a', 'a'],
    ['a', '', 'a'],
    [true, [1], undefined],
    [undefined, 0, 0],
  ])('of %p and %p is %p', (a, b, expected) => expect(furthest(a, b)).toBe(expected));

  it('of integers is the largest, in any order', () => {
    fc.assert(
      fc.property(fc.array(fc.bigInt(), { minLength: 1 }), (numbers) => {
        const largest = numbers.reduce((a, b) => (a > b ? a : b));
        expect(numbers.map(String).reduce<Json | undefined>(furthest, undefined)).toBe(String(largest));
      }),
    );
  });
});

describe('movedBack', () => {
  it.each<[Json, number, Json]>([
    [10, 3, 7],
    [9007199254740993n, 1, 9007199254740992n],
    ['9007199254740993', 1, '9007199254740992'],
    ['1.5', 1, '0.5'],
    ['1700000000.123456789', 0.5, '1699999999.623456789'],
    ['1e999999999', 5, '1e999999999'],
    [0.3, 0.1, 0.2],
    ['2024-05-01T00:00:10Z', 20, '2024-04-30T23:59:50Z'],
    ['2024-05-01T00:00:10.500Z', 1, '2024-05-01T00:00:09.500Z'],
    ['2024-05-01T02:00:00+02:00', 60, '2024-05-01T01:59:00+02:00'],
    ['2024-05-01 00:00:10', 10, '2024-05-01 00:00:00'],
    ['2024-05-01', 86400, '2024-04-30'],
    ['2024-02-31T99:00:00Z', 5, '2024-02-31T99:00:00Z'],
    ['abc', 5, 'abc'],
    ['2024-05-01', 0, '2024-05-01'],
  ])('%p by %p is %p', (value, by, expected) => expect(movedBack(value, by)).toBe(expected));
});
