/** Runs that are given an id: one message, one run, however often it is asked for (docs/sinks.md#run-ids). */
import { appendFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deliver, sinks } from '../../src';
import type { DeliverOptions, Delivery, Destination, JsonObject, Page, RunEvent } from '../../src';
import { runLog } from '../../src/sinks/files/folder-commit';
import { json } from '../support/answers';
import { startServer } from '../support/api-server';
import type { ApiServer } from '../support/api-server';
import { queryDuckDB } from '../support/duckdb';
import { NatsProbe, natsUrl } from '../support/nats-server';
import { describeWithPostgres, testDatabase } from '../support/postgres';

let folder: string;
let server: ApiServer;
let events: RunEvent[] = [];
beforeEach(async () => {
  events = [];
  folder = await mkdtemp(join(tmpdir(), 'headwater-run-ids-'));
  server = await startServer(({ url }) => {
    const offset = Number(new URL(url, 'http://api').searchParams.get('offset') ?? 0);
    return json([1, 2].map((at) => ({ id: offset + at })).filter(({ id }) => id <= 5));
  });
});
afterEach(async () => {
  await server.close();
  await rm(folder, { recursive: true, force: true });
});

const out = (name = 'out'): string => join(folder, name);
const asked = (): number => server.requests.length;
const configured = (changes: JsonObject = {}, job: JsonObject = {}): JsonObject => ({
  api: { name: 'rivers', baseUrl: server.origin, pagination: { method: 'offset', limit: 2 } },
  config: { incrementalOutput: true, jobs: [{ endpoint: 'items', ...job }], ...changes },
});
const run = (destinations: readonly Destination[], options: DeliverOptions, config = configured()): Promise<Delivery> =>
  deliver(config, destinations, { onEvent: (event) => events.push(event), ...options });
const warnings = (): string[] => events.flatMap((event) => (event.type === 'warning' ? [event.code] : []));
const ids = [1, 2, 3, 4, 5];
const linesIn = async (name = 'out'): Promise<number[]> =>
  (await readFile(join(folder, name, 'items.ndjson'), 'utf8'))
    .trimEnd()
    .split('\n')
    .map((line) => (JSON.parse(line) as { id: number }).id);
const dyingAfter =
  (pages: number, destination: Destination): Destination =>
  (outputs) => {
    const sink = destination(outputs);
    let left = pages;
    const write = async (page: Page): Promise<void> => {
      if (left === 0) throw new Error('dead');
      left -= 1;
      await sink.write(page);
    };
    return { ...sink, write };
  };
const notCommitting =
  (destination: Destination): Destination =>
  (outputs) => ({ ...destination(outputs), commit: () => Promise.reject(new Error('dead')) });

describe('a run with an id', () => {
  it('is made once: the same call again is a success, requests nothing and changes nothing', async () => {
    const first = await run([sinks.ndjson(out())], { runId: 'm-1' });
    expect(first).toMatchObject({ runId: 'm-1', alreadyCommitted: false });
    const before = asked();
    const again = await run([sinks.ndjson(out())], { runId: 'm-1' });
    expect(again).toEqual({
      ...{ runId: 'm-1', alreadyCommitted: true, stored: first.stored, resumedPages: 0 },
      ...{ state: first.state, outcome: 'complete', jobs: [] },
    });
    expect(asked()).toBe(before);
    expect(events.at(-1)).toEqual({ type: 'run.skipped', run: 'm-1', runId: 'm-1' });
    expect(await linesIn()).toEqual(ids);
  });

  it('is known however long ago it was', async () => {
    for (const runId of ['m-1', 'm-2', 'm-3']) await run([sinks.ndjson(out())], { runId });
    await run([sinks.ndjson(out())], {});
    const before = asked();
    for (const runId of ['m-1', 'm-2', 'm-3'])
      expect(await run([sinks.ndjson(out())], { runId })).toMatchObject({ alreadyCommitted: true });
    expect(asked()).toBe(before);
    expect(await linesIn()).toEqual([...ids, ...ids, ...ids, ...ids]);
  });

  it('leaves a run alone that waits in the destination, when it is committed already', async () => {
    await run([sinks.ndjson(out())], { runId: 'm-1' });
    await expect(run([dyingAfter(2, sinks.ndjson(out()))], { runId: 'm-2' })).rejects.toThrow('dead');
    await run([sinks.ndjson(out())], { runId: 'm-1' });
    expect(await run([sinks.ndjson(out())], { runId: 'm-2' })).toMatchObject({ resumedPages: 2 });
  });

  it('goes on where it was broken off, without being told to', async () => {
    await expect(run([dyingAfter(2, sinks.ndjson(out()))], { runId: 'm-1' })).rejects.toThrow('dead');
    const before = asked();
    expect(await run([sinks.ndjson(out())], { runId: 'm-1' })).toMatchObject({ resumedPages: 2, runId: 'm-1' });
    expect(asked() - before).toBe(1);
    expect(warnings()).toEqual([]);
    expect(await linesIn()).toEqual(ids);
  });

  it('goes on with --resume and no id as well, and is known by its id then', async () => {
    await expect(run([dyingAfter(2, sinks.ndjson(out()))], { runId: 'm-1' })).rejects.toThrow('dead');
    expect(await run([sinks.ndjson(out())], { resume: true })).toMatchObject({ runId: 'm-1', resumedPages: 2 });
    expect(await run([sinks.ndjson(out())], { runId: 'm-1' })).toMatchObject({ alreadyCommitted: true });
  });

  it.each([false, true])('drops a run of another id that waits there, with a warning (resume: %s)', async (resume) => {
    await expect(run([dyingAfter(2, sinks.ndjson(out()))], { runId: 'm-1' })).rejects.toThrow('dead');
    expect(await run([sinks.ndjson(out())], { runId: 'm-2', resume })).toMatchObject({ resumedPages: 0 });
    expect(warnings()).toEqual(['RUN_DROPPED']);
    expect(await linesIn()).toEqual(ids);
    expect(await run([sinks.ndjson(out())], { runId: 'm-1' })).toMatchObject({ alreadyCommitted: false });
  });

  it('is refused to go on with another configuration', async () => {
    await expect(run([dyingAfter(2, sinks.ndjson(out()))], { runId: 'm-1' })).rejects.toThrow('dead');
    const other = configured({}, { params: { a: 1 } });
    await expect(run([sinks.ndjson(out())], { runId: 'm-1' }, other)).rejects.toMatchObject({ code: 'RESUME' });
  });

  it('starts over where its pages are damaged, with a warning', async () => {
    await expect(run([dyingAfter(2, sinks.ndjson(out()))], { runId: 'm-1' })).rejects.toThrow('dead');
    await writeFile(join(out(), '.headwater', 'journal', 'head.json'), '{}');
    await expect(run([sinks.ndjson(out())], { runId: 'm-1', resume: true })).rejects.toMatchObject({
      code: 'JOURNAL_DAMAGED',
    });
    expect(await run([sinks.ndjson(out())], { runId: 'm-1' })).toMatchObject({ resumedPages: 0 });
    expect(warnings()).toEqual(['RUN_DROPPED']);
    expect(await linesIn()).toEqual(ids);
  });

  it('without one has a random id', async () => {
    const { runId } = await run([sinks.ndjson(out())], {});
    expect(runId).toMatch(/^[0-9a-f-]{36}$/);
    expect(await run([sinks.ndjson(out())], {})).not.toMatchObject({ runId });
  });
});

/** What a run of five items has stored in a folder. */
const five = (name: string): object => ({
  sink: `ndjson:${out(name)}`,
  tables: [{ name: 'items.ndjson', rows: 5, added: 5, total: 5 }],
});

describe('a run with an id in several destinations', () => {
  it('goes on so that all have it once, where one has committed it', async () => {
    const [a, b] = [sinks.ndjson(out('a')), sinks.ndjson(out('b'))];
    await expect(run([a, notCommitting(b)], { runId: 'm-1' })).rejects.toThrow('dead');
    const before = asked();
    const { stored, alreadyCommitted } = await run([a, b], { runId: 'm-1' });
    expect(stored).toMatchObject([five('a'), five('b')]);
    expect(alreadyCommitted).toBe(false);
    expect(asked()).toBe(before);
    expect([await linesIn('a'), await linesIn('b')]).toEqual([ids, ids]);
  });

  it('goes on so, too, where the one that has it has made another run since', async () => {
    const [a, b] = [sinks.ndjson(out('a')), sinks.ndjson(out('b'))];
    await expect(run([a, notCommitting(b)], { runId: 'm-1' })).rejects.toThrow('dead');
    await run([a], { runId: 'm-2' });
    expect(await run([a, b], { runId: 'm-1' })).toMatchObject({ stored: [five('a'), five('b')] });
    expect([await linesIn('a'), await linesIn('b')]).toEqual([[...ids, ...ids], ids]);
  });

  it('goes into the one that does not have it, and into no other', async () => {
    const [a, b] = [sinks.ndjson(out('a')), sinks.ndjson(out('b'))];
    await run([a], { runId: 'm-1' });
    expect(await run([a, b], { runId: 'm-1' })).toMatchObject({ stored: [five('a'), five('b')] });
    expect(await run([a, b], { runId: 'm-1' })).toMatchObject({ alreadyCommitted: true });
    expect([await linesIn('a'), await linesIn('b')]).toEqual([ids, ids]);
  });

  it('starts over in all where two of the same id were begun one by one', async () => {
    const [a, b] = [sinks.ndjson(out('a')), sinks.ndjson(out('b'))];
    await expect(run([dyingAfter(2, a)], { runId: 'm-1' })).rejects.toThrow('dead');
    await expect(run([dyingAfter(1, b)], { runId: 'm-1' })).rejects.toThrow('dead');
    expect(await run([a, b], { runId: 'm-1' })).toMatchObject({ resumedPages: 0 });
    expect([await linesIn('a'), await linesIn('b')]).toEqual([ids, ids]);
  });

  it.each([{ runId: 'm-1' }, { resume: true }])(
    'goes on with %j where a job asks only for what is new, and one has committed',
    async (options) => {
      const incremental = { incremental: { field: 'id', param: 'since' } };
      const config = configured({}, incremental);
      const [a, b] = [sinks.ndjson(out('a')), sinks.ndjson(out('b'))];
      const [runId] = [options.runId].filter((id) => id !== undefined);
      const first = run([a, notCommitting(b)], runId === undefined ? {} : { runId }, config);
      await expect(first).rejects.toThrow('dead');
      expect(await run([a, b], options, config)).toMatchObject({ stored: [five('a'), five('b')] });
      expect([await linesIn('a'), await linesIn('b')]).toEqual([ids, ids]);
      await expect(run([a, b], {}, config)).resolves.toMatchObject({ stored: [{}, {}] });
    },
  );

  it('counts in those that keep a record of runs, beside one that keeps none', async () => {
    const written: number[] = [];
    const passing = sinks.transient('passing', {
      write: (page) => Promise.resolve(void written.push(page.count)),
      close: () => Promise.resolve(),
    });
    await run([sinks.ndjson(out()), passing], { runId: 'm-1' });
    expect(written).toEqual([2, 2, 1]);
    expect(await run([sinks.ndjson(out()), passing], { runId: 'm-1' })).toMatchObject({ alreadyCommitted: true });
    expect(written).toHaveLength(3);
  });
});

describe('the id of a run', () => {
  it.each(['', ' \n', 'a\u0000', 'x'.repeat(201), 'a\ud800'])('is not %j', async (runId) => {
    await expect(run([sinks.ndjson(out())], { runId })).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
    expect(asked()).toBe(0);
  });

  it.each(['ä "quoted" \\ 漢字', "it's; -- DROP TABLE", '😀'.repeat(200)])('may be %p', async (runId) => {
    for (const destination of [sinks.ndjson(out()), sinks.duckdb(out('x.duckdb'))]) {
      await run([destination], { runId });
      await run([destination], {});
      expect(await run([destination], { runId })).toMatchObject({ alreadyCommitted: true, runId });
    }
  });

  it('is refused before the first request where nobody would know it', async () => {
    const passing = sinks.transient('passing', { write: () => Promise.resolve(), close: () => Promise.resolve() });
    const refused = run([passing], { runId: 'm-1' });
    await expect(refused).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
    await expect(refused).rejects.toThrow('--to');
    const forgetful: Destination = (outputs) => {
      const sink = { ...sinks.ndjson(out())(outputs) };
      delete sink.committed;
      return sink;
    };
    await expect(run([forgetful], { runId: 'm-1' })).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
    expect(asked()).toBe(0);
  });
});

describe('state that is kept elsewhere', () => {
  it('hears of the last run when it did not before, and of no later one', async () => {
    const config = configured({}, { incremental: { field: 'id', param: 'since' } });
    const first = await run([sinks.ndjson(out())], { runId: 'm-1', state: { own: 1 } }, config);
    const again = await run([sinks.ndjson(out())], { runId: 'm-1', state: { own: 1 } }, config);
    expect(again.state).toEqual({ ...first.state, own: 1 });
    await run([sinks.ndjson(out())], { runId: 'm-2', state: first.state }, config);
    const long = await run([sinks.ndjson(out())], { runId: 'm-1', state: { own: 2 } }, config);
    expect(long.state).toEqual({ own: 2 });
  });
});

describe('the list of runs in a folder', () => {
  const record = (id: string): { run_id: string; n: number } => ({ run_id: id, n: 1 });
  const listed = async (): Promise<string[]> =>
    (await readFile(join(folder, 'runs.ndjson'), 'utf8'))
      .trimEnd()
      .split('\n')
      .map((line) => (JSON.parse(line) as { run_id: string }).run_id);

  it('has a run once, whatever part of its line a kill has left', async () => {
    const log = runLog(folder);
    await log.add(record('a'));
    const line = `${JSON.stringify(record('b'))}\n`;
    for (let length = 0; length <= line.length; length += 1) {
      await writeFile(join(folder, 'runs.ndjson'), `${JSON.stringify(record('a'))}\n${line.slice(0, length)}`);
      expect(await log.recordOf('b')).toEqual(length === line.length ? record('b') : undefined);
      await log.add(record('b'));
      expect(await listed()).toEqual(['a', 'b']);
    }
    expect(await Promise.all(['a', 'b', 'c'].map(log.recordOf))).toEqual([record('a'), record('b'), undefined]);
  });

  it('may be edited: lines in another form count, and a line that was left open', async () => {
    await appendFile(join(folder, 'runs.ndjson'), '{ "n": 1, "run_id": "a" }\n\n{"run_id": "b"}');
    const log = runLog(folder);
    await log.add(record('c'));
    const found = await Promise.all(['a', 'b', 'c', 'd'].map(log.recordOf));
    expect(found).toEqual([record('a'), { run_id: 'b' }, record('c'), undefined]);
    await appendFile(join(folder, 'runs.ndjson'), 'what\n');
    await expect(log.recordOf('d')).rejects.toMatchObject({ code: 'DESTINATION_DAMAGED' });
  });
});

/** The record of a run, but for its times. */
const known = {
  ...{ configuration: 'rivers', outcome: 'complete', requests: 3, retries: 0, warnings: 0 },
  ...{ pages: 3, resumed_pages: 0, items: 5 },
};

describe('the record of a run', () => {
  it.each(['ndjson', 'csv', 'parquet'] as const)('is a line beside the files of %s', async (kind) => {
    await run([sinks[kind](out())], { runId: 'm-1' });
    await run([sinks[kind](out())], { configurationName: 'rivers.json' });
    const text = await readFile(join(out(), '.headwater', 'runs.ndjson'), 'utf8');
    const [first, second] = text.split('\n', 2).map((line) => JSON.parse(line) as Record<string, unknown>);
    const rows = kind === 'csv' ? {} : { rows: 5 };
    const name = kind === 'parquet' ? 'items' : `items.${kind}`;
    expect(first).toMatchObject({ run_id: 'm-1', ...known, tables: [{ name, ...rows }], schema_changes: [] });
    expect(Date.parse(String(first?.['committed_at']))).toBeGreaterThanOrEqual(
      Date.parse(String(first?.['started_at'])),
    );
    expect(second).toMatchObject({ configuration: 'rivers.json' });
  });

  it('says what a run changed in columns', async () => {
    const file = out('x.duckdb');
    await run([sinks.duckdb(file), sinks.parquet(out('p'))], { runId: 'm-1' });
    await server.close();
    server = await startServer(() => json([{ id: 9_007_199_254, name: 'x' }]));
    const config = configured();
    await run(
      [sinks.duckdb(file), sinks.parquet(out('p'))],
      { runId: 'm-2' },
      { ...config, api: { name: 'rivers', baseUrl: server.origin } },
    );
    const [[changes] = []] = await queryDuckDB(file, "SELECT schema_changes FROM _headwater.runs WHERE run_id = 'm-2'");
    const wanted = [
      { table: 'items', change: 'type_changed', column: 'id', from: 'INTEGER', type: 'BIGINT' },
      { table: 'items', change: 'column_added', column: 'name', type: 'VARCHAR' },
    ];
    expect(JSON.parse(String(changes))).toEqual(wanted);
    const text = await readFile(join(out('p'), '.headwater', 'runs.ndjson'), 'utf8');
    expect(JSON.parse(text.split('\n')[1] ?? '')).toMatchObject({ schema_changes: wanted });
  });

  it('is a row in DuckDB, and the id is known there', async () => {
    const file = out('x.duckdb');
    for (const runId of ['m-1', 'm-2']) await run([sinks.duckdb(file)], { runId });
    const before = asked();
    expect(await run([sinks.duckdb(file)], { runId: 'm-1' })).toMatchObject({ alreadyCommitted: true });
    expect(asked()).toBe(before);
    const [row] = await queryDuckDB(
      file,
      `SELECT configuration, requests, pages, items, tables, duration_seconds >= 0, committed_at >= started_at
       FROM _headwater.runs WHERE run_id = 'm-1'`,
    );
    expect(row).toEqual([
      'rivers',
      3n,
      3n,
      5n,
      '[{"name":"items","rows":5,"added":5,"changed":0,"unchanged":0,"removed":0,"total":5}]',
      true,
      true,
    ]);
  });
});

describeWithPostgres('with a server', () => {
  it('is a row in PostgreSQL, and the id is known there', async () => {
    const { url, query, drop } = await testDatabase();
    try {
      for (const runId of ['m-1', 'm-2']) await run([sinks.postgres(url)], { runId });
      await expect(run([dyingAfter(2, sinks.postgres(url))], { runId: 'm-3' })).rejects.toThrow('dead');
      expect(await run([sinks.postgres(url)], { runId: 'm-1' })).toMatchObject({ alreadyCommitted: true });
      expect(await run([sinks.postgres(`${url}?run=other`)], { runId: 'm-1' })).toMatchObject({ resumedPages: 0 });
      expect(await run([sinks.postgres(url)], { runId: 'm-3' })).toMatchObject({ resumedPages: 2 });
      const rows = await query('SELECT destination, run_id, items, tables FROM _headwater.runs ORDER BY committed_at');
      expect(rows.map((row) => [row['run_id'], row['items'], row['tables']])).toEqual(
        ['m-1', 'm-2', 'm-1', 'm-3'].map((id, at) => {
          const counts = { added: 5, changed: 0, unchanged: 0, removed: 0 };
          // The first run makes the table; the others add to it, and nobody counts what there is.
          return [id, '5', [{ name: 'items', rows: 5, ...counts, ...(at === 0 ? { total: 5 } : {}) }]];
        }),
      );
      expect((await query('SELECT id FROM items')).length).toBe(20);
    } finally {
      await drop();
    }
  });
});

(natsUrl === undefined ? describe.skip : describe)('with a server (needs HEADWATER_TEST_NATS)', () => {
  it('publishes a dropped run of the same id again, and knows it then', async () => {
    const probe = await NatsProbe.connect(natsUrl ?? '');
    const stream = `RUN-IDS-${process.pid}-${Date.now()}`;
    try {
      const destination = sinks.nats(`${natsUrl ?? ''}/${stream}?subject=${stream}`, { workFolder: out('nats') });
      await expect(run([dyingAfter(2, destination)], { runId: 'm-1' })).rejects.toThrow('dead');
      await run([destination], { runId: 'm-2' });
      await run([destination], { runId: 'm-1' });
      await run([destination], {});
      expect(await run([destination], { runId: 'm-1' })).toMatchObject({ alreadyCommitted: true });
      // Four items of the run that was dropped, and three runs.
      expect(await probe.messages(stream)).toHaveLength(4 + 3 * 5);
      // As if the process had ended between the receipt and the list of runs.
      await rm(join(out('nats'), 'runs.ndjson'));
      const { runId } = await run([destination], {});
      await rm(join(out('nats'), 'runs.ndjson'));
      expect(await run([destination], { runId })).toMatchObject({ alreadyCommitted: true });
      expect(await readFile(join(out('nats'), 'runs.ndjson'), 'utf8')).toContain(runId);
    } finally {
      await probe.delete(stream).catch(() => undefined);
      await probe.close();
    }
  });
});
