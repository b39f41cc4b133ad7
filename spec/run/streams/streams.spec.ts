/** Extractions as RxJS takes them: at once over when they are left (a real server counts what is requested). */
import { from, lastValueFrom, merge, of, Subject, switchMap, takeUntil, toArray } from 'rxjs';
import type { Observable, ObservableInput } from 'rxjs';
import { extract } from '../../../src';
import type { Extraction, Item } from '../../../src';
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
