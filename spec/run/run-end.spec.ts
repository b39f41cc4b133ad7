import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { catchError, EMPTY, identity, lastValueFrom, Subject, take, takeUntil, tap } from 'rxjs';
import { TestScheduler } from 'rxjs/testing';
import type { Destination, DurableSink, RunEvent } from '../../src';
import { deliver, extract, FatalError, sinks } from '../../src';
import { holdEnd, reportingFailure, reportingTo } from '../../src/run/run-end';
import { aPage } from '../support/pages';
import { runsOf } from '../support/cases';

const ENDS = ['run.finished', 'run.failed', 'run.cancelled'];
const marbles = (): TestScheduler => new TestScheduler((actual, expected) => expect(actual).toEqual(expected));

const started: RunEvent = { type: 'run.started', run: 'r', jobs: 1, startedAt: 0 };
const page: RunEvent = { type: 'page.extracted', run: 'r', page: aPage([1, 2]) };
const finished: RunEvent = { type: 'run.finished', run: 'r', pages: 1, items: 2, outcome: 'complete', jobs: [] };
const events = { s: started, p: page, f: finished };

describe('reportingFailure', () => {
  const failed: RunEvent = {
    type: 'run.failed',
    error: { name: 'FatalError', code: 'API_STATUS', recovery: 'fatal', message: 'no' },
    pages: 1,
    items: 2,
  };

  it.each([
    ['tells of an error before it', 's-p-#', 's-p-(x#)', '^---!'],
    ['tells nothing when the end was told', 's-p-f-#', 's-p-f-#', '^-----!'],
    ['passes a run on that ends well', 's-p-(f|)', 's-p-(f|)', '^---!'],
    ['passes nothing on of one that never begins', '-', '-', '^'],
    ['completes with an empty one', '|', '|', '(^!)'],
  ])('%s', (_, source, result, subscription) => {
    marbles().run(({ cold, expectObservable, expectSubscriptions }) => {
      const error = new FatalError('API_STATUS', 'no');
      const source$ = cold(source, events, error);
      expectObservable(source$.pipe(reportingFailure())).toBe(result, { ...events, x: failed }, error);
      expectSubscriptions(source$.subscriptions).toBe(subscription);
    });
  });
});

describe('reportingTo', () => {
  const cancelled: RunEvent = { type: 'run.cancelled', run: 'r', pages: 1, items: 2 };

  it.each<[string, string, string, RunEvent[]]>([
    ['tells of a consumer that leaves', 's-p-f|', '^--!', [started, page, cancelled]],
    ['tells nothing of one that leaves after the end', 's-p-f-|', '^----!', [started, page, finished]],
    ['tells nothing of a run that has not begun', '-s', '^!', []],
    ['tells nothing of one that ends by itself', 's-p-(f|)', '^------', [started, page, finished]],
  ])('%s', (_, source, subscription, reported) => {
    const received: RunEvent[] = [];
    marbles().run(({ cold, expectObservable }) => {
      const result$ = cold(source, events).pipe(reportingTo((event) => received.push(event)));
      expectObservable(result$, subscription);
    });
    expect(received).toEqual(reported);
  });
});

/** Carries requests: each path answers as it is told. */
const fetchOf =
  (answers: readonly Answer[]): typeof fetch =>
  async (input, init) => {
    const url = new URL(input instanceof Request ? input.url : input);
    const job = Number(url.pathname.slice(2));
    const answer = answers[job] ?? 'ok';
    const number = Number(url.searchParams.get('page') ?? 1);
    await new Promise((resolve) => setImmediate(resolve));
    init?.signal?.throwIfAborted();
    if (answer === 'hangs')
      return new Promise((__, reject) => init?.signal?.addEventListener('abort', () => reject(new Error('aborted'))));
    if (answer === 'breaks' && number === 2) throw new TypeError('fetch failed');
    if (answer === 'refuses' && number === 2) return new globalThis.Response('no', { status: 404 });
    if (answer === 'is no JSON' && number === 2) return new globalThis.Response('<', { status: 200 });
    return globalThis.Response.json(number > 3 ? [] : [{ id: number }]);
  };
type Answer = 'ok' | 'refuses' | 'breaks' | 'is no JSON' | 'hangs';

const config = (jobs: number) => ({
  api: {
    baseUrl: 'http://api.example/',
    pagination: { method: 'pagenum', limit: 1 },
    retryConfig: { maxRetries: 0 },
  },
  config: { jobs: Array.from({ length: jobs }, (_, at) => ({ endpoint: `j${at}` })) },
});

/** A run of each ending: random ones need not have all of them. */
const ENDINGS: [Answer[], number, 'unsubscribes' | 'aborts' | 'takes', number][] = [
  [['ok'], 1, 'takes', 40],
  [['refuses'], 1, 'takes', 40],
  [['ok'], 1, 'aborts', 2],
];

const anAnswer = fc.constantFrom<Answer>('ok', 'refuses', 'breaks', 'is no JSON', 'hangs');

describe('a run', () => {
  it('ends with exactly one event that says so, however it ends, and events join by their ids', async () => {
    const kinds = new Set<string>();
    await fc.assert(
      fc.asyncProperty(
        fc.array(anAnswer, { minLength: 1, maxLength: 3 }),
        fc.integer({ min: 1, max: 3 }),
        fc.constantFrom('unsubscribes', 'aborts', 'takes'),
        fc.integer({ min: 1, max: 40 }),
        async (answers, concurrency, leaves, after) => {
          const reported: RunEvent[] = [];
          const logged: string[] = [];
          const aborting = new AbortController();
          const left = new Subject<void>();
          const { events$ } = extract(config(answers.length), {
            fetch: fetchOf(answers),
            concurrency,
            signal: aborting.signal,
            onEvent: (event) => reported.push(event),
            logger: { log: (_, __, fields) => logged.push(String(fields?.['event'])) },
          });
          let count = 0;
          const leave = (): void =>
            leaves === 'aborts' ? aborting.abort() : leaves === 'unsubscribes' ? left.next() : undefined;
          // A request that hangs ends with the consumer.
          const timer = answers.includes('hangs') ? setTimeout(() => aborting.abort(), 30) : undefined;
          await lastValueFrom(
            events$.pipe(
              tap(() => {
                if ((count += 1) === after) leave();
              }),
              takeUntil(left),
              leaves === 'takes' ? take(after) : identity,
              catchError(() => EMPTY),
            ),
            { defaultValue: undefined },
          );
          clearTimeout(timer);
          const ends = reported.filter(({ type }) => ENDS.includes(type));
          expect(ends).toHaveLength(1);
          expect(reported.at(-1)).toBe(ends[0]);
          kinds.add(String(ends[0]?.type));
          expect(new Set(reported.map(({ run }) => run)).size).toBe(1);
          expect(logged.filter((type) => ENDS.includes(type))).toHaveLength(1);
          expectJoined(reported);
        },
      ),
      { numRuns: runsOf(150), examples: ENDINGS },
    );
    expect([...kinds].sort()).toEqual(ENDS.slice().sort());
  });
});

/** Each response and each failure belongs to one request that was sent before. */
function expectJoined(reported: readonly RunEvent[]): void {
  const sent = new Set<string>();
  for (const event of reported) {
    if (event.type === 'request.sent') {
      expect(sent.has(`${event.request}.${event.attempt}`)).toBe(false);
      sent.add(`${event.request}.${event.attempt}`);
    }
    if (event.type === 'response.received' || event.type === 'request.failed')
      expect(sent.delete(`${event.request}.${event.attempt}`)).toBe(true);
  }
}

describe('events of requests', () => {
  it('join the attempts of one request over a retry and a redirect', async () => {
    const reported: RunEvent[] = [];
    const answers = [
      new globalThis.Response('', { status: 503, headers: { 'retry-after': '0' } }),
      new globalThis.Response('', { status: 302, headers: { location: '/there' } }),
      globalThis.Response.json([{ id: 1 }]),
    ];
    const extraction = extract(
      {
        api: { baseUrl: 'http://api.example/', retryConfig: { httpRetryHeader: 'retry-after' } },
        config: { jobs: [{ endpoint: 'a' }] },
      },
      {
        fetch: () => Promise.resolve(answers.shift() ?? globalThis.Response.error()),
        onEvent: (event) => reported.push(event),
      },
    );
    await lastValueFrom(extraction.items$);
    const numbers = reported.flatMap((event) =>
      'attempt' in event ? [`${event.type} ${event.request}.${event.attempt}`] : [],
    );
    expect(numbers).toEqual([
      'request.sent 1.1',
      'response.received 1.1',
      'retry.scheduled 1.1',
      'request.sent 1.2',
      'response.received 1.2',
      'request.sent 1.3',
      'response.received 1.3',
    ]);
  });

  it('tell of an attempt that failed, of its job and of its run, with masked errors', async () => {
    const reported: RunEvent[] = [];
    const { pages$ } = extract(
      {
        api: { baseUrl: 'http://api.example/', retryConfig: { maxRetries: 0 } },
        config: { '#key': 'hidden-value', jobs: [{ endpoint: 'a/hidden-value' }] },
      },
      {
        fetch: () => Promise.reject(new TypeError('no way to hidden-value')),
        onEvent: (event) => reported.push(event),
      },
    );
    await expect(lastValueFrom(pages$)).rejects.toThrow();
    const failures = reported.filter((event) => 'error' in event);
    expect(failures.map(({ type, error }) => [type, error.code])).toEqual([
      ['request.failed', 'NETWORK_PROTOCOL'],
      ['job.failed', 'NETWORK_PROTOCOL'],
      ['run.failed', 'NETWORK_PROTOCOL'],
    ]);
    expect(JSON.stringify(reported)).not.toContain('hidden-value');
  });
});

describe('holdEnd', () => {
  const reported = (work: (end: ReturnType<typeof holdEnd>) => void): string[] => {
    const types: string[] = [];
    const end = holdEnd((event) => types.push(event.type));
    end.onEvent(started);
    work(end);
    return types;
  };
  const cancelled: RunEvent = { type: 'run.cancelled', run: 'r', pages: 0, items: 0 };

  it.each<[string, readonly RunEvent[], boolean | 'released', readonly string[]]>([
    ['a run that is committed', [finished], 'released', ['run.finished']],
    ['a commit that fails', [finished], false, ['run.failed']],
    ['a destination that takes no more', [cancelled], false, ['run.failed']],
    ['an interruption', [cancelled], true, ['run.cancelled']],
    ['a failure before the pages', [], false, ['run.failed']],
  ])('of %s', (_, received, how, expected) => {
    const types = reported((end) => {
      received.forEach(end.onEvent);
      if (how === 'released') end.release();
      else end.fail(new Error('x'), how);
      // Whatever comes later is no second end.
      end.fail(new Error('later'), false);
    });
    expect(types).toEqual(['run.started', ...expected]);
  });
});

describe('deliver', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'headwater-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const endsOf = async (changes: Partial<DurableSink>): Promise<readonly unknown[]> => {
    const reported: RunEvent[] = [];
    const order: string[] = [];
    const files = sinks.ndjson(await mkdtemp(join(folder, 'out-')));
    const destination: Destination = (outputs) => {
      const sink = files(outputs);
      const commit: DurableSink['commit'] = async (...given) => {
        order.push('commit');
        return sink.commit(...given);
      };
      return { ...sink, commit, ...changes };
    };
    const onEvent = (event: RunEvent): void => {
      reported.push(event);
      if (ENDS.includes(event.type)) order.push(event.type);
    };
    const options = { fetch: fetchOf(['ok']), onEvent, runId: 'run 7' };
    const failure = await deliver(config(1), [destination], options).then(
      () => undefined,
      (error: unknown) => (error instanceof Error ? error.message : error),
    );
    expect(new Set(reported.map(({ run }) => run))).toEqual(new Set(['run 7']));
    return [...order, ...(failure === undefined ? [] : [failure])];
  };

  it('ends a run with its commit', async () => {
    expect(await endsOf({})).toEqual(['commit', 'run.finished']);
  });

  it('ends a run whose commit fails, or whose destination takes no more, as one that failed', async () => {
    const full = (): Promise<never> => Promise.reject(new Error('full'));
    expect(await endsOf({ commit: full })).toEqual(['run.failed', 'full']);
    expect(await endsOf({ write: full })).toEqual(['run.failed', 'full']);
  });
});
