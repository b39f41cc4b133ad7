/**
 * A configuration after decoding: defaults applied, spellings unified. Expressions stay raw; the plan compiles them.
 */
import type { Fault } from '../../core/errors/errors';
import type { Completeness } from '../../core/evidence';
import type { JsonArray, JsonObject, JsonScalar } from '../../core/model';
import type { Asynchronous } from './jobs/asynchronous';
import type { TotalPlace } from './jobs/completeness';
import type { ChosenFormat } from '../parts/format';
import type { GraphqlRequest } from '../requests/graphql/place-of-items';
import type { Incremental } from './jobs/slices';
import type { WrittenDestination } from './destination';
import type { Load } from './jobs/table';
import type { TableOfItems } from './jobs/table';
import type { Slices } from './jobs/slices';
import type { Shaping } from './jobs/shaping';
import type { StreamOptions } from './jobs/format';
import type { ChosenAuthentication } from '../parts/authentication';
import type { OauthCredentials } from '../parts/authentication';
import type { Method } from '../codec/values';
import type { Pagination } from './pagination';
import type { RateRule, PathRateRule } from './api/rate-limit';
import type { ResponseRule } from './api/rules';
import type { RetryConfig } from './api/retry';

/** The root (docs/language/configuration.md#the-two-forms). `runs` has one entry per iteration, or a single one. */
export interface Configuration {
  readonly iterations: readonly IterationConfiguration[];
  readonly sshProxy?: SshProxy;
  readonly aws?: AwsSignature;
  readonly cache?: { readonly ttlSeconds: number };
  readonly oauthCredentials?: OauthCredentials;
  /**
   * `image_parameters.allowed_hosts` (docs/language/configuration.md#allowed-hosts): the only places that may be requested
   * at all; empty: any place. It gives no host credentials.
   */
  readonly requestableHosts: readonly RequestableHost[];
  /** Unknown keys, deprecated spellings, settings without effect. */
  readonly warnings: readonly Fault[];
}

/** `api` beside the effective `config` of one iteration. */
export interface IterationConfiguration {
  /** Where `config` stands: `config`, or `iterations[1]` over it. */
  readonly path: string;
  readonly api: Api;
  readonly settings: Settings;
  /**
   * The effective `config` without `jobs`: what the context `attr` flattens
   * (docs/language/configuration.md#attributes).
   */
  readonly attributes: JsonObject;
  /** What the iteration replaces in `config`; absent: there are no iterations. */
  readonly own?: JsonObject;
}

/** `api` (docs/language/configuration.md#api). */
export interface Api {
  /** A URL, or an expression that gives one. */
  readonly baseUrl: string | JsonObject;
  readonly name: string;
  readonly http: ApiHttp;
  readonly retry: RetryConfig;
  readonly caCertificate?: string;
  readonly clientCertificate?: string;
  /** The authentication; absent: requests go as they are. */
  readonly authentication?: ChosenAuthentication;
  readonly pagination: Pagination;
}

export interface ApiHttp {
  /** Expressions (2.5 layer 1). */
  readonly headers: JsonObject;
  /** Expressions (2.5 layer 3). */
  readonly defaultHeaders: JsonObject;
  /** Expressions among literals (docs/extensions/functions.md). */
  readonly defaultParams: JsonObject;
  readonly defaultMethod?: Method;
  readonly requiredHeaders: readonly string[];
  readonly ignoreErrors: readonly number[];
  /** 0: no limit. */
  readonly connectTimeoutSeconds: number;
  /** Whether a person set it: a transport that is given from outside keeps its own otherwise. */
  readonly connectTimeoutGiven: boolean;
  /** 0: no limit. */
  readonly requestTimeoutSeconds: number;
  /** Whether cookies of responses are kept, and sent with later requests. */
  readonly cookies: boolean;
  /** `api.http.allowedHosts`: hosts that may receive credentials like the origin of the base URL. */
  readonly credentialHosts: readonly string[];
  /**
   * The format of jobs that have none of their own; absent: JSON, or what the content type says of a body that is none.
   */
  readonly format?: ChosenFormat;
  /** Requests in flight at once. */
  readonly maxRequests?: number;
  /** Requests in flight to one origin; absent: there is no cap for an origin. */
  readonly maxRequestsPerOrigin?: number;
  /** Rate limits for all requests; each of them counts. */
  readonly rateLimit: readonly PathRateRule[];
  /** What is done with responses that look like this (docs/language/responses.md#rules). */
  readonly rules?: readonly ResponseRule[];
}

export interface AwsSignature {
  readonly accessKeyId: string;
  readonly secretKey: string;
  readonly serviceName: string;
  readonly regionName: string;
}

export interface SshProxy {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly privateKey: string;
}

/**
 * A place that may be requested: the host is equal, the scheme and the port are equal where they are given, and the path
 * begins with the segments of `endpoint`.
 */
export interface RequestableHost {
  readonly host: string;
  readonly scheme?: string;
  readonly port?: number;
  /** Path prefix without surrounding slashes. */
  readonly endpoint?: string;
}

/** The reserved keys of `config` (docs/language/configuration.md#config). */
export interface Settings {
  readonly jobs: readonly Job[];
  readonly outputBucket?: string;
  readonly id?: string;
  readonly incrementalOutput: boolean;
  /** What runs do to the rows that tables have, where jobs do not say it. */
  readonly load?: Load;
  readonly runColumns: boolean;
  readonly mappings?: JsonObject;
  /** Columns of the keys of tables without mapping, by dataType. */
  readonly primaryKeys?: Readonly<Record<string, readonly string[]>>;
  readonly userData?: JsonObject | JsonScalar;
  /** Expressions (2.5 layer 2). */
  readonly headers: JsonObject;
  readonly debug: boolean;
  readonly compatLevel: 1 | 2 | 3;
  /** Jobs at once; `auto`: as many as the API takes. */
  readonly concurrency: number | 'auto';
  /** Pages that may wait for the consumer. */
  readonly prefetch: number;
  /** Whether pages come in the order of the configuration, however many jobs run at once. */
  readonly ordered: boolean;
  /** What to do when a job is incomplete; absent: as the run has it. */
  readonly completeness?: Completeness;
  /** URLs of the destinations, where the command line names none. */
  readonly sinks: readonly WrittenDestination[];
  /** Columns that a table of a destination may have. */
  readonly maxColumns: number;
}

/** How the values of several parent items go into one request (docs/extensions/batches.md). */
export interface ChildBatch {
  /** The most parent items of a batch. */
  readonly size: number;
  /** What stands between the values in a string. */
  readonly separator: string;
  /**
   * What becomes of a parameter that is nothing but a placeholder: a string, an array, or an array in a query's own
   * way.
   */
  readonly style: 'join' | 'list' | ListStyle;
}

/** How a query writes arrays, if not with numbers: `id=1&id=2` or `id[]=1&id[]=2`. */
export type ListStyle = 'repeat' | 'brackets';

/** A job or a child job (docs/language/jobs.md#a-job). */
export interface Job extends TableOfItems {
  /** The place of the job, for example `config.jobs[0].children[1]`. */
  readonly path: string;
  readonly id: string;
  /** What messages call the job: its id where one is written, else its dataType or its endpoint. */
  readonly name: string;
  readonly endpoint: string;
  readonly method?: Method;
  /** Expressions; of a job of GraphQL they are the variables. */
  readonly params: JsonObject;
  /** The document that is sent with the parameters (docs/language/graphql.md). */
  readonly graphql?: GraphqlRequest;
  /** Expressions; sent as JSON, the parameters are then in the query (docs/extensions/request-bodies.md). */
  readonly body?: JsonObject | JsonArray;
  /** Expressions (2.5 layer 4). */
  readonly headers: JsonObject;
  /**
   * If this is true, a parameter that is itself an array is searched for expressions (docs/extensions/functions.md).
   */
  readonly functionsInLists: boolean;
  /** Whether placeholders are replaced in `params` and `body` (docs/extensions/placeholders-in-params.md). */
  readonly placeholdersInParams: boolean;
  /** Several parent items share a call (docs/extensions/batches.md). */
  readonly batch?: ChildBatch;
  readonly lists?: ListStyle;
  /** Where the items are; absent: they are detected. */
  readonly dataField?: { readonly path: string; readonly delimiter: string };
  readonly dataType: string;
  readonly responseFilter: readonly string[];
  readonly responseFilterDelimiter: string;
  readonly scroller?: string;
  readonly userData?: JsonObject | JsonScalar;
  readonly children: readonly Job[];
  readonly placeholders: JsonObject;
  readonly recursionFilter?: string;
  /** What it makes of its items (docs/language/items.md). */
  readonly shaping?: Shaping;
  /** What divides it into several calls (docs/language/jobs.md#windows-and-partitions). */
  readonly slices?: Slices;
  readonly format?: ChosenFormat;
  /** The most pages of one call of this job; one more is an error. */
  readonly requestLimit: number;
  /** Calls of its children at once; `auto`: as many as the API takes. */
  readonly concurrency: number | 'auto';
  /** Rate limits for all requests of this job, whichever parent item they are for; each of them counts. */
  readonly rateLimit: readonly RateRule[];
  /** Rules about its responses, which come before those for all jobs. */
  readonly rules?: readonly ResponseRule[];
  /** Pages that may wait for the consumer when it asks for another; absent: as `config` has it. */
  readonly prefetch?: number;
  readonly incremental?: Incremental;
  /** What to do when it is incomplete; absent: the same as in `config`. */
  readonly completeness?: Completeness;
  /** Where the response says how many items there are; absent: the same as beside the pagination. */
  readonly total?: TotalPlace | 'none';
  /** What becomes of a page that equals the one before it. */
  readonly equalPages: 'stop' | 'keep';
  /** Paths of fields that no item need have. */
  readonly optionalFields: readonly string[];
  /** Its response is cut into pages as it arrives; absent: it is read as a whole. */
  readonly stream?: StreamOptions;
  /** Its result is made first, by a request that submits it (docs/language/asynchronous-jobs.md). */
  readonly asynchronous?: Asynchronous;
}
