/** What is ordinary is information, and no warning: every warning that a log has is an error with --strict (docs/completeness.md). */
import type { Log } from '../../src';
import { outcomesOf, rows } from '../support/completeness';
import type { Played } from '../support/completeness';

describe('a run that', () => {
  const play = outcomesOf();
  const OFFSET = { pagination: { method: 'offset', limit: 50 } };
  const CHILD = { endpoint: 'c/{id}', placeholders: { id: 'id' }, dataField: 'items', dataType: 'c' };
  const withChild = (child: object = {}): Played => ({
    jobs: [{ endpoint: 'parents', dataField: 'items', children: [{ ...CHILD, ...child }] }],
  });
  /** Parents, and those of them that have children. */
  const family =
    (full: readonly number[], parents = 3) =>
    ({ pathname }: URL): object => {
      if (pathname === '/parents') return { items: rows(1, parents) };
      return { items: full.includes(Number(pathname.slice(3))) ? rows(1, 2) : [] };
    };
  /** What a log has of it at two levels, and the code of the error that it is with `strict`. */
  async function told(
    answer: (url: URL) => unknown,
    played: Played,
  ): Promise<{ readonly warn: readonly string[]; readonly info: readonly string[]; readonly strict: unknown }> {
    const lines: string[][] = [];
    const logger: Log = { log: (level, message) => lines.push([level, message]) };
    const { error } = await play(answer, played, { logger });
    expect(error).toBeUndefined();
    const { error: strict } = await play(answer, played, { strict: true });
    const at = (level: string): readonly string[] =>
      lines.flatMap(([of, message = '']) =>
        of === level && /no data|had items|no items|nothing to request/.test(message) ? [message] : [],
      );
    return { warn: at('warn'), info: at('info'), strict };
  }
  const failed = expect.objectContaining({ code: 'WARNINGS' }) as unknown;

  it('ends its list with a page without items tells so as information', async () => {
    const answer = (url: URL): object => ({ items: Number(url.searchParams.get('offset')) === 0 ? rows(0, 50) : [] });
    expect(await told(answer, OFFSET)).toEqual({
      warn: [],
      info: ['dataField items contains no data!'],
      strict: undefined,
    });
  });

  it('gets nothing at all has a warning', async () => {
    expect(await told(() => ({ items: [] }), OFFSET)).toEqual({
      warn: ['dataField items contains no data!'],
      info: [],
      strict: failed,
    });
  });

  it('gets nothing has none where the API counts none', async () => {
    const { warn, strict } = await told(() => ({ items: [], total: 0 }), {
      ...OFFSET,
      jobs: [{ endpoint: 'items', dataField: 'items', total: 'total' }],
    });
    expect([warn, strict]).toEqual([[], undefined]);
  });

  it('asks only for what is new has none where there is nothing new', async () => {
    const job = { endpoint: 'items', dataField: 'items', incremental: { field: 'at', param: 'since' } };
    const { warn, strict } = await told(() => ({ items: [] }), { jobs: [job] });
    expect([warn, strict]).toEqual([[], undefined]);
  });

  it('has calls of a child without items counts them as information', async () => {
    expect(await told(family([2]), withChild())).toEqual({
      warn: [],
      info: ['c: 2 of 3 calls had no items.'],
      strict: undefined,
    });
  });

  it('has no call of a child with items has a warning', async () => {
    const { warn, info, strict } = await told(family([]), withChild());
    expect(warn).toEqual([
      expect.stringMatching(/^config\.jobs\[0\]\.children\[0\]: none of 3 calls of c had items\. /),
    ]);
    expect([info, strict]).toEqual([[], failed]);
  });

  it.each<[string, number, object]>([
    ['of a child that was called once', 1, {}],
    ['where the child asks only for what is new', 3, { incremental: { field: 'at', param: 'since' } }],
  ])('has no items %s has none', async (_, parents, child) => {
    const { warn, info, strict } = await told(family([], parents), withChild(child));
    expect([warn, info, strict]).toEqual([[], [`c: ${parents} of ${parents} calls had no items.`], undefined]);
  });
});
