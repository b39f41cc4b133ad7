import { firstValueFrom, VirtualTimeScheduler } from 'rxjs';
import { abortable } from '../../src/operators';
import type { Abortion } from '../../src/operators';

/** A promise that is settled by hand, and the signal of its work. */
function work<T>() {
  const signals: AbortSignal[] = [];
  let resolve: (value: T) => void = () => undefined;
  let reject: (error: unknown) => void = () => undefined;
  const begin = jest.fn(({ signal }: Abortion) => {
    signals.push(signal);
    return new Promise<T>((yes, no) => {
      resolve = yes;
      reject = no;
    });
  });
  return { begin, signals, resolve: (value: T) => resolve(value), reject: (error: unknown) => reject(error) };
}
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** All that a stream says. */
function watch<T>(stream: ReturnType<typeof abortable<T>>) {
  const said: unknown[] = [];
  const subscription = stream.subscribe({
    next: (value) => said.push(value),
    error: (error: unknown) => said.push({ error }),
    complete: () => said.push('complete'),
  });
  return { said, subscription };
}

describe('abortable', () => {
  it('emits what the promise gives, completes, and leaves the signal alone', async () => {
    const { begin, signals, resolve } = work<number>();
    const { said } = watch(abortable(begin));
    resolve(7);
    await settled();
    expect(said).toEqual([7, 'complete']);
    expect(signals.map(({ aborted }) => aborted)).toEqual([false]);
  });

  it('passes on the error of the promise, and does not abort what is over', async () => {
    const { begin, signals, reject } = work();
    const { said } = watch(abortable(begin));
    reject('broken');
    await settled();
    expect(said).toEqual([{ error: 'broken' }]);
    expect(signals[0]?.aborted).toBe(false);
  });

  it('a work that throws errors the stream', () => {
    const error = new Error('cannot begin');
    const { said } = watch(
      abortable(() => {
        throw error;
      }),
    );
    expect(said).toEqual([{ error }]);
  });

  it('begins nothing before it is subscribed, and starts over for each subscriber', () => {
    const { begin } = work();
    const stream = abortable(begin);
    expect(begin).not.toHaveBeenCalled();
    watch(stream);
    watch(stream);
    expect(begin).toHaveBeenCalledTimes(2);
  });

  it('aborts the signal when the subscriber leaves; what the work then says is not heard', async () => {
    const { begin, signals, reject } = work();
    const { said, subscription } = watch(abortable(begin));
    subscription.unsubscribe();
    expect(signals[0]?.aborted).toBe(true);
    reject(new Error('aborted'));
    await settled();
    expect(said).toEqual([]);
  });

  it('errors and aborts work that is overdue', () => {
    const scheduler = new VirtualTimeScheduler();
    const { begin, signals } = work();
    const { said } = watch(abortable(begin, { within: 50, overdue: () => `at ${scheduler.now()}`, scheduler }));
    scheduler.flush();
    expect(said).toEqual([{ error: 'at 50' }]);
    expect(signals[0]?.aborted).toBe(true);
  });

  it('says so itself when nobody says what overdue means', () => {
    const scheduler = new VirtualTimeScheduler();
    const { said } = watch(abortable(() => new Promise(() => undefined), { within: 1, scheduler }));
    scheduler.flush();
    expect(said).toEqual([{ error: new Error('overdue') }]);
  });

  it('a time limit beyond what a timer can hold does not fire at once', async () => {
    const { begin, resolve } = work<string>();
    const value = firstValueFrom(abortable(begin, { within: 2 ** 40 }));
    await settled();
    resolve('in time');
    await expect(value).resolves.toBe('in time');
  });

  it('tells a callback as well, and gives a signal that is aborted already to who asks late', () => {
    const reported = jest.fn();
    let late: Abortion | undefined;
    const { subscription } = watch(
      abortable((abortion) => {
        late = abortion;
        abortion.onAbort(reported);
        return new Promise(() => undefined);
      }),
    );
    expect(reported).not.toHaveBeenCalled();
    subscription.unsubscribe();
    expect(reported).toHaveBeenCalledTimes(1);
    expect(late?.signal.aborted).toBe(true);
  });

  it('leaves no timer behind', async () => {
    const scheduler = new VirtualTimeScheduler();
    const { begin, resolve } = work<number>();
    watch(abortable(begin, { within: 50, scheduler }));
    resolve(1);
    await settled();
    scheduler.flush();
    expect(scheduler.now()).toBe(0);
  });
});
