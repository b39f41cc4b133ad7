import fc from 'fast-check';
import { lastValueFrom, toArray } from 'rxjs';
import { extract } from '../../../src';
import { stringifyJson } from '../../../src/core/json/stringify';
import type { Json, JsonObject, Page } from '../../../src/core/model';
import { createProgressTracker } from '../../../src/run/state/progress';
import { isOutOfOrder } from '../../../src/sources/pagination/keyset';
import { runsOf } from '../../support/cases';
import { arrivalOf, chosenPagination, jobFacts } from '../../support/pagination';

const paging = (options: JsonObject) => chosenPagination({ method: 'keyset', ...options }).paginator(jobFacts());
const after = (options: JsonObject, items: readonly Json[], position: Json = null) => {
  const paginator = paging(options);
  return paginator.next(arrivalOf({ step: paginator.at(position), items }));
};
const AFTER = { key: 'id', param: 'after' };

describe('keyset: the next request', () => {
  it('has an array of scalars, as some APIs give the whole key of an item', () => {
    expect(after({ key: 'sort', param: 'after' }, [{ sort: [7, 'x', null] }])).toMatchObject({
      step: { change: { params: { after: [7, 'x', null] } } },
    });
  });
});

describe('keyset: what a page must be', () => {
  it('an item that is an array is told how its elements are named', () => {
    expect(() => after(AFTER, [[7, 'a']])).toThrow('The items are arrays: "$[0]" is the path of the first element.');
    expect(after({ ...AFTER, key: '$[0]' }, [[7, 'a']])).toMatchObject({ kind: 'step', step: { position: 7 } });
  });

  it('items that are sorted by something else are an error', () => {
    for (const options of [AFTER, { ...AFTER, inclusive: true }])
      expect(() => after(options, [{ id: 1 }, { id: 3 }, { id: 2 }])).toThrow(
        'its items are not in the order of their keys',
      );
  });

  it('a page on the other side of the key is an error', () => {
    expect(() => after(AFTER, [{ id: 9 }, { id: 8 }, { id: 7 }], 6)).toThrow('not in the order of their keys');
    expect(() => after(AFTER, [{ id: 1 }, { id: 2 }, { id: 3 }], 6)).toThrow('not in the order of their keys');
    expect(after(AFTER, [{ id: 5 }, { id: 4 }], 6)).toMatchObject({ kind: 'step' });
    expect(after(AFTER, [{ id: 7 }, { id: 8 }], 6)).toMatchObject({ kind: 'step' });
  });

  it.each([
    ['at the end of a page', [{ id: 7 }, { id: 8 }, { id: 8 }]],
    ['before its end', [{ id: 7 }, { id: 7 }, { id: 8 }]],
  ])('equal keys %s are an error, for a page may end between such items, unless there is one only', (_, items) => {
    const equal = 'it has items with equal keys';
    expect(() => after({ ...AFTER, limit: 3 }, items)).toThrow(equal);
    expect(() => after(AFTER, items)).toThrow(equal);
    expect(() => after({ ...AFTER, limit: 4 }, items, 6)).toThrow(equal);
    expect(after({ ...AFTER, limit: 4 }, items)).toMatchObject({ kind: 'stop' });
    expect(after({ ...AFTER, limit: 3, inclusive: true }, items)).toMatchObject({ kind: 'step' });
  });

  it('a page with the key that it was to begin behind is an error', () => {
    expect(() => after(AFTER, [{ id: 7 }, { id: 8 }], 7)).toThrow(
      'If the API begins at the key, set "inclusive": true',
    );
    expect(() => after(AFTER, [{ id: 7 }], 7)).toThrow('pagination does not advance');
  });
});

describe('inclusive pages, of which items change with each request', () => {
  const at = (key: string, ...signs: number[]) => signs.map((sign) => ({ k: key, sign }));
  const paged = (limit: number | undefined, first: readonly Json[], second: readonly Json[]): readonly number[] => {
    const size = limit === undefined ? {} : { limit };
    const { next, repeated, first: step } = paging({ key: 'k', param: 'from', inclusive: true, ...size });
    const after = next(arrivalOf({ step, items: first }));
    if (after.kind === 'stop') throw new Error(after.because);
    return repeated?.(arrivalOf({ step: after.step, items: second })) ?? [];
  };

  it.each<[string, number | undefined, readonly Json[], readonly Json[], readonly number[]]>([
    ['the only one with its key', 2, [...at('a', 1), ...at('b', 1)], [...at('b', 2), ...at('c', 2)], [0]],
    ['on a last page', 2, [...at('a', 1), ...at('b', 1)], at('b', 2), [0]],
    ['without a limit', undefined, [...at('a', 1), ...at('b', 1)], at('b', 2), [0]],
    ['two with one key', 3, [...at('a', 1), ...at('b', 1, 2)], [...at('b', 3, 4), ...at('c', 1)], [0, 1]],
    ['another with its key', 3, [...at('a', 1, 2), ...at('b', 1)], [...at('b', 1, 2), ...at('c', 1)], [0]],
    ['a full page of one key, in no order', 2, at('b', 1, 2), at('b', 3, 4), []],
  ])('%s', (_, limit, first, second, dropped) => {
    expect(paged(limit, first, second)).toEqual(dropped);
  });

  it('are an error where nothing tells which of them have come', () => {
    const second = [...at('b', 2, 3), ...at('c', 1)];
    expect(() => paged(3, [...at('a', 1, 2), ...at('b', 1)], second)).toThrow('have changed since the page before');
  });
});

/** An API that sorts by a key, in this process. */
const serving =
  (items: readonly JsonObject[], key: string, limit: number, isInclusive: boolean) =>
  (input: string | URL | Request): Promise<Response> => {
    const from = new URL(String(input instanceof Request ? input.url : input)).searchParams.get('from');
    const at =
      from === null
        ? 0
        : items.findIndex((item) =>
            isInclusive
              ? stringifyJson(item[key] ?? null) >= JSON.stringify(from)
              : stringifyJson(item[key] ?? null) > JSON.stringify(from),
          );
    const page = at < 0 ? [] : items.slice(at, at + limit);
    return Promise.resolve(
      new Response(JSON.stringify({ total: items.length, rows: page }), {
        headers: { 'content-type': 'application/json' },
      }),
    );
  };
const configOf = (options: object) => ({
  api: { baseUrl: 'https://api.example', pagination: { method: 'keyset', key: 'k', param: 'from', ...options } },
  config: { jobs: [{ endpoint: 'rows', dataField: 'rows' }] },
});
const pagesOf = (
  config: object,
  fetch: ReturnType<typeof serving>,
  progress = createProgressTracker().progress(),
): Promise<Page[]> =>
  lastValueFrom(extract(config, { fetch, resume: { startedAt: 1, progress } }).pages$.pipe(toArray()));
const linesOf = (pages: readonly Page[]): string =>
  pages.map(({ lines }) => Buffer.from(lines('<', '>')).toString()).join('');

describe('keyset over whole runs', () => {
  const rows = fc
    .array(fc.record({ k: fc.constantFrom('a', 'b', 'c', 'd', 'e'), n: fc.nat({ max: 3 }) }), { maxLength: 14 })
    .map((all) => all.sort((x, y) => (x.k < y.k ? -1 : x.k > y.k ? 1 : 0)));
  const mostEqual = (items: readonly JsonObject[]): number =>
    Math.max(0, ...items.map(({ k }) => items.filter((other) => other['k'] === k).length));

  it('inclusive: each item once, equal keys and equal items among them, or an error; and on after any page', async () => {
    await fc.assert(
      fc.asyncProperty(rows, fc.integer({ min: 2, max: 6 }), fc.boolean(), async (items, size, isSent) => {
        const fetch = serving(items, 'k', size, true);
        const config = configOf({ inclusive: true, ...(isSent ? { limit: size } : {}) });
        const wanted = items.map((item) => `<${JSON.stringify(item)}>\n`).join('');
        const pages = await pagesOf(config, fetch).catch((error: unknown) => error as Error);
        if (pages instanceof Error) {
          expect(pages.message).toContain('more items have equal keys than a page holds');
          expect(mostEqual(items)).toBeGreaterThanOrEqual(isSent ? size : 2);
          return;
        }
        expect(linesOf(pages)).toBe(wanted);
        expect(pages.flatMap((page) => page.items)).toEqual(items);
        expect(pages.reduce((sum, { count }) => sum + count, 0)).toBe(items.length);
        const book = createProgressTracker();
        for (const [index, { checkpoint }] of pages.entries()) {
          book.add(checkpoint);
          const rest = await pagesOf(config, fetch, book.progress()).catch(() => []);
          expect(linesOf(rest)).toBe(linesOf(pages.slice(index + 1)));
        }
      }),
      { numRuns: runsOf(60) },
    );
  });

  it('inclusive: pages are compared as they were sent, not by the items that are left of them', async () => {
    const items = [
      { k: 'a', n: 0 },
      { k: 'b', n: 0 },
      { k: 'e', n: 3 },
      { k: 'e', n: 3 },
    ];
    for (const size of [2, 3]) {
      const pages = await pagesOf(configOf({ inclusive: true }), serving(items, 'k', size, true)).catch(
        (error: unknown) => (error as Error).message,
      );
      if (typeof pages === 'string')
        expect([size, pages]).toEqual([2, expect.stringContaining('more items have equal')]);
      else expect([size, pages.flatMap((page) => page.items)]).toEqual([3, items]);
    }
  });

  const numbered = Array.from({ length: 7 }, (_, at) => ({ k: `k${at}` }));

  it('a page that is not full is not the end where the API counts more', async () => {
    const pages = await pagesOf(configOf({ limit: 5, total: 'total' }), serving(numbered, 'k', 2, false));
    expect(pages.flatMap(({ items }) => items)).toEqual(numbered);
  });

  it('an API that ignores the key, or begins at it, ends the run with an error', async () => {
    await expect(
      pagesOf(configOf({}), () => serving(numbered, 'k', 3, false)('https://api.example/')),
    ).rejects.toThrow();
    await expect(pagesOf(configOf({}), serving(numbered, 'k', 3, true))).rejects.toThrow('set "inclusive": true');
  });

  it('an inclusive page full of equal keys is an error, not the end', async () => {
    const equal = Array.from({ length: 4 }, (_, n) => ({ k: 'a', n }));
    for (const options of [{ limit: 3 }, {}])
      await expect(pagesOf(configOf({ inclusive: true, ...options }), serving(equal, 'k', 3, true))).rejects.toThrow(
        'more items have equal keys than a page holds',
      );
  });
});

describe('the order of keys', () => {
  it.each<[readonly Json[], boolean]>([
    [[], false],
    [[1], false],
    [[1, 2, 2, 9], false],
    [[9, 2, 2, 1], false],
    [[1, 3, 2], true],
    [['2024-01-01', '2024-01-03', '2024-01-02'], true],
    [['2024-01-03T10:00:00Z', '2024-01-03T09:00:00Z'], false],
    // Which of them comes first depends on the alphabet of the API, or on whether it compares them as numbers.
    [['a', 'B', 'c'], false],
    [['30.01.2024', '31.01.2024', '01.02.2024', '02.02.2024'], false],
    [['2024-10-27T02:30:00+02:00', '2024-10-27T02:10:00+01:00', '2024-10-27T02:40:00+01:00'], false],
    [['-3', '-2', '-1', '10'], false],
    [['2024-10-27T02:30:00Z', '2024-10-27T02:10:00Z', '2024-10-27T02:40:00Z'], true],
    [['9', '10', '8'], false],
    [['n1', 'n3', 'n2'], false],
    // Of several values each may have a direction of its own.
    [
      [
        [1, 'b'],
        [1, 'a'],
        [2, 'z'],
      ],
      false,
    ],
    [[[1], [3], [2]], true],
  ])('%j is out of order: %s', (keys, expected) => {
    expect(isOutOfOrder(keys)).toBe(expected);
  });
});
