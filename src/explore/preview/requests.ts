/** The requests of a run, as far as they are known before it. */
import { asyncScheduler, NEVER, take } from 'rxjs';
import type { SchedulerLike } from 'rxjs';
import { HeadwaterError } from '../../core/errors/errors';
import type { Fault } from '../../core/errors/errors';
import { partsOf } from '../manual/explain';
import type { CredentialSource, Cursors, Json, JsonObject, Request } from '../../core/model';
import { withoutUndefined } from '../../core/json/not-json';
import type { ChildJobPlan, IterationPlan, JobPlan, RunTimes } from '../../plan/plan';
import type { Slice } from '../../plan/slices';
import { prepare, referencesOf } from '../../run/prepare';
import type { ValidateOptions } from '../../run/prepare';
import { NamedSecrets } from '../../language/references/missing-secrets';
import type { UnsetOption } from '../../language/references/missing-secrets';
import type { Secrets } from '../../core/secrets/secrets';
import { withCursor } from '../../sources/incremental';
import { credentialStore } from '../../run/state/credential-store';
import { cursorsOf } from '../../run/state/cursors';
import { previousStartOf } from '../../run/state/next-state';
import { callsOf } from './calls';
import { curlOf } from './curl';
import { markersFor } from './markers';
import type { Markers } from './markers';
import { pagingOf } from './paging';
import { piecedRequest, shownRequest } from './planned-request';
import { createVariables } from './variables';
import type { Variable, Variables } from './variables';

/** What a run would send. Secrets are `***`; what only an answer tells stands in braces. */
export interface RequestsOf {
  readonly jobs: readonly JobRequests[];
  /** The requests of logins, which come before the first request that needs what they give. */
  readonly logins: readonly PlannedRequest[];
  /** The shell variables that the curl commands need. */
  readonly variables: readonly Variable[];
  /** Values from outside that are not there, with `unset: 'stand in'`. */
  readonly unset: readonly Fault[];
  /** How many iterations the configuration has: the requests are those of the first. */
  readonly iterations: number;
}

/** What a run would send for one job. */
export interface JobRequests {
  readonly id: string;
  readonly path: string;
  readonly endpoint: string;
  readonly dataType: string;
  /** The id of the job that it is called for. */
  readonly parent?: string;
  /** How often it is called, as a sentence. */
  readonly calls: string;
  /** How it pages, as a sentence. */
  readonly paging: string;
  /** The first request of each call, of a divided job that of each of its first calls. */
  readonly requests: readonly PlannedRequest[];
  /** Why the requests are not known. */
  readonly unknown?: string;
}

/** A request that is not sent. */
export interface PlannedRequest {
  readonly purpose: 'login' | 'page' | 'submit' | 'poll';
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** The same as a curl command for a POSIX shell; secrets stand in shell variables. */
  readonly curl: string;
}

export interface RequestsOptions extends ValidateOptions, UnsetOption {
  /** The state that the last run left: from where jobs ask that ask only for what is new. */
  readonly state?: JsonObject;
  /** The calls of a divided job whose requests are given; default 3. */
  readonly calls?: number;
  readonly scheduler?: SchedulerLike;
}

const CALLS = 3;

/**
 * The requests that a run would send, as far as they are known without sending any: logins, the first request of each job, of each
 * window and partition, and those of children with their placeholders in braces.
 *
 * @param config the configuration, parsed
 * @throws ConfigurationError with every fault at once
 * @example requestsOf(config).jobs.map(({ requests }) => requests[0]?.url)
 */
export function requestsOf(config: unknown, options: RequestsOptions = {}): RequestsOf {
  const { state = {}, calls = CALLS, scheduler = asyncScheduler, components = [] } = options;
  const { planned, secrets: known, unset } = prepare(config, options);
  const references = referencesOf(config, options);
  const secrets = new NamedSecrets(known, references);
  const [iteration] = planned.iterations;
  if (iteration === undefined) return { jobs: [], logins: [], variables: [], unset, iterations: 0 };
  secrets.add(...iteration.secrets);
  const times = { previousStart: previousStartOf(state), currentStart: Math.floor(scheduler.now() / 1000) };
  const markers = markersFor(iteration.jobs);
  const variables = createVariables(withoutUndefined(config) as Json, references, secrets, markers.variables);
  const { apply, logins } = authorizing(iteration, secrets, state);
  const surroundings = {
    secrets,
    times,
    cursors: cursorsOf(state),
    markers,
    variables,
    most: calls,
    baseUrl: iteration.http.baseUrl,
    apply,
  };
  const summaries = new Map(
    partsOf(components).flatMap(({ kind, name, summary }) => (kind === 'pagination' ? [[name, summary]] : [])),
  );
  const jobs = iteration.jobs.flatMap((plan) => jobRequests({ plan }, { ...surroundings, summaries }));
  return {
    jobs,
    logins: logins().map((request) => planRequest(request, 'login', surroundings)),
    variables: variables.used(),
    unset,
    iterations: planned.iterations.length,
  };
}

interface Surroundings {
  readonly secrets: Secrets;
  readonly times: RunTimes;
  readonly cursors: Cursors;
  readonly markers: Markers;
  readonly variables: Variables;
  readonly most: number;
  readonly baseUrl: string;
  readonly apply: (request: Request) => Request;
}

/** Credentials that nobody has to be asked for are in the requests; a login that would be sent is kept instead. */
function authorizing({ authentication }: IterationPlan, secrets: Secrets, state: JsonObject) {
  const asked: Request[] = [];
  if (authentication === undefined) return { apply: (request: Request) => request, logins: () => asked };
  const source: CredentialSource = authentication.source({
    send: (request) => {
      asked.push(request);
      return NEVER;
    },
    decode: () => undefined,
    report: () => undefined,
    secrets,
    store: credentialStore(state, authentication.keeps === undefined ? [] : [authentication.keeps], () => undefined),
    renewEarly: true,
  });
  let apply = (request: Request): Request => request;
  source.credentials$
    .pipe(take(1))
    .subscribe({
      next: (credentials) => (apply = credentials.apply),
      // A login that needs a person, or what an earlier one left: the requests are known all the same.
      error: () => undefined,
    })
    .unsubscribe();
  return { apply: (request: Request) => apply(request), logins: () => asked };
}

interface Placed {
  readonly plan: JobPlan;
  readonly parent?: JobPlan;
  readonly child?: ChildJobPlan;
}

function jobRequests(
  placed: Placed,
  around: Surroundings & { readonly summaries: ReadonlyMap<string, string> },
): readonly JobRequests[] {
  const { plan, parent } = placed;
  const { id, path, endpoint, dataType } = plan;
  const sliced = plan.slices?.(around.times);
  around.secrets.add(...(sliced?.secrets ?? []));
  const own = requestsFor(plan, sliced?.slices, around);
  const shown = (text: string): string => around.secrets.mask(text);
  return [
    {
      ...{ id: shown(id), path, endpoint: shown(endpoint), dataType: shown(dataType) },
      ...(parent === undefined ? {} : { parent: shown(parent.id) }),
      calls: shown(callsOf(plan, placed.child, parent, sliced?.slices.length)),
      paging: shown(pagingOf(plan, around.summaries)),
      ...own,
    },
    ...plan.children.flatMap((child) => jobRequests({ plan: child.job, parent: plan, child }, around)),
  ];
}

function requestsFor(
  plan: JobPlan,
  slices: readonly Slice[] | undefined,
  around: Surroundings,
): Pick<JobRequests, 'requests' | 'unknown'> {
  try {
    const calls = slices?.slice(0, around.most) ?? [undefined];
    return { requests: calls.flatMap((slice) => callRequests(plan, slice, around)) };
  } catch (error) {
    if (!(error instanceof HeadwaterError)) throw error;
    return { requests: [], unknown: around.secrets.mask(error.message) };
  }
}

function callRequests(plan: JobPlan, slice: Slice | undefined, around: Surroundings): readonly PlannedRequest[] {
  const { times, markers, cursors, secrets, baseUrl } = around;
  const bindings = new Map([
    ...markers.bindings,
    ...Array.from(slice?.texts ?? [], ([name, text]) => [name, { text }] as const),
  ]);
  const call = { times, bindings, ...(slice === undefined ? {} : { slice: slice.contexts }) };
  const { asynchronous } = plan;
  const bound = plan.bind(call);
  secrets.add(...bound.secrets);
  const params = asynchronous === undefined ? withCursor(plan, bound.params, cursors, undefined) : bound.params;
  const { first } = plan.pagination.paginator({
    path: plan.path,
    params,
    ...(bound.body === undefined ? {} : { body: bound.body }),
    ...(plan.graphql === undefined ? {} : { graphql: true as const }),
    baseUrl,
    endpointUrl: bound.url,
  });
  const before = (['submit', 'poll'] as const).flatMap((purpose) => {
    const asked = asynchronous?.[purpose].bind(call);
    if (asked === undefined) return [];
    secrets.add(...asked.secrets);
    const own = purpose === 'submit' ? withCursor(plan, asked.params, cursors, undefined) : asked.params;
    return [planRequest(around.apply(asked.request({ params: own })), purpose, around)];
  });
  return [...before, planRequest(around.apply(bound.request(first.change)), 'page', around)];
}

const planRequest = (
  request: Request,
  purpose: PlannedRequest['purpose'],
  { secrets, markers, variables }: Surroundings,
): PlannedRequest => ({
  purpose,
  ...shownRequest(request, secrets, markers.shown),
  curl: curlOf(piecedRequest(request, variables)),
});
