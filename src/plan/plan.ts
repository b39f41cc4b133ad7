/**
 * The plan: an immutable description of a run, made of data and pure functions. The modules that run it import only its
 * types.
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
import type { TotalPlace, Stops } from '../language/configuration/pagination';
import type { Shaping } from '../language/configuration/jobs/shaping';
import type { Incremental } from '../language/configuration/jobs/slices';
import type { Contexts } from '../language/expressions/expression';
import type { AuthenticationPlan } from '../language/parts/authentication';
import type { ChosenFormat, GuessedFormat } from '../language/parts/format';
import type { ChosenPagination } from '../language/parts/pagination/pagination';
import type { OutputPlan } from '../language/parts/sink';
import type { RequestChange } from '../language/requests/template';

export type { IncrementalJob, JobPlace, OutputPlan, SincePrevious } from '../language/parts/sink';

/**
 * One iteration of the configuration, compiled. A run consists of all iterations of a configuration, from the first
 * request to the commit: it has one id, one state, and one end.
 */
export interface IterationPlan {
  readonly http: HttpPlan;
  /** The authentication; if absent, requests are sent without. */
  readonly authentication?: AuthenticationPlan;
  /** A digest that identifies a user of the API: runs with equal digests may share a session. */
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

/** The concurrency of a run, and how far it reads ahead (docs/language/concurrency.md). */
export interface FlowPlan {
  /** The number of concurrent jobs; `auto` for as many as the API can handle. */
  readonly concurrency: number | 'auto';
  /** The number of pages that may wait for the consumer. */
  readonly prefetch: number;
  /** True if pages come in the order of the configuration, even if several jobs run at once. */
  readonly ordered: boolean;
}

/** The settings of an incremental job. */
export interface IncrementalPlan extends Incremental {
  /** The name of the iteration, which has its own cursors; empty if there is only one. */
  readonly iteration: string;
}

/** One job or child job, compiled. */
export interface JobPlan {
  readonly id: string;
  /** The name of the job in messages: its id if it has one, else its dataType or its endpoint. */
  readonly name: string;
  readonly path: string;
  /** The endpoint as written, with its placeholders. */
  readonly endpoint: string;
  readonly dataType: string;
  /** The name of the table of its items. */
  readonly table: string;
  /**
   * Returns the job of one call, with expressions evaluated and placeholders filled in
   * (docs/language/jobs.md#placeholders).
   *
   * @throws FatalError EXPRESSION_FAILED
   */
  readonly bind: (call: CallValues) => BoundJob;
  /** The format of responses; if absent, JSON, or the format of their content type. */
  readonly format?: ChosenFormat;
  readonly items: ItemSelector;
  /** Set for GraphQL: responses may hold errors, and the parameters are variables. */
  readonly graphql?: GraphqlPlan;
  readonly responseFilter: ResponseFilter;
  /** The operations on its items; if absent, items are delivered as they came. */
  readonly shaping?: ShapingPlan;
  readonly pagination: ChosenPagination;
  /** The common stops (docs/language/stops.md) that apply to this job, in the order in which they are checked. */
  readonly stops: readonly StopsPlan[];
  readonly requestLimit: number;
  /** The number of concurrent calls of its children; `auto` for as many as the API can handle. */
  readonly concurrency: number | 'auto';
  /**
   * The number of pages that may wait for the consumer when it asks for another; if absent, the number of
   * {@link FlowPlan}.
   */
  readonly prefetch?: number;
  /**
   * Returns the extra columns from `userData` (docs/language/tables.md#parent-and-user-columns), evaluated when the job
   * run starts.
   */
  readonly userData: (call: Pick<CallValues, 'times' | 'slice'>) => readonly (readonly [string, string])[];
  /**
   * Divides the job into several calls (docs/language/jobs.md#windows-and-partitions). Absent for a single call.
   *
   * @throws FatalError EXPRESSION_FAILED
   */
  readonly slices?: (times: RunTimes, reachedBy?: ReachedBy) => Sliced;
  /** The reaction if it is incomplete (docs/completeness.md); if absent, the one of the run. */
  readonly completeness?: Completeness;
  /** The place of the total number of items in the response. */
  readonly total?: TotalPlace;
  /** Set if a field resembling a total in its responses is not one. */
  readonly hasNoTotal?: true;
  /** The treatment of a page that equals the one before it. */
  readonly equalPages: 'stop' | 'keep';
  /** True if the primary key of its table tells the items of a call apart by their `id`, false if it takes other columns; absent: there is no key. */
  readonly isKeyId?: boolean;
  /** Paths of fields that may be missing in all items, although the job names them. */
  readonly optionalFields?: readonly string[];
  /** The settings of an incremental job; absent for any other. */
  readonly incremental?: IncrementalPlan;
  readonly children: readonly ChildJobPlan[];
  /** The division of its response into pages as it arrives; if absent, a page is a response. */
  readonly stream?: StreamPlan;
  /** The requests that create its result before it is fetched; if absent, the result exists. */
  readonly asynchronous?: AsynchronousPlan;
}

/** The details of responses to a GraphQL document. */
export interface GraphqlPlan {
  /** Set if the items are edges: each is its node, with these fields of the edge added. */
  readonly edges?: { readonly fields: readonly string[] };
}

/** The division of a response into pages as it arrives (docs/language/large-responses.md). */
export interface StreamPlan {
  /** The most items of a page. */
  readonly pageItems: number;
  /** The bytes of items at which a page is full. */
  readonly pageBytes: number;
  /** The keys that lead to the items in JSON; if absent, they are detected. */
  readonly path?: readonly string[];
  /** What separates these keys in `dataField`. */
  readonly delimiter: string;
  /** The format of the response; if absent, JSON. */
  readonly format?: ChosenFormat;
}

/** A child and the parent items for which it is called (docs/language/jobs.md#children). */
export interface ChildJobPlan {
  readonly job: JobPlan;
  /** Its own placeholders; it inherits those of its ancestors with each call. */
  readonly placeholders: readonly PlaceholderPlan[];
  /** The text of `recursionFilter`. */
  readonly filter?: string;
  /** Set if several parent items share a call (docs/language/jobs.md#batches). */
  readonly batch?: ChildBatch;
  /** Selects the calls for a page, which are requested one by one; if absent, all of them. */
  readonly choose?: <T>(calls: Iterable<T>) => Iterable<T>;
}

/** The source of the string for a placeholder. */
export interface PlaceholderPlan {
  /** The name as in the endpoint, with its level: `id`, `2:id`. */
  readonly name: string;
  /** The level; 1 is the item of the direct parent. */
  readonly level: number;
  readonly path: string;
  /** True if a missing value is an empty string. */
  readonly isOptional?: true;
  /** Returns a function for the value; if absent, the value itself, or each element of an array. */
  readonly compute?: (value: Json) => Json;
}

/** Parts of items that stay JSON (docs/language/responses.md#keeping-parts-as-json). */
export interface ResponseFilter {
  readonly paths: readonly string[];
  readonly delimiter: string;
  /** True for compatibility level 2 and below: scalars keep their plain text. */
  readonly keepScalars: boolean;
}

/**
 * The place of the items in a response (docs/language/responses.md#where-the-items-are). Without a path they are
 * detected.
 */
export interface ItemSelector {
  readonly path?: string;
  readonly delimiter: string;
  /** A key of the items whose values a run reads: that of a cursor. */
  readonly key?: string;
  /** How the value there is made rows. */
  readonly rows?: RowsPlan;
}

/** How the value at `dataField` is made rows. */
export type RowsMethod =
  /** Each member of an object is a row; its key is in the column of this name. */
  | { readonly kind: 'keys'; readonly column: string }
  /** Each array is a row, whose elements have these names, or those at this path of the response. */
  | { readonly kind: 'names'; readonly names: readonly string[] | string }
  /** Each array but the first is a row; the first has the names. */
  | { readonly kind: 'header' }
  /** The arrays of an object are columns. */
  | { readonly kind: 'columns' }
  | { readonly kind: 'items' };

/** How rows are made, and the paths of the members of the response that stand on each of them, by the names of their columns. */
export interface RowsPlan {
  readonly method: RowsMethod;
  readonly add: Readonly<Record<string, string>>;
}

/** The transport of the requests of an iteration. */
export interface HttpPlan {
  readonly baseUrl: string;
  /** The limit in milliseconds; 0 for none. */
  readonly connectTimeoutMilliseconds: number;
  /** True if the configuration sets it; otherwise a transport from outside keeps its own limit. */
  readonly connectTimeoutGiven: boolean;
  /** The limit in milliseconds; 0 for none. */
  readonly requestTimeoutMilliseconds: number;
  readonly caCertificate?: string;
  readonly clientCertificate?: string;
  readonly retry: RetryConfig;
  readonly ignoreErrors: readonly number[];
  /** The formats by content type for bodies that are not JSON, for jobs without a format. */
  readonly contentTypes: readonly GuessedFormat[];
  /** True if cookies of responses are kept, and sent with later requests. */
  readonly cookies: boolean;
  /**
   * `api.http.allowedHosts`: hosts that may receive credentials like the origin of the base URL. Requests to them get
   * login values, default headers and default parameters computed from secrets, and responses may lead there by next
   * pages and redirects. A host that is not in `requestableHosts` is still refused.
   */
  readonly credentialHosts: readonly string[];
  /**
   * `image_parameters.allowed_hosts`: the only places that may be requested, by logins, pages, next pages and
   * redirects; if empty, any place. A host in this list does not get credentials for that.
   */
  readonly requestableHosts: readonly RequestableHost[];
  /** Signs every request. */
  readonly aws?: AwsSignature;
  readonly cache?: CachePlan;
  readonly limits: LimitsPlan;
  readonly rules?: RulesPlan;
}

/** The limits that requests wait for before they are sent (docs/language/rate-limits.md). */
export interface LimitsPlan {
  /** The cap on requests in flight. */
  readonly maxRequests?: number;
  /** The cap on requests in flight to one origin; if absent, there is no cap. */
  readonly maxRequestsPerOrigin?: number;
  /** Rate limits; a request counts for each one that it matches. */
  readonly rates: readonly RatePlan[];
}

/** One rate, or the headers that report one. */
export interface RatePlan extends PathRateRule {
  /** The id of the job whose requests count; if absent, the requests of all jobs and logins count. */
  readonly job?: string;
}

/**
 * The lifetime of cached responses (docs/language/configuration.md#cache), and the scope of the requests that share
 * them.
 */
export interface CachePlan {
  readonly ttlSeconds: number;
  readonly scope: string;
}

/** The rules about responses (docs/language/responses.md#rules), in the order in which they are tested. */
export interface RulesPlan {
  /** The rules for jobs without rules of their own. */
  readonly common: readonly PlacedRule[];
  /** The rules by the path of the job: its own, then the common ones. */
  readonly ofJobs: ReadonlyMap<string, readonly PlacedRule[]>;
  /**
   * The paths of jobs with another response format than JSON: a body that is not JSON is not a reason for a warning
   * there.
   */
  readonly otherFormats: ReadonlySet<string>;
}

/** A rule with its path, for example `api.http.rules[0]`. */
export interface PlacedRule extends ResponseRule {
  readonly path: string;
}

/** The values of the context `time` (docs/language/expressions.md#contexts), in Unix seconds. */
export interface RunTimes {
  readonly previousStart: number;
  readonly currentStart: number;
}

/** Returns where the last run has come to in a partition; `undefined` if none has. */
export type ReachedBy = (partition: Slice) => Json | undefined;

/** The calls into which a job is divided. */
export interface Sliced {
  readonly slices: readonly Slice[];
  /** Values that must not be printed. */
  readonly secrets: readonly string[];
}

/** One of the calls into which a job is divided. */
export interface Slice {
  readonly contexts: SliceContexts;
  /** The values of its placeholders, by name. */
  readonly texts: ReadonlyMap<string, string>;
  /** The cap; absent if the API returns all items of the slice. */
  readonly cap?: Cap;
}

/** The most items of a slice that an API returns, and the slices that replace it if that number is reached. */
export interface Cap {
  readonly items: number;
  /** The path of the cap in the configuration. */
  readonly path: string;
  /** The slice in messages. */
  readonly shown: string;
  /** Returns the halves; none if the slice cannot be divided further. */
  readonly halves: () => readonly Slice[];
}

/** The contexts of the requested slice, for expressions of a job and its children. */
export type SliceContexts = Pick<Contexts, 'partition' | 'window'>;

/** The values that are known only when a call of a job starts. */
export interface CallValues {
  readonly times: RunTimes;
  /** The placeholder bindings by name; a top-level job has none. */
  readonly bindings: ReadonlyMap<string, PlaceholderValue>;
  /** The slice of the job and of its parents; absent if none of them is divided. */
  readonly slice?: SliceContexts;
}

/** The value of a placeholder in one call. */
export interface PlaceholderValue {
  readonly text: string;
  /** The values that the string joins, in a batch. */
  readonly values?: readonly string[];
}

/** A job with a known address and known parameters. */
export interface BoundJob {
  /** The absolute URL of the endpoint, without pagination. */
  readonly url: string;
  /** Its own parameters, without defaults and pagination. */
  readonly params: JsonObject;
  /** Its own body, if it has one. */
  readonly body?: Json;
  /** Texts in its requests that must not be printed. */
  readonly secrets: readonly string[];
  /** Builds a request of this job (docs/language/requests.md#how-a-request-is-put-together). */
  readonly request: (change: RequestChange) => Request;
}

/** A request in addition to the requests for pages. */
export interface AnsweredRequestPlan {
  /** Its path, for example `config.jobs[0].asynchronous.submit`. */
  readonly path: string;
  /** @throws FatalError EXPRESSION_FAILED */
  readonly bind: (call: CallValues) => BoundJob;
  /** The values that are read from its response. */
  readonly values: readonly AnswerValuePlan[];
}

export interface AnswerValuePlan {
  /** The name as in braces: `submit.id`. */
  readonly name: string;
  readonly place: AnswerPlace;
  /** True if the value is an endpoint by itself: then it is resolved as an address. */
  readonly isAddress: boolean;
}

/** The requests that create the result of a job before it is fetched (docs/language/asynchronous-jobs.md). */
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

/** The operations of a job on its items (docs/language/items.md), in their order of execution. */
export interface ShapingPlan extends Omit<Shaping, 'steps' | 'compute' | 'rename'> {
  /** Returns the changes of items for one call; absent if there are none. */
  readonly steps?: (call: CallValues) => readonly ItemStep[];
  readonly compute: readonly ComputedField[];
  readonly rename: ReadonlyMap<string, string>;
}

/** Returns a changed item; `undefined` for one that is dropped. */
export type ItemStep = (item: JsonObject) => JsonObject | undefined;

/** A field that is computed from the others. */
export interface ComputedField {
  readonly name: string;
  /** The paths in the item that its expression reads. */
  readonly reads: readonly string[];
  /**
   * Returns the value of the field.
   *
   * @throws FatalError EXPRESSION_FAILED
   */
  readonly value: (item: Item, times: RunTimes) => Json;
}

/** Common stops (docs/language/stops.md) of one object in the configuration. */
export interface StopsPlan extends Omit<Stops, 'forceStop'> {
  readonly forceStop?: {
    readonly pages?: number;
    /** The message when this number of pages has come; by default, that their limit is reached. */
    readonly because?: string;
    /** The limit in seconds since the first request of the call. */
    readonly seconds?: number;
    /** The most bytes of responses. */
    readonly volume?: number;
  };
}
