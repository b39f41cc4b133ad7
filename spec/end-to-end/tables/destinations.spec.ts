/** What `deliver` asks of sinks, and tells its caller, at every end of a run (docs/sinks.md). */
import { mkdtemp, readFile, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkDestinations, deliver, destinationOf, explain, extract, schemaOf, sinks, validate } from '../../../src';
import type { Destination, DurableSink, Json, JsonObject, Log, RunEvent } from '../../../src';
import { optional } from '../../../src/components';
import type { Standing } from '../../../src/core/durable-sink';
import type { Checkpoint } from '../../../src/core/model';
import { oneOrList, text } from '../../../src/language/codec/primitives';
import { fingerprintOf } from '../../../src/language/configuration/fingerprint';
import { defineSink } from '../../../src/language/parts/sink';
import { json } from '../../support/answers';
import { startServer } from '../../support/api-server';
import type { ApiServer, Handler } from '../../support/api-server';
import { runToEnd } from '../../support/command';
import { queryDuckDB } from '../../support/duckdb';
import { anOutput } from '../../support/durable';
import { faultsOf } from '../../support/faults-of';
import { filesIn, load } from '../../support/load';
import { tableRuns } from '../../support/table-runs';
import { exampleAt } from '../examples';

describe('deliver sinks', () => {
  let server: ApiServer | undefined;
  afterEach(async () => {
    await server?.close();
    server = undefined;
  });

  /** A configuration with one job, of an API with one page of items. */
  async function listing(job: object = {}, answer: Handler = () => json([{ id: 1 }])) {
    server = await startServer(answer);
    return { api: { baseUrl: server.origin }, config: { jobs: [{ endpoint: 'items', ...job }] } };
  }

  /** A sink in memory, which tells what it was asked to do. */
  function memory(changes: Partial<DurableSink> = {}, standing: Standing = { state: {} }) {
    const calls: string[] = [];
    const states: JsonObject[] = [];
    const sink: DurableSink = {
      name: 'memory',
      open: () => Promise.resolve(standing),
      begin: () => Promise.resolve(void calls.push('begin')),
      write: ({ count }) => Promise.resolve(void calls.push(`write ${count}`)),
      commit: (state) => {
        calls.push('commit');
        states.push(state);
        return Promise.resolve([]);
      },
      close: () => Promise.resolve(void calls.push('close')),
      ...changes,
    };
    return { calls, states, sink, destination: () => sink };
  }

  /** Hears warnings by their codes. */
  function collecting() {
    const codes: string[] = [];
    const onEvent = (event: RunEvent): void => {
      if (event.type === 'warning') codes.push(event.code);
    };
    return { codes, onEvent };
  }

  describe('without a destination', () => {
    it('nothing would be requested, which is no complete run: it is refused', async () => {
      const config = await listing();
      await expect(deliver(config, [])).rejects.toMatchObject({
        code: 'CONFIG_INVALID',
        message: expect.stringContaining('destinations: expected at least one destination') as string,
      });
    });
  });

  describe('deliver closes its sinks', () => {
    it('after the commit; one that cannot be closed keeps no other from it, and does not undo the run', async () => {
      const stuck = memory({ close: () => Promise.reject(new Error('stuck')) });
      const other = memory();
      const { outcome } = await deliver(await listing(), [stuck.destination, other.destination]);
      expect(outcome).toBe('complete');
      expect(other.calls).toEqual(['begin', 'write 1', 'commit', 'close']);
    });

    it.each([
      ['opened', 'open', ['close']],
      ['begun', 'begin', ['begin', 'close']],
      ['written to', 'write', ['begin', 'write 1', 'close']],
      ['committed', 'commit', ['begin', 'write 1', 'commit', 'close']],
    ])('when one of them cannot be %s; the error is the one of the sink', async (_, call, calls) => {
      const sound = memory();
      const broken = memory({ [call]: () => Promise.reject(new Error('broken')) });
      const run = deliver(await listing(), [sound.destination, broken.destination]);
      await expect(run).rejects.toThrow('broken');
      expect(sound.calls).toEqual(calls);
      expect(broken.calls.at(-1)).toBe('close');
    });

    it('and has no part in a run that fails', async () => {
      const { calls, destination } = memory();
      await expect(deliver(await listing({}, () => json({}, 404)), [destination])).rejects.toThrow('404');
      expect(calls).toEqual(['begin', 'close']);
    });
  });

  describe('deliver and a sink whose run is damaged', () => {
    const damaged = { state: {}, damage: new Error('torn') };

    it('does not go on with it', async () => {
      const { calls, destination } = memory({}, damaged);
      await expect(deliver(await listing(), [destination], { resume: true })).rejects.toThrow('torn');
      expect(calls).toEqual(['close']);
      expect(server?.requests).toEqual([]);
    });

    it('begins another where nobody asks to go on, and says so', async () => {
      const { calls, destination } = memory({}, damaged);
      const { codes, onEvent } = collecting();
      await deliver(await listing(), [destination], { onEvent });
      expect(calls).toEqual(['begin', 'write 1', 'commit', 'close']);
      expect(codes).toEqual(['RUN_DROPPED']);
    });
  });

  describe('deliver, when one sink has committed the run and another has not', () => {
    it('commits it there, with nothing requested again, and tells of all jobs', async () => {
      const config = await listing({ id: 'j' });
      const done = memory({}, { state: {}, finished: 'run-1' });
      const head = { id: 'run-1', fingerprint: fingerprintOf(config), startedAt: 5, previousStart: 0 };
      const last: Checkpoint = { call: [0, 0], job: 'j', pages: 1, items: 1, volume: 0 };
      const behind = memory(
        { name: 'behind' },
        {
          state: {},
          unfinished: {
            manifest: head,
            async *checkpoints() {
              yield await Promise.resolve(last);
            },
          },
        },
      );
      const result = await deliver(config, [done.destination, behind.destination], { resume: true });
      expect(server?.requests).toEqual([]);
      expect([done.calls, behind.calls]).toEqual([['close'], ['commit', 'close']]);
      expect(result).toMatchObject({ stored: [{ sink: 'behind' }], resumedPages: 1, outcome: 'complete' });
      expect(result.jobs).toMatchObject([{ endpoint: 'items' }]);
      expect(result.state).toMatchObject({ time: { previousStart: 5 } });
    });
  });

  describe('deliver tells its caller', () => {
    it('what logins gave to keep, in the state too; the sinks do not get it', async () => {
      const { states, destination } = memory();
      const kept: JsonObject[] = [];
      server = await startServer(({ url }) =>
        url === '/oauth/token'
          ? json({ access_token: 'a', expires_in: 60, refresh_token: 'rotated' })
          : json([{ id: 1 }]),
      );
      const config = exampleAt(server.origin, 'kept-credentials.json') as unknown as JsonObject;
      const credentials = [{ '#login': expect.any(String) as string, values: { '#refreshToken': 'rotated' } }];
      const { state } = await deliver(config, [destination], {
        state: { mine: 1 },
        onCredentials: (next) => void kept.push(next),
      });
      expect(kept).toEqual([{ mine: 1, 'headwater.credentials': credentials }]);
      expect(state).toMatchObject({ mine: 1, 'headwater.credentials': credentials });
      expect((await deliver(config, [destination])).state).toMatchObject({ 'headwater.credentials': credentials });
      expect(states).toHaveLength(2);
      expect(JSON.stringify(states)).not.toContain('rotated');
    });

    it('what a sink has kept for itself', async () => {
      const { destination } = memory({ kept: () => ({ mine: { columns: 2 } }) });
      const { state } = await deliver(await listing(), [destination], { state: { mine: { a: 1 } } });
      expect(state.mine).toEqual({ a: 1, columns: 2 });
    });

    it('that a destination would lose something, as a warning; where warnings are errors, nothing is requested', async () => {
      const { calls, destination } = memory({ makes: 'tables' });
      const { codes, onEvent } = collecting();
      const config = await listing({ params: { since: { time: 'previousStart' } } });
      await deliver(config, [destination], { onEvent });
      await deliver(config, [destination]);
      expect(codes).toEqual(['CONFIGURATION']);
      calls.length = 0;
      const strict = deliver(config, [destination], { strict: true });
      await expect(strict).rejects.toMatchObject({ code: 'WARNINGS' });
      expect(calls).toEqual([]);
      expect(server?.requests).toHaveLength(2);
    });

    it('that a run is incomplete which is committed all the same; nobody need hear it', async () => {
      const { calls, destination } = memory();
      const { codes, onEvent } = collecting();
      const config = await listing({ dataField: 'item' }, () => json({ items: [{ id: 1 }], next: null }));
      await deliver(config, [destination], { acceptIncomplete: true, onEvent });
      expect(codes).toContain('DATA_NOT_FOUND');
      await expect(deliver(config, [destination], { acceptIncomplete: true })).resolves.toMatchObject({
        outcome: 'doubtful',
      });
      await expect(deliver(config, [destination])).rejects.toMatchObject({ code: 'INCOMPLETE' });
      expect(calls.filter((call) => call === 'commit')).toHaveLength(2);
    });

    it('that the field of an incremental job is in no item', async () => {
      const { destination } = memory();
      const config = await listing({ incremental: { field: 'at', param: 'since' } });
      const incremental = { ...config, config: { ...config.config, incrementalOutput: true } };
      await expect(deliver(incremental, [destination])).rejects.toMatchObject({
        doubts: [
          { code: 'KEY_NOT_FOUND', message: expect.stringContaining('no item of items had the field "at"') as string },
        ],
      });
    });

    it('nothing of unknown keys where it is asked to be lenient', async () => {
      const { destination } = memory();
      const config = await listing({ methode: 'POST' });
      await expect(deliver(config, [destination])).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
      await expect(deliver(config, [destination], { lenient: true })).resolves.toMatchObject({ outcome: 'complete' });
    });
  });
});

/** Settings of one destination: beside its address, or behind it (docs/sinks.md#settings). */

const seen: unknown[] = [];
const nothing = (): Promise<never> => Promise.reject(new Error('not opened'));
const shelf = defineSink({
  kind: 'sink',
  name: 'shelf',
  summary: 'Items on a shelf.',
  use: 'Choose it for specs.',
  schemes: ['shelf'],
  address: ['shelf:NAME'],
  example: 'shelf:x',
  rules: [],
  makes: undefined,
  options: { labels: optional(oneOrList(text), { about: 'The labels.', example: 'red' }) },
  create: ({ url, rest }, _, { labels }: { readonly labels?: readonly string[] }) => {
    seen.push({ url, rest, labels });
    return { name: url, ...{ open: nothing, begin: nothing, write: nothing, commit: nothing, close: nothing } };
  },
});
const configurationWith = (...destinations: readonly unknown[]): unknown => ({
  api: { baseUrl: 'http://127.0.0.1' },
  config: { jobs: [{ endpoint: 'a' }], sinks: destinations },
});
const refusalOf = (...destinations: readonly unknown[]): string => {
  try {
    validate(configurationWith(...destinations), { components: [shelf] });
  } catch (error) {
    return String(error);
  }
  return '';
};

describe('settings in config.sinks', () => {
  it('stand beside the address, and are given as they were written', () => {
    const written = [
      { to: 'parquet:out', nested: 'json' },
      'duckdb:x',
      'duckdb:x',
      { to: 'parquet:out', nested: 'json' },
    ];
    expect(validate(configurationWith(...written)).sinks).toEqual([{ nested: 'json', to: 'parquet:out' }, 'duckdb:x']);
  });

  it.each([
    [{ to: 'parquet:out', nestd: 'json' }, 'config.sinks[0].nestd: has no effect: unknown key; did you mean "nested"?'],
    [
      { to: 'parquet:out', colour: 'red' },
      'config.sinks[0].colour: has no effect: parquet has no such setting; it has nested, partitionBy, journal',
    ],
    [{ to: 'csv:out', colour: 1 }, 'config.sinks[0].colour: has no effect: csv has no such setting'],
    [
      { to: 'parquet:out', nested: 'jsn' },
      'config.sinks[0].nested: expected one of tables, json, struct, found "jsn"; did you mean "json"?',
    ],
    [{ nested: 'json' }, 'config.sinks[0].to: expected an address, found nothing'],
    [{ to: 'parket:out' }, 'config.sinks[0].to: A destination should be'],
    [7, 'config.sinks[0]: expected an address, or an object with "to", found'],
    [
      'parquet:out?nestd=json',
      'config.sinks[0]: the setting "nestd" of the address has no effect: unknown key; did you mean "nested"?',
    ],
    [
      'parquet:out?nested=x',
      'config.sinks[0].nested: expected one of tables, json, struct, found a string of 1 character',
    ],
    [{ to: 'parquet:out?nested=json', nested: 'json' }, 'config.sinks[0].nested: is given in the address as well'],
  ])('%j is refused', (written, message) => {
    expect(refusalOf(written)).toContain(message);
  });

  it('may have comments, and keys of no effect where the configuration is read leniently', () => {
    expect(refusalOf({ to: 'parquet:out', '//': 'for the analysts' })).toBe('');
    const config = configurationWith({ to: 'parquet:out', nestd: 'json' });
    expect(validate(config, { lenient: true }).warnings).toMatchObject([{ path: 'config.sinks[0].nestd' }]);
  });

  it('are in the schema and in the manual, those of an application as well', () => {
    const branch = schemaOf([shelf]).$defs['sink.shelf'];
    expect(Object.keys(branch?.properties ?? {})).toEqual(['to', 'labels']);
    expect(explain('shelf', [shelf])).toMatchObject({ page: expect.stringContaining('`labels`') as string });
    expect(explain('sink csv')).toMatchObject({ page: expect.stringContaining('## Settings') as string });
  });
});

describe('settings behind an address', () => {
  beforeEach(() => (seen.length = 0));
  const made = (written: Parameters<typeof destinationOf>[0]): unknown => {
    destinationOf(written, { components: [shelf] })([anOutput()]);
    return seen.pop();
  };

  it('follow the last question mark; a name that has one ends with one', () => {
    expect(made('shelf:a?labels=red&labels=b%26w')).toEqual({ url: 'shelf:a', rest: 'a', labels: ['red', 'b&w'] });
    expect(made('shelf:a?b?')).toEqual({ url: 'shelf:a?b', rest: 'a?b' });
    expect(made('shelf:a?b?labels=red')).toEqual({ url: 'shelf:a?b', rest: 'a?b', labels: ['red'] });
    expect(made({ to: 'shelf:a', labels: ['red', 'blue'] })).toEqual({
      url: 'shelf:a',
      rest: 'a',
      labels: ['red', 'blue'],
    });
    expect(() => made('shelf:a?b')).toThrow(
      'the setting "b" of the address has no effect: shelf has no such setting; it has labels',
    );
  });

  it('of a sink without settings are a part of the address', () => {
    destinationOf('shelf:a?b=c', { components: [{ ...shelf, options: undefined as never }] })([anOutput()]);
    expect(seen).toEqual([{ url: 'shelf:a?b=c', rest: 'a?b=c' }]);
  });

  it('of a server are taken out of its URL, and all others stay', () => {
    const name = (url: string): string => destinationOf(url)([anOutput()]).name;
    expect(name('postgres://me@db/sales?nested=json&schema=crm')).toBe('postgres://db/sales?schema=crm');
    expect(name('postgres://me@db/sales?nested=json')).toBe('postgres://db/sales');
    expect(() => destinationOf('postgres://db/sales?nested=x')).toThrow(
      'nested: expected one of tables, json, found a string of 1 character',
    );
  });

  it('never show what may be a password', () => {
    const refused = (): unknown => destinationOf('postgres://me:p?nested=secret@db/sales')([anOutput()]);
    expect(refused).toThrow(/cannot be used/);
    expect(refused).not.toThrow(/secret/);
  });

  it('are checked where the library gives them', () => {
    expect(() => sinks.parquet('out', { nested: 'jsn' as 'json' })).toThrow('nested: expected one of tables, json');
  });
});

describe('a setting of one destination', () => {
  let folder: string;
  beforeEach(async () => (folder = await mkdtemp(join(tmpdir(), 'headwater-spec-'))));
  afterEach(() => rm(folder, { recursive: true }));

  it('goes before the one that is given for all', async () => {
    const to = [`parquet:${join(folder, 'all')}`, `parquet:${join(folder, 'one')}?nested=tables`];
    const fetch = (): Promise<Response> => Promise.resolve(Response.json([{ id: 1, tags: ['a'] }]));
    await deliver(
      configurationWith() as Json,
      to.map((each) => destinationOf(each, { nested: 'json' })),
      { fetch },
    );
    const files = async (name: string): Promise<string[]> =>
      (await readdir(join(folder, name))).filter((file) => file.endsWith('.parquet')).sort();
    expect(await files('all')).toEqual(['a.parquet']);
    expect(await files('one')).toEqual(['a.parquet', 'a_tags.parquet']);
  });
});

/** Several destinations of one run: each makes its tables as if it were the only one (docs/sinks.md). */

describe('csv: among several destinations', () => {
  const api = tableRuns();
  const run = (tos: readonly string[], config: Json) =>
    deliver(
      config,
      tos.map((to) => destinationOf(to.replace(':', `:${api.folder}/`))),
    );
  const csv = (table: string): Promise<string> => readFile(join(api.folder, 'cs', `${table}.csv`), 'utf8');
  const link = (text: string): string => text.replace(/_[0-9a-f]{32}/g, '_<id>');

  const FIRST = [{ id: 1, tg: ['a'], em: [{ k: 1 }], 'a b': 'SPACE', a_b: 'UNDER' }];
  const LATER = [{ id: 2, tg: 'b', em: { k: 2 }, a_b: 'UNDER', 'a b': 'SPACE' }];
  const ORDERS: readonly (readonly [string, readonly string[], readonly string[]])[] = [
    ['first', ['csv:cs', 'duckdb:x.duckdb'], ['csv:cs', 'duckdb:x.duckdb']],
    ['behind DuckDB', ['duckdb:x.duckdb', 'csv:cs'], ['duckdb:x.duckdb', 'csv:cs']],
    ['behind NDJSON', ['ndjson:nd', 'csv:cs'], ['ndjson:nd', 'csv:cs']],
    ['alone at first, and behind a new one then', ['csv:cs'], ['duckdb:x.duckdb', 'csv:cs']],
    ['behind another CSV', ['csv:other', 'csv:cs'], ['csv:other', 'csv:cs']],
  ];

  it.each(ORDERS)('%s, it keeps the columns that its files have', async (_, first, later) => {
    const config = api.configOf([{ endpoint: 'x', load: 'append' }]);
    api.answers = { '/x': FIRST };
    await run(first, config);
    api.answers = { '/x': LATER };
    await run(later, config);
    expect(link(await csv('x'))).toBe(
      '"id","tg","em","a_b","a_b_u0"\n"1","x_<id>","x_<id>","SPACE","UNDER"\n"2","x_<id>","x_<id>","SPACE","UNDER"\n',
    );
    expect(link(await csv('x_tg'))).toBe('"data","JSON_parentId"\n"a","x_<id>"\n"b","x_<id>"\n');
    expect(link(await csv('x_em'))).toBe('"k","JSON_parentId"\n"1","x_<id>"\n"2","x_<id>"\n');
  });

  it.each(ORDERS)('%s, it refuses a scalar in a list of objects', async (_, first, later) => {
    const config = api.configOf([{ endpoint: 'x', load: 'append' }]);
    api.answers = { '/x': [{ id: 2, em: [{ k: 1 }] }] };
    await run(first, config);
    api.answers = { '/x': [{ id: 3, em: 's' }] };
    await expect(run(later, config)).rejects.toMatchObject({ code: 'API_SHAPE' });
  });

  it('what it refuses is stored nowhere, whatever the order, and the others get it without it', async () => {
    const config = api.configOf([{ endpoint: 'x', load: 'append' }]);
    api.answers = { '/x': [{ id: 1, addr: { street: 's' } }] };
    await run(['duckdb:x.duckdb', 'csv:cs'], config);
    api.answers = { '/x': [{ id: 2, addr: 'scalar' }] };
    await expect(run(['duckdb:x.duckdb', 'csv:cs'], config)).rejects.toMatchObject({
      code: 'API_SHAPE',
      destination: `csv:${api.folder}/cs`,
    });
    const ids = () => queryDuckDB(join(api.folder, 'x.duckdb'), 'SELECT id FROM x ORDER BY id');
    expect(await ids()).toEqual([[1]]);
    await deliver(config, [destinationOf(`duckdb:${api.folder}/x.duckdb`)], { resume: true });
    expect(await ids()).toEqual([[1], [2]]);
  });

  it('a file of state tells of other files than those of a folder', async () => {
    const config = api.configOf([{ endpoint: 'x', load: 'append' }]);
    api.answers = { '/x': FIRST };
    await run(['csv:cs'], config);
    api.answers = { '/x': LATER };
    const { state } = await run(['csv:other'], config);
    await deliver(config, [destinationOf(`csv:${api.folder}/cs`)], { state });
    expect(link(await csv('x'))).toMatch(/"2","x_<id>","x_<id>","SPACE","UNDER"\n$/);
  });
});

/** What is refused before the first request, since a destination would make of it what nobody means (docs/sinks.md). */

describe('what destinations make', () => {
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
      const children = [
        { endpoint: 'in/{id}', placeholders: { id: 'id' }, incremental: { field: 'n', param: 'from' } },
      ];
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
      const faults = await faultsOf(
        deliver(await configuration({ mappings }), [STREAMS['nats://']?.() as Destination]),
      );
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
});
