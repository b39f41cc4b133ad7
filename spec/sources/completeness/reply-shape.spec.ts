/** Items that hold lists of which the API gave only the first page. */
import { outcomesOf } from '../../support/completeness';

const outcomeOf = outcomesOf();

const invoice = (id: number, isCut: unknown): object => ({
  id,
  tags: ['a'],
  lines: { object: 'list', data: [{ sku: 1 }], has_more: isCut },
});

describe('a list within items that is not whole', () => {
  it('is told with the number of such items, over all pages, and the run is no longer called complete', async () => {
    const { error, warnings, finished, items } = await outcomeOf(
      ({ searchParams }) =>
        searchParams.get('after') === '2'
          ? { data: [invoice(3, true), invoice(4, false)] }
          : { data: [invoice(1, true), invoice(2, false)], next: 2 },
      {
        pagination: { method: 'response.param', responseParam: 'next', queryParam: 'after' },
        jobs: [{ endpoint: 'invoices', dataField: 'data' }],
      },
    );
    expect(error).toBeUndefined();
    expect(items).toHaveLength(4);
    expect(warnings).toEqual([
      'INCOMPLETE config.jobs[0]: 2 items of invoices hold a list that is not whole: the API says with "lines.has_more" that ' +
        'there is more of it. Get the rest with a child job.',
    ]);
    expect(finished?.outcome).toBe('incomplete');
  });

  it('is only told where child jobs may get the rest', async () => {
    const { warnings, finished } = await outcomeOf(
      ({ pathname }) => (pathname === '/invoices' ? { data: [invoice(1, true)] } : { data: [{ sku: 1 }, { sku: 2 }] }),
      {
        jobs: [
          {
            endpoint: 'invoices',
            dataField: 'data',
            children: [{ endpoint: 'invoices/{id}/lines', placeholders: { id: 'id' }, dataField: 'data' }],
          },
        ],
      },
    );
    expect(warnings).toEqual([expect.stringContaining('"lines.has_more"')]);
    expect(finished?.outcome).toBe('complete');
  });

  it.each([
    ['a connection', { lines: { nodes: [1], pageInfo: { hasNextPage: true } } }, '"lines.pageInfo.hasNextPage"'],
    ['deep within', { a: [{ b: { edges: [], page_info: { has_next_page: true } } }] }, '"a.b.page_info.has_next_page"'],
    ['beside the list', { comments: [1], hasMore: true }, '"hasMore"'],
  ])('is found: %s', async (_, item, where) => {
    const { warnings } = await outcomeOf(() => ({ items: [item] }), {});
    expect(warnings).toEqual([
      expect.stringContaining(
        `INCOMPLETE config.jobs[0]: 1 item of items holds a list that is not whole: the API says with ${where}`,
      ),
    ]);
  });

  it.each([
    ['a flag that is false', invoice(1, false)],
    ['a flag that is a text', invoice(1, 'true')],
    ['a flag beside no list', { id: 1, has_more: true }],
    ['a flag in a text', { id: 1, tags: [], note: '"has_more": true' }],
    ['a flag of something else', { id: 1, tags: [], engine: { hasMore: true } }],
  ])('is not taken from %s', async (_, item) => {
    const { warnings, finished } = await outcomeOf(() => ({ items: [item] }), {});
    expect(warnings).toEqual([]);
    expect(finished?.outcome).toBe('complete');
  });

  it('is nothing where the job says that completeness is off, and an error where every warning is', async () => {
    const answer = (): object => ({ items: [invoice(1, true)] });
    const off = await outcomeOf(answer, {
      jobs: [{ endpoint: 'items', dataField: 'items', completeness: 'off' }],
    });
    expect(off.warnings).toEqual([]);
    const strict = await outcomeOf(answer, {}, { strict: true });
    expect(strict.error).toMatchObject({ code: 'WARNINGS' });
  });
});
