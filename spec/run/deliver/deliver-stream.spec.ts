/** Deliveries as Observables: progress, cancellation, and going on, with real files. */
import { mkdtempSync, rmSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { firstValueFrom, lastValueFrom, of, retry, Subject, switchMap, take, toArray } from 'rxjs';
import { deliver, deliver$, sinks } from '../../../src';
import type { DeliveryProgress, RunEvent } from '../../../src';
import { broken, json, never } from '../../support/answers';
import { startServer } from '../../support/api-server';
import type { ApiServer } from '../../support/api-server';
import { jobsAt } from '../../support/configurations';

const OFFSET = { pagination: { method: 'offset', limit: 1 }, retryConfig: { maxRetries: 0 } };
let folder: string;
let server: ApiServer;
/** Requests by their number that get no answer. */
let stuck: (number: number) => boolean;
let isBroken: boolean;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'headwater-spec-'));
  stuck = () => false;
  isBroken = false;
  server = await startServer(({ url }) => {
    if (stuck(server.requests.length)) return isBroken ? broken : never;
    const [, path = '', offset = ''] = /^\/(\w+)\?.*offset=(\d+)/.exec(url) ?? [];
    return json(Number(offset) < 3 ? [{ id: `${path}${offset}` }] : []);
  });
});
afterEach(async () => {
  await server.close();
  rmSync(folder, { recursive: true });
});

const configuration = (): object & { api: object } => jobsAt(server.origin, ['a', 'b'], OFFSET) as { api: object };
const destination = () => sinks.ndjson(join(folder, 'out'));
const stored = async (): Promise<unknown> => {
  const files = (await readdir(join(folder, 'out'))).filter((name) => name.endsWith('.ndjson')).sort();
  const texts = await Promise.all(files.map((name) => readFile(join(folder, 'out', name), 'utf8')));
  return texts
    .join('')
    .trim()
    .split('\n')
    .map((line) => (JSON.parse(line) as { id: string }).id);
};
const ALL = ['a0', 'a1', 'a2', 'b0', 'b1', 'b2'];
const delivery$ = (options = {}) => deliver$(configuration() as never, [destination()], options);

describe('deliver$', () => {
  it('does nothing before a subscription, tells each page, and the delivery last', async () => {
    const stream$ = delivery$();
    expect(server.requests).toEqual([]);
    const events: RunEvent[] = [];
    stream$.events$.subscribe((event) => events.push(event));
    const values = await lastValueFrom(stream$.pipe(toArray()));
    expect(values.map(({ type, items }) => [type, items])).toEqual([
      ...[1, 2, 3, 3, 4, 5, 6, 6].map((items) => ['delivering', items]),
      ['committed', 6],
    ]);
    const last = values.at(-1) as DeliveryProgress & { type: 'committed' };
    expect(last).toMatchObject({ pages: 8, delivery: { outcome: 'complete', alreadyCommitted: false } });
    expect(last.jobs).toMatchObject([
      { path: 'config.jobs[0]', pages: 4, items: 3, bytes: 3 * '[{"id":"a0"}]'.length + 2 },
      { path: 'config.jobs[1]', pages: 4, items: 3 },
    ]);
    expect(last.bytes).toBe(2 * (3 * '[{"id":"a0"}]'.length + 2));
    expect(events.at(-1)?.type).toBe('run.finished');
    expect(await stored()).toEqual(ALL);
  });

  it('unsubscribing stops requests and commits nothing; the next subscription goes on', async () => {
    stuck = (number) => number === 3;
    const stream$ = delivery$({ resume: true });
    const seen: DeliveryProgress[] = [];
    const subscription = stream$.subscribe((progress) => seen.push(progress));
    const { disconnected } = await server.received(2);
    subscription.unsubscribe();
    await disconnected;
    expect(server.requests).toHaveLength(3);
    stuck = () => false;
    // At once: it waits until the destinations are closed.
    const last = await lastValueFrom(stream$);
    expect(last).toMatchObject({ type: 'committed', delivery: { resumedPages: 2 }, items: 4 });
    expect(server.requests.map(({ url }) => url.replace('?limit=1&offset=', '')).slice(3)).toEqual([
      ...['/a2', '/a3', '/b0', '/b1', '/b2', '/b3'],
    ]);
    expect(await stored()).toEqual(ALL);
  });

  it('switchMap to another one waits for the destinations of the one that was left', async () => {
    stuck = (number) => number === 2;
    const again$ = new Subject<void>();
    const end = lastValueFrom(again$.pipe(switchMap(() => delivery$({ resume: true }))));
    again$.next();
    await server.received(1);
    stuck = () => false;
    again$.next();
    again$.complete();
    expect(await end).toMatchObject({ type: 'committed', items: 5, delivery: { resumedPages: 1 } });
    expect(await stored()).toEqual(ALL);
  });

  it('retry goes on after a failure', async () => {
    stuck = (number) => number === 3;
    isBroken = true;
    const values = await lastValueFrom(delivery$({ resume: true }).pipe(retry(1), toArray()));
    expect(values.at(-1)).toMatchObject({ type: 'committed', delivery: { resumedPages: 2 } });
    expect(await stored()).toEqual(ALL);
  });

  it('take(1) leaves after the first page, and deliver goes on', async () => {
    expect(await firstValueFrom(delivery$().pipe(take(1)))).toMatchObject({ type: 'delivering', pages: 1 });
    await lastValueFrom(of(0).pipe(switchMap(() => delivery$({ resume: true }))));
    expect(await stored()).toEqual(ALL);
    await expect(deliver(configuration() as never, [destination()])).resolves.toMatchObject({ outcome: 'complete' });
  });

  it('tune holds for deliveries that begin later, and refuses a job that there is not', async () => {
    const stream$ = delivery$();
    stream$.tune({ concurrency: 2 });
    const urls: string[] = [];
    stream$.events$.subscribe((event) => event.type === 'request.sent' && urls.push(event.url));
    await lastValueFrom(stream$);
    expect(urls.slice(0, 2).map((url) => url.replace(/^.*\/(\w)\?.*$/, '$1'))).toEqual(['a', 'b']);
    const other$ = delivery$();
    other$.tune({ job: 'c', concurrency: 2 });
    await expect(lastValueFrom(other$)).rejects.toThrow('there is no job');
  });

  it('fails as deliver does: a run with failed jobs is committed where that is asked for', async () => {
    const one = jobsAt(server.origin, ['a'], OFFSET) as { api: object; config: { jobs: object[] } };
    const failing = { ...one, config: { jobs: [{ endpoint: 'none' }, ...one.config.jobs] } };
    stuck = (number) => server.requests[number - 1]?.url.startsWith('/none') === true;
    isBroken = true;
    const options = { onJobError: 'continue', allowEmpty: true } as const;
    const fails = deliver(failing as never, [destination()], options);
    await expect(fails).rejects.toMatchObject({ code: 'JOBS_FAILED', failures: [{ job: { endpoint: 'none' } }] });
    const committed = await deliver(failing as never, [destination()], { ...options, acceptIncomplete: true });
    expect(committed).toMatchObject({ outcome: 'doubtful', jobs: [{ outcome: 'complete' }, { outcome: 'failed' }] });
    expect(await stored()).toEqual(['a0', 'a1', 'a2']);
  });
});
