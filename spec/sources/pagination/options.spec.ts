/** How options are read; contract.spec.ts has their defaults, and what is refused. */
import { configuration, run, warnings } from '../../language/configuration/support';

function paginationOf(pagination: unknown): object {
  const read = run(configuration({ pagination })).api.pagination;
  if (read.kind === 'multiple') return read;
  return { method: read.pagination.method, ...read.pagination.options, stops: read.stops };
}
const stops = {};

describe('pagination methods', () => {
  it.each([
    [false, false],
    [0, false],
    ['', false],
    ['0', false],
    [[], false],
    [null, true],
    [1, true],
    ['false', true],
  ])('language 0.2: a flag is true when not blank: firstPageParams %j is %s', (firstPageParams, expected) => {
    expect(paginationOf({ method: 'offset', limit: 1, firstPageParams })).toMatchObject({ firstPageParams: expected });
  });

  it.each([
    [{ method: 'offset', limit: '100' }, { limit: 100 }],
    [
      { method: 'pagenum', firstPage: '0', limit: '20' },
      { firstPage: 0, limit: 20 },
    ],
    [{ method: 'cursor', idKey: 'id', param: 'after', increment: '-1' }, { increment: -1 }],
  ])('an integer may be text: %j', (written, expected) => {
    expect(paginationOf(written)).toMatchObject(expected);
  });

  it.each(['endpoint', 'base', 'request'])('specification 4.3.2 rule 1: relativeTo %s', (relativeTo) => {
    for (const method of ['response.url', 'zendesk.response.url', 'response.link'])
      expect(paginationOf({ method, relativeTo })).toMatchObject({ relativeTo });
  });

  it('docs/language/pagination/response.link.md: response.param takes responseHeader beside a responseParam that is blank', () => {
    const param = { method: 'response.param', queryParam: 'page' };
    expect(paginationOf({ ...param, responseHeader: 'X-Next', responseParam: '' })).toEqual({
      ...param,
      responseHeader: 'X-Next',
      includeParams: undefined,
      stops,
    });
  });

  it('an option of other methods has no effect, with a warning', () => {
    const param = { method: 'response.param', queryParam: 'page', responseHeader: 'X-Next', limit: 3 };
    expect(warnings(configuration({ pagination: param }))).toEqual([
      'api.pagination.limit: has no effect with method response.param: it is an option of keyset, offset, pagenum',
    ]);
    expect(warnings(configuration({ pagination: { method: 'response.link', urlKey: 'next' } }))).toEqual([
      expect.stringContaining('api.pagination.urlKey: has no effect with method response.link: it is an option of'),
    ]);
  });

  it('language 5.6: scrollRequest is an object like a job', () => {
    const param = { method: 'response.param', responseParam: 'next', queryParam: 'page' };
    expect(paginationOf({ ...param, scrollRequest: { endpoint: 'scroll', method: 'post', params: [] } })).toMatchObject(
      {
        scrollRequest: { endpoint: 'scroll', method: 'POST', params: {} },
      },
    );
  });

  it('language 5.8: zendesk.response.url has no delimiter option', () => {
    expect(paginationOf({ method: 'zendesk.response.url', delimiter: '|' })).toEqual({
      method: 'zendesk.response.url',
      urlKey: 'next_page',
      paramIsQuery: false,
      includeParams: false,
      relativeTo: 'endpoint',
      stops,
    });
  });
});
