import {
  BehaviorSubject,
  NEVER,
  Subject,
  VirtualTimeScheduler,
  defer,
  delay,
  firstValueFrom,
  map,
  of,
  throwError,
} from 'rxjs';
import type { Observable } from 'rxjs';
import { FatalError, RetryableError } from '../../src/core/errors/errors';
import type { CredentialSource, Credentials, Request, Response, Send } from '../../src/core/model';
import { createSharedLimits } from '../../src/http/rates/limit';
import type { SenderOptions } from '../../src/http/send';
import { HOME, UNLIMITED_RETRIES, aRequest, aResponse } from '../support/requests';
import { inVirtualTime, senderOver } from '../support/sender';

describe('authorize', () => {
  const OTHER = 'https://other.example';
  const getsCredentials = (url: string): boolean => new URL(url).origin === HOME;

  const token = (name: string, refusedBy: readonly number[] = [401]): Credentials => ({
    apply: (request) => ({ ...request, headers: { ...request.headers, authorization: name } }),
    refusedBy,
  });

  /** Gives `t1`, then a new token whenever the current one is refused. */
  function renewable(refusedBy?: readonly number[]) {
    const current = new BehaviorSubject(token('t1', refusedBy));
    let logins = 1;
    const refused: Credentials[] = [];
    const source: CredentialSource = {
      credentials$: current,
      invalidate: (credentials) => {
        refused.push(credentials);
        if (credentials === current.value) current.next(token(`t${(logins += 1)}`, refusedBy));
      },
    };
    return { source, refused, logins: () => logins };
  }

  /** Keeps what is sent, and answers by it. */
  function api(answer: (request: Request) => Partial<Response>) {
    const sent: string[] = [];
    const send: Send = (request) =>
      defer(() => {
        sent.push(`${String(request.headers['authorization'] ?? 'none')} ${request.url}`);
        return of(aResponse({ request, ...answer(request) }));
      });
    return { sent, send };
  }

  const ok = () => ({});
  const through = (source: CredentialSource | undefined, send: Send): Send => senderOver(send).pages(source);
  const statusOf = (response$: Observable<Response>): Promise<number> =>
    firstValueFrom(response$.pipe(map(({ status }) => status)));

  describe('specification 5: credentials of requests', () => {
    it('without a source, a request is sent as it is', async () => {
      const { sent, send } = api(ok);
      await firstValueFrom(through(undefined, send)(aRequest()));
      expect(sent).toEqual([`none ${HOME}/items`]);
    });

    it.each([
      ['without a source', undefined, HOME],
      ['to a place that may not receive credentials', renewable().source, OTHER],
    ])('a request %s follows redirects too', async (_, source, origin) => {
      const { sent, send } = api(({ url }) => (url.endsWith('/a') ? { status: 302, headers: { location: '/b' } } : {}));
      expect(await statusOf(through(source, send)(aRequest({ url: `${origin}/a`, home: origin })))).toBe(200);
      expect(sent).toEqual([`none ${origin}/a`, `none ${origin}/b`]);
    });

    it('a request carries the current credentials', async () => {
      const { sent, send } = api(ok);
      await firstValueFrom(through(renewable().source, send)(aRequest()));
      expect(sent).toEqual([`t1 ${HOME}/items`]);
    });

    it('asks for credentials when it is subscribed, not before, and each time', async () => {
      let logins = 0;
      const credentials$ = defer(() => of(token(`t${(logins += 1)}`)));
      const { sent, send } = api(ok);
      const response$ = through({ credentials$, invalidate: () => undefined }, send)(aRequest());
      expect(logins).toBe(0);
      await firstValueFrom(response$);
      await firstValueFrom(response$);
      expect(sent).toEqual([`t1 ${HOME}/items`, `t2 ${HOME}/items`]);
    });

    it('waits for credentials; a renewal does not abort a request that is under way', async () => {
      const credentials$ = new Subject<Credentials>();
      const reply = new Subject<Response>();
      const sent: unknown[] = [];
      const seen: number[] = [];
      through({ credentials$, invalidate: () => undefined }, (request) => {
        sent.push(request.headers['authorization']);
        return reply;
      })(aRequest()).subscribe(({ status }) => seen.push(status));
      expect(sent).toEqual([]);

      credentials$.next(token('t1'));
      credentials$.next(token('t2'));
      await new Promise(setImmediate);
      expect(sent).toEqual(['t1']);
      reply.next(aResponse());
      await new Promise(setImmediate);
      expect(seen).toEqual([200]);
    });

    it('the response names the request without its credentials', async () => {
      const { send } = api(ok);
      const response = await firstValueFrom(through(renewable().source, send)(aRequest()));
      expect(response.request).toEqual(aRequest());
    });
  });

  describe('a 401', () => {
    it('renews the credentials and repeats the request once', async () => {
      const { source, refused } = renewable();
      const { sent, send } = api(({ headers }) => ({ status: headers['authorization'] === 't1' ? 401 : 200 }));
      expect(await statusOf(through(source, send)(aRequest()))).toBe(200);
      expect(sent).toEqual([`t1 ${HOME}/items`, `t2 ${HOME}/items`]);
      expect(refused).toHaveLength(1);
    });

    it('is passed on the second time', async () => {
      const { source, refused } = renewable();
      const { sent, send } = api(() => ({ status: 401 }));
      expect(await statusOf(through(source, send)(aRequest()))).toBe(401);
      expect(sent).toHaveLength(2);
      expect(refused).toHaveLength(1);
    });

    it('of many requests with the same credentials renews them once', async () => {
      const { source, refused, logins } = renewable();
      const { sent, send } = api(({ headers }) => ({ status: headers['authorization'] === 't1' ? 401 : 200 }));
      const slow: Send = (request) => send(request).pipe(delay(1));
      const statuses = await Promise.all(Array.from({ length: 20 }, () => statusOf(through(source, slow)(aRequest()))));
      expect(new Set(statuses)).toEqual(new Set([200]));
      expect(refused).toHaveLength(20);
      expect(logins()).toBe(2);
      expect(sent).toHaveLength(40);
    });

    it('is passed on when it does not mean that the credentials are stale', async () => {
      const { source, refused } = renewable([403]);
      const { sent, send } = api(() => ({ status: 401 }));
      expect(await statusOf(through(source, send)(aRequest()))).toBe(401);
      expect(sent).toHaveLength(1);
      expect(refused).toEqual([]);
    });

    it('is passed on when a redirect led to a place that got no credentials', async () => {
      const { source, refused } = renewable();
      const { send } = api(({ url }) =>
        getsCredentials(url) ? { status: 302, headers: { location: `${OTHER}/x` } } : { status: 401 },
      );
      expect(await statusOf(through(source, send)(aRequest({ home: OTHER })))).toBe(401);
      expect(refused).toEqual([]);
    });
  });

  describe('language 2.6: where credentials go', () => {
    it('a place that may not receive credentials gets none, and none are asked for', async () => {
      const { sent, send } = api(ok);
      const source: CredentialSource = { credentials$: NEVER, invalidate: () => undefined };
      await firstValueFrom(through(source, send)(aRequest({ url: `${OTHER}/x` })));
      expect(sent).toEqual([`none ${OTHER}/x`]);
    });

    it('each hop of a redirect gets the same ones, if it may receive credentials', async () => {
      const locations = [`${HOME}/b`, `${OTHER}/c`, `${HOME}/d`];
      let logins = 0;
      const credentials$ = defer(() => of(token(`t${(logins += 1)}`)));
      const { sent, send } = api(() => {
        const location = locations.shift();
        return location === undefined ? {} : { status: 302, headers: { location } };
      });
      await firstValueFrom(through({ credentials$, invalidate: () => undefined }, send)(aRequest({ home: OTHER })));
      expect(sent).toEqual([`t1 ${HOME}/items`, `t1 ${HOME}/b`, `none ${OTHER}/c`, `t1 ${HOME}/d`]);
    });
  });

  describe('credentials that end while a hop is held back', () => {
    it('are replaced when the hop is sent, and not before', async () => {
      const clock = new VirtualTimeScheduler();
      let logins = 0;
      const credentials$ = defer(() => of({ ...token(`t${(logins += 1)}`), expiresAt: clock.now() + 150 }));
      const { sent, send } = api(({ url }) =>
        url.endsWith('/c') ? {} : { status: 302, headers: { location: url.endsWith('/items') ? '/b' : '/c' } },
      );
      const { pages } = senderOver(send, {
        limits: { plan: { rates: [{ rate: { requests: 1, seconds: 0.1 } }] }, shared: createSharedLimits(clock) },
        scheduler: clock,
      });
      await inVirtualTime(clock, statusOf(pages({ credentials$, invalidate: () => undefined })(aRequest())));
      expect(clock.now()).toBeGreaterThanOrEqual(200);
      expect(sent).toEqual([`t1 ${HOME}/items`, `t1 ${HOME}/b`, `t2 ${HOME}/c`]);
    });
  });

  describe('a failed login', () => {
    it.each([
      new RetryableError('NETWORK_TIMEOUT', 28, 'too slow'),
      new FatalError('API_STATUS', 'refused'),
      new TypeError('a defect'),
    ])('%s is passed on as it is, and the retries of the request do not see it', async (error) => {
      let logins = 0;
      const credentials$ = defer(() => {
        logins += 1;
        return throwError(() => error);
      });
      const retry = { maxRetries: 3, header: 'Retry-After', statusCodes: [], curlCodes: [28], ...UNLIMITED_RETRIES };
      const source: CredentialSource = { credentials$, invalidate: () => undefined };
      const response$ = senderOver(api(ok).send, { retry }).pages(source)(aRequest());
      const failure: unknown = await firstValueFrom(response$).catch((reason: unknown) => reason);
      expect(failure).toBe(error);
      expect(logins).toBe(1);
    });
  });

  describe('docs/language/responses.md#rules: what refuses credentials beside their statuses', () => {
    const ruleOf: NonNullable<SenderOptions['ruleOf']> = ({ body }) =>
      Buffer.from(body).toString() === 'expired' ? { when: {}, do: 'renew', path: 'api.http.rules[0]' } : undefined;
    const ruled = (source: CredentialSource, send: Send): Send => senderOver(send, { ruleOf }).pages(source);
    const answer = (good: string) => (request: Request) =>
      request.headers['authorization'] === good ? {} : { body: Buffer.from('expired') };

    it('renews them and repeats the request once', async () => {
      const { source, logins } = renewable();
      const { send, sent } = api(answer('t2'));
      expect(await statusOf(ruled(source, send)(aRequest()))).toBe(200);
      expect([logins(), sent.length]).toEqual([2, 2]);
      await statusOf(ruled(source, api(answer('never')).send)(aRequest()));
      expect(logins()).toBe(3);
    });

    it('credentials that cannot be renewed are not', async () => {
      const { source, logins } = renewable([]);
      const { send, sent } = api(answer('t2'));
      await statusOf(ruled(source, send)(aRequest()));
      expect([logins(), sent.length]).toEqual([1, 1]);
    });
  });
});

describe('docs/language/authentication.md#what-travels-where: signatures', () => {
  /** Answers everything and keeps it. */
  function api() {
    const sent: Request[] = [];
    const send: Send = (request) =>
      defer(() => {
        sent.push(request);
        return of(aResponse({ request }));
      });
    return { sent, send };
  }
  const signed = (sign: NonNullable<SenderOptions['sign']>, send: Send): Send =>
    senderOver(send, { sign }).pages(undefined);

  it('each attempt is signed for itself, and not before it is sent', async () => {
    let signatures = 0;
    const { sent, send } = api();
    const sign = (request: Request) => ({ ...request, headers: { 'x-signature': `${(signatures += 1)}` } });
    const attempt$ = signed(sign, send)(aRequest());
    expect(signatures).toBe(0);
    await firstValueFrom(attempt$);
    await firstValueFrom(attempt$);
    expect(sent.map(({ headers }) => headers['x-signature'])).toEqual(['1', '2']);
  });

  it('the response names the request without its signature', async () => {
    const request = aRequest();
    const signing = signed((unsigned) => ({ ...unsigned, headers: { authorization: 's' } }), api().send);
    expect((await firstValueFrom(signing(request))).request).toBe(request);
  });

  it('errors, of the signature or of what follows, are passed on', async () => {
    const failure = new TypeError('no');
    const failing: Send = () => throwError(() => failure);
    const refusing = (): never => {
      throw failure;
    };
    await expect(firstValueFrom(signed((request) => request, failing)(aRequest()))).rejects.toBe(failure);
    await expect(firstValueFrom(signed(refusing, api().send)(aRequest()))).rejects.toBe(failure);
  });
});
