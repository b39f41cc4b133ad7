import { subscribe } from 'node:diagnostics_channel';
import { Socket } from 'node:net';
import { Duplex } from 'node:stream';

/**
 * Makes a reset of the connection an error, wherever in a body it comes (docs/language/retries.md#what-is-retried).
 *
 * undici takes a reset for the end of a body that has neither a length nor chunks; if the reader of such a body is
 * paused, an assertion fails there and ends the process. Node.js itself reports an end in place of a reset that comes
 * together with data. A diagnostics channel of undici has the sockets, because a dispatcher of the application makes
 * its own.
 */

/** A request of ours, which a socket carries and remembers until it carries another one or is closed. */
export interface Carried {
  /** Is called when the connection is reset; `undefined` when the request is over, so that its response is not kept. */
  onReset: ((error: Error) => void) | undefined;
}

const RESET = 'ECONNRESET';

const carried = new WeakMap<Duplex, Carried>();
const watched = new WeakSet<Duplex>();

let isWatching = false;
/** The request that is written next, if it is ours: undici reports its socket right after its start. */
let starting: Carried | undefined;

/** Has to be called when undici reports the start of a request of ours. */
export const startsCarrying = (request: Carried): void => void (starting = request);

/** Begins to watch the sockets of undici. */
export function watchResets(): void {
  if (isWatching) return;
  isWatching = true;
  subscribe('undici:client:sendHeaders', (message) => {
    const { socket } = message as { readonly socket?: unknown };
    if (!(socket instanceof Duplex)) return;
    if (starting === undefined) carried.delete(socket);
    else carried.set(socket, starting);
    if (starting !== undefined && !watched.has(socket)) watch(socket);
    starting = undefined;
  });
}

function watch(socket: Duplex): void {
  watched.add(socket);
  socket.prependListener('end', () => {
    if (isCutOff(socket)) carried.get(socket)?.onReset?.(Object.assign(new Error(`read ${RESET}`), { code: RESET }));
  });
  // undici knows a reset by its code, which is therefore another one while the listener of undici runs.
  let hidden: NodeJS.ErrnoException | undefined;
  socket.prependListener('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== RESET || !carried.has(socket)) return;
    hidden = error;
    error.code = `${RESET}_IN_BODY`;
  });
  socket.on('error', () => {
    if (hidden !== undefined) hidden.code = RESET;
  });
}

/**
 * Returns whether a socket that has come to its end was reset: then it has no peer any more, which it still has after an
 * end in good order. Something that has asked for the peer before has made the socket remember it.
 */
const isCutOff = (socket: Duplex): boolean =>
  socket instanceof Socket && socket.localAddress !== undefined && socket.remoteAddress === undefined;
