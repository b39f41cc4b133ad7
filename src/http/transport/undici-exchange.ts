import type { Dispatcher } from 'undici';
import type { Headers } from '../../core/model';
import type { Abortion } from '../../operators';
import type { Exchange, Incoming, Outgoing } from './exchange';
import { connectionTimeout } from './first-connection';
import type { FirstConnection } from './first-connection';
import { Receiver } from './receiver';
import { byUndici } from './undici';

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
