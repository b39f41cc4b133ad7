import type { StreamConfig } from '@nats-io/jetstream';
import { setTimeout as delay } from 'node:timers/promises';
import { FatalError } from '../../core/errors/errors';
import type { NatsAddress } from './address';
import { connectTo, mayPass } from './client';
import type { Client } from './client';
import { idsAfter, publishAll } from './exchange';
import { sizeOf } from './messages';
import type { StreamMessage } from './messages';
import { covers } from './subjects';

/** A stream that is there, and a connection to it. */
export interface OpenStream {
  /** The sequence number of its last message. */
  readonly lastSequence: () => Promise<number>;
  /**
   * How many messages it holds by subject; `undefined`: the server does not tell, or its readers take them away.
   */
  readonly counts: () => Promise<ReadonlyMap<string, number> | undefined>;
  /** The ids of the messages after this sequence number. */
  readonly idsAfter: (sequence: number) => Promise<ReadonlySet<string>>;
  /**
   * Checks that the stream can take these messages.
   *
   * @param table the table of the messages, for an error
   * @param what the messages are, for an error
   * @throws FatalError SINK_FAILED
   */
  readonly check: (messages: readonly StreamMessage[], table: string, what: string) => void;
  /**
   * Stores messages. While the server is away it tries again, with those that are not there yet.
   *
   * @param after a sequence number that all of them come after
   * @returns a sequence number that all later messages come after
   * @throws FatalError SINK_FAILED
   */
  readonly publish: (messages: readonly StreamMessage[], after: number) => Promise<number>;
  readonly close: () => Promise<void>;
}

const REQUEST_TIMEOUT_MILLISECONDS = 10_000;
const RETRY_MILLISECONDS = 500;
const DUPLICATE_WINDOW_MILLISECONDS = 24 * 60 * 60 * 1000;

/**
 * Connects, and makes the stream if it is not there: with all subjects under the prefix, and ids that the server knows for
 * 24 hours. One that is there is used as it is.
 *
 * @param patience milliseconds for which a server may be away
 * @throws FatalError DESTINATION_ADDRESS when the server or the stream cannot be used, PACKAGE_MISSING
 * @example const stream = await openStream(natsAddress('nats://localhost'), 60_000);
 */
export async function openStream(address: NatsAddress, patience: number): Promise<OpenStream> {
  const unusable = (remedy: string) => (cause: unknown) => {
    if (cause instanceof FatalError) throw cause;
    const message = `The stream ${address.name} cannot be used: ${reasonOf(cause)}. ${remedy}`;
    throw new FatalError('DESTINATION_ADDRESS', message, { cause });
  };
  const client = await connectTo(address).catch(
    unusable('Check that the server runs, its address and the credentials.'),
  );
  try {
    return theStream(address, await findOrMake(address, client), client, patience);
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

function theStream(
  { name, stream, prefix }: NatsAddress,
  { subjects, retention, max_msg_size: maxMessage }: StreamConfig,
  client: Client,
  patience: number,
): OpenStream {
  const { connection, jetStream, whileConnected } = client;
  const js = jetStream.jetstream(connection, { timeout: REQUEST_TIMEOUT_MILLISECONDS });
  const maxPayload = connection.info?.max_payload ?? Infinity;
  const limit = maxMessage > 0 ? Math.min(maxPayload, maxMessage) : maxPayload;
  const takes = (subject: string): boolean => subjects.some((pattern) => covers(pattern, subject));
  // A consumer of subjects that its stream does not take is refused.
  const filter = takes(`${prefix}.>`) ? `${prefix}.>` : undefined;
  const idsInStream = async (after: number): Promise<ReadonlySet<string>> => {
    const ids = new Set<string>();
    // Who reads a queue takes from it. What has been taken cannot be looked up in any case: the server's own memory has to do.
    if (retention === 'workqueue') return ids;
    for await (const id of idsAfter(stream, after, filter, js, client)) ids.add(id);
    return ids;
  };
  const orRefuse = (cause: unknown): never => {
    const remedy = 'Set that right, then let the run go on with --resume: what was stored before is safe.';
    throw new FatalError('SINK_FAILED', `The stream ${name} took no more: ${reasonOf(cause)}. ${remedy}`, { cause });
  };
  return {
    lastSequence: async () => {
      const { streams } = await js.jetstreamManager(false);
      return (await streams.info(stream).catch(orRefuse)).state.last_seq;
    },
    counts: async () => {
      if (retention !== 'limits') return undefined;
      const count = async () => {
        const { streams } = await js.jetstreamManager(false);
        return (await streams.info(stream, { subjects_filter: `${prefix}.>` })).state.subjects;
      };
      // Nothing depends on it: the messages are there.
      const found = await count().catch(() => undefined);
      return found === undefined ? undefined : new Map(Object.entries(found));
    },
    idsAfter: (sequence) => whileConnected(() => idsInStream(sequence)).catch(orRefuse),
    check: (messages, table, what) => checkMessages(messages, { name, table, what, limit, takes }),
    publish: async (messages, after) => {
      let failedAt: number | undefined;
      const publish = async (): Promise<number> => {
        if (failedAt === undefined) return whileConnected(() => publishAll(messages, js, client));
        // An acknowledgement may have been lost: what the server forgets after a short while is looked for in the stream.
        const there = await whileConnected(() => idsInStream(after));
        const missing = messages.filter(({ id }) => !there.has(id));
        return whileConnected(() => publishAll(missing, js, client));
      };
      for (;;)
        try {
          return Math.max(after, await publish());
        } catch (failure) {
          failedAt ??= performance.now();
          if (!mayPass(failure, client) || performance.now() - failedAt > patience) orRefuse(failure);
          await delay(RETRY_MILLISECONDS);
        }
    },
    close: () => connection.close(),
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
