import { configuration, faults, run, warnings } from '../support';

const httpOf = (http: unknown) => run(configuration({ http })).api.http;

describe('api.http', () => {
  it('specification 2.1: takes default headers and default parameters', () => {
    const defaultOptions = { headers: { A: '1', B: ['x', 2, null] }, params: { p: [1] }, method: 'post' };
    expect(httpOf({ headers: { C: { attr: 'c' } }, defaultOptions })).toMatchObject({
      headers: { C: { attr: 'c' } },
      defaultHeaders: { A: '1', B: ['x', 2, null] },
      defaultParams: { p: [1] },
      defaultMethod: 'POST',
    });
  });

  it('language 0.2: [] is the empty object, and a list is an object with indexes as keys', () => {
    expect(httpOf({ headers: [], defaultOptions: [] })).toMatchObject({ headers: {}, defaultParams: {} });
    expect(httpOf({ defaultOptions: { params: ['a', 'b'] } }).defaultParams).toEqual({ '0': 'a', '1': 'b' });
  });

  it('docs/language/expressions.md#places: default headers take functions and references, also in lists', () => {
    const headers = { A: { attr: 'a' }, B: ['x', { function: 'time', args: [] }] };
    expect(httpOf({ defaultOptions: { headers } }).defaultHeaders).toEqual(headers);
  });

  it('language 2.5: refuses other objects among default headers, inside lists as well', () => {
    const [first, second] = faults(
      configuration({ http: { defaultOptions: { headers: { A: { user: 'a' }, B: ['x', {}] } } } }),
    );
    expect(first).toMatch(/^api\.http\.defaultOptions\.headers\.A: expected a string.*found type "object"/);
    expect(second).toMatch(/^api\.http\.defaultOptions\.headers\.B\[1\]: expected a string.*found type "object"/);
  });

  it.each([
    [12, 12, true],
    ['2.5', 2.5, true],
    [0, 0, true],
    ['0', 0, true],
    [null, 30, false],
    ['', 30, false],
    ['soon', 30, false],
    [-1, 30, false],
    [{ a: 1 }, 30, false],
  ])('language 2.6: connectTimeout %j is %d seconds', (connectTimeout, seconds, isGiven) => {
    expect(httpOf({ connectTimeout })).toMatchObject({ connectTimeoutSeconds: seconds, connectTimeoutGiven: isGiven });
  });

  it('language 2.6: warns about a time-out that is no number of seconds', () => {
    expect(warnings(configuration({ http: { requestTimeout: 'soon', connectTimeout: null } }))).toEqual([
      'api.http.requestTimeout: has no effect: not a number of seconds; the default of 300 applies',
    ]);
  });

  it('language 2.9: ignoreErrors takes status codes, as text too', () => {
    expect(httpOf({ ignoreErrors: [404, '410'] }).ignoreErrors).toEqual([404, 410]);
    expect(faults(configuration({ http: { ignoreErrors: 404 } }))).toEqual([
      'api.http.ignoreErrors: expected an array, found 404',
    ]);
  });

  it('allowedHosts: takes host, host:port and scheme://host[:port]', () => {
    const allowedHosts = ['h.example', 'h.example:8443', 'https://h.example', 'http://h.example:81', '[::1]:80'];
    expect(httpOf({ allowedHosts }).credentialHosts).toEqual(allowedHosts);
  });

  it.each(['https://h.example/', 'h.example/path', 'ftp://h.example', 'a b', 'me@h.example', '*.example/?x'])(
    'allowedHosts: refuses %s',
    (entry) => {
      expect(faults(configuration({ http: { allowedHosts: [entry] } }))[0]).toMatch(
        /^api\.http\.allowedHosts\[0\]: expected a host such as/,
      );
    },
  );

  it('language 2.5: required headers must have a value in config.http.headers, in any case of letters', () => {
    const api = { http: { requiredHeaders: ['X-Key', 'X-App'] } };
    expect(faults(configuration(api, { http: { headers: { 'x-key': 'k', 'X-App': '' } } }))).toEqual([
      'config.http.headers.X-App: required: api.http.requiredHeaders asks for this header',
    ]);
    expect(faults(configuration(api))).toHaveLength(2);
    expect(faults(configuration(api, { http: { headers: { 'x-key': 'k', 'X-App': 'a' } } }))).toEqual([]);
  });

  it.each([
    ['Headers', 'has no effect: unknown key; did you mean "headers"?'],
    ['params', 'has no effect here; parameters of every request are written as api.http.defaultOptions.params'],
    ['maxRetries', 'has no effect here; write it as api.retryConfig.maxRetries'],
    ['Accept', 'has no effect here; a header is written as api.http.headers.Accept'],
  ])('language 1.2: warns about api.http.%s', (key, message) => {
    expect(warnings(configuration({ http: { [key]: 'x' } }))).toEqual([`api.http.${key}: ${message}`]);
  });
});
