/** Responses that are not what was asked for, although their status is one of success (docs/completeness.md). */
import { json, redirectTo } from '../../support/answers';
import { outcomesOf, rows } from '../../support/completeness';

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
