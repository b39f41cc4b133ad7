import { crc32 } from 'node:zlib';
import {
  asyncScheduler,
  concatMap,
  defer,
  EMPTY,
  lastValueFrom,
  NEVER,
  observeOn,
  of,
  take,
  timer,
  toArray,
} from 'rxjs';
import type { Observable } from 'rxjs';
import { answers } from '../../src/http/rules';
import { openBody } from '../../src/http/body/stream-body';
import { FatalError } from '../../src/core/errors/errors';
import type { RunEvent } from '../../src/core/events';
import { parseJson } from '../../src/core/json/parse';
import type { Checkpoint, Reply, Request, Response } from '../../src/core/model';
import type { BoundJob, JobPlan } from '../../src/plan/plan';
import { createConcurrency } from '../../src/sources/concurrency';
import { runJob } from '../../src/sources/job';
import type { JobContext } from '../../src/sources/job-run';
import { chosenPagination } from '../support/pagination';
import { aRequest, aResponse, recorder, secretsOf } from '../support/requests';

const URL_OF_JOB = 'https://api.example/users';

const aBoundJob = (changes: Partial<BoundJob> = {}): BoundJob => ({
  url: URL_OF_JOB,
  params: {},
  secrets: [],
  request: ({ params }) => aRequest({ url: `${URL_OF_JOB}?offset=${JSON.stringify(params['offset'])}` }),
  ...changes,
});
const aJob = (changes: Partial<JobPlan> = {}): JobPlan => ({
  id: 'job-1',
  name: 'job-1',
  path: 'config.jobs[0]',
  endpoint: 'users',
  dataType: 'user',
  table: 'user',
  bind: () => aBoundJob(),
  responseFilter: { paths: [], delimiter: '.', keepScalars: false },
  equalPages: 'stop',
  userData: () => [],
  children: [],
  items: { delimiter: '.' },
  pagination: chosenPagination({ method: 'offset', limit: 2 }),
  stops: [],
  concurrency: 1,
  requestLimit: 100,
  ...changes,
});

/** Answers each request with the next of these bodies, asynchronously. */
function answering(bodies: readonly string[], changes: Partial<JobContext> = {}) {
  const sent: string[] = [];
  const { events, report } = recorder();
  const send = (request: Request): Observable<Response> =>
    defer(() => {
      const text = bodies[sent.length] ?? '[]';
      sent.push(request.url);
      return of(aResponse({ request, text })).pipe(observeOn(asyncScheduler));
    });
  const decode = (response: Response): Reply => ({ response, data: parseJson(Buffer.from(response.body).toString()) });
  const context: JobContext = {
    iteration: 0,
    send,
    decode,
    report,
    secrets: secretsOf(),
    times: { previousStart: 0, currentStart: 1 },
    baseUrl: 'https://api.example/',
    gate: () => EMPTY,
    prefetch: 1,
    ordered: true,
    concurrency: createConcurrency([]),
    progress: new Map(),
    cursors: new Map(),
    listPlaces: new Map(),
    redirects: new Map(),
    completeness: 'off',
    lenient: false,
    streams: { open: openBody, maxRetries: 0 },
    answers: answers(secretsOf(), 'retry-after'),
    ...changes,
  };
  return { context, sent, events };
}
const eventsOf = (job: JobPlan, context: JobContext): Promise<RunEvent[]> =>
  lastValueFrom(runJob(job, context).pipe(toArray()));
const itemsOf = (events: readonly RunEvent[]): unknown[] =>
  events.flatMap((event) => (event.type === 'page.extracted' ? [event.page.items] : []));

describe('runJob (specification 4.3, language 5.1)', () => {
  it('emits start, pages in order, why it stopped, and the end with its counts', async () => {
    const { context, sent } = answering(['[1,2]', '[3,4]', '[5]']);
    const events = await eventsOf(aJob(), context);
    expect(events.map(({ type }) => type)).toEqual([
      'job.started',
      'page.extracted',
      'page.extracted',
      'page.extracted',
      'pagination.stopped',
      'job.finished',
    ]);
    expect(itemsOf(events)).toEqual([[1, 2], [3, 4], [5]]);
    expect(events.at(-1)).toMatchObject({ pages: 3, items: 5, job: { id: 'job-1', dataType: 'user' } });
    expect(sent).toEqual([0, 2, 4].map((offset) => `${URL_OF_JOB}?offset=${offset}`));
  });

  it('each page carries its number and the checkpoint that follows it', async () => {
    const { context } = answering(['[1,2]', '[3]']);
    const pages = (await eventsOf(aJob(), context)).flatMap((event) =>
      event.type === 'page.extracted' ? [event.page] : [],
    );
    expect(pages.map(({ index, checkpoint }) => ({ index, checkpoint }))).toEqual([
      {
        index: 0,
        checkpoint: {
          call: [0, 0],
          job: 'job-1',
          pages: 1,
          items: 2,
          volume: 0,
          position: 2,
          digest: `5 ${crc32('[1,2]').toString(16)}`,
        },
      },
      { index: 1, checkpoint: { call: [0, 0], job: 'job-1', pages: 2, items: 3, volume: 0 } },
    ]);
  });

  it('sends nothing before it is subscribed, and each subscription starts at the first page', async () => {
    const { context, sent } = answering(['[1]', '[1]']);
    const job$ = runJob(aJob(), context);
    expect(sent).toEqual([]);
    await lastValueFrom(job$);
    await lastValueFrom(job$);
    expect(sent).toEqual([`${URL_OF_JOB}?offset=0`, `${URL_OF_JOB}?offset=0`]);
  });

  it('language 5.1 step 2: a response equal to the one before it ends the job unused, with a warning', async () => {
    const { context, sent, events: reported } = answering(['[1,2]', '[ 1, 2 ]', '[3]']);
    const events = await eventsOf(aJob(), context);
    expect(itemsOf(events)).toEqual([[1, 2]]);
    expect(sent).toHaveLength(2);
    expect(reported).toMatchObject([{ type: 'warning', code: 'PAGINATION_NOT_ADVANCING', job: { id: 'job-1' } }]);
    expect(events.at(-1)).toMatchObject({ type: 'job.finished', pages: 1, items: 2 });
  });

  it('language 5.1: only the directly preceding response counts', async () => {
    const { context } = answering(['[1,2]', '[3,4]', '[1,2]', '[]']);
    expect(itemsOf(await eventsOf(aJob(), context))).toEqual([[1, 2], [3, 4], [1, 2], []]);
  });

  it.each([
    ['types', '[1,2]', '["1","2"]'],
    ['order of keys', '[{"a":1,"b":2},0]', '[{"b":2,"a":1},0]'],
  ])('language 5.1: responses that differ in %s are not equal', async (_, first, second) => {
    const { context } = answering([first, second, '[]']);
    expect(itemsOf(await eventsOf(aJob(), context))).toHaveLength(3);
  });

  it('warns when there is no data, as specification 4.3.1 rule 6 has it', async () => {
    const { context, events } = answering(['{"items":[],"total":0}']);
    await eventsOf(aJob(), context);
    expect(events).toMatchObject([{ code: 'NO_DATA', message: 'dataField items contains no data!' }]);
  });

  it('fails at requestLimit pages when there are more, and says how to allow them', async () => {
    const { context, sent } = answering(['[1,2]', '[3,4]', '[5,6]']);
    const seen: unknown[] = [];
    const failure = await new Promise((reject) =>
      runJob(aJob({ requestLimit: 2 }), context).subscribe({ next: (event) => seen.push(event), error: reject }),
    );
    expect(failure).toBeInstanceOf(FatalError);
    expect(failure).toMatchObject({ code: 'PAGE_LIMIT' });
    expect(String(failure)).toContain('config.jobs[0]: 2 pages were read and there are more.');
    expect(itemsOf(seen as RunEvent[])).toHaveLength(2);
    expect(sent).toHaveLength(2);
  });

  it('reaches requestLimit without an error when there is no more', async () => {
    const { context } = answering(['[1,2]', '[3]']);
    expect(itemsOf(await eventsOf(aJob({ requestLimit: 2 }), context))).toHaveLength(2);
  });

  it('waits for its gate before each request', async () => {
    const opened: number[] = [];
    const { context, sent } = answering(['[1,2]', '[3]'], {
      gate: () => timer(5).pipe(concatMap(() => of(opened.push(sent.length)))),
    });
    await eventsOf(aJob(), context);
    expect(opened).toEqual([0, 1]);
  });

  it('asks for nothing while the gate stays shut', () => {
    jest.useFakeTimers();
    const { context, sent } = answering(['[1]'], { gate: () => NEVER });
    const subscription = runJob(aJob(), context).subscribe();
    jest.advanceTimersByTime(1e6);
    expect(sent).toEqual([]);
    subscription.unsubscribe();
    expect(jest.getTimerCount()).toBe(0);
    jest.useRealTimers();
  });

  it('unsubscribing after a page asks for no further one', async () => {
    const { context, sent } = answering(['[1,2]', '[3,4]']);
    await lastValueFrom(runJob(aJob(), context).pipe(take(2)));
    await new Promise((resolve) => setImmediate(resolve));
    expect(sent).toHaveLength(1);
  });

  it('registers what secret attributes put into its parameters', async () => {
    const secrets = secretsOf();
    const { context } = answering(['[]'], { secrets });
    await eventsOf(
      aJob({ bind: () => aBoundJob({ params: { key: 'hashed-key' }, secrets: ['hashed-key'] }) }),
      context,
    );
    expect(secrets.mask('key=hashed-key')).toBe('key=***');
  });
});

describe('runJob goes on with a call', () => {
  const known = { call: [0, 0], job: 'job-1', pages: 1, items: 2, volume: 9 };
  const after = (changes: Partial<Checkpoint>) => new Map([['0.0', { ...known, ...changes }]]);

  it('behind its last page, and counts on from there', async () => {
    const { context, sent } = answering(['[3,4]', '[5]'], { progress: after({ position: 2 }) });
    const events = await eventsOf(aJob(), context);
    expect(sent).toEqual([`${URL_OF_JOB}?offset=2`, `${URL_OF_JOB}?offset=4`]);
    const pages = events.flatMap((event) => (event.type === 'page.extracted' ? [event.page] : []));
    expect(pages.map(({ index }) => index)).toEqual([1, 2]);
    expect(pages.map(({ checkpoint }) => [checkpoint.pages, checkpoint.items])).toEqual([
      [2, 4],
      [3, 5],
    ]);
    expect(events.at(-1)).toMatchObject({ type: 'job.finished', pages: 3, items: 5 });
  });

  it('within its limits: pages, items and bytes from before count', async () => {
    const stops = [{ forceStop: { pages: 2 } }];
    const byPages = answering(['[3,4]', '[5,6]'], { progress: after({ position: 2 }) });
    await eventsOf(aJob({ stops }), byPages.context);
    expect(byPages.sent).toHaveLength(1);
    const byItems = answering(['[3,4]', '[5,6]'], { progress: after({ position: 2 }) });
    await eventsOf(aJob({ stops: [{ limitStop: { count: 4 } }] }), byItems.context);
    expect(byItems.sent).toHaveLength(1);
    const byVolume = answering(['[3,4]', '[5,6]'], { progress: after({ position: 2 }) });
    await eventsOf(aJob({ stops: [{ forceStop: { volume: 10 } }] }), byVolume.context);
    expect(byVolume.sent).toHaveLength(1);
    const tooMany = answering(['[3,4]', '[5,6]'], { progress: after({ position: 2 }) });
    await expect(eventsOf(aJob({ requestLimit: 2 }), tooMany.context)).rejects.toMatchObject({ code: 'PAGE_LIMIT' });
    expect(tooMany.sent).toHaveLength(1);
  });

  it('not at all, when it is over', async () => {
    const { context, sent } = answering(['[1]'], { progress: after({}) });
    expect(await lastValueFrom(runJob(aJob(), context).pipe(toArray()))).toEqual([]);
    expect(sent).toEqual([]);
  });

  it('with no more pages at once than its limits leave', async () => {
    const pagination = { ...chosenPagination({ method: 'offset', limit: 2, parallel: 9 }) };
    const job = aJob({ pagination, requestLimit: 3 });
    const { context, sent } = answering(['[3,4]', '[5]'], { progress: after({ position: 2 }) });
    await eventsOf(job, context);
    expect(sent).toEqual([`${URL_OF_JOB}?offset=2`, `${URL_OF_JOB}?offset=4`]);
    const stopped = answering(['[3,4]', '[5,6]'], { progress: after({ position: 2 }) });
    await eventsOf({ ...job, requestLimit: 99, stops: [{ forceStop: { pages: 2 } }] }, stopped.context);
    expect(stopped.sent).toHaveLength(1);
  });
});
