/** Flags of a next page that are texts (docs/completeness.md). */
import { outcomesOf, rows } from '../../support/completeness';

const play = outcomesOf();
const told = (warnings: readonly string[]): readonly string[] =>
  warnings.filter((warning) => warning.includes('which nextPageFlag reads'));

/** Three pages of three items, with a flag beside them. */
const pages =
  (flag: (page: number) => unknown, key = 'flag') =>
  (url: URL): unknown => {
    const page = Number(url.searchParams.get('page') ?? 1);
    return { [key]: flag(page), items: page > 3 ? [] : rows(page * 3, 3) };
  };
const flagged = (nextPageFlag: object): object => ({ method: 'pagenum', nextPageFlag });

describe('a flag that is a text', () => {
  it.each(['false', 'False', 'no', 'off', ' N '])('%j ends the pagination, which is worth a warning', async (text) => {
    const answer = pages(() => text);
    const { items, error, warnings, finished } = await play(answer, {
      pagination: flagged({ field: 'flag', stopOn: true }),
    });
    expect(error).toBeUndefined();
    expect(items).toHaveLength(3);
    expect(told(warnings)).toEqual([expect.stringContaining('items may be missing')]);
    expect(finished?.outcome).toBe('incomplete');
  });

  it('is told of at a path, and where the pagination does not end by it', async () => {
    const answer = pages(() => ({ more: 'false' }), 'meta');
    const { items, warnings } = await play(answer, { pagination: flagged({ path: 'meta.more', stopOn: false }) });
    expect(items).toHaveLength(9);
    expect(told(warnings)).toEqual([expect.stringContaining('does not end by it')]);
  });

  it('can be left alone, as the warning says', async () => {
    const answer = pages(() => 'false');
    const { items, warnings } = await play(answer, { pagination: { method: 'pagenum', stopWhenEmpty: true } });
    expect(items).toHaveLength(9);
    expect(told(warnings)).toEqual([]);
  });

  it.each<[string, (page: number) => unknown, boolean]>([
    ['a boolean', (page) => page < 3, false],
    ['a number', (page) => (page < 3 ? 1 : 0), false],
    ['"0" and "1"', (page) => (page < 3 ? '1' : '0'), false],
    ['a token', (page) => (page < 3 ? 'northern' : ''), false],
  ])('that counts as it is meant is worth none: %s', async (_, flag, stopOn) => {
    const { items, warnings } = await play(pages(flag), { pagination: flagged({ field: 'flag', stopOn }) });
    expect(items).toHaveLength(9);
    expect(told(warnings)).toEqual([]);
  });
});
