/**
 * The plan: an immutable description of a run, made of data and pure functions. The modules that run it import its
 * types only.
 */
import type { Fault } from '../core/errors/errors';
import type { Completeness } from '../core/evidence';
import type { Item, Json, JsonObject, Request } from '../core/model';
import type { PathRateRule } from '../language/configuration/api/rate-limit';
import type { RetryConfig } from '../language/configuration/api/retry';
import type { ResponseRule, RuleCondition } from '../language/configuration/api/rules';
import type { AwsSignature, ChildBatch, RequestableHost } from '../language/configuration/configuration';
import type { WrittenDestination } from '../language/configuration/destination';
import type { AnswerPlace } from '../language/configuration/jobs/asynchronous';
import type { TotalPlace } from '../language/configuration/jobs/completeness';
import type { Shaping } from '../language/configuration/jobs/shaping';
import type { Incremental } from '../language/configuration/jobs/slices';
import type { Stops } from '../language/configuration/pagination';
import type { Contexts } from '../language/expressions/expression';
import type { AuthenticationPlan } from '../language/parts/authentication';
import type { ChosenFormat, GuessedFormat } from '../language/parts/format';
import type { ChosenPagination } from '../language/parts/pagination/pagination';
import type { OutputPlan } from '../language/parts/sink';
import type { RequestChange } from '../language/requests/template';

export type { IncrementalJob, JobPlace, OutputPlan, SincePrevious } from '../language/parts/sink';

/**
 * One iteration of the configuration, ready to run. A run is all iterations of a configuration, from the first request to
 * the commit: it has one id, one state, and one end.
 */
export interface IterationPlan {
  readonly http: HttpPlan;
  /** The authentication; absent: requests go as they are. */
  readonly authentication?: AuthenticationPlan;
  /** A digest of what tells one user of the API from another: runs with equal ones may share a session. */
  readonly user: string;
  readonly jobs: readonly JobPlan[];
  /** Values known before the run that must never be printed. */
  readonly secrets: readonly string[];
  readonly debug: boolean;
  readonly output: OutputPlan;
  readonly flow: FlowPlan;
  /** URLs of destinations. */
  readonly sinks: readonly WrittenDestination[];
  readonly warnings: readonly Fault[];
}

/** How much happens at once, and how far it runs ahead (docs/extensions/flow.md). */
export interface FlowPlan {
  /** Jobs at once; `auto`: as many as the API takes. */
  readonly concurrency: number | 'auto';
  /** Pages that may wait for the consumer. */
  readonly prefetch: number;
  /** Whether pages come in the order of the configuration, however many jobs run at once. */
  readonly ordered: boolean;
}

/** How a job asks only for what is new. */
export interface IncrementalPlan extends Incremental {
  /** The name of the iteration, each of which comes forward by itself; empty: it is the only one. */
  readonly iteration: string;
}

/** One job or child job, ready to run. */
export interface JobPlan {
  readonly id: string;
  /** What messages call the job: its id where one is written, else its dataType or its endpoint. */
  readonly name: string;
  readonly path: string;
  /** The endpoint as it was written, with placeholders in it. */
  readonly endpoint: string;
  readonly dataType: string;
  /** The name of the table of its items. */
  readonly table: string;
  /**
   * The job of one call, with expressions evaluated and placeholders filled in (docs/language/jobs.md#placeholders).
   *
   * @throws FatalError EXPRESSION_FAILED
   */
  readonly bind: (call: CallValues) => BoundJob;
  /** How responses are read; absent: JSON, or by their content type. */
  readonly format?: ChosenFormat;
  readonly items: ItemSelector;
  /** Its responses are those of GraphQL: they may hold errors, and its parameters are variables. */
  readonly graphql?: GraphqlPlan;
  readonly responseFilter: ResponseFilter;
  /** What is made of its items; absent: they are delivered as they came. */
  readonly shaping?: ShapingPlan;
  readonly pagination: ChosenPagination;
  /** The common stops (docs/language/stops.md) that apply to this job, in the order in which they are asked. */
  readonly stops: readonly StopsPlan[];
  readonly requestLimit: number;
  /** Calls of its children at once; `auto`: as many as the API takes. */
  readonly concurrency: number | 'auto';
  /** Pages that may wait for the consumer when it asks for another; absent: as {@link FlowPlan} has it. */
  readonly prefetch?: number;
  /**
   * Extra columns from `userData` (docs/language/tables.md#parent-and-user-columns), evaluated when the job run starts.
   */
  readonly userData: (call: Pick<CallValues, 'times' | 'slice'>) => readonly (readonly [string, string])[];
  /**
   * What divides the job into several calls (docs/language/jobs.md#windows-and-partitions); absent: nothing does.
   *
   * @throws FatalError EXPRESSION_FAILED
   */
  readonly slices?: (times: RunTimes) => Sliced;
  /** What to do when it is incomplete (docs/completeness.md); absent: as the run has it. */
  readonly completeness?: Completeness;
  /** Where the response says how many items there are. */
  readonly total?: TotalPlace;
  /** What looks like a total in its responses is none. */
  readonly hasNoTotal?: true;
  /** What becomes of a page that equals the one before it. */
  readonly equalPages: 'stop' | 'keep';
  /** Paths of fields that no item need have, although the job names them; absent: none. */
  readonly optionalFields?: readonly string[];
  /** How it asks only for what is new. */
  readonly incremental?: IncrementalPlan;
  readonly children: readonly ChildJobPlan[];
  /** How its response is cut into pages as it arrives; absent: a page is a response. */
  readonly stream?: StreamPlan;
  /** How its result is made before it is requested; absent: it is there. */
  readonly asynchronous?: AsynchronousPlan;
}

/** What is special about the responses to a GraphQL document. */
export interface GraphqlPlan {
  /** The items are edges: each is its node, with these fields of the edge beside it. */
  readonly edges?: { readonly fields: readonly string[] };
}

/** How a response is cut into pages as it arrives (docs/language/large-responses.md). */
export interface StreamPlan {
  /** The most items of a page. */
  readonly pageItems: number;
  /** The bytes of items with which a page is full. */
  readonly pageBytes: number;
  /** The keys that lead to the items in JSON; absent: they are detected. */
  readonly path?: readonly string[];
  /** How the response is read; absent: as JSON. */
  readonly format?: ChosenFormat;
}

/** A child and the parent items that it is called for (docs/language/jobs.md#children). */
export interface ChildJobPlan {
  readonly job: JobPlan;
  /** Its own placeholders; those of its ancestors are inherited call by call. */
  readonly placeholders: readonly PlaceholderPlan[];
  /** Text of `recursionFilter`. */
  readonly filter?: string;
  /** Several parent items share a call (docs/extensions/batches.md). */
  readonly batch?: ChildBatch;
  /** Which of the calls for a page are made, as they are asked for one by one; absent: all of them. */
  readonly choose?: <T>(calls: Iterable<T>) => Iterable<T>;
}

/** Where the string for a placeholder comes from. */
export interface PlaceholderPlan {
  /** The name as the endpoint writes it, level included: `id`, `2:id`. */
  readonly name: string;
  /** 1: the item of the direct parent. */
  readonly level: number;
  readonly path: string;
  /** Applied to the value; absent: the value itself, or each element of an array. */
  readonly compute?: (value: Json) => Json;
}

/** Parts of items that are kept as JSON (docs/language/responses.md#keeping-parts-as-json). */
export interface ResponseFilter {
  readonly paths: readonly string[];
  readonly delimiter: string;
  /** Compatibility level 2 and below: scalars keep their plain text. */
  readonly keepScalars: boolean;
}

/**
 * Where the items of a response are (docs/language/responses.md#where-the-items-are). Without a path they are detected.
 */
export interface ItemSelector {
  readonly path?: string;
  readonly delimiter: string;
}

/** How the requests of an iteration travel. */
export interface HttpPlan {
  readonly baseUrl: string;
  /** 0: no limit. */
  readonly connectTimeoutMilliseconds: number;
  /** Whether a person set it: else a transport that is given from outside keeps its own. */
  readonly connectTimeoutGiven: boolean;
  /** 0: no limit. */
  readonly requestTimeoutMilliseconds: number;
  readonly caCertificate?: string;
  readonly clientCertificate?: string;
  readonly retry: RetryConfig;
  readonly ignoreErrors: readonly number[];
  /** What content types say of bodies that are no JSON, where a job has no format. */
  readonly contentTypes: readonly GuessedFormat[];
  /** Whether cookies of responses are kept, and sent with later requests. */
  readonly cookies: boolean;
  /**
   * `api.http.allowedHosts`: hosts that may receive credentials like the origin of the base URL. Requests to them get login
   * values, default headers and default parameters made of secrets, and responses may lead there by next pages and
   * redirects. A host that `requestableHosts` leaves out is refused all the same.
   */
  readonly credentialHosts: readonly string[];
  /**
   * `image_parameters.allowed_hosts`: the only places that may be requested at all, by logins, pages, next pages and
   * redirects; empty: any place. To stand here gives a host no credentials.
   */
  readonly requestableHosts: readonly RequestableHost[];
  /** Signs every request. */
  readonly aws?: AwsSignature;
  readonly cache?: CachePlan;
  readonly limits: LimitsPlan;
  readonly rules?: RulesPlan;
}

/** What requests wait for before they are sent (docs/extensions/rate-limits.md). */
export interface LimitsPlan {
  /** Requests in flight at once. */
  readonly maxRequests?: number;
  /** Requests in flight to one origin; absent: there is no cap for an origin. */
  readonly maxRequestsPerOrigin?: number;
  /** Rate limits; a request counts for each one that it matches. */
  readonly rates: readonly RatePlan[];
}

/** One rate, or what tells of one. */
export interface RatePlan extends PathRateRule {
  /** The id of a job: only its requests count; absent: those of all jobs, and logins. */
  readonly job?: string;
}

/** How long responses are kept (docs/language/configuration.md#cache), and for requests of which configuration. */
export interface CachePlan {
  readonly ttlSeconds: number;
  readonly scope: string;
}

/** What is done with responses that look like this (docs/language/responses.md#rules), in the order in which they are asked. */
export interface RulesPlan {
  /** Those of jobs without rules of their own. */
  readonly common: readonly PlacedRule[];
  /** By the place of the job in the configuration: its own, then the common ones. */
  readonly ofJobs: ReadonlyMap<string, readonly PlacedRule[]>;
  /** The places of jobs whose responses are of another format than JSON: a body that is none is nothing to warn of. */
  readonly otherFormats: ReadonlySet<string>;
}

/** A rule that knows where it stands, for example `api.http.rules[0]`. */
export interface PlacedRule extends ResponseRule {
  readonly path: string;
}

/** The context `time` (docs/language/expressions.md#contexts), Unix seconds. */
export interface RunTimes {
  readonly previousStart: number;
  readonly currentStart: number;
}

/** The calls that a job is divided into. */
export interface Sliced {
  readonly slices: readonly Slice[];
  /** Values that must not be printed. */
  readonly secrets: readonly string[];
}

/** One of the calls that a job is divided into. */
export interface Slice {
  readonly contexts: SliceContexts;
  /** What stands in its placeholders, by their names. */
  readonly texts: ReadonlyMap<string, string>;
  /** Absent: the API gives all of it, however much that is. */
  readonly cap?: Cap;
}

/** How many items of a slice an API gives at most, and what is requested in its place where it has as many. */
export interface Cap {
  readonly items: number;
  /** The place of the cap in the configuration. */
  readonly path: string;
  /** The slice, as messages have it. */
  readonly shown: string;
  /** None where it cannot be divided further. */
  readonly halves: () => readonly Slice[];
}

/** What expressions of a job, and of those below it, know of the slice that is requested. */
export type SliceContexts = Pick<Contexts, 'partition' | 'window'>;

/** What is known only when a job run starts. */
export interface CallValues {
  readonly times: RunTimes;
  /** The placeholder bindings by name; a top-level job has none. */
  readonly bindings: ReadonlyMap<string, PlaceholderValue>;
  /** The slice of the job, and of those above it; absent: none of them is divided. */
  readonly slice?: SliceContexts;
}

/** What a placeholder stands for in one call. */
export interface PlaceholderValue {
  readonly text: string;
  /** The values that the string joins, in a batch. */
  readonly values?: readonly string[];
}

/** A job whose address and parameters are known. */
export interface BoundJob {
  /** Absolute URL of the endpoint, without pagination. */
  readonly url: string;
  /** Its own parameters, without defaults and pagination. */
  readonly params: JsonObject;
  /** Its own body, where it has one. */
  readonly body?: Json;
  /** Texts in its requests that must not be printed. */
  readonly secrets: readonly string[];
  /** Builds a request of this job (docs/language/requests.md#how-a-request-is-put-together). */
  readonly request: (change: RequestChange) => Request;
}

/** A request beside those of the pages. */
export interface AnsweredRequestPlan {
  /** Where it stands, for example `config.jobs[0].asynchronous.submit`. */
  readonly path: string;
  /** @throws FatalError EXPRESSION_FAILED */
  readonly bind: (call: CallValues) => BoundJob;
  /** What is taken from its answer. */
  readonly values: readonly AnswerValuePlan[];
}

export interface AnswerValuePlan {
  /** As it stands in braces: `submit.id`. */
  readonly name: string;
  readonly place: AnswerPlace;
  /** Whether it is an endpoint by itself: then it is resolved as an address. */
  readonly isAddress: boolean;
}

/** How the result of a job is made before it is requested (docs/language/asynchronous-jobs.md). */
export interface AsynchronousPlan {
  readonly submit: AnsweredRequestPlan;
  readonly poll: AnsweredRequestPlan & {
    readonly everyMilliseconds: number;
    readonly timeoutMilliseconds: number;
    readonly until: RuleCondition;
    readonly failed?: RuleCondition;
    readonly running?: RuleCondition;
  };
}

/** What a job makes of its items (docs/language/items.md), in the order in which it is done. */
export interface ShapingPlan extends Omit<Shaping, 'compute' | 'rename'> {
  readonly compute: readonly ComputedField[];
  readonly rename: ReadonlyMap<string, string>;
}

/** A field that is computed from the others. */
export interface ComputedField {
  readonly name: string;
  /** The paths in the item that its expression names. */
  readonly reads: readonly string[];
  /** @throws FatalError EXPRESSION_FAILED */
  readonly value: (item: Item, times: RunTimes) => Json;
}

/** Common stops (docs/language/stops.md) that stand side by side in the configuration. */
export interface StopsPlan extends Omit<Stops, 'forceStop'> {
  readonly forceStop?: {
    readonly pages?: number;
    /** What is said when so many pages have come; absent: that their limit is reached. */
    readonly because?: string;
    /** Since the first request of the job run. */
    readonly seconds?: number;
    /** The most bytes of responses. */
    readonly volume?: number;
  };
}
