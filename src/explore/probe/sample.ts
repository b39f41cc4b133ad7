/** The part of a plan that a preview requests. */
import type { Reply, Request } from '../../core/model';
import type { ChildJobPlan, JobPlan } from '../../plan/plan';
import type { Planned } from '../../plan/compile';
import type { Next, Paginator, Step } from '../../language/parts/pagination/paginator';

/** The decision of the page loop of a job after its last page. */
export interface Decision {
  readonly next: Next;
  /** The request of the next page, if there is one. */
  readonly request?: Request;
}

/** A plan for about a page of each job, and the next step of its jobs. */
export interface Sample {
  readonly planned: Planned;
  /** Returns the decision after a response, by the place of the job. */
  readonly decided: (path: string, reply: Reply) => Decision | undefined;
}

/** The reason for ending a job that could continue. */
export const ENOUGH = 'As many pages as were asked for have come.';
/** The maximum number of retries, since a user waits for the preview. */
const MOST_RETRIES = 2;

/**
 * Returns the first iteration of a plan, limited to one call of each job, to that number of pages, and for children to the first item with
 * a call. Everything else is as in a run.
 *
 * @param pages the maximum number of pages of each job
 */
export function sampleOf({ iterations, ...planned }: Planned, pages: number): Sample {
  const decisions = new Map<string, Map<Reply, Decision>>();
  const sampled = iterations.slice(0, 1).map((iteration) => ({
    ...iteration,
    http: {
      ...iteration.http,
      retry: { ...iteration.http.retry, maxRetries: Math.min(MOST_RETRIES, iteration.http.retry.maxRetries) },
    },
    jobs: iteration.jobs.map((job) => sampledJob(job, pages, decisions)),
  }));
  return {
    planned: { ...planned, iterations: sampled },
    decided: (path, reply) => decisions.get(path)?.get(reply),
  };
}

type Decisions = Map<string, Map<Reply, Decision>>;

function sampledJob(plan: JobPlan, pages: number, decisions: Decisions): JobPlan {
  const own = new Map<Reply, Decision>();
  decisions.set(plan.path, own);
  let requestOf: ((step: Step) => Request) | undefined;
  const bind: JobPlan['bind'] = (call) => {
    const bound = plan.bind(call);
    requestOf = ({ change }) => bound.request(change);
    return bound;
  };
  /** The plan of a job makes its paginator from its facts. */
  const paginator = (facts: Parameters<JobPlan['pagination']['paginator']>[0]): Paginator => {
    const made = plan.pagination.paginator(facts);
    const asked = requestOf;
    let last: Reply | undefined;
    const decide = (next: Next): void => {
      if (last !== undefined)
        own.set(last, { next, ...(next.kind === 'step' && asked !== undefined ? { request: asked(next.step) } : {}) });
    };
    const { beyond } = made;
    return {
      ...made,
      next: (arrival) => {
        last = arrival.reply;
        const next = made.next(arrival);
        decide(next);
        return next;
      },
      ...(beyond === undefined
        ? {}
        : {
            beyond: (step, count, page) => {
              const further = beyond(step, count, page);
              decide({ kind: 'step', step: further });
              return further;
            },
          }),
    };
  };
  const { slices } = plan;
  return {
    ...plan,
    bind,
    pagination: { ...plan.pagination, parallel: 1, paginator },
    // It comes last, so that the stops of the configuration come first.
    stops: [...plan.stops, { forceStop: { pages, because: ENOUGH } }],
    completeness: plan.completeness === 'off' ? 'off' : 'warn',
    ...(slices === undefined ? {} : { slices: (times) => firstSlice(slices(times)) }),
    children: plan.children.map((child) => sampledChild(child, pages, decisions)),
  };
}

type Sliced = ReturnType<NonNullable<JobPlan['slices']>>;

const firstSlice = ({ slices: [first], secrets }: Sliced): Sliced => ({
  secrets,
  slices: first === undefined ? [] : [{ contexts: first.contexts, texts: first.texts }],
});

function sampledChild(child: ChildJobPlan, pages: number, decisions: Decisions): ChildJobPlan {
  let isCalled = false;
  return {
    ...child,
    job: sampledJob(child.job, pages, decisions),
    *choose(calls) {
      if (isCalled) return;
      for (const call of calls) {
        isCalled = true;
        yield call;
        return;
      }
    },
  };
}
