// @ts-check
/** NATS JetStream: the streams, and the messages of a tenant one after another. */
import { AckPolicy, DiscardPolicy, jetstream, jetstreamManager, RetentionPolicy } from '@nats-io/jetstream';
import { connect, headers, nanos } from '@nats-io/transport-node';
import { Observable } from 'rxjs';
import { codeOf } from './outcome.js';

/** @typedef {import('@nats-io/jetstream').JsMsg} Message */
/** @typedef {Awaited<ReturnType<typeof openQueue>>} Queue */

/** Milliseconds after which a pull that brought nothing is made again. */
const PULL_MS = 5_000;
/** Milliseconds for which the server knows the ids of messages: much longer than a message is worked on. */
const DUPLICATE_WINDOW_MS = 24 * 3600 * 1000;

/**
 * Connects, and makes the streams: requests are a work queue, items and dead letters are logs.
 *
 * @param {import('./settings.js').Settings} settings
 */
export async function openQueue({ nats, streams, subjects, ackWaitMs, keepMs }) {
  const { username, password, host } = nats;
  const login = username === '' ? {} : { user: decodeURIComponent(username), pass: decodeURIComponent(password) };
  const connection = await connect({ servers: host, ...login, name: 'extraction-service', maxReconnectAttempts: -1 });
  let isConnected = true;
  const watch = async () => {
    for await (const { type } of connection.status())
      isConnected = type === 'disconnect' ? false : type === 'reconnect' || isConnected;
  };
  void watch();
  const manager = await jetstreamManager(connection);
  const js = jetstream(connection);
  const limits = { max_age: nanos(keepMs), duplicate_window: nanos(Math.min(keepMs, DUPLICATE_WINDOW_MS)) };
  /** @type {(name: string, subject: string, more?: object) => Promise<unknown>} */
  const make = (name, subject, more = {}) =>
    manager.streams
      .info(name)
      .catch(() => manager.streams.add({ name, subjects: [`${subject}.>`], ...limits, ...more }));
  await make(streams.requests, subjects.requests, { retention: RetentionPolicy.Workqueue, discard: DiscardPolicy.New });
  await make(streams.items, subjects.items);
  await make(streams.dead, subjects.dead);

  return {
    isConnected: () => isConnected,
    /**
     * Makes the durable consumer of a tenant, which all replicas share. Tenants have one each, so that nobody waits behind the
     * messages of another one.
     *
     * @param {string} tenant
     */
    consumerOf: async (tenant) => {
      const durable = `tenant-${tenant}`;
      await manager.consumers.add(streams.requests, {
        durable_name: durable,
        filter_subject: `${subjects.requests}.${tenant}`,
        ack_policy: AckPolicy.Explicit,
        ack_wait: nanos(ackWaitMs),
        // How often is judged by the service, which knows why.
        max_deliver: -1,
      });
      return js.consumers.get(streams.requests, durable);
    },
    /**
     * Gives a message up for good: it is stored with the dead letters, where somebody may look at it and send it again.
     *
     * @param {Message} message
     * @param {{ tenant: string, id: string, error: unknown }} why
     */
    bury: async (message, { tenant, id, error }) => {
      const lines = headers();
      lines.set('Request-Id', id);
      lines.set('Error-Code', codeOf(error));
      lines.set(
        'Error-Message',
        (error instanceof Error ? error.message : String(error)).replace(/\s+/g, ' ').slice(0, 1000),
      );
      // A process that ends between the two does the first one again.
      await js.publish(`${subjects.dead}.${tenant}`, message.data, { headers: lines, msgID: `${tenant}:${id}` });
      // Without a reason: servers before 2.10.4 do not know one.
      message.term();
    },
    close: () => connection.drain(),
  };
}

/**
 * Pulls one message: it emits that, or nothing when none comes for a while. So nothing waits in this process that is not worked
 * on: whoever asks for more has a hand free. What comes when nobody listens any more is given back at once.
 *
 * @param {import('@nats-io/jetstream').Consumer} consumer
 * @returns {Observable<Message>}
 */
export const nextMessage = (consumer) =>
  new Observable((subscriber) => {
    consumer.next({ expires: PULL_MS }).then(
      (message) => {
        if (subscriber.closed) message?.nak();
        else if (message !== null) subscriber.next(message);
        subscriber.complete();
      },
      (error) => subscriber.error(error),
    );
  });

/** What tells a message from all others of its tenant, whenever it is delivered. @param {Message} message */
export const idOf = ({ headers: lines, info }) => lines?.get('Nats-Msg-Id') || `${info.stream}-${info.streamSequence}`;
