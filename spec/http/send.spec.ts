import { BehaviorSubject, VirtualTimeScheduler, firstValueFrom, map, of, tap } from 'rxjs';
import { createSharedLimits } from '../../src/http/rates/limit';
import { createConnections } from '../../src/http/transport/transport';
import { createSender } from '../../src/http/send';
import type { SenderOptions } from '../../src/http/send';
import type { Credentials, CredentialSource, Send } from '../../src/core/model';
import { useNock } from '../support/nock';
import { aRequest, aResponse, HOME, recorder, secretsOf, UNLIMITED_RETRIES } from '../support/requests';
import { inVirtualTime, senderOver } from '../support/sender';

const nock = useNock();

const bearer = (token: string): Credentials => ({
  apply: (request) => ({ ...request, headers: { ...request.headers, authorization: `Bearer ${token}` } }),
  refusedBy: [401],
});

function source(): CredentialSource {
  const credentials$ = new BehaviorSubject(bearer('t1'));
  return { credentials$, invalidate: () => credentials$.next(bearer('t2')) };
}

function sender(options: Partial<SenderOptions> = {}) {
  const { events, report } = recorder();
  const made = createSender({
    connections: createConnections({}),
    userAgent: 'headwater/1.2.3',
    requestTimeoutMs: 5000,
    baseUrl: `${HOME}/`,
    credentialHosts: [],
    requestableHosts: [],
    retry: { maxRetries: 3, header: 'Retry-After', statusCodes: [503], curlCodes: [56], ...UNLIMITED_RETRIES },
    report,
    secrets: secretsOf(),
    ...options,
  });
  return { ...made, events };
}

const errorOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => undefined,
    (error: unknown) => error,
  );

describe('a sender', () => {
  it('language 2.7: each attempt takes the credentials of its moment', async () => {
    const past = 'Thu, 01 Jan 2015 00:00:00 GMT';
    nock(HOME, { reqheaders: { authorization: 'Bearer t1' } })
      .get('/items')
      .reply(503, '', { 'Retry-After': past });
    nock(HOME, { reqheaders: { authorization: 'Bearer t1' } })
      .get('/items')
      .reply(401);
    nock(HOME, { reqheaders: { authorization: 'Bearer t2' } })
      .get('/items')
      .reply(200, []);

    const { pages, events } = sender();
    const response = await firstValueFrom(pages(source())(aRequest()));
    expect(response).toMatchObject({ status: 200, request: aRequest() });
    expect(events.map(({ type }) => type)).toEqual([
      'request.sent',
      'response.received',
      'retry.scheduled',
      'request.sent',
      'response.received',
      'request.sent',
      'response.received',
    ]);
  });

  it('language 2.6: a redirect to a host that may not receive credentials is refused, for pages and logins', async () => {
    nock(HOME).get('/items').twice().reply(302, '', { Location: 'https://evil.example/' });
    const { pages, logins } = sender();
    expect(await errorOf(firstValueFrom(pages(source())(aRequest())))).toMatchObject({ code: 'ORIGIN_REFUSED' });
    expect(await errorOf(firstValueFrom(logins(aRequest())))).toMatchObject({ code: 'ORIGIN_REFUSED' });
  });

  it('specification 4.1: logins carry no credentials and are retried', async () => {
    const past = 'Thu, 01 Jan 2015 00:00:00 GMT';
    nock(HOME, { badheaders: ['authorization'] })
      .get('/login')
      .reply(503, '', { 'Retry-After': past });
    nock(HOME, { badheaders: ['authorization'] })
      .get('/login')
      .reply(200, {});
    const { logins } = sender();
    const response = await firstValueFrom(logins(aRequest({ url: `${HOME}/login`, purpose: { kind: 'login' } })));
    expect(response.status).toBe(200);
  });

  it('docs/language/rate-limits.md: one page after another has its turn; a login passes; signatures come after the wait', async () => {
    const log: string[] = [];
    nock(HOME).get('/login').reply(200, {});
    nock(HOME)
      .get('/items')
      .times(2)
      .reply(200, () => {
        log.push('answer /items');
        return [];
      });
    const { pages, logins } = sender({
      limits: { plan: { maxRequests: 1, rates: [] }, shared: createSharedLimits() },
      sign: (request) => {
        log.push(`sign ${new URL(request.url).pathname}`);
        return request;
      },
    });
    const login$ = logins(aRequest({ url: `${HOME}/login`, purpose: { kind: 'login' } }));
    const page$ = pages(undefined)(aRequest());
    await Promise.all([firstValueFrom(page$), firstValueFrom(page$), firstValueFrom(login$)]);
    expect(log).toEqual(['sign /items', 'sign /login', 'answer /items', 'sign /items', 'answer /items']);
  });

  it('docs/language/rate-limits.md: a request takes its credentials when its turn has come, and waits for a login then', async () => {
    nock(HOME).get('/login').times(2).reply(200, {});
    nock(HOME).get('/items').times(2).reply(200, []);
    const log: string[] = [];
    const { pages, logins } = sender({
      limits: { plan: { maxRequests: 1, rates: [] }, shared: createSharedLimits() },
    });
    const credentials$ = logins(aRequest({ url: `${HOME}/login`, purpose: { kind: 'login' } })).pipe(
      map((): Credentials => ({ refusedBy: [401], apply: (request) => request })),
      tap(() => log.push('logged in')),
    );
    const page$ = pages({ credentials$, invalidate: () => undefined })(aRequest()).pipe(tap(() => log.push('page')));
    await Promise.all([firstValueFrom(page$), firstValueFrom(page$)]);
    expect(log).toEqual(['logged in', 'page', 'logged in', 'page']);
  });

  it('docs/language/rate-limits.md: a redirect counts for the rates on its own', async () => {
    const clock = new VirtualTimeScheduler();
    const { events, report } = recorder();
    const answer: Send = (request) =>
      of(
        request.url.endsWith('/items')
          ? aResponse({ request, status: 302, headers: { location: '/b' } })
          : aResponse({ request }),
      );
    const { pages } = senderOver(answer, {
      limits: { plan: { rates: [{ rate: { requests: 1, seconds: 2 } }] }, shared: createSharedLimits(clock) },
      ...{ report, scheduler: clock },
    });
    await inVirtualTime(clock, firstValueFrom(pages(undefined)(aRequest())));
    expect(events).toMatchObject([{ type: 'request.held', url: `${HOME}/b`, waitedMilliseconds: 2000 }]);
  });

  it.each([
    ['0, and so by a second attempt behind the reset', '0', [60_000, 200]],
    ['3: the request itself is refused', '3', [0, 403]],
  ])('docs/language/rate-limits.md: a 403 beside a rest of %s', async (_, left, expected) => {
    const clock = new VirtualTimeScheduler();
    const refused = aResponse({ status: 403, headers: { 'x-left': left, 'x-reset': '60' } });
    const answers = [refused, aResponse()];
    const { pages } = senderOver(() => of(answers.shift() ?? aResponse({ status: 500 })), {
      retry: { maxRetries: 3, header: 'Retry-After', statusCodes: [], curlCodes: [], ...UNLIMITED_RETRIES },
      limits: {
        plan: { rates: [{ headers: { remaining: 'X-Left', reset: 'X-Reset' } }] },
        shared: createSharedLimits(clock),
      },
      scheduler: clock,
    });
    const { status } = await inVirtualTime(clock, firstValueFrom(pages(undefined)(aRequest())));
    expect([clock.now(), status]).toEqual(expected);
  });

  it('language 1.6: the requestableHosts covers logins and pages', async () => {
    const { pages, logins } = sender({ requestableHosts: [{ host: 'other.example' }] });
    expect(await errorOf(firstValueFrom(pages(undefined)(aRequest())))).toMatchObject({ code: 'HOST_REFUSED' });
    expect(await errorOf(firstValueFrom(logins(aRequest())))).toMatchObject({ code: 'HOST_REFUSED' });
  });
});
