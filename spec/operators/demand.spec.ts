import { concatMap, take } from 'rxjs';
import { createDemand } from '../../src/operators';
import { inVirtualTime } from './in-virtual-time';

describe('createDemand', () => {
  it('lets a take wait for a unit: nothing raised, never', () =>
    inVirtualTime(({ expectObservable }) => {
      expectObservable(createDemand().take()).toBe('-');
    }));

  it('serves a take at once from the stock, one unit each', () =>
    inVirtualTime(({ expectObservable }) => {
      const demand = createDemand();
      demand.raise();
      demand.raise();
      for (const marbles of ['(x|)', '(x|)', '-']) expectObservable(demand.take()).toBe(marbles, { x: undefined });
    }));

  it('serves waiting takes in order, one for each unit', () =>
    inVirtualTime(({ cold, expectObservable }) => {
      const demand = createDemand();
      cold('                              ---r--r-').subscribe(demand.raise);
      expectObservable(demand.take()).toBe('---(x|)', { x: undefined });
      expectObservable(demand.take()).toBe('------(x|)', { x: undefined });
      expectObservable(demand.take()).toBe('-');
    }));

  it('lets an unsubscribed take leave the queue without consuming a unit', () =>
    inVirtualTime(({ cold, expectObservable }) => {
      const demand = createDemand();
      cold('                                      ---r--').subscribe(demand.raise);
      expectObservable(demand.take(), '           --!').toBe('-');
      expectObservable(demand.take()).toBe('      ---(x|)', { x: undefined });
    }));

  it('consumes one unit for each subscription of one take', () =>
    inVirtualTime(({ expectObservable }) => {
      const demand = createDemand();
      const take$ = demand.take();
      demand.raise();
      expectObservable(take$).toBe('(x|)', { x: undefined });
      expectObservable(take$).toBe('-');
    }));

  it('paces an endless producer', () =>
    inVirtualTime(({ cold, expectObservable }) => {
      const demand = createDemand();
      cold('                       r--(rr)----r').subscribe(demand.raise);
      const produced$ = cold('(abcd|)').pipe(concatMap((value) => demand.take().pipe(concatMap(() => value))));
      expectObservable(produced$).toBe('a--(bc)----(d|)');
    }));

  it('gives no unit away when the served take throws its subscriber out', () => {
    const demand = createDemand();
    const served: string[] = [];
    demand
      .take()
      .pipe(take(1))
      .subscribe(() => served.push('first'));
    demand.take().subscribe(() => served.push('second'));
    demand.raise();
    expect(served).toEqual(['first']);
    demand.raise();
    expect(served).toEqual(['first', 'second']);
  });

  it('serves a take that begins while another is served only from a unit of its own', () => {
    const demand = createDemand();
    const served: string[] = [];
    demand.take().subscribe(() => {
      served.push('outer');
      demand.take().subscribe(() => served.push('inner'));
    });
    demand.raise();
    expect(served).toEqual(['outer']);
    demand.raise();
    expect(served).toEqual(['outer', 'inner']);
  });

  it('gives a unit raised while a take is served to the next', () => {
    const demand = createDemand();
    const served: string[] = [];
    demand.take().subscribe(() => {
      served.push('first');
      if (served.length === 1) demand.raise();
    });
    demand.take().subscribe(() => served.push('second'));
    demand.raise();
    expect(served).toEqual(['first', 'second']);
  });
});
