import { Duplex } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import type { Channel, Client } from 'ssh2';
import { FatalError } from '../../core/errors/errors';
import { optionalPackage } from '../../core/optional-package';

/** The SSH server for requests (docs/language/configuration.md#ssh-proxy). */
export interface SshServer {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  /** The private key in any format of OpenSSH, without a passphrase. */
  readonly privateKey: string;
}

/** Waits a number of milliseconds; rejects if the signal is aborted. */
export type Pause = (milliseconds: number, signal: AbortSignal) => Promise<unknown>;

/** The target of a connection. Its name is resolved at the far end of the tunnel. */
export interface Target {
  readonly host: string;
  readonly port: number;
  /** The time limit in milliseconds, 0 for none. Opening the tunnel does not count. */
  readonly timeoutMs: number;
}

export interface SshTunnel {
  /** Opens a connection through the tunnel, and first the tunnel itself if it is not open or has died. */
  readonly connect: (target: Target) => Promise<Duplex>;
  /** Ends all connections through the tunnel; it opens no more. */
  readonly close: () => void;
}

/**
 * Creates a tunnel for all connections of a run (docs/language/configuration.md#ssh-proxy). It is opened on first use,
 * and opened again if it has died.
 *
 * Errors of `connect`: {@link FatalError} `SSH_TUNNEL` if the tunnel cannot be opened or must not lead there; an error
 * with the code `SSH_CONNECT_FAILED` or `ETIMEDOUT` if its far end does not reach the target.
 *
 * @param pause waits between attempts to open it
 * @example
 * const tunnel = createSshTunnel({ host: 'gate.example', port: 22, user: 'me', privateKey });
 * const stream = await tunnel.connect({ host: 'api.internal', port: 80, timeoutMs: 30_000 });
 * stream.write('GET / HTTP/1.0\r\n\r\n');
 */
export function createSshTunnel(server: SshServer, pause: Pause = realPause): SshTunnel {
  const closing = new AbortController();
  let current: Promise<Client> | undefined;

  function opened(): Promise<Client> {
    if (current !== undefined) return current;
    const forget = (): void => {
      if (current === mine) current = undefined;
    };
    const mine = openSshConnection(server, closing.signal, pause).then((client) =>
      client.setMaxListeners(0).once('close', forget),
    );
    mine.catch(forget);
    current = mine;
    return mine;
  }

  return {
    connect: async (target) => {
      const used = opened();
      try {
        return await forward(await used, target);
      } catch (error) {
        if (!(error instanceof DeadTunnel)) throw error;
        if (current === used) current = undefined;
        return forward(await opened(), target);
      }
    },
    close: () => closing.abort(),
  };
}

/** The error for a lost connection to the SSH server. */
class DeadTunnel extends Error {
  readonly code = 'ECONNRESET';
}

/** The error for a target that the SSH server does not reach. */
class Unreachable extends Error {
  constructor(
    readonly code: 'SSH_CONNECT_FAILED' | 'ETIMEDOUT',
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

function forward(client: Client, { host, port, timeoutMs }: Target): Promise<Duplex> {
  return new Promise<Duplex>((resolve, reject) => {
    let isLate = false;
    const giveUp = (): void => {
      isLate = true;
      reject(new Unreachable('ETIMEDOUT', `no connection to ${host}:${port} within ${timeoutMs} milliseconds`));
    };
    const timer = timeoutMs === 0 ? undefined : setTimeout(giveUp, timeoutMs);
    const answered = (error: Error | undefined, channel: Channel): void => {
      clearTimeout(timer);
      if (error !== undefined) reject(refusal(error, host, port));
      else if (isLate) channel.close();
      else resolve(streamOf(channel, client));
    };
    try {
      client.forwardOut('127.0.0.1', 0, host, port, answered);
    } catch (error) {
      clearTimeout(timer);
      reject(new DeadTunnel('the tunnel is closed', { cause: error }));
    }
  });
}

/**
 * Returns a stream that errors if the tunnel breaks: ssh2 would end its channels normally, and half a response would
 * look complete.
 */
function streamOf(channel: Channel, client: Client): Duplex {
  const stream = new ChannelStream(channel);
  const cut = (): void => void stream.destroy(new DeadTunnel('the tunnel broke'));
  client.once('close', cut);
  return stream.once('close', () => client.off('close', cut));
}

/** `SSH_OPEN_ADMINISTRATIVELY_PROHIBITED` of RFC 4254, section 5.1. */
const PROHIBITED = 1;

/** Returns the error for a refused channel. A server that refuses gives a `reason`; without one, the server is gone. */
function refusal(error: Error & { readonly reason?: unknown }, host: string, port: number): Error {
  const options = { cause: error };
  if (error.reason === undefined) return new DeadTunnel(error.message, options);
  if (error.reason !== PROHIBITED) return new Unreachable('SSH_CONNECT_FAILED', error.message, options);
  const message = `The SSH proxy does not allow connections to ${host}:${port}. Check sshProxy, and the rights of its user.`;
  return new FatalError('SSH_TUNNEL', message, options);
}

export const realPause: Pause = (milliseconds, signal) => wait(milliseconds, undefined, { signal });

const ATTEMPTS = 5;
const FIRST_PAUSE_MS = 1000;
const HANDSHAKE_TIMEOUT_MS = 20_000;
const KEEP_ALIVE_MS = 10_000;

/**
 * Opens a connection to an SSH server (docs/language/configuration.md#ssh-proxy) in up to 5 attempts, with pauses of 1,
 * 2, 4 and 8 seconds. Host keys are not checked.
 *
 * Errors: {@link FatalError} `SSH_TUNNEL`, at once if the key cannot be read; `PACKAGE_MISSING` without ssh2.
 *
 * @param signal ends the attempts, and the connection once it is open
 * @example await openSshConnection({ host: 'gate.example', port: 22, user: 'me', privateKey }, signal, realPause)
 */
async function openSshConnection(server: SshServer, signal: AbortSignal, pause: Pause): Promise<Client> {
  const ssh = optionalPackage('sshProxy', 'ssh2');
  const key = ssh.utils.parseKey(server.privateKey);
  if (key instanceof Error) throw failure(server, `The private key cannot be used: ${key.message}`, key);
  for (let attempt = 1; ; attempt += 1) {
    signal.throwIfAborted();
    try {
      return await handshake(new ssh.Client(), server, signal);
    } catch (error) {
      if (attempt === ATTEMPTS)
        throw failure(server, `${ATTEMPTS} attempts failed, the last: ${reasonOf(error)}`, error);
      await pause(FIRST_PAUSE_MS * 2 ** (attempt - 1), signal);
    }
  }
}

function handshake(client: Client, server: SshServer, signal: AbortSignal): Promise<Client> {
  const { host, port, user: username, privateKey } = server;
  const end = (): void => void client.destroy();
  signal.addEventListener('abort', end, { once: true });
  return new Promise<Client>((resolve, reject) => {
    client
      .on('ready', () => resolve(client))
      // This listener also handles later errors: each is followed by the end of the connection.
      .on('error', (error) => {
        reject(error);
        client.destroy();
      })
      .on('close', () => {
        signal.removeEventListener('abort', end);
        reject(new Error('the server closed the connection'));
      })
      .connect({
        host,
        port,
        username,
        privateKey,
        readyTimeout: HANDSHAKE_TIMEOUT_MS,
        keepaliveInterval: KEEP_ALIVE_MS,
      });
  });
}

/** Returns the reason of a failure. A host with several addresses has an error for each, and no message of its own. */
function reasonOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(reasonOf).join(', ');
  return error instanceof Error ? error.message : String(error);
}

const failure = ({ user, host, port }: SshServer, reason: string, cause: unknown): FatalError =>
  new FatalError('SSH_TUNNEL', `Unable to create ssh tunnel. ${user}@${host}:${port}: ${reason}. Check sshProxy.`, {
    cause,
  });

type Done = (error?: Error | null) => void;

/**
 * A channel of an SSH connection as a stream that behaves like a socket: destroying it takes effect at once, regardless
 * of the far end. The channels of ssh2 wait for an answer, and do not report that they are destroyed.
 */
class ChannelStream extends Duplex {
  readonly #channel: Channel;

  constructor(channel: Channel) {
    super({ allowHalfOpen: false });
    this.#channel = channel;
    channel
      .on('data', (chunk: Buffer) => {
        if (!this.push(chunk)) channel.pause();
      })
      .on('end', () => this.push(null))
      .on('error', (error: Error) => this.destroy(error));
  }

  override _read(): void {
    this.#channel.resume();
  }

  override _write(chunk: Buffer, encoding: BufferEncoding, done: Done): void {
    this.#channel.write(chunk, encoding, done);
  }

  override _final(done: Done): void {
    this.#channel.end();
    done();
  }

  override _destroy(error: Error | null, done: Done): void {
    this.#channel.close();
    // A channel ends when all that it received has been read.
    this.#channel.removeAllListeners('data').resume();
    done(error);
  }
}
