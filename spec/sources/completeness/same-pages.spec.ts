import { parseJson } from '../../../src/core/json/parse';
import type { Json } from '../../../src/core/model';
import { seenIds, visitedPages } from '../../../src/sources/completeness/facts';
import { hasSameItems, isOfIds, losesPosition, printOf } from '../../../src/sources/completeness/same-pages';
import { itemsOf } from '../../../src/sources/items';
import type { FoundItems } from '../../../src/sources/items';
import { json, redirectTo } from '../../support/answers';
import { outcomesOf, rows } from '../../support/completeness';
import { aResponse } from '../../support/requests';

const found = (data: Json): FoundItems => itemsOf({ delimiter: '.' }, { response: aResponse(), data }, 'x');
const ofIds = (...ids: readonly Json[]): FoundItems => found(ids.map((id) => ({ id, n: 1 })));

describe('pages with the same items', () => {
  it.each<[string, boolean, Json, Json]>([
    ['equal ones', true, [{ id: 1, n: 2 }], [{ id: 1, n: 2 }]],
    ['one item more', false, [{ id: 1 }], [{ id: 1 }, { id: 2 }]],
    ['other digits', false, parseJson('[0.30000000000000000004]'), [0.3]],
    ['none', true, [], []],
  ])('%s: %s', (_, isEqual, one, other) => {
    expect(hasSameItems(found(one), found(other))).toBe(isEqual);
    if (isEqual) expect(printOf(found(one))).toBe(printOf(found(other)));
  });

  it('are certainly the same page where each item has an id of its own', () => {
    expect([ofIds(1, 2), ofIds(1, 1), ofIds(1, '1'), found([{ n: 1 }])].map(isOfIds)).toEqual([
      true,
      false,
      true,
      false,
    ]);
  });
});

describe('seenIds', () => {
  it('counts the items whose ids came before', () => {
    const { add, areKeys } = seenIds();
    expect(areKeys()).toBe(false);
    expect([ofIds(1, 2, 3), ofIds(3, 4), ofIds(5), ofIds(5), found([])].map(add)).toEqual([0, 1, 0, 1, 0]);
    expect(areKeys()).toBe(true);
  });

  it.each<[string, readonly FoundItems[]]>([
    ['items of a page share one', [ofIds(1, 2), ofIds(3, 3)]],
    ['all of a page came before', [ofIds(1, 2), ofIds(2, 1)]],
    ['an item has none', [ofIds(1, 2), found([{ n: 1 }])]],
  ])('counts nothing where %s', (_, pages) => {
    const { add, areKeys } = seenIds();
    expect([...pages, ofIds(1)].map(add).slice(1)).toEqual([0, 0]);
    expect(areKeys()).toBe(false);
  });
});

describe('seenIds of a job with a key', () => {
  it('are those of the items where the key is the id, also where a page repeats them', () => {
    const { add, areKeys } = seenIds(true);
    expect([ofIds(1, 2), ofIds(2, 1), ofIds(3, 3)].map(add)).toEqual([0, 2, 1]);
    expect(areKeys()).toBe(true);
  });

  it('say nothing where the key is another one', () => {
    const { add, areKeys } = seenIds(false);
    expect([ofIds(1, 2), ofIds(2, 3)].map(add)).toEqual([0, 0]);
    expect(areKeys()).toBe(false);
  });
});

describe('visitedPages', () => {
  it('counts how many pages in a row were there before', () => {
    const { again } = visitedPages();
    expect(['a', 'b', 'c', 'a', 'b', 'd', 'a'].map(again)).toEqual([0, 0, 0, 1, 2, 0, 1]);
  });

  it('finds a ring that begins after more pages than it remembers, within two rounds', () => {
    const { again } = visitedPages();
    for (let page = 0; page < 130_000; page += 1) again(`before ${page}`);
    const ring = 1000;
    let at = 0;
    while (again(`ring ${at % ring}`) === 0 && at < 200_000) at += 1;
    expect(at).toBeLessThan(132_000 + 2 * ring);
  });
});

/** Responses that are not what was asked for, although their status is one of success (docs/completeness.md). */
describe('led elsewhere', () => {
  const play = outcomesOf();
  const offsetOf = (url: URL): number => Number(url.searchParams.get('offset') ?? 0);

  describe('status 202', () => {
    const soon = (after: number, header = '0') => {
      let asked = 0;
      return (): unknown => ((asked += 1) <= after ? json({}, 202, { 'retry-after': header }) : { items: rows(0, 35) });
    };

    it('with Retry-After is asked again', async () => {
      const { items, error, requests } = await play(soon(2), {});
      expect(error).toBeUndefined();
      expect(items).toHaveLength(35);
      expect(requests).toHaveLength(3);
    });

    it('is an error where it stays so', async () => {
      const { codes, requests, message } = await play(soon(9), { api: { retryConfig: { maxRetries: 1 } } });
      expect(codes).toEqual(['NOT_READY']);
      expect(requests).toHaveLength(2);
      expect(message).toContain('not there yet');
    });

    it('is an error where it asks for more time than there is', async () => {
      const { error } = await play(soon(1, '86400'), {});
      expect(error).toMatchObject({ code: 'API_STATUS' });
    });

    it('without Retry-After is an error', async () => {
      const { codes, requests } = await play(() => json({ status: 'processing', items: [] }, 202), {});
      expect(codes).toEqual(['NOT_READY']);
      expect(requests).toHaveLength(1);
    });

    it('with items is as good as 200', async () => {
      const { items, error, requests } = await play(() => json({ items: rows(0, 3) }, 202, { 'retry-after': '1' }), {});
      expect(error).toBeUndefined();
      expect(items).toHaveLength(3);
      expect(requests).toHaveLength(1);
    });

    it('of a POST is not asked again, and an error, unless a rule says that nothing is to come', async () => {
      const jobs = [{ endpoint: 'items', method: 'POST', dataField: 'items' }];
      const { codes, requests } = await play(soon(9), { jobs });
      expect(codes).toEqual(['NOT_READY']);
      expect(requests).toHaveLength(1);
      const api = { http: { rules: [{ when: { status: 202 }, do: 'end' }] } };
      const { error, finished } = await play(soon(9), { jobs, api });
      expect([error, finished?.outcome]).toEqual([undefined, 'complete']);
    });
  });

  describe('a redirect', () => {
    it.each<[string, string, number]>([
      ['the list has moved, and is empty', '/v2/items', 0],
      ['the list has moved, and ends', '/v2/items', 15],
      ['there is a slash at its end', '/items/', 15],
    ])('is in order where %s', async (_, to, count) => {
      const answer = (url: URL): unknown =>
        url.pathname === '/items'
          ? redirectTo(`${to}${url.search}`)
          : { items: rows(0, count).slice(offsetOf(url), offsetOf(url) + 5) };
      const { error, items, warnings, finished } = await play(answer, { pagination: { method: 'offset', limit: 5 } });
      expect(error).toBeUndefined();
      expect(items).toHaveLength(count);
      const steady = count === 15 ? [expect.stringMatching(/^REDIRECTED_EACH/)] : [];
      expect(warnings.filter((warning) => !warning.startsWith('NO_DATA'))).toEqual(steady);
      expect(finished?.outcome).toBe('complete');
    });
  });
});

/** Redirects that lose what a request asks for (docs/completeness.md), at real servers. */

describe('lost in redirect', () => {
  const play = outcomesOf();

  describe('a redirect of a later page to the same path', () => {
    const pagination = { method: 'pagenum', limit: 2 };
    /** Five pages of two; the third one is redirected. */
    const leading =
      (to: string, there: (url: URL) => object[], third = '3') =>
      (url: URL): unknown => {
        const page = url.searchParams.get('page');
        if (page === third && url.searchParams.has('limit')) return redirectTo(to);
        return {
          items:
            page !== null && url.searchParams.has('limit')
              ? rows(Number(page) * 2, Number(page) < 6 ? 2 : 0)
              : there(url),
        };
      };

    it.each<[string, object[]]>([
      ['/items', [{ id: 90 }]],
      ['/items?limit=2', [{ id: 90 }]],
      ['/items?page=9', [{ id: 90 }]],
      ['/items?cursor=abc', [{ id: 90 }]],
      ['/items', []],
    ])('without the position is an error: %s, %j', async (to, there) => {
      const { codes, message } = await play(
        leading(to, () => there),
        { pagination },
      );
      expect(codes).toEqual(['REDIRECTED']);
      expect(message).toContain('A later page of items is not the one that was asked for');
    });

    it('without the position is what happened where it leads to the first page', async () => {
      const { codes } = await play((url) => (url.search === '' ? { items: rows(0, 2) } : redirectTo('/items')), {
        pagination: { ...pagination, firstPageParams: false },
      });
      expect(codes).toEqual(['REDIRECTED']);
    });

    it('with the position is in order', async () => {
      const { error, warnings, items } = await play(
        leading('/items?p=3', () => rows(6, 2)),
        { pagination },
      );
      expect([error, warnings.filter((warning) => !warning.startsWith('NO_DATA')), items.length]).toEqual([
        undefined,
        [],
        10,
      ]);
    });

    it.each<[string, string, boolean]>([
      ['https://a.example/items', 'https://a.example/items?page=3&key=x', true],
      ['https://a.example/items/', 'https://a.example/items?page=3', true],
      ['https://a.example/items?key=x', 'https://a.example/items?page=3&key=x', true],
      ['https://a.example/items?n=3', 'https://a.example/items?page=3&key=x', false],
      ['https://a.example/items/page/3', 'https://a.example/items?page=3', false],
      ['https://a.example/items', 'https://a.example/items?page=2&key=x', false],
    ])('%s, asked for as %s: %s', (url, asked, expected) => {
      const before = { url: 'https://a.example/items?page=2&key=x' };
      expect(losesPosition({ url, redirectedFrom: { url: asked } }, before)).toBe(expected);
      expect(losesPosition({ url: asked }, before)).toBe(false);
    });
  });
});
