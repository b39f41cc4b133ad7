import type * as JetStream from '@nats-io/jetstream';
import type * as Transport from '@nats-io/transport-node';
import type { NatsConnection } from '@nats-io/transport-node';
import type { NatsAddress } from './address';
import { optionalPackage } from '../../core/optional-package';

/** A connection, and the packages that speak through it. */
export interface Client {
  readonly connection: NatsConnection;
  readonly transport: typeof Transport;
  readonly jetStream: typeof JetStream;
  /** What a task gives; fails as soon as the connection is lost, for what was asked before that gets no answer. */
  readonly whileConnected: <T>(task: () => Promise<T>) => Promise<T>;
}

const RECONNECT_MILLISECONDS = 250;
/** The code of an API error: no leader, for a moment. A stream that is full says 503, too. */
const TEMPORARILY_UNAVAILABLE = 10008;

/**
 * Connects to a server. A connection that is lost comes back by itself, whenever that is.
 *
 * @throws FatalError PACKAGE_MISSING; anything else when the server cannot be reached or refuses
 * @example const { connection } = await connectTo(natsAddress('nats://localhost'));
 */
export async function connectTo({ server, tls, credentials }: NatsAddress): Promise<Client> {
  const transport = optionalPackage('nats://', '@nats-io/transport-node');
  const jetStream = optionalPackage('nats://', '@nats-io/jetstream');
  const connection = await transport.connect({
    servers: server,
    ...credentials,
    ...(tls ? { tls: {} } : {}),
    name: 'headwater',
    // A stack trace a request.
    noAsyncTraces: true,
    maxReconnectAttempts: -1,
    reconnectTimeWait: RECONNECT_MILLISECONDS,
  });
  return { connection, transport, jetStream, whileConnected: whileConnected(connection, transport) };
}

function whileConnected(
  connection: NatsConnection,
  { RequestError }: Pick<Client['transport'], 'RequestError'>,
): Client['whileConnected'] {
  const waiting = new Set<(error: Error) => void>();
  let away = false;
  const watch = async (): Promise<void> => {
    for await (const { type } of connection.status()) {
      if (type === 'reconnect') away = false;
      if (type !== 'disconnect') continue;
      away = true;
      for (const fail of waiting) fail(new RequestError('the connection was lost'));
    }
  };
  void watch();
  return async (task) => {
    if (away) throw new RequestError('the connection is lost');
    let fail: (error: Error) => void = () => undefined;
    const loss = new Promise<never>((_resolve, reject) => (fail = reject));
    waiting.add(fail);
    try {
      return await Promise.race([task(), loss]);
    } finally {
      waiting.delete(fail);
    }
  };
}

/** Whether the same may succeed a little later: the server, or the one that leads the stream, is away for a moment. */
export function mayPass(error: unknown, packages: Pick<Client, 'transport' | 'jetStream'>): boolean {
  const { TimeoutError, RequestError, NoRespondersError } = packages.transport;
  if (!(error instanceof Error)) return false;
  if (error instanceof packages.jetStream.JetStreamApiError) return error.code === TEMPORARILY_UNAVAILABLE;
  if (error instanceof TimeoutError) return true;
  if (error.cause !== undefined) return mayPass(error.cause, packages);
  return error instanceof RequestError || error instanceof NoRespondersError;
}
