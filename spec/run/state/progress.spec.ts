import type { Checkpoint } from '../../../src/core/model';
import { createProgressTracker } from '../../../src/run/state/progress';

const after = (call: readonly number[], pages: number): Checkpoint => ({
  call,
  job: 'j',
  pages,
  items: pages,
  volume: 0,
});
const bookOf = (...checkpoints: readonly Checkpoint[]) => {
  const book = createProgressTracker();
  checkpoints.forEach(book.add);
  return book;
};

describe('createProgress', () => {
  it('keeps the last checkpoint of each call', () => {
    const book = bookOf(after([0, 0], 1), after([0, 1], 1), after([0, 0], 2));
    expect([...book.progress()]).toEqual([
      ['0.0', after([0, 0], 2)],
      ['0.1', after([0, 1], 1)],
    ]);
    expect(book.pages()).toBe(3);
  });

  it('drops the calls below a page when the next page of their parent has come', () => {
    const book = bookOf(after([0, 0], 1), after([0, 0, 0, 0], 1), after([0, 0, 0, 1], 2), after([0, 0], 2));
    expect([...book.progress().keys()]).toEqual(['0.0']);
    expect(book.has(after([0, 0, 0, 1], 2))).toBe(true);
    expect(book.has(after([0, 0, 1, 0], 1))).toBe(false);
  });

  it('knows the pages up to the last one of a call', () => {
    const book = bookOf(after([0, 0], 1), after([0, 0], 2), after([0, 0, 1, 3], 1));
    expect([1, 2, 3].map((pages) => book.has(after([0, 0], pages)))).toEqual([true, true, false]);
    expect(book.has(after([0, 0, 1, 3], 1))).toBe(true);
    expect(book.has(after([0, 0, 1, 2], 1))).toBe(false);
    expect(book.has(after([1, 0], 1))).toBe(false);
  });

  it('forgets a call and those below it', () => {
    const book = bookOf(after([0, 0], 1), after([0, 0, 0, 0], 1), after([0, 1], 1));
    book.forget([0, 0]);
    expect([...book.progress().keys()]).toEqual(['0.1']);
    expect(book.has(after([0, 0], 1))).toBe(false);
    book.forget([5, 5, 1, 1]);
    expect([...book.progress().keys()]).toEqual(['0.1']);
  });

  it('forgets a call below others, and no other; of what it does not know there is nothing to forget', () => {
    const book = bookOf(after([0, 0], 1), after([0, 0, 0, 0], 1), after([0, 0, 0, 1], 1));
    book.forget([0, 0, 0, 1]);
    book.forget([0, 0, 5, 5, 1, 1]);
    book.forget([5, 5, 1, 1, 2, 2]);
    expect([...book.progress().keys()]).toEqual(['0.0', '0.0.0.0']);
    expect(book.pages()).toBe(3);
  });

  it('knows the last checkpoint of a call that is not over', () => {
    const book = bookOf(after([0, 0], 1), after([0, 0, 0, 0], 1), after([0, 0, 0, 0], 2));
    expect(book.last([0, 0])).toEqual(after([0, 0], 1));
    expect(book.last([0, 0, 0, 0])).toEqual(after([0, 0, 0, 0], 2));
    expect(book.last([0, 0, 0, 1])).toBeUndefined();
    expect(book.last([3, 3, 0, 0, 1, 1])).toBeUndefined();
    book.add(after([0, 0], 2));
    expect(book.last([0, 0, 0, 0])).toBeUndefined();
  });

  it('knows a call below one of which no page has come', () => {
    const book = bookOf(after([0, 0, 0, 0], 1));
    expect(book.has(after([0, 0], 1))).toBe(false);
    expect(book.has(after([0, 0, 0, 0], 1))).toBe(true);
    expect([...book.progress().keys()]).toEqual(['0.0.0.0']);
  });

  it('a page below the last page of its parent is not over', () => {
    const book = bookOf(after([0, 0], 1), after([0, 0], 2));
    expect(book.has(after([0, 0, 0, 7], 1))).toBe(true);
    expect(book.has(after([0, 0, 1, 0], 1))).toBe(false);
    expect(book.has(after([0, 0, 2, 0], 1))).toBe(false);
  });
});
