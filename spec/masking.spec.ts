import { FatalError } from '../src/errors';
import type { RunEvent } from '../src/events';
import { maskedError, maskedEvent } from '../src/masking';
import { secretsOf } from './support/requests';

const secrets = secretsOf('hunter22');

describe('maskedEvent', () => {
  it('masks every text of an event and leaves the rest', () => {
    const event: RunEvent = {
      type: 'retry.scheduled',
      purpose: { kind: 'login' },
      method: 'GET',
      url: 'https://api.example/?key=hunter22',
      retry: 1,
      delayMilliseconds: 1000,
      because: 'hunter22 was refused',
    };
    expect(maskedEvent(event, secrets)).toEqual({
      ...event,
      url: 'https://api.example/?key=***',
      because: '*** was refused',
    });
  });
});

describe('maskedError', () => {
  it('masks message, stack and causes, and returns the same error', () => {
    const cause = new Error('at hunter22');
    const error = new FatalError('API_STATUS', 'with hunter22', { cause });
    expect(maskedError(error, secrets)).toBe(error);
    expect(`${error.message} ${String(error.stack)} ${cause.message} ${String(cause.stack)}`).not.toContain('hunter22');
    expect(error.message).toBe('with ***');
    expect(error.code).toBe('API_STATUS');
  });

  it('masks the errors that an error gathers', () => {
    const inner = new Error('hunter22');
    maskedError(new AggregateError([inner], 'all failed'), secrets);
    expect(inner.message).toBe('***');
  });

  it('ends for an error that is its own cause', () => {
    const error = new Error('hunter22');
    error.cause = error;
    maskedError(error, secrets);
    expect(error.message).toBe('***');
  });

  it.each([undefined, 'text', 7])('passes %p on', (thrown) => {
    expect(maskedError(thrown, secrets)).toBe(thrown);
  });
});
