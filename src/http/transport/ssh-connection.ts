import { setTimeout as wait } from 'node:timers/promises';
import type { Client } from 'ssh2';
import { FatalError } from '../../core/errors/errors';
import { optionalPackage } from '../../core/optional-package';
import type { Pause, SshServer } from './ssh-server';

export const realPause: Pause = (milliseconds, signal) => wait(milliseconds, undefined, { signal });

const ATTEMPTS = 5;
const FIRST_PAUSE_MS = 1000;
const HANDSHAKE_TIMEOUT_MS = 20_000;
const KEEP_ALIVE_MS = 10_000;

/**
 * Opens a connection to an SSH server (docs/language/configuration.md#ssh-proxy) in up to 5 attempts, with pauses of 1,
 * 2, 4 and 8 seconds. Host keys are not checked.
 *
 * Errors: {@link FatalError} `SSH_TUNNEL`, at once when the key cannot be read; `PACKAGE_MISSING` without ssh2.
 *
 * @param signal ends the attempts, and the connection once it is open
 * @example await openSshConnection({ host: 'gate.example', port: 22, user: 'me', privateKey }, signal, realPause)
 */
export async function openSshConnection(server: SshServer, signal: AbortSignal, pause: Pause): Promise<Client> {
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
      // Also heard later: it is always followed by the end of the connection.
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

/** A host with several addresses fails with an error for each, and with no message of its own. */
function reasonOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(reasonOf).join(', ');
  return error instanceof Error ? error.message : String(error);
}

const failure = ({ user, host, port }: SshServer, reason: string, cause: unknown): FatalError =>
  new FatalError('SSH_TUNNEL', `Unable to create ssh tunnel. ${user}@${host}:${port}: ${reason}. Check sshProxy.`, {
    cause,
  });
