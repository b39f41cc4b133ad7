import type * as JetStream from '@nats-io/jetstream';
import type { JetStreamClient, StreamConfig } from '@nats-io/jetstream';
import type * as Transport from '@nats-io/transport-node';
import type { NatsConnection } from '@nats-io/transport-node';
import { setTimeout as delay } from 'node:timers/promises';
import { FatalError } from '../../core/errors/errors';
import type { Page } from '../../core/model';
import { optionalPackage } from '../../core/optional-package';
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
    return theStream(address, await findOrMake(address, client), client);
  } catch (cause) {
    await client.connection.close();
    return unusable('The server needs JetStream, and its user the right to use or make this stream.')(cause);
  }
}

async function findOrMake({ stream, prefix }: NatsAddress, client: Client): Promise<StreamConfig> {
  const { jetstreamManager, JetStreamApiError, JetStreamApiCodes } = client.jetStream;
  const { streams } = await jetstreamManager(client.connection, { checkAPI: false });
  const found = await streams.info(stream).catch((error: unknown) => {
    if (error instanceof JetStreamApiError && error.code === JetStreamApiCodes.StreamNotFound) return undefined;
    throw error;
  });
  if (found !== undefined) return found.config;
  const window = client.transport.nanos(DUPLICATE_WINDOW_MILLISECONDS);
  return (await streams.add({ name: stream, subjects: [`${prefix}.>`], duplicate_window: window })).config;
}

/** An existing stream, and a connection to it. */
export type OpenStream = ReturnType<typeof theStream>;

function theStream({ name, stream, prefix }: NatsAddress, config: StreamConfig, client: Client) {
  const { subjects, retention, max_msg_size: maxMessage } = config;
  const { connection, jetStream, whileConnected, patiently } = client;
  const js = jetStream.jetstream(connection, { timeout: REQUEST_TIMEOUT_MILLISECONDS });
  const maxPayload = connection.info?.max_payload ?? Infinity;
  const limit = maxMessage > 0 ? Math.min(maxPayload, maxMessage) : maxPayload;
  const takes = (subject: string): boolean => subjects.some((pattern) => covers(pattern, subject));
  // The server refuses a consumer of subjects that its stream does not accept.
  const filter = takes(`${prefix}.>`) ? `${prefix}.>` : undefined;
  const idsInStream = async (after: number): Promise<ReadonlySet<string>> => {
    const ids = new Set<string>();
    // Reading a queue removes messages, and removed messages cannot be looked up: only the server's own duplicate window helps.
    if (retention === 'workqueue') return ids;
    for await (const id of idsAfter(stream, after, filter, js, client)) ids.add(id);
    return ids;
  };
  const orRefuse = (cause: unknown): never => {
    const remedy = 'Set that right, then let the run go on with --resume: what was stored before is safe.';
    throw new FatalError('SINK_FAILED', `The stream ${name} took no more: ${reasonOf(cause)}. ${remedy}`, { cause });
  };
  return {
    client,
    config,
    /** Returns the sequence number of its last message. */
    lastSequence: async (): Promise<number> => {
      const { streams } = await js.jetstreamManager(false);
      return (await streams.info(stream).catch(orRefuse)).state.last_seq;
    },
    /** Returns the number of messages by subject; `undefined`: the server does not report it, or consumers remove messages. */
    counts: async (): Promise<ReadonlyMap<string, number> | undefined> => {
      if (retention !== 'limits') return undefined;
      const count = async () => {
        const { streams } = await js.jetstreamManager(false);
        return (await streams.info(stream, { subjects_filter: `${prefix}.>` })).state.subjects;
      };
      // A failure here is harmless: the messages are stored.
      const found = await count().catch(() => undefined);
      return found === undefined ? undefined : new Map(Object.entries(found));
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
      const what = `page ${checkpoint.pages - 1} of the table ${JSON.stringify(table)}`;
      checkMessages(messages, { name, table, what, limit, takes });
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
        if (isFirst) return whileConnected(() => publishAll(messages, js, client));
        // An acknowledgement may have been lost: ids outside of the server's window are looked up in the stream.
        const there = await whileConnected(() => idsInStream(after));
        const missing = messages.filter(({ id }) => !there.has(id));
        return whileConnected(() => publishAll(missing, js, client));
      };
      return Math.max(after, await patiently(publish).catch(orRefuse));
    },
    /** Fails what is tried again since the server is away. */
    interrupt: client.interrupt,
    close: (): Promise<void> => connection.close(),
  };
}

interface Rules {
  readonly name: string;
  readonly table: string;
  readonly what: string;
  readonly limit: number;
  readonly takes: (subject: string) => boolean;
}

function checkMessages(messages: readonly StreamMessage[], { name, table, what, limit, takes }: Rules): void {
  const refuse = (reason: string): never => {
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
}

const reasonOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause));

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

type Packages = Pick<Client, 'transport' | 'jetStream'>;

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
  const patiently = outlasting(patience, packages, closing.signal);
  const interrupt = (): void => closing.abort();
  return { connection, ...packages, whileConnected: whileConnected(connection, transport), patiently, interrupt };
}

const outlasting =
  (patience: number, packages: Packages, signal: AbortSignal): Client['patiently'] =>
  async (task) => {
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

/** Returns whether a retry may succeed: the server, or the leader of the stream, is unavailable for a moment. */
function mayPass(error: unknown, packages: Packages): boolean {
  const { TimeoutError, RequestError, NoRespondersError } = packages.transport;
  if (!(error instanceof Error)) return false;
  if (error instanceof packages.jetStream.JetStreamApiError) return error.code === TEMPORARILY_UNAVAILABLE;
  if (error instanceof TimeoutError) return true;
  if (error.cause !== undefined) return mayPass(error.cause, packages);
  return error instanceof RequestError || error instanceof NoRespondersError;
}

/** The maximum number of messages that may wait for an acknowledgement. */
const UNACKNOWLEDGED_MESSAGES = 1024;
const UNACKNOWLEDGED_BYTES = 16 * 1024 * 1024;
const IDS_AT_ONCE = 5000;

/**
 * Publishes messages in their order, many at once.
 *
 * @returns the highest sequence number of the messages in the stream; 0 for none
 * @throws the first failure, once nothing is in progress; no message is sent after it
 */
async function publishAll(
  messages: readonly StreamMessage[],
  js: JetStreamClient,
  { transport }: Client,
): Promise<number> {
  const failures: unknown[] = [];
  let sequence = 0;
  const left = messages.values();
  const publishSome = async (): Promise<void> => {
    for (const { subject, body, headers } of left) {
      if (failures.length > 0) return;
      const lines = transport.headers();
      for (const [name, value] of headers) lines.set(name, value);
      try {
        sequence = Math.max(sequence, (await js.publish(subject, body, { headers: lines })).seq);
      } catch (failure) {
        failures.push(failure);
      }
    }
  };
  await Promise.all(Array.from({ length: atOnce(messages) }, publishSome));
  if (failures.length > 0) throw failures[0];
  return sequence;
}

function atOnce(messages: readonly StreamMessage[]): number {
  const largest = messages.reduce((size, { body }) => Math.max(size, body.length), 1);
  return Math.min(UNACKNOWLEDGED_MESSAGES, Math.ceil(UNACKNOWLEDGED_BYTES / largest));
}

/**
 * Returns the ids of the messages of a stream, without their bodies.
 *
 * @param after a sequence number
 * @param filter a pattern of subjects; absent: all
 * @throws also when only some of them can be read
 */
async function* idsAfter(
  stream: string,
  after: number,
  filter: string | undefined,
  js: JetStreamClient,
  { transport }: Client,
): AsyncGenerator<string> {
  const consumer = await js.consumers.get(stream, {
    opt_start_seq: after + 1,
    headers_only: true,
    ...(filter === undefined ? {} : { filter_subjects: filter }),
  });
  try {
    let left = (await consumer.info(true)).num_pending;
    while (left > 0) {
      const before = left;
      const messages = await consumer.fetch({ max_messages: Math.min(left, IDS_AT_ONCE) });
      for await (const { headers, info } of messages) {
        left = info.pending;
        if (headers?.has('Nats-Msg-Id') === true) yield headers.get('Nats-Msg-Id');
      }
      if (left === before) throw new transport.TimeoutError();
    }
  } finally {
    await consumer.delete().catch(() => false);
  }
}
