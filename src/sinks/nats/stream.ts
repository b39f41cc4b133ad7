import type * as JetStream from '@nats-io/jetstream';
import type { StreamAPI, StreamConfig, StreamInfoRequestOptions } from '@nats-io/jetstream';
import type * as Transport from '@nats-io/transport-node';
import type { MsgHdrs, NatsConnection } from '@nats-io/transport-node';
import { setTimeout as delay } from 'node:timers/promises';
import { FatalError } from '../../core/errors/errors';
import type { Page } from '../../core/model';
import { optionalPackage } from '../../core/optional-package';
import { forEach } from '../journal/journal';
import type { NatsAddress } from './address';
import { covers, sizeOf } from './messages';
import type { StreamMessage } from './messages';

const REQUEST_TIMEOUT_MILLISECONDS = 10_000;
const RETRY_MILLISECONDS = 500;
const DUPLICATE_WINDOW_MILLISECONDS = 24 * 60 * 60 * 1000;

/**
 * Connects, and creates the stream if it does not exist: with all subjects under the prefix, and a duplicate window of 24 hours. An
 * existing stream is used unchanged.
 *
 * @param patience the milliseconds for which a server may be unreachable
 * @throws FatalError DESTINATION_ADDRESS when the server or the stream cannot be used, PACKAGE_MISSING
 * @example const stream = await openStream(natsAddress('nats://localhost'), 60_000);
 */
export async function openStream(address: NatsAddress, patience: number): Promise<OpenStream> {
  const unusable = (remedy: string) => (cause: unknown) => {
    if (cause instanceof FatalError) throw cause;
    const message = `The stream ${address.name} cannot be used: ${reasonOf(cause)}. ${remedy}`;
    throw new FatalError('DESTINATION_ADDRESS', message, { cause });
  };
  const client = await connectTo(address, patience).catch(
    unusable('Check that the server runs, its address and the credentials.'),
  );
  try {
    const { connection, transport, jetStream } = client;
    const { streams } = await jetStream.jetstreamManager(connection, { checkAPI: false });
    const duplicate_window = transport.nanos(DUPLICATE_WINDOW_MILLISECONDS);
    const wanted = { name: address.stream, subjects: [`${address.prefix}.>`], duplicate_window };
    return theStream(address, await findOrMake(streams, jetStream, wanted), client);
  } catch (cause) {
    await client.connection.close();
    return unusable('The server needs JetStream, and its user the right to use or make this stream.')(cause);
  }
}

/** Returns the configuration of a stream, which is made as `wanted` says if it does not exist. */
export async function findOrMake(
  streams: StreamAPI,
  { JetStreamApiError, JetStreamApiCodes }: Client['jetStream'],
  wanted: Parameters<StreamAPI['add']>[0],
): Promise<StreamConfig> {
  const found = await streams.info(wanted.name).catch((error: unknown) => {
    if (error instanceof JetStreamApiError && error.code === JetStreamApiCodes.StreamNotFound) return undefined;
    throw error;
  });
  return (found ?? (await streams.add(wanted))).config;
}

/** An existing stream, and a connection to it. */
export type OpenStream = ReturnType<typeof theStream>;

function theStream({ name, stream, prefix }: NatsAddress, config: StreamConfig, client: Client) {
  const { subjects, retention, max_msg_size: maxMessage } = config;
  const { connection, jetStream, transport, whileConnected, patiently } = client;
  const js = jetStream.jetstream(connection, { timeout: REQUEST_TIMEOUT_MILLISECONDS });
  const maxPayload = connection.info?.max_payload ?? Infinity;
  const limit = maxMessage > 0 ? Math.min(maxPayload, maxMessage) : maxPayload;
  const takes = (subject: string): boolean => subjects.some((pattern) => covers(pattern, subject));
  const info = async (options?: Partial<StreamInfoRequestOptions>) =>
    (await js.jetstreamManager(false)).streams.info(stream, options);
  const idsInStream = async (after: number): Promise<ReadonlySet<string>> => {
    const ids = new Set<string>();
    // Reading a queue removes messages, and removed messages cannot be looked up: only the server's own duplicate window helps.
    if (retention === 'workqueue') return ids;
    const some = { opt_start_seq: after + 1, headers_only: true };
    // The server refuses a consumer of subjects that its stream does not accept.
    const of = takes(`${prefix}.>`) ? { filter_subjects: `${prefix}.>` } : {};
    const consumer = await js.consumers.get(stream, { ...some, ...of });
    try {
      let left = (await consumer.info(true)).num_pending;
      while (left > 0) {
        const before = left;
        for await (const { headers, info } of await consumer.fetch({ max_messages: Math.min(left, IDS_AT_ONCE) })) {
          left = info.pending;
          if (headers?.has('Nats-Msg-Id') === true) ids.add(headers.get('Nats-Msg-Id'));
        }
        if (left === before) throw new transport.TimeoutError();
      }
      return ids;
    } finally {
      await consumer.delete().catch(() => false);
    }
  };
  /** Publishes messages in their order, many at once; returns the highest sequence number of them in the stream, 0 for none. */
  const publishAll = async (messages: readonly StreamMessage[]): Promise<number> => {
    let sequence = 0;
    const publish = async ({ subject, body, headers }: StreamMessage): Promise<void> => {
      const stored = await js.publish(subject, body, { headers: headersOf(headers, transport) });
      sequence = Math.max(sequence, stored.seq);
    };
    await forEach(messages, publish, atOnce(messages));
    return sequence;
  };
  const orRefuse = (cause: unknown): never => {
    const remedy = 'Set that right, then let the run go on with --resume: what was stored before is safe.';
    throw new FatalError('SINK_FAILED', `The stream ${name} took no more: ${reasonOf(cause)}. ${remedy}`, { cause });
  };
  return {
    client,
    config,
    /** Returns the sequence number of its last message. */
    lastSequence: async (): Promise<number> => (await info().catch(orRefuse)).state.last_seq,
    /** Returns the number of messages by subject; `undefined`: the server does not report it, or consumers remove messages. */
    counts: async (): Promise<ReadonlyMap<string, number> | undefined> => {
      if (retention !== 'limits') return undefined;
      // A failure here is harmless: the messages are stored.
      const found = await info({ subjects_filter: `${prefix}.>` }).catch(() => undefined);
      return found?.state.subjects && new Map(Object.entries(found.state.subjects));
    },
    /** Returns the ids of the messages after this sequence number. */
    idsAfter: (sequence: number): Promise<ReadonlySet<string>> =>
      whileConnected(() => idsInStream(sequence)).catch(orRefuse),
    /**
     * Checks that the stream can store the messages of a page.
     *
     * @throws FatalError SINK_FAILED
     */
    check: (messages: readonly StreamMessage[], { checkpoint, job: { dataType: table } }: Page): void => {
      const refuse = (reason: string): never => {
        const what = `page ${checkpoint.pages - 1} of the table ${JSON.stringify(table)}`;
        throw new FatalError('SINK_FAILED', `The stream ${name} cannot take ${what}: ${reason}`, { table });
      };
      const [first] = messages;
      if (first !== undefined && !takes(first.subject))
        refuse(`its subjects do not cover ${first.subject}. Add that to them, or name another subject or stream.`);
      for (const message of messages)
        if (sizeOf(message) > limit)
          refuse(
            `${message.id} has ${sizeOf(message)} bytes with its headers, and the server takes ${limit} a message. ` +
              'Raise max_payload of the server and max_msg_size of the stream, or let a message hold an item (messages=items).',
          );
    },
    /**
     * Stores messages. While the server is unreachable it retries with those that are not stored yet.
     *
     * @param after a sequence number before all of them
     * @returns a sequence number before all later messages
     * @throws FatalError SINK_FAILED
     */
    publish: async (messages: readonly StreamMessage[], after: number): Promise<number> => {
      const publish = async (isFirst: boolean): Promise<number> => {
        // An acknowledgement may have been lost: ids outside of the server's window are looked up in the stream.
        const there = isFirst ? undefined : await whileConnected(() => idsInStream(after));
        const missing = there === undefined ? messages : messages.filter(({ id }) => !there.has(id));
        return whileConnected(() => publishAll(missing));
      };
      return Math.max(after, await patiently(publish).catch(orRefuse));
    },
    /** Fails what is tried again since the server is away. */
    interrupt: client.interrupt,
    close: (): Promise<void> => connection.close(),
  };
}

export const reasonOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause));

/** A connection, and the packages that use it. */
export interface Client {
  readonly connection: NatsConnection;
  readonly transport: typeof Transport;
  readonly jetStream: typeof JetStream;
  /** Returns the result of a task; fails as soon as the connection is lost, since requests before that get no response. */
  readonly whileConnected: <T>(task: () => Promise<T>) => Promise<T>;
  /** Returns the result of a task, which is repeated for some time while the server is unreachable. */
  readonly patiently: <T>(task: (isFirst: boolean) => Promise<T>) => Promise<T>;
  /** Lets nothing be repeated any more. */
  readonly interrupt: () => void;
}

const RECONNECT_MILLISECONDS = 250;
/** The code of an API error: there is no leader for a moment. A full stream has the status 503 as well. */
const TEMPORARILY_UNAVAILABLE = 10008;

/**
 * Connects to a server. A lost connection is restored by itself, at any time.
 *
 * @param patience the milliseconds for which it may be unreachable
 * @throws FatalError PACKAGE_MISSING; anything else when the server cannot be reached or refuses
 * @example const { connection } = await connectTo(natsAddress('nats://localhost'), 60_000);
 */
async function connectTo({ server, tls, credentials }: NatsAddress, patience: number): Promise<Client> {
  const transport = optionalPackage('nats://', '@nats-io/transport-node');
  const jetStream = optionalPackage('nats://', '@nats-io/jetstream');
  const connection = await transport.connect({
    servers: server,
    ...credentials,
    ...(tls ? { tls: {} } : {}),
    name: 'headwater',
    // Without it, each request records a stack trace.
    noAsyncTraces: true,
    maxReconnectAttempts: -1,
    reconnectTimeWait: RECONNECT_MILLISECONDS,
  });
  const packages = { transport, jetStream };
  const closing = new AbortController();
  const { signal } = closing;
  const patiently: Client['patiently'] = async (task) => {
    let failedAt: number | undefined;
    for (;;)
      try {
        return await task(failedAt === undefined);
      } catch (failure) {
        failedAt ??= performance.now();
        if (!mayPass(failure, packages) || performance.now() - failedAt > patience) throw failure;
        await delay(RETRY_MILLISECONDS, undefined, { signal }).catch(() => undefined);
        if (signal.aborted) throw failure;
      }
  };
  const interrupt = (): void => closing.abort();
  return { connection, ...packages, whileConnected: whileConnected(connection, transport), patiently, interrupt };
}

function whileConnected(connection: NatsConnection, { RequestError }: Client['transport']): Client['whileConnected'] {
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

/** Returns whether a retry may succeed: the server, or the leader of the stream, is unavailable for a moment. */
function mayPass(error: unknown, packages: Pick<Client, 'transport' | 'jetStream'>): boolean {
  const { TimeoutError, RequestError, NoRespondersError } = packages.transport;
  if (!(error instanceof Error)) return false;
  if (error instanceof packages.jetStream.JetStreamApiError) return error.code === TEMPORARILY_UNAVAILABLE;
  if (error instanceof TimeoutError) return true;
  if (error.cause !== undefined) return mayPass(error.cause, packages);
  return error instanceof RequestError || error instanceof NoRespondersError;
}

export function headersOf(headers: StreamMessage['headers'], transport: Client['transport']): MsgHdrs {
  const lines = transport.headers();
  for (const [name, value] of headers) lines.set(name, value);
  return lines;
}

/** The maximum number of messages that may wait for an acknowledgement. */
const UNACKNOWLEDGED_MESSAGES = 1024;
const UNACKNOWLEDGED_BYTES = 16 * 1024 * 1024;
const IDS_AT_ONCE = 5000;

function atOnce(messages: readonly StreamMessage[]): number {
  const largest = messages.reduce((size, { body }) => Math.max(size, body.length), 1);
  return Math.min(UNACKNOWLEDGED_MESSAGES, Math.ceil(UNACKNOWLEDGED_BYTES / largest));
}
