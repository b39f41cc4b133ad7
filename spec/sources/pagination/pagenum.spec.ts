import type { JsonObject } from '../../../src/core/model';
import { pagenum } from '../../../src/sources/pagination/pagenum';
import type { Next, Paginator } from '../../../src/language/parts/pagination/paginator';
import { arrivalOf, jobFacts } from '../../support/pagination';

type Options = Parameters<typeof pagenum.paginator>[0];
const defaults: Options = {
  pageParam: 'page',
  limitParam: 'limit',
  firstPage: 1,
  firstPageParams: true,
  shortPage: 'last',
  parallel: 1,
};
const paginatorWith = (options: Partial<Options> = {}, params: JsonObject = {}): Paginator =>
  pagenum.paginator({ ...defaults, ...options }, jobFacts({ params }));

const after = (paginator: Paginator, count: number, step = paginator.first): Next =>
  paginator.next(arrivalOf({ step, items: Array.from({ length: count }, (_, at) => at) }));

/** The parameters of the first pages, each of them full. */
function sent(paginator: Paginator, pages: number): JsonObject[] {
  const all = [paginator.first.change.params];
  for (let step = paginator.first; all.length < pages;) {
    const next = after(paginator, 1000, step);
    if (next.kind === 'stop') break;
    step = next.step;
    all.push(step.change.params);
  }
  return all;
}

describe('language 5.4 pagenum', () => {
  it('the pages are 1, 2, 3, …; without a page size none is sent', () => {
    expect(sent(paginatorWith(), 3)).toEqual([{ page: 1 }, { page: 2 }, { page: 3 }]);
  });

  it('pageParam, limit and limitParam: each request carries page and page size, in this order', () => {
    const all = sent(paginatorWith({ pageParam: 'p', limit: 2, limitParam: 'size' }), 2);
    expect(all.map((params) => Object.entries(params))).toEqual([
      [
        ['p', 1],
        ['size', 2],
      ],
      [
        ['p', 2],
        ['size', 2],
      ],
    ]);
  });

  it.each([0, 5, -1])('firstPage %i: the count begins there', (firstPage) => {
    expect(sent(paginatorWith({ firstPage }), 2)).toEqual([{ page: firstPage }, { page: firstPage + 1 }]);
  });

  it.each(['capped', 'filtered'] as const)('shortPage %s: only a page without items is the last one', (shortPage) => {
    const paginator = paginatorWith({ limit: 2, shortPage });
    expect(after(paginator, 1)).toMatchObject({ kind: 'step', step: { position: 2 } });
    expect(after(paginator, 0).kind).toBe('stop');
  });

  it('pageParam replaces a job parameter in its place', () => {
    const [params] = sent(paginatorWith({}, { page: 7, q: 'x' }), 1);
    expect(Object.entries(params ?? {})).toEqual([
      ['page', 1],
      ['q', 'x'],
    ]);
  });

  it('firstPageParams false: the first request has the job parameters alone, the second page firstPage + 1', () => {
    expect(sent(paginatorWith({ firstPageParams: false, limit: 2 }, { q: 'x', page: 9 }), 2)).toEqual([
      { q: 'x', page: 9 },
      { q: 'x', page: 2, limit: 2 },
    ]);
    expect(sent(paginatorWith({ firstPageParams: false, firstPage: 0 }), 2)).toEqual([{}, { page: 1 }]);
  });

  it('a job parameter named by limitParam is the page size, with and without limit', () => {
    const paginator = paginatorWith({ limit: 2 }, { limit: '3' });
    expect(sent(paginator, 1)).toEqual([{ limit: 3, page: 1 }]);
    expect(after(paginator, 2)).toMatchObject({ kind: 'stop' });
    expect(after(paginator, 3)).toMatchObject({ kind: 'step' });
    expect(after(paginatorWith({}, { limit: 3 }), 2)).toMatchObject({ kind: 'stop' });
  });

  it('a blank job parameter is no page size', () => {
    expect(sent(paginatorWith({ limit: 2 }, { limit: '' }), 1)).toEqual([{ limit: 2, page: 1 }]);
    expect(after(paginatorWith({}, { limit: 0 }), 1)).toMatchObject({ kind: 'step' });
  });

  it('without a page size: goes on after one item, stops after none', () => {
    expect(after(paginatorWith(), 1)).toMatchObject({ kind: 'step', step: { position: 2 } });
    expect(after(paginatorWith(), 0)).toEqual({ kind: 'stop', because: 'Pagination stopped, response is empty.' });
  });

  it.each([0, 1])('with a page size of 2: stops after %i items', (count) => {
    const because = 'Pagination stopped, response is smaller than limit.';
    expect(after(paginatorWith({ limit: 2 }), count)).toEqual({ kind: 'stop', because });
  });

  it.each([2, 3])('with a page size of 2: goes on after %i items', (count) => {
    expect(after(paginatorWith({ limit: 2 }), count)).toMatchObject({ kind: 'step', step: { position: 2 } });
  });

  it.each(['all', '1.5', '-1', true, { a: 1 }])('refuses %j as page size, with the path of the parameter', (limit) => {
    expect(() => paginatorWith({}, { limit })).toThrow(
      /^config\.jobs\[0\]\.params\.limit: pagination needs an integer/,
    );
  });
});
