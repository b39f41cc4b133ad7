/** Returns the requests of a run, as far as they are known before it. */
import { NEVER, asyncScheduler, take } from 'rxjs';
import type { SchedulerLike } from 'rxjs';
import { HeadwaterError } from '../../core/errors/errors';
import type { Fault } from '../../core/errors/errors';
import { stringifyJson } from '../../core/json/stringify';
import type { CredentialSource, Cursors, Json, JsonObject, Request } from '../../core/model';
import type { Secrets } from '../../core/secrets/secrets';
import { NamedSecrets } from '../../language/references/read';
import type { UnsetOption } from '../../language/references/read';
import type { CallValues, ChildJobPlan, IterationPlan, JobPlan, RunTimes, Slice, StopsPlan } from '../../plan/plan';
import { cursorsOf, previousStartOf } from '../../run/state/cursors';
import { credentialStore } from '../../run/state/kept-credentials';
import { masking } from '../../run/validate';
import type { Prepared, ValidateOptions } from '../../run/validate';
import { reachedIn, withCursor } from '../../sources/incremental';
import { partsOf } from '../manual/explain';
import type { RequestPreview } from './model';
import { IN_JSON, PERCENT_ENCODED, createVariables, curlOf, variableName } from './shell-command';
import type { PiecedRequest, Variable, Variables } from './shell-command';

/** The requests of a run. Secrets are `***`; values from responses are in braces. */
export interface RequestsOf {
  readonly jobs: readonly JobRequests[];
  /** The requests of logins, which come before the first request that needs them. */
  readonly logins: readonly PlannedRequest[];
  /** The shell variables that the curl commands need. */
  readonly variables: readonly Variable[];
  /** Outside values that are not set, with `unset: 'stand in'`. */
  readonly unset: readonly Fault[];
  /** The number of iterations; the requests are those of the first. */
  readonly iterations: number;
}

/** The requests of one job. */
export interface JobRequests {
  readonly id: string;
  readonly path: string;
  readonly endpoint: string;
  readonly dataType: string;
  /** The id of the parent job. */
  readonly parent?: string;
  /** How often it is called, as a sentence. */
  readonly calls: string;
  /** How it pages, as a sentence. */
  readonly paging: string;
  /** The first request of each call; of a divided job, those of its first calls. */
  readonly requests: readonly PlannedRequest[];
  /** Why the requests are unknown. */
  readonly unknown?: string;
}

/** A request that is not sent. */
export interface PlannedRequest {
  readonly purpose: 'login' | 'page' | 'submit' | 'poll';
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** The same as a curl command for a POSIX shell; secrets are in shell variables. */
  readonly curl: string;
}

export interface RequestsOptions extends ValidateOptions, UnsetOption, RequestsAfter {}

/** What the requests depend on beside the configuration. */
export interface RequestsAfter {
  /** The state after the last run, with the cursors of jobs that ask only for new items. */
  readonly state?: JsonObject;
  /** The maximum number of calls of a divided job; default 3. */
  readonly calls?: number;
  readonly scheduler?: SchedulerLike;
}

const CALLS = 3;

/** Returns the requests that a run of a prepared configuration would send. */
export function plannedRequests(
  { planned, secrets: known, references, document, unset }: Prepared,
  options: RequestsAfter & Pick<ValidateOptions, 'components'>,
): RequestsOf {
  const { state = {}, calls = CALLS, scheduler = asyncScheduler, components = [] } = options;
  const secrets = new NamedSecrets(known, references);
  const [iteration] = planned.iterations;
  if (iteration === undefined) return { jobs: [], logins: [], variables: [], unset, iterations: 0 };
  secrets.add(...iteration.secrets);
  const times = { previousStart: previousStartOf(state), currentStart: Math.floor(scheduler.now() / 1000) };
  const markers = markersFor(iteration.jobs);
  const variables = createVariables(document, references, secrets, markers.variables);
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
  return {
    jobs: masking(secrets, () =>
      placedJobs(iteration.jobs).map((placed) => jobRequests(placed, { ...surroundings, summaries })),
    ),
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

/** Adds credentials that need no request; a login that would be sent is collected instead. */
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
      // A login that needs a person, or the values of an earlier one: the requests are known all the same.
      error: () => undefined,
    })
    .unsubscribe();
  return { apply: (request: Request) => apply(request), logins: () => asked };
}

/** A job, and the job that calls it. */
export interface PlacedJob {
  readonly plan: JobPlan;
  readonly parent?: JobPlan;
  readonly child?: ChildJobPlan;
}

/** Returns jobs with those below them, children after their parents. */
export const placedJobs = (jobs: readonly JobPlan[]): readonly PlacedJob[] => jobs.flatMap((plan) => below({ plan }));

const below = (placed: PlacedJob): readonly PlacedJob[] => [
  placed,
  ...placed.plan.children.flatMap((child) => below({ plan: child.job, parent: placed.plan, child })),
];

function jobRequests(
  { plan, parent, child }: PlacedJob,
  around: Surroundings & { readonly summaries: ReadonlyMap<string, string> },
): JobRequests {
  const { id, path, endpoint, dataType } = plan;
  const sliced = plan.slices?.(around.times, ({ texts }) => reachedIn(plan, around.cursors, Object.fromEntries(texts)));
  around.secrets.add(...(sliced?.secrets ?? []));
  const own = requestsFor(plan, sliced?.slices, around);
  const shown = (text: string): string => around.secrets.mask(text);
  return {
    ...{ id: shown(id), path, endpoint: shown(endpoint), dataType: shown(dataType) },
    ...(parent === undefined ? {} : { parent: shown(parent.id) }),
    calls: shown(callsOf(plan, child, parent, sliced?.slices.length)),
    paging: shown(pagingOf(plan, around.summaries)),
    ...own,
  };
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

const MASK = '***';
const SECRET_HEADER = /authorization|token|secret|signature|password|api-?key|^cookie$/;

/** Returns a request in the form that may be shown. */
function shownRequest(request: Request, secrets: Secrets, shown: (text: string) => string): RequestPreview {
  const { method, url, headers, body } = request;
  const valueOf = (name: string, value: string): string =>
    SECRET_HEADER.test(name) ? MASK : shown(secrets.mask(value));
  return {
    method,
    url: shown(secrets.mask(url)),
    headers: Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name, valueOf(name, [value].flat().join(', '))]),
    ),
    ...(body === undefined ? {} : { body: shown(secrets.mask(body)) }),
  };
}

/** Returns the same with shell variables in place of secrets and placeholders. */
function piecedRequest({ method, url, headers, body }: Request, variables: Variables): PiecedRequest {
  const isForm = [headers['content-type'] ?? ''].flat().join().includes('urlencoded');
  const isJson = /json/.test([headers['content-type'] ?? ''].flat().join());
  return {
    method,
    url: variables.piecesOf(url, 'SECRET', PERCENT_ENCODED),
    headers: Object.entries(headers).flatMap(([name, value]) =>
      [value].flat().map((line) => [name, headerPieces(name, line, variables)] as const),
    ),
    ...(body === undefined
      ? {}
      : { body: variables.piecesOf(body, 'SECRET', isForm ? PERCENT_ENCODED : isJson ? IN_JSON : undefined) }),
  };
}

/** Returns the pieces of a header. One with a secret name shows only what is known to be public: its scheme. */
function headerPieces(name: string, line: string, variables: Variables): PiecedRequest['headers'][number][1] {
  const pieces = variables.piecesOf(line, name);
  if (!SECRET_HEADER.test(name) || pieces.some((piece) => 'variable' in piece)) return pieces;
  return variables.whole(name, `the header ${name}`);
}

/** Markers in place of values that only a response contains. */
export interface Markers {
  /** A marker for each placeholder of all jobs. */
  readonly bindings: CallValues['bindings'];
  /** The shell variable for each marker. */
  readonly variables: ReadonlyMap<string, Variable>;
  /** Returns a string with `{name}` in place of markers. */
  readonly shown: (text: string) => string;
}

/** Returns a marker: letters and digits are the same in every encoding. */
const marker = (at: number): string => `hwPlaceholder${at}x`;

function markersFor(jobs: readonly JobPlan[]): Markers {
  const names = [...new Set(jobs.flatMap(namesIn))];
  const markers = names.map((name, at) => ({ name, text: marker(at) }));
  return {
    bindings: new Map(markers.map(({ name, text }) => [name, { text }])),
    variables: new Map(
      markers.map(({ name, text }) => [text, { name: variableName(name), about: `the placeholder {${name}}` }]),
    ),
    shown: (text) => markers.reduce((filled, { name, text: each }) => filled.replaceAll(each, `{${name}}`), text),
  };
}

const namesIn = ({ children, asynchronous }: JobPlan): readonly string[] => [
  ...(asynchronous === undefined
    ? []
    : [...asynchronous.submit.values, ...asynchronous.poll.values].map(({ name }) => name)),
  ...children.flatMap(({ placeholders, job }) => [...placeholders.map(({ name }) => name), ...namesIn(job)]),
];

/**
 * Returns how often a job is called, as a sentence.
 *
 * @param slices the number of windows and partitions; absent: it is not divided
 */
function callsOf(
  { slices: divides }: Pick<JobPlan, 'slices'>,
  child: ChildJobPlan | undefined,
  parent: Pick<JobPlan, 'endpoint'> | undefined,
  slices: number | undefined,
): string {
  const divided =
    divides === undefined
      ? ''
      : `, divided into ${slices ?? 0} ${slices === 1 ? 'call' : 'calls'} by its windows and partitions`;
  if (child === undefined || parent === undefined) return `It is called once${divided}.`;
  const { filter, batch, placeholders } = child;
  const items = batch === undefined ? 'each item' : `each ${batch.size} items`;
  const passing = filter === undefined ? '' : ` that ${batch === undefined ? 'passes' : 'pass'} ${filter}`;
  const values = placeholders.map(({ name, path }) => `{${name}} is its "${path}"`);
  return `It is called for ${items} of ${parent.endpoint}${passing}${divided}${values.length === 0 ? '' : `; ${values.join(', ')}`}.`;
}

/**
 * Returns how a job pages, as sentences: its method, its options, and its stops.
 *
 * @param summaries the summary of each method, by its name
 */
function pagingOf({ pagination, stops, stream }: JobPlan, summaries: ReadonlyMap<string, string>): string {
  const { method, options } = pagination;
  const stopped = stops.flatMap(stopsOf);
  const ends = stopped.length === 0 ? '' : ` It also stops ${stopped.join(', ')}.`;
  if (stream !== undefined) return `One response is cut into pages of ${stream.pageItems} items as it arrives.${ends}`;
  if (method === 'none' || !summaries.has(method)) return `There is one page: no pagination is configured.${ends}`;
  const written = Object.entries(options as Readonly<Record<string, Json | undefined>>).flatMap(([name, value]) =>
    value === undefined || typeof value === 'object' || typeof value === 'function'
      ? []
      : [`${name} ${stringifyJson(value)}`],
  );
  const with_ = written.length === 0 ? '' : ` (${written.join(', ')})`;
  return `Pagination "${method}": ${summaries.get(method) ?? ''}${with_}${ends}`;
}

const stopsOf = ({ limitStop, forceStop, nextPageFlag, stopWhenEmpty }: StopsPlan): readonly string[] => {
  const { pages, seconds, volume } = forceStop ?? {};
  const all = [
    limitStop &&
      ('count' in limitStop ? `after ${limitStop.count} items` : 'when as many items have come as the response says'),
    pages !== undefined && `after ${pages} ${pages === 1 ? 'page' : 'pages'}`,
    seconds !== undefined && `after ${seconds} seconds`,
    volume !== undefined && `after ${volume} bytes`,
    nextPageFlag && `when "${nextPageFlag.path ?? nextPageFlag.field}" is ${String(nextPageFlag.stopOn)}`,
    stopWhenEmpty && 'at an empty page',
  ];
  return all.filter((each) => typeof each === 'string');
};
