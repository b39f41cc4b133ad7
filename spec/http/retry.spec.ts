import { defer, of, throwError } from 'rxjs';
import type { Observable } from 'rxjs';
import { TestScheduler } from 'rxjs/testing';
import { RetryableError } from '../../src/errors';
import { retry } from '../../src/http/retry';
import type { RetryPolicy } from '../../src/http/retry';
import type { Response } from '../../src/model';
import { aRequest, aResponse, HOME, recorder, secretsOf } from '../support/requests';

const POLICY: RetryPolicy = { maxRetries: 10, header: 'X-Reset', statusCodes: [503, 202], curlCodes: [28] };
const timedOut = new RetryableError('NETWORK_TIMEOUT', 28, 'CURL error 28: too slow');
const reset = new RetryableError('NETWORK_RESET', 56, 'CURL error 56: reset');

const status = (code: number, headers: Response['headers'] = {}): Observable<Response> =>
  of(aResponse({ status: code, headers }));
const fails = (error: Error): Observable<never> => throwError(() => error);

/** Subscribes once in virtual time: what came out, when, and after how many attempts. */
function run(outcomes: readonly Observable<Response>[], policy: Partial<RetryPolicy> = {}) {
  const scheduler = new TestScheduler((actual, expected) => expect(actual).toEqual(expected));
  const { events, report } = recorder();
  const seen: unknown[] = [];
  let attempts = 0;
  scheduler.run(({ flush }) => {
    const context = { report, secrets: secretsOf('s3cret-key'), scheduler };
    const send = retry(
      { ...POLICY, ...policy },
      context,
    )(() => defer(() => outcomes[Math.min(attempts++, outcomes.length - 1)] ?? fails(new Error('no outcome'))));
    send(aRequest({ url: `${HOME}/items?key=s3cret-key` })).subscribe({
      next: (response) => seen.push([scheduler.now(), response.status]),
      error: (error: unknown) => seen.push([scheduler.now(), error]),
      complete: () => seen.push('complete'),
    });
    flush();
  });
  return { seen, attempts, events };
}

describe('language 2.7: retries', () => {
  it('a response whose status is not listed is passed on at once', () => {
    expect(run([status(500)])).toMatchObject({ seen: [[0, 500], 'complete'], attempts: 1, events: [] });
  });

  it('a listed status is retried after 1, 2, 4 … seconds, a status of success too', () => {
    const { seen, attempts } = run([status(503), status(202), status(503), status(200)]);
    expect(seen).toEqual([[7000, 200], 'complete']);
    expect(attempts).toBe(4);
  });

  it('a listed network failure is retried', () => {
    expect(run([fails(timedOut), status(200)]).seen).toEqual([[1000, 200], 'complete']);
  });

  it('another failure is not retried', () => {
    const defect = new TypeError('a defect');
    expect(run([fails(reset)])).toMatchObject({ seen: [[0, reset]], attempts: 1 });
    expect(run([fails(defect)])).toMatchObject({ seen: [[0, defect]], attempts: 1 });
  });

  it('the configured header says how long to wait, in any case of letters', () => {
    expect(run([status(503, { 'x-reset': '30' }), status(200)]).seen).toEqual([[30_000, 200], 'complete']);
    expect(run([status(503, { 'retry-after': '30' }), status(200)]).seen).toEqual([[1000, 200], 'complete']);
    expect(run([status(503, { 'x-reset': ['5', '6'] }), status(200)]).seen).toEqual([[5000, 200], 'complete']);
  });

  it('when no retries are left, the last outcome counts, be it a response or an error', () => {
    expect(run([status(503)], { maxRetries: 2 })).toMatchObject({ seen: [[3000, 503], 'complete'], attempts: 3 });
    expect(run([status(202)], { maxRetries: 1 })).toMatchObject({ seen: [[1000, 202], 'complete'], attempts: 2 });
    expect(run([fails(timedOut)], { maxRetries: 1 })).toMatchObject({ seen: [[1000, timedOut]], attempts: 2 });
  });

  it('maxRetries 0 switches retries off', () => {
    expect(run([status(503)], { maxRetries: 0 })).toMatchObject({ seen: [[0, 503], 'complete'], attempts: 1 });
  });

  it('reports each retry, with secrets masked', () => {
    const { events } = run([status(503), fails(timedOut), status(200)]);
    const fields = {
      type: 'retry.scheduled',
      purpose: { kind: 'page', job: 'items' },
      method: 'GET',
      url: `${HOME}/items?key=***`,
    };
    expect(events).toEqual([
      { ...fields, retry: 1, delayMilliseconds: 1000, because: 'the API answered with status 503' },
      { ...fields, retry: 2, delayMilliseconds: 2000, because: 'CURL error 28: too slow' },
    ]);
  });

  it('each subscription counts its own retries', () => {
    let attempts = 0;
    const scheduler = new TestScheduler((actual, expected) => expect(actual).toEqual(expected));
    scheduler.run(({ expectObservable }) => {
      const context = { report: () => undefined, secrets: secretsOf(), scheduler };
      const response$ = retry(
        { ...POLICY, maxRetries: 1 },
        context,
      )(() =>
        defer(() => {
          attempts += 1;
          return status(503);
        }),
      )(aRequest());
      const values = { r: aResponse({ status: 503 }) };
      expectObservable(response$).toBe('1s (r|)', values);
      expectObservable(response$, '2s ^').toBe('3s (r|)', values);
    });
    expect(attempts).toBe(4);
  });

  it('unsubscribing during the pause ends it', () => {
    let attempts = 0;
    const scheduler = new TestScheduler((actual, expected) => expect(actual).toEqual(expected));
    scheduler.run(({ expectObservable }) => {
      const context = { report: () => undefined, secrets: secretsOf(), scheduler };
      const response$ = retry(
        POLICY,
        context,
      )(() =>
        defer(() => {
          attempts += 1;
          return status(503);
        }),
      )(aRequest());
      expectObservable(response$, '^ 2s !').toBe('');
    });
    expect(attempts).toBe(2);
  });
});
