/** The data types of Headwater, all readonly and without behaviour. All other modules use these terms. */
import type { Observable } from 'rxjs';
import type { Evidence, Stamped } from './evidence';

/** A JSON value as Headwater reads it: integers beyond 2^53 are `bigint`, so that no digit is lost. */
export type Json = null | boolean | number | bigint | string | JsonArray | JsonObject;
export type JsonArray = readonly Json[];
export interface JsonObject {
  readonly [key: string]: Json;
}
export type JsonScalar = null | boolean | number | bigint | string;

export type HttpMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** Header values by lower-case name; an array is sent as several header lines. */
export type Headers = Readonly<Record<string, string | readonly string[]>>;

/**
 * The purpose of a request: a login, or a page of the job at `path`; `step` is set for the requests of an asynchronous
 * job before its pages.
 */
export type Purpose =
  | { readonly kind: 'login' }
  | { readonly kind: 'page'; readonly job: string; readonly path?: string; readonly step?: 'submit' | 'poll' };

/** One HTTP request, complete except for authentication. */
export interface Request {
  readonly method: HttpMethod;
  /** The absolute URL, query included. */
  readonly url: string;
  readonly headers: Headers;
  readonly body?: string;
  readonly purpose: Purpose;
  /** The address to which the configuration sent this request; a next page or a redirect may stay at its origin. */
  readonly home: string;
  /** The author of the address: a person (`configured`) or a response (`received`). */
  readonly provenance: 'configured' | 'received';
  /** The names of query parameters that a response gave. A login's value replaces these, because it may be newer. */
  readonly receivedNames: readonly string[];
  /** The run, the number of the request in it, and the number of attempts so far, as events report them. */
  readonly trace?: { readonly run: string; readonly request: number; readonly attempt: number };
  /**
   * True if its host may receive credentials, as the host of `api.baseUrl` may. It is set for middleware around
   * attempts.
   */
  readonly getsCredentials?: boolean;
  /** @internal True if an earlier page of the same call has come. */
  readonly isLater?: true;
  /** @internal Hosts to which a response may also lead this request, if it is a GET without a body. */
  readonly downloadHosts?: readonly string[];
  /** @internal The original method and URL; absent if no redirect was followed. */
  readonly redirectedFrom?: { readonly method: string; readonly url: string };
  /** @internal True if the body of a success is streamed instead of read in full. */
  readonly streams?: boolean;
}

/** A body as it arrives, with its content coding decoded. It can be read once, and fetches no more than is read. */
export interface BodyStream extends AsyncIterable<Uint8Array> {
  /** Closes the connection. */
  readonly cancel: () => void;
}

/** One HTTP response of any status, its body read in full. */
export interface Response {
  /** The request that was answered; after redirects, the last one. */
  readonly request: Request;
  readonly status: number;
  readonly headers: Headers;
  readonly body: Uint8Array;
  /** The number of attempts; absent for one. */
  readonly attempts?: number;
  /** The wait in seconds that the API asks for before the next attempt, on a response that calls for one. */
  readonly retryAfterSeconds?: number;
  /** The time when the body had arrived, in milliseconds since the epoch; absent if it was not measured. */
  readonly receivedAt?: number;
  /** True if that wait is longer than a run may wait, so that there was no next attempt. */
  readonly isWaitTooLong?: boolean;
  /** @internal The body, if a stream was requested; `body` is empty then. */
  readonly stream?: BodyStream;
  /** @internal True if only the closed connection marks the end of the body, without a length or chunks. */
  readonly isEndUnknown?: boolean;
  /** @internal True if the response comes from the cache. */
  readonly isCached?: boolean;
  /** @internal The names of cookies that had other values before. */
  readonly replacedCookies?: readonly string[];
  /** @internal The whole content of a response of lines that has at most the names of columns. */
  readonly heading?: string;
  /** @internal The end of a page that was cut from a stream; absent if nothing follows. */
  readonly following?: Json;
}

/** A response with its parsed body. `data` is `undefined` for an empty body. */
export interface Reply {
  readonly response: Response;
  /** The parsed body; if `raw` is given, it is parsed on first access. */
  readonly data: Json | undefined;
  /** @internal True if a body cut off at the end of a line would go unnoticed. */
  readonly mayBeCut?: boolean;
  /** @internal True if its format names columns, the same for all rows. */
  readonly hasColumns?: boolean;
  /** @internal A key on the path to the items that occurs twice in an object, with values that differ. */
  readonly repeatedKey?: string;
  /** @internal */
  readonly raw?: RawItems;
}

/** Returns a buffer of the given number of bytes, for code that makes many large pieces and needs one at a time. */
export type ScratchBuffer = (bytes: number) => Uint8Array;

/** The items of a response, at least one, found in its bytes without parsing them. */
export interface RawItems {
  readonly count: number;
  /** The keys that lead to the array of items; empty if the array is the whole value. */
  readonly path: readonly string[];
  /** Does the same as {@link Page.lines}: items in the spelling of the API, without white space between tokens. */
  readonly lines: (before: string, after: string, scratch?: ScratchBuffer) => Uint8Array;
  /**
   * Returns the first item, and a digest of their number, length, first and last bytes, and first and last item: equal
   * arrays have equal digests.
   */
  readonly first: () => Item;
  readonly print: () => string;
  /** Returns numbers that differ where the ids of the items do; `undefined` where an item has none. */
  readonly ids: () => readonly number[] | undefined;
  /**
   * Returns the values of the key that was looked for, in the order of the items; one that repeats the one before it is left out. Numbers
   * that JavaScript cannot hold are strings of their digits.
   * `undefined` where none was looked for, or a value is missing, an array or an object.
   */
  readonly values: () => readonly Json[] | undefined;
  /** True if `JSON.parse` reads all of the response without loss. */
  readonly isPlain: boolean;
  /** Returns the bytes of the array of items or of one item, and whether an item with exactly these bytes exists. */
  readonly bytes: (at?: number) => Uint8Array;
  readonly includes: (item: Uint8Array) => boolean;
  /** Returns the response with an empty array in place of its items. */
  readonly around: () => Json;
  /**
   * Gives up the parsed items, which are parsed again where they are read again. A call compares a response with the one
   * after it: items that were held as long would outlive the collection of young objects.
   */
  readonly release: () => void;
}

/** Sends one request: a cold stream of one response. Unsubscribing closes the socket. */
export type Send = (request: Request) => Observable<Response>;

/** A response with the time when the answered attempt was sent, in milliseconds since the epoch. */
export interface TimedResponse extends Response {
  readonly sentAt: number;
  /** True if another process has got it, maybe a while ago. */
  readonly isShared?: true;
}

/** A {@link Send} that reports when it sent the request. */
export type SendTimed = (request: Request) => Observable<TimedResponse>;

/** A middleware of the request pipeline: it wraps a `send` in another one. */
export type Middleware = (send: Send) => Send;

/** The result of a login. `apply` adds it to a request. */
export interface Credentials {
  readonly apply: (request: Request) => Request;
  /**
   * The statuses which say that the credentials are stale; empty if they cannot be renewed, or `apply` adds nothing.
   */
  readonly refusedBy: readonly number[];
  /**
   * Returns the error if a response, whatever its status, shows that the session has ended. The first such response
   * renews the credentials, the second one fails.
   */
  readonly refusal?: (response: Response) => Error | undefined;
  /** The time from which they are not used, in milliseconds since the epoch; absent if they live as long as the run. */
  readonly expiresAt?: number;
}

/**
 * A shared stream of credentials: it emits the current ones to each subscriber, and emits again whenever they are
 * renewed.
 */
export interface CredentialSource {
  readonly credentials$: Observable<Credentials>;
  /** Reports that a response has refused these credentials. Credentials older than the current ones are ignored. */
  readonly invalidate: (credentials: Credentials, response: Response) => void;
  /** Resolves to whether a login of another process has ended the current credentials, or may do so; absent: no other one logs in. */
  readonly isBehind?: () => Promise<boolean>;
}

/** Keeps the values of logins for later logins, in this run and the next (docs/language/authentication.md#kept-tokens). */
export interface CredentialStore {
  /** Returns the values of a login by name. A login is identified by a digest of its inputs. */
  readonly read: (login: string) => ReadonlyMap<string, string>;
  /** Resolves when the values are safe. */
  readonly write: (login: string, values: ReadonlyMap<string, string>) => Promise<void>;
}

/** One record of the API. */
export type Item = Json;

/** The job that a page or an event belongs to. */
export interface JobRef {
  readonly id: string;
  /** The path of the job in the configuration, for example `config.jobs[0]`. */
  readonly path: string;
  readonly endpoint: string;
  readonly dataType: string;
  /** The placeholders of a child call by name; absent for a top-level job. */
  readonly placeholders?: Readonly<Record<string, string>>;
}

/** The position of a page's items in the cursor field of an incremental job. */
export type PageCursor = {
  /** Identifies the parent of the call: each parent has a cursor of its own. */
  readonly parent: string;
  /** The latest value, or the start of the run if that lies before it; and the earliest one. */
  readonly value: Json;
  readonly least: Json;
  /** The latest value, if it lies after the start of the run. */
  readonly furthest?: Json;
  /** True if the values of the items never fall. */
  readonly ascends: boolean;
  /**
   * True if items were skipped because they are in the future; and if the values are dates that cannot be put in order.
   */
  readonly isAhead?: true;
  readonly isUnordered?: true;
};

/**
 * The state of one call of a job after a page: enough to resume with the next page, even in another process. It is
 * plain JSON (a position may hold a `bigint`), and may hold data of the API and addresses from responses.
 */
export interface Checkpoint {
  /**
   * Identifies the call: the numbers of the run and the job; for each level of children also the numbers of the
   * parent's page and the call, from 0.
   */
  readonly call: readonly number[];
  /** The id of the job. */
  readonly job: string;
  /** Pages of the call so far. The first page of a restarted call replaces all earlier pages. */
  readonly pages: number;
  /** Items of the call so far. */
  readonly items: number;
  /** Bytes of the responses so far if a stop counts them, else 0. */
  readonly volume: number;
  /** The position of the next page; absent when there is none. */
  readonly position?: Json;
  /** The digest of the response, if there is a next page: an equal response must not follow. */
  readonly digest?: string;
  /** The cursor of the page, if the job is incremental; calls for different parents have separate cursors. */
  readonly cursor?: PageCursor;
  /** The items of the page as lines of JSON, if other jobs are called for them. */
  readonly parents?: string;
  /** The evidence of the page for the completeness of its call. */
  readonly evidence?: Evidence;
}

/**
 * One page of one job, in the order in which pages were received. A decoder replaces `items` alone; all other members
 * describe the received data.
 */
export interface Page<T = Item> extends Stamped {
  /** The number of the iteration of the configuration, from 0. */
  readonly iteration: number;
  readonly job: JobRef;
  /** The name of the table for its items, in destinations that make tables. */
  readonly table: string;
  /** Zero-based number of the page in its job run. */
  readonly index: number;
  /** The number of items. */
  readonly count: number;
  /** The items, parsed on first access: a page that is only passed on is never parsed. */
  readonly items: readonly T[];
  /**
   * Returns the items as lines of JSON in UTF-8, with all digits and without white space between tokens. Each item is
   * between the strings `before` and `after`, and ends with LF. The result may be in the buffer that `scratch` gives.
   */
  readonly lines: (before?: string, after?: string, scratch?: ScratchBuffer) => Uint8Array;
  /** Columns that the job adds to every row, by raw name (docs/language/tables.md#parent-and-user-columns). */
  readonly extra: ReadonlyMap<string, string>;
  readonly reply: Reply;
  /** The same as in the checkpoint, available without creating the checkpoint. */
  readonly cursor?: Checkpoint['cursor'] | undefined;
  readonly evidence?: Evidence | undefined;
  readonly checkpoint: Checkpoint;
}

/** A consumer of pages. `write` resolves when the page is accepted, `close` when all pages are durable. */
export interface Sink {
  readonly write: (page: Page) => Promise<void>;
  readonly close: () => Promise<void>;
}

/** The state of the calls of a run, each by its {@link Checkpoint.call} joined by dots, without finished calls. */
export type Progress = ReadonlyMap<string, Checkpoint>;

/** How far a call has come: its pages and items so far, the position of the next page, and the total that the API gives. */
export interface Reached extends Pick<Checkpoint, 'pages' | 'items' | 'position'> {
  readonly total?: { readonly value: number; readonly isSteady: boolean; readonly isOfAll: boolean };
}

/** Returns how many more pages of a call, by its key, a process requests at least, one after another; 0: others request the rest. */
export type PagesHere = (call: readonly number[], reached: Reached) => number;

/** The cursors of incremental jobs, by the id of the job and by {@link PageCursor.parent}. */
export type Cursors = ReadonlyMap<string, ReadonlyMap<string, Json>>;
