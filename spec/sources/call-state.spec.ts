import type { Json } from '../../src/core/model';
import { pagesLeft } from '../../src/sources/call-state';
import type { JobCounts } from '../../src/sources/call-state';
import { aResponse } from '../support/requests';

const progress = (changes: Partial<JobCounts> & { readonly data?: Json } = {}): JobCounts => {
  const { data, ...rest } = changes;
  const reply = data === undefined ? {} : { reply: { response: aResponse(), data } };
  return { pages: 0, items: 0, pageSize: 10, ...reply, ...rest };
};

describe('pagesLeft', () => {
  it('is unlimited without stops, and with those that only a page can tell', () => {
    expect(pagesLeft({ stops: [] }, progress())).toBe(Infinity);
    expect(pagesLeft({ stops: [{ nextPageFlag: { field: 'more', stopOn: false, ifNotSet: true } }] }, progress())).toBe(
      Infinity,
    );
    expect(pagesLeft({ stops: [{ forceStop: { seconds: 5, volume: 100 } }] }, progress())).toBe(Infinity);
  });

  it.each([
    [0, 0, 3],
    [1, 10, 2],
    [2, 20, 1],
    [5, 50, 1],
  ])('forceStop.pages 3 after %i pages', (pages, items, left) => {
    expect(pagesLeft({ stops: [{ forceStop: { pages: 3 } }] }, progress({ pages, items }))).toBe(left);
  });

  it.each([
    [0, 3],
    [10, 2],
    [20, 1],
    [25, 1],
    [5, 2],
  ])('limitStop.count 25 after %i items', (items, left) => {
    expect(pagesLeft({ stops: [{ limitStop: { count: 25 } }] }, progress({ items }))).toBe(left);
  });

  it('limitStop.field: as many as the last response tells, and the first page alone', () => {
    const stops = [{ limitStop: { path: 'pager.total' } }];
    expect(pagesLeft({ stops }, progress())).toBe(1);
    expect(pagesLeft({ stops }, progress({ data: { pager: { total: 95 } }, items: 10, pages: 1 }))).toBe(9);
    expect(pagesLeft({ stops }, progress({ data: { pager: { total: '41' } }, items: 20, pages: 2 }))).toBe(3);
    expect(pagesLeft({ stops }, progress({ data: { pager: {} }, items: 20, pages: 2 }))).toBe(1);
  });

  it('limitStop.header, and a total at either place: as many as the last response tells', () => {
    const reply = {
      response: aResponse({ headers: { 'content-range': 'items 0-9/95' } }),
      data: { pager: { total: 95 } },
    };
    const header = { header: 'content-range' };
    for (const job of [
      { stops: [{ limitStop: header }] },
      { stops: [], total: header },
      { stops: [], total: { path: 'pager.total' } },
    ]) {
      expect(pagesLeft(job, progress())).toBe(1);
      expect(pagesLeft(job, progress({ reply, items: 10, pages: 1 }))).toBe(9);
      expect(pagesLeft(job, progress({ reply, items: 95, pages: 10 }))).toBe(1);
    }
  });

  it('knows nothing of items without the size of a page', () => {
    expect(pagesLeft({ stops: [{ limitStop: { count: 25 } }] }, progress({ pageSize: undefined }))).toBe(1);
    expect(pagesLeft({ stops: [{ forceStop: { pages: 3 } }] }, progress({ pageSize: undefined }))).toBe(3);
  });

  it('of several stops, the nearest counts', () => {
    const stops = [{ forceStop: { pages: 7 }, limitStop: { count: 45 } }, { forceStop: { pages: 6 } }];
    expect(pagesLeft({ stops }, progress())).toBe(5);
  });
});
