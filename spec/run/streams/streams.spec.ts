/** Extractions as RxJS takes them: at once over when they are left (a real server counts what is requested). */
import { inspect } from 'node:util';
import { Subject, from, lastValueFrom, merge, mergeMap, of, switchMap, takeUntil, tap, toArray } from 'rxjs';
import type { Observable, ObservableInput } from 'rxjs';
import { HeadwaterError, extract } from '../../../src';
import type { ExtractOptions, Extraction, Item, Page } from '../../../src';
import { json, never } from '../../support/answers';
import { startServer } from '../../support/api-server';
import type { ApiServer } from '../../support/api-server';
import { jobsAt } from '../../support/configurations';

const OFFSET = { pagination: { method: 'offset', limit: 1 } };

let server: ApiServer;
afterEach(() => server.close());
/** One item, and then a page that never comes. */
const stuck = async (): Promise<Extraction> => {
  server = await startServer(({ url }) => (url.includes('offset=0') ? json(['first']) : never));
  return extract(jobsAt(server.origin, ['a'], OFFSET));
};
const three = async (endpoints: readonly string[]): Promise<Extraction> => {
  server = await startServer(({ url }) => json(url.includes('offset=2') ? [] : [url.replace('?limit=1&offset=', '')]));
  return extract(jobsAt(server.origin, endpoints, OFFSET));
};

const READERS: readonly (readonly [string, (extraction: Extraction) => ObservableInput<Item>])[] = [
  ['an extraction', (extraction) => extraction],
  ['the streams of a job', (extraction) => extraction.job('a')],
];

describe('an extraction, to RxJS', () => {
  it.each(READERS)('%s: switchMap breaks the request off that is on its way, and none follows', async (_, chosen) => {
    const extraction = await stuck();
    const choice$ = new Subject<boolean>();
    const items: Item[] = [];
    choice$.pipe(switchMap((isOn) => (isOn ? chosen(extraction) : of('off')))).subscribe((item) => items.push(item));
    choice$.next(true);
    const { disconnected } = await server.received(1);
    choice$.next(false);
    await disconnected;
    expect(items).toEqual(['first', 'off']);
    expect(server.requests).toHaveLength(2);
  });

  it.each(READERS)('%s: takeUntil does so, too', async (_, chosen) => {
    const extraction = await stuck();
    const end$ = new Subject<void>();
    const items = lastValueFrom(from(chosen(extraction)).pipe(takeUntil(end$), toArray()));
    const { disconnected } = await server.received(1);
    end$.next();
    await disconnected;
    expect(await items).toEqual(['first']);
    expect(server.requests).toHaveLength(2);
  });

  it('pagesBehind takes a gate of promises', async () => {
    const extraction = await three(['a']);
    const gate = jest.fn(() => Promise.resolve());
    const pages$ = extraction.pagesBehind(gate);
    expect(
      await lastValueFrom(
        pages$.pipe(
          mergeMap(({ items }) => items),
          toArray(),
        ),
      ),
    ).toEqual(['/a0', '/a1']);
    expect(gate.mock.calls.length).toBeGreaterThanOrEqual(3);
  });

  it('merge and from take it for its items', async () => {
    const extraction = await three(['a', 'b']);
    const typed: Observable<Item> = merge(extraction.job('a'), extraction.job('b'));
    expect(await lastValueFrom(typed.pipe(toArray()))).toEqual(expect.arrayContaining(['/a0', '/a1', '/b0', '/b1']));
    expect(server.requests).toHaveLength(6);
    expect(await lastValueFrom(from(extraction).pipe(toArray()))).toEqual(['/a0', '/a1', '/b0', '/b1']);
  });

  it('subscribes to a run, and does not iterate', async () => {
    const extraction = await three(['a']);
    Object.defineProperty(extraction, Symbol.asyncIterator, {
      value: () => {
        throw new Error('RxJS took the async iterable.');
      },
    });
    expect(await lastValueFrom(from(extraction).pipe(toArray()))).toEqual(['/a0', '/a1']);
  });
});

/** What the error of a run tells of where it can go on (docs/library.md#errors). */

const isObject = (item: unknown): item is Readonly<Record<string, unknown>> => typeof item === 'object';

describe('the error of a run', () => {
  let server: ApiServer;
  let broken = true;
  const asked = (): string[] => server.requests.map(({ url }) => url);

  beforeEach(async () => {
    broken = true;
    server = await startServer(({ url }) => {
      const offset = Number(new URL(url, 'http://api.example').searchParams.get('offset'));
      if (url.startsWith('/stations') && offset === 4 && broken) return json({}, 503);
      const ids = [offset, offset + 1].filter((id) => id < 7);
      return json(ids.map((id) => ({ id, secret: 'a row' })));
    });
  });
  afterEach(() => server.close());

  const config = () => ({
    api: {
      baseUrl: server.origin,
      pagination: { method: 'offset', limit: 2 },
      retryConfig: { maxRetries: 0 },
    },
    config: { jobs: [{ endpoint: 'levels' }, { endpoint: 'stations' }] },
  });

  /** Runs until it fails, and then goes on. */
  const inTwoRuns = async (read: (options: ExtractOptions, take: (page: Page) => void) => Promise<unknown>) => {
    const given: unknown[] = [];
    const take = ({ job, items }: Page): void => {
      for (const item of items) given.push([job.endpoint, isObject(item) ? item['id'] : item]);
    };
    const error: unknown = await read({}, take).catch((failure: unknown) => failure);
    if (!(error instanceof HeadwaterError) || error.resume === undefined) throw error;
    const before = asked().length;
    broken = false;
    await read({ resume: error.resume }, take);
    return { error, given, before };
  };

  const all = ['levels', 'stations'].flatMap((endpoint) => [0, 1, 2, 3, 4, 5, 6].map((id) => [endpoint, id]));

  it('has the place behind the last page that the stream has given: the run goes on, and nothing comes twice', async () => {
    const { error, given, before } = await inTwoRuns((options, take) =>
      lastValueFrom(extract(config(), options).pages$.pipe(tap(take), toArray())),
    );
    expect(error).toMatchObject({ code: 'API_STATUS', recovery: 'retry', status: 503, attempt: 1 });
    expect(given).toEqual(all);
    expect(asked().slice(before)).toEqual(['/stations?limit=2&offset=4', '/stations?limit=2&offset=6']);
  });

  it('has it for those who pull, too', async () => {
    const { given } = await inTwoRuns(async (options, take) => {
      for await (const page of extract(config(), options).pages()) take(page);
    });
    expect(given).toEqual(all);
  });

  it('has it again when the run that went on fails, with what the first had', async () => {
    const failed = async (options: ExtractOptions): Promise<HeadwaterError> =>
      (await lastValueFrom(extract(config(), options).pages$).catch((error: unknown) => error)) as HeadwaterError;
    const first = await failed({});
    const second = await failed(first.resume === undefined ? {} : { resume: first.resume });
    expect(second.resume).toEqual(first.resume);
    expect(first.resume?.progress.size).toBe(2);
  });

  it('shows it nowhere, since checkpoints may hold items; and work that waits has none', async () => {
    const error: unknown = await lastValueFrom(extract(config()).items$).catch((failure: unknown) => failure);
    expect(error).toHaveProperty('resume');
    expect(JSON.stringify(error) + inspect(error)).not.toContain('progress');
    const drained: unknown = await lastValueFrom(extract(config()).drain(() => [])).catch(
      (failure: unknown) => failure,
    );
    expect(drained).toHaveProperty('resume', undefined);
  });
});
