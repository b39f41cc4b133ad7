import { ConfigurationError, FatalError, faultLine, HeadwaterError, RetryableError } from '../src/errors';

describe('specification 7: errors', () => {
  it('a fatal error has a code, its message and its cause', () => {
    const cause = new Error('inner');
    const error = new FatalError('API_STATUS', 'The API request failed.', { cause });
    expect(error).toBeInstanceOf(HeadwaterError);
    expect(error).toMatchObject({ name: 'FatalError', code: 'API_STATUS', recovery: 'fatal', cause });
    expect(String(error)).toBe('FatalError: The API request failed.');
    expect(error.stack).toContain('errors.spec');
  });

  it('without a cause there is no such property', () => {
    expect(Object.hasOwn(new FatalError('NEXT_PAGE', 'x'), 'cause')).toBe(false);
  });

  it('a retryable error knows the number that retryConfig.curl.codes names', () => {
    const error = new RetryableError('NETWORK_TIMEOUT', 28, 'The API did not answer in time.');
    expect(error).toBeInstanceOf(HeadwaterError);
    expect(error).not.toBeInstanceOf(FatalError);
    expect(error).toMatchObject({ name: 'RetryableError', code: 'NETWORK_TIMEOUT', recovery: 'retry', curlCode: 28 });
    expect(new RetryableError('NETWORK_PROTOCOL', undefined, 'x').curlCode).toBeUndefined();
  });

  it('any other recovery is said by the base class', () => {
    const error = new HeadwaterError('API_STATUS', 'relogin', 'The credentials were refused.');
    expect(error).toMatchObject({ name: 'HeadwaterError', recovery: 'relogin' });
  });

  it('a refused configuration lists every fault in order, one a line', () => {
    const faults = [
      { path: 'api.baseUrl', message: 'missing' },
      { path: '', message: 'expected an object' },
    ];
    const error = new ConfigurationError(faults);
    expect(error).toMatchObject({ name: 'ConfigurationError', code: 'CONFIG_INVALID', recovery: 'fatal', faults });
    expect(error.message).toBe('The configuration cannot be used.\n  api.baseUrl: missing\n  expected an object');
  });

  it.each([
    ['config.jobs[0].endpoint', 'must be set', 'config.jobs[0].endpoint: must be set'],
    ['', 'must be an object', 'must be an object'],
  ])('a fault at "%s" is one line', (path, message, line) => {
    expect(faultLine({ path, message })).toBe(line);
  });
});
