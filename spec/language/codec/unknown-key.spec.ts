import { configuration, faults, mistakes, warnings, withJob } from '../configuration/support';

const inPagination = (pagination: unknown) => configuration({ pagination });

describe('a key that means nothing and looks like one that does is refused', () => {
  it.each([
    ['api.pagniation', configuration({ pagniation: { method: 'offset', limit: 10 } }), 'pagination'],
    ['api.Pagination', configuration({ Pagination: {} }), 'pagination'],
    ['api.retry_config', configuration({ retry_config: {} }), 'retryConfig'],
    ['api.pagination.limitparam', inPagination({ method: 'offset', limit: 10, limitparam: 'size' }), 'limitParam'],
    ['api.pagination.nextpageflag', inPagination({ method: 'pagenum', nextpageflag: {} }), 'nextPageFlag'],
    ['api.pagination.forceStop.page', inPagination({ method: 'pagenum', forceStop: { page: 3 } }), 'pages'],
    ['api.pagination.methd', inPagination({ methd: 'offset' }), 'method'],
    ['api.authentication.typ', configuration({ authentication: { typ: 'basic' } }), 'type'],
    ['api.http.header', configuration({ http: { header: { A: 'b' } } }), 'headers'],
    ['api.http.defaultOptions.param', configuration({ http: { defaultOptions: { param: {} } } }), 'params'],
    ['config.http.Headers', configuration({}, { http: { Headers: { A: 'b' } } }), 'headers'],
    ['config.jobs[0].header', withJob({ header: {} }), 'headers'],
    ['config.jobs[0].dataFeild', withJob({ dataFeild: 'data' }), 'dataField'],
    ['config.jobs[0].datafield', withJob({ datafield: 'data' }), 'dataField'],
    ['config.jobs[0].dataField.delimeter', withJob({ dataField: { path: 'a', delimeter: '/' } }), 'delimiter'],
    [
      'config.jobs[0].children[0].placeholder',
      withJob({ children: [{ endpoint: 'x/{id}', placeholder: { id: 'id' } }] }),
      'placeholders',
    ],
    ['iteration', configuration({}, {}, { iteration: [{ a: 1 }] }), 'iterations'],
    ['cache.tll', configuration({}, {}, { cache: { tll: 5 } }), 'ttl'],
    [
      'image_parameters.allowedHosts',
      configuration({}, {}, { image_parameters: { allowedHosts: [{ host: 'h' }] } }),
      'allowed_hosts',
    ],
  ])('%s', (path, input, meant) => {
    const line = `${path}: has no effect: unknown key; did you mean "${meant}"?`;
    expect(mistakes(input)).toEqual([line]);
    expect(warnings(input)).toContain(line);
  });

  it.each([
    ['api.header', configuration({ header: {} }), 'it belongs to api.authentication'],
    ['config.jobs[0].pagniation', withJob({ pagniation: {} }), 'did you mean "pagination"? It belongs to api'],
    ['config.jobs[0].urlKey', withJob({ urlKey: 'next' }), 'it belongs to api.pagination'],
    ['api["pagination.method"]', configuration({ 'pagination.method': 'offset' }), '"method" inside "pagination"'],
    ['api.sinks', configuration({ sinks: ['duckdb:x'] }), 'it belongs to config'],
    ['api.http.Authorization', configuration({ http: { Authorization: 'x' } }), 'api.http.headers.Authorization'],
    ['config.jobs[0].query', withJob({ query: { a: 1 } }), 'written as "params"'],
  ])('at the wrong place: %s', (path, input, place) => {
    expect(mistakes(input)).toEqual([expect.stringMatching(new RegExp(`^${escaped(path)}: has no effect`))]);
    expect(mistakes(input)[0]).toContain(place);
  });

  it('refuses a config key only when its content looks like that of the reserved one', () => {
    expect(mistakes(configuration({}, { Jobs: [{ endpoint: 'a' }] }))).toHaveLength(1);
    expect(mistakes(configuration({}, { sink: 'duckdb:items.duckdb' }))).toHaveLength(1);
    expect(mistakes(configuration({}, { incrementaloutput: true }))).toHaveLength(1);
    expect(mistakes(configuration({}, { order: 'asc', job: 'developer', sink: 'kitchen', mapping: 'x' }))).toEqual([]);
  });

  it('an attribute that an expression reads is no mistake, whatever its name looks like', () => {
    const params = { a: { attr: 'mapping.a' }, b: { function: 'concat', args: [{ attr: 'iterations.0.b' }] } };
    const attributes = { mapping: { a: 'x' }, iterations: [{ b: 'y' }] };
    const jobs = [{ endpoint: 'items', params }];
    expect(faults(configuration({}, { ...attributes, jobs }))).toEqual([]);
    expect(mistakes(configuration({}, attributes))).toHaveLength(2);
  });

  it('a required key that is missing names its misspelling: one slip is one fault', () => {
    const input = { api: { baseURI: 'https://a.example', pagniation: {} }, config: { jobs: [{ endpiont: 'a' }] } };
    expect(faults(input)).toEqual([
      'api.pagniation: has no effect: unknown key; did you mean "pagination"?',
      expect.stringMatching(/^api\.baseUrl: required: .* is "baseURI" a misspelling of it\?$/),
      expect.stringMatching(/^config\.jobs\[0\]\.endpoint: required: .* is "endpiont" a misspelling of it\?$/),
    ]);
  });

  it('reports these keys beside all other faults, in reading order', () => {
    const input = configuration({ pagniation: {}, retryConfig: { maxRetries: 'x' } }, { jobs: [{ endpoint: 1 }] });
    expect(faults(input)).toEqual([
      'api.pagniation: has no effect: unknown key; did you mean "pagination"?',
      'api.retryConfig.maxRetries: expected an integer, found a string of 1 character',
      'config.jobs[0].endpoint: expected the path or URL as a string, found 1',
    ]);
  });
});

const escaped = (text: string): string => text.replace(/[.[\]"]/g, '\\$&');

describe('other keys without effect stay warnings', () => {
  it.each([
    ['a note', withJob({ __NAME: 'items', comment: 'c', name: 'n', title: 't', enabled: true })],
    ['a key of the platform', configuration({}, {}, { processors: {}, $schema: 'x', version: 2, name: 'n' })],
    ['a key that is switched off', withJob({ _params: {}, '//dataField': 'x', '-headers': {}, $endpoint: 'x' })],
    ['an option of another method', inPagination({ method: 'cursor', idKey: 'id', param: 'p', limitParam: 'l' })],
    ['an option of another type', configuration({ authentication: { type: 'query', query: { a: 1 }, format: 'x' } })],
    ['an option of another format', withJob({ format: { type: 'json', delimiter: ';' } })],
    ['pagination that is switched off', inPagination({ method: '', limit: 10 })],
    ['an authentication that is switched off', configuration({ authentication: { type: null, query: { a: 1 } } })],
  ])('%s', (_, input) => {
    expect(faults(input)).toEqual([]);
    expect(warnings(input).length).toBeGreaterThan(0);
  });

  it('keys of free objects are never judged', () => {
    const free = { pagniation: 1, header: 2, limitparam: 3, datafield: 4, Headers: 5 };
    const input = configuration(
      { http: { headers: free, defaultOptions: { params: free } } },
      {
        userData: free,
        mappings: { items: { header: 'header', datafield: 'b', type: 'c' } },
        jobs: [{ endpoint: 'items', params: { ...free, inner: free }, headers: free, body: free, userData: free }],
      },
    );
    expect(faults(input)).toEqual([]);
    expect(warnings(input)).toEqual([]);
  });
});

describe('options whose method or type was forgotten', () => {
  it('pagination without a method would end after the first page', () => {
    expect(mistakes(inPagination({ limit: 100 }))).toEqual([
      'api.pagination.limit: has no effect with no pagination method: it is an option of keyset, offset, pagenum',
    ]);
    expect(faults(inPagination({ limitStop: { count: 5 } }))).toEqual([]);
  });

  it('an authentication without a type would log nobody in', () => {
    expect(mistakes(configuration({ authentication: { loginRequest: { endpoint: 'login' } } }))).toEqual([
      'api.authentication.loginRequest: has no effect: api.authentication.type is not set',
    ]);
  });
});
