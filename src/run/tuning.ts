/** Settings that may change while an extraction runs: how much runs at once, how far ahead, how often, and whether it is paused. */
import {
  BehaviorSubject,
  EMPTY,
  ReplaySubject,
  Subject,
  asyncScheduler,
  defer,
  finalize,
  from,
  ignoreElements,
  merge,
  mergeMap,
  share,
  switchAll,
  takeUntil,
  tap,
} from 'rxjs';
import type { Observable, ObservableInput, Subscription } from 'rxjs';
import { NOTHING_TUNED, tunedRequests } from '../http/rates/request-tuning';
import type { RequestTuning, TunedRequests } from '../http/rates/request-tuning';
import { adaptiveLimit } from '../operators';
import type { AdaptiveLimit } from '../operators';
import type { IterationPlan, JobPlan } from '../plan/plan';
import { AT_FIRST, createConcurrency } from '../sources/concurrency';
import type { Concurrency } from '../sources/concurrency';

/** The settings for the requests of a job, of an extraction or of a client. */
export interface RequestSettings {
  /** Requests per second, evenly spaced, in addition to the rates of the configuration; more than 0, `Infinity`: no such rate. */
  readonly rate?: Tunable<number> | undefined;
  /** True if no request starts. Requests in flight end; retries wait as well. */
  readonly paused?: Tunable<boolean> | undefined;
}

/** The settings of an extraction, or of one of its jobs. */
export interface TuneSettings extends RequestSettings {
  /** The id of a job; absent: the settings are for all jobs together. */
  readonly job?: string | undefined;
  /**
   * How many calls of its children, windows and partitions run at once; without `job`, how many jobs. An integer from 1, `Infinity`, or
   * `auto`, which finds the number that the API accepts (docs/language/concurrency.md#as-many-as-the-api-takes). Of an Observable, none starts
   * before its first value.
   */
  readonly concurrency?: Tunable<number | 'auto'> | undefined;
  /** Pages of a job that are requested at once, an integer from 1; without `job`, of each job. */
  readonly parallel?: Tunable<number> | undefined;
  /** Pages that may wait for the consumer, an integer from 0. */
  readonly prefetch?: Tunable<number> | undefined;
  /**
   * The priority of requests that wait for a rate, a cap or a pause, also among other extractions of a client: the highest goes first; 0 by
   * default. A value for a job overrides the value for all.
   */
  readonly priority?: Tunable<number> | undefined;
}

/** The settings of one extraction: see {@link createTuning}. */
export interface Tuning {
  readonly concurrency: Concurrency;
  readonly requests: RequestTuning;
  /** @throws RangeError for an invalid setting, or one without effect */
  readonly tune: (settings: TuneSettings) => void;
  /** Subscribes to the Observables among the settings; fails with their errors. Each run subscribes to it. */
  readonly values$: Observable<never>;
}

/**
 * Keeps the settings of an extraction, for all of its runs.
 *
 * @param ownsLogins whether logins wait as well: those of runs with their own sessions
 * @example createTuning(iterations, { ownsLogins: true }).tune({ job: 'stations', concurrency: 20 })
 */
export function createTuning(
  iterations: readonly IterationPlan[],
  { ownsLogins }: { readonly ownsLogins: boolean },
): Tuning {
  const concurrency = createConcurrency(iterations);
  const automatic = createAutomatic(iterations, concurrency);
  const ofRun = tunedRequests();
  const ofJobs = new Map<string, TunedRequests>();
  const requestsOf = (job: string | undefined): TunedRequests => {
    if (job === undefined) return ofRun;
    const known = ofJobs.get(job) ?? tunedRequests();
    ofJobs.set(job, known);
    return known;
  };
  const jobsOf = (id: string | undefined): readonly JobPlan[] =>
    id === undefined ? allJobs(iterations) : concurrency.jobsOf(id);
  const setters: Readonly<Record<keyof Omit<TuneSettings, 'job'>, Setter>> = {
    concurrency: {
      refusal: (job) => (job === undefined || jobsOf(job).some(hasSeveralCalls) ? undefined : ONE_CALL),
      set: (value, job) => {
        const most = concurrencyOf(value);
        automatic.use(job, most === 'auto');
        if (most !== 'auto') concurrency.set('concurrency', job, most);
      },
      holdBack: (job) => {
        automatic.use(job, false);
        concurrency.set('concurrency', job, 0);
      },
    },
    parallel: {
      refusal: (job) => (jobsOf(job).some(({ pagination }) => pagination.runsAhead === true) ? undefined : ONE_BY_ONE),
      set: (value, job) => concurrency.set('parallel', job, integerOf('parallel', 1, value)),
    },
    prefetch: { set: (value, job) => concurrency.set('prefetch', job, integerOf('prefetch', 0, value)) },
    priority: {
      set: (value, job) => {
        if (typeof value !== 'number' || Number.isNaN(value)) throw refused('priority', 'a number', value);
        requestsOf(job).prioritize(value);
      },
    },
    ...requestSetters(requestsOf),
  };
  const { tune, values$ } = createTuner(setters, (job) => {
    if (job !== undefined && jobsOf(job).length === 0)
      throw new RangeError(`tune: there is no job with the id ${JSON.stringify(job)}`);
  });
  return {
    concurrency,
    tune,
    values$,
    requests: {
      isActive: () => ofRun.isSet() || automatic.isUsed() || [...ofJobs.values()].some(({ isSet }) => isSet()),
      rulesOf: (purpose) => {
        const { pacing } = ofRun.rules();
        if (purpose.kind === 'login') return ownsLogins ? { ...NOTHING_TUNED, pacing } : NOTHING_TUNED;
        const ofJob = requestsOf(purpose.job).rules();
        return { caps: [], pacing: [...pacing, ...ofJob.pacing], adaptive: automatic.limitsOf(purpose.job) };
      },
      priorityOf: (purpose) =>
        (purpose.kind === 'login' ? undefined : ofJobs.get(purpose.job)?.priority()) ?? ofRun.priority(),
    },
  };
}

/** Returns the setters of the settings for requests. */
export const requestSetters = (
  requestsOf: (job: string | undefined) => TunedRequests,
): Readonly<Record<keyof RequestSettings, Setter>> => ({
  rate: {
    set: (value, job) => {
      if (typeof value !== 'number' || !(value > 0)) throw refused('rate', 'a number above 0', value);
      requestsOf(job).rate(value, asyncScheduler.now());
    },
  },
  paused: {
    set: (value, job) => {
      if (typeof value !== 'boolean') throw refused('paused', 'true or false', value);
      requestsOf(job).pause(value);
    },
  },
});

const withChildren = (job: JobPlan): readonly JobPlan[] => [
  job,
  ...job.children.flatMap(({ job: child }) => withChildren(child)),
];

const allJobs = (iterations: readonly IterationPlan[]): readonly JobPlan[] =>
  iterations.flatMap(({ jobs }) => jobs.flatMap(withChildren));

/** Returns the ids, as they are written, of the jobs whose `concurrency` can be tuned: see {@link TuneSettings}. */
export const tunableJobs = (iterations: readonly IterationPlan[]): readonly string[] => [
  ...new Set(allJobs(iterations).flatMap((job) => (job.name === job.id && hasSeveralCalls(job) ? [job.id] : []))),
];

const hasSeveralCalls = ({ children, slices }: JobPlan): boolean => children.length > 0 || slices !== undefined;

const ONE_CALL =
  'the job has no children, windows or partitions, of which several could run at once. Use "parallel" for its pages, or ' +
  'leave "job" out for jobs at once';
const ONE_BY_ONE =
  'pages are found one by one, each in the page before it. They can be requested ahead with the pagination "offset" or "pagenum"';

/** A value, or an Observable of values: each applies from its arrival, and the last one for good; no `concurrency` applies before the first. */
export type Tunable<T> = T | Observable<T>;

/** How one setting is checked and set. */
export interface Setter {
  /** Returns why the setting has no effect for this job, or, for `undefined`, for all; absent: it always has. */
  readonly refusal?: (job: string | undefined) => string | undefined;
  /** @throws RangeError for an invalid value */
  readonly set: (value: unknown, job: string | undefined) => void;
  /** Lets nothing start until an Observable has its first value; absent: what was set before holds until then. */
  readonly holdBack?: (job: string | undefined) => void;
}

/** Sets the tuned settings: see {@link createTuner}. */
export interface Tuner {
  /** @throws RangeError for an unknown setting, one without effect, or an invalid value */
  readonly tune: (settings: object) => void;
  /** Subscribes to the Observables among the settings while it is subscribed; fails with their errors. */
  readonly values$: Observable<never>;
}

/**
 * Sets values at once, and the values of Observables as they come, while `values$` is subscribed. A later value for the same setting
 * replaces an Observable.
 *
 * @param setters one for each setting
 * @param checkJob refuses unknown ids of jobs
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
        return { name, value, setter };
      });
      for (const { name, value, setter } of found) {
        const key = JSON.stringify([name, job]);
        if (isObject(value)) placeOf(key).next(settingBy(value as ObservableInput<unknown>, { name, setter, job }));
        else {
          setter.set(value, job);
          places.get(key)?.next(EMPTY);
        }
      }
    },
  };
}

interface SettingPlace {
  readonly name: string;
  readonly setter: Setter;
  readonly job: string | undefined;
}

/** Sets the values of an Observable; until its first one comes, nothing that the setting limits starts. */
function settingBy(values: ObservableInput<unknown>, { name, setter, job }: SettingPlace): Observable<never> {
  let isHeld = setter.holdBack !== undefined;
  setter.holdBack?.(job);
  return from(values).pipe(
    tap({
      next: (value) => {
        setter.set(value, job);
        isHeld = false;
      },
      complete: () => {
        if (isHeld) throw new RangeError(`${name}: its Observable has ended without a value, so nothing can start`);
      },
    }),
    ignoreElements(),
  );
}

/** Returns the source, during which the values of its settings are set; their errors are its errors. */
export const withValues = <T>(source: Observable<T>, values$: Observable<never>): Observable<T> =>
  defer(() => {
    const over$ = new Subject<void>();
    return merge(values$.pipe(takeUntil(over$)), source.pipe(finalize(() => over$.next())));
  });

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

/** @throws RangeError unless it is an integer from `least` */
function integerOf(name: string, least: number, value: unknown): number {
  if (typeof value === 'number' && Number.isInteger(value) && value >= least) return value;
  throw refused(name, `an integer from ${least}`, value);
}

/** @throws RangeError unless it is an integer from 1, `Infinity` or `auto` */
export function concurrencyOf(value: unknown): number | 'auto' {
  const isNumber = typeof value === 'number' && (Number.isInteger(value) || value === Infinity);
  if (value === 'auto' || (isNumber && value >= 1)) return value;
  throw refused('concurrency', 'an integer from 1, Infinity or "auto"', value);
}

const refused = (name: string, expected: string, value: unknown): RangeError =>
  new RangeError(`${name}: expected ${expected}, found ${String(value)}`);

/** The limits for `concurrency: "auto"`, which finds how many calls or jobs the API accepts at once (docs/language/concurrency.md). */
export interface AutomaticConcurrency {
  /** Starts or ends it for the calls of a job, or, for `undefined`, for jobs. */
  readonly use: (job: string | undefined, isUsed: boolean) => void;
  readonly isUsed: () => boolean;
  /** Returns the limits that the requests of a job count for. */
  readonly limitsOf: (job: string) => readonly AdaptiveLimit[];
}

interface Automatic {
  readonly limit: AdaptiveLimit;
  readonly following: Subscription;
  /** The ids of the jobs whose requests count; absent: all jobs. */
  readonly jobs: ReadonlySet<string> | undefined;
}

/** @param concurrency follows the limits: as many calls run at once as requests may */
function createAutomatic(iterations: readonly IterationPlan[], concurrency: Concurrency): AutomaticConcurrency {
  const used = new Map<string | undefined, Automatic>();
  const use = (job: string | undefined, isUsed: boolean): void => {
    if (isUsed === used.has(job)) return;
    if (!isUsed) {
      used.get(job)?.following.unsubscribe();
      used.delete(job);
      return;
    }
    const limit = adaptiveLimit({ initial: AT_FIRST });
    const following = limit.limit$.subscribe((most) => concurrency.set('concurrency', job, most));
    const jobs = job === undefined ? undefined : new Set(concurrency.jobsOf(job).flatMap(calledBy));
    used.set(job, { limit, following, jobs });
  };
  const enter = ({ id, concurrency: wanted, children }: JobPlan): void => {
    if (wanted === 'auto') use(id, true);
    for (const { job } of children) enter(job);
  };
  for (const { jobs, flow } of iterations) {
    if (flow.concurrency === 'auto') use(undefined, true);
    jobs.forEach(enter);
  }
  return {
    use,
    isUsed: () => used.size > 0,
    limitsOf: (job) =>
      [...used.values()].flatMap(({ limit, jobs }) => (jobs === undefined || jobs.has(job) ? [limit] : [])),
  };
}

/** Returns the ids of the jobs below a job whose calls may run at once: its children, and itself if it is divided. */
const calledBy = ({ id, slices, children }: JobPlan): readonly string[] => [
  ...(slices === undefined ? [] : [id]),
  ...children.flatMap(({ job }) => [job.id, ...calledBy(job)]),
];
