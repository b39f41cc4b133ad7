import type { JsonObject } from '../../../src/core/model';
import { offset } from '../../../src/sources/pagination/offset';
import type { Paginator, Step } from '../../../src/language/parts/pagination/paginator';
import { arrivalOf, jobFacts } from '../../support/pagination';

type Options = Parameters<typeof offset.paginator>[0];
const defaults: Options = {
  limit: 2,
  limitParam: 'limit',
  offsetParam: 'offset',
  firstPageParams: true,
  offsetFromJob: false,
  shortPage: 'last',
  parallel: 1,
};
const paginatorWith = (options: Partial<Options> = {}, params: JsonObject = {}): Paginator =>
  offset.paginator({ ...defaults, ...options }, jobFacts({ params }));
const after = (paginator: Paginator, step: Step, count: number) =>
  paginator.next(arrivalOf({ step, items: Array.from({ length: count }, (_, at) => at) }));
/** The parameters of the first pages, all of them full but the last. */
function sent(paginator: Paginator, pages: number): JsonObject[] {
  const all = [paginator.first.change.params];
  let step = paginator.first;
  while (all.length < pages) {
    const next = after(paginator, step, 1000);
    if (next.kind === 'stop') break;
    step = next.step;
    all.push(step.change.params);
  }
  return all;
}

describe('specification 4.3.1 offset', () => {
  it('rule 1: the first request sends the page size and offset 0', () => {
    expect(sent(paginatorWith(), 1)).toEqual([{ limit: 2, offset: 0 }]);
  });

  it('rule 2: each following request increases the offset by the page size', () => {
    expect(sent(paginatorWith({ limit: 50 }), 4).map(({ offset: position }) => position)).toEqual([0, 50, 100, 150]);
  });

  it('rule 3: a job param named by limitParam overrides the page size', () => {
    const paginator = paginatorWith({ limitParam: 'count' }, { count: '3' });
    expect(sent(paginator, 2)).toEqual([
      { count: 3, offset: 0 },
      { count: 3, offset: 3 },
    ]);
    expect(after(paginator, paginator.first, 2).kind).toBe('stop');
  });

  it('rule 3: a blank job param does not', () => {
    expect(sent(paginatorWith({}, { limit: '' }), 1)).toEqual([{ limit: 2, offset: 0 }]);
  });

  it('rule 4: a job param named by offsetParam sets the start with offsetFromJob', () => {
    expect(sent(paginatorWith({ offsetFromJob: true }, { offset: '10' }), 2)).toEqual([
      { offset: 10, limit: 2 },
      { offset: 12, limit: 2 },
    ]);
  });

  it('rule 4: without a job param the offset starts at 0', () => {
    expect(sent(paginatorWith({ offsetFromJob: true }), 1)).toEqual([{ limit: 2, offset: 0 }]);
  });

  it('rule 4: without offsetFromJob that job param is ignored on every page', () => {
    expect(sent(paginatorWith({}, { offset: 10 }), 2)).toEqual([
      { offset: 0, limit: 2 },
      { offset: 2, limit: 2 },
    ]);
    expect(sent(paginatorWith({ firstPageParams: false, parallel: 1 }, { offset: 10, q: 1 }), 2)).toEqual([
      { q: 1 },
      { q: 1, limit: 2, offset: 2 },
    ]);
  });

  it.each([0, 1])('rule 5: stops after %i items of 2', (count) => {
    const paginator = paginatorWith();
    expect(after(paginator, paginator.first, count)).toEqual({
      kind: 'stop',
      because: 'Offset limit reached, stopping scrolling.',
    });
  });

  it.each([2, 3])('rule 5: goes on after %i items of 2', (count) => {
    const paginator = paginatorWith();
    expect(after(paginator, paginator.first, count)).toMatchObject({ kind: 'step', step: { position: 2 } });
  });

  it.each([
    ['capped', 1, 7],
    ['capped', 2, 8],
    ['capped', 3, 8],
    ['filtered', 1, 8],
    ['filtered', 2, 8],
  ] as const)('shortPage %s: behind %i items of 2 from 6 on follows %i', (shortPage, count, position) => {
    const paginator = paginatorWith({ shortPage });
    expect(after(paginator, paginator.at(6), count)).toMatchObject({ kind: 'step', step: { position } });
  });

  it.each(['capped', 'filtered'] as const)('shortPage %s: a page without items is the last one', (shortPage) => {
    const paginator = paginatorWith({ shortPage });
    expect(after(paginator, paginator.at(6), 0).kind).toBe('stop');
  });

  it('firstPageParams false: the first page is requested without the page parameters', () => {
    expect(sent(paginatorWith({ firstPageParams: false, parallel: 1 }, { q: 1 }), 2)).toEqual([
      { q: 1 },
      { q: 1, limit: 2, offset: 2 },
    ]);
  });

  it('firstPageParams false with offsetFromJob: the job param stays on the first page', () => {
    expect(sent(paginatorWith({ firstPageParams: false, offsetFromJob: true }, { offset: 5 }), 2)).toEqual([
      { offset: 5 },
      { offset: 7, limit: 2 },
    ]);
  });

  it('pagination parameters keep the place of the job parameters that they replace', () => {
    const [params] = sent(paginatorWith({}, { offset: 9, q: 1, limit: 3 }), 1);
    expect(Object.entries(params ?? {})).toEqual([
      ['offset', 0],
      ['q', 1],
      ['limit', 3],
    ]);
  });

  it('goes on from a position alone', () => {
    const paginator = paginatorWith();
    const next = after(paginator, { ...paginator.first, position: 6 }, 2);
    expect(next).toMatchObject({ step: { position: 8, change: { params: { offset: 8 } } } });
  });

  it.each(['all', '1.5', '-1', true, { a: 1 }])('refuses %j as page size, with the path of the parameter', (limit) => {
    expect(() => paginatorWith({}, { limit })).toThrow(
      /^config\.jobs\[0\]\.params\.limit: pagination needs an integer/,
    );
  });
});
