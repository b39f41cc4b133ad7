/** What a server of a spec can do with a request, well-behaved or not. */
import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';

/** Answers one request, in whatever way. */
export type Answer = (response: ServerResponse) => void | Promise<void>;

/** A body as it is, with any headers. */
export const bytes =
  (body: string | Uint8Array, headers: OutgoingHttpHeaders = {}, status = 200): Answer =>
  (response) => {
    response.writeHead(status, headers).end(body);
  };

export const json = (data: unknown, status = 200, headers: OutgoingHttpHeaders = {}): Answer =>
  bytes(JSON.stringify(data), { 'content-type': 'application/json', ...headers }, status);

export const redirectTo = (location: string, status = 302): Answer => bytes('', { location }, status);

/** Keeps the client waiting for good. */
export const never: Answer = () => undefined;

export const afterDelay =
  (milliseconds: number, answer: Answer): Answer =>
  async (response) => {
    await wait(milliseconds);
    await answer(response);
  };

/** Answers when so many requests wait for it, all of them at once: they are in flight together however slow the machine is. */
export function together(count: number, answer: Answer): Answer {
  let waiting: (() => void)[] = [];
  return async (response) => {
    await new Promise<void>((resolve) => {
      waiting.push(resolve);
      if (waiting.length < count) return;
      for (const release of waiting) release();
      waiting = [];
    });
    await answer(response);
  };
}

/** The beginning of a body, and then nothing more. */
export const stalled =
  (beginning: string): Answer =>
  (response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).write(beginning);
  };

/** A body in pieces, with a pause before each. */
export const dripping =
  (pieces: readonly string[], pauseMs: number): Answer =>
  async (response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).flushHeaders();
    for (const piece of pieces) {
      await wait(pauseMs);
      if (response.destroyed) return;
      response.write(piece);
    }
    response.end();
  };

/** Closes in good order, but without a byte. */
export const closed: Answer = (response) => {
  response.socket?.end();
};

/** Breaks the connection. */
export const broken: Answer = (response) => {
  response.socket?.resetAndDestroy();
};

/** Sends the beginning of a body, then breaks the connection. */
export const brokenAfter =
  (beginning: string): Answer =>
  (response) => {
    response.writeHead(200, { 'content-length': '1000' });
    response.write(beginning, () => response.socket?.resetAndDestroy());
  };

/** Sends the beginning of a body, then closes in good order. */
export const closedAfter =
  (beginning: string): Answer =>
  (response) => {
    response.writeHead(200, { 'content-length': '1000' });
    response.write(beginning, () => response.socket?.end());
  };

/** Text that is no HTTP. */
export const garbage: Answer = (response) => {
  response.socket?.end('What is this?\r\n\r\n');
};
