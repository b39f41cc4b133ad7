/** NATS servers and what is in their streams, for specs. */
import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import type { StreamConfig } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import type { NatsConnection } from '@nats-io/transport-node';
import { spawn, spawnSync } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { closedInTheEnd } from './opened';
import { ownPort } from './own-port';

/** URL of the server that scripts/services.sh starts. */
export const natsUrl = process.env['HEADWATER_TEST_NATS'];

/** Whether a server of one's own can be started. */
export const canStartNats = spawnSync('nats-server', ['--version']).status === 0;

/** A server that belongs to one spec. */
export interface PrivateServer {
  readonly url: string;
  /** With SIGKILL. */
  readonly kill: () => Promise<void>;
  /** On the same port, with the same files. */
  readonly start: () => Promise<void>;
}

/** @param folder for its files */
export async function startNatsServer(folder: string, options: readonly string[] = []): Promise<PrivateServer> {
  const port = await ownPort();
  let child: ChildProcess | undefined;
  const start = async (): Promise<void> => {
    const place = ['-js', '-sd', folder, '-a', '127.0.0.1', '-p', String(port)];
    child = spawn('nats-server', [...place, ...options], { stdio: 'ignore' });
    await untilReady(port);
  };
  const kill = async (): Promise<void> => {
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const exit = once(child, 'exit');
    child.kill('SIGKILL');
    await exit;
  };
  closedInTheEnd(kill);
  await start();
  return { url: `nats://127.0.0.1:${port}`, start, kill };
}

/** A refused login is an answer, too. */
async function untilReady(port: number): Promise<void> {
  for (let attempt = 0; attempt < 100; attempt += 1)
    try {
      await (await connect({ servers: `127.0.0.1:${port}` })).close();
      return;
    } catch (error) {
      if (/authorization/i.test(String(error))) return;
      await delay(50);
    }
  throw new Error(`nats-server does not answer at port ${port}.`);
}

/** A message as a consumer gets it. */
export interface Received {
  readonly subject: string;
  readonly id: string;
  readonly text: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** A client beside the sink. */
export class NatsProbe {
  private constructor(private readonly connection: NatsConnection) {}

  static async connect(url: string): Promise<NatsProbe> {
    return new NatsProbe(await connect({ servers: new URL(url).host }));
  }

  async make(name: string, config: Partial<StreamConfig>): Promise<void> {
    await (await jetstreamManager(this.connection)).streams.add({ ...config, name });
  }

  /** How many messages it has taken, gone ones too. */
  async taken(name: string): Promise<number> {
    return (await (await jetstreamManager(this.connection)).streams.info(name)).state.last_seq;
  }

  async config(name: string): Promise<StreamConfig> {
    return (await (await jetstreamManager(this.connection)).streams.info(name)).config;
  }

  /** Once it watches: `seen` resolves when so many messages have been published. */
  async watch(subject: string, count: number): Promise<{ readonly seen: Promise<void> }> {
    let left = count;
    const seen = new Promise<void>((resolve) => {
      this.connection.subscribe(subject, { max: count, callback: () => ((left -= 1) === 0 ? resolve() : undefined) });
    });
    await this.connection.flush();
    return { seen };
  }

  async update(name: string, config: Partial<StreamConfig>): Promise<void> {
    await (await jetstreamManager(this.connection)).streams.update(name, config);
  }

  async delete(name: string): Promise<void> {
    await (await jetstreamManager(this.connection)).streams.delete(name);
  }

  /** What a cluster keeps for this stream: a name of a stream, and its subjects. */
  async kept(name: string): Promise<{ readonly stream: string; readonly subjects: readonly string[] } | undefined> {
    const { streams } = await jetstreamManager(this.connection);
    for await (const { config } of streams.list())
      if (config.description?.includes(` ${name},`) === true) {
        const { state } = await streams.info(config.name, { subjects_filter: '>' });
        return { stream: config.name, subjects: Object.keys(state.subjects ?? {}) };
      }
    return undefined;
  }

  /** Deletes a stream, and what clusters keep for it. */
  async clear(name: string): Promise<void> {
    await this.delete(name).catch(() => undefined);
    for (let kept = await this.kept(name); kept !== undefined; kept = await this.kept(name))
      await this.delete(kept.stream);
  }

  async purge(name: string, filter: string): Promise<void> {
    await (await jetstreamManager(this.connection)).streams.purge(name, { filter });
  }

  async publish(subject: string, text: string, id: string): Promise<void> {
    await jetstream(this.connection).publish(subject, text, { msgID: id });
  }

  /** All messages of a stream, in its order. */
  async messages(name: string): Promise<readonly Received[]> {
    const received: Received[] = [];
    const consumer = await jetstream(this.connection).consumers.get(name);
    let left = (await consumer.info(true)).num_pending;
    while (left > 0)
      for await (const message of await consumer.fetch({ max_messages: left })) {
        const pairs = (message.headers?.keys() ?? []).map((key) => [key, message.headers?.get(key) ?? ''] as const);
        const headers: Record<string, string> = Object.fromEntries(pairs);
        const { subject, info } = message;
        received.push({ subject, id: headers['Nats-Msg-Id'] ?? '', text: message.string(), headers });
        left = info.pending;
      }
    await consumer.delete();
    return received;
  }

  close(): Promise<void> {
    return this.connection.close();
  }
}
