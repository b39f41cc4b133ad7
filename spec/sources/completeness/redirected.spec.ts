/** Responses that are not what was asked for, although their status is one of success (docs/completeness.md). */
import { losesPosition } from '../../../src/sources/completeness/redirected';
import { json, redirectTo } from '../../support/answers';
import { outcomesOf, rows } from '../../support/completeness';

describe('led elsewhere', () => {
  const play = outcomesOf();
  const OFFSET = { method: 'offset', limit: 10 };
  const offsetOf = (url: URL): number => Number(url.searchParams.get('offset') ?? 0);
  const incomplete = (warnings: readonly string[]): readonly string[] =>
    warnings.filter((warning) => warning.startsWith('INCOMPLETE'));

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

    it('of a POST is not asked again, and a warning', async () => {
      const jobs = [{ endpoint: 'items', method: 'POST', dataField: 'items' }];
      const { error, warnings, requests } = await play(soon(9), { jobs });
      expect(error).toBeUndefined();
      expect(incomplete(warnings)).toHaveLength(1);
      expect(requests).toHaveLength(1);
    });
  });

  describe('a redirect', () => {
    it.each<[string, unknown]>([
      ['nothing', {}],
      ['an empty list', { items: [] }],
    ])('that leads a later page to another path with %s is a warning', async (_, body) => {
      const answer = (url: URL): unknown => {
        if (url.pathname === '/home') return body;
        return offsetOf(url) === 20 ? redirectTo('/home') : { items: rows(offsetOf(url), 10) };
      };
      const { warnings, finished } = await play(answer, { pagination: OFFSET, jobs: [{ endpoint: 'items' }] });
      expect(incomplete(warnings).join()).toContain('a redirect led to another path');
      expect(finished?.outcome).toBe('incomplete');
    });

    it('that leads a first page to a body without a list is a warning', async () => {
      const { warnings, finished } = await play((url) => (url.pathname === '/home' ? {} : redirectTo('/home')), {});
      expect(incomplete(warnings)).toHaveLength(1);
      expect(finished?.outcome).toBe('incomplete');
    });

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
      expect(incomplete(warnings)).toEqual([]);
      expect(finished?.outcome).toBe('complete');
    });

    it.each([301, 302, 303])('%i that makes a GET of a POST is a warning', async (status) => {
      const answer = (url: URL): unknown =>
        url.pathname === '/items' ? redirectTo('/v2/items', status) : { items: rows(0, 3) };
      const jobs = [{ endpoint: 'items', method: 'POST', params: { all: true }, dataField: 'items' }];
      const { warnings, finished } = await play(answer, { jobs });
      expect(incomplete(warnings)).toEqual([expect.stringContaining('became a GET without its body')]);
      expect(finished?.outcome).toBe('complete');
    });

    it.each([307, 308])('%i keeps the body', async (status) => {
      const answer = (url: URL): unknown =>
        url.pathname === '/items' ? redirectTo('/v2/items', status) : { items: rows(0, 3) };
      const jobs = [{ endpoint: 'items', method: 'POST', params: { all: true }, dataField: 'items' }];
      expect(incomplete((await play(answer, { jobs })).warnings)).toEqual([]);
    });
  });
});

/** Redirects that lose what a request asks for (docs/completeness.md), at real servers. */

describe('lost in redirect', () => {
  const play = outcomesOf();
  const incomplete = (warnings: readonly string[]): readonly string[] =>
    warnings.filter((warning) => warning.startsWith('INCOMPLETE'));

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

    it.each(['/items', '/items?limit=2', '/items?page=9'])('without the position is an error: %s', async (to) => {
      const { codes, message } = await play(
        leading(to, () => [{ id: 90 }]),
        { pagination },
      );
      expect(codes).toEqual(['REDIRECTED']);
      expect(message).toContain('Page 3 of items is not the one that was asked for');
    });

    it.each<[string, string, object[]]>([
      ['there are no items', '/items', []],
      ['other parameters may say the same', '/items?cursor=abc', [{ id: 90 }]],
    ])('without the position is a warning where %s', async (_, to, there) => {
      const { error, warnings, finished } = await play(
        leading(to, () => there),
        { pagination },
      );
      expect(error).toBeUndefined();
      expect(incomplete(warnings)).toEqual([
        expect.stringContaining('a redirect led to the same path without the position'),
      ]);
      expect(finished?.outcome).toBe('incomplete');
    });

    it('with the position is in order', async () => {
      const { error, warnings, items } = await play(
        leading('/items?p=3', () => rows(6, 2)),
        { pagination },
      );
      expect([error, incomplete(warnings), items.length]).toEqual([undefined, [], 10]);
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

  describe('a redirect of one call that has no items then', () => {
    const child = {
      endpoint: 'items',
      children: [{ endpoint: 'kids/{id}', dataType: 'kids', placeholders: { id: 'id' } }],
    };
    const kids =
      (to: string) =>
      (url: URL): unknown => {
        if (url.pathname === '/items') return json(rows(1, 3));
        if (url.pathname === '/kids/2') return redirectTo(to);
        return json(url.pathname.startsWith('/kids') ? [{ kid: url.pathname }] : []);
      };

    it.each(['/login', '/login?next=kids'])('is a warning for a child: %s', async (to) => {
      const { error, warnings, finished } = await play(kids(to), { jobs: [child] });
      expect(error).toBeUndefined();
      expect(incomplete(warnings)).toEqual([expect.stringContaining('a redirect led to what was not asked for')]);
      expect(finished?.outcome).toBe('incomplete');
    });

    it.each(['/v2/2', '/v2?parent=2', '/kids/1'])(
      'is in order where the list has moved, or has items: %s',
      async (to) => {
        expect(incomplete((await play(kids(to), { jobs: [child] })).warnings)).toEqual([]);
      },
    );

    const window = { from: '2024-01-01', to: '2024-01-05', step: '1 day' };
    const windows = { endpoint: 'items', params: { from: { window: 'from' } }, window };
    const days =
      (to: string) =>
      (url: URL): unknown => {
        const day = url.searchParams.get('from');
        if (day?.startsWith('2024-01-03') === true && url.pathname === '/items') return redirectTo(to);
        return json(day !== null && url.pathname === '/items' ? [{ id: day }] : []);
      };

    it.each(['/items', '/login'])('is a warning for a window: %s', async (to) => {
      const { warnings, finished } = await play(days(to), { jobs: [windows] });
      expect(incomplete(warnings)).toEqual([expect.stringContaining('a redirect led to what was not asked for')]);
      expect(finished?.outcome).toBe('incomplete');
    });

    it('is in order where the window is kept', async () => {
      expect(incomplete((await play(days('/v2/2024/01/03'), { jobs: [windows] })).warnings)).toEqual([]);
    });
  });
});
