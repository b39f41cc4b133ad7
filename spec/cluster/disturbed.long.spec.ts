/**
 * Runs whose workers, Temporal server, PostgreSQL server and connections fail at random: each ends with the tables of an undisturbed run.
 *
 * HEADWATER_CLUSTER_RUNS says how many; default 5. HEADWATER_CLUSTER_SEED is that of the failures, which the name of the spec shows.
 */
import type { ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { lastValueFrom } from 'rxjs';
import { deliver, sinks } from '../../src';
import type { JsonObject } from '../../src';
import { cluster } from '../../src/temporal';
import type { Cluster } from '../../src/temporal';
import { afterDelay, bytes, json } from '../support/answers';
import type { Answer } from '../support/answers';
import { startServer } from '../support/api-server';
import type { ApiServer, ReceivedRequest } from '../support/api-server';
import { cableTo } from '../support/cable';
import type { Cable } from '../support/cable';
import { testDatabase, testServer } from '../support/postgres';
import type { TestDatabase, TestServer } from '../support/postgres';
import { randomFrom } from '../support/random';
import { KEY, temporalServer, workersOf } from '../support/temporal';
import type { TemporalServer, Workers } from '../support/temporal';

const { HEADWATER_TEST_TEMPORAL, HEADWATER_TEST_POSTGRES } = process.env;
const NEEDS = '(needs HEADWATER_TEST_TEMPORAL and HEADWATER_TEST_POSTGRES: scripts/temporal.sh)';
const describeWithCluster =
  HEADWATER_TEST_TEMPORAL === undefined || HEADWATER_TEST_POSTGRES === undefined ? describe.skip : describe;
const RUNS = Number(process.env.HEADWATER_CLUSTER_RUNS ?? 5);
const SEED = Number(process.env.HEADWATER_CLUSTER_SEED ?? Date.now() % 1_000_000);

const AT_ONCE = 10;
const WORKERS = 3;
const SLOTS = 5;
const PARENTS = 60;
const PAGE = 20;
/** A list that is read by several workers, with a last page that is not full. */
const LONG_PAGES = 45;
const LONG = LONG_PAGES * PAGE - 5;
const LATENCY_MS = 40;
const TOKEN_MS = 15_000;
const HEARTBEAT_S = 4;
/** A run takes some executions of its workflow. */
const EVENTS = 20;
/** A failure comes when more was requested since the last one than that may have lost, or after so long, so that it meets beginnings and commits. */
const MOST_LOST = WORKERS * SLOTS;
const PATIENCE_MS = 10_000;
const MINUTE = 60_000;

/** What the API and the database have seen of a run. */
interface Seen {
  readonly url: string;
  readonly at: number;
}

describeWithCluster(`a cluster of failing parts ${NEEDS}`, () => {
  let temporal: TemporalServer;
  let postgres: TestServer;
  let database: TestDatabase;
  let server: ApiServer;
  let toTemporal: Cable;
  let toPostgres: Cable;
  let workers: Workers;
  let runs: Cluster;
  let asked: Seen[];
  let logins: number[];
  const queue = `spec ${randomUUID()}`;

  beforeAll(async () => {
    [temporal, postgres] = await Promise.all([temporalServer(EVENTS), testServer()]);
    database = await testDatabase(postgres.url);
    [toTemporal, toPostgres] = await Promise.all([cableTo(temporal.port), cableTo(Number(new URL(postgres.url).port))]);
    asked = [];
    logins = [];
    /** When each token ends. A worker that was stopped may log in late: others keep what they have. */
    const tokens = new Map<string, number>();
    const answer = ({ url, headers }: ReceivedRequest): Answer => {
      const { pathname, searchParams } = new URL(url, 'http://api.test');
      if (pathname === '/login') {
        logins.push(Date.now());
        const token = `token ${logins.length}`;
        tokens.set(token, Date.now() + TOKEN_MS);
        return json({ token, lifetime: TOKEN_MS / 1000 });
      }
      if (Date.now() > (tokens.get(headers['authorization'] ?? '') ?? 0)) return bytes('', {}, 401);
      asked.push({ url, at: Date.now() });
      const [, run = '', list, id] = pathname.split('/');
      if (id !== undefined) return json(['a', 'b'].map((at) => ({ run, of: Number(id), at })));
      const [total, key] = list === 'long' ? [LONG, 'entry'] : [PARENTS, 'id'];
      const offset = Number(searchParams.get('offset') ?? 0);
      const left = Math.max(0, Math.min(PAGE, total - offset));
      return json({ items: Array.from({ length: left }, (_, at) => ({ run, [key]: offset + at })), total });
    };
    server = await startServer((request) => afterDelay(LATENCY_MS, answer(request)));
    const address = `127.0.0.1:${toTemporal.port}`;
    workers = workersOf(address, queue);
    runs = await cluster({ address, key: KEY, taskQueue: queue });
  }, 5 * MINUTE);
  afterAll(async () => {
    workers.kill();
    await runs.close();
    await Promise.all([toTemporal.close(), toPostgres.close(), server.close()]);
    await Promise.all([temporal.stop(), postgres.stop()]);
  }, MINUTE);

  const configured = (run: string): JsonObject => ({
    api: {
      ...{ baseUrl: server.origin, pagination: { method: 'offset', limit: PAGE } },
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
          endpoint: `${run}/parents`,
          dataType: 'parents',
          dataField: 'items',
          children: [{ endpoint: `${run}/parents/{id}`, dataType: 'kids', dataField: '.', placeholders: { id: 'id' } }],
        },
        { endpoint: `${run}/long`, dataType: 'long', dataField: 'items' },
      ],
    },
  });
  const addressOf = (url: string, run: string): string => {
    const address = new URL(url);
    address.searchParams.set('schema', run);
    return address.href;
  };
  const throughCable = (run: string): string => {
    const address = new URL(addressOf(database.url, run));
    address.port = String(toPostgres.port);
    return address.href;
  };
  /** The rows of the tables of a run, without its name. */
  const tablesOf = async (run: string): Promise<unknown> => {
    const rowsOf = (table: string): Promise<unknown> =>
      database.query(`SELECT to_jsonb(t) - 'run' AS row FROM "${run}".${table} t ORDER BY 1`);
    return { parents: await rowsOf('parents'), kids: await rowsOf('kids'), long: await rowsOf('long') };
  };
  /** When pages came into the journal, by the requests that they are of. */
  const stored = async (): Promise<ReadonlyMap<string, number>> => {
    const pages = await database.query("SELECT line, extract(epoch FROM at) * 1000 AS at FROM seen WHERE line <> ''");
    return new Map(
      pages.map(({ line, at }) => {
        type Row = Record<'run' | 'id' | 'of' | 'entry', string | undefined>;
        const { run, id, of, entry } = JSON.parse(String(line)) as Row;
        const [path, offset] =
          entry !== undefined ? ['long', entry] : of === undefined ? ['parents', id] : [`parents/${of}`, 0];
        return [`/${run}/${path}?limit=${PAGE}&offset=${offset}`, Number(at)];
      }),
    );
  };
  const startWorker = (): ChildProcess => workers.start(['--slots', String(SLOTS)]);

  (RUNS === 0 ? it.skip : it)(
    `loses and doubles nothing in ${RUNS} runs, with the seed ${SEED}`,
    async () => {
      const random = randomFrom(SEED);
      await deliver(configured('calm'), [sinks.postgres(addressOf(database.url, 'calm'))]);
      const calm = await tablesOf('calm');
      await database.query('CREATE TABLE seen (at timestamptz DEFAULT clock_timestamp(), line text)');
      await database.query(
        'CREATE FUNCTION see() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN INSERT INTO public.seen (line) ' +
          "VALUES (split_part(NEW.lines, E'\\n', 1)); RETURN NULL; END $$",
      );
      await database.query('CREATE TRIGGER see AFTER INSERT ON _headwater.pages FOR EACH ROW EXECUTE FUNCTION see()');
      asked.splice(0);
      logins.splice(0);
      const began = Date.now();
      const pool = Array.from({ length: WORKERS }, startWorker);
      const done: Record<string, number> = {};
      /** How many parts may have been under way at a failure. */
      let struck = 0;
      let isOver = false;
      const kinds: readonly (readonly [number, string, number, (at: number) => unknown])[] = [
        [
          ...([0.3, 'worker killed', SLOTS] as const),
          (at) => {
            pool[at]?.kill('SIGKILL');
            pool[at] = startWorker();
          },
        ],
        [
          ...([0.55, 'worker stopped', SLOTS] as const),
          (at) => {
            const worker = pool[at];
            worker?.kill('SIGSTOP');
            setTimeout(() => worker?.kill('SIGCONT'), HEARTBEAT_S * 1500);
          },
        ],
        [0.65, 'Temporal killed', WORKERS * SLOTS, () => temporal.restart()],
        [0.75, 'PostgreSQL killed', WORKERS * SLOTS, () => postgres.restart()],
        [0.84, 'Temporal cut', WORKERS * SLOTS, () => toTemporal.cut(random() * 3000)],
        [0.88, 'Temporal cut silently', WORKERS * SLOTS, () => toTemporal.cut(2 * HEARTBEAT_S * 1000, true)],
        [0.96, 'PostgreSQL cut', WORKERS * SLOTS, () => toPostgres.cut(random() * 3000)],
        [1, 'PostgreSQL cut silently', WORKERS * SLOTS, () => toPostgres.cut(2 * HEARTBEAT_S * 1000, true)],
      ];
      const disturb = async (): Promise<void> => {
        for (;;) {
          await delay(500 + random() * 2500);
          // Where a machine is busy, failures of every second would leave no time for any work between them.
          const [sent, until] = [asked.length, Date.now() + PATIENCE_MS];
          while (!isOver && asked.length < sent + MOST_LOST && Date.now() < until) await delay(100);
          if (isOver) return;
          const [chance, at] = [random(), Math.floor(random() * WORKERS)];
          const [, name, parts, strike] = kinds.find(([below]) => chance < below) ?? [0, '', 0, () => undefined];
          done[name] = 1 + (done[name] ?? 0);
          struck += parts;
          await strike(at);
        }
      };
      const disturbing = disturb();
      const left = Array.from({ length: RUNS }, (_, at) => `run${at}`);
      const runOne = async (run: string): Promise<void> => {
        const submission = { to: throughCable(run), runId: `${queue} ${run}`, heartbeatSeconds: HEARTBEAT_S };
        const end = await lastValueFrom(runs.deliver$(configured(run), submission));
        expect({ run, end }).toMatchObject({ run, end: { type: 'committed', result: { outcome: 'complete' } } });
      };
      const runAll = async (): Promise<void> => {
        for (let run = left.shift(); run !== undefined; run = left.shift()) await runOne(run);
      };
      const all = await Promise.allSettled(Array.from({ length: AT_ONCE }, runAll));
      isOver = true;
      await disturbing;
      const seconds = (Date.now() - began) / 1000;
      const failed = all.flatMap((each) => (each.status === 'rejected' ? [each.reason as unknown] : []));
      if (failed.length > 0) console.log(pool.map(workers.outputOf).join('\n--\n'));
      expect(failed).toEqual([]);
      for (let at = 0; at < RUNS; at += 1) expect(await tablesOf(`run${at}`)).toEqual(calm);
      expect((await runs.list()).filter(({ status }) => status !== 'completed')).toEqual([]);

      const times = await stored();
      expect(times.size).toBe(RUNS * (PARENTS + PARENTS / PAGE + LONG_PAGES));
      const again = asked.filter(({ url, at }) => at > (times.get(url) ?? Infinity)).length;
      const addresses = new Set(asked.map(({ url }) => url));
      expect([...times.keys()].filter((url) => !addresses.has(url))).toEqual([]);
      const requests = addresses.size;
      const renewals = Math.ceil((seconds * 1000) / TOKEN_MS);
      console.log(
        JSON.stringify({
          seed: SEED,
          runs: RUNS,
          seconds,
          done,
          struck,
          requests,
          asked: asked.length,
          again,
          renewals,
          logins: logins.length,
        }),
      );
      expect(again).toBeLessThanOrEqual(struck);
      expect(logins.length).toBeLessThanOrEqual(2 * renewals);
    },
    2 * MINUTE + RUNS * MINUTE,
  );
});
