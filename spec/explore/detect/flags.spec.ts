/** Flags beside tokens, wherever they stand: pages end where they say so, and not before. */
import { firstValueFrom, toArray } from 'rxjs';
import { extract } from '../../../src';
import { discover } from '../../../src/explore/discover/discover';
import { COUNT, SHIPS } from './apis';
import { serve, type Serving } from './serve';

describe('paging by a token that the last page has as well', () => {
  let serving: Serving;
  afterEach(() => serving.close());

  /** Three items a page; behind the last page the API begins anew. */
  const api = (count: number, wrap: (items: readonly unknown[], isLast: boolean, next: string) => unknown) =>
    serve({
      path: '/ships',
      answer: ({ url }) => {
        const from = Number((url.searchParams.get('cursor') ?? 'c0').slice(1)) % count;
        const isLast = from + 3 >= count;
        return { body: wrap(SHIPS.slice(from, Math.min(from + 3, count)), isLast, `c${isLast ? count : from + 3}`) };
      },
    });
  const found = async () => {
    const { configuration, findings } = await discover({ method: 'GET', url: `${serving.origin}/ships`, headers: {} });
    const before = serving.requests();
    const items = await firstValueFrom(extract(configuration).items$.pipe(toArray()));
    return { items, asked: serving.requests() - before, paging: findings.find(({ about }) => about === 'paging') };
  };

  const WRAPS: readonly (readonly [string, (items: readonly unknown[], isLast: boolean, next: string) => unknown])[] = [
    ['meta.has_more', (ships, isLast, next_cursor) => ({ ships, meta: { has_more: !isLast, next_cursor } })],
    [
      'page.info.hasMore',
      (ships, isLast, cursor) => ({ ships, page: { info: { hasMore: !isLast, nextCursor: cursor } } }),
    ],
    ['meta.is_last', (ships, isLast, next_cursor) => ({ ships, meta: { is_last: isLast, next_cursor } })],
    ['has_more, of the response', (ships, isLast, next_cursor) => ({ ships, has_more: !isLast, next_cursor })],
  ];

  it.each(WRAPS)('ends where %s says so', async (_, wrap) => {
    serving = await api(COUNT, wrap);
    const { items, asked, paging } = await found();
    expect(paging).toMatchObject({ value: 'response.param', confidence: 'sure' });
    expect(items).toEqual(SHIPS);
    expect(asked).toBe(3);
  });

  it.each(WRAPS)('does not go on behind a first page of which %s says that it is all', async (_, wrap) => {
    serving = await api(2, wrap);
    const { items, asked } = await found();
    expect(items).toEqual(SHIPS.slice(0, 2));
    expect(asked).toBe(1);
  });

  it('ends where the token stays as it is and no items follow', async () => {
    serving = await serve({
      path: '/ships',
      answer: ({ url }) => {
        const from = Number((url.searchParams.get('cursor') ?? 'c0').slice(1));
        const ships = SHIPS.slice(from, from + 3);
        return { body: { ships, next_cursor: `c${Math.min(from + 3, COUNT)}` } };
      },
    });
    const { items, asked, paging } = await found();
    expect(paging).toMatchObject({ value: 'response.param', confidence: 'sure' });
    expect(items).toEqual(SHIPS);
    expect(asked).toBeLessThanOrEqual(5);
  });
});
