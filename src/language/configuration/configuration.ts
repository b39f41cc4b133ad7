/**
 * A configuration after decoding: defaults applied, spellings unified. Expressions stay raw; the plan compiles them.
 */
import type { Fault } from '../../core/errors/errors';
import type { Completeness } from '../../core/evidence';
import type { JsonArray, JsonObject, JsonScalar } from '../../core/model';
import type { Asynchronous } from './jobs/asynchronous';
import type { TotalPlace, Pagination } from './pagination';
import type { ChosenFormat } from '../parts/format';
import type { GraphqlRequest } from '../requests/graphql/place-of-items';
import type { Incremental, Slices } from './jobs/slices';
import type { WrittenDestination } from './destination';
import type { Load, TableOfItems } from './jobs/table';
import type { Rows, StreamOptions } from './jobs/format';
import type { Shaping } from './jobs/shaping';
import type { ChosenAuthentication, OauthCredentials } from '../parts/authentication';
import type { Method } from '../codec/values';
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
   * `image_parameters.allowed_hosts` (docs/language/configuration.md#allowed-hosts): the only places that may be
   * requested; if empty, any place. It does not allow credentials for a host.
   */
  readonly requestableHosts: readonly RequestableHost[];
  /** Warnings about unknown keys, deprecated spellings and settings without effect. */
  readonly warnings: readonly Fault[];
}

/** `api` together with the effective `config` of one iteration. */
export interface IterationConfiguration {
  /** The path of `config`: `config`, or `iterations[1]` over it. */
  readonly path: string;
  readonly api: Api;
  readonly settings: Settings;
  /**
   * The effective `config` without `jobs`: the context `attr` flattens it (docs/language/configuration.md#attributes).
   */
  readonly attributes: JsonObject;
  /** The keys that the iteration replaces in `config`; absent without iterations. */
  readonly own?: JsonObject;
}

/** `api` (docs/language/configuration.md#api). */
export interface Api {
  /** A URL, or an expression for one. */
  readonly baseUrl: string | JsonObject;
  readonly name: string;
  readonly http: ApiHttp;
  readonly retry: RetryConfig;
  readonly caCertificate?: string;
  readonly clientCertificate?: string;
  /** The authentication; if absent, requests are sent without. */
  readonly authentication?: ChosenAuthentication;
  readonly pagination: Pagination;
}

export interface ApiHttp {
  /** Expressions (2.5 layer 1). */
  readonly headers: JsonObject;
  /** Expressions (2.5 layer 3). */
  readonly defaultHeaders: JsonObject;
  /** Expressions among literals (docs/language/expressions.md#places). */
  readonly defaultParams: JsonObject;
  readonly defaultMethod?: Method;
  readonly requiredHeaders: readonly string[];
  readonly ignoreErrors: readonly number[];
  /** The limit in seconds; 0 for none. */
  readonly connectTimeoutSeconds: number;
  /** True if the configuration sets it; otherwise a transport from outside keeps its own limit. */
  readonly connectTimeoutGiven: boolean;
  /** The limit in seconds; 0 for none. */
  readonly requestTimeoutSeconds: number;
  /** True if cookies of responses are kept, and sent with later requests. */
  readonly cookies: boolean;
  /** `api.http.allowedHosts`: hosts that may receive credentials like the origin of the base URL. */
  readonly credentialHosts: readonly string[];
  /**
   * The format of jobs without one of their own; if absent, JSON, or the format of the content type for a body that is
   * not JSON.
   */
  readonly format?: ChosenFormat;
  /** The cap on requests in flight. */
  readonly maxRequests?: number;
  /** The cap on requests in flight to one origin; if absent, there is no cap. */
  readonly maxRequestsPerOrigin?: number;
  /** Rate limits for all requests; all of them apply. */
  readonly rateLimit: readonly PathRateRule[];
  /** Rules about responses (docs/language/responses.md#rules). */
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
 * A place that may be requested: the host is equal, scheme and port are equal if given, and the path begins with the
 * segments of `endpoint`.
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
  /** The treatment of existing rows in tables, for jobs that do not set it. */
  readonly load?: Load;
  readonly runColumns: boolean;
  readonly mappings?: JsonObject;
  /** The key columns of tables without mapping, by dataType. */
  readonly primaryKeys?: Readonly<Record<string, readonly string[]>>;
  readonly userData?: JsonObject | JsonScalar;
  /** Expressions (2.5 layer 2). */
  readonly headers: JsonObject;
  readonly debug: boolean;
  readonly compatLevel: 1 | 2 | 3;
  /** The number of concurrent jobs; `auto` for as many as the API can handle. */
  readonly concurrency: number | 'auto';
  /** The number of pages that may wait for the consumer. */
  readonly prefetch: number;
  /** True if pages come in the order of the configuration, even if several jobs run at once. */
  readonly ordered: boolean;
  /** The reaction to an incomplete job; if absent, the one of the run. */
  readonly completeness?: Completeness;
  /** URLs of the destinations, if the command line names none. */
  readonly sinks: readonly WrittenDestination[];
  /** The most columns of a table in a destination. */
  readonly maxColumns: number;
}

/** The way several parent items share one request (docs/language/jobs.md#batches). */
export interface ChildBatch {
  /** The most parent items of a batch. */
  readonly size: number;
  /** The separator between the values in a string. */
  readonly separator: string;
  /** The form of a parameter that is only a placeholder: a string, an array, or an array in a query's own form. */
  readonly style: 'join' | 'list' | ListStyle;
}

/** The form of arrays in a query, if not with indexes: `id=1&id=2` or `id[]=1&id[]=2`. */
export type ListStyle = 'repeat' | 'brackets';

/** A job or a child job (docs/language/jobs.md#a-job). */
export interface Job extends TableOfItems {
  /** The path of the job, for example `config.jobs[0].children[1]`. */
  readonly path: string;
  readonly id: string;
  /** The name of the job in messages: its id if it has one, else its dataType or its endpoint. */
  readonly name: string;
  readonly endpoint: string;
  readonly method?: Method;
  /** Expressions; for a GraphQL job they are the variables. */
  readonly params: JsonObject;
  /** The document that is sent with the parameters (docs/language/graphql.md). */
  readonly graphql?: GraphqlRequest;
  /**
   * Expressions; the body is sent as JSON, and the parameters are then in the query
   * (docs/language/requests.md#bodies).
   */
  readonly body?: JsonObject | JsonArray;
  /** Expressions (2.5 layer 4). */
  readonly headers: JsonObject;
  /** True if a parameter that is itself an array is searched for expressions (docs/language/expressions.md#places). */
  readonly functionsInLists: boolean;
  /** True if placeholders are replaced in `params` and `body` (docs/language/jobs.md#placeholders). */
  readonly placeholdersInParams: boolean;
  /** Set if several parent items share a call (docs/language/jobs.md#batches). */
  readonly batch?: ChildBatch;
  readonly lists?: ListStyle;
  /** Set if parameters go into the query, whatever the method. */
  readonly paramsIn?: 'query';
  /** Set if the body is sent as a form. */
  readonly bodyAs?: 'form';
  /** The path of the items; if absent, they are detected. */
  readonly dataField?: { readonly path: string; readonly delimiter: string };
  readonly rows?: Rows;
  readonly dataType: string;
  readonly responseFilter: readonly string[];
  readonly responseFilterDelimiter: string;
  readonly scroller?: string;
  readonly userData?: JsonObject | JsonScalar;
  readonly children: readonly Job[];
  readonly placeholders: JsonObject;
  readonly recursionFilter?: string;
  /** The operations on its items (docs/language/items.md). */
  readonly shaping?: Shaping;
  /** The division into several calls (docs/language/jobs.md#windows-and-partitions). */
  readonly slices?: Slices;
  readonly format?: ChosenFormat;
  /** The most pages of one call of this job; one more is an error. */
  readonly requestLimit: number;
  /** The number of concurrent calls of its children; `auto` for as many as the API can handle. */
  readonly concurrency: number | 'auto';
  /** Rate limits for all requests of this job, for all parent items; all of them apply. */
  readonly rateLimit: readonly RateRule[];
  /** Rules about its responses, which precede the rules for all jobs. */
  readonly rules?: readonly ResponseRule[];
  /** The number of pages that may wait for the consumer when it asks for another; if absent, the number of `config`. */
  readonly prefetch?: number;
  readonly incremental?: Incremental;
  /** The reaction if it is incomplete; if absent, the one of `config`. */
  readonly completeness?: Completeness;
  /** The place of the total number of items in the response; if absent, the one next to the pagination. */
  readonly total?: TotalPlace | 'none';
  /** The treatment of a page that equals the one before it. */
  readonly equalPages: 'stop' | 'keep';
  /** Paths of fields that may be missing in all items. */
  readonly optionalFields: readonly string[];
  /** Set if its response is cut into pages as it arrives; if absent, it is read as a whole. */
  readonly stream?: StreamOptions;
  /** Set if its result is created first, by a request that submits it (docs/language/asynchronous-jobs.md). */
  readonly asynchronous?: Asynchronous;
}
