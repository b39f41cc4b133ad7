/** Responses with a status of success that are errors (docs/completeness.md): no short result without a word. */
import { outcomesOf, rows } from '../support/completeness';

const play = outcomesOf();
const PAGES = { method: 'pagenum' };

const ERRORS: readonly [object][] = [
  [{ code: 429, msg: 'slow down', data: [] }],
  [{ code: 50001, message: 'busy', data: null }],
  [{ status: 500, items: [] }],
  [{ stat: 'fail', code: 100, message: 'Invalid API Key' }],
  [{ meta: { code: 429, error_type: 'OAuth' }, data: {} }],
  [{ header: { code: 1, error: true }, items: [] }],
  [{ isError: true, items: [] }],
  [{ hasErrors: true, items: [] }],
  [{ failed: true, items: [] }],
  [{ result: 'error', items: [] }],
  [{ retcode: -1, items: [] }],
  [{ message: 'Internal error' }],
  [{ detail: 'Not found.' }],
];

/** Without `dataField`, since the bodies have their items at several places. */
const jobs = [{ endpoint: 'items' }];

describe('an error with a status of success', () => {
  it.each(ERRORS)('in place of the first page: %j', async (body) => {
    const { error, codes, message } = await play(() => body, { pagination: PAGES, jobs });
    expect({ error, codes }).toMatchObject({ codes: ['ERROR_IN_BODY'] });
    expect(message).toContain('that it is an error');
  });

  it.each(ERRORS)('in place of a later page: %j', async (body) => {
    const answer = (url: URL): unknown => {
      const page = Number(url.searchParams.get('page') ?? 1);
      return page === 3 ? body : { items: page > 4 ? [] : rows(page * 10, 10) };
    };
    const { error, items } = await play(answer, { pagination: PAGES, jobs });
    expect(['INCOMPLETE', 'API_SHAPE']).toContain((error as { code?: string }).code);
    expect(items).toEqual(rows(10, 20));
  });

  it.each<[object]>([
    [{ reason: 'token expired', items: [] }],
    [{ status: 'OVER_QUERY_LIMIT', results: [] }],
    [{ message: 'Please come back tomorrow' }],
  ])('what may be one is a warning: %j', async (body) => {
    const { error, warnings, finished } = await play(() => body, { pagination: PAGES, jobs });
    expect(error).toBeUndefined();
    expect(warnings).toContainEqual(expect.stringMatching(/^INCOMPLETE .*seems to say with .* that it is an error/));
    expect(finished?.outcome).toBe('incomplete');
  });

  it.each<[object]>([
    [{ code: 0, message: 'ok', data: [] }],
    [{ status: 'success', items: [] }],
    [{ error: null, items: [] }],
    [{ errcode: 0, errmsg: 'ok', list: [] }],
    [{ message: 'No stations match', items: [] }],
  ])('an empty list in good order is complete: %j', async (body) => {
    const { error, warnings, finished } = await play(() => body, { pagination: PAGES, jobs });
    expect(error).toBeUndefined();
    expect(warnings.filter((warning) => warning.startsWith('INCOMPLETE'))).toEqual([]);
    expect(finished?.outcome).toBe('complete');
  });
});

describe('calls of a child', () => {
  const children = [{ endpoint: 'parents/{parent}/kids', placeholders: { parent: 'id' }, dataField: 'items' }];
  const runOf = (second: object) =>
    play(
      ({ pathname }) =>
        pathname === '/parents' ? { items: rows(1, 3) } : pathname.includes('/2/') ? second : { items: rows(7, 1) },
      { jobs: [{ endpoint: 'parents', dataField: 'items', children }] },
    );

  it.each<[object, string]>([
    [{ code: 500, msg: 'x', data: null }, 'says with "code"'],
    [{ message: 'Internal error' }, 'says with "message"'],
    [{ kids: [{ id: 5 }] }, 'had nothing at dataField "items", but items at "kids"'],
  ])('one that answers %j is a warning', async (second, text) => {
    const { error, warnings, finished } = await runOf(second);
    expect(error).toBeUndefined();
    expect(warnings).toContainEqual(expect.stringMatching(/^INCOMPLETE /));
    expect(warnings.join('\n')).toContain(text);
    expect(finished?.outcome).toBe('incomplete');
  });

  it('one without items is none', async () => {
    const { warnings, finished } = await runOf({ links: [] });
    expect(warnings.filter((warning) => warning.startsWith('INCOMPLETE'))).toEqual([]);
    expect(finished?.outcome).toBe('complete');
  });

  it('where all have their items elsewhere, it is said once', async () => {
    const { codes, warnings } = await play(
      ({ pathname }) => (pathname === '/parents' ? { items: rows(1, 3) } : { kids: rows(7, 1) }),
      { jobs: [{ endpoint: 'parents', dataField: 'items', children }] },
    );
    expect(codes).toEqual(['DATA_NOT_FOUND']);
    expect(warnings.filter((warning) => warning.startsWith('INCOMPLETE'))).toEqual([]);
  });
});
