/** Rows that tell which run and which page brought them (docs/sinks.md#columns-of-the-run). */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deliver, sinks } from '../../../src';
import type { DeliverOptions, Destination, JsonObject, Page } from '../../../src';
import { json } from '../../support/answers';
import { startServer } from '../../support/api-server';
import type { ApiServer } from '../../support/api-server';
import { queryDuckDB } from '../../support/duckdb';
import { describeWithPostgres, testDatabase } from '../../support/postgres';

let folder: string;
let server: ApiServer;
let itemOf: (id: number) => object = (id) => ({ id });
beforeEach(async () => {
  itemOf = (id) => ({ id });
  folder = await mkdtemp(join(tmpdir(), 'headwater-run-columns-'));
  server = await startServer(({ url }) => {
    const offset = Number(new URL(url, 'http://api').searchParams.get('offset') ?? 0);
    return json([1, 2].map((at) => offset + at).flatMap((id) => (id > 5 ? [] : [itemOf(id)])));
  });
});
afterEach(async () => {
  await server.close();
  await rm(folder, { recursive: true, force: true });
});

const out = (name = 'out'): string => join(folder, name);
const run = (
  destinations: readonly Destination[],
  options: DeliverOptions = {},
  config: JsonObject = {},
  job: JsonObject = {},
) =>
  deliver(
    {
      api: { baseUrl: server.origin, pagination: { method: 'offset', limit: 2 } },
      config: { jobs: [{ endpoint: 'items', ...job }], ...config },
    },
    destinations,
    { runId: 'r', runColumns: true, ...options },
  );
const linesIn = async (path: string): Promise<Record<string, unknown>[]> =>
  (await readFile(path, 'utf8'))
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
const dyingAfter =
  (pages: number, destination: Destination): Destination =>
  (outputs) => {
    const sink = destination(outputs);
    let left = pages;
    const write = async (page: Page): Promise<void> => {
      if (left-- === 0) throw new Error('dead');
      await sink.write(page);
    };
    return { ...sink, write };
  };
const PAGES = [1, 1, 2, 2, 3];
const query = async (sql: string): Promise<unknown[][]> =>
  [...(await queryDuckDB(out('x.duckdb'), sql))].map((row) => [...row]);

describe('the columns of the run', () => {
  it('are typed at the end of a table of DuckDB and Parquet', async () => {
    const before = Date.now();
    await run([sinks.duckdb(out('x.duckdb')), sinks.parquet(out('p'))], {}, { userData: { source: 'api' } });
    const types = ['INTEGER', 'VARCHAR', 'VARCHAR', 'INTEGER', 'TIMESTAMP WITH TIME ZONE'];
    const names = ['id', 'source', '_run_id', '_page', '_extracted_at'];
    const parquet = `read_parquet('${join(out('p'), 'items.parquet')}')`;
    for (const from of ['items', parquet]) {
      expect((await query(`DESCRIBE SELECT * FROM ${from}`)).map(([name, type]) => [name, type])).toEqual(
        names.map((name, at) => [name, types[at]]),
      );
      const rows = await query(`SELECT id, _run_id, _page, epoch_ms(_extracted_at) FROM ${from} ORDER BY id`);
      expect(rows.map((row) => row.slice(0, 3))).toEqual(PAGES.map((page, at) => [at + 1, 'r', page]));
      for (const [, , , time] of rows) {
        expect(Number(time)).toBeGreaterThanOrEqual(before);
        expect(Number(time)).toBeLessThanOrEqual(Date.now());
      }
    }
  });

  it('are members of lines, and columns of CSV', async () => {
    await run([sinks.ndjson(out('n')), sinks.csv(out('c'))]);
    const lines = await linesIn(join(out('n'), 'items.ndjson'));
    expect(lines.map(({ id, _run_id, _page }) => [id, _run_id, _page])).toEqual(
      PAGES.map((page, at) => [at + 1, 'r', page]),
    );
    expect(lines[0]?.['_extracted_at']).toMatch(/^\d{4}-\d\d-\d\dT.*Z$/);
    const [header, ...rows] = (await readFile(join(out('c'), 'items.csv'), 'utf8')).trimEnd().split('\n');
    // The language leaves out underscores at the start of names.
    expect(header).toBe('"id","run_id","page","extracted_at"');
    expect(rows.map((row) => row.split(',').slice(0, 3))).toEqual(
      PAGES.map((page, at) => [`"${at + 1}"`, '"r"', `"${page}"`]),
    );
  });

  it('stand in the tables of items, and not in those of their lists', async () => {
    itemOf = (id) => ({ id, tags: [{ name: 'a' }] });
    await run([sinks.duckdb(out('x.duckdb')), sinks.csv(out('c'))]);
    const columns = async (table: string): Promise<unknown[]> =>
      (await query(`DESCRIBE ${table}`)).map(([name]) => name);
    expect(await columns('items')).toEqual(['_row_id', 'id', '_run_id', '_page', '_extracted_at']);
    expect(await columns('items_tags')).toEqual(['_row_id', '_parent_row_id', '_position', 'name']);
    expect((await readFile(join(out('c'), 'items.csv'), 'utf8')).split('\n')[0]).toContain('"page"');
    expect((await readFile(join(out('c'), 'items_tags.csv'), 'utf8')).split('\n')[0]).not.toContain('"page"');
  });

  it('leave the names of the data to the data, wherever they come first', async () => {
    itemOf = (id) => (id > 3 ? { id, _page: `p${id}` } : { id });
    await run(
      [sinks.duckdb(out('x.duckdb')), sinks.ndjson(out('n')), sinks.csv(out('c'))],
      {},
      { userData: { _run_id: 'mine' } },
    );
    const rows = await query('SELECT id, _run_id, _page, _run_id_2, _page_2 FROM items ORDER BY id');
    const pageOf = (id: number): string | null => (id > 3 ? `p${id}` : null);
    expect(rows).toEqual(PAGES.map((page, at) => [at + 1, 'mine', pageOf(at + 1), 'r', page]));
    const lines = await linesIn(join(out('n'), 'items.ndjson'));
    expect(lines.map((line) => [line['_page'] ?? null, line['_page_2'], line['_run_id']])).toEqual(
      PAGES.map((page, at) => [pageOf(at + 1), page, 'r']),
    );
    const csv = await readFile(join(out('c'), 'items.csv'), 'utf8');
    expect(csv.split('\n', 1)).toEqual(['"id","page","run_id","run_id_2","page_u0","extracted_at"']);
  });

  it('stay as they were when a run goes on, with or without being asked for again', async () => {
    await expect(run([dyingAfter(2, sinks.ndjson(out())), sinks.duckdb(out('x.duckdb'))])).rejects.toThrow('dead');
    const journal = await readFile(join(out(), '.headwater', 'journal', 'journal.ndjson'), 'utf8');
    const [, time] = /_extracted_at","([^"]+)"/.exec(journal) ?? [];
    expect(time).toBeDefined();
    const both = [sinks.ndjson(out()), sinks.duckdb(out('x.duckdb'))];
    expect(await run(both, { runColumns: false })).toMatchObject({ resumedPages: 2 });
    const lines = await linesIn(join(out(), 'items.ndjson'));
    expect(lines.map(({ _page }) => _page)).toEqual(PAGES);
    expect(lines[0]?.['_extracted_at']).toBe(time);
    expect((await query('SELECT count(*) FROM items WHERE _page = 3'))[0]?.[0]).toBe(1n);
  });

  it('are those of the run whose row counts, with a key', async () => {
    const config = { incrementalOutput: true };
    const job = { primaryKey: 'id' };
    const all = [sinks.duckdb(out('x.duckdb')), sinks.ndjson(out('n'))];
    await run(all, { runId: 'a' }, config, job);
    itemOf = (id) => ({ id: id + 2 });
    await run(all, { runId: 'b' }, config, job);
    const wanted = [1, 2, 3, 4, 5, 6, 7].map((id) => [id, id < 3 ? 'a' : 'b']);
    expect(await query('SELECT id, _run_id FROM items ORDER BY id')).toEqual(wanted);
    const lines = await linesIn(join(out('n'), 'items.ndjson'));
    expect(lines.map(({ id, _run_id }) => [id, _run_id])).toEqual(wanted);
  });

  it('are asked for by the configuration, too, which is another one for nothing else', async () => {
    await run([sinks.ndjson(out())], { runColumns: undefined as never }, { runColumns: true });
    expect((await linesIn(join(out(), 'items.ndjson')))[0]).toHaveProperty('_page', 1);
  });

  it('are refused before the first request where nobody adds them', async () => {
    const passing = sinks.transient('passing', { write: () => Promise.resolve(), close: () => Promise.resolve() });
    await expect(run([sinks.ndjson(out()), passing])).rejects.toThrow('passing does not add the columns');
    expect(server.requests).toEqual([]);
  });

  it('are added to items that are no objects, or have nothing in them', async () => {
    itemOf = (id) => (id === 1 ? {} : { id });
    await run([sinks.ndjson(out())]);
    expect((await linesIn(join(out(), 'items.ndjson')))[0]).toMatchObject({ _run_id: 'r', _page: 1 });
    itemOf = (id) => id as never;
    await run([sinks.ndjson(out())], { runId: 's' });
    expect((await linesIn(join(out(), 'items.ndjson')))[0]).toMatchObject({ value: 1, _run_id: 's' });
  });
});

describeWithPostgres('with a server', () => {
  it('are typed in PostgreSQL, beside linked tables and without', async () => {
    const { url, query: ask, drop } = await testDatabase();
    try {
      itemOf = (id) => ({ id, tags: id > 2 ? ['x'] : [] });
      for (const [runId, nested] of [
        ['a', 'json'],
        ['b', 'tables'],
      ] as const) {
        await expect(run([dyingAfter(2, sinks.postgres(url, { nested }))], { runId })).rejects.toThrow('dead');
        await run([sinks.postgres(url, { nested })], { runId });
        const rows = await ask(
          'SELECT id, _run_id, _page, pg_typeof(_page)::text t, pg_typeof(_extracted_at)::text e FROM items ORDER BY id',
        );
        expect(rows.map((row) => Object.values(row))).toEqual(
          PAGES.map((page, at) => [at + 1, runId, page, 'integer', 'timestamp with time zone']),
        );
      }
      expect((await ask('SELECT * FROM items_tags LIMIT 1'))[0]).not.toHaveProperty('_page');
    } finally {
      await drop();
    }
  });
});
