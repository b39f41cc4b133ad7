/** What may be changed while an extraction runs: how much at once, how far ahead, how often, and whether at all. */
import type { Observable } from 'rxjs';
import { asyncScheduler } from 'rxjs';
import { NOTHING_TUNED, tunedRequests } from '../../http/rates/request-tuning';
import type { RequestTuning, TunedRequests } from '../../http/rates/request-tuning';
import type { IterationPlan, JobPlan } from '../../plan/plan';
import { createAutomatic } from './automatic-concurrency';
import { createConcurrency } from '../../sources/concurrency';
import type { Concurrency } from '../../sources/concurrency';
import { createTuner, integerOf, refused } from './tunable';
import type { Setter, Tunable } from './tunable';

/** What can be changed of the requests of a job, of an extraction or of a client. */
export interface RequestSettings {
  /** Requests a second, evenly spaced, beside the rates of the configuration; more than 0, `Infinity`: no such rate. */
  readonly rate?: Tunable<number> | undefined;
  /** Whether no request starts. What is in flight ends; retries wait as well. */
  readonly paused?: Tunable<boolean> | undefined;
}

/** What can be changed of an extraction, or of one of its jobs. */
export interface TuneSettings extends RequestSettings {
  /** The id of a job; absent: the settings are for all jobs together. */
  readonly job?: string | undefined;
  /**
   * How many calls of its children, windows and partitions run at once; without `job`, how many jobs. An integer from 1,
   * or `auto`: as many as the API takes (docs/extensions/flow.md#as-many-as-the-api-takes).
   */
  readonly concurrency?: Tunable<number | 'auto'> | undefined;
  /** Pages of a job that are requested at once, an integer from 1; without `job`, of each job. */
  readonly parallel?: Tunable<number> | undefined;
  /** Pages that may wait for the consumer, an integer from 0. */
  readonly prefetch?: Tunable<number> | undefined;
  /**
   * Of the requests that wait for a rate, a cap or a pause, also with other extractions of a client, those of the highest go
   * first; 0 unless given. What is set for a job comes before what is set for all.
   */
  readonly priority?: Tunable<number> | undefined;
}

/** The settings of one extraction: see {@link createTuning}. */
export interface Tuning {
  readonly concurrency: Concurrency;
  readonly requests: RequestTuning;
  /** @throws RangeError for a setting that cannot be, or does nothing where it stands */
  readonly tune: (settings: TuneSettings) => void;
  /** Listens to the Observables among the settings; fails with their errors. Each run is subscribed to it. */
  readonly values$: Observable<never>;
}

/**
 * Keeps what can be changed of an extraction, for all of its runs.
 *
 * @param ownsLogins whether logins wait, too: those of runs that have their sessions for themselves
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
    id === undefined ? iterations.flatMap(({ jobs }) => jobs.flatMap(withChildren)) : concurrency.jobsOf(id);
  const setters: Readonly<Record<keyof Omit<TuneSettings, 'job'>, Setter>> = {
    concurrency: {
      refusal: (job) => (job === undefined || jobsOf(job).some(hasSeveralCalls) ? undefined : ONE_CALL),
      set: (value, job) => {
        const most = value === 'auto' ? value : integerOf('concurrency', 1, value, ' or "auto"');
        automatic.use(job, most === 'auto');
        if (most !== 'auto') concurrency.set('concurrency', job, most);
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

/** The setters of what holds for requests. */
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

const hasSeveralCalls = ({ children, slices }: JobPlan): boolean => children.length > 0 || slices !== undefined;

const ONE_CALL =
  'the job has no children, windows or partitions, of which several could run at once. Use "parallel" for its pages, or ' +
  'leave "job" out for jobs at once';
const ONE_BY_ONE =
  'pages are found one by one, each in the page before it. They can be requested ahead with the pagination "offset" or "pagenum"';
