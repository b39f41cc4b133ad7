/** Tables in a bucket (docs/sinks.md#buckets), against the server of scripts/services.sh. */
import { randomUUID } from 'node:crypto';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import type { AddressInfo, Server, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { deliver, destinationOf, sinks } from '../../../src';
import type { DeliverOptions } from '../../../src';
import type { DurableSink, RunManifest } from '../../../src/core/durable-sink';
import type { Page } from '../../../src/core/model';
import { runToEnd } from '../../support/command';
import { queryDuckDB } from '../../support/duckdb';
import { closedInTheEnd } from '../../support/opened';
import { ownPort } from '../../support/own-port';
import { aPage } from '../../support/pages';
import {
  BUCKET,
  bytesOf,
  describeWithS3,
  download,
  keysIn,
  NEEDS_S3,
  putText,
  removeKey,
  S3_ENVIRONMENT,
  s3Url,
  tablesIn,
  textOf,
  useS3,
} from '../../support/s3';

describeWithS3(`tables in a bucket${NEEDS_S3}`, () => {
  let folder: string;
  let prefix: string;
  beforeEach(() => {
    useS3();
    folder = mkdtempSync(join(tmpdir(), 'headwater-s3-'));
    prefix = `spec-${randomUUID()}`;
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  type Config = Readonly<Record<string, unknown>>;
  interface Run {
    readonly items: readonly object[];
    readonly job?: Config;
    readonly config?: Config;
    /** Where pages wait: each machine has a folder of its own. */
    readonly machine?: string;
    readonly to?: string;
    readonly options?: DeliverOptions;
    /** Called with each request of the API. */
    readonly asked?: (url: URL) => unknown;
  }
  const addressOf = (to: string): string => {
    const [scheme, query = ''] = to.split('?');
    return `${scheme}:s3://${BUCKET}/${prefix}?${query}`;
  };
  const run = ({ items, job, config, machine = 'a', to = 'ndjson', options, asked }: Run) =>
    deliver(
      {
        api: { baseUrl: 'http://api.test' },
        config: { jobs: [{ endpoint: 'orders', ...job }], ...config },
      },
      [destinationOf(to.startsWith('local') ? to.slice(6) : `${addressOf(to)}&journal=${join(folder, machine)}`)],
      {
        fetch: async (input) => {
          await asked?.(new URL(input instanceof Request ? input.url : String(input)));
          return Response.json(items);
        },
        ...options,
      },
    );
  const lines = async (key = 'orders.ndjson'): Promise<unknown> =>
    (await textOf(prefix, key))
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as unknown);
  const order = (id: number, ...skus: string[]) => ({ id, lines: skus.map((sku) => ({ sku })) });

  it.each(['ndjson', 'csv', 'ndjson?compress=gzip', 'csv?compress=gzip'])(
    'are what a folder would have, run by run, on whichever machine: %s',
    async (to) => {
      const runs: readonly Pick<Run, 'items' | 'job'>[] = [
        { items: [order(1, 'a', 'b'), order(2, 'c')] },
        { items: [order(3, 'd')], job: { load: 'append' } },
        { items: [order(1, 'e'), order(4)], job: { load: 'merge', primaryKey: ['id'] } },
        { items: [], job: { load: 'merge', primaryKey: ['id'] } },
        { items: [order(9, 'z')], job: { load: 'replace' } },
      ];
      const [scheme = '', query] = to.split('?');
      const local = `local:${scheme}:${join(folder, 'local')}${query === undefined ? '' : `?${query}`}`;
      for (const [at, each] of runs.entries()) {
        await run({ ...each, to: local });
        await run({ ...each, to, machine: at % 2 === 0 ? 'a' : 'b' });
        const names = readdirSync(join(folder, 'local')).filter((name) => !name.startsWith('.'));
        expect(await tablesIn(prefix)).toEqual(names.sort());
        const plain = (bytes: Buffer): string => (query === undefined ? bytes : gunzipSync(bytes)).toString();
        for (const name of names)
          expect(plain(await bytesOf(prefix, name))).toBe(plain(readFileSync(join(folder, 'local', name))));
      }
    },
  );

  it('are parquet files with linked tables, replaced, added to and merged', async () => {
    const rows = async (table: string, columns: string): Promise<unknown> => {
      const copy = mkdtempSync(join(folder, 'read-'));
      await download(prefix, copy);
      return queryDuckDB(':memory:', `SELECT ${columns} FROM read_parquet('${copy}/${table}.parquet') ORDER BY ALL`);
    };
    const keyed = { primaryKey: ['id'] };
    await run({ to: 'parquet', items: [order(1, 'a', 'b'), order(2, 'c')], job: keyed });
    await run({ to: 'parquet', items: [order(3, 'd')], job: { ...keyed, load: 'merge' }, machine: 'b' });
    await run({ to: 'parquet', items: [order(1, 'e')], job: { ...keyed, load: 'merge' } });
    expect(await rows('orders', 'id')).toEqual([[1], [2], [3]]);
    expect(await rows('orders_lines', 'sku')).toEqual([['c'], ['d'], ['e']]);
    await run({ to: 'parquet', items: [order(7)], job: keyed });
    expect(await rows('orders', 'id')).toEqual([[7]]);
  });

  it('lie in partitions, and those without rows go', async () => {
    const to = 'parquet?partitionBy=country';
    await run({
      to,
      items: [
        { id: 1, country: 'CH' },
        { id: 2, country: 'a/b =ü%' },
      ],
    });
    await run({ to, items: [{ id: 3, country: 'DE' }], job: { load: 'append' }, machine: 'b' });
    const copy = join(folder, 'read');
    await download(prefix, copy);
    const from = `read_parquet('${copy}/orders/**/*.parquet', hive_partitioning = true, hive_types_autocast = false)`;
    expect(await queryDuckDB(':memory:', `SELECT id, country FROM ${from} ORDER BY id`)).toEqual([
      [1, 'CH'],
      [2, 'a/b =ü%'],
      [3, 'DE'],
    ]);
    await run({ to, items: [{ id: 4, country: 'DE' }] });
    expect((await tablesIn(prefix)).map((key) => key.split('/')[1])).toEqual(['country=DE']);
  });

  it('take the place of those in the other form, and of nothing else', async () => {
    await putText(prefix, 'notes.txt', 'mine');
    await putText(prefix, 'archive/orders.ndjson', 'mine');
    await run({ items: [{ id: 1 }] });
    await run({ items: [{ id: 2 }], to: 'ndjson?compress=gzip', job: { load: 'append' } });
    expect(await tablesIn(prefix)).toEqual(['archive/orders.ndjson', 'notes.txt', 'orders.ndjson.gz']);
    expect(gunzipSync(await bytesOf(prefix, 'orders.ndjson.gz')).toString()).toBe('{"id":1}\n{"id":2}\n');
  });

  it('leave nothing on the machine but the journal, and nothing in the bucket but tables and what is known of runs', async () => {
    await run({ items: [order(1, 'secret')], to: 'csv', options: { runId: 'first/1' } });
    const own = join(folder, 'a', readdirSync(join(folder, 'a'))[0] ?? '');
    expect(readdirSync(own)).toEqual(['.headwater']);
    expect(readdirSync(join(own, '.headwater'), { recursive: true }).map(String).join(' ')).not.toMatch(/csv|data/);
    expect(await keysIn(prefix)).toEqual([
      '.headwater/csv/commit.json',
      '.headwater/csv/conditional',
      '.headwater/csv/runs/first%2F1.json',
      'orders.csv',
      'orders_lines.csv',
    ]);
  });

  it('are gone on with incrementally on another machine, whose state is that of the bucket', async () => {
    const job = { load: 'append', params: { since: { time: 'previousStart' } } };
    const asked: string[] = [];
    const note = (url: URL): unknown => asked.push(url.searchParams.get('since') ?? '');
    await run({ items: [{ id: 1 }], job, asked: note });
    await run({ items: [{ id: 2 }], job, asked: note, machine: 'b' });
    expect(await lines()).toEqual([{ id: 1 }, { id: 2 }]);
    expect(asked[0]).toBe('0');
    expect(Number(asked[1])).toBeGreaterThan(1_700_000_000);
  });

  it('know each run that was committed, on whichever machine', async () => {
    await run({ items: [{ id: 1 }], options: { runId: 'x' } });
    await run({ items: [{ id: 2 }], options: { runId: 'y' }, job: { load: 'append' } });
    const again = await run({ items: [{ id: 3 }], options: { runId: 'x' }, machine: 'b' });
    expect(again.alreadyCommitted).toBe(true);
    expect(await lines()).toEqual([{ id: 1 }, { id: 2 }]);
  });

  it('tell the success of a run that nobody was told of, though another machine has made another run since', async () => {
    const job = { load: 'append' };
    const onCommitted = (): Promise<void> => Promise.reject(new Error('dead'));
    await expect(run({ items: [{ id: 1 }], job, options: { onCommitted } })).rejects.toThrow('dead');
    await run({ items: [{ id: 2 }], job, machine: 'b' });
    const reported = await run({ items: [{ id: 1 }], job, options: { resume: true } });
    expect(reported).toMatchObject({ alreadyCommitted: true, stored: [{ tables: [{ rows: 1 }] }] });
    expect(await lines()).toEqual([{ id: 1 }, { id: 2 }]);
  });

  it('forget how far they are when an object of the last run is gone', async () => {
    const job = { load: 'append', params: { since: { time: 'previousStart' } } };
    const asked: string[] = [];
    await run({ items: [{ id: 1 }], job });
    await removeKey(prefix, 'orders.ndjson');
    const warnings: string[] = [];
    await run({
      items: [{ id: 1 }],
      job,
      asked: (url) => asked.push(url.searchParams.get('since') ?? ''),
      options: { onEvent: (event) => (event.type === 'warning' ? warnings.push(event.message) : undefined) },
    });
    expect(asked).toEqual(['0']);
    expect(warnings.join('\n')).toContain('the object "orders.ndjson" of the last run is gone');
  });

  describe('of two runs at once', () => {
    const outputs = [{ incremental: true, compatLevel: 3 } as const];
    const manifest = (id: string): RunManifest => ({
      id,
      fingerprint: 'f',
      startedAt: 1_700_000_000,
      previousStart: 0,
    });
    const page = (id: string): Page => {
      const job = { id: 'j', path: 'config.jobs[0]', endpoint: 'orders', dataType: 'orders' };
      return aPage([{ id }], { job, checkpoint: { call: [0, 0], job: 'j', pages: 1, items: 1, volume: 0 } });
    };
    const sinkOn = (machine: string): DurableSink =>
      sinks.ndjson(`s3://${BUCKET}/${prefix}`, { journal: join(folder, machine) })(outputs);
    /** Runs that have all their pages before the first of them is committed. */
    const begunOn = (...machines: readonly string[]): Promise<readonly DurableSink[]> =>
      Promise.all(
        machines.map(async (machine) => {
          const sink = sinkOn(machine);
          await sink.open();
          await sink.begin(manifest(machine));
          await sink.write(page(machine));
          return sink;
        }),
      );

    it('are those of the first to commit; the other one fails as often as it is tried, and does not go on', async () => {
      const [a, b] = (await begunOn('a', 'b')) as [DurableSink, DurableSink];
      await b.commit({ done: 'b' });
      for (let times = 0; times < 2; times += 1)
        await expect(a.commit({ done: 'a' })).rejects.toMatchObject({
          code: 'DESTINATION_LOCKED',
          message: expect.stringContaining('Another run was committed to it since this one began') as string,
        });
      await Promise.all([a.close(), b.close()]);
      const again = sinkOn('a');
      const { damage, finished, state } = await again.open();
      expect({ damage, finished, state }).toMatchObject({
        damage: { code: 'RESUME' },
        finished: 'b',
        state: { done: 'b' },
      });
      await again.begin(manifest('c'));
      await again.write(page('c'));
      await again.commit({});
      await again.close();
      expect(await lines()).toEqual([{ id: 'b' }, { id: 'c' }]);
    });

    it('are whole, and those of one of them, when both commit at once', async () => {
      for (const both of [
        ['a', 'b'],
        ['c', 'd'],
        ['e', 'f'],
      ] as const) {
        const before = (await tablesIn(prefix)).length === 0 ? [] : ((await lines()) as object[]);
        const begun = await begunOn(...both);
        const results = await Promise.allSettled(begun.map((sink) => sink.commit({})));
        await Promise.all(begun.map((sink) => sink.close()));
        expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
        const won = both[results.findIndex(({ status }) => status === 'fulfilled')];
        expect(await lines()).toEqual([...before, { id: won }]);
      }
    });

    it('are not added again where the machine of a committed run finds its pages', async () => {
      const [a] = (await begunOn('a')) as [DurableSink];
      // Its last request is answered too late: the run is committed, and its machine does not know.
      const journal = join(folder, 'a');
      const kept = join(folder, 'kept');
      cpSync(journal, kept, { recursive: true, filter: (path) => !path.endsWith('.sock') });
      await a.commit({});
      await a.close();
      const [b] = (await begunOn('b')) as [DurableSink];
      await b.commit({});
      await b.close();
      rmSync(journal, { recursive: true });
      cpSync(kept, journal, { recursive: true });
      const again = sinkOn('a');
      const { unfinished, damage, unreported } = await again.open();
      expect({ unfinished, damage, unreported: unreported?.id }).toEqual({ unreported: 'a' });
      await again.close();
      expect(await lines()).toEqual([{ id: 'a' }, { id: 'b' }]);
    });
  });

  describe('and a network that breaks', () => {
    /** A way to the server that can be cut. */
    async function wayToServer(): Promise<{ readonly cut: () => Promise<void>; readonly mend: () => Promise<void> }> {
      const { hostname, port } = new URL(s3Url ?? '');
      const sockets = new Set<Socket>();
      let way: Server;
      const listen = async (at: number): Promise<number> => {
        way = createServer((socket) => {
          const there = connect(Number(port), hostname);
          for (const end of [socket, there]) sockets.add(end.on('error', () => undefined));
          socket.pipe(there).pipe(socket);
        }).listen(at, '127.0.0.1');
        await new Promise((resolve) => way.once('listening', resolve));
        return (way.address() as AddressInfo).port;
      };
      const own = await listen(await ownPort());
      const cut = async (): Promise<void> => {
        for (const socket of sockets) socket.destroy();
        await new Promise((resolve) => way.close(resolve));
      };
      closedInTheEnd(cut);
      process.env['AWS_ENDPOINT_URL_S3'] = `http://127.0.0.1:${own}`;
      return { cut, mend: () => listen(own).then(() => undefined) };
    }

    it('lose nothing: the commit is repeated by --resume', async () => {
      const way = await wayToServer();
      const job = { load: 'append' };
      await run({ items: [{ id: 1 }], job });
      const cutOff = run({ items: [{ id: 2 }], job, asked: way.cut });
      await expect(cutOff).rejects.toMatchObject({
        code: 'SINK_FAILED',
        message: expect.stringMatching(
          /took no more \(.*ECONNREFUSED.*\. No row is lost.* go on with --resume/s,
        ) as string,
      });
      await expect(run({ items: [], job, options: { resume: true } })).rejects.toMatchObject({
        code: 'DESTINATION_ADDRESS',
        message: expect.stringContaining('See whether the network and the server are up') as string,
      });
      await way.mend();
      const asked: URL[] = [];
      await run({ items: [{ id: 3 }], job, options: { resume: true }, asked: (url) => asked.push(url) });
      expect(asked).toEqual([]);
      expect(await lines()).toEqual([{ id: 1 }, { id: 2 }]);
    });
  });

  describe('that cannot be used', () => {
    const failure = (changes: object = {}, to = addressOf('ndjson')): Promise<{ message: string; code: string }> => {
      Object.assign(process.env, changes);
      return deliver(
        { api: { baseUrl: 'http://api.test' }, config: { jobs: [{ endpoint: 'orders' }] } },
        [destinationOf(`${to}&journal=${join(folder, 'c')}`)],
        { fetch: () => Promise.reject(new Error('a request before the refusal')) },
      ).then(
        () => ({ message: 'nothing was wrong', code: '' }),
        (error: unknown) => error as { message: string; code: string },
      );
    };

    it('are refused before the first request: no such bucket, keys that are wrong', async () => {
      expect(await failure({}, 'ndjson:s3://no-such-bucket/x?')).toMatchObject({
        code: 'DESTINATION_ADDRESS',
        message: expect.stringMatching(/NoSuchBucket.*Make the bucket, or correct the address/) as string,
      });
      const wrong = await failure({ AWS_SECRET_ACCESS_KEY: 'a-wr0ng-secret' });
      expect(wrong).toMatchObject({
        code: 'DESTINATION_ADDRESS',
        message: expect.stringMatching(/SignatureDoesNotMatch.*Set keys that the server knows/) as string,
      });
      useS3();
      const unknown = await failure({ AWS_ACCESS_KEY_ID: 'unkn0wn-key' });
      expect(unknown.message).toMatch(/(InvalidAccessKeyId|UserNotFound).*Set keys that the server knows/);
      expect(`${wrong.message}${unknown.message}`).not.toMatch(/a-wr0ng-secret|unkn0wn-key/);
    });

    it('say which keys are missing, and that the record was changed', async () => {
      const none = await failure({ AWS_ACCESS_KEY_ID: '', AWS_SECRET_ACCESS_KEY: '' });
      expect(none.message).toMatch(/Set keys that the server knows.*AWS_ACCESS_KEY_ID/);
      useS3();
      await run({ items: [{ id: 1 }] });
      const record = await textOf(prefix, '.headwater/ndjson/commit.json');
      await putText(prefix, '.headwater/ndjson/commit.json', record.replace('orders', 'others'));
      expect((await failure()).code).toBe('DESTINATION_DAMAGED');
    });

    it('print no key, whatever the log level', async () => {
      const config = { api: { baseUrl: 'http://127.0.0.1:9' }, config: { jobs: [{ endpoint: 'x' }] } };
      process.env['AWS_SECRET_ACCESS_KEY'] = 'a-wr0ng-secret';
      const to = `${addressOf('ndjson')}journal=${join(folder, 'd')}`;
      const { status, stdout, stderr } = await runToEnd(
        ['run', '-', '--to', to, '--log-level', 'debug'],
        JSON.stringify(config),
      );
      expect(status).not.toBe(0);
      expect(stderr).toContain('SignatureDoesNotMatch');
      expect(stdout + stderr).not.toContain('a-wr0ng-secret');
      expect(stdout + stderr).not.toContain(S3_ENVIRONMENT.AWS_SECRET_ACCESS_KEY);
    });
  });
});
