import type * as Undici from 'undici';
import type { Dispatcher } from 'undici';
import type { BodyStream, Headers } from '../../core/model';
import type { Abortion } from '../../operators';
import { BodyTooLong, LONGEST_BODY, undoCoding, undoCodingOf } from '../body/content-coding';
import { isStreamed } from './exchange';
import type { Exchange, Incoming, Outgoing } from './exchange';
import { connectionTimeout } from './first-connection';
import type { FirstConnection } from './first-connection';

let loaded: typeof Undici | undefined;

/**
 * What is made of undici, which the first request loads: that takes as long as to load all of the library. At once, where it is
 * loaded already.
 *
 * @example const dispatcher = await byUndici(({ getGlobalDispatcher }) => getGlobalDispatcher())
 */
export const byUndici = <T>(make: (undici: typeof Undici) => T): T | Promise<T> =>
  loaded === undefined ? load().then(make) : make(loaded);

async function load(): Promise<typeof Undici> {
  loaded ??= await import('undici');
  return loaded;
}

/** Dispatchers of undici 7 know themselves by this symbol; those of the undici in Node.js 20, by the older one alone. */
const SPEAKS_OUR_API = Symbol.for('undici.globalDispatcher.2');

type Via = (outgoing: Outgoing) => Outgoing;

let ownAgent: Dispatcher | undefined;

/**
 * The global dispatcher of this moment, since an application may have replaced it. Where it is only the agent that the `fetch` of
 * Node.js has made for itself, which may be of another version that takes no handlers of ours, an agent like it takes its place.
 */
export const globalDispatcher = (): Dispatcher | Promise<Dispatcher> =>
  byUndici(({ Agent, getGlobalDispatcher }) => {
    const dispatcher = getGlobalDispatcher();
    const isOurs = Reflect.get(globalThis, SPEAKS_OUR_API) !== undefined || dispatcher instanceof Agent;
    if (isOurs || dispatcher.constructor.name !== 'Agent') return dispatcher;
    return (ownAgent ??= new Agent());
  });

/**
 * Carries requests by a dispatcher of undici.
 *
 * @param dispatcherNow asked for each request; a promise, where undici has to be loaded first
 * @param via the request as it leaves, where it is sent to a proxy
 * @example undiciExchange(globalDispatcher)(new FirstConnection(20_000))
 */
export const undiciExchange =
  (dispatcherNow: () => Dispatcher | Promise<Dispatcher>, via: Via = (outgoing) => outgoing) =>
  (first: FirstConnection): Exchange =>
  (outgoing, abortion) => {
    const dispatcher = dispatcherNow();
    if (!(dispatcher instanceof Promise)) return dispatched(dispatcher, outgoing, via, abortion, first);
    let isAborted = false;
    abortion.onAbort(() => void (isAborted = true));
    return dispatcher.then((loaded) => {
      if (isAborted) throw new Error('Nobody waits for the response any more.');
      return dispatched(loaded, outgoing, via, abortion, first);
    });
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
        // The time-out of the whole request governs.
        headersTimeout: 0,
        bodyTimeout: 0,
      },
      receiver,
    );
  });

const writable = (headers: Headers): Record<string, string | string[]> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, typeof value === 'string' ? value : [...value]]),
  );

/**
 * Takes a response as undici gives it out, piece by piece, and keeps the whole body: what makes many small requests
 * affordable, since no stream is built for a body that is read in full anyway.
 */
class Receiver implements Dispatcher.DispatchHandler {
  #controller: Dispatcher.DispatchController | undefined;
  #isAborted = false;
  #coding = '';
  readonly #chunks: Uint8Array[] = [];
  #length = 0;
  #isWaiting = true;
  /** Takes the body, where it is given as it arrives. */
  #flow: Flow | undefined;
  /** The stream of the body, once there are headers. */
  #end: { readonly resolve: (bytes: Uint8Array) => void; readonly reject: (error: unknown) => void } | undefined;

  constructor(
    private readonly respond: (incoming: Incoming) => void,
    private readonly fail: (error: Error) => void,
    /** Is called when there is a connection for the request. */
    private readonly connected: () => void,
    /** Whether the body of a success is wanted as it arrives. */
    private readonly streams = false,
  ) {}

  abort(): void {
    this.#isAborted = true;
    this.#controller?.abort(new Error('The request was aborted.'));
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    this.connected();
    // It waited for a connection when it was aborted.
    if (this.#isAborted) this.abort();
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number, headers: ReceivedHeaders): void {
    // Informational responses come before the one that counts.
    if (status < 200) return;
    this.#isWaiting = false;
    const coding = headers['content-encoding'];
    this.#coding = coding === undefined ? '' : String(coding);
    if (isStreamed(this.streams, status)) {
      this.#startFlow(controller, status, headers);
      return;
    }
    const body = new Promise<Uint8Array>((resolve, reject) => (this.#end = { resolve, reject }));
    // Whoever does not read the body does not hear how it ended.
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
    if (this.#flow !== undefined) {
      this.#flow.end();
      return;
    }
    // Copied even if it came in one piece: a short one would hold on to the whole buffer of the socket.
    const bytes = Buffer.concat(this.#chunks, this.#length);
    const end = this.#end;
    if (end === undefined) return;
    // undici takes another request on this connection after a turn of the event loop: who hears of the end before that and
    // asks for the next page makes it open one more. When the microtask runs, undici has put its own work into that turn.
    if (this.#coding === '') queueMicrotask(() => setImmediate(end.resolve, bytes));
    else undoCoding(bytes, this.#coding).then(end.resolve, end.reject);
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    if (this.#isWaiting) this.fail(error);
    else if (this.#flow !== undefined) this.#flow.end(error);
    else this.#end?.reject(error);
  }
}

/** In HTTP/1 a length, chunks or the coding of the content tell where a body ends; without any, the end of the connection does. */
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

/** The bytes that wait for a reader before the socket is paused. */
const HIGH_WATER = 256 * 2 ** 10;

/**
 * A body as an async iterable: undici pushes bytes, a reader pulls them, and while it is slow the socket is paused. It is read
 * once; leaving it early closes the connection.
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

  /** Closes the connection, unless all has come. */
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

  /** @param error why nothing more comes, if that is not the end of the body */
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
        // What was held back comes before this returns, the end of the body as well.
        if (this.controller.paused) this.controller.resume();
        await woken;
        this.#wake = undefined;
      }
    } finally {
      this.cancel();
    }
  }
}
