import { createHash } from 'node:crypto';
import type { Hash } from 'node:crypto';
import { catchError, concatMap, defer, map, of, throwError, timer } from 'rxjs';
import type { Observable } from 'rxjs';
import { FatalError, RetryableError, addFacts } from '../core/errors/errors';
import type { RequestFacts } from '../core/errors/errors';
import { responseFacts } from '../core/errors/response-facts';
import { requestFields } from '../core/events';
import { arrayItems } from '../core/json/array-items';
import { BrokenItems, joined } from '../core/json/item-reader';
import type { ItemBlock, ItemReader } from '../core/json/item-reader';
import type { Request, Response } from '../core/model';
import { streamPosition } from '../language/parts/pagination/pagination';
import type { StreamPosition } from '../language/parts/pagination/pagination';
import type { Step } from '../language/parts/pagination/paginator';
import { abortable } from '../operators';
import type { StreamPlan } from '../plan/plan';
import type { JobContext, JobRun } from './job-run';

/** Emits pages, each as a response of its own. */
export interface PageSource {
  readonly fetch: (step: Step) => Observable<Response>;
  /** Closes the connection of a response that has not ended; absent: each response has ended when it is emitted. */
  readonly close?: () => void;
}

/** Returns the source of the pages of a job: each page by its own request, or all cut from one response. */
export function pagesOf(running: JobRun): PageSource {
  const { plan, context } = running;
  if (plan.stream !== undefined) return streamedPages(running, plan.stream);
  return { fetch: (step) => context.send(requestOf(running, step)) };
}

function requestOf({ bound, paginator }: JobRun, step: Step): Request {
  const request = bound.request(step.change);
  return step === paginator.first ? request : { isLater: true, ...request };
}

const NOTHING: StreamPosition = { items: 0, digest: '' };
const OK = 200;
const FIRST_PAUSE = 1000;
const MOST_DOUBLINGS = 6;

/**
 * Cuts the response of a job into pages while it arrives (docs/language/large-responses.md). A page ends at a position: a number of items
 * with a digest. To continue at a position that the open response is not at, because the run or the connection was interrupted, the request
 * is sent again and the items up to the position are skipped; a different digest of them is an error. Each page takes from the connection
 * what it needs; in between the connection is paused.
 *
 * @param plan how pages are cut
 */
function streamedPages(running: JobRun, plan: StreamPlan): PageSource {
  const { context } = running;
  const { endpoint } = running.plan;
  let open: OpenStream | undefined;

  const close = (): void => {
    open?.cancel();
    open = undefined;
  };
  const begin = (step: Step): Observable<OpenStream | Response> =>
    context.send({ ...requestOf(running, step), streams: true }).pipe(
      map((response) => {
        if (response.status !== OK) return response;
        return (open = new OpenStream(response, plan, context, endpoint));
      }),
    );
  const page = (step: Step, breaks: number): Observable<Response> => {
    const position = streamPosition(step.position) ?? NOTHING;
    const source = defer(() => {
      if (open?.isAt(position) === true) return of(open);
      close();
      return begin(step);
    });
    return source.pipe(
      concatMap((from) => {
        if (!(from instanceof OpenStream)) return of(from);
        return pageFrom(from, position).pipe(catchError((error: unknown) => again(error, from, step, breaks)));
      }),
    );
  };
  /** A failure before the response began has already been retried; this handles a failure in the middle. */
  const again = (error: unknown, from: OpenStream, step: Step, breaks: number): Observable<Response> => {
    if (!(error instanceof RetryableError) || breaks >= context.streams.maxRetries) return throwError(() => error);
    const delayMilliseconds = FIRST_PAUSE * 2 ** Math.min(breaks, MOST_DOUBLINGS);
    const because = `${error.message} It broke off after item ${from.given}: the items that came are passed over.`;
    const attempt = { ...requestFields(from.request, context.secrets), retry: breaks + 1, delayMilliseconds, because };
    context.report({ type: 'retry.scheduled', ...attempt });
    return timer(delayMilliseconds, context.scheduler).pipe(concatMap(() => page(step, breaks + 1)));
  };

  return { close, fetch: (step) => page(step, 0) };
}

/**
 * Refuses a response without a body to cut, after an earlier one has already given items: a page without items, by `ignoreErrors`, a rule
 * or a status such as 204, would end the job in the middle.
 *
 * @throws FatalError RESUME, or what the status or a rule says
 */
export function requireRest({ plan, context }: JobRun, { position }: Step, response: Response): void {
  const items = streamPosition(position)?.items ?? 0;
  if (plan.stream === undefined || items === 0 || response.status === OK) return;
  if (context.judge?.(response) === undefined) context.decode(response, plan, () => undefined);
  const what = `it has the status ${response.status} now, and ${items} items had come`;
  throw otherResponse(plan.endpoint, what, responseFacts(response, context.secrets));
}

/** Reads a page; unsubscribing before it is there closes the connection. */
const pageFrom = (from: OpenStream, position: StreamPosition): Observable<Response> =>
  abortable(async (abortion) => {
    abortion.onAbort(() => from.cancel());
    return from.page(position).catch((error: unknown) => {
      from.cancel();
      throw error;
    });
  });

/** The longest delay that the timers of JavaScript can hold. */
const LONGEST_TIMER = 2 ** 31 - 1;

const COMMA = Buffer.from(',');
const OPEN_LIST = Buffer.from('[');
const CLOSE_LIST = Buffer.from(']');

/** A response whose body is still arriving. */
class OpenStream {
  readonly #reader: ItemReader;
  readonly #source: AsyncIterator<Uint8Array>;
  readonly #mayBeCut: () => boolean;
  /** Blocks that have come; the items before an index of the first block are already emitted. */
  #blocks: ItemBlock[] = [];
  #at = 0;
  #isOver = false;
  #isBroken = false;
  /** A digest of all items so far, each followed by a comma, independent of how they were cut. */
  readonly #hash: Hash = createHash('sha256');
  given = 0;
  #digest = '';
  /** The milliseconds of waiting for the next item so far. */
  #waited = 0;

  constructor(
    private readonly response: Response,
    private readonly plan: StreamPlan,
    private readonly context: JobContext,
    private readonly endpoint: string,
  ) {
    const { bytes, textOf, mayBeCut } = context.streams.open(response, plan.format);
    this.#mayBeCut = mayBeCut;
    this.#source = bytes[Symbol.asyncIterator]();
    this.#reader = plan.format?.stream?.(textOf) ?? arrayItems(plan.path, plan.delimiter);
  }

  get request(): Request {
    return this.response.request;
  }

  isAt({ items, digest }: StreamPosition): boolean {
    return !this.#isBroken && this.given === items && this.#digest === digest;
  }

  cancel(): void {
    this.#isBroken = true;
    this.response.stream?.cancel();
  }

  /** Returns the page at a position, after reading up to it. */
  async page(position: StreamPosition): Promise<Response> {
    try {
      await this.#goTo(position);
      const { items, parts } = await this.#take(this.plan.pageItems);
      const isLast = !(await this.#hasMore());
      const list = Buffer.concat([OPEN_LIST, ...parts, CLOSE_LIST]);
      const heading = this.given === 0 ? this.#reader.heading?.() : undefined;
      const body = heading === undefined ? this.#bodyOf(list, items, isLast) : list;
      const { request, status, attempts } = this.response;
      const response: Response = {
        ...{ request, status, headers: this.#headers(), body },
        ...(attempts === undefined ? {} : { attempts }),
        ...(heading === undefined ? {} : { heading }),
      };
      if (isLast) return this.#mayBeCut() ? { ...response, isEndUnknown: true } : response;
      return { ...response, following: { items: this.given, digest: this.#digest } };
    } catch (error) {
      if (!(error instanceof BrokenItems)) throw error;
      const message = `${this.endpoint}: the response cannot be read, after item ${this.given}: ${error.message}.`;
      throw new FatalError(this.plan.format?.isJson !== false ? 'API_NOT_JSON' : 'API_FORMAT', message, this.#facts());
    }
  }

  /** The pages are JSON in UTF-8, whatever the content type says; unless the whole response was a web page. */
  #headers(): Response['headers'] {
    const { headers } = this.response;
    const isPage = /\bhtml\b/i.test(String(headers['content-type'] ?? ''));
    return { ...headers, 'content-type': isPage ? 'text/html' : 'application/json' };
  }

  #bodyOf(list: Uint8Array, items: number, isLast: boolean): Uint8Array {
    if (this.#reader.page !== undefined) return this.#reader.page(list, isLast);
    // A response without any line is empty, and is read as such.
    return items === 0 && this.given === 0 ? new Uint8Array(0) : list;
  }

  async #goTo({ items, digest }: StreamPosition): Promise<void> {
    while (this.given < items) {
      const passed = await this.#take(items - this.given);
      if (passed.items === 0) throw this.#changed(`it has ${this.given} items now, and ${items} had come`);
    }
    if (this.#digest !== digest) throw this.#changed(`its first ${items} items are others now`);
  }

  #changed(what: string): FatalError {
    return otherResponse(this.endpoint, what, this.#facts());
  }

  #facts() {
    return responseFacts(this.response, this.context.secrets);
  }

  /** Counts the available items, up to a number of items and up to the bytes of a page. */
  async #take(most: number): Promise<Taken> {
    const parts: Uint8Array[] = [];
    let items = 0;
    let bytes = 0;
    while (items < most && bytes < this.plan.pageBytes && (await this.#hasMore())) {
      const block = this.#blocks[0] as ItemBlock;
      const from = this.#at;
      while (this.#at < block.starts.length && items < most && bytes < this.plan.pageBytes) {
        bytes += (block.ends[this.#at] as number) - (block.starts[this.#at] as number);
        this.#at += 1;
        items += 1;
      }
      if (parts.length > 0) parts.push(COMMA);
      parts.push(...joined(block, from, this.#at));
    }
    if (items === 0) return { items, parts };
    for (const part of parts) this.#hash.update(part);
    this.#hash.update(COMMA);
    this.given += items;
    this.#digest = this.#hash.copy().digest('base64');
    return { items, parts };
  }

  /** Returns whether there is another item; at the end the response has been checked. */
  async #hasMore(): Promise<boolean> {
    for (;;) {
      const [block] = this.#blocks;
      if (block !== undefined && this.#at < block.starts.length) return true;
      this.#at = 0;
      this.#blocks.shift();
      if (this.#blocks.length > 0) continue;
      if (this.#isOver) return false;
      await this.#read();
    }
  }

  /**
   * Reads the next block. If no item comes for too long, the response is given up, whatever bytes have come; the time of a slow consumer
   * does not count, since nothing is read then.
   */
  async #read(): Promise<void> {
    const since = performance.now();
    const next = await this.#soon(() => this.#source.next());
    this.#isOver = next.done === true;
    const blocks = next.done === true ? this.#reader.end() : this.#reader.push(next.value);
    this.#blocks.push(...blocks);
    this.#waited = blocks.some(({ starts }) => starts.length > 0) ? 0 : this.#waited + performance.now() - since;
  }

  #soon<T>(read: () => Promise<T>): Promise<T> {
    const { patience } = this.context.streams;
    if (patience === undefined) return read();
    return new Promise((resolve, reject) => {
      const giveUp = (): void => {
        this.cancel();
        reject(addFacts(patience.overdue(this.request), this.#facts()));
      };
      const left = patience.milliseconds - this.#waited;
      // Bytes that come faster than they are read keep the timer from firing.
      if (left <= 0) {
        giveUp();
        return;
      }
      const timer = setTimeout(giveUp, Math.min(left, LONGEST_TIMER));
      read()
        .finally(() => clearTimeout(timer))
        .then(resolve, reject);
    });
  }
}

/** Items in bytes: the parts are the items and the commas between them. */
interface Taken {
  readonly items: number;
  readonly parts: readonly Uint8Array[];
}

/** Returns the error for a response that cannot continue behind items that have already come. */
function otherResponse(endpoint: string, what: string, facts: RequestFacts): FatalError {
  const message =
    `The response of ${endpoint} cannot go on where it was broken off: ${what}. ` +
    `Leave --resume out to start over; if the API gives another order each time, ask it for a fixed one.`;
  return new FatalError('RESUME', message, facts);
}
