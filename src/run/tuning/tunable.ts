/** Settings that may be Observables: each value is set as it comes. */
import { BehaviorSubject, defer, EMPTY, finalize, from, ignoreElements, merge, mergeMap, ReplaySubject } from 'rxjs';
import { share, Subject, switchAll, takeUntil, tap } from 'rxjs';
import type { Observable, ObservableInput } from 'rxjs';

/** A value, or an Observable of values: each holds from the moment in which it comes, and the last one for good. */
export type Tunable<T> = T | Observable<T>;

/** How one setting is checked and set. */
export interface Setter {
  /** Why the setting can do nothing for this job, or, for `undefined`, for all; absent: it always can. */
  readonly refusal?: (job: string | undefined) => string | undefined;
  /** @throws RangeError for a value that cannot be */
  readonly set: (value: unknown, job: string | undefined) => void;
}

/** Sets what is tuned: see {@link createTuner}. */
export interface Tuner {
  /** @throws RangeError for a setting that there is not, that does nothing where it stands, or whose value cannot be */
  readonly tune: (settings: object) => void;
  /** Listens to the Observables among the settings while it is subscribed; fails with their errors. */
  readonly values$: Observable<never>;
}

/**
 * Sets values at once, and those of Observables as they come, while somebody is subscribed to `values$`. A later value for the
 * same setting takes the place of an Observable.
 *
 * @param setters one a setting
 * @param checkJob refuses ids of jobs that there are not
 * @example createTuner({ rate: { set: (value) => limits.rate(value) } }, checkJob).tune({ rate: of(1, 2) })
 */
export function createTuner(
  setters: Readonly<Record<string, Setter>>,
  checkJob: (job: string | undefined) => void,
): Tuner {
  const places$ = new ReplaySubject<BehaviorSubject<Observable<never>>>();
  const places = new Map<string, BehaviorSubject<Observable<never>>>();
  const placeOf = (key: string): BehaviorSubject<Observable<never>> => {
    const known = places.get(key);
    if (known !== undefined) return known;
    const place = new BehaviorSubject<Observable<never>>(EMPTY);
    places.set(key, place);
    places$.next(place);
    return place;
  };
  return {
    values$: places$.pipe(
      mergeMap((place$) => place$.pipe(switchAll())),
      share(),
    ),
    tune: (settings) => {
      const { job, ...given } = settings as { readonly job?: string };
      checkJob(job);
      const wanted = Object.entries(given).filter(([, value]) => value !== undefined);
      const found = wanted.map(([name, value]: readonly [string, unknown]) => {
        const setter = Object.hasOwn(setters, name) ? setters[name] : undefined;
        if (setter === undefined) throw new RangeError(`tune: there is no setting "${name}" here`);
        const refusal = setter.refusal?.(job);
        if (refusal !== undefined) throw new RangeError(`tune: "${name}" does nothing: ${refusal}`);
        return { name, value, set: (each: unknown) => setter.set(each, job) };
      });
      for (const { name, value, set } of found) {
        const key = JSON.stringify([name, job]);
        if (isObject(value))
          placeOf(key).next(from(value as ObservableInput<unknown>).pipe(tap(set), ignoreElements()));
        else {
          set(value);
          places.get(key)?.next(EMPTY);
        }
      }
    },
  };
}

/** The source, while the values of its settings are set; their errors are its errors. */
export const withValues = <T>(source: Observable<T>, values$: Observable<never>): Observable<T> =>
  defer(() => {
    const over$ = new Subject<void>();
    return merge(values$.pipe(takeUntil(over$)), source.pipe(finalize(() => over$.next())));
  });

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

/** @throws RangeError unless it is an integer from `least` */
export function integerOf(name: string, least: number, value: unknown, otherwise = ''): number {
  if (typeof value === 'number' && Number.isInteger(value) && value >= least) return value;
  throw refused(name, `an integer from ${least}${otherwise}`, value);
}

export const refused = (name: string, expected: string, value: unknown): RangeError =>
  new RangeError(`${name}: expected ${expected}, found ${String(value)}`);
