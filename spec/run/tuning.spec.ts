/** `tune`, while runs go on, against real servers. */
import { setTimeout as wait } from 'node:timers/promises';
import { BehaviorSubject, concat, EMPTY, lastValueFrom, of, Subject, throwError, timer, toArray, map } from 'rxjs';
import type { Observable } from 'rxjs';
import { client, extract } from '../../src';
import type { Extraction, ExtractOptions, RunEvent, TuneSettings } from '../../src';
import { afterDelay, json, together } from '../support/answers';
import type { Answer } from '../support/answers';
import { startServer } from '../support/api-server';
import type { ApiServer, ReceivedRequest } from '../support/api-server';

describe('tune', () => {
  let server: ApiServer;
  let load: { inFlight: number; most: number; readonly arrivals: number[] };
  const serve = async (answer: (request: ReceivedRequest) => Answer): Promise<void> => {
    load = { inFlight: 0, most: 0, arrivals: [] };
    server = await startServer((request) => async (response) => {
      load.inFlight += 1;
      load.most = Math.max(load.most, load.inFlight);
      load.arrivals.push(performance.now());
      response.once('close', () => (load.inFlight -= 1));
      await answer(request)(response);
    });
  };
  afterEach(() => server.close());

  const itemsOf = (count: number): object[] => Array.from({ length: count }, (_, id) => ({ id: `i${id}` }));
  const slowly: (request: ReceivedRequest) => Answer = () => afterDelay(20, json([{ id: 1 }]));
  const at = (config: object, options: ExtractOptions = {}, api: object = {}): Extraction =>
    extract({ api: { baseUrl: `${server.origin}/`, ...api }, config }, options);
  const several = (count: number): object => ({
    jobs: Array.from({ length: count }, (_, number) => ({ id: `j${number}`, endpoint: `p${number}` })),
  });
  const done = (extraction: Extraction): Promise<unknown[]> => lastValueFrom(extraction.items$.pipe(toArray()));
  const errorOf = (promise: Promise<unknown>): Promise<unknown> =>
    promise.then(
      () => undefined,
      (error: unknown) => error,
    );

  /** Is paused as soon as its first request is sent: no other one can be, however slow the machine is. */
  const pausedAtFirst = (
    config: object,
    settings: TuneSettings,
    options: ExtractOptions = {},
    api = {},
  ): Extraction => {
    let sent = 0;
    const onEvent = ({ type }: RunEvent): void => {
      if (type === 'request.sent' && (sent += 1) === 1) extraction.tune(settings);
    };
    const extraction = at(config, { ...options, onEvent }, api);
    return extraction;
  };

  describe('paused', () => {
    it('nothing starts until it is over; what is in flight ends', async () => {
      await serve(slowly);
      const extraction = pausedAtFirst(several(3), { paused: true });
      const items = done(extraction);
      await server.received(0);
      await wait(120);
      expect(server.requests).toHaveLength(1);
      extraction.tune({ paused: false });
      expect(await items).toHaveLength(3);
    });

    it('one job alone; a retry waits as well', async () => {
      let failed = 0;
      const past = { 'retry-after': 'Thu, 01 Jan 2015 00:00:00 GMT' };
      await serve(({ url }) =>
        url === '/p0' && (failed += 1) === 1 ? afterDelay(30, json({}, 503, past)) : slowly({} as ReceivedRequest),
      );
      const extraction = pausedAtFirst(several(2), { job: 'j0', paused: true }, { concurrency: 2 });
      const items = done(extraction);
      await server.received(1);
      await wait(150);
      expect(server.requests.map(({ url }) => url).sort()).toEqual(['/p0', '/p1']);
      extraction.tune({ job: 'j0', paused: false });
      expect(await items).toHaveLength(2);
      expect(server.requests).toHaveLength(3);
    });

    it('a run that is paused does not log in', async () => {
      await serve(({ url }) => (url === '/login' ? json({ token: 't' }) : slowly({} as ReceivedRequest)));
      const authentication = {
        type: 'login',
        loginRequest: { endpoint: 'login' },
        apiRequest: { headers: { 'x-token': 'token' } },
      };
      const extraction = at(several(3), { concurrency: 3 }, { authentication });
      extraction.tune({ paused: true });
      const items = done(extraction);
      await wait(100);
      expect(server.requests).toHaveLength(0);
      extraction.tune({ paused: false });
      expect(await items).toHaveLength(3);
    });

    it('requests that wait for a rate already are paused, too', async () => {
      await serve(slowly);
      const http = { rateLimit: { requests: 1, seconds: 0.1 } };
      const extraction = pausedAtFirst(several(3), { paused: true }, { concurrency: 3 }, { http });
      const items = done(extraction);
      await server.received(0);
      await wait(350);
      expect(server.requests).toHaveLength(1);
      extraction.tune({ paused: false });
      expect(await items).toHaveLength(3);
    });

    it('a paused run of a client holds up neither its login nor other runs', async () => {
      await serve(slowly);
      const acme = client({ baseUrl: `${server.origin}/` });
      const [held, free] = [acme.extract(several(1)), acme.extract(several(1))];
      held.tune({ paused: true });
      const items = done(held);
      expect(await done(free)).toHaveLength(1);
      acme.tune({ paused: true });
      held.tune({ paused: false });
      await wait(60);
      expect(server.requests).toHaveLength(1);
      acme.tune({ paused: false });
      expect(await items).toHaveLength(1);
      await acme.close();
    });
  });

  describe('rate', () => {
    it('spaces requests evenly, and can be changed while they wait', async () => {
      await serve(() => json([{ id: 1 }]));
      const extraction = at(several(5), { concurrency: 5 });
      extraction.tune({ rate: 10 });
      const begun = performance.now();
      const items = done(extraction);
      await server.received(2);
      // A busy machine delays arrivals, the first one as well: only the time since the start has a least value.
      const sinceStart = load.arrivals.map((moment) => moment - begun);
      expect(sinceStart[1]).toBeGreaterThan(90);
      expect(sinceStart[2]).toBeGreaterThan(190);
      // The next request would wait for a quarter of an hour.
      extraction.tune({ rate: 0.001 });
      extraction.tune({ rate: Infinity });
      expect(await items).toHaveLength(5);
    });

    it('priority: of those who wait, the highest goes first, also among extractions of a client', async () => {
      await serve(() => json([{ id: 1 }]));
      const acme = client({ baseUrl: `${server.origin}/` }, { paused: true });
      const extractions = ['low', 'high', 'urgent'].map((id) => acme.extract({ jobs: [{ id, endpoint: id }] }));
      extractions[1]?.tune({ priority: 1 });
      const urgent = new BehaviorSubject(2);
      extractions[2]?.tune({ job: 'urgent', priority: urgent });
      const items = Promise.all(extractions.map(done));
      acme.tune({ concurrency: 1, paused: false });
      expect(await items).toHaveLength(3);
      expect(server.requests.map(({ url }) => url)).toEqual(['/urgent', '/high', '/low']);
      await acme.close();
    });

    it('of one job', async () => {
      await serve(() => json([{ id: 1 }]));
      const parents = {
        id: 'all',
        endpoint: 'all',
        children: [{ id: 'one', endpoint: 'one/{i}', placeholders: { i: 'id' } }],
      };
      const extraction = at({ jobs: [parents] });
      extraction.tune({ job: 'one', rate: 5, concurrency: undefined });
      const begun = performance.now();
      await done(extraction);
      await done(extraction);
      expect(performance.now() - begun).toBeGreaterThan(180);
    });
  });

  describe('parallel, prefetch, concurrency', () => {
    const pages = (config: object = {}, options: ExtractOptions = {}): Extraction =>
      at({ jobs: [{ id: 'pages', endpoint: 'p' }], ...config }, options, {
        pagination: { method: 'offset', limit: 10 },
      });
    const full = ({ url }: ReceivedRequest): Answer => {
      const offset = Number(new URL(url, server.origin).searchParams.get('offset') ?? 0);
      return afterDelay(60, json(itemsOf(offset < 100 ? 10 : 0).map((_, id) => ({ id: offset + id }))));
    };

    it('parallel: pages are requested ahead from then on, and stay in order', async () => {
      await serve(full);
      const extraction = pages();
      const items = done(extraction);
      await server.received(1);
      expect(load.most).toBe(1);
      extraction.tune({ job: 'pages', parallel: 4 });
      expect(await items).toEqual(Array.from({ length: 100 }, (_, id) => ({ id })));
      expect(load.most).toBe(4);
    });

    it('prefetch: pages that may wait for who pulls', async () => {
      await serve(full);
      const extraction = pages();
      extraction.tune({ prefetch: 5 });
      const pulled = extraction.pages()[Symbol.asyncIterator]();
      await pulled.next();
      await server.received(5);
      await wait(200);
      expect(server.requests).toHaveLength(1 + 5);
      await pulled.return?.();
    });

    it('options: an Observable that completes keeps its last value, and one that fails fails the run', async () => {
      const four = together(4, json([{ id: 1 }]));
      await serve(() => four);
      const growing = concat(of(1), timer(30).pipe(map(() => 4)));
      expect(await done(at(several(12), { concurrency: growing }))).toHaveLength(12);
      expect(load.most).toBe(4);
      const broken = concat(
        of(1),
        timer(30).pipe(
          map(() => {
            throw new Error('no more numbers');
          }),
        ),
      );
      expect(await errorOf(done(at(several(12), { concurrency: broken })))).toMatchObject({
        message: 'no more numbers',
      });
      const wrong = new BehaviorSubject(0);
      expect(
        await errorOf(done(at(several(2), { prefetch: wrong as Observable<number>, concurrency: wrong }))),
      ).toBeInstanceOf(RangeError);
    });

    it('Infinity: all jobs at once', async () => {
      // It answers none before the sixth.
      const six = together(6, json([{ id: 1 }]));
      await serve(() => six);
      expect(await done(at(several(6), { concurrency: Infinity }))).toHaveLength(6);
    });

    it('nothing starts before the first number of an Observable: jobs, calls of children, requests of a client', async () => {
      await serve(({ url }) => (url === '/all' ? json(itemsOf(2)) : json([{ id: 1 }])));
      const withNumber = async (
        extraction: Extraction,
        settle: (number: Subject<number>) => void,
        sent: number,
      ): Promise<unknown[]> => {
        const number = new Subject<number>();
        settle(number);
        const before = server.requests.length;
        const items = done(extraction);
        if (sent > 0) await server.received(before + sent - 1);
        await wait(60);
        expect(server.requests).toHaveLength(before + sent);
        number.next(2);
        return items;
      };
      const jobs = at(several(2));
      expect(await withNumber(jobs, (concurrency) => jobs.tune({ concurrency }), 0)).toHaveLength(2);
      const children = [{ id: 'one', endpoint: 'one/{i}', placeholders: { i: 'id' } }];
      const parent = at({ jobs: [{ id: 'all', endpoint: 'all', concurrency: 'auto', children }] });
      expect(await withNumber(parent, (concurrency) => parent.tune({ job: 'all', concurrency }), 1)).toHaveLength(4);
      const acme = client({ baseUrl: `${server.origin}/` });
      const ofClient = acme.extract(several(2));
      expect(await withNumber(ofClient, (concurrency) => acme.tune({ concurrency }), 0)).toHaveLength(2);
      await acme.close();
    });

    it('an Observable of numbers that ends without one fails the run; one that had one keeps it in the next run', async () => {
      await serve(slowly);
      expect(await errorOf(done(at(several(1), { concurrency: EMPTY })))).toEqual(
        new RangeError('concurrency: its Observable has ended without a value, so nothing can start'),
      );
      const concurrency = new Subject<number>();
      const extraction = at(several(1), { concurrency });
      const items = done(extraction);
      concurrency.next(1);
      concurrency.complete();
      expect(await items).toHaveLength(1);
      expect(await done(extraction)).toHaveLength(1);
    });

    it('an Observable is listened to while a run goes on, and not otherwise', async () => {
      await serve(slowly);
      const rate = new Subject<number>();
      const extraction = at(several(2));
      extraction.tune({ rate });
      expect(rate.observed).toBe(false);
      const items = done(extraction);
      expect(rate.observed).toBe(true);
      await items;
      expect(rate.observed).toBe(false);
      extraction.tune({ rate: 100 });
      const again = done(extraction);
      expect(rate.observed).toBe(false);
      await again;
    });

    it('auto: as many calls of children as the API takes, and fewer where it refuses', async () => {
      const least = { 'retry-after': 'Thu, 01 Jan 2015 00:00:00 GMT' };
      await serve(({ url }) => {
        if (url === '/all') return json(itemsOf(300));
        return load.inFlight > 12 ? json({}, 429, least) : afterDelay(8, json([{ id: 1 }]));
      });
      const children = [{ id: 'one', endpoint: 'one/{i}', placeholders: { i: 'id' } }];
      const extraction = at({ jobs: [{ id: 'all', endpoint: 'all', concurrency: 'auto', children }] });
      expect(await done(extraction)).toHaveLength(600);
      expect(load.most).toBeGreaterThan(3);
      expect(load.most).toBeLessThan(40);
      const refused = server.requests.length - 301;
      expect(refused).toBeLessThan(60);
    });

    it('auto for jobs at once, from the options, and for the requests of a client', async () => {
      await serve(slowly);
      expect(await done(at(several(60), { concurrency: 'auto' }))).toHaveLength(60);
      // How far it rises depends on how fast the machine is; the specs of `adaptiveLimit` have a virtual time.
      expect(load.most).toBeGreaterThan(3);
      expect(load.most).toBeLessThan(60);
      load.most = 0;
      const acme = client({ baseUrl: `${server.origin}/` }, { concurrency: 'auto' });
      await Promise.all(Array.from({ length: 40 }, () => done(acme.extract(several(1)))));
      expect(load.most).toBeGreaterThan(3);
      expect(load.most).toBeLessThan(40);
      await acme.close();
    });

    it('auto stays where a number is refused', async () => {
      await serve(slowly);
      const extraction = at(several(60), { concurrency: 'auto' });
      expect(() => extraction.tune({ concurrency: 0 })).toThrow(RangeError);
      expect(await done(extraction)).toHaveLength(60);
      expect(load.most).toBeGreaterThan(3);
    });
  });

  it.each<[object, string]>([
    [{ job: 'nobody', rate: 1 }, 'tune: there is no job with the id "nobody"'],
    [{ job: 'plain', concurrency: 2 }, 'tune: "concurrency" does nothing: the job has no children'],
    [{ job: 'plain', parallel: 2 }, 'tune: "parallel" does nothing: pages are found one by one'],
    [{ parallel: 2 }, 'tune: "parallel" does nothing: pages are found one by one'],
    [{ concurency: 2 }, 'tune: there is no setting "concurency" here'],
    [{ concurrency: 0 }, 'concurrency: expected an integer from 1, Infinity or "auto", found 0'],
    [{ concurrency: 1.5 }, 'concurrency: expected an integer from 1, Infinity or "auto", found 1.5'],
    [{ concurrency: 'all' }, 'concurrency: expected an integer from 1, Infinity or "auto", found all'],
    [{ prefetch: -1 }, 'prefetch: expected an integer from 0, found -1'],
    [{ rate: 0 }, 'rate: expected a number above 0, found 0'],
    [{ paused: 1 }, 'paused: expected true or false, found 1'],
    [{ priority: NaN }, 'priority: expected a number, found NaN'],
  ])('refuses %j', async (settings, message) => {
    await serve(slowly);
    const extraction = at({ jobs: [{ id: 'plain', endpoint: 'p' }] });
    expect(() => extraction.tune(settings as TuneSettings)).toThrow(RangeError);
    expect(() => extraction.tune(settings as TuneSettings)).toThrow(message);
  });

  it('sets nothing where one of several settings is a fault of its place', async () => {
    await serve(slowly);
    const extraction = at(several(1));
    expect(() => extraction.tune({ job: 'j0', paused: true, parallel: 2 })).toThrow(RangeError);
    expect(await done(extraction)).toHaveLength(1);
    expect(await errorOf(done(at(several(1), { concurrency: throwError(() => new Error('x')) })))).toBeInstanceOf(
      Error,
    );
  });
});
