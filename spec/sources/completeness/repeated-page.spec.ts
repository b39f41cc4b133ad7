/** Pages that an API, or a cache on the way, gives in place of others (docs/completeness.md#what-is-an-error), at real servers. */
import { bytes, json } from '../../support/answers';
import { outcomesOf, rows } from '../../support/completeness';

describe('repeated pages', () => {
  const play = outcomesOf();
  const numberOf = (url: URL, name: string, otherwise = 0): number => Number(url.searchParams.get(name) ?? otherwise);
  const incomplete = (warnings: readonly string[]): readonly string[] =>
    warnings.filter((warning) => warning.startsWith('INCOMPLETE') || warning.startsWith('WINDOWS'));

  const SIZE = 3;
  const PAGES = 6;
  const KEPT = [{ endpoint: 'items', dataField: 'items', equalPages: 'keep' }];

  describe('a page that has the items of an earlier one, which is not the one before', () => {
    /** Six pages, of which one is given in place of another one. */
    const stale = (page: number, given: number, itemsOf = (from: number): object[] => rows(from, SIZE)) => {
      const shown = page === given ? 1 : page;
      return shown <= PAGES ? itemsOf(shown * SIZE) : [];
    };
    const next = (page: number): object => (page < PAGES ? { next: `/items?p=${page + 1}`, token: page + 1 } : {});

    it.each<[string, object, (url: URL) => object]>([
      ['pagenum', { method: 'pagenum', limit: SIZE }, (url) => ({ items: stale(numberOf(url, 'page'), 3) })],
      ['pagenum without a size', { method: 'pagenum' }, (url) => ({ items: stale(numberOf(url, 'page'), 3) })],
      [
        'pagenum, several at once',
        { method: 'pagenum', limit: SIZE, parallel: 4 },
        (url) => ({ items: stale(numberOf(url, 'page'), 3) }),
      ],
      ['offset', { method: 'offset', limit: SIZE }, (url) => ({ items: stale(numberOf(url, 'offset') / SIZE + 1, 3) })],
      [
        'an address',
        { method: 'response.url', urlKey: 'next' },
        (url) => ({ items: stale(numberOf(url, 'p', 1), 3), ...next(numberOf(url, 'p', 1)) }),
      ],
      [
        'a token',
        { method: 'response.param', responseParam: 'token', queryParam: 'p' },
        (url) => ({ items: stale(numberOf(url, 'p', 1), 3), ...next(numberOf(url, 'p', 1)) }),
      ],
    ])('is an error, and its items come once: %s', async (_, pagination, answer) => {
      const total = (url: URL): object => ({ ...answer(url), total: PAGES * SIZE });
      const jobs = [{ endpoint: 'items', dataField: 'items', total: 'total' }];
      const { codes, message, items } = await play(total, { pagination, jobs });
      expect(codes).toEqual(['PAGE_REPEATED']);
      expect(message).toContain('Page 3 of items has the same 3 items as a page before page 2');
      expect(items).toHaveLength(2 * SIZE);
      expect((await play(answer, { pagination })).codes).toEqual(['PAGE_REPEATED']);
      expect((await play(answer, { pagination, jobs: KEPT })).codes).toEqual([]);
    });

    it.each<[string, (from: number) => object[]]>([
      ['items have no id', (from) => rows(from, SIZE).map(({ id }) => ({ n: id }))],
      ['some have none', (from) => rows(from, SIZE).map(({ id }, at) => (at === 0 ? { n: id } : { id }))],
      ['there is one', (from) => rows(from, 1)],
    ])('is none where %s', async (_, itemsOf) => {
      const answer = (url: URL): object => ({ items: stale(numberOf(url, 'page'), 3, itemsOf) });
      expect((await play(answer, { pagination: { method: 'pagenum' } })).codes).toEqual([]);
    });

    it('is another one where long items differ in the middle of a page, and at its ends', async () => {
      const wide = 'x'.repeat(3000);
      const itemOf = (id: number): object => ({ about: wide, key: String(100 + id), more: wide });
      const answer = (url: URL): object => ({
        items: stale(numberOf(url, 'page'), 99, (from) => [itemOf(from), itemOf(1), itemOf(from + 1)]),
      });
      const { codes, items } = await play(answer, { pagination: { method: 'pagenum' } });
      expect([codes, items.length]).toEqual([[], PAGES * SIZE]);
    });

    it('is the end where all items have come that the API counts', async () => {
      const answer = (url: URL): object => {
        const page = numberOf(url, 'page');
        return { items: rows((page > 3 ? 1 : page) * SIZE, SIZE), total: 3 * SIZE };
      };
      const { codes, warnings, items } = await play(answer, { pagination: { method: 'pagenum' } });
      expect([codes, incomplete(warnings), items.length]).toEqual([[], [], 3 * SIZE]);
    });
  });

  describe('windows that begin with items of an earlier one', () => {
    const window = { from: '2024-01-01', to: '2024-01-06', step: '1 day' };
    const job = { endpoint: 'items', params: { from: { window: 'from' }, to: { window: 'to' } }, window };
    const dayOf = (url: URL): string => url.searchParams.get('from') ?? '';
    const itemsOf = (day: string): object[] => [{ id: `${day}a` }, { id: `${day}b` }, { id: `${day}c` }];
    const stale = (url: URL): unknown => json(itemsOf(dayOf(url) === '2024-01-03' ? '2024-01-01' : dayOf(url)));

    it('are a warning', async () => {
      const { error, warnings } = await play(stale, { jobs: [job] });
      expect(error).toBeUndefined();
      expect(incomplete(warnings)).toEqual([
        expect.stringContaining('config.jobs[0].window: a window of items begins with items of a window before'),
      ]);
    });

    it.each<[string, object, (url: URL) => unknown]>([
      ['each has its own', job, (url) => json(itemsOf(dayOf(url)))],
      ['equal items are right', { ...job, equalPages: 'keep' }, stale],
      ['items have no id', job, () => json([{ n: 1 }, { n: 2 }])],
    ])('are no matter where %s', async (_, own, answer) => {
      expect((await play(answer, { jobs: [own] })).warnings.join()).not.toContain('a window before');
    });
  });
});

/** Pages that have items of the page before (docs/completeness.md#what-is-an-error), and more items than an API counts, at real servers. */

describe('pages overlap', () => {
  const play = outcomesOf();
  const numberOf = (url: URL, name: string, otherwise = 0): number => Number(url.searchParams.get(name) ?? otherwise);
  const incomplete = (warnings: readonly string[]): readonly string[] =>
    warnings.filter((warning) => warning.startsWith('INCOMPLETE'));

  const SIZE = 10;
  const ALL = 46;
  const from = (start: number): { id: number }[] => rows(start, SIZE).filter(({ id }) => id < ALL);
  const KEPT = [{ endpoint: 'items', dataField: 'items', equalPages: 'keep' }];

  describe('a full page that has most items of the page before', () => {
    it.each<[string, object, (url: URL) => object]>([
      [
        'the API counts items, and the pagination counts pages',
        { method: 'pagenum', pageParam: 'startAt', limitParam: 'maxResults', limit: SIZE, firstPage: 0 },
        (url) => ({ items: from(numberOf(url, 'startAt')), total: ALL }),
      ],
      ['the same without a page size', { method: 'pagenum' }, (url) => ({ items: from(numberOf(url, 'page')) })],
      [
        'the newest come first',
        { method: 'pagenum', limit: SIZE },
        (url) => ({ items: from(ALL - SIZE - numberOf(url, 'page')).reverse() }),
      ],
      [
        'they are in another order',
        { method: 'pagenum', limit: SIZE },
        (url) => ({ items: from(numberOf(url, 'page')).sort((a, b) => (b.id % 7) - (a.id % 7)) }),
      ],
    ])('is an error: %s', async (_, pagination, answer) => {
      const { codes, message, items } = await play(answer, { pagination });
      expect(codes).toEqual(['PAGES_OVERLAP']);
      expect(message).toMatch(/Page 2 of items has 9 of the 10 items of page 1/);
      expect(items).toHaveLength(SIZE);
      const kept = { ...pagination, forceStop: { pages: 4 } };
      expect((await play(answer, { pagination: kept, jobs: KEPT })).codes).toEqual([]);
    });

    it('is an error in CSV, too', async () => {
      const answer = (url: URL): unknown =>
        bytes(['id', ...from(numberOf(url, 'page')).map(({ id }) => id), ''].join('\n'), {
          'content-type': 'text/csv',
        });
      const { codes } = await play(answer, {
        pagination: { method: 'pagenum' },
        jobs: [{ endpoint: 'items', format: 'csv' }],
      });
      expect(codes).toEqual(['PAGES_OVERLAP']);
    });

    it('is none where items have no id', async () => {
      const answer = (url: URL): object => ({
        items: from(numberOf(url, 'page') * 5 - 5).map(({ id }) => ({ n: id })),
      });
      expect((await play(answer, { pagination: { method: 'pagenum' } })).codes).toEqual([]);
    });
  });

  describe('a page that begins with the last item of the page before', () => {
    /** One item is added at the beginning before each page but the first. */
    const growing = (itemOf = (id: number): object => ({ id })) => {
      let added = -1;
      return (url: URL): object => {
        added += 1;
        const at = numberOf(url, 'offset') - added;
        return {
          items: rows(at, SIZE)
            .filter(({ id }) => id < ALL)
            .map(({ id }) => itemOf(id)),
        };
      };
    };
    const pagination = { method: 'offset', limit: SIZE };

    it('is one warning, and the job is complete', async () => {
      const { error, warnings, finished } = await play(growing(), { pagination });
      expect(error).toBeUndefined();
      expect(incomplete(warnings)).toEqual([
        expect.stringMatching(/Page 2 of items begins with an item that page 1 had\. .* add/s),
      ]);
      expect(warnings.join()).not.toContain('more of its calls');
      expect(finished).toMatchObject({ outcome: 'complete' });
    });

    it('is no error where half of them were moved on', async () => {
      const answer = (url: URL): object => ({ items: from(numberOf(url, 'offset') / 2) });
      const { codes, warnings, items } = await play(answer, { pagination });
      expect([codes, incomplete(warnings).length, items.length]).toEqual([[], 1, 86]);
    });

    it('is no error where an item comes twice', async () => {
      const pages = [[{ id: 1 }, { id: 2 }], [{ id: 1 }, { id: 1 }], []];
      const answer = (url: URL): object => ({ items: pages[numberOf(url, 'page') - 1] ?? [] });
      expect((await play(answer, { pagination: { method: 'pagenum' } })).codes).toEqual([]);
    });

    it('is no matter where items have no id, or equal pages are kept', async () => {
      expect(
        incomplete(
          (
            await play(
              growing((n) => ({ n })),
              { pagination },
            )
          ).warnings,
        ),
      ).toEqual([]);
      expect(incomplete((await play(growing(), { pagination, jobs: KEPT })).warnings)).toEqual([]);
    });
  });

  describe('more items than a number that is not declared', () => {
    /** Pages of ten that begin with two of the page before. */
    const answer =
      (says: (page: number) => object) =>
      (url: URL): object => {
        const page = numberOf(url, 'page', 1);
        return { items: from((page - 1) * 8), ...says(page) };
      };
    const pagination = { method: 'pagenum', limit: SIZE };
    const exceeding = async (says: (page: number) => object, job: object = {}) => {
      const jobs = [{ endpoint: 'items', dataField: 'items', equalPages: 'keep', ...job }];
      const { warnings, finished, error } = await play(answer(says), { pagination, jobs });
      expect(error).toBeUndefined();
      expect(finished).toMatchObject({ outcome: 'complete' });
      return incomplete(warnings);
    };

    it('is a warning where it is the same on each page', async () => {
      expect(await exceeding(() => ({ total: ALL }))).toEqual([
        expect.stringMatching(/arrived on 6 pages, and the API counts only 46 \("total"\).*"total": "none"/),
      ]);
    });

    it.each<[string, (page: number) => object]>([
      ['it is that of pages', () => ({ total: 6 })],
      ['it is that of the items of a page', (page) => ({ total: page < 6 ? SIZE : 6 })],
      ['it is no larger than a page', () => ({ count: SIZE })],
      ['it is another one on some page', (page) => ({ total: page === 3 ? ALL - 1 : ALL })],
      ['there may be more', () => ({ hits: { total: { value: ALL, relation: 'gte' } } })],
    ])('is none where %s', async (_, says) => {
      expect(await exceeding(says)).toEqual([]);
    });

    it('is none where the job says that it is none', async () => {
      expect(await exceeding(() => ({ total: ALL }), { total: 'none' })).toEqual([]);
    });

    it('is none where it counts what several items come from', async () => {
      const orders = (url: URL): object => ({
        orders: rows(numberOf(url, 'page', 1) * 4, numberOf(url, 'page', 1) < 4 ? 4 : 0).map(({ id }) => ({
          lines: [{ id: `${id}a` }, { id: `${id}b` }],
        })),
        total: 12,
      });
      const jobs = [{ endpoint: 'items', dataField: '$.orders[*].lines[*]' }];
      const { warnings, items } = await play(orders, { pagination: { method: 'pagenum' }, jobs });
      expect([items.length, incomplete(warnings)]).toEqual([24, []]);
    });
  });

  describe('a total that one page alone gives', () => {
    const answer = (totalOf: (page: number) => number) => (url: URL) => {
      const page = numberOf(url, 'page', 1);
      return { items: page < 4 ? rows(page * 2, 2) : page === 4 ? rows(8, 1) : [], total: totalOf(page) };
    };
    const pagination = { method: 'pagenum', limit: 2 };
    const declared = [{ endpoint: 'items', dataField: 'items', total: 'total' }];

    it('counts where it is the largest, in the middle as well', async () => {
      const outlier = answer((page) => (page === 2 ? 20 : 7));
      const { error, warnings, finished } = await play(outlier, { pagination });
      expect(error).toBeUndefined();
      expect(incomplete(warnings)).toEqual([
        expect.stringContaining('the API counts 20 ("total"), and on other pages'),
      ]);
      expect(finished).toMatchObject({ outcome: 'incomplete' });
      expect((await play(outlier, { pagination, jobs: declared })).codes).toEqual(['TOTAL_NOT_REACHED']);
    });

    it('is no matter where the numbers are those of what is left', async () => {
      const left = answer((page) => 9 - 2 * page);
      for (const jobs of [undefined, declared]) {
        const { error, warnings } = await play(left, { pagination, ...(jobs === undefined ? {} : { jobs }) });
        expect([error, incomplete(warnings)]).toEqual([undefined, []]);
      }
    });
  });
});
