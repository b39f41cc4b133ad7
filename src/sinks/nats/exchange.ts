/** Publishing to a stream, and reading the ids of its messages. */
import type { JetStreamClient } from '@nats-io/jetstream';
import type { Client } from './client';
import type { StreamMessage } from './messages';

/** Maximum messages that may wait for an acknowledgement. */
const UNACKNOWLEDGED_MESSAGES = 1024;
const UNACKNOWLEDGED_BYTES = 16 * 1024 * 1024;
const IDS_AT_ONCE = 5000;

/**
 * Publishes messages in their order, many at once.
 *
 * @returns the highest sequence number that one of them has in the stream; 0 for none
 * @throws the first failure, once nothing is under way; no message is sent after it
 */
export async function publishAll(
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
 * The ids of the messages of a stream, bodies left out.
 *
 * @param after a sequence number
 * @param filter a pattern of subjects; absent: all
 * @throws when not all can be had, too
 */
export async function* idsAfter(
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
