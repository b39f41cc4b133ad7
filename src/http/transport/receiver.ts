import type { Dispatcher } from 'undici';
import type { BodyStream, Headers } from '../../core/model';
import { BodyTooLong, LONGEST_BODY } from '../body/body-limit';
import { undoCoding, undoCodingOf } from './content-coding';
import { isStreamed } from './exchange';
import type { Incoming } from './exchange';
import { Flow } from './flow';

/**
 * Takes a response as undici gives it out, piece by piece, and keeps the whole body: what makes many small requests
 * affordable, since no stream is built for a body that is read in full anyway.
 */
export class Receiver implements Dispatcher.DispatchHandler {
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
