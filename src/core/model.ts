/** The nouns of Headwater, all readonly. Nothing here has behaviour; everything else speaks in these words. */
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

/** What a request is for: a login, or a page of the job at `path`, be it what an asynchronous one asks before (`step`). */
export type Purpose =
  | { readonly kind: 'login' }
  | { readonly kind: 'page'; readonly job: string; readonly path?: string; readonly step?: 'submit' | 'poll' };

/** One HTTP request, complete but for what authentication adds. */
export interface Request {
  readonly method: HttpMethod;
  /** Absolute URL, query included. */
  readonly url: string;
  readonly headers: Headers;
  readonly body?: string;
  readonly purpose: Purpose;
  /** Where the configuration sent this request; a next page or a redirect may stay at this origin. */
  readonly home: string;
  /** Whether a person wrote the address (`configured`) or a response did (`received`). */
  readonly provenance: 'configured' | 'received';
  /** Names of query parameters that a response gave; a login's value replaces these (it may be newer). */
  readonly receivedNames: readonly string[];
  /** Its run, its number in the run, and how often it has been sent so far, as events tell them. */
  readonly trace?: { readonly run: string; readonly request: number; readonly attempt: number };
  /** Whether its host may receive credentials, as the host of `api.baseUrl` may: middleware around attempts is told. */
  readonly getsCredentials?: boolean;
  /** @internal Hosts where a response may lead this request as well, if it is a GET without a body. */
  readonly downloadHosts?: readonly string[];
  /** @internal What was asked first; absent: no redirect was followed. */
  readonly redirectedFrom?: { readonly method: string; readonly url: string };
  /** @internal Whether the body of a success is given as it arrives, not read in full. */
  readonly streams?: boolean;
}

/** A body as it arrives, with its content coding undone. It is read once, and asks for no more than is read. */
export interface BodyStream extends AsyncIterable<Uint8Array> {
  /** Closes the connection. */
  readonly cancel: () => void;
}

/** One HTTP response of any status, its body read in full. */
export interface Response {
  /** The request that was answered: after redirects, the last one. */
  readonly request: Request;
  readonly status: number;
  readonly headers: Headers;
  readonly body: Uint8Array;
  /** How many attempts it took; absent: one. */
  readonly attempts?: number;
  /** Seconds that the API asks to wait before the next attempt, of a response that calls for one. */
  readonly retryAfterSeconds?: number;
  /** When the body had arrived: milliseconds since the epoch; absent where nobody has looked. */
  readonly receivedAt?: number;
  /** Whether that is longer than a run may wait, so that there was no next attempt. */
  readonly isWaitTooLong?: boolean;
  /** @internal The body, where it was asked for as a stream; `body` is empty then. */
  readonly stream?: BodyStream;
  /** @internal Whether the connection that was closed is all that tells where the body ends: neither a length nor chunks do. */
  readonly isEndUnknown?: boolean;
  /** @internal Whether it is one that the cache kept. */
  readonly isCached?: boolean;
  /** @internal The names of cookies that had other values before. */
  readonly replacedCookies?: readonly string[];
  /** @internal All that a response of lines has, where that is at most the names of columns. */
  readonly heading?: string;
  /** @internal Where a page that was cut from a stream ends; absent where nothing follows. */
  readonly following?: Json;
}

/** A response whose body has been understood. `data` is `undefined` for an empty body. */
export interface Reply {
  readonly response: Response;
  /** Where `raw` is given, parsed when it is first read. */
  readonly data: Json | undefined;
  /** @internal Whether nothing would tell that the body was cut off at the end of a line. */
  readonly mayBeCut?: boolean;
  /** @internal Whether its format names columns, and gives all rows the same ones. */
  readonly hasColumns?: boolean;
  /** @internal */
  readonly raw?: RawItems;
}

/** Gives so many bytes to write to: for who makes many large pieces, and needs one at a time. */
export type ScratchBuffer = (bytes: number) => Uint8Array;

/** The items of a response, at least one, found in its bytes without parsing them. */
export interface RawItems {
  readonly count: number;
  /** The keys that lead to their array; none: the array is all there is. */
  readonly path: readonly string[];
  /** The same as {@link Page.lines}: items in the spelling of the API, without white space between their tokens. */
  readonly lines: (before: string, after: string, scratch?: ScratchBuffer) => Uint8Array;
  /** The first item; a digest of their number, their length, the first and last of their bytes, and the first and last item: equal arrays have equal ones. */
  readonly first: () => Item;
  readonly print: () => string;
  /** Tells whether a key in the items begins with `has`, such as `has_more`. */
  readonly has: boolean;
  /** Whether `JSON.parse` reads all of the response without loss. */
  readonly isPlain: boolean;
  /** The bytes of the array of items, or of one of them; whether there is one of just these bytes. */
  readonly bytes: (at?: number) => Uint8Array;
  readonly includes: (item: Uint8Array) => boolean;
  /** What the response says beside its items: it, with an empty array in their place. */
  readonly around: () => Json;
}

/** Sends one request: cold, one response, then complete; unsubscribing closes the socket. */
export type Send = (request: Request) => Observable<Response>;

/** A response, and when its request was sent: milliseconds since the epoch, of the attempt that it answers. */
export interface TimedResponse extends Response {
  readonly sentAt: number;
}

/** A {@link Send} that says when it sent. */
export type SendTimed = (request: Request) => Observable<TimedResponse>;

/** A middleware of the request pipeline: it makes a `send` around the one inside it. */
export type Middleware = (send: Send) => Send;

/** What a login gave. `apply` adds it to a request. */
export interface Credentials {
  readonly apply: (request: Request) => Request;
  /** Statuses which say that they are stale; empty when they cannot be renewed, or `apply` adds nothing. */
  readonly refusedBy: readonly number[];
  /** The error of a response that one without a session gets, whatever its status: they are renewed at the first, which fails at the second. */
  readonly refusal?: (response: Response) => Error | undefined;
  /** From when they are not used, in milliseconds since the epoch; absent when they live as long as the run. */
  readonly expiresAt?: number;
}

/** A shared stream of credentials: emits the current ones to each subscriber, and again whenever they are renewed. */
export interface CredentialSource {
  readonly credentials$: Observable<Credentials>;
  /** Says that a response has refused these credentials. Naming older ones than the current has no effect. */
  readonly invalidate: (credentials: Credentials, response: Response) => void;
}

/** Keeps what logins give for later ones, in this run and the next (docs/extensions/kept-credentials.md). */
export interface CredentialStore {
  /** The values of a login by name; a login is known by a digest of what it logs in with. */
  readonly read: (login: string) => ReadonlyMap<string, string>;
  /** Resolves when they are safe. */
  readonly write: (login: string, values: ReadonlyMap<string, string>) => Promise<void>;
}

/** One record of the API. */
export type Item = Json;

/** Which job a page or an event belongs to. */
export interface JobRef {
  readonly id: string;
  /** Where the job stands in the configuration, for example `config.jobs[0]`. */
  readonly path: string;
  readonly endpoint: string;
  readonly dataType: string;
  /** The placeholders of a child call by name; absent for a top-level job. */
  readonly placeholders?: Readonly<Record<string, string>>;
}

/** How far the items of a page come in the field by which their job asks only for what is new. */
export type PageCursor = {
  /** Names the parent of the call: each has a cursor of its own. */
  readonly parent: string;
  /** The furthest value, and the least one. */
  readonly value: Json;
  readonly least: Json;
  /** True where the values of the items never fall. */
  readonly ascends: boolean;
  /** True where items were passed over, as they lie in the future; and where the values are dates that nobody can put in order. */
  readonly isAhead?: true;
  readonly isUnordered?: true;
};

/**
 * Where one call of a job stands after a page: enough to go on with the page after it, in another process, too. Plain JSON
 * (a position may hold a `bigint`); it may hold data of the API, and addresses that the API gave.
 */
export interface Checkpoint {
  /** Which call: the numbers of the run and of the job; for each level of children also those of the parent's page and of the call, from 0. */
  readonly call: readonly number[];
  /** The id of the job. */
  readonly job: string;
  /** Pages of the call so far. The first page of a call that is made anew takes the place of all that it had before. */
  readonly pages: number;
  /** Items of the call so far. */
  readonly items: number;
  /** Bytes of the responses so far, where a stop counts them; else 0. */
  readonly volume: number;
  /** The position of the next page; absent when there is none. */
  readonly position?: Json;
  /** The digest of the response, where there is a next page: an equal response must not follow. */
  readonly digest?: string;
  /** How far the page comes, where the job asks only for what is new; calls for different parents stand apart. */
  readonly cursor?: PageCursor;
  /** The items of the page as lines of JSON, where other jobs are called for them. */
  readonly parents?: string;
  /** What the page tells of the completeness of its call. */
  readonly evidence?: Evidence;
}

/** One page of one job, in the order in which it was received. A decoder makes `items` alone; all else tells of what came. */
export interface Page<T = Item> extends Stamped {
  /** The number of the iteration of the configuration, from 0. */
  readonly iteration: number;
  readonly job: JobRef;
  /** The name of the table that its items go to, in destinations that make tables. */
  readonly table: string;
  /** Zero-based number of the page in its job run. */
  readonly index: number;
  /** How many items there are. */
  readonly count: number;
  /** Parsed when they are first read, so that a page which is only passed on need not be. */
  readonly items: readonly T[];
  /** The items as lines of JSON in UTF-8, each between these strings and ended by LF, without white space between tokens and with all digits. Who gives `scratch` may get its bytes. */
  readonly lines: (before?: string, after?: string, scratch?: ScratchBuffer) => Uint8Array;
  /** Columns that the job adds to every row, by raw name (docs/language/tables.md#parent-and-user-columns). */
  readonly extra: ReadonlyMap<string, string>;
  readonly reply: Reply;
  /** These two are the same as in the checkpoint, without making the checkpoint. */
  readonly cursor?: Checkpoint['cursor'] | undefined;
  readonly evidence?: Evidence | undefined;
  readonly checkpoint: Checkpoint;
}

/** Somewhere that pages go. `write` resolves when the page is taken, `close` when all is durable. */
export interface Sink {
  readonly write: (page: Page) => Promise<void>;
  readonly close: () => Promise<void>;
}

/** Where the calls of a run stand, each by its {@link Checkpoint.call}, joined by dots, without those that are over for good. */
export type Progress = ReadonlyMap<string, Checkpoint>;

/** How far jobs have come that ask only for what is new: by the id of the job, and by {@link PageCursor.parent}. */
export type Cursors = ReadonlyMap<string, ReadonlyMap<string, Json>>;
