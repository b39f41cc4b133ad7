import { configuration, faults, job, run, warnings, withJob } from '../support';

const httpOf = (http: object) => run(configuration({ http })).api.http;
const rateOf = (rateLimit: unknown) => httpOf({ rateLimit }).rateLimit;
const faultsOf = (rateLimit: unknown) => faults(configuration({ http: { rateLimit } }));
const RATE = { requests: 10, seconds: 1 };

describe('docs/language/rate-limits.md: api.http', () => {
  it('has no caps and no rates', () => {
    expect(httpOf({})).toMatchObject({ rateLimit: [] });
    expect(httpOf({})).not.toHaveProperty('maxRequests');
    expect(httpOf({})).not.toHaveProperty('maxRequestsPerOrigin');
  });

  it('takes caps', () => {
    expect(httpOf({ maxRequests: 4, maxRequestsPerOrigin: '2' })).toMatchObject({
      maxRequests: 4,
      maxRequestsPerOrigin: 2,
    });
    expect(faults(configuration({ http: { maxRequests: 0, maxRequestsPerOrigin: 'few' } }))).toEqual([
      'api.http.maxRequests: expected an integer of 1 or more, found 0',
      'api.http.maxRequestsPerOrigin: expected an integer, found a string of 3 characters',
    ]);
  });

  it('takes one rate or several; blank is none', () => {
    expect(rateOf(RATE)).toEqual([{ rate: RATE }]);
    expect(rateOf({ requests: '10', seconds: '0.5', burst: 2, path: '/v1/**' })).toEqual([
      { rate: { requests: 10, seconds: 0.5, burst: 2 }, path: '/v1/**' },
    ]);
    expect(rateOf([RATE, { requests: 1000, seconds: 3600 }])).toHaveLength(2);
    for (const blank of [null, {}, [], '']) expect(rateOf(blank)).toEqual([]);
  });

  it('takes headers alone', () => {
    const headers = { remaining: 'X-RateLimit-Remaining', reset: 'X-RateLimit-Reset' };
    expect(rateOf({ headers })).toEqual([{ headers }]);
    expect(rateOf({ headers: { reset: 'Reset' } })).toEqual([{ headers: { reset: 'Reset' } }]);
    expect(rateOf({ ...RATE, headers: { remaining: 'Left' } })).toEqual([
      { rate: RATE, headers: { remaining: 'Left' } },
    ]);
  });

  it.each([
    [{ requests: 10 }, 'seconds: required: in how many seconds they may'],
    [{ seconds: 1 }, 'requests: required: how many may start'],
    [{ requests: 10, seconds: 0 }, 'seconds: required: in how many seconds they may'],
    [{ requests: 0.5, seconds: 1 }, 'requests: expected an integer, found 0.5'],
    [{ requests: 1, seconds: -1 }, 'seconds: expected a number of seconds above 0, found -1'],
    [{ requests: 1, seconds: '1e999' }, 'seconds: expected a number, found a string of 5 characters'],
    [{ ...RATE, burst: -2 }, 'burst: expected an integer of 1 or more, found -2'],
    [
      { ...RATE, path: 'search' },
      'path: expected a path from the host on, such as "/v1/search/*" or "**/search", found a string of 6 characters',
    ],
    [
      { headers: { remaining: 'Left' } },
      'headers: required: "reset", the header that says until when "remaining" counts; or "seconds" beside "headers"',
    ],
  ])('%j is refused', (rateLimit, fault) => {
    expect(faultsOf(rateLimit)).toEqual([`api.http.rateLimit.${fault}`]);
  });

  it('says all that is wrong, and where in a list', () => {
    expect(faultsOf([RATE, { burst: 3 }, { path: '/a' }])).toEqual([
      'api.http.rateLimit[1].requests: required: how many may start',
      'api.http.rateLimit[1].seconds: required: in how many seconds they may',
      'api.http.rateLimit[2]: required: "requests" and "seconds", or "headers"',
    ]);
  });

  it('warns about unknown keys, in lists as well', () => {
    const rateLimit = [{ ...RATE, brust: 2 }, { headers: { remaning: 'Left', reset: 'Reset', retry: 'Wait' } }];
    expect(warnings(configuration({ http: { rateLimit } }))).toEqual([
      'api.http.rateLimit[0].brust: has no effect: unknown key; did you mean "burst"?',
      'api.http.rateLimit[1].headers.remaning: has no effect: unknown key; did you mean "remaining"?',
      'api.http.rateLimit[1].headers.retry: has no effect here; the header that says when to retry is written as api.retryConfig.http.retryHeader',
    ]);
  });

  it('warns where a rate has no effect', () => {
    expect(warnings(configuration({ rateLimit: RATE, maxRequests: 3 }, { rateLimit: RATE }))).toEqual([
      'api.rateLimit: has no effect here; it belongs to api.http, or to a job',
      'api.maxRequests: has no effect here; it belongs to api.http',
      'config.rateLimit: has no effect here, but as a user attribute; it belongs to api.http, or to a job',
    ]);
  });
});

describe('docs/language/rate-limits.md: a job', () => {
  it('takes one rate or several, and headers', () => {
    expect(job(withJob({})).rateLimit).toEqual([]);
    expect(job(withJob({ rateLimit: RATE })).rateLimit).toEqual([{ rate: RATE }]);
    const headers = { remaining: 'Left', reset: 'Reset' };
    expect(job(withJob({ rateLimit: [RATE, { headers }] })).rateLimit).toEqual([{ rate: RATE }, { headers }]);
  });

  it('has no paths', () => {
    const [warning, ...others] = warnings(withJob({ rateLimit: { ...RATE, path: '/a' } }));
    expect(warning).toBe(
      'config.jobs[0].rateLimit.path: has no effect here; all requests of the job count; rates by path are written in api.http.rateLimit',
    );
    expect(others).toEqual([]);
    expect(faults(withJob({ rateLimit: { ...RATE, path: '/a' } }))).toEqual([warning]);
  });

  it('refuses what is no rate', () => {
    expect(faults(withJob({ rateLimit: { requests: 3 }, children: [{ endpoint: 'c', rateLimit: 7 }] }))).toEqual([
      'config.jobs[0].rateLimit.seconds: required: in how many seconds they may',
      'config.jobs[0].children[0].rateLimit: expected an object, found 7',
    ]);
  });
});
