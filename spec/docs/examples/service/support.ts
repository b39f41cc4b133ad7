/** The example service as a process, its API with tenants that log in, and its streams. */
import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import { connect, headers } from '@nats-io/transport-node';
import type { NatsConnection } from '@nats-io/transport-node';
import { execFileSync, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import type { JsonObject } from '../../../../src';
import { afterDelay, json } from '../../../support/answers';
import { startServer } from '../../../support/api-server';
import type { ReceivedRequest } from '../../../support/api-server';
import { needsBuild, ROOT } from '../../../support/build';
import { NatsProbe, natsUrl } from '../../../support/nats-server';
import type { Received } from '../../../support/nats-server';
import { closedInTheEnd } from '../../../support/opened';

export const SERVICE = join(ROOT, 'examples/service');

/** Makes `headwater` the repository, for what is in the folder of the service. */
export function linkPackage(): void {
  needsBuild();
  execFileSync(process.execPath, [join(SERVICE, 'link.js')]);
}

/** A login, and in which life of the service it came. */
export interface Login {
  readonly tenant: string;
  readonly life: number;
  readonly at: number;
}

/** Which items there are for a key: 2 to 5, and whose they are. */
export const itemsOf = (tenant: string, key: string): readonly string[] =>
  Array.from({ length: 2 + (Number(key) % 4) }, (_, at) => `${tenant}/${key}/${at}`);

/** Everything that a spec of the service needs, in streams and folders of its own. */
export class World {
  readonly namespace = `spec-${randomUUID()}`;
  readonly logins: Login[] = [];
  readonly requests: ReceivedRequest[] = [];
  /** How often the service was started. */
  life = 0;
  /** Milliseconds that the API takes for the items of a tenant. */
  slowness: (tenant: string) => number = () => 3;

  private constructor(
    readonly folder: string,
    readonly tenants: readonly string[],
    readonly tokenSeconds: number,
    readonly probe: NatsProbe,
    private readonly connection: NatsConnection,
  ) {}

  static async make(tenants: readonly string[], tokenSeconds = 60): Promise<World> {
    const folder = await mkdtemp(join(tmpdir(), 'headwater-service-'));
    const connection = await connect({ servers: new URL(natsUrl ?? '').host });
    const probe = await NatsProbe.connect(natsUrl ?? '');
    const world = new World(folder, tenants, tokenSeconds, probe, connection);
    closedInTheEnd(() => world.#close());
    for (const name of ['credentials', 'config', 'config/jobs', 'work']) await mkdir(join(folder, name));
    const write = (name: string, value: object): Promise<void> => writeFile(join(folder, name), JSON.stringify(value));
    for (const tenant of tenants)
      await write(`credentials/${tenant}.json`, { user: tenant, '#password': `${tenant}-secret` });
    const api = await startServer((request) => world.#answer(request));
    await write('config/api.json', { ...API, baseUrl: api.origin });
    const params = { key: { attr: 'key' } };
    await write('config/jobs/things.json', {
      parameters: { key: { type: 'string', example: '1' } },
      config: { jobs: [{ endpoint: 'things', params }] },
    });
    await write('config/jobs/missing.json', { config: { jobs: [{ endpoint: 'missing' }] } });
    return world;
  }

  #answer(request: ReceivedRequest): ReturnType<typeof json> {
    this.requests.push(request);
    const url = new URL(request.url, 'http://localhost');
    if (url.pathname === '/session') {
      const { user, password } = JSON.parse(request.body) as { user: string; password: string };
      if (password !== `${user}-secret`) return json({ error: 'who?' }, 401);
      this.logins.push({ tenant: user, life: this.life, at: Date.now() });
      const until = Date.now() + 1000 * this.tokenSeconds;
      return afterDelay(5, json({ token: `${user}:${until}`, expires_in: this.tokenSeconds }));
    }
    const [, tenant = '', until = '0'] = /^Bearer ([^:]+):(\d+)$/.exec(request.headers.authorization ?? '') ?? [];
    if (Date.now() > Number(until)) return json({ error: 'log in' }, 401);
    if (url.pathname !== '/things') return json({ error: 'no such thing' }, 404);
    const number = (name: string): number => Number(url.searchParams.get(name));
    const found = itemsOf(tenant, url.searchParams.get('key') ?? '').map((id) => ({ id }));
    const page = found.slice(number('offset'), number('offset') + number('limit'));
    return afterDelay(this.slowness(tenant), json(page));
  }

  /** Starts the service. */
  async start(settings: Readonly<Record<string, string>> = {}): Promise<RunningService> {
    this.life += 1;
    const service = new RunningService({
      ...{ NATS_URL: natsUrl ?? '', NAMESPACE: this.namespace, HOST: '127.0.0.1', PORT: '0', ACK_WAIT_SECONDS: '2' },
      ...{ CREDENTIALS_FOLDER: join(this.folder, 'credentials'), CONFIG_FOLDER: join(this.folder, 'config') },
      ...{ WORK_FOLDER: join(this.folder, 'work'), ...settings },
    });
    await service.started;
    return service;
  }

  /** Asks the service for an extraction. */
  async ask(tenant: string, id: string, body: JsonObject | string, lines: Readonly<Record<string, string>> = {}) {
    const given = headers();
    for (const [name, value] of Object.entries(lines)) given.set(name, value);
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    await jetstream(this.connection).publish(`${this.namespace}.requests.${tenant}`, text, {
      msgID: id,
      headers: given,
    });
  }

  /** How many messages wait, or are worked on. */
  async waiting(): Promise<number> {
    return (await (await jetstreamManager(this.connection)).streams.info(`${this.namespace}-requests`)).state.messages;
  }

  async untilSettled(): Promise<void> {
    while ((await this.waiting()) > 0) await delay(50);
  }

  messages(stream: 'items' | 'dead'): Promise<readonly Received[]> {
    return this.probe.messages(`${this.namespace}-${stream}`);
  }

  /** The ids of the items that came out, with the tenant of their subject. */
  async items(): Promise<readonly string[]> {
    const start = `${this.namespace}.items.`;
    return (await this.messages('items')).map(({ subject, text }) => {
      const { id } = JSON.parse(text) as { id: string };
      return `${subject.slice(start.length)} ${id}`;
    });
  }

  async #close(): Promise<void> {
    for (const stream of ['requests', 'items', 'dead'])
      await this.probe.delete(`${this.namespace}-${stream}`).catch(() => undefined);
    await this.probe.close();
    await this.connection.close();
    await rm(this.folder, { recursive: true, force: true });
  }
}

const API = {
  authentication: {
    type: 'login',
    loginRequest: {
      endpoint: '/session',
      method: 'POST',
      params: { user: { attr: 'user' }, password: { attr: '#password' } },
    },
    expires: { response: 'expires_in', relative: true },
    apiRequest: { headers: { Authorization: { function: 'concat', args: ['Bearer ', { response: 'token' }] } } },
  },
  pagination: { method: 'offset', limit: 3 },
  // What comes again by its message need not be tried for long.
  retryConfig: { maxRetries: 1 },
};

/** One life of the service. */
export class RunningService {
  /** The entries of its log. */
  readonly log: (Readonly<Record<string, unknown>> & { readonly msg: string })[] = [];
  /** What else it wrote to its standard output: spans. */
  output = '';
  errors = '';
  origin = '';
  readonly started: Promise<void>;
  readonly #child;
  readonly #exit: Promise<unknown>;

  constructor(env: Readonly<Record<string, string>>) {
    const child = spawn(process.execPath, [join(SERVICE, 'src/main.js')], {
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#child = child;
    this.#exit = once(child, 'exit');
    closedInTheEnd(() => this.kill());
    child.stderr.on('data', (text: Buffer) => (this.errors += text.toString()));
    const listening = new Promise<void>((resolve) => {
      createInterface({ input: child.stdout }).on('line', (line) => {
        if (!line.startsWith('{"level"')) {
          this.output += `${line}\n`;
          return;
        }
        const entry = JSON.parse(line) as { msg: string };
        this.log.push(entry);
        const [, origin] = /listening at (\S+)/.exec(entry.msg) ?? [];
        if (origin === undefined) return;
        this.origin = origin;
        resolve();
      });
    });
    const failed = this.#exit.then(() => {
      throw new Error(`The service has ended before it began: ${this.errors}`);
    });
    this.started = Promise.race([listening, failed]);
    failed.catch(() => undefined);
  }

  get isAlive(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** With SIGKILL. */
  async kill(): Promise<void> {
    if (this.isAlive) this.#child.kill('SIGKILL');
    await this.#exit;
  }

  /** With SIGTERM; resolves with the exit status. */
  async stop(): Promise<number | null> {
    this.#child.kill('SIGTERM');
    await this.#exit;
    return this.#child.exitCode;
  }

  /** The entries that tell of settled messages. */
  settled(): readonly SettledEntry[] {
    return this.log.flatMap((entry) => {
      const { message, delivery } = entry;
      return typeof message === 'string' && typeof delivery === 'number' ? [{ ...entry, message, delivery }] : [];
    });
  }
}

/** What the service logs when it has dealt with a message. */
export interface SettledEntry {
  readonly message: string;
  readonly delivery: number;
  readonly msg: string;
  readonly code?: string;
}
