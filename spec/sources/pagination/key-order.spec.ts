import { isOutOfOrder } from '../../../src/sources/pagination/key-order';
import type { Json } from '../../../src/core/model';

describe('the order of keys', () => {
  it.each<[readonly Json[], boolean]>([
    [[], false],
    [[1], false],
    [[1, 2, 2, 9], false],
    [[9, 2, 2, 1], false],
    [[1, 3, 2], true],
    [['2024-01-01', '2024-01-03', '2024-01-02'], true],
    [['2024-01-03T10:00:00Z', '2024-01-03T09:00:00Z'], false],
    // Which of them comes first depends on the alphabet of the API, or on whether it compares them as numbers.
    [['a', 'B', 'c'], false],
    [['30.01.2024', '31.01.2024', '01.02.2024', '02.02.2024'], false],
    [['2024-10-27T02:30:00+02:00', '2024-10-27T02:10:00+01:00', '2024-10-27T02:40:00+01:00'], false],
    [['-3', '-2', '-1', '10'], false],
    [['2024-10-27T02:30:00Z', '2024-10-27T02:10:00Z', '2024-10-27T02:40:00Z'], true],
    [['9', '10', '8'], false],
    [['n1', 'n3', 'n2'], false],
    // Of several values each may have a direction of its own.
    [
      [
        [1, 'b'],
        [1, 'a'],
        [2, 'z'],
      ],
      false,
    ],
    [[[1], [3], [2]], true],
  ])('%j is out of order: %s', (keys, expected) => {
    expect(isOutOfOrder(keys)).toBe(expected);
  });
});
