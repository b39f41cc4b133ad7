import fc from 'fast-check';
import type { Json } from '../../../src/core/model';
import { typeOf, wider } from '../../../src/tables/schema/column-type';
import type { ColumnType } from '../../../src/tables/schema/column-type';

describe('typeOf', () => {
  it.each<[Json, ColumnType | undefined]>([
    [null, undefined],
    [true, 'boolean'],
    [0, 'integer'],
    [-0, 'integer'],
    [2147483647, 'integer'],
    [-2147483648, 'integer'],
    [2147483648, 'bigint'],
    [-2147483649, 'bigint'],
    [9007199254740991, 'bigint'],
    [9223372036854775807n, 'bigint'],
    [-9223372036854775808n, 'bigint'],
    [9223372036854775808n, 'decimal(19,0)'],
    [-(10n ** 40n), 'decimal(41,0)'],
    [1.5, 'double'],
    [1e20, 'double'],
    ['', 'text'],
    ['12', 'text'],
    ['nan', 'text'],
    ['2024-01-31', 'date'],
    ['2024-02-29', 'date'],
    ['2023-02-29', 'text'],
    ['1900-02-29', 'text'],
    ['2000-02-29', 'date'],
    ['2024-02-30', 'text'],
    ['2024-13-01', 'text'],
    ['2024-00-01', 'text'],
    ['2024-01-00', 'text'],
    ['0000-01-01', 'text'],
    ['0001-01-01', 'date'],
    ['9999-12-31', 'date'],
    ['2024-1-31', 'text'],
    ['2024-01-31 ', 'text'],
    ['2024-01-31T10:00', 'text'],
    ['2024-01-31T10:00:00', 'timestamp'],
    ['2024-01-31 10:00:00.123456', 'timestamp'],
    ['2024-01-31T10:00:00.1234567', 'text'],
    ['2024-01-31T24:00:00', 'text'],
    ['2024-01-31T23:60:00', 'text'],
    ['2024-01-31T23:59:60', 'text'],
    ['2024-01-31T10:00:00Z', 'timestamptz'],
    ['2024-01-31T10:00:00.5-09:30', 'timestamptz'],
    ['2024-01-31T10:00:00+0200', 'text'],
    ['2024-01-31T10:00:00+15:00', 'text'],
    ['2024-01-31T10:00:00+02:60', 'text'],
    [{}, 'json'],
    [[], 'json'],
  ])('%j is %s', (value, type) => {
    expect(typeOf(value)).toBe(type);
  });
});

describe('wider', () => {
  const types: readonly ColumnType[] = [
    'boolean',
    'integer',
    'bigint',
    'double',
    'decimal(4,2)',
    'decimal(30,9)',
    'date',
    'timestamp',
    'timestamptz',
  ];
  const any = fc.constantFrom<ColumnType>(...types, 'json', 'text');

  it('is the same both ways, and stays', () => {
    fc.assert(
      fc.property(any, any, (a, b) => {
        expect(wider(a, b)).toBe(wider(b, a));
        expect(wider(a, wider(a, b))).toBe(wider(a, b));
        expect(wider(a, a)).toBe(a);
      }),
    );
  });

  it('loses nothing', () => {
    expect(wider('integer', 'bigint')).toBe('bigint');
    expect(wider('integer', 'double')).toBe('double');
    expect(wider('bigint', 'double')).toBe('text');
    expect(wider('date', 'timestamp')).toBe('text');
    expect(wider('boolean', 'integer')).toBe('text');
    expect(wider('json', 'text')).toBe('json');
  });
});
