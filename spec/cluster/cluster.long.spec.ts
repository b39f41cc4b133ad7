// Takes minutes, and begins first (scripts/jest/sequencer.cjs).
/** Runs on a real Temporal server and a real PostgreSQL, by workers that are processes of the built command. */
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Client, Connection } from '@temporalio/client';
import { lastValueFrom } from 'rxjs';
import { destinationOf } from '../../src';
import type { JsonObject } from '../../src';
import { cluster } from '../../src/temporal';
import { afterDelay, bytes, json } from '../support/answers';
import type { Answer } from '../support/answers';
import { startServer } from '../support/api-server';
import type { ApiServer, ReceivedRequest } from '../support/api-server';
import { cableTo } from '../support/cable';
import { runApart, startCommand } from '../support/command';
import type { Ended } from '../support/command';
import { needsBuild } from '../support/build';
import { NatsProbe, natsUrl } from '../support/nats-server';
import { aHead, full, testDatabase } from '../support/postgres';
import type { TestDatabase } from '../support/postgres';
import { BUCKET, NEEDS_S3, download, keysIn, s3Url, useS3 } from '../support/s3';
import { csvRows, lineRows, parquetRows } from '../support/tables';
import { KEY, workersOf } from '../support/temporal';
import type { Workers } from '../support/temporal';

const { HEADWATER_TEST_TEMPORAL: address = '', HEADWATER_TEST_POSTGRES: postgres } = process.env;
const NEEDS = '(needs HEADWATER_TEST_TEMPORAL and HEADWATER_TEST_POSTGRES: scripts/temporal.sh)';
const describeWithCluster = address === '' || postgres === undefined ? describe.skip : describe;

const PARENTS = 120;
const PAGE = 30;
const LATENCY_MS = 15;
const TOKEN_MS = 6000;
const HEARTBEAT_S = 3;

describeWithCluster(`a cluster ${NEEDS}`, () => {
  let folder: string;
  let server: ApiServer;
  let database: TestDatabase;
  let queue: string;
  let workers: Workers;
  let asked: Map<string, number>;
  let api: {
    logins: number;
    token: string;
    endsAt: number;
    lifetimeMs: number;
    arrivals: number[];
    parents: number;
    answer: (url: string) => Answer | undefined;
  };

  beforeAll(() => {
    process.env.HEADWATER_KEY = KEY;
    process.env.TEMPORAL_ADDRESS = address;
  });
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'headwater-spec-'));
    database = await testDatabase();
    queue = `spec ${randomUUID()}`;
    workers = workersOf(address, queue);
    asked = new Map();
    api = {
      logins: 0,
      token: '',
      endsAt: 0,
      lifetimeMs: TOKEN_MS,
      arrivals: [],
      parents: PARENTS,
      answer: () => undefined,
    };
    const answer = ({ url, headers }: ReceivedRequest): Answer => {
      const { pathname, searchParams } = new URL(url, 'http://api.test');
      if (pathname === '/login') {
        api.logins += 1;
        api.token = `token ${api.logins}`;
        api.endsAt = Date.now() + api.lifetimeMs;
        return json({ token: api.token, lifetime: api.lifetimeMs / 1000 });
      }
      if (headers['authorization'] !== api.token || Date.now() > api.endsAt + 1000) return bytes('', {}, 401);
      asked.set(url, 1 + (asked.get(url) ?? 0));
      api.arrivals.push(Date.now());
      const other = api.answer(url);
      if (other !== undefined) return other;
      if (pathname === '/nowhere') return json({}, 404);
      const [, , id] = pathname.split('/');
      if (id !== undefined && id !== '')
        return json([
          { of: Number(id), at: 'a' },
          { of: Number(id), at: 'b' },
        ]);
      const offset = Number(searchParams.get('offset') ?? 0);
      const left = Math.max(0, Math.min(PAGE, api.parents - offset));
      const items = Array.from({ length: left }, (_, at) => ({ id: offset + at, named: `${offset + at}#its name` }));
      return json({ items, total: api.parents });
    };
    server = await startServer((request) => afterDelay(LATENCY_MS, answer(request)));
  });
  afterEach(async () => {
    workers.kill();
    await server.close();
    await database.drop();
    await rm(folder, { recursive: true });
  });

  const configured = (http: JsonObject = {}): JsonObject => ({
    api: {
      ...{ baseUrl: server.origin, http, pagination: { method: 'offset', limit: PAGE } },
      authentication: {
        type: 'login',
        loginRequest: { endpoint: 'login', method: 'POST', params: { user: 'me' } },
        apiRequest: { headers: { authorization: { response: 'token' } } },
        expires: { response: 'lifetime', relative: true },
      },
    },
    config: {
      jobs: [
        {
          id: 'parents',
          endpoint: 'parents',
          dataField: 'items',
          children: [{ endpoint: 'parents/{id}', dataType: 'kids', dataField: '.', placeholders: { id: 'id' } }],
        },
      ],
    },
  });
  const file = async (config: JsonObject): Promise<string> => {
    const path = join(folder, 'cluster.json');
    await writeFile(path, JSON.stringify(config));
    return path;
  };
  const startWorkers = (count: number): void => {
    for (let left = count; left > 0; left -= 1) workers.start(['--slots', '3']);
  };
  const submit = async (config: JsonObject, ...more: readonly string[]): Promise<Ended> => {
    const place = ['--task-queue', queue, '--to', database.url, '--heartbeat', String(HEARTBEAT_S)];
    return runApart(['submit', await file(config), ...place, ...more]);
  };
  const rows = async (): Promise<unknown> =>
    (
      await database.query(
        'SELECT (SELECT count(*)::int FROM parents) AS parents, (SELECT count(DISTINCT id)::int FROM parents) AS ids, ' +
          '(SELECT count(*)::int FROM kids) AS kids, (SELECT count(DISTINCT (of, at))::int FROM kids) AS pairs',
      )
    )[0];
  const WHOLE = { parents: PARENTS, ids: PARENTS, kids: 2 * PARENTS, pairs: 2 * PARENTS };
  const repeated = (): number => [...asked.values()].reduce((sum, times) => sum + times - 1, 0);

  it('runs a configuration on several workers: each request once, one login, the same tables', async () => {
    startWorkers(3);
    const { status: exit, stdout, stderr } = await submit(configured(), '--wait', '--run-id', queue);
    expect({ exit, stderr }).toMatchObject({
      exit: 0,
      stderr: expect.stringContaining('Extractor finished successfully.') as string,
    });
    expect(stdout).toBe(`${queue}\n`);
    expect(await rows()).toEqual(WHOLE);
    expect(repeated()).toBe(0);
    // A login lives for some seconds only.
    expect(api.logins).toBeLessThanOrEqual(
      1 + Math.ceil((api.arrivals.at(-1) ?? 0) - (api.arrivals[0] ?? 0)) / TOKEN_MS + 1,
    );
    const shown = await runApart(['status', queue, '--format', 'json']);
    expect(JSON.parse(shown.stdout)).toMatchObject({ status: 'completed', progress: { state: 'stored' } });
    expect((await runApart(['list', '--temporal', address])).stdout).toContain('cluster.json → postgres://');
  });

  it('reads one long list on several workers: each page once, in the parts that its first pages announce', async () => {
    startWorkers(3);
    api.parents = 45 * PAGE;
    const list = { ...configured(), config: { jobs: [{ endpoint: 'parents', dataField: 'items' }] } };
    const { status: exit, stderr } = await submit(list, '--wait', '--run-id', queue);
    expect({ exit, stderr }).toMatchObject({ exit: 0 });
    const [found] = await database.query('SELECT count(*)::int AS rows, count(DISTINCT id)::int AS ids FROM parents');
    expect(found).toEqual({ rows: api.parents, ids: api.parents });
    // Behind the last page, which is full, is one without items.
    expect([asked.size, repeated()]).toEqual([46, 0]);
    const { progress } = JSON.parse((await runApart(['status', queue, '--format', 'json'])).stdout) as JsonObject & {
      readonly progress: JsonObject;
    };
    // Two pages, three parts, and the rest.
    expect(progress).toMatchObject({ done: 5, pages: 46, items: api.parents });
  });

  (s3Url === undefined ? it.skip : it).each([
    ['ndjson', (file: string) => readFile(file, 'utf8').then(lineRows)],
    ['csv', (file: string) => readFile(file, 'utf8').then(csvRows)],
    ['parquet', parquetRows],
  ] as const)(`stores files of %s in a bucket, though a worker is killed${NEEDS_S3}`, async (format, read) => {
    useS3();
    startWorkers(2);
    const killed = workers.start(['--slots', '3']);
    api.answer = () => {
      if (api.arrivals.length === PARENTS / 2) killed.kill('SIGKILL');
      return undefined;
    };
    const to = `${format}:s3://${BUCKET}/${queue}?journal=${folder}`;
    const { status: exit, stderr } = await submit(configured(), '--wait', '--to', to);
    expect({ exit, stderr }).toMatchObject({ exit: 0 });
    await download(queue, folder);
    const [parents = [], kids = []] = await Promise.all(
      ['parents', 'kids'].map((table) => read(join(folder, `${table}.${format}`))),
    );
    const pairs = new Set(kids.map(({ of = null, at = null }) => JSON.stringify([of, at])));
    expect([parents.length, kids.length, pairs.size]).toEqual([PARENTS, 2 * PARENTS, 2 * PARENTS]);
    // Pages that were under way.
    expect(repeated()).toBeLessThanOrEqual(PARENTS / 4);
    expect((await keysIn(queue)).filter((key) => key.includes('/journal/'))).toEqual([]);
  });

  (natsUrl === undefined ? describe.skip : describe)('messages in JetStream (needs HEADWATER_TEST_NATS)', () => {
    let probe: NatsProbe;
    let stream: string;
    let to: readonly string[];
    beforeEach(async () => {
      probe = await NatsProbe.connect(natsUrl ?? '');
      stream = `SPEC-${randomUUID()}`;
      to = ['--to', `${natsUrl ?? ''}/${stream}?subject=${stream}`];
    });
    afterEach(async () => {
      // They would make the streams again.
      workers.kill();
      await probe.clear(stream);
      await probe.close();
    });
    const messages = async (): Promise<unknown> => {
      const all = await probe.messages(stream);
      const count = (table: string): number => all.filter(({ subject }) => subject === `${stream}.${table}`).length;
      const texts = new Set(all.map(({ subject, text }) => `${subject} ${text}`)).size;
      return { parents: count('parents'), kids: count('kids'), texts };
    };
    const ALL = { parents: PARENTS, kids: 2 * PARENTS, texts: 3 * PARENTS };
    const inJournal = async (): Promise<readonly string[]> =>
      ((await probe.kept(stream))?.subjects ?? []).filter((subject) => subject.includes('.journal.'));

    it('are there once, though a worker is killed, and a run of the same id is not made again', async () => {
      startWorkers(2);
      const killed = workers.start(['--slots', '3']);
      api.answer = () => {
        if (api.arrivals.length === PARENTS / 2) killed.kill('SIGKILL');
        return undefined;
      };
      const { status: exit, stderr } = await submit(configured(), '--wait', '--run-id', queue, ...to);
      expect({ exit, stderr }).toMatchObject({ exit: 0 });
      expect([await messages(), await inJournal()]).toEqual([ALL, []]);
      // Pages that were under way.
      expect(repeated()).toBeLessThanOrEqual(PARENTS / 4);
      const before = api.arrivals.length;
      expect((await submit(configured(), '--wait', '--run-id', queue, ...to)).status).toBe(0);
      expect([await messages(), api.arrivals.length]).toEqual([ALL, before]);
    });

    it('are there once, though the worker that commits is killed, and the server forgets ids at once', async () => {
      await probe.make(stream, { subjects: [`${stream}.>`], duplicate_window: 100 * 1e6 });
      const { seen } = await probe.watch(`${stream}.>`, PARENTS);
      startWorkers(2);
      const stored = submit(configured(), '--wait', ...to);
      await seen;
      workers.kill();
      startWorkers(1);
      expect((await stored).status).toBe(0);
      expect([await messages(), await inJournal()]).toEqual([ALL, []]);
    });

    it('are not there where the run is cancelled, and its journal is gone', async () => {
      startWorkers(1);
      await submit(configured({ rateLimit: { requests: 5, seconds: 1 } }), '--run-id', queue, ...to);
      for (let left = 100; asked.size < 5 && left > 0; left -= 1) await delay(200);
      expect(await inJournal()).not.toEqual([]);
      expect((await runApart(['cancel', queue])).status).toBe(0);
      expect([await messages(), await inJournal()]).toEqual([{ parents: 0, kids: 0, texts: 0 }, []]);
    });

    it('come with the run that goes on, where one failed at its end', async () => {
      startWorkers(2);
      const { api: of } = configured();
      const children = [{ endpoint: 'parents/{id}', dataType: 'kids', dataField: '.', placeholders: { id: 'named' } }];
      const jobs = [{ endpoint: 'parents', dataField: 'items', children }];
      const config = { api: of, config: { jobs } } as JsonObject;
      const strict = await submit(config, '--wait', '--strict', '--run-id', queue, ...to);
      expect(strict).toMatchObject({ status: 1, stderr: expect.stringContaining('Warnings count') as string });
      expect(await messages()).toEqual({ parents: 0, kids: 0, texts: 0 });
      const before = api.arrivals.length;
      expect((await submit(config, '--wait', '--run-id', queue, ...to)).status).toBe(0);
      expect([await messages(), api.arrivals.length]).toEqual([ALL, before]);
    });
  });

  it('starts 50 requests a second where the API allows so many, over four workers', async () => {
    startWorkers(4);
    api.parents = 1000;
    api.lifetimeMs = 3_600_000;
    const { status: exit } = await submit(configured({ rateLimit: { requests: 50, seconds: 1 } }), '--wait');
    expect({ exit, logins: api.logins, requests: api.arrivals.length }).toMatchObject({ exit: 0, logins: 1 });
    // While there is work for all of them: at first one reads the parents, in the end some have nothing left.
    const [from = 0, to = 0] = [0.25, 0.75].map((share) => api.arrivals[Math.floor(share * api.arrivals.length)]);
    const rate = (0.5 * api.arrivals.length) / ((to - from) / 1000);
    // Not less, either, where the machine has the time for it.
    expect(rate).toBeLessThan(50 * 1.05);
  });

  it('logs in once more, however many workers find that the credential was revoked', async () => {
    startWorkers(4);
    api.lifetimeMs = 3_600_000;
    let isRevoked = false;
    api.answer = () => {
      if (isRevoked || api.arrivals.length < PARENTS / 2) return undefined;
      isRevoked = true;
      api.token = 'another';
      return bytes('', {}, 401);
    };
    const { status: exit } = await submit(configured(), '--wait');
    expect({ exit, rows: await rows(), logins: api.logins }).toEqual({ exit: 0, rows: WHOLE, logins: 2 });
  });

  it('a 429 at one worker slows all', async () => {
    startWorkers(4);
    let refusedAt = 0;
    const seconds = 8;
    api.answer = () => {
      if (refusedAt > 0 || api.arrivals.length < PARENTS / 3) return undefined;
      refusedAt = Date.now();
      return bytes('', { 'retry-after': String(seconds) }, 429);
    };
    const { status: exit } = await submit(configured({ rateLimit: { requests: 20, seconds: 1 } }), '--wait');
    expect({ exit, rows: await rows() }).toEqual({ exit: 0, rows: WHOLE });
    // Starts that were taken before may still be used.
    const [from, to] = [refusedAt + 3000, refusedAt + (seconds - 1) * 1000];
    expect(api.arrivals.filter((at) => at > from && at < to)).toEqual([]);
  });

  it('a run without workers says what it waits for, and goes on with the first worker', async () => {
    const place = ['--task-queue', queue, '--to', database.url, '--heartbeat', String(HEARTBEAT_S)];
    const { child, ended } = startCommand(['submit', await file(configured()), ...place, '--wait']);
    const output = ended();
    await new Promise<void>((reported) => {
      child.stderr.on('data', (chunk: Buffer) => {
        if (chunk.includes(`No worker takes from the queue ${JSON.stringify(queue)}`)) reported();
      });
    });
    startWorkers(1);
    expect((await output).status).toBe(0);
    expect(await rows()).toEqual(WHOLE);
  });

  it('makes more parts at once, and more calls in each, while a run goes on', async () => {
    startWorkers(1);
    const slow = configured({ rateLimit: { requests: 5, seconds: 1 } });
    await submit(slow, '--run-id', queue, '--parts', '1');
    for (let left = 100; asked.size < 5 && left > 0; left -= 1) await delay(200);
    const running = async (): Promise<unknown> =>
      (JSON.parse((await runApart(['status', queue, '--format', 'json'])).stdout) as { progress: { running: number } })
        .progress.running;
    expect(await running()).toBe(1);
    expect((await runApart(['tune', queue])).status).toBe(1);
    const unknown = await runApart(['tune', queue, '--job', 'nobody', '--concurrency', '2']);
    expect(unknown).toMatchObject({
      ...{ status: 1, stdout: '' },
      stderr: expect.stringMatching(/no job with the id "nobody".* It has "parents"\./) as string,
    });
    expect(await runApart(['tune', queue, '--parts', '3', '--job', 'parents', '--concurrency', '2'])).toMatchObject({
      status: 0,
      stdout: 'Changed, for parts that begin from now on.\n',
    });
    let most = 0;
    for (let left = 50; most < 3 && left > 0; left -= 1) most = Math.max(most, Number(await running()));
    expect(most).toBe(3);
    await runApart(['cancel', queue]);
  });

  it('is closed while a call that nobody waits for is to be repeated, without an error', async () => {
    await submit(configured(), '--run-id', queue);
    const toTemporal = await cableTo(Number(address.split(':')[1]));
    const runs = await cluster({ address: `127.0.0.1:${toTemporal.port}`, key: KEY, taskQueue: queue });
    const following = runs.follow$(queue).subscribe({ error: () => undefined });
    await delay(1500);
    toTemporal.cut(10_000);
    await delay(1000);
    following.unsubscribe();
    await runs.close();
    // Longer than gRPC waits between two attempts: an error there would fail this spec.
    await delay(11_000);
    await toTemporal.close();
    startWorkers(1);
    for (let left = 100; (await rows().catch(() => undefined)) === undefined && left > 0; left -= 1) await delay(500);
    expect(await rows()).toEqual(WHOLE);
  });

  it('starts a run with a priority', async () => {
    expect((await submit(configured(), '--run-id', queue, '--priority', '1')).status).toBe(0);
    const connection = await Connection.connect({ address });
    const run = new Client({ connection }).workflow.getHandle(queue);
    expect((await run.describe()).priority).toMatchObject({ priorityKey: 1 });
    startWorkers(1);
    await run.result();
    await connection.close();
    expect(await rows()).toEqual(WHOLE);
  });

  it('a run ends with the version of the workers that began it, and the next one is made by the next version', async () => {
    const connection = await Connection.connect({ address });
    const client = new Client({ connection });
    const deploymentName = `rivers ${queue}`;
    const startVersion = async (buildId: string): Promise<ChildProcess> => {
      const flags = ['--slots', '3', '--deployment-name', deploymentName];
      const worker = workers.start(flags, { TEMPORAL_WORKER_BUILD_ID: buildId });
      const current = { namespace: 'default', deploymentName, buildId };
      for (let left = 100; ; left -= 1)
        try {
          await client.workflowService.setWorkerDeploymentCurrentVersion(current);
          return worker;
        } catch (error) {
          // The server knows a version when its first worker has asked for work.
          if (left === 0) throw error;
          await delay(200);
        }
    };
    const versionOf = async (runId: string): Promise<string | null | undefined> => {
      const { raw } = await client.workflow.getHandle(runId).describe();
      return raw.workflowExecutionInfo?.versioningInfo?.deploymentVersion?.buildId;
    };
    const [first, second, third] = [`first ${queue}`, `second ${queue}`, `third ${queue}`] as const;
    const other = await testDatabase();
    const old = await startVersion('1');
    const held = '/parents/99?limit=30&offset=0';
    api.answer = (url) => (url === held ? bytes('', { 'retry-after': '1' }, 429) : undefined);
    expect((await submit(configured(), '--run-id', first)).status).toBe(0);
    for (let left = 100; !asked.has(held) && left > 0; left -= 1) await delay(200);
    await startVersion('2');
    expect((await client.workflow.getHandle(first).describe()).status.name).toBe('RUNNING');
    api.answer = () => undefined;
    expect((await submit(configured(), '--run-id', second, '--wait', '--to', other.url)).status).toBe(0);
    await client.workflow.getHandle(first).result();
    expect(await rows()).toEqual(WHOLE);
    expect([await versionOf(first), await versionOf(second)]).toEqual(['1', '2']);
    // The session, which both versions share, goes on without the old one.
    old.kill('SIGKILL');
    expect((await submit(configured(), '--run-id', third, '--wait')).status).toBe(0);
    expect(await versionOf(third)).toBe('2');
    await connection.close();
    await other.drop();
  });

  it('a worker of a program makes traces of its parts and commits, which have the id of the run', async () => {
    const program = `
      const { runWorker } = require(${JSON.stringify(needsBuild('temporal.js'))});
      const { otel } = require(${JSON.stringify(needsBuild('otel.js'))});
      const { BasicTracerProvider, SimpleSpanProcessor } = require('@opentelemetry/sdk-trace-base');
      const exporter = {
        export: (spans, done) => {
          for (const { name, attributes } of spans) console.log(JSON.stringify({ name, run: attributes['headwater.run.id'] }));
          done({ code: 0 });
        },
        shutdown: async () => undefined,
      };
      const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
      const traced = otel({ tracer: provider.getTracer('spec'), meter: false });
      void runWorker({ ...${JSON.stringify({ address, key: KEY, taskQueue: queue })}, ...traced() });
    `;
    const worker = spawn(process.execPath, ['-e', program], { stdio: ['ignore', 'pipe', 'inherit'] });
    let written = '';
    worker.stdout.on('data', (chunk: Buffer) => (written += String(chunk)));
    try {
      expect((await submit(configured(), '--run-id', queue, '--wait')).status).toBe(0);
      const shown = await runApart(['status', queue, '--format', 'json']);
      const all = [...asked.values()].reduce((sum, times) => sum + times, 0);
      expect(JSON.parse(shown.stdout)).toMatchObject({ progress: { requests: all + api.logins } });
    } finally {
      worker.kill('SIGKILL');
    }
    const spans = lineRows(written);
    expect(new Set(spans.map(({ name }) => name))).toEqual(
      new Set(['headwater.run', 'job parents', 'job parents/{id}', 'page request', 'login', 'GET', 'POST']),
    );
    expect(new Set(spans.filter(({ name }) => name === 'headwater.run').map(({ run }) => run))).toEqual(
      new Set([queue]),
    );
  });

  it('a worker with half of a version says what is missing', async () => {
    const { status: exit, stderr } = await runApart(['worker', '--build-id', '1']);
    expect({ exit, stderr }).toMatchObject({ exit: 1, stderr: expect.stringContaining('--deployment-name') as string });
  });

  it('cancels a run: its journal is gone, and tables are as before', async () => {
    startWorkers(1);
    const slow = configured({ rateLimit: { requests: 5, seconds: 1 } });
    await submit(slow, '--run-id', queue);
    for (let left = 100; asked.size < 5 && left > 0; left -= 1) await delay(200);
    const { stdout, status: exit } = await runApart(['cancel', queue]);
    expect({ exit, stdout }).toEqual({ exit: 0, stdout: 'Cancelled: nothing more of it is stored.\n' });
    expect(await database.query('SELECT count(*)::int AS pages FROM _headwater.pages')).toEqual([{ pages: 0 }]);
    expect(await database.query("SELECT to_regclass('parents') AS found")).toEqual([{ found: null }]);
    expect(JSON.parse((await runApart(['status', queue, '--format', 'json'])).stdout)).toMatchObject({
      status: 'cancelled',
    });
  });

  describe('two runs into one destination', () => {
    const held = '/parents/99?limit=30&offset=0';
    const others = (): JsonObject => ({
      ...configured(),
      config: { jobs: [{ endpoint: 'parents', dataField: 'items' }] },
    });
    let release = (): void => undefined;
    afterEach(() => release());
    /** One child has no answer until it is released. */
    const hold = (): void => {
      asked.delete(held);
      const released = new Promise<void>((resolve) => (release = resolve));
      const answer = json([
        { of: 99, at: 'a' },
        { of: 99, at: 'b' },
      ]);
      api.answer = (url) => (url === held ? (response) => released.then(() => answer(response)) : undefined);
    };
    const isHeld = async (): Promise<void> => {
      for (let left = 200; !asked.has(held) && left > 0; left -= 1) await delay(200);
    };
    const refused = (run: string, place = 'postgres://') => ({
      status: 1,
      stderr: expect.stringMatching(
        new RegExp(`The run "${run}" goes on into ${place}.*headwater cancel "${run}"`),
      ) as string,
    });

    it('the second one is refused while the first one goes on, and replaces it once it is over', async () => {
      startWorkers(2);
      hold();
      await submit(configured(), '--run-id', queue);
      await isHeld();
      expect(await submit(others(), '--wait', '--run-id', `second ${queue}`)).toMatchObject(refused(queue));
      expect(await submit(configured(), '--wait', '--run-id', `third ${queue}`)).toMatchObject(refused(queue));
      release();
      const connection = await Connection.connect({ address });
      const { workflow } = new Client({ connection });
      await workflow.getHandle(queue).result();
      expect([await rows(), repeated()]).toEqual([WHOLE, 0]);
      hold();
      await submit(configured(), '--run-id', `fourth ${queue}`);
      await isHeld();
      // As where nobody is left to drop what it has.
      await workflow.getHandle(`fourth ${queue}`).terminate();
      expect((await submit(others(), '--wait', '--run-id', `second ${queue}`)).status).toBe(0);
      await connection.close();
    });

    const second = async (place: string, to: string): Promise<void> => {
      startWorkers(2);
      hold();
      await submit(configured(), '--to', to, '--run-id', queue);
      await isHeld();
      expect(await submit(others(), '--wait', '--to', to)).toMatchObject(refused(queue, place));
      const runs = await cluster({ address, key: KEY, taskQueue: queue });
      const goingOn = async () => (await runs.status(queue)).parts;
      // A part that is over may not have said so yet.
      while ((await goingOn()).length > 1) await delay(50);
      expect(await goingOn()).toMatchObject([
        {
          ...{ name: 'children of job 0.0, page 4, 1 of 1', state: 'running', attempt: 1 },
          ...{ worker: expect.stringMatching(/^\d+@/) as string, since: expect.any(Date) as Date },
        },
      ]);
      const result = lastValueFrom(runs.follow$(queue));
      release();
      expect(await result).toMatchObject({ type: 'committed' });
      await runs.close();
    };
    (s3Url === undefined ? it.skip : it)(`in a bucket, too${NEEDS_S3}`, () => {
      useS3();
      return second('ndjson:s3://', `ndjson:s3://${BUCKET}/${queue}?journal=${folder}`);
    });
    (natsUrl === undefined ? it.skip : it)('in JetStream, too (needs HEADWATER_TEST_NATS)', async () => {
      const stream = `SPEC-${randomUUID()}`;
      await second('nats://', `${natsUrl ?? ''}/${stream}?subject=${stream}`);
      const probe = await NatsProbe.connect(natsUrl ?? '');
      workers.kill();
      await probe.clear(stream);
      await probe.close();
    });

    it('one of a schedule is named as the cluster knows it', async () => {
      startWorkers(1);
      hold();
      await submit(configured(), '--every', '1s', '--run-id', queue);
      await isHeld();
      const run = `${queue}-\\d{4}-\\d\\d-\\d\\dT[\\d:]{8}Z`;
      expect(await submit(configured(), '--wait')).toMatchObject(refused(run));
      await runApart(['cancel', queue]);
    });

    /** In a bucket only the commit finds it: there a part writes without a look at the run. */
    const isRefused = async (code: string, message: string): Promise<void> => {
      const runs = await cluster({ address, key: KEY, taskQueue: queue });
      await expect(lastValueFrom(runs.follow$(queue))).rejects.toMatchObject({
        code,
        message: expect.stringContaining(message) as string,
      });
      await runs.close();
    };
    const replaced = async (to: string): Promise<void> => {
      api.lifetimeMs = 3_600_000;
      startWorkers(1);
      hold();
      await submit(configured(), '--to', to, '--run-id', queue);
      await isHeld();
      // A login of its own would end that of the workers.
      const { pagination } = configured()['api'] as JsonObject;
      const known = {
        baseUrl: server.origin,
        pagination,
        http: { headers: { authorization: api.token } },
      } as JsonObject;
      const plain = await runApart(['run', await file({ ...others(), api: known }), '--to', to]);
      expect(plain).toMatchObject({ status: 0 });
      release();
      await isRefused('RUN_OVER', 'another run has taken its place');
    };
    const AT_ONCE = 'fails at once, and not many times, where a process that knows no cluster took its place';
    it(AT_ONCE, () => replaced(database.url));
    (s3Url === undefined ? it.skip : it)(`${AT_ONCE}, in a bucket${NEEDS_S3}`, () => {
      useS3();
      return replaced(`ndjson:s3://${BUCKET}/${queue}?journal=${folder}`);
    });

    (s3Url === undefined ? it.skip : it)(
      `fails where one that began before it is stored meanwhile${NEEDS_S3}`,
      async () => {
        useS3();
        startWorkers(1);
        hold();
        const to = `ndjson:s3://${BUCKET}/${queue}?journal=${folder}`;
        const before = destinationOf(`${to}/before`)([full], undefined);
        await before.open();
        await before.begin(aHead('before'));
        await submit(configured(), '--to', to, '--run-id', queue);
        await isHeld();
        await before.commit({});
        await before.close();
        release();
        await isRefused('RESUME', 'another run was committed');
        expect(repeated()).toBe(0);
      },
    );
  });

  it('starts runs by a schedule, until that is cancelled', async () => {
    startWorkers(2);
    const id = `schedule ${queue}`;
    expect((await submit(configured(), '--every', '10s', '--run-id', id)).status).toBe(0);
    const stored = async (): Promise<readonly string[]> =>
      (await database.query('SELECT run_id AS run FROM _headwater.runs').catch(() => [])).map(({ run }) => String(run));
    for (let left = 100; (await stored()).length === 0 && left > 0; left -= 1) await delay(500);
    await delay(60_000);
    expect((await runApart(['cancel', id])).status).toBe(0);
    const runs = await stored();
    // A run that is due while another one is under way is left out.
    expect(runs.length).toBeGreaterThanOrEqual(2);
    expect(runs.length).toBeLessThanOrEqual(8);
    const due = runs.map((run) => Number(/^.*T\d\d:\d\d:(\d\d)Z /.exec(run)?.[1]) % 10);
    expect([new Set(runs).size, ...new Set(due)]).toEqual([runs.length, 0]);
    expect(await rows()).toEqual(WHOLE);
  });

  it('strict: a warning of a part keeps the run from being stored', async () => {
    startWorkers(2);
    const { api: of } = configured();
    const children = [{ endpoint: 'parents/{id}', dataType: 'kids', dataField: '.', placeholders: { id: 'named' } }];
    const config = { api: of, config: { jobs: [{ endpoint: 'parents', dataField: 'items', children }] } } as JsonObject;
    const strict = await submit(config, '--wait', '--strict', '--run-id', queue);
    expect(strict).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/Warnings count as errors.*\{id\}/s) as string,
    });
    expect(await database.query("SELECT to_regclass('parents') AS found")).toEqual([{ found: null }]);
    const before = api.arrivals.length;
    expect((await submit(config, '--wait', '--run-id', queue)).status).toBe(0);
    expect([await rows(), api.arrivals.length]).toEqual([WHOLE, before]);
  });

  describe('says what is wrong', () => {
    it.each<[string, readonly string[], RegExp]>([
      ['no server', ['--temporal', '127.0.0.1:1'], /No Temporal server answers at 127\.0\.0\.1:1/],
      ['no namespace', ['--namespace', 'nobody'], /has no namespace "nobody"/],
      [
        'a destination of one machine',
        ['--to', 'duckdb:x.duckdb'],
        /duckdb:x\.duckdb belongs to one machine.*postgres:\/\//s,
      ],
      ['a schedule', ['--every', 'often'], /--every: expected a time such as 30s/],
    ])('%s', async (_, flags, message) => {
      const { status: exit, stderr } = await submit(configured(), ...flags);
      expect({ exit, stderr }).toEqual({ exit: 1, stderr: expect.stringMatching(message) as string });
    });

    it.each<[string, readonly string[], NodeJS.ProcessEnv, RegExp]>([
      ['a worker without a key', [], { HEADWATER_KEY: '' }, /HEADWATER_KEY is not set/],
      ['a worker of no server', ['--temporal', '127.0.0.1:1'], {}, /No Temporal server answers at 127\.0\.0\.1:1/],
      ['a worker of no namespace', ['--namespace', 'nobody'], {}, /has no namespace "nobody"/],
    ])('%s', async (_, flags, env, message) => {
      const worker = workers.start(flags, env);
      const exit = await new Promise<number | null>((resolve) => worker.once('close', resolve));
      expect({ exit, output: workers.outputOf(worker) }).toEqual({
        exit: 1,
        output: expect.stringMatching(message) as string,
      });
    });

    it('a worker with another key', async () => {
      workers.start([], { HEADWATER_KEY: 'some other key of somebody' });
      const { status: exit, stderr } = await submit(configured(), '--wait');
      expect({ exit, stderr }).toEqual({
        exit: 1,
        stderr: expect.stringContaining('sealed with another key') as string,
      });
    });

    it('an API that refuses: the run fails with its message', async () => {
      startWorkers(1);
      const refused = configured();
      const moved = { ...refused, config: { jobs: [{ endpoint: 'nowhere' }] } };
      const { status: exit, stderr } = await submit(moved, '--wait');
      expect({ exit, stderr }).toEqual({ exit: 1, stderr: expect.stringMatching(/\[404\].*nowhere/) as string });
    });
  });
});
