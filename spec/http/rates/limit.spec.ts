import { defer, lastValueFrom, merge, of, throwError, timer, map, mergeMap, VirtualTimeScheduler } from 'rxjs';
import type { Observable } from 'rxjs';
import type { RunEvent } from '../../../src/core/events';
import { createSharedLimits, createLimits } from '../../../src/http/rates/limit';
import type { Request, Response } from '../../../src/core/model';
import type { LimitsPlan, RatePlan } from '../../../src/plan/plan';
import { aRequest, aResponse, HOME, recorder, secretsOf, UNLIMITED_RETRIES } from '../../support/requests';
import { inVirtualTime, senderOver } from '../../support/sender';

type Answer = Partial<Pick<Response, 'status' | 'headers'>>;

/** Begins on 1 January 2024, so that moments of dates and moments of the clock are one. */
const START = Date.UTC(2024, 0, 1);

class Clock extends VirtualTimeScheduler {
  override now = (): number => START + this.frame;
}

const page = (path: string, job = 'items'): Request =>
  aRequest({ url: path.startsWith('/') ? `${HOME}${path}` : path, purpose: { kind: 'page', job } });
const aLogin = aRequest({ url: `${HOME}/login`, purpose: { kind: 'login' } });

/** A server that takes `ms` for each answer, behind a limit. */
function server(plan: Partial<LimitsPlan>, { ms = 100, answers = [] as readonly Answer[], clock = new Clock() } = {}) {
  const { events, report } = recorder();
  const secrets = secretsOf('s3cret-key');
  const shared = createSharedLimits(clock);
  const context = { shared, baseUrl: `${HOME}/`, retryHeader: 'Retry-After', report, secrets };
  const log: string[] = [];
  let [inFlight, most, count] = [0, 0, 0];
  const time = (): number => clock.now() - START;
  const transport = (request: Request): Observable<Response> =>
    defer(() => {
      const answer = answers[count];
      count += 1;
      inFlight += 1;
      most = Math.max(most, inFlight);
      log.push(`${time()} ${new URL(request.url).pathname}`);
      return timer(ms, clock).pipe(
        map(() => {
          inFlight -= 1;
          return aResponse({ ...answer, request });
        }),
      );
    });
  const send = createLimits({ rates: [], ...plan }, context).turns(transport);
  return {
    clock,
    events,
    report,
    secrets,
    send,
    context,
    transport,
    /** Sends a request at a moment. */
    at: (moment: number, request: Request, through = send) => {
      clock.schedule(() => through(request).subscribe({ error: () => undefined }), moment);
    },
    /** When which path was requested. */
    run: (): readonly string[] => {
      clock.flush();
      return log;
    },
    most: () => most,
  };
}

const ofType = (events: readonly RunEvent[], type: RunEvent['type']): readonly RunEvent[] =>
  events.filter((event) => event.type === type);

describe('docs/language/rate-limits.md: caps', () => {
  it('at most maxRequests are in flight, whatever they are for; the order is kept', () => {
    const api = server({ maxRequests: 2 });
    for (const request of [page('/a'), aLogin, page('https://files.example/b'), page('/c', 'other')])
      api.at(0, request);
    expect(api.run()).toEqual(['0 /a', '0 /login', '100 /b', '100 /c']);
    expect(api.most()).toBe(2);
  });

  it('at most maxRequestsPerOrigin go to one origin, and do not hold up those to another', () => {
    const api = server({ maxRequests: 2, maxRequestsPerOrigin: 1 });
    for (const request of [page('/a'), page('/b'), page('https://files.example/c'), page('https://files.example/d')])
      api.at(0, request);
    expect(api.run()).toEqual(['0 /a', '0 /c', '100 /b', '100 /d']);
  });

  it('a request that fails is over', () => {
    const { context } = server({});
    const send = createLimits({ maxRequests: 1, rates: [] }, context).turns(() => throwError(() => new Error('down')));
    const seen = jest.fn();
    send(page('/a')).subscribe({ error: seen });
    send(page('/b')).subscribe({ error: seen });
    expect(seen).toHaveBeenCalledTimes(2);
  });

  it('a request that is given up while it waits is never sent', () => {
    const api = server({ maxRequests: 1 });
    api.at(0, page('/a'));
    api.clock.schedule(() => {
      const waiting = api.send(page('/b')).subscribe();
      api.clock.schedule(() => waiting.unsubscribe(), 50);
    }, 1);
    api.at(2, page('/c'));
    expect(api.run()).toEqual(['0 /a', '100 /c']);
  });

  it('what is no URL is passed on, to be refused where addresses are', () => {
    const api = server({ maxRequestsPerOrigin: 1, rates: [{ rate: { requests: 1, seconds: 1 }, path: '/a' }] });
    const sent = jest.fn(() => of(aResponse()));
    createLimits({ maxRequests: 1, maxRequestsPerOrigin: 1, rates: [{ path: '/a' }] }, api.context)
      .turns(sent)(aRequest({ url: 'no url' }))
      .subscribe();
    expect(sent).toHaveBeenCalledTimes(1);
  });

  it('a request is not in flight during the pause before its retry', async () => {
    const api = server({}, { answers: [{ status: 503 }] });
    const { pages } = senderOver(api.transport, {
      limits: { plan: { maxRequests: 1, rates: [] }, shared: api.context.shared },
      retry: { maxRetries: 1, header: 'Retry-After', statusCodes: [503], curlCodes: [], ...UNLIMITED_RETRIES },
      scheduler: api.clock,
    });
    const both$ = merge(pages(undefined)(page('/a')), pages(undefined)(page('/b')));
    await inVirtualTime(api.clock, lastValueFrom(both$));
    expect(api.run()).toEqual(['0 /a', '100 /b', '1100 /a']);
  });

  it('a request that another follows lets it in: a redirect under a cap of 1', () => {
    const api = server({ maxRequests: 1 });
    const following = (request: Request) => api.send(request).pipe(mergeMap(() => api.send(page('/there'))));
    api.at(0, page('/a'), following);
    expect(api.run()).toEqual(['0 /a', '100 /there']);
  });
});

describe('docs/language/rate-limits.md: rates', () => {
  const two: RatePlan = { rate: { requests: 2, seconds: 1 } };

  it('at most so many requests start in any window; logins count', () => {
    const api = server({ rates: [two] }, { ms: 10 });
    for (const moment of [0, 900, 901, 902, 1500]) api.at(moment, moment === 900 ? aLogin : page(`/${moment}`));
    expect(api.run()).toEqual(['0 /0', '900 /login', '1000 /901', '1900 /902', '2000 /1500']);
  });

  it('a rate by path counts the requests whose path it matches, and holds up no others', () => {
    const api = server({ rates: [{ rate: { requests: 1, seconds: 1 }, path: '/v1/search/**' }] }, { ms: 10 });
    for (const path of ['/v1/search/a?q=1', '/v1/search/b/c', '/v1/items', '/v1/search']) api.at(0, page(path));
    expect(api.run()).toEqual(['0 /v1/search/a', '0 /v1/items', '1000 /v1/search/b/c', '2000 /v1/search']);
  });

  it('a rate of a job counts the requests of that job', () => {
    const api = server({ rates: [{ rate: { requests: 1, seconds: 1 }, job: 'slow' }] }, { ms: 10 });
    for (const [path, job] of [
      ['/a', 'slow'],
      ['/b', 'slow'],
      ['/c', 'quick'],
    ] as const)
      api.at(0, page(path, job));
    api.at(0, aLogin);
    expect(api.run()).toEqual(['0 /a', '0 /c', '0 /login', '1000 /b']);
  });

  it('several rates count at once', () => {
    const api = server({ rates: [{ rate: { requests: 2, seconds: 1 } }, { rate: { requests: 3, seconds: 10 } }] });
    for (const path of ['/a', '/b', '/c', '/d']) api.at(0, page(path));
    expect(api.run()).toEqual(['0 /a', '0 /b', '1000 /c', '10000 /d']);
  });

  it('iterations at the same base URL share their rates, those at another have their own', () => {
    const api = server({ rates: [two] }, { ms: 10 });
    const next = createLimits({ rates: [two] }, api.context).turns(api.transport);
    const elsewhere = createLimits({ rates: [two] }, { ...api.context, baseUrl: 'https://b.example/' }).turns;
    api.at(0, page('/a'));
    api.at(0, page('/b'));
    api.at(500, page('/c'), next);
    api.at(500, page('/d'), elsewhere(api.transport));
    expect(api.run()).toEqual(['0 /a', '0 /b', '500 /d', '1000 /c']);
  });
});

describe('docs/language/rate-limits.md: what responses say', () => {
  const ten: RatePlan = { rate: { requests: 10, seconds: 1 } };
  const reported: RatePlan = { headers: { remaining: 'X-RateLimit-Remaining', reset: 'X-RateLimit-Reset' } };
  const tooMany = (headers: Answer['headers'] = {}): Answer => ({ status: 429, headers });

  it('a 429 pauses its rates until its Retry-After, and halves them', () => {
    const api = server({ rates: [ten] }, { answers: [tooMany({ 'retry-after': '3' })] });
    api.at(0, page('/a'));
    for (let n = 0; n < 7; n += 1) api.at(200, page(`/${n}`));
    expect(api.run().map((line) => line.split(' ')[0])).toEqual(['0', ...Array<string>(7).fill('3100')]);
  });

  it('a 429 without a hint only halves them', () => {
    const api = server({ rates: [{ rate: { requests: 4, seconds: 1 } }] }, { ms: 10, answers: [tooMany()] });
    api.at(0, page('/a'));
    for (let n = 0; n < 4; n += 1) api.at(100, page(`/${n}`));
    expect(api.run()).toEqual(['0 /a', '100 /0', '1000 /1', '1100 /2', '2000 /3']);
  });

  it('a 429 of one path pauses the rates of that path alone', () => {
    const search: RatePlan = { rate: { requests: 10, seconds: 1 }, path: '/search' };
    const items: RatePlan = { rate: { requests: 10, seconds: 1 }, path: '/items' };
    const api = server({ rates: [search, items] }, { answers: [tooMany({ 'retry-after': '5' })] });
    api.at(0, page('/search'));
    api.at(200, page('/items'));
    api.at(200, page('/search'));
    expect(api.run()).toEqual(['0 /search', '200 /items', '5100 /search']);
  });

  it('without a rate nothing pauses', () => {
    const api = server({}, { answers: [tooMany({ 'retry-after': '5' })] });
    api.at(0, page('/a'));
    api.at(200, page('/b'));
    expect(api.run()).toEqual(['0 /a', '200 /b']);
    expect(api.events).toEqual([]);
  });

  it('the retry header is the one that the configuration names; without it the reset says until when', () => {
    const headers = { 'x-wait': '4', 'retry-after': '9', 'x-ratelimit-reset': '7' };
    const answers = [tooMany(headers)];
    const api = server({}, { answers });
    const send = createLimits({ maxRequests: 9, rates: [ten] }, { ...api.context, retryHeader: 'X-Wait' }).turns(
      api.transport,
    );
    api.at(0, page('/a'), send);
    api.at(200, page('/b'), send);
    expect(api.run()).toEqual(['0 /a', '4100 /b']);

    const reset = server(
      { rates: [{ headers: { reset: 'X-RateLimit-Reset' } }] },
      { answers: [tooMany({ 'x-ratelimit-reset': '7' })] },
    );
    reset.at(0, page('/a'));
    reset.at(200, page('/b'));
    expect(reset.run()).toEqual(['0 /a', '7100 /b']);
  });

  it('headers say what is left: no more start before the reset', () => {
    const left = (remaining: number): Answer => ({
      headers: { 'x-ratelimit-remaining': `${remaining}`, 'x-ratelimit-reset': '30' },
    });
    const api = server({ rates: [reported] }, { answers: [left(2), left(1), left(0)] });
    for (const moment of [0, 200, 300, 301, 302]) api.at(moment, page(`/${moment}`));
    expect(api.run()).toEqual(['0 /0', '200 /200', '300 /300', '30400 /301', '30400 /302']);
  });

  it('an answer does not know of the requests that started after it', () => {
    const left = (remaining: number): Answer => ({
      headers: { 'x-ratelimit-remaining': `${remaining}`, 'x-ratelimit-reset': '30' },
    });
    const api = server({ rates: [reported] }, { answers: [left(3), left(2), left(1)] });
    for (const moment of [0, 50, 60, 150, 151, 300]) api.at(moment, page(`/${moment}`));
    // At 100: 3 less the two under way. At 150 and 160 their answers say the same.
    expect(api.run()).toEqual(['0 /0', '50 /50', '60 /60', '150 /150', '30160 /151', '30160 /300']);
  });

  it('a rate with "remaining" alone counts for its seconds', () => {
    const plan: RatePlan = { rate: { requests: 9, seconds: 2 }, headers: { remaining: 'ratelimit-remaining' } };
    const api = server({ rates: [plan] }, { answers: [{ headers: { 'ratelimit-remaining': '0;w=2' } }] });
    api.at(0, page('/a'));
    api.at(200, page('/b'));
    expect(api.run()).toEqual(['0 /a', '2100 /b']);
  });

  it.each(['', 'many', '-1'])('a remaining of %j says nothing', (remaining) => {
    const headers = { 'x-ratelimit-remaining': remaining, 'x-ratelimit-reset': '30' };
    const api = server({ rates: [reported] }, { answers: [{ headers }] });
    api.at(0, page('/a'));
    api.at(200, page('/b'));
    expect(api.run()).toEqual(['0 /a', '200 /b']);
  });

  it('reports a request that waited, with secrets masked, and none that did not', () => {
    const api = server({ maxRequests: 1 });
    api.at(0, page('/a'));
    api.at(40, page('/b?key=s3cret-key'));
    api.run();
    const url = `${HOME}/b?key=***`;
    const purpose = { kind: 'page', job: 'items' };
    expect(api.events).toEqual([{ type: 'request.held', purpose, method: 'GET', url, waitedMilliseconds: 60 }]);
  });

  it('does not take the going of the clock for a wait', () => {
    const clock = new Clock();
    let ticks = 0;
    clock.now = () => START + (ticks += 1);
    const api = server({ maxRequests: 9 }, { clock });
    api.send(page('/a')).subscribe();
    expect(ticks).toBeGreaterThan(1);
    expect(api.events).toEqual([]);
  });

  it('reports a pause once, with its end and its reason', () => {
    const empty = (seconds: number): Answer => ({
      headers: { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': `${START / 1000 + seconds}` },
    });
    const api = server(
      { rates: [reported, ten] },
      { answers: [empty(30), empty(30), tooMany({ 'retry-after': '60' })] },
    );
    api.at(0, page('/a'));
    api.at(1, page('/b'));
    api.at(30_001, page('/c'));
    api.run();
    expect(ofType(api.events, 'requests.paused')).toEqual([
      {
        type: 'requests.paused',
        until: '2024-01-01T00:00:30.000Z',
        because: `the response to GET ${HOME}/a says that no request is left`,
      },
      {
        type: 'requests.paused',
        until: '2024-01-01T00:01:30.101Z',
        because: `GET ${HOME}/c was answered with status 429`,
      },
    ]);
  });
});
