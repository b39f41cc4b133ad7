import fc from 'fast-check';
import { FatalError } from '../../../src/core/errors/errors';
import type { Json, JsonObject } from '../../../src/core/model';
import { cursor } from '../../../src/sources/pagination/cursor';
import { integerOf, jsonInteger } from '../../../src/sources/reply-value';
import type { Next, Paginator, Step } from '../../../src/language/parts/pagination/paginator';
import { arrivalOf, jobFacts } from '../../support/pagination';

type Options = Parameters<typeof cursor.paginator>[0];
const defaults: Options = { idKey: 'id', param: 'after', increment: 0, reverse: false };
const paginatorWith = (options: Partial<Options> = {}, params: JsonObject = {}): Paginator =>
  cursor.paginator({ ...defaults, ...options }, jobFacts({ params }));

const after = (paginator: Paginator, ids: readonly Json[], step = paginator.first): Next =>
  paginator.next(arrivalOf({ step, items: ids.map((id) => ({ id })) }));

/** The cursor that follows these pages. */
function cursorAfter(paginator: Paginator, pages: readonly (readonly Json[])[]): Json | undefined {
  const last = pages.reduce<Step>((step, ids) => {
    const next = after(paginator, ids, step);
    return next.kind === 'step' ? next.step : step;
  }, paginator.first);
  return last.change.params['after'];
}

describe('language 5.7 cursor', () => {
  it('the first request is the job as it is', () => {
    expect(paginatorWith({}, { q: 'x', after: 5 }).first.change).toEqual({ params: { q: 'x', after: 5 } });
  });

  it('stops when there are no items', () => {
    expect(after(paginatorWith(), [])).toEqual({ kind: 'stop', because: 'No data in response, stopping scrolling.' });
  });

  it('param carries the maximum of the page', () => {
    expect(cursorAfter(paginatorWith(), [[3, 7, 5]])).toBe(7);
  });

  it('the maximum is that of all pages so far', () => {
    expect(cursorAfter(paginatorWith(), [[7], [3, 5]])).toBe(7);
    expect(cursorAfter(paginatorWith(), [[7], [3], [9], [8]])).toBe(9);
  });

  it('reverse: the minimum of all pages so far', () => {
    expect(cursorAfter(paginatorWith({ reverse: true }), [[7, 3], [5]])).toBe(3);
    expect(cursorAfter(paginatorWith({ reverse: true }), [[7, 3], [-2]])).toBe(-2);
  });

  it.each([
    [1, 8],
    [-2, 5],
  ])('increment %i is added to what is sent, once', (increment, sent) => {
    expect(cursorAfter(paginatorWith({ increment }), [[7], [2]])).toBe(sent);
  });

  it('increment works with reverse as well', () => {
    expect(cursorAfter(paginatorWith({ reverse: true, increment: -1 }), [[7, 3], [5]])).toBe(2);
  });

  it('idKey is a path relative to an item; a dot is the item itself', () => {
    const next = (idKey: string, items: readonly Json[]): Next => {
      const paginator = paginatorWith({ idKey });
      return paginator.next(arrivalOf({ step: paginator.first, items }));
    };
    expect(next('fields.id', [{ fields: { id: 4 } }])).toMatchObject({ step: { change: { params: { after: 4 } } } });
    expect(next('.', [4, 6])).toMatchObject({ step: { change: { params: { after: 6 } } } });
  });

  it('param overrides that of the job in its place; the others are unchanged', () => {
    const next = after(paginatorWith({}, { after: 1, q: 'x' }), [4]);
    expect(next.kind === 'step' && Object.entries(next.step.change.params)).toEqual([
      ['after', 4],
      ['q', 'x'],
    ]);
  });

  it.each<[string, readonly Json[], Json]>([
    ['numeric strings count', ['12', 9, ' 11 '], 12],
    ['fractions are cut', [1.9, '1.2'], 1],
    ['negative fractions are cut towards zero', [-1.9], -1],
    ['numbers beyond 2^53 keep every digit', [9007199254740993n, 9007199254740992], 9007199254740993n],
    ['so do texts', ['9007199254740993', 9007199254740992], 9007199254740993n],
    ['the cursor can be 0', [0, -4], 0],
  ])('%s', (_, ids, expected) => {
    expect(cursorAfter(paginatorWith(), [ids])).toBe(expected);
  });

  it('an increment beyond 2^53 keeps every digit', () => {
    expect(cursorAfter(paginatorWith({ increment: 1 }), [[Number.MAX_SAFE_INTEGER]])).toBe(9007199254740992n);
    expect(cursorAfter(paginatorWith({ increment: -1 }), [[9007199254740993n]])).toBe(9007199254740992n);
  });

  it.each<[Json, string]>([
    ['abc', '"abc"'],
    ['', '""'],
    [null, 'null'],
    [true, 'true'],
    [[1], '[1]'],
    [{ a: 9007199254740993n }, '{"a":9007199254740993}'],
  ])('refuses %p, with the path of the job and the value', (id, shown) => {
    const refused = (): Next => after(paginatorWith(), [1, id]);
    expect(refused).toThrow(FatalError);
    expect(refused).toThrow(
      `config.jobs[0]: Cursor value '${shown}' is not numeric. Every item needs a number at pagination.idKey "id".`,
    );
  });

  it('refuses an item without idKey', () => {
    const paginator = paginatorWith({ idKey: 'seq' });
    expect(() => after(paginator, [1])).toThrow(/Cursor value 'null' is not numeric\..*"seq"/);
  });

  it.each<[string, Partial<Options>, readonly Json[], object | undefined]>([
    ['back', { reverse: true }, ['12.95', '9.80', '9.60'], { from: '9.60', to: 9 }],
    ['back, in any order', { reverse: true }, [9.6, 9.2, 9.4], { from: 9.2, to: 9 }],
    ['on from below zero', {}, [-9.5, -7.9], { from: -7.9, to: -7 }],
    ['on to zero', {}, [-0.5], { from: -0.5, to: 0 }],
    ['on by an increment', { increment: 1 }, [8, 9.6], { from: 9.6, to: 10 }],
    ['on behind a whole number', { increment: 1 }, [8.5, 9], undefined],
    ['on, behind an item that comes again', {}, [8, 9.6], undefined],
    ['on, behind a number that is whole', {}, [-7.9, -7], undefined],
    ['back to a number that is whole', { reverse: true }, [9.6, '9.0'], undefined],
    ['back by integers', { reverse: true }, [9, 8], undefined],
    ['back, to before the item', { reverse: true, increment: 1 }, [9.6], undefined],
  ])('tells of a fraction whose cut leads beyond the item: %s', (_, options, ids, cut) => {
    const next = after(paginatorWith(options), ids);
    expect(next.kind === 'step' ? next.cut : next).toEqual(cut);
  });

  /** An id as responses have them: a number, a bigint, or text. */
  const id: fc.Arbitrary<Json> = fc
    .tuple(fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n }), fc.boolean())
    .map(([value, asText]) => (asText ? value.toString() : jsonInteger(value)));
  const pagesOfIds = fc.array(fc.array(id, { minLength: 1, maxLength: 5 }), { minLength: 1, maxLength: 8 });

  it.each([false, true])('with reverse %p: the extreme of all items, however they are split into pages', (reverse) => {
    fc.assert(
      fc.property(pagesOfIds, (pages) => {
        const values = pages.flat().map((each) => BigInt(each as string | number | bigint));
        const expected = values.reduce((a, b) => (a < b === reverse ? a : b));
        expect(integerOf(cursorAfter(paginatorWith({ reverse }), pages))).toBe(expected);
        expect(cursorAfter(paginatorWith({ reverse }), [pages.flat()])).toBe(jsonInteger(expected));
      }),
    );
  });
});
