import fc from 'fast-check';
import type { Json } from '../../../src/core/model';
import { cursor } from '../../../src/sources/pagination/cursor';
import { integerOf, jsonInteger } from '../../../src/sources/response-values';
import type { Next, Paginator, Step } from '../../../src/language/parts/pagination/paginator';
import { arrivalOf, jobFacts } from '../../support/pagination';

type Options = Parameters<typeof cursor.paginator>[0];
const defaults: Options = { idKey: 'id', param: 'after', increment: 0, reverse: false };
const paginatorWith = (options: Partial<Options> = {}): Paginator =>
  cursor.paginator({ ...defaults, ...options }, jobFacts());

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
