import type { Json } from '../../src/core/model';
import { areUnordered } from '../../src/sources/unordered';

describe('values that nobody can put in order', () => {
  it.each<[Json]>([
    ['12/31/2025'],
    ['31.12.2025'],
    ['1-2-2025'],
    ['12/31/25'],
    ['12/31/2025 10:00:00'],
    ['12/31/2025, 1:00 PM'],
    ['31.12.2025T10:00'],
    ['03 Nov 2026'],
    ['3-Nov-26'],
    ['3. November 2026'],
    ['Mon, 01 Jan 2024 00:00:00 GMT'],
    ['Nov 3, 2026'],
    ['Wed Oct 10 20:19:24 +0000 2018'],
    ['2026-1-31'],
    ['2026-01-1 10:00'],
    ['2026-01-31 1:00 PM'],
  ])('are dates such as %j', (value) => expect(areUnordered([undefined, value])).toBe(true));

  it.each<[readonly Json[]]>([
    [['2024-05-01', 1714521600]],
    [['1714521600', '2024-05-01T10:00:00Z']],
    [['2024-05-01', '05/02/2024']],
  ])('are %j', (values) => expect(areUnordered(values)).toBe(true));

  it.each<[readonly Json[]]>([
    [[]],
    [[1, 2n, '3', '4.5']],
    [['2024-05-01', '2024-05-01T10:00:00Z', '2024-05-01 10:00:00+00', '20240501T100000Z']],
    [['01HV5S1Y7Q4Z3T9N8XKJ6M2P0R', '0001', 'a-12/31/2025']],
    [['1.2.34', '10.20.30', '12/34/56/78', '12-31-2025-7', '3f2504e0-4f89-11d3-9a0c-0305e82c3301']],
    [['2024-W05', '2024Q1', '2024-05', 'May', 'decade 12 of 20']],
    [['/Date(1704067200000)/']],
  ])('are not %j', (values) => expect(areUnordered(values)).toBe(false));
});
