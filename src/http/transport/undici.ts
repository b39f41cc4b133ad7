import type * as Undici from 'undici';
import type { Dispatcher } from 'undici';
import type { BodyStream, Headers } from '../../core/model';
import type { Abortion } from '../../operators';
import { BodyTooLong, LONGEST_BODY, undoCoding, undoCodingOf } from '../body/content-coding';
import { throwIfAborted } from '../dispatch';
import { isStreamed, startsCarrying, watchResets } from './exchange';
import type { Exchange, Incoming, Outgoing, Carried } from './exchange';
import { connectionTimeout } from './first-connection';
import type { FirstConnection } from './first-connection';

let loaded: typeof Undici | undefined;

/**
 * Runs a function with undici, which is loaded by the first request, because that takes as long as loading the whole
 * library. The result is synchronous if undici is already loaded.
 *
 * @example const dispatcher = await byUndici(({ getGlobalDispatcher }) => getGlobalDispatcher())
 */
export const byUndici = <T>(make: (undici: typeof Undici) => T): T | Promise<T> =>
  loaded === undefined ? load().then(make) : make(loaded);

async function load(): Promise<typeof Undici> {
  loaded ??= await import('undici');
  return loaded;
}

/** The symbol of dispatchers of undici 7; those of the undici in Node.js 20 have the older one alone. */
const SPEAKS_OUR_API = Symbol.for('undici.globalDispatcher.2');

type Via = (outgoing: Outgoing) => Outgoing;

let ownAgent: Dispatcher | undefined;

/**
 * Returns the current global dispatcher, because an application may have replaced it. If it is only the agent that the
 * `fetch` of Node.js has created for itself, which may have a version that does not accept these handlers, a similar
 * agent takes its place.
 */
export const globalDispatcher = (): Dispatcher | Promise<Dispatcher> =>
  byUndici(({ Agent, getGlobalDispatcher }) => {
    const dispatcher = getGlobalDispatcher();
    const isOurs = Reflect.get(globalThis, SPEAKS_OUR_API) !== undefined || dispatcher instanceof Agent;
    if (isOurs || dispatcher.constructor.name !== 'Agent') return dispatcher;
    return (ownAgent ??= new Agent());
  });

/**
 * Sends requests by a dispatcher of undici.
 *
 * @param dispatcherNow returns the dispatcher for each request; a promise if undici has to be loaded first
 * @param via returns the request in the form in which it is sent to a proxy
 * @example undiciExchange(globalDispatcher)(new FirstConnection(20_000))
 */
export const undiciExchange =
  (dispatcherNow: () => Dispatcher | Promise<Dispatcher>, via: Via = (outgoing) => outgoing) =>
  (first: FirstConnection): Exchange => {
    watchResets();
    return (outgoing, abortion) => {
      const dispatcher = dispatcherNow();
      if (!(dispatcher instanceof Promise)) return dispatched(dispatcher, outgoing, via, abortion, first);
      return dispatcher.then((loaded) => {
        throwIfAborted(abortion);
        return dispatched(loaded, outgoing, via, abortion, first);
      });
    };
  };

const dispatched = (
  dispatcher: Dispatcher,
  outgoing: Outgoing,
  via: Via,
  abortion: Abortion,
  firstConnection: FirstConnection,
): Promise<Incoming> =>
  new Promise((resolve, reject) => {
    const fail = (error: Error): void => {
      watch.stop();
      reject(error);
    };
    const tooLate = (): void => {
      receiver.abort();
      fail(connectionTimeout());
    };
    const watch = firstConnection.watch(outgoing.origin, tooLate);
    const receiver = new Receiver(resolve, fail, watch.connected, outgoing.streams);
    abortion.onAbort(() => {
      watch.stop();
      receiver.abort();
    });
    const { method, origin, path, headers, body } = via(outgoing);
    dispatcher.dispatch(
      {
        origin,
        path,
        method,
        headers: writable(headers),
        body: body ?? null,
        // The time-out of the whole request applies.
        headersTimeout: 0,
        bodyTimeout: 0,
      },
      receiver,
    );
  });

function writable(headers: Headers): Record<string, string | string[]> {
  const sent: Record<string, string | string[]> = {};
  for (const [name, value] of Object.entries(headers)) sent[name] = typeof value === 'string' ? value : [...value];
  return sent;
}

/**
 * Receives a response from undici piece by piece, and keeps the whole body: this makes many small requests affordable,
 * because no stream is built for a body that is read in full anyway.
 */
class Receiver implements Dispatcher.DispatchHandler {
  #controller: Dispatcher.DispatchController | undefined;
  #isAborted = false;
  #coding = '';
  readonly #chunks: Uint8Array[] = [];
  #length = 0;
  #isWaiting = true;
  /** Fails the request where the connection is reset before the body is over. */
  readonly #carried: Carried = { onReset: (error) => this.#fail(error) };
  /** Receives the body if it is streamed. */
  #flow: Flow | undefined;
  /** The promise of the body, once there are headers. */
  #end: { readonly resolve: (bytes: Uint8Array) => void; readonly reject: (error: unknown) => void } | undefined;

  constructor(
    private readonly respond: (incoming: Incoming) => void,
    private readonly fail: (error: Error) => void,
    /** Is called when there is a connection for the request. */
    private readonly connected: () => void,
    /** True if the body of a success is wanted as a stream. */
    private readonly streams = false,
  ) {}

  abort(): void {
    this.#isAborted = true;
    this.#controller?.abort(new Error('The request was aborted.'));
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    startsCarrying(this.#carried);
    this.connected();
    // The request was aborted while it waited for a connection.
    if (this.#isAborted) this.abort();
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number, headers: ReceivedHeaders): void {
    // Informational responses precede the final one.
    if (status < 200) return;
    this.#isWaiting = false;
    const coding = headers['content-encoding'];
    this.#coding = coding === undefined ? '' : String(coding);
    if (isStreamed(this.streams, status)) {
      this.#startFlow(controller, status, headers);
      return;
    }
    const body = new Promise<Uint8Array>((resolve, reject) => (this.#end = { resolve, reject }));
    // A caller that does not read the body must not cause an unhandled rejection.
    body.catch(() => undefined);
    if (Number(headers['content-length'] ?? 0) > LONGEST_BODY) this.#controller?.abort(new BodyTooLong());
    this.respond({ status, headers: received(headers), ...endOf(headers), readBody: () => body });
  }

  #startFlow(controller: Dispatcher.DispatchController, status: number, headers: ReceivedHeaders): void {
    const flow = new Flow(controller, () => this.abort());
    this.#flow = flow;
    const decoded = undoCodingOf(flow, this.#coding);
    const stream: BodyStream = { [Symbol.asyncIterator]: () => decoded[Symbol.asyncIterator](), cancel: flow.cancel };
    const readBody = (): Promise<never> => Promise.reject(new Error('The body is given as a stream.'));
    this.respond({ status, headers: received(headers), ...endOf(headers), readBody, stream });
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Uint8Array): void {
    if (this.#flow !== undefined) {
      this.#flow.add(chunk);
      return;
    }
    this.#length += chunk.byteLength;
    if (this.#length > LONGEST_BODY) controller.abort(new BodyTooLong());
    else this.#chunks.push(chunk);
  }

  onResponseEnd(): void {
    if (!this.#isFirstEnd()) return;
    if (this.#flow !== undefined) {
      this.#flow.end();
      return;
    }
    // The bytes are copied even if they came in one piece: a short one would keep the whole buffer of the socket alive.
    const bytes = Buffer.concat(this.#chunks, this.#length);
    const end = this.#end;
    if (end === undefined) return;
    // undici takes another request on this connection after a turn of the event loop: a caller that learns of the end
    // before that and requests the next page makes it open one more connection. When the microtask runs, undici has
    // scheduled its own work in that turn.
    if (this.#coding === '') queueMicrotask(() => setImmediate(end.resolve, bytes));
    else undoCoding(bytes, this.#coding).then(end.resolve, end.reject);
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.#fail(withCode(error));
  }

  #fail(error: Error): void {
    if (!this.#isFirstEnd()) return;
    if (this.#isWaiting) this.fail(error);
    else if (this.#flow !== undefined) this.#flow.end(error);
    else this.#end?.reject(error);
  }

  /** Returns whether the body has neither ended nor failed before. From now on a reset has no effect. */
  #isFirstEnd(): boolean {
    const isFirst = this.#carried.onReset !== undefined;
    this.#carried.onReset = undefined;
    return isFirst;
  }
}

/** The reason that undici gives, without a code, for a connection that is closed within chunks. */
const WITHIN_CHUNKS = 'Invalid EOF state';

/** The first bytes of a TLS alert, with which a server answers what is not TLS. */
const TLS_ALERT = '\x15\x03';

function withCode(error: Error): Error {
  if (error.message.includes(WITHIN_CHUNKS)) return Object.assign(error, { code: 'HPE_INVALID_EOF_STATE' });
  return 'data' in error && String(error.data).startsWith(TLS_ALERT)
    ? Object.assign(error, { code: 'HPE_TLS_ALERT' })
    : error;
}

/**
 * Returns whether only the end of the connection marks the end of a body. In HTTP/1 a length, chunks or the coding of
 * the content mark it otherwise.
 */
const endOf = (headers: ReceivedHeaders): Pick<Incoming, 'isEndUnknown'> =>
  ['content-length', 'transfer-encoding', 'content-encoding'].every((name) => headers[name] === undefined)
    ? { isEndUnknown: true }
    : {};

type ReceivedHeaders = Readonly<Record<string, string | string[] | undefined>>;

function received(headers: ReceivedHeaders): Headers {
  const known: Record<string, string | readonly string[]> = {};
  for (const [name, value] of Object.entries(headers)) if (value !== undefined) known[name] = value;
  return known;
}

/** The number of bytes that may wait for a reader before the socket is paused. */
const HIGH_WATER = 256 * 2 ** 10;

/**
 * A body as an async iterable: undici pushes bytes, a reader pulls them, and while the reader is slow the socket is
 * paused. It can be read once; leaving it early closes the connection.
 */
export class Flow implements AsyncIterable<Uint8Array> {
  #chunks: Uint8Array[] = [];
  #waiting = 0;
  #isOver = false;
  #error: Error | undefined;
  #wake: (() => void) | undefined;

  constructor(
    private readonly controller: Dispatcher.DispatchController,
    private readonly abort: () => void,
  ) {}

  /** Closes the connection, unless the body is complete. */
  readonly cancel = (): void => {
    if (this.#isOver) return;
    this.end(new Error('The reader has left.'));
    this.abort();
  };

  add(chunk: Uint8Array): void {
    this.#chunks.push(chunk);
    this.#waiting += chunk.byteLength;
    if (this.#waiting >= HIGH_WATER) this.controller.pause();
    this.#wake?.();
  }

  /** @param error the reason why the body ends early, if it does */
  end(error?: Error): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#error = error;
    this.#wake?.();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array, void, void> {
    try {
      for (;;) {
        const chunks = this.#chunks;
        this.#chunks = [];
        this.#waiting = 0;
        yield* chunks;
        if (this.#chunks.length > 0) continue;
        if (this.#error !== undefined) throw this.#error;
        if (this.#isOver) return;
        const woken = new Promise<void>((resolve) => (this.#wake = resolve));
        // Held-back data arrives before this call returns, including the end of the body.
        if (this.controller.paused) this.controller.resume();
        await woken;
        this.#wake = undefined;
      }
    } finally {
      this.cancel();
    }
  }
}
