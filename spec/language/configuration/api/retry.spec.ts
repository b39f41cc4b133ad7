import { configuration, faults, run, warnings } from '../support';

const retryOf = (retryConfig: unknown) => run(configuration({ retryConfig })).api.retry;

describe('api.retryConfig', () => {
  it.each([
    [5, 5],
    ['7', 7],
    [0, 0],
    ['0', 0],
    [null, 10],
    ['', 10],
  ])('language 2.7: maxRetries %j is %d', (maxRetries, expected) => {
    expect(retryOf({ maxRetries }).maxRetries).toBe(expected);
  });

  it('language 2.7: a given array replaces the default; numeric strings count', () => {
    expect(retryOf({ http: { retryHeader: 'X-Reset', codes: [429, '503'] }, curl: { codes: [] } })).toEqual({
      maxRetries: 10,
      header: 'X-Reset',
      statusCodes: [429, 503],
      curlCodes: [],
      limits: { maxDelaySeconds: 120, jitter: 0.25, firstConnectionSeconds: 20, zeroIsAtOnce: true },
      languageLimits: { maxDelaySeconds: Infinity, jitter: 0, firstConnectionSeconds: Infinity, zeroIsAtOnce: false },
    });
  });

  it('language 2.7: an old HTTP key discards the new-style object, with warnings', () => {
    const retryConfig = { httpCodes: [500], curlCodes: [6], http: { retryHeader: 'X-New', codes: [429] } };
    expect(retryOf(retryConfig)).toMatchObject({ header: 'Retry-After', statusCodes: [500], curlCodes: [6] });
    expect(warnings(configuration({ retryConfig }))).toEqual([
      'api.retryConfig.httpCodes: deprecated: write it as api.retryConfig.http.codes',
      'api.retryConfig.curlCodes: deprecated: write it as api.retryConfig.curl.codes',
      'api.retryConfig.http: has no effect beside the old spellings headerName and httpCodes',
    ]);
    expect(retryOf({ headerName: 'X-Old' })).toMatchObject({
      header: 'X-Old',
      statusCodes: [500, 502, 503, 504, 408, 420, 429],
    });
  });

  it('language 2.7: maxRetries has no effect inside http', () => {
    expect(warnings(configuration({ retryConfig: { http: { maxRetries: 3 } } }))).toEqual([
      'api.retryConfig.http.maxRetries: has no effect here; write it as api.retryConfig.maxRetries',
    ]);
  });

  it('language 2.7: refuses what is no number', () => {
    expect(
      faults(configuration({ retryConfig: { maxRetries: -1, http: { codes: 'x' }, curl: { codes: ['y'] } } })),
    ).toEqual([
      'api.retryConfig.maxRetries: expected an integer of 0 or more, found -1',
      'api.retryConfig.http.codes: expected an array, found a string of 1 character',
      'api.retryConfig.curl.codes[0]: expected an integer, found a string of 1 character',
    ]);
  });
});
