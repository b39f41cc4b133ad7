import { inspect } from 'node:util';
import { FatalError } from '../../../src/core/errors/errors';
import type { RunEvent } from '../../../src/core/events';
import { maskedError, maskedEvent, addressParts } from '../../../src/core/secrets/masking';
import { aPage } from '../../support/pages';
import { aResponse, secretsOf } from '../../support/requests';

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

  const job = {
    id: 'j',
    path: 'config.jobs[0]',
    endpoint: 'http://bob:pw@host/x?key=hunter22',
    dataType: 'x-hunter22',
  };

  it('language 1.4: masks what it tells of a job, placeholders too', () => {
    const event: RunEvent = { type: 'job.started', job: { ...job, placeholders: { id: 'hunter22' } } };
    expect(maskedEvent(event, secrets)).toEqual({
      type: 'job.started',
      job: { ...job, endpoint: 'http://***@host/x?key=***', dataType: 'x-***', placeholders: { id: '***' } },
    });
  });

  it('language 1.4: masks placeholders of any name, and lists stay lists', () => {
    const placeholders = { code: 'hunter22', name: 'hunter22', type: 'x' };
    expect(maskedEvent({ type: 'job.started', job: { ...job, placeholders } }, secrets)).toMatchObject({
      job: { placeholders: { code: '***', name: '***', type: 'x' } },
    });
    const ended = {
      iteration: 0,
      id: 'j',
      path: 'p',
      endpoint: 'x?key=hunter22',
      dataType: 'd',
      outcome: 'complete',
      pages: 1,
      items: 1,
      isFound: true,
    } as const;
    const event: RunEvent = {
      type: 'run.finished',
      pages: 1,
      items: 1,
      outcome: 'complete',
      jobs: [ended],
    };
    expect(maskedEvent(event, secrets)).toEqual({ ...event, jobs: [{ ...ended, endpoint: 'x?key=***' }] });
  });

  it('language 1.4: of a page, masks endpoint and placeholders of its job; data and the dataType stay', () => {
    const page = aPage([{ a: 'hunter22' }], {
      job: { ...job, placeholders: { id: 'hunter22' } },
      extra: new Map([['a', 'hunter22']]),
      reply: { response: aResponse({ text: 'hunter22' }), data: ['hunter22'] },
      checkpoint: { call: [0, 0], job: 'j', pages: 1, items: 1, volume: 0, position: 'hunter22' },
    });
    expect(maskedEvent({ type: 'page.extracted', page }, secrets)).toEqual({
      type: 'page.extracted',
      page: { ...page, job: { ...job, endpoint: 'http://***@host/x?key=***', placeholders: { id: '***' } } },
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

  it('masks what an error tells beside its message', () => {
    const error = new FatalError('API_STATUS', 'x', {
      headers: { code: 'hunter22', 'x-many': ['a', 'hunter22'] },
      fault: { path: 'config.jobs[0]', message: 'not hunter22' },
      table: 'hunter22',
      destination: 'postgres://bob:pw@host/hunter22',
    });
    maskedError(error, secrets);
    expect(error).toMatchObject({
      headers: { code: '***', 'x-many': ['a', '***'] },
      fault: { path: 'config.jobs[0]', message: 'not ***' },
      table: '***',
      destination: 'postgres://***@host/***',
    });
  });

  it('masks the errors that an error gathers', () => {
    const inner = new Error('hunter22');
    maskedError(new AggregateError([inner], 'all failed'), secrets);
    expect(inner.message).toBe('***');
  });

  it('masks what a cause keeps beside its message, but no code', () => {
    const cause = Object.assign(new TypeError('Invalid URL'), { code: 'ERR_hunter22', input: 'https://[hunter22' });
    maskedError(new FatalError('NEXT_PAGE', 'no address', { cause }), secrets);
    expect(cause).toMatchObject({ code: 'ERR_hunter22', input: 'https://[***' });
  });

  it('masks a cause that is a text', () => {
    expect(maskedError(new Error('no', { cause: 'hunter22' }), secrets)).toHaveProperty('cause', '***');
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

describe('maskedError, of what parts of an application throw', () => {
  class Computed extends Error {
    override get message(): string {
      return 'hunter22 was refused';
    }
  }

  it.each([
    ['a string', 'hunter22 was refused'],
    ['a frozen error', Object.freeze(new Error('hunter22 was refused'))],
    ['an error whose message is computed', new Computed()],
    ['an error with such a cause', new Error('failed', { cause: 'hunter22 was refused' })],
    ['an error with a frozen cause', new Error('failed', { cause: Object.freeze(new Error('hunter22 was refused')) })],
  ])('masks %s', (_, error) => {
    const shown = inspect(maskedError(error, secrets), { getters: true });
    expect(shown).toContain('*** was refused');
    expect(shown).not.toContain('hunter22');
  });
});

describe('the parts of a secret address', () => {
  it.each([
    [
      'http://127.0.0.1:80/bot123456:AAETOKENTOKEN/',
      ['/bot123456:AAETOKENTOKEN', 'bot123456:AAETOKENTOKEN', 'bot123456', 'AAETOKENTOKEN'],
    ],
    ['https://h.example/api/v2/', []],
    ['https://h.example/services/getThings', []],
    ['https://h.example/api/s3cr3t/', ['/api/s3cr3t']],
    ['https://alder:trout-pond@h.example/api', ['alder', 'trout-pond']],
    ['https://h.example/api?v=2&format=json&token=abcdef&x=k7Qd9xZvR2', ['abcdef', 'k7Qd9xZvR2']],
    ['https://h.example/k%207Qd9xZv', ['/k%207Qd9xZv', '/k 7Qd9xZv', 'k%207Qd9xZv', 'k 7Qd9xZv']],
    ['postgres://alder:trout-pond@db.example/warehouse2026', ['alder', 'trout-pond']],
    ['k7Qd9xZvR2', []],
    ['http://', []],
  ])('%s', (address, parts) => {
    expect(addressParts(address)).toEqual(parts);
  });
});
