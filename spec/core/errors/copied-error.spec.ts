import { inspect } from 'node:util';
import { ConfigurationError, HeadwaterError, RetryableError } from '../../../src';
import { setResumePoint, copiedError } from '../../../src/core/errors/errors';

describe('copiedError', () => {
  const cause = new Error('the cause');
  const error = new RetryableError('NETWORK_RESET', 56, 'broken', { cause, url: 'https://api.example/' });

  it('gives an error of the same class that says the same', () => {
    const copy = copiedError(error);
    expect(copy).not.toBe(error);
    expect(copy).toBeInstanceOf(RetryableError);
    expect(copy).toMatchObject({ name: 'RetryableError', message: 'broken', cause });
    expect(JSON.stringify(copy)).toBe(JSON.stringify(error));
    expect(inspect(copy)).toBe(inspect(error));
    const faults = [{ path: 'api', message: 'is required' }];
    expect(copiedError(new ConfigurationError(faults))).toMatchObject({ faults });
  });

  it('what the one is told later, the other does not know', () => {
    const copy = copiedError(error);
    if (!(copy instanceof HeadwaterError)) throw copy;
    setResumePoint(copy, { startedAt: 1, progress: new Map() });
    Reflect.set(copy, 'message', 'another');
    expect(error).toMatchObject({ message: 'broken', resume: undefined });
    expect(copy.resume).toEqual({ startedAt: 1, progress: new Map() });
  });

  it('leaves what is no error of Headwater as it is', () => {
    for (const other of [cause, 'text', undefined, null]) expect(copiedError(other)).toBe(other);
  });
});
