import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import type { Socket } from 'node:net';
import { Server, utils } from 'ssh2';
import type { AuthContext, Connection, ParsedKey, PublicKeyAuthContext } from 'ssh2';
import type { SshServer } from '../../src/http/transport/ssh-tunnel';
import { closedInTheEnd } from './opened';
import { ownPort } from './own-port';

export interface SshServerOptions {
  /** Names that this server alone resolves, all of them to the loopback interface. */
  readonly names?: readonly string[];
  /** Names that it never answers about. */
  readonly silent?: readonly string[];
  /** `false`: lets nobody in. */
  readonly welcomes?: boolean;
  /** `false`: lets users in, but they must not forward anything. */
  readonly forwards?: boolean;
}

export interface RunningSshServer {
  /** How to log in. */
  readonly login: SshServer;
  /** `host:port` of each connection that was forwarded or refused. */
  readonly forwarded: readonly string[];
  /** How many connections were ever opened. */
  readonly connections: () => number;
  readonly openChannels: () => number;
  /** Resolves when all connections that are open now have ended. */
  readonly deserted: () => Promise<void>;
  /** Cuts all connections; resolves when they are gone here. */
  readonly cut: () => Promise<void>;
  readonly close: () => Promise<void>;
}

const USER = 'extractor';

/** A private key in PEM form. The generator of ssh2 makes a key that nobody can read now and then. */
export function privateKey(passphrase?: string): string {
  return generateKeyPairSync('ec', {
    namedCurve: 'P-256',
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: {
      type: 'sec1',
      format: 'pem',
      ...(passphrase === undefined ? {} : { cipher: 'aes-256-cbc', passphrase }),
    },
  }).privateKey;
}

/**
 * Starts a real SSH server on the loopback interface, at a free port: public key authentication, and forwarding as
 * OpenSSH does it.
 *
 * @example
 * const gate = await startSshServer({ names: ['api.internal'] });
 */
export async function startSshServer(options: SshServerOptions = {}): Promise<RunningSshServer> {
  const userKey = privateKey();
  const allowed = parsed(userKey);
  const forwarded: string[] = [];
  const sockets = new Set<Socket>();
  let opened = 0;
  let channels = 0;

  const ssh = new Server({ hostKeys: [privateKey()] }, (client) => {
    client.on('error', () => undefined);
    client.on('authentication', (context) => {
      if (options.welcomes !== false && isUser(context, allowed)) context.accept();
      else context.reject(['publickey']);
    });
    if (options.forwards === false) return;
    forwardFor(client, options, forwarded, (change) => (channels += change));
  });
  const server = createServer((socket) => {
    opened += 1;
    sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
    ssh.injectSocket(socket);
  });
  const port = await ownPort();
  await once(server.listen(port, '127.0.0.1'), 'listening');
  const deserted = async (): Promise<void> => {
    await Promise.all([...sockets].map((socket) => new Promise((resolve) => socket.once('close', resolve))));
  };
  const cut = async (): Promise<void> => {
    const gone = deserted();
    for (const socket of sockets) socket.destroy();
    await gone;
  };

  return {
    login: { host: '127.0.0.1', port, user: USER, privateKey: userKey },
    forwarded,
    connections: () => opened,
    openChannels: () => channels,
    deserted,
    cut,
    close: closedInTheEnd(async () => {
      server.close();
      await cut();
    }),
  };
}

function parsed(key: string): ParsedKey {
  const result = utils.parseKey(key);
  if (result instanceof Error) throw result;
  return result;
}

const isUser = (context: AuthContext, key: ParsedKey): boolean =>
  context.method === 'publickey' && context.username === USER && holds(context, key);

function holds({ key, signature, blob, hashAlgo }: PublicKeyAuthContext, allowed: ParsedKey): boolean {
  if (key.algo !== allowed.type || !key.data.equals(allowed.getPublicSSH())) return false;
  return signature === undefined || blob === undefined || allowed.verify(blob, signature, hashAlgo);
}

function forwardFor(
  client: Connection,
  { names = [], silent = [] }: SshServerOptions,
  forwarded: string[],
  count: (change: 1 | -1) => void,
): void {
  client.on('tcpip', (accept, reject, { destIP: host, destPort: port }) => {
    forwarded.push(`${host}:${port}`);
    if (silent.includes(host)) return;
    const target = connect(port, names.includes(host) ? 'localhost' : host);
    target.once('error', reject);
    target.once('connect', () => {
      const channel = accept();
      count(1);
      channel.once('close', () => {
        count(-1);
        target.destroy();
      });
      channel.on('error', () => undefined);
      target.off('error', reject).on('error', () => undefined);
      channel.pipe(target).pipe(channel);
    });
  });
}
