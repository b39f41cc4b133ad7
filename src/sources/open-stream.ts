import { createHash } from 'node:crypto';
import type { Hash } from 'node:crypto';
import { addFacts, FatalError } from '../core/errors/errors';
import type { RequestFacts } from '../core/errors/errors';
import { responseFacts } from '../core/errors/response-facts';
import { arrayItems } from '../core/json/array-items';
import { BrokenItems, joined } from '../core/json/item-reader';
import type { ItemBlock, ItemReader } from '../core/json/item-reader';
import type { Request, Response } from '../core/model';
import type { StreamPlan } from '../plan/plan';
import type { JobContext } from './job-run';
import type { StreamPosition } from '../language/parts/pagination/streamed';

/** The longest delay that the timers of JavaScript can hold. */
const LONGEST_TIMER = 2 ** 31 - 1;

const COMMA = Buffer.from(',');
const OPEN_LIST = Buffer.from('[');
const CLOSE_LIST = Buffer.from(']');

/** A response that is under way. */
export class OpenStream {
  readonly #reader: ItemReader;
  readonly #source: AsyncIterator<Uint8Array>;
  readonly #mayBeCut: () => boolean;
  /** Blocks that have come, whose items are given up to an index of the first one. */
  #blocks: ItemBlock[] = [];
  #at = 0;
  #isOver = false;
  #isBroken = false;
  /** A digest of all items so far, each followed by a comma: independent of how they were cut. */
  readonly #hash: Hash = createHash('sha256');
  given = 0;
  #digest = '';
  /** The milliseconds for which the next item has been waited. */
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
    this.#reader = plan.format?.stream?.(textOf) ?? arrayItems(plan.path);
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

  /** The page at a position, which is read up to if need be. */
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

  /** Without a format it is JSON that is read, and no other format that the content type names. */
  #headers(): Response['headers'] {
    const { headers } = this.response;
    const isPage = /\bhtml\b/i.test(String(headers['content-type'] ?? ''));
    return this.plan.format !== undefined || isPage ? headers : { ...headers, 'content-type': 'application/json' };
  }

  #bodyOf(list: Uint8Array, items: number, isLast: boolean): Uint8Array {
    if (this.#reader.page !== undefined) return this.#reader.page(list, isLast);
    // No line at all is an empty response, and read as one.
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

  /** Counts as many items as given as there are, up to a number, and up to the bytes of a page. */
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

  /** This tells whether there is another item; at the end the response has been checked. */
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
   * Reads what comes next. Where no item has come for too long, the response is given up, whatever bytes have come; the time that
   * a slow consumer takes does not count, since nothing is read then.
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
      // Bytes that come faster than they are read leave a timer no time.
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

/** The error of a response that cannot go on behind items which have come already. */
export function otherResponse(endpoint: string, what: string, facts: RequestFacts): FatalError {
  const message =
    `The response of ${endpoint} cannot go on where it was broken off: ${what}. ` +
    `Leave --resume out to begin anew; if the API gives another order each time, ask it for a fixed one.`;
  return new FatalError('RESUME', message, facts);
}
