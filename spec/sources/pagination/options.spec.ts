import { configuration, faults, run, warnings } from '../../language/configuration/support';

function paginationOf(pagination: unknown): object {
  const read = run(configuration({ pagination })).api.pagination;
  if (read.kind === 'multiple') return read;
  return { method: read.pagination.method, ...read.pagination.options, stops: read.stops };
}
const faultsIn = (pagination: unknown) => faults(configuration({ pagination }));
const stops = {};

describe('pagination methods', () => {
  it('specification 4.3.1, language 5.3: offset with defaults', () => {
    expect(paginationOf({ method: 'offset', limit: '100' })).toEqual({
      method: 'offset',
      limit: 100,
      limitParam: 'limit',
      offsetParam: 'offset',
      firstPageParams: true,
      offsetFromJob: false,
      shortPage: 'last',
      parallel: 1,
      stops,
    });
  });

  it.each([undefined, null, '', 0, '0'])(
    'specification 4.3.1, language 5.3: offset needs a limit; %j is none',
    (limit) => {
      expect(faultsIn({ method: 'offset', limit })).toEqual([
        'api.pagination.limit: required: the page size; offset pagination counts with it',
      ]);
    },
  );

  it.each(['many', [1], 2.5])('language 5.3: a limit of %j is not an integer', (limit) => {
    expect(faultsIn({ method: 'offset', limit })[0]).toMatch(/^api\.pagination\.limit: expected an integer, found /);
  });

  it('specification 4.3.1: a limit below one could never page', () => {
    expect(faultsIn({ method: 'offset', limit: -5 })).toEqual([
      'api.pagination.limit: expected an integer of 1 or more, found -5; with such a page size pagination could never advance',
    ]);
  });

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

  it('language 5.4: pagenum with defaults; firstPage 0 is valid', () => {
    expect(paginationOf({ method: 'pagenum' })).toEqual({
      method: 'pagenum',
      pageParam: 'page',
      limitParam: 'limit',
      firstPage: 1,
      firstPageParams: true,
      shortPage: 'last',
      parallel: 1,
      stops,
    });
    expect(paginationOf({ method: 'pagenum', firstPage: '0', limit: '20' })).toMatchObject({ firstPage: 0, limit: 20 });
    expect(faultsIn({ method: 'pagenum', firstPage: 'one' })).toEqual([
      'api.pagination.firstPage: expected an integer, found a string of 3 characters',
    ]);
  });

  it('specification 4.3.2, language 5.5: response.url with defaults', () => {
    expect(paginationOf({ method: 'response.url' })).toEqual({
      method: 'response.url',
      urlKey: 'next_page',
      delimiter: '.',
      paramIsQuery: false,
      includeParams: false,
      relativeTo: 'endpoint',
      stops,
    });
  });

  it.each(['endpoint', 'base', 'request'])('specification 4.3.2 rule 1: relativeTo %s', (relativeTo) => {
    expect(paginationOf({ method: 'response.url', relativeTo })).toMatchObject({ relativeTo });
  });

  it('specification 4.3.2 rule 1: refuses another relativeTo', () => {
    expect(faultsIn({ method: 'response.url', relativeTo: 'bas' })).toEqual([
      'api.pagination.relativeTo: expected one of endpoint, base, request, found "bas"; did you mean "base"?',
    ]);
  });

  it('language 5.6: response.param with defaults', () => {
    expect(paginationOf({ method: 'response.param', responseParam: 'next', queryParam: 'page' })).toEqual({
      method: 'response.param',
      responseParam: 'next',
      queryParam: 'page',
      includeParams: undefined,
      stops,
    });
    expect(faultsIn({ method: 'response.param' })).toEqual([
      'api.pagination.responseParam: required: the path in the response of the value for the next page; or responseHeader, the name of the header that has it',
      'api.pagination.queryParam: required: the name of the parameter that carries this value',
    ]);
  });

  it('docs/extensions/response-headers.md: response.param takes responseHeader or responseParam', () => {
    const param = { method: 'response.param', queryParam: 'page' };
    expect(paginationOf({ ...param, responseHeader: 'X-Next', responseParam: '' })).toEqual({
      ...param,
      responseHeader: 'X-Next',
      includeParams: undefined,
      stops,
    });
    expect(faultsIn({ ...param, responseHeader: 'X-Next', responseParam: 'next' })).toEqual([
      'api.pagination.responseHeader: cannot stand beside responseParam: the value for the next page comes from one of them',
    ]);
    expect(faultsIn({ method: 'response.param', responseHeader: ['X-Next'] })).toEqual([
      'api.pagination.responseHeader: expected a string, found an array',
      'api.pagination.queryParam: required: the name of the parameter that carries this value',
    ]);
    expect(warnings(configuration({ pagination: { ...param, responseHeader: 'X-Next', limit: 3 } }))).toEqual([
      'api.pagination.limit: has no effect with method response.param: it is an option of keyset, offset, pagenum',
    ]);
  });

  it('docs/extensions/response-headers.md: response.link with defaults', () => {
    expect(paginationOf({ method: 'response.link' })).toEqual({
      method: 'response.link',
      rel: 'next',
      includeParams: false,
      relativeTo: 'request',
      stops,
    });
    expect(faultsIn({ method: 'respons.link', rel: [] })).toEqual([
      expect.stringContaining('did you mean "response.link"?'),
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
    expect(faultsIn({ ...param, scrollRequest: 'scroll' })).toEqual([
      'api.pagination.scrollRequest: expected an object like a job, with endpoint, method or params, found a string of 6 characters',
    ]);
  });

  it('language 5.7: cursor with defaults', () => {
    expect(paginationOf({ method: 'cursor', idKey: 'id', param: 'after' })).toEqual({
      method: 'cursor',
      idKey: 'id',
      param: 'after',
      increment: 0,
      reverse: false,
      stops,
    });
    expect(paginationOf({ method: 'cursor', idKey: 'id', param: 'after', increment: '-1' })).toMatchObject({
      increment: -1,
    });
    expect(faultsIn({ method: 'cursor' })).toEqual([
      'api.pagination.idKey: required: the path in an item of the value to count by',
      'api.pagination.param: required: the name of the parameter that carries the cursor',
    ]);
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
