import type { Duplex } from 'node:stream';
import type { Channel, Client } from 'ssh2';
import { FatalError } from '../../core/errors/errors';
import { ChannelStream } from './channel-stream';
import { openSshConnection, realPause } from './ssh-connection';
import type { Pause, SshServer } from './ssh-server';

/** The place that a connection leads to. Its name is resolved at the far end of the tunnel. */
export interface Target {
  readonly host: string;
  readonly port: number;
  /** The time limit in milliseconds, 0 for none. Opening the tunnel does not count. */
  readonly timeoutMs: number;
}

export interface SshTunnel {
  /** Opens a connection through the tunnel, and the tunnel itself when it is not open or has died. */
  readonly connect: (target: Target) => Promise<Duplex>;
  /** Ends everything that goes through the tunnel; it opens no more. */
  readonly close: () => void;
}

/**
 * A tunnel for all connections of a run (docs/language/configuration.md#ssh-proxy). It is opened when it is first
 * needed, and opened again when it has died since.
 *
 * Errors of `connect`: {@link FatalError} `SSH_TUNNEL` when the tunnel cannot be opened or must not lead there; an error
 * with the code `SSH_CONNECT_FAILED` or `ETIMEDOUT` when its far end does not reach the target.
 *
 * @param pause how to wait between attempts to open it
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

/** The connection to the SSH server is gone. */
class DeadTunnel extends Error {
  readonly code = 'ECONNRESET';
}

/** The SSH server does not reach the target. */
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

/** When the tunnel breaks, ssh2 ends its channels in good order: half a response would look like a whole one. */
function streamOf(channel: Channel, client: Client): Duplex {
  const stream = new ChannelStream(channel);
  const cut = (): void => void stream.destroy(new DeadTunnel('the tunnel broke'));
  client.once('close', cut);
  return stream.once('close', () => client.off('close', cut));
}

/** `SSH_OPEN_ADMINISTRATIVELY_PROHIBITED` of RFC 4254, section 5.1. */
const PROHIBITED = 1;

/** A server that refuses gives a `reason`; without one, it has gone. */
function refusal(error: Error & { readonly reason?: unknown }, host: string, port: number): Error {
  const options = { cause: error };
  if (error.reason === undefined) return new DeadTunnel(error.message, options);
  if (error.reason !== PROHIBITED) return new Unreachable('SSH_CONNECT_FAILED', error.message, options);
  const message = `The SSH proxy does not allow connections to ${host}:${port}. Check sshProxy, and the rights of its user.`;
  return new FatalError('SSH_TUNNEL', message, options);
}
