/** Ways to servers that can be cut at each operation of a client. */
import { connect, createServer } from 'node:net';
import type { Socket } from 'node:net';
import { closedInTheEnd } from './opened';
import { ownPort } from './own-port';

/** What becomes of an operation: the server never gets it, does it and gives no answer, or does it when something else is done. */
export type Fate = 'unsent' | 'unanswered' | (() => Promise<unknown>);

/** A way to a server that can be cut. */
export interface Wire {
  readonly url: string;
  /** Once, the next message with this text reaches the server, and the connection is lost before the answer comes back. */
  readonly loseAnswerTo: (text: string) => void;
  /**
   * Sets what becomes of an operation of those that come from now on.
   *
   * @param isLast true if the client is killed then: the server loses it, and the client gets no answer any more
   */
  readonly at: (operation: number, fate: Fate, isLast?: boolean) => void;
  /** The number of operations since then. */
  readonly operations: () => number;
  /** Resolves when a client was killed. */
  readonly killed: Promise<void>;
  /** Lets nobody through any more. */
  readonly close: () => Promise<void>;
}

/** A message of a client, and whether the server does something for it. */
interface Message {
  readonly bytes: Buffer;
  readonly isOperation: boolean;
}

/** Returns a function that takes the bytes of a client as they come, and returns the messages that are whole. */
export type Protocol = () => (chunk: Buffer) => readonly Message[];

/**
 * Returns a protocol.
 *
 * @param first returns the number of bytes of the message that the bytes begin with, and whether it is an operation; `undefined`: it is not whole yet
 */
const protocolOf =
  (
    first: (bytes: Buffer, isFirst: boolean) => { readonly end: number; readonly isOperation: boolean } | undefined,
  ): Protocol =>
  () => {
    let left = Buffer.alloc(0);
    let isFirst = true;
    return (chunk) => {
      left = Buffer.concat([left, chunk]);
      const whole: Message[] = [];
      for (;;) {
        const found = first(left, isFirst);
        if (found === undefined || left.length < found.end) return whole;
        whole.push({ bytes: left.subarray(0, found.end), isOperation: found.isOperation });
        left = left.subarray(found.end);
        isFirst = false;
      }
    };
  };

/** Query, Execute, Sync, CopyData, CopyDone are operations; the first message has no type. */
export const POSTGRES = protocolOf((bytes, isFirst) => {
  const at = isFirst ? 0 : 1;
  if (bytes.length < at + 4) return undefined;
  return {
    end: at + bytes.readUInt32BE(at),
    isOperation: !isFirst && 'QESdc'.includes(bytes.toString('latin1', 0, 1)),
  };
});

/** What is published is an operation, requests of JetStream too. */
export const NATS = protocolOf((bytes) => {
  const head = bytes.indexOf('\r\n');
  if (head < 0) return undefined;
  const words = bytes.toString('latin1', 0, head).split(' ');
  const isOperation = words[0] === 'PUB' || words[0] === 'HPUB';
  return { end: head + 2 + (isOperation ? Number(words.at(-1)) + 2 : 0), isOperation };
});

/** Requests of HTTP/1.1 with a length. */
export const HTTP = protocolOf((bytes) => {
  const head = bytes.indexOf('\r\n\r\n');
  if (head < 0) return undefined;
  const headers = bytes.toString('latin1', 0, head);
  if (/^transfer-encoding:/im.test(headers))
    throw new Error('a body in chunks is not told apart from the next request');
  const length = Number(/^content-length: *(\d+)/im.exec(headers)?.[1] ?? 0);
  return { end: head + 4 + length, isOperation: true };
});

/** @param url of the server */
export async function wireTo(url: string, protocol: Protocol): Promise<Wire> {
  const { hostname, port } = new URL(url);
  const sockets = new Set<Socket>();
  let awaited: string | undefined;
  let operations = 0;
  let planned: { readonly operation: number; readonly fate: Fate; readonly isLast: boolean } | undefined;
  let isKilled = false;
  let kill: () => void = () => undefined;
  const killed = new Promise<void>((resolve) => (kill = resolve));
  const planFor = ({ bytes, isOperation }: Message): { readonly fate?: Fate; readonly isLast?: boolean } => {
    if (awaited !== undefined && bytes.includes(awaited)) {
      awaited = undefined;
      return { fate: 'unanswered' };
    }
    if (!isOperation) return {};
    operations += 1;
    return operations === planned?.operation ? planned : {};
  };
  const server = createServer({ noDelay: true }, (near) => {
    const far = connect({ port: Number(port), host: hostname, noDelay: true });
    const messages = protocol();
    let sent = Promise.resolve();
    let isMute = false;
    const cut = (): void => {
      far.destroy();
      if (!isKilled) near.destroy();
    };
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on('error', cut).on('close', cut);
    }
    const send = async (message: Message): Promise<void> => {
      if (isKilled) return;
      const { fate, isLast = false } = planFor(message);
      if (typeof fate === 'function') await fate();
      isKilled ||= isLast;
      if (fate !== 'unsent') far.write(message.bytes);
      if (isLast) {
        // What was sent before is done, however the client ended.
        far.end();
        kill();
      } else if (fate === 'unsent') cut();
      if (fate === 'unanswered') isMute = true;
    };
    near.on('data', (chunk) => {
      for (const message of messages(chunk)) sent = sent.then(() => send(message));
    });
    far.on('data', (chunk) => {
      if (isMute) cut();
      else near.write(chunk);
    });
  });
  const own = await ownPort();
  await new Promise<void>((resolve) => server.listen(own, '127.0.0.1', resolve));
  const wired = new URL(url);
  wired.port = String(own);
  return {
    url: wired.href,
    loseAnswerTo: (text) => (awaited = text),
    at: (operation, fate, isLast = false) => {
      operations = 0;
      planned = { operation, fate, isLast };
    },
    operations: () => operations,
    killed,
    close: closedInTheEnd(() => {
      server.close();
      for (const socket of sockets) socket.destroy();
    }),
  };
}
