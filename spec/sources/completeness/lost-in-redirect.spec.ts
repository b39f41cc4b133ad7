/** Redirects that lose what a request asks for (docs/completeness.md), at real servers. */
import { json, redirectTo } from '../../support/answers';
import { outcomesOf, rows } from '../../support/completeness';
import { losesPosition } from '../../../src/sources/completeness/lost-in-redirect';

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
