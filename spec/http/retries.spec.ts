import { VirtualTimeScheduler, defer, firstValueFrom, of, throwError } from 'rxjs';
import type { Observable } from 'rxjs';
import { FatalError, RetryableError } from '../../src/core/errors/errors';
import type { HeadwaterError } from '../../src/core/errors/errors';
import type { RetryPolicy } from '../../src/http/retries';
import type { RuleOf } from '../../src/http/rules';
import type { Response } from '../../src/core/model';
import type { PlacedRule } from '../../src/plan/plan';
import { aRequest, aResponse, HOME, recorder, secretsOf, UNLIMITED_RETRIES } from '../support/requests';
import { inVirtualTime, senderOver } from '../support/sender';

/** As the language has it: no limits. */
const POLICY: RetryPolicy = {
  maxRetries: 10,
  header: 'X-Reset',
  statusCodes: [503, 202],
  curlCodes: [28],
  ...UNLIMITED_RETRIES,
};
const timedOut = new RetryableError(
  'NETWORK_TIMEOUT',
  28,
  'No answer from api.example:443 (GET https://api.example/items?key=***): too slow',
  { url: '/u' },
);
const reset = new RetryableError('NETWORK_RESET', 56, 'The connection broke.');

const status = (code: number, headers: Response['headers'] = {}): Observable<Response> =>
  of(aResponse({ status: code, headers }));
const fails = (error: Error): Observable<never> => throwError(() => error);

/** Sends once in virtual time: what came out, when, and after how many attempts. */
async function run(
  outcomes: readonly Observable<Response>[],
  policy: Partial<RetryPolicy> = {},
  random = () => 0,
  ruleOf?: RuleOf,
) {
  const clock = new VirtualTimeScheduler();
  const { events, report } = recorder();
  let attempts = 0;
  const answer = (): Observable<Response> =>
    defer(() => outcomes[Math.min(attempts++, outcomes.length - 1)] ?? fails(new Error('no outcome')));
  const { pages } = senderOver(answer, {
    retry: { ...POLICY, ...policy },
    ...{ report, secrets: secretsOf('s3cret-key'), scheduler: clock, random },
    ...(ruleOf === undefined ? {} : { ruleOf }),
  });
  const response$ = pages(undefined)(aRequest({ url: `${HOME}/items?key=s3cret-key` }));
  const last = await inVirtualTime(
    clock,
    firstValueFrom(response$).catch((error: unknown) => error as HeadwaterError),
  );
  return { at: clock.now(), attempts, events, last };
}

describe('language 2.7: retries', () => {
  it('a response whose status is not listed is passed on at once', async () => {
    expect(await run([status(500)])).toMatchObject({ at: 0, last: { status: 500 }, attempts: 1, events: [] });
  });

  it('a listed status is retried after 1, 2, 4 … seconds, a status of success too', async () => {
    const { at, last, attempts } = await run([status(503), status(202), status(503), status(200)]);
    expect([at, last]).toMatchObject([7000, { status: 200 }]);
    expect(attempts).toBe(4);
  });

  it('a listed network failure is retried', async () => {
    expect(await run([fails(timedOut), status(200)])).toMatchObject({ at: 1000, last: { status: 200 } });
  });

  it('another failure is not retried', async () => {
    const defect = new TypeError('a defect');
    expect(await run([fails(reset)])).toMatchObject({ at: 0, last: reset, attempts: 1 });
    expect(await run([fails(defect)])).toMatchObject({ at: 0, last: defect, attempts: 1 });
  });

  it('the configured header says how long to wait, in any case of letters', async () => {
    expect(await run([status(503, { 'x-reset': '30' }), status(200)])).toMatchObject({
      at: 30_000,
      last: { status: 200 },
    });
    expect(await run([status(503, { 'retry-after': '30' }), status(200)])).toMatchObject({
      at: 1000,
      last: { status: 200 },
    });
    expect(await run([status(503, { 'x-reset': ['5', '6'] }), status(200)])).toMatchObject({
      at: 5000,
      last: { status: 200 },
    });
  });

  it('when no retries are left, the last outcome counts, be it a response or an error', async () => {
    expect(await run([status(503)], { maxRetries: 2 })).toMatchObject({ at: 3000, last: { status: 503 }, attempts: 3 });
    expect(await run([status(202)], { maxRetries: 1 })).toMatchObject({ at: 1000, last: { status: 202 }, attempts: 2 });
    expect(await run([fails(timedOut)], { maxRetries: 1 })).toMatchObject({
      at: 1000,
      last: { code: 'NETWORK_TIMEOUT', curlCode: 28 },
      attempts: 2,
    });
  });

  it('maxRetries 0 switches retries off', async () => {
    expect(await run([status(503)], { maxRetries: 0 })).toMatchObject({ at: 0, last: { status: 503 }, attempts: 1 });
  });

  it('reports each retry, with secrets masked', async () => {
    const { events } = await run([status(503), fails(timedOut), status(200)]);
    const fields = {
      type: 'retry.scheduled',
      purpose: { kind: 'page', job: 'items' },
      method: 'GET',
      url: `${HOME}/items?key=***`,
    };
    expect(events).toEqual([
      { ...fields, retry: 1, delayMilliseconds: 1000, because: 'the API answered with status 503: []' },
      { ...fields, retry: 2, delayMilliseconds: 2000, because: 'No answer from api.example:443: too slow' },
    ]);
  });

  it('reports what the API said: on one line, masked, and its beginning only', async () => {
    const said = async (body: string): Promise<unknown> => {
      const answer = aResponse({ status: 503, headers: {}, body: Buffer.from(body) });
      const [event] = (await run([of(answer), status(200)])).events;
      return event?.type === 'retry.scheduled' ? event.because : undefined;
    };
    expect(await said('{"error":\n  "busy with s3cret-key"}')).toBe(
      'the API answered with status 503: {"error": "busy with ***"}',
    );
    expect(await said('x'.repeat(500))).toBe(`the API answered with status 503: ${'x'.repeat(200)}…`);
    expect(await said('')).toBe('the API answered with status 503');
  });

  it('language 2.7: without limits the delays are exactly 1, 2, 4, … 512 seconds', async () => {
    const { events } = await run([status(503)]);
    const delays = events.map((event) => 'delayMilliseconds' in event && event.delayMilliseconds / 1000);
    expect(delays).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 512]);
  });

  it('the last outcome knows how many attempts there were', async () => {
    expect((await run([status(503)], { maxRetries: 2 })).last).toMatchObject({ attempts: 3 });
    expect((await run([status(503), status(200)])).last).toMatchObject({ status: 200, attempts: 2 });
    expect((await run([status(200)])).last).not.toHaveProperty('attempts');
    const error = (await run([fails(timedOut)], { maxRetries: 2 })).last;
    expect(error).toBeInstanceOf(RetryableError);
    expect(error).toMatchObject({ code: 'NETWORK_TIMEOUT', curlCode: 28, recovery: 'retry', attempt: 3, url: '/u' });
    expect(error).toHaveProperty('message', expect.stringMatching(/^No answer.* after 3 attempts\.$/));
    expect((await run([fails(reset)])).last).toMatchObject({ attempt: 1, message: reset.message });
    const refused = new FatalError('HOST_REFUSED', 'no');
    expect((await run([status(503), fails(refused)])).last).toMatchObject({ code: 'HOST_REFUSED', attempt: 2 });
  });

  it('a failed login, which had retries of its own, is not repeated and keeps its count', async () => {
    const login = new RetryableError('NETWORK_TIMEOUT', 28, 'The login failed.', { attempt: 11 });
    expect(await run([fails(login)])).toMatchObject({ attempts: 1, last: login });
  });

  it('each request counts its own retries', async () => {
    let attempts = 0;
    const clock = new VirtualTimeScheduler();
    const busy = (): Observable<Response> =>
      defer(() => {
        attempts += 1;
        return status(503);
      });
    const { pages } = senderOver(busy, { retry: { ...POLICY, maxRetries: 1 }, scheduler: clock });
    const response$ = pages(undefined)(aRequest());
    for (const end of [1000, 2000]) {
      expect(await inVirtualTime(clock, firstValueFrom(response$))).toMatchObject({ status: 503, attempts: 2 });
      expect(clock.now()).toBe(end);
    }
    expect(attempts).toBe(4);
  });

  it('unsubscribing during the pause ends it', async () => {
    let attempts = 0;
    const clock = new VirtualTimeScheduler();
    const busy = (): Observable<Response> =>
      defer(() => {
        attempts += 1;
        return status(503);
      });
    const subscription = senderOver(busy, { retry: POLICY, scheduler: clock }).pages(undefined)(aRequest()).subscribe();
    await new Promise(setImmediate);
    subscription.unsubscribe();
    clock.flush();
    await new Promise(setImmediate);
    expect(attempts).toBe(1);
  });
});

describe('docs/language/retries.md: limits', () => {
  const delaysOf = ({ events }: Awaited<ReturnType<typeof run>>): unknown[] =>
    events.map((event) => 'delayMilliseconds' in event && event.delayMilliseconds);

  it('maxDelay caps the delays', async () => {
    const ended = await run([status(503)], { maxDelaySeconds: 5 });
    expect(delaysOf(ended)).toEqual([1000, 2000, 4000, ...Array<number>(7).fill(5000)]);
  });

  it('jitter takes a part of a delay off by chance, never more than its share', async () => {
    const share = { maxDelaySeconds: 5, jitter: 0.25 };
    expect(delaysOf(await run([status(503)], { ...share, maxRetries: 4 }, () => 0))).toEqual([1000, 2000, 4000, 5000]);
    expect(delaysOf(await run([status(503)], { ...share, maxRetries: 4 }, () => 0.5))).toEqual([875, 1750, 3500, 4375]);
    const all = await run([fails(timedOut)], { ...share, maxRetries: 50 }, Math.random);
    const long = delaysOf(all).slice(3) as number[];
    expect(Math.min(...long)).toBeGreaterThanOrEqual(3750);
    expect(Math.max(...long)).toBeLessThanOrEqual(5000);
    expect(new Set(long).size).toBeGreaterThan(1);
  });

  it('a delay that the API asks for is kept exactly, up to maxDelay', async () => {
    const limits = { maxDelaySeconds: 120, jitter: 1 };
    expect(delaysOf(await run([status(503, { 'x-reset': '120' }), status(200)], limits, () => 0.9))).toEqual([120_000]);
  });

  it.each([
    [true, '0', 0],
    [true, '0.9', 1000],
    [true, 'soon', 1000],
    [false, '0', 1000],
    [false, '2.9', 2000],
  ])('where 0 means at once (%s), %s is a delay of %i ms', async (zeroIsAtOnce, asked, delay) => {
    expect(delaysOf(await run([status(503, { 'x-reset': asked }), status(200)], { zeroIsAtOnce }))).toEqual([delay]);
  });

  it('a longer one is an error at once, which says how long', async () => {
    const ended = await run([status(503, { 'x-reset': '86400' })], { maxDelaySeconds: 120 });
    expect(ended).toMatchObject({ attempts: 1, events: [], at: 0, last: { status: 503 } });
    expect(ended.last).toMatchObject({ retryAfterSeconds: 86_400, isWaitTooLong: true });
    const later = await run([status(503), status(503, { 'x-reset': '122' })], { maxDelaySeconds: 120 });
    // A second has passed, and so small a clock makes it a moment.
    expect(later.last).toMatchObject({ attempts: 2, retryAfterSeconds: 121, isWaitTooLong: true });
  });

  it.each([120, Infinity])(
    'one that only milliseconds explain is one, too, with a limit of %d s',
    async (maxDelaySeconds) => {
      const { attempts, last } = await run([status(503, { 'x-reset': '1700000000000' })], { maxDelaySeconds });
      expect([attempts, last]).toMatchObject([1, { status: 503, isWaitTooLong: true }]);
    },
  );

  it('after a status of success, too: it is not yet what was asked for', async () => {
    const { last } = await run([status(202, { 'x-reset': '86400' })], { maxDelaySeconds: 120 });
    expect(last).toMatchObject({ code: 'API_STATUS', recovery: 'retry', status: 202, retryAfterSeconds: 86_400 });
  });

  it('what is not retried at all is not kept from anything', async () => {
    expect((await run([status(500, { 'x-reset': '86400' })], { maxDelaySeconds: 120 })).last).toEqual(
      aResponse({ status: 500, headers: { 'x-reset': '86400' } }),
    );
    const off = await run([status(503, { 'x-reset': '86400' })], { maxDelaySeconds: 120, maxRetries: 0 });
    expect(off.last).not.toHaveProperty('isWaitTooLong');
  });

  it('a host that was never reached is tried until its time is over', async () => {
    const unreached = new RetryableError('NETWORK_CONNECT', 28, 'Cannot connect.');
    unreached.retryUntil = 20_000;
    const { at, attempts, last } = await run([fails(unreached)], { firstConnectionSeconds: 20 });
    expect(at).toBe(15_000);
    expect(attempts).toBe(5);
    expect(last).toMatchObject({ code: 'NETWORK_CONNECT', recovery: 'retry', attempt: 5 });
    expect(last).toHaveProperty(
      'message',
      expect.stringContaining('nothing at this host was reached in 5 attempts within 15.0 seconds'),
    );
    expect(last).toHaveProperty('message', expect.stringContaining('api.retryConfig.firstConnection'));
  });

  it('the end of the retries comes first if it does', async () => {
    const unreached = new RetryableError('NETWORK_CONNECT', 28, 'Cannot connect.');
    unreached.retryUntil = 20_000;
    const { last } = await run([fails(unreached)], { maxRetries: 1 });
    expect(last).toHaveProperty('message', expect.stringMatching(/after 2 attempts\.$/));
  });
});

describe('docs/language/responses.md#rules: retries by rules', () => {
  const rule = (action: PlacedRule['do']): PlacedRule => ({ when: {}, do: action, path: 'api.http.rules[0]' });
  const byStatus =
    (rules: Readonly<Record<number, PlacedRule['do']>>): RuleOf =>
    (response) => {
      const action = rules[response.status];
      return action === undefined ? undefined : rule(action);
    };

  it('a response that a rule tries again has the delays of others, its own as well', async () => {
    const outcomes = [status(200, { 'x-reset': '5' }), status(200), status(404)];
    const { at, last, events } = await run(outcomes, {}, undefined, byStatus({ 200: 'retry' }));
    expect([at, last]).toMatchObject([7000, { status: 404 }]);
    expect(events).toMatchObject([
      { because: 'the API answered with status 200, and api.http.rules[0] says to try again', delayMilliseconds: 5000 },
      { delayMilliseconds: 2000 },
    ]);
  });

  it('a rule that fails is not tried again; others wait for the retries of their status', async () => {
    expect(await run([status(503)], {}, undefined, byStatus({ 503: 'fail' }))).toMatchObject({ attempts: 1 });
    for (const action of ['skip', 'stop', 'renew'] as const)
      expect(await run([status(503)], { maxRetries: 2 }, undefined, byStatus({ 503: action }))).toMatchObject({
        attempts: 3,
      });
  });

  it.each<[string, PlacedRule['wait'], Response['headers'], readonly number[]]>([
    ['always the same', { seconds: 30, doubles: false }, {}, [30_000, 30_000]],
    ['twice as long each time', { seconds: 10, doubles: true }, {}, [10_000, 20_000]],
    ['as the header of retries says', { seconds: 30, doubles: false }, { 'x-reset': '5' }, [5000, 30_000]],
    ['as its own header says', { header: 'x-own', doubles: false }, { 'x-own': '7', 'x-reset': '5' }, [7000, 2000]],
    ['as a part says', { header: 'x-own', matches: 't=(\\d+)', doubles: false }, { 'x-own': 'a; t=4' }, [4000, 2000]],
    ['not less than the least', { least: 9, doubles: false }, { 'x-reset': '5' }, [9000, 2000]],
    ['as without a rule where nothing says it', { header: 'x-own', doubles: false }, {}, [1000, 2000]],
  ])('a rule waits %s', async (_, wait, headers, delays) => {
    const ruleOf: RuleOf = (response) =>
      response.status === 200 && wait !== undefined ? { ...rule('retry'), wait } : undefined;
    const { events } = await run([status(200, headers), status(200), status(404)], {}, undefined, ruleOf);
    expect(events.map((event) => 'delayMilliseconds' in event && event.delayMilliseconds)).toEqual(delays);
  });

  it('a longer delay than the policy allows is an error of a status of success, too', async () => {
    const { at, last, attempts } = await run(
      [status(200, { 'x-reset': '500' })],
      { maxDelaySeconds: 60 },
      undefined,
      byStatus({ 200: 'retry' }),
    );
    expect(attempts).toBe(1);
    expect([at, last]).toMatchObject([0, { code: 'API_STATUS', retryAfterSeconds: 500 }]);
  });
});
