/** Pages that an API, or a cache on the way, gives in place of others (docs/completeness.md#what-is-an-error), at real servers. */
import { json } from '../../support/answers';
import { outcomesOf, rows } from '../../support/completeness';

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
