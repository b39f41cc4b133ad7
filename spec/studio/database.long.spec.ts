import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { databaseOf } from '../../src/studio/database';
import type { QueryLimits } from '../../src/studio/database';
import { needsBuild } from '../support/build';
import { changeDuckDB } from '../support/duckdb';

/** It never ends. */
const ENDLESS = 'SELECT count(*) FROM range(9000000000000000) WHERE hash(range) % 7 = 3';
/** DuckDB counts none of these bytes, and is busy with them while it prepares the statement. */
const LARGE = "SELECT repeat('x', 2000000000)";

describe('the database of the studio', () => {
  let folder: string;
  let file: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'headwater-studio-'));
    file = join(folder, 'rivers.duckdb');
    await changeDuckDB(file, 'CREATE TABLE rivers AS SELECT 1 AS id');
  });
  afterEach(() => rm(folder, { recursive: true }));
  const database = (limits?: Partial<QueryLimits>) =>
    databaseOf(file, { program: needsBuild('cli/query-process.js'), milliseconds: 600_000, bytes: 1e9, ...limits });
  const never = new AbortController().signal;
  const one = { rows: [[1]] };

  it('answers', async () => {
    expect(await database().query('SELECT id FROM rivers', never)).toMatchObject(one);
  });

  it.each([
    ['time', ENDLESS, { milliseconds: 300 }, 'it took more than 0.3 seconds. Ask for less, for example with LIMIT.'],
    ['memory', LARGE, { bytes: 5e8 }, 'it needed more than 0.5 GB of memory. Ask for less, for example with LIMIT.'],
  ])('stops a query at the limit of %s, and answers the next one', async (_, sql, limits, why) => {
    await expect(database(limits).query(sql, never)).rejects.toMatchObject({
      code: 'QUERY_STOPPED',
      message: `The query was stopped: ${why}`,
    });
    expect(await database().query('SELECT id FROM rivers', never)).toMatchObject(one);
  });

  it.each([
    ['while it runs', 0],
    ['before its turn', 1],
  ])('stops a query that nobody waits for any more, %s', async (_, before) => {
    const same = database();
    const first = new AbortController();
    const asked = [...Array<string>(before).fill(ENDLESS), LARGE].map((sql) => same.query(sql, first.signal));
    const last = same.query('SELECT id FROM rivers', never);
    first.abort();
    for (const each of await Promise.allSettled(asked))
      expect(each).toMatchObject({ status: 'rejected', reason: { code: 'QUERY_STOPPED' } });
    expect(await last).toMatchObject(one);
  });

  it('leaves nothing of a query that was stopped while it wrote what does not fit into memory', async () => {
    const asked = new AbortController();
    const sorted = 'SELECT range, hash(range) AS h FROM range(400000000) ORDER BY h';
    const query = database({ bytes: 3e9 }).query(sorted, asked.signal);
    const spilled = async (): Promise<boolean> => (await readdir(folder)).some((name) => name.includes('.query-'));
    while (!(await spilled())) await setTimeout(20);
    asked.abort();
    await expect(query).rejects.toMatchObject({ code: 'QUERY_STOPPED' });
    expect(await readdir(folder)).toEqual(['rivers.duckdb']);
  }, 300_000);

  it('says that its program failed', async () => {
    await expect(database({ program: join(folder, 'none.js') }).query('SELECT 1', never)).rejects.toMatchObject({
      message: 'The query was stopped: its process ended with the status 1.',
    });
  });

  it('is there for others as soon as it has answered', async () => {
    await database().query('SELECT id FROM rivers', never);
    await changeDuckDB(file, 'INSERT INTO rivers VALUES (2)');
    await expect(database().query('SELECT nothing FROM rivers', never)).rejects.toMatchObject({ code: 'QUERY_FAILED' });
    await changeDuckDB(file, 'INSERT INTO rivers VALUES (3)');
    expect(await database().query('SELECT count(*)::INTEGER FROM rivers', never)).toMatchObject({ rows: [[3]] });
  });

  it('has no tables without the file', async () => {
    await rm(file);
    expect(await database().tables(never)).toEqual([]);
  });
});
