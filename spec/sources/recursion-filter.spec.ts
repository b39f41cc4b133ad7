import type { Item } from '../../src/core/model';
import { recursionFilter } from '../../src/sources/recursion-filter';

const passes = (filter: string, item: Item): boolean => recursionFilter(filter)(item);

describe('recursionFilter (language 6.7)', () => {
  it.each<[string, Item, boolean]>([
    ['a==1', { a: 1 }, true],
    ['a==1', { a: '1' }, true],
    ['a==1.0', { a: 1 }, false],
    ['a!=1', { a: 2 }, true],
    ['a.b==x', { a: { b: 'x' } }, true],
    ['a==1', { a: true }, true],
    ['a==9007199254740993', { a: 9007199254740993n }, true],
    ['a>9', { a: 10 }, true],
    ['a>9', { a: '10' }, true],
    ['a>9', { a: '1x' }, false],
    ['a<b', { a: 'a' }, true],
    ['a>=10', { a: 10 }, true],
    ['a<=10', { a: 10.5 }, false],
    ['a<1e3', { a: 999 }, true],
    ['a~~box%', { a: 'boxed' }, true],
    ['a~~box', { a: 'boxed' }, false],
    ['a~~%o%d', { a: 'boxed' }, true],
    ['a~~b.x', { a: 'box' }, false],
    ['a~~BOX', { a: 'box' }, false],
    ['a~~a%b', { a: 'a\nb' }, true],
    ['a~~ab%ba', { a: 'aba' }, false],
    ['a~~a%b%b', { a: 'ab' }, false],
    ['a~~a%b%b', { a: 'abxb' }, true],
    ['a~~%', { a: '' }, true],
    ['a~~%%a', { a: 'a' }, true],
    ['a~~%a%a%a%b', { a: 'a'.repeat(200_000) }, false],
    [`a~~${'%a'.repeat(8)}%b%`, { a: 'a'.repeat(200_000) }, false],
    ['a!~box%', { a: 'crate' }, true],
  ])('%s for %j is %p', (filter, item, expected) => {
    expect(passes(filter, item)).toBe(expected);
  });

  it.each<[string, Item]>([
    ['missing', {}],
    ['null', { owner: null }],
    ['false', { owner: false }],
    ['empty text', { owner: '' }],
  ])('an empty value passes for %s', (_, item) => {
    expect(passes('owner==', item)).toBe(true);
  });

  it.each<[string, boolean]>([
    ['a==x', false],
    ['a!=x', true],
    ['a~~%', false],
    ['a!~%', true],
    ['a>1', false],
    ['a<1', false],
  ])('%s for a list or an object is %p', (filter, expected) => {
    expect(passes(filter, { a: [1] })).toBe(expected);
    expect(passes(filter, { a: {} })).toBe(expected);
  });

  it.each<[Item, boolean]>([
    [{ size: 10, kind: 'crate' }, true],
    [{ size: 9, kind: 'crate' }, false],
    [{ size: 1, kind: 'box2' }, true],
  ])('& binds tighter than |: %j', (item, expected) => {
    expect(passes('size>=10&kind==crate|kind~~box%', item)).toBe(expected);
  });

  it('spaces belong to path and value', () => {
    expect(passes('a == 1', { 'a ': ' 1' })).toBe(true);
    expect(passes('a == 1', { a: 1 })).toBe(false);
  });

  it('the leftmost two-character operator counts, and the value ends at its second occurrence', () => {
    expect(passes('a>b==c', { 'a>b': 'c' })).toBe(true);
    expect(passes('a==b==c', { a: 'b' })).toBe(true);
    expect(passes('a>1>2', { a: 1.5 })).toBe(true);
  });
});
