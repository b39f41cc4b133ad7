/** What is refused before the first request, since a destination would make of it what nobody means (docs/sinks.md). */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkDestinations, deliver, destinationOf, extract, sinks } from '../../src';
import type { Destination, JsonObject, Log } from '../../src';
import { json } from '../support/answers';
import { startServer } from '../support/api-server';
import type { ApiServer, Handler } from '../support/api-server';
import { runToEnd } from '../support/command';
import { queryDuckDB } from '../support/duckdb';
import { faultsOf } from '../support/faults-of';
import { filesIn, load } from '../support/load';

let folder: string;
let server: ApiServer | undefined;
beforeEach(async () => (folder = await mkdtemp(join(tmpdir(), 'headwater-spec-'))));
afterEach(async () => {
  await server?.close();
  server = undefined;
  await rm(folder, { recursive: true, force: true });
});

const TABLES: Readonly<Record<string, (name?: string) => Destination>> = {
  csv: (name = 'out') => sinks.csv(join(folder, name)),
  ndjson: (name = 'out') => sinks.ndjson(join(folder, name)),
  parquet: (name = 'out') => sinks.parquet(join(folder, name)),
  duckdb: (name = 'out') => sinks.duckdb(join(folder, `${name}.duckdb`)),
  postgres: () => sinks.postgres('postgres://nobody@127.0.0.1:1/none'),
};
const STREAMS: Readonly<Record<string, () => Destination>> = {
  'nats://': () => sinks.nats('nats://127.0.0.1:1/NONE', { workFolder: join(folder, 'work') }),
};
const nowhere = sinks.transient('nowhere', { write: () => Promise.resolve(), close: () => Promise.resolve() });

/** 2,020 rows in pages of 100; after `since`, only those that are newer. */
const LAST = 2020;
let newest = LAST;
const rows: Handler = ({ url }) => {
  const { searchParams } = new URL(url, 'http://api');
  const [since, offset] = ['since', 'offset'].map((name) => Number(searchParams.get(name) ?? 0)) as [number, number];
  const length = Math.max(0, Math.min(100, newest - since - offset));
  return json(Array.from({ length }, (_, at) => ({ id: since + offset + at + 1 })));
};
beforeEach(() => (newest = LAST));

async function configuration(
  config: JsonObject,
  job: JsonObject = {},
): Promise<{ api: JsonObject; config: JsonObject }> {
  server ??= await startServer(rows);
  return {
    api: { baseUrl: server.origin, pagination: { method: 'offset', limit: 100 } },
    config: { jobs: [{ endpoint: 'rows', ...job }], ...config },
  };
}
const onlyNew = { id: 'rows', incremental: { field: 'id', param: 'since' } };
const logged = (): { readonly warnings: string[]; readonly logger: Log } => {
  const warnings: string[] = [];
  return { warnings, logger: { log: (level, message) => level === 'warn' && warnings.push(message) } };
};

describe('a job that asks only for what is new', () => {
  describe.each(Object.entries(TABLES))('%s', (_, to) => {
    it.each([
      ['nothing', {}, {}],
      ['a primary key alone', {}, { primaryKey: 'id' }],
    ])('is refused before the first request where tables are replaced: %s', async (__, config, job) => {
      const faults = await faultsOf(deliver(await configuration(config, { ...onlyNew, ...job }), [to()]));
      expect(faults).toEqual([
        {
          path: 'config.jobs[0].incremental',
          message: expect.stringContaining('Write "load": "merge" with a "primaryKey" in the job') as string,
        },
      ]);
      expect(server?.requests).toEqual([]);
    });
  });

  it.each(['csv', 'ndjson', 'parquet', 'duckdb'])(
    '%s: the second run adds its one row to those of the first',
    async (kind) => {
      const config = await configuration({ incrementalOutput: true }, onlyNew);
      const to = TABLES[kind] as () => Destination;
      await deliver(config, [to()]);
      newest += 1;
      await deliver(config, [to()]);
      expect(await idsIn(kind)).toEqual(Array.from({ length: LAST + 1 }, (_, at) => at + 1));
    },
  );

  async function idsIn(kind: string): Promise<readonly number[]> {
    if (kind === 'csv' || kind === 'ndjson') {
      const text = await readFile(join(folder, 'out', `rows.${kind}`), 'utf8');
      return [...text.matchAll(/\d+/g)].map(([digits]) => Number(digits));
    }
    const from = kind === 'duckdb' ? 'rows' : `read_parquet('${join(folder, 'out', 'rows.parquet')}')`;
    const found = await queryDuckDB(
      kind === 'duckdb' ? join(folder, 'out.duckdb') : ':memory:',
      `SELECT id FROM ${from} ORDER BY id`,
    );
    return found.map(([id]) => Number(id));
  }

  it('is refused in children and in every iteration, each place once', async () => {
    const children = [{ endpoint: 'in/{id}', placeholders: { id: 'id' }, incremental: { field: 'n', param: 'from' } }];
    const config = await configuration({}, { children });
    const iterated = { ...config, iterations: [{}, { incrementalOutput: true }] };
    const faults = await faultsOf(deliver(iterated, [TABLES['csv']?.() as Destination]));
    expect(faults.map(({ path }) => path)).toEqual(['config.jobs[0].children[0].incremental']);
  });

  it('is refused where runs of one table do not agree', async () => {
    const config = await configuration({ incrementalOutput: true }, onlyNew);
    const iterated = { ...config, iterations: [{}, { incrementalOutput: false }] };
    expect(await faultsOf(deliver(iterated, [TABLES['duckdb']?.() as Destination]))).toHaveLength(1);
  });

  it('is taken by what only ever adds, and by no destination at all', async () => {
    const config = await configuration({}, onlyNew);
    await deliver(config, [nowhere]);
    const { outputs } = extract(config);
    for (const to of Object.values(STREAMS)) expect(checkDestinations([to()(outputs)], outputs)).toEqual([]);
    expect(checkDestinations([destinationOf('ndjson:-')(outputs)], outputs)).toEqual([]);
  });

  it('is refused by validate and run, for the destinations of the configuration', async () => {
    const config = await configuration({ sinks: [`csv:${join(folder, 'out')}`] }, onlyNew);
    for (const command of ['validate', 'run']) {
      const { status, stderr } = await runToEnd([command, '-'], JSON.stringify(config));
      expect(stderr).toContain('config.jobs[0].incremental: ');
      expect(status).toBe(1);
    }
    expect(server?.requests).toEqual([]);
  });

  it('is refused for files that are made at one go and replaced, and taken where a manifest says how to load them', async () => {
    const config = await configuration({}, onlyNew);
    const files = { suffix: '.csv', bucketPrefix: 'if-several' } as const;
    const faults = await faultsOf(load(config, filesIn(join(folder, 'out'), { ...files, manifests: false })));
    expect(faults.map(({ path }) => path)).toEqual(['config.jobs[0].incremental']);
    await load(config, filesIn(join(folder, 'out'), { ...files, manifests: true }));
  });

  it('by time.previousStart: a warning with its place', async () => {
    const { warnings, logger } = logged();
    const job = { params: { since: { function: 'concat', args: [{ time: 'previousStart' }] } } };
    await deliver(await configuration({}, job), [TABLES['csv']?.() as Destination], { logger });
    expect(warnings).toEqual([
      expect.stringMatching(/^config\.jobs\[0\]\.params: .*"load": "append", so that they are added/),
    ]);
    warnings.length = 0;
    await deliver(await configuration({ incrementalOutput: true }, job), [TABLES['csv']?.('b') as Destination], {
      logger,
    });
    expect(warnings).toEqual([]);
  });
});

describe('mappings', () => {
  const mappings = { rows: { id: 'number' } };

  it.each(['ndjson', 'parquet', 'duckdb', 'postgres'])('%s: are applied', async (kind) => {
    const outputs = extract(await configuration({ mappings })).outputs;
    expect(checkDestinations([(TABLES[kind] as () => Destination)()(outputs)], outputs)).toEqual([]);
  });

  it('are refused by tables that do not know them, such as those of a sink of your own', () => {
    const output = { incremental: false, compatLevel: 3, mappings } as const;
    const faults = (): unknown => checkDestinations([{ name: 'mine', makes: 'tables' }], [output]);
    expect(faults).toThrow(/config\.mappings.*mine/s);
  });

  it('are refused where tables of several buckets have one name and other columns, but for CSV, which has a file for each', () => {
    const common = { incremental: false, compatLevel: 3 } as const;
    const outputs = ['x', 'y'].map((id) => ({ ...common, bucket: id, mappings: { rows: { id } } }));
    const refused = (maker: string): unknown =>
      checkDestinations([(TABLES[maker] as () => Destination)()(outputs)], outputs);
    for (const typed of ['ndjson', 'duckdb', 'postgres'])
      expect(() => refused(typed)).toThrow(/config\.mappings.*'rows' table have different columns.*x.*y/s);
    expect(refused('csv')).toEqual([]);
  });

  it('are refused by streams of messages', async () => {
    const faults = await faultsOf(deliver(await configuration({ mappings }), [STREAMS['nats://']?.() as Destination]));
    expect(faults.map(({ path }) => path)).toEqual(['config.mappings']);
  });

  it('are applied in CSV, and items that are passed on stay as they came, with a warning', async () => {
    const { warnings, logger } = logged();
    await deliver(await configuration({ mappings }), [TABLES['csv']?.() as Destination], { logger });
    expect(warnings).toEqual([]);
    expect(await readFile(join(folder, 'out', 'rows.csv'), 'utf8')).toMatch(/^"number"\n"1"\n/);
    await deliver(await configuration({ mappings }), [nowhere], { logger });
    expect(warnings).toEqual([expect.stringMatching(/^config\.mappings: .*nowhere/)]);
  });

  it('of all faults and all destinations, each is told', async () => {
    const both = [TABLES['ndjson']?.('a'), STREAMS['nats://']?.()] as Destination[];
    const faults = await faultsOf(deliver(await configuration({ mappings }, onlyNew), both));
    expect(faults).toEqual([
      { path: 'config.jobs[0].incremental', message: expect.stringContaining(join(folder, 'a')) as string },
      { path: 'config.mappings', message: expect.stringContaining('nats://') as string },
    ]);
  });

  it('lenient goes on with misspelled keys, and never with what would lose rows', async () => {
    const to = (STREAMS['nats://'] as () => Destination)();
    const both = [(TABLES['ndjson'] as (name: string) => Destination)('a'), to];
    const faults = await faultsOf(deliver(await configuration({ mappings }, onlyNew), both, { lenient: true }));
    expect(faults.map(({ path }) => path)).toEqual(['config.jobs[0].incremental', 'config.mappings']);
  });
});

describe('columns of STRUCT and LIST', () => {
  it.each(['parquet', 'duckdb'])('%s: are made', async (kind) => {
    const { outputs } = extract(await configuration({}, { nested: 'struct' }));
    expect(checkDestinations([(TABLES[kind] as () => Destination)()(outputs)], outputs)).toEqual([]);
  });

  it.each(['csv', 'ndjson', 'postgres'])('%s: are refused with their place', async (kind) => {
    const work = deliver(await configuration({}, { nested: 'struct' }), [(TABLES[kind] as () => Destination)()]);
    expect(await faultsOf(work)).toEqual([
      {
        path: 'config.jobs[0].nested',
        message: expect.stringMatching(/only duckdb: and parquet:.*"tables" or "json"/) as string,
      },
    ]);
    expect(server?.requests).toEqual([]);
  });

  it('are refused by streams, of children as well, and by the settings of other destinations', async () => {
    const children = [{ endpoint: 'rows/{id}/lines', placeholders: { id: 'id' }, nested: 'struct' }];
    const faults = await faultsOf(
      deliver(await configuration({}, { children }), [STREAMS['nats://']?.() as Destination]),
    );
    expect(faults.map(({ path }) => path)).toEqual(['config.jobs[0].children[0].nested']);
    for (const to of ['postgres://nobody@127.0.0.1:1/none', `sqlite:${folder}/x.sqlite`])
      expect(() => destinationOf({ to, nested: 'struct' })).toThrow(
        /^nested: expected tables or json.*only duckdb: and parquet:/,
      );
  });
});
