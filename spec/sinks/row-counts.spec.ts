import { rowCounts, rowsOfRun, countsOf } from '../../src/sinks/row-counts';

describe('what a commit did to rows', () => {
  it('follows from what was counted', () => {
    expect(rowCounts({ stored: 4, matched: 2, same: 1 }, 5, 7)).toEqual({
      ...{ added: 2, changed: 1, unchanged: 1, removed: 0, total: 7 },
    });
    expect(rowCounts({ stored: 0, matched: 0, same: 0 }, 5, 0)).toEqual({
      ...{ added: 0, changed: 0, unchanged: 0, removed: 5, total: 0 },
    });
    expect(rowsOfRun(3990, 4001)).toEqual({ rows: 3990, repeated: 11 });
  });

  it('leaves out what was not counted', () => {
    expect(countsOf({ stored: 4, matched: 2 })).toEqual({ added: 2 });
    expect(countsOf({ stored: 4 }, { total: 9 })).toEqual({ total: 9 });
  });
});
