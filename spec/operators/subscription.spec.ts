import { Observable, Subject, finalize, of, throwError } from 'rxjs';
import type { ObservableInput, Subscriber } from 'rxjs';
import { InnerSubscription } from '../../src/operators/subscription';
import type { InnerObserver } from '../../src/operators/subscription';
import { inputs } from './inputs';

const defect = new Error('a defect');
const fail = (): never => {
  throw defect;
};

/** The subscriber of a whole stream. */
function subscriberThat(receives: (error: unknown) => void): Subscriber<unknown> {
  const subscribers: Subscriber<unknown>[] = [];
  new Observable<unknown>((subscriber) => void subscribers.push(subscriber)).subscribe({ error: receives });
  const [whole] = subscribers;
  if (whole === undefined) throw new Error('no subscriber');
  return whole;
}

/** Follows a source as one of a stream, and writes down what the observer and the stream hear. */
function following(source: (log: string[]) => ObservableInput<string>, observer: Partial<InnerObserver<string>> = {}) {
  const log: string[] = [];
  const whole = subscriberThat((error) => log.push(`the whole: ${String(error)}`));
  const inner = new InnerSubscription<string>(whole, {
    next: (value) => log.push(value),
    ended: () => log.push('ended'),
    failed: (error) => log.push(`failed: ${String(error)}`),
    ...observer,
  });
  return { log, whole, inner, follow: () => inner.follow(() => source(log)) };
}

const cleaningUp = (source$: Observable<string>, log: string[]): Observable<string> =>
  source$.pipe(finalize(() => log.push('clean up')));

describe('a subscription that is an observer', () => {
  it('is used by RxJS as it is, without a wrapper', () => {
    let given: unknown;
    const { inner, follow } = following(
      () =>
        new Observable<string>((subscriber) => {
          given = subscriber;
        }),
    );
    follow();
    expect(given).toBe(inner);
  });

  it('hears values, and the end or the error when the source has cleaned up', () => {
    const [ending, failing] = [of('a', 'b'), throwError(() => defect)].map((source$) => {
      const { log, follow } = following((receive) => cleaningUp(source$, receive));
      follow();
      return log;
    });
    expect(ending).toEqual(['a', 'b', 'clean up', 'ended']);
    expect(failing).toEqual(['clean up', 'failed: Error: a defect']);
  });

  it('hears the end of a source that ends later when it has cleaned up, too', () => {
    const [ending$, failing$] = [new Subject<string>(), new Subject<string>()];
    const [ending, failing] = [ending$, failing$].map((source$) => {
      const { log, follow } = following((receive) => cleaningUp(source$, receive));
      follow();
      return log;
    });
    ending$.complete();
    failing$.error(defect);
    expect(ending).toEqual(['clean up', 'ended']);
    expect(failing).toEqual(['clean up', 'failed: Error: a defect']);
  });

  it('hears nothing behind the end', () => {
    const rude$ = new Observable<string>((subscriber) => {
      subscriber.complete();
      subscriber.next('too late');
      subscriber.error(defect);
      subscriber.complete();
    });
    const { log, follow } = following(() => rude$);
    follow();
    expect(log).toEqual(['ended']);
  });

  it('gives an error that nobody awaits to the whole, as it does one of a factory that throws', () => {
    const observer = { failed: undefined } as unknown as Partial<InnerObserver<string>>;
    const unawaited = following(() => throwError(() => defect), observer);
    unawaited.follow();
    expect(unawaited.log).toEqual(['the whole: Error: a defect']);
    const thrown = following(fail);
    thrown.follow();
    expect(thrown.log).toEqual(['failed: Error: a defect']);
  });

  it.each<[string, Observable<string>, Partial<InnerObserver<string>>]>([
    ['a value', of('a', 'b'), { next: fail }],
    ['the end', of(), { ended: fail }],
    ['an error', throwError(() => 'down'), { failed: fail }],
  ])('gives what the observer throws at %s to the whole, and to nobody else', (_, source$, observer) => {
    const { log, whole, follow } = following(() => source$, observer);
    follow();
    expect(log).toEqual(['the whole: Error: a defect']);
    expect(whole.closed).toBe(true);
  });

  it('is left at the first value, by the whole or by the observer, when the source is synchronous and endless', () => {
    let said = 0;
    const endless$ = new Observable<string>((subscriber) => {
      while (!subscriber.closed) subscriber.next(String((said += 1)));
    });
    const left = following((log) => cleaningUp(endless$, log), {
      next: (_, inner) => inner.leave(() => left.log.push('left')),
    });
    left.follow();
    expect(left.log).toEqual(['clean up', 'left']);
    const ended = following(() => endless$, { next: () => ended.whole.unsubscribe() });
    ended.follow();
    expect(ended.log).toEqual([]);
    expect(said).toBe(2);
  });

  it('follows no source when the whole is over', () => {
    const source = jest.fn(() => of('a'));
    const { log, whole, follow } = following(source);
    whole.unsubscribe();
    follow();
    expect(source).not.toHaveBeenCalled();
    expect(log).toEqual([]);
  });

  it('unsubscribes from the source with the whole', () => {
    const source$ = new Subject<string>();
    const { log, whole, follow } = following(() => source$);
    follow();
    whole.unsubscribe();
    expect(source$.observed).toBe(false);
    expect(log).toEqual([]);
  });

  it('leaves for another sequel while the end of a synchronous source still waits for its clean-up', () => {
    const { log, follow } = following(
      (receive) =>
        cleaningUp(
          new Observable<string>((subscriber) => {
            const value = (): void => subscriber.next('a');
            early = () => subscriber.complete();
            value();
          }),
          receive,
        ),
      {
        next: (_, inner) => {
          early();
          inner.leave(() => log.push('again'));
        },
      },
    );
    let early = (): void => undefined;
    follow();
    expect(log).toEqual(['clean up', 'again']);
  });

  it.each(inputs)('follows %s', async (_, input) => {
    const log: string[] = [];
    await new Promise<void>((ended) => {
      const observer = { next: (value: string) => log.push(value), ended };
      new InnerSubscription<string>(subscriberThat(fail), observer).follow(() => input('a'));
    });
    expect(log).toEqual(['a']);
  });
});
