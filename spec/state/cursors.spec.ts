import type { Json, JsonObject } from '../../src/model';
import { createCursorTracker, cursorsOf } from '../../src/state/cursors';

const upTo = (parents: Json): JsonObject => ({ 'headwater.cursors': parents });
const at = (job: string, value: string | number, parent = '') => ({ job, items: 1, cursor: { parent, value } });
const job = (id: string) => ({ id, path: 'config.jobs[0]', endpoint: id, dataType: id });

describe('how far jobs have come', () => {
  it('is the furthest value of all pages and of the runs before, in any order', () => {
    const book = createCursorTracker(upTo({ a: { '': 5 }, b: { '': 5 }, untouched: { x: 1 } }));
    for (const value of [7, 9, 8]) book.add(at('a', value));
    for (const value of [3, 8, 4]) book.addPage({ job: job('b'), count: 1, cursor: { parent: '', value } });
    expect(book.into({ mine: 1 })).toEqual({
      mine: 1,
      ...upTo({ a: { '': 9 }, b: { '': 8 }, untouched: { x: 1 } }),
    });
  });

  it('is kept for each parent by itself', () => {
    const book = createCursorTracker({});
    book.add(at('a', 1, 'p'));
    book.add(at('a', 2, 'q'));
    book.add(at('a', 3, 'p'));
    expect(book.into({})).toEqual(upTo({ a: { p: 3, q: 2 } }));
  });

  it('leaves a state as it is where no page came with a value', () => {
    const book = createCursorTracker(upTo({ a: { '': 5 } }));
    book.add({ job: 'a', items: 2 });
    book.addPage({ job: job('b'), count: 0 });
    const state = { mine: 1 };
    expect(book.into(state)).toBe(state);
    expect(['a', 'b', 'c'].map(book.isWithout)).toEqual([true, false, false]);
    book.add(at('a', 6));
    expect(book.isWithout('a')).toBe(false);
  });

  it('does not change the state that it began with', () => {
    const state = upTo({ a: { '': 5 } });
    createCursorTracker(state).add(at('a', 6));
    expect(state).toEqual(upTo({ a: { '': 5 } }));
  });

  it.each([[{}], [upTo(5)], [upTo([])]])('of %j there is nothing to read', (state) => {
    expect(cursorsOf(state)).toEqual(new Map());
  });

  it('takes a job whose parents cannot be read as one without any', () => {
    expect(cursorsOf(upTo({ a: 5, b: { '': 1 } }))).toEqual(
      new Map([
        ['a', new Map()],
        ['b', new Map([['', 1]])],
      ]),
    );
  });
});
