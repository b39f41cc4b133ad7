// Takes minutes, and begins first (scripts/jest/sequencer.cjs).
/**
 * The built command with `visibility: "page"` into PostgreSQL, killed with SIGKILL at random instants while rows are visible:
 * a quarter of HEADWATER_CRASHES times (default 6).
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterDelay, json } from '../../support/answers';
import { startServer } from '../../support/api-server';
import type { ApiServer } from '../../support/api-server';
import { COMMAND } from '../../support/command';
import { describeWithPostgres, NEEDS, testDatabase } from '../../support/postgres';
import type { TestDatabase } from '../../support/postgres';
import { randomFrom } from '../../support/random';

const CRASHES = Math.ceil(Number(process.env.HEADWATER_CRASHES ?? 24) / 4);
const SEED = Number(process.env.HEADWATER_CRASH_SEED ?? Date.now() % 1_000_000);
const TOTAL = 240;
const PER_PAGE = 5;
/** Milliseconds of an answer: a run takes some seconds, in which rows are shown about once a second. */
const DELAY = 60;

/** Types become wider, and a list turns up, on the way. */
const item = (id: number): object => ({
  id,
  n: id < 100 ? id : id < 200 ? 2 ** 40 + id : `n${id}`,
  at: '2024-02-29T10:00:00Z',
  ...(id < 60 ? { tags: null } : { tags: [`t${id}`, 'x'] }),
});

describeWithPostgres(`a command that is killed while its rows are visible ${NEEDS}`, () => {
  let database: TestDatabase;
  let server: ApiServer;
  let folder: string;
  /** Which generation of the API's items a run gets: rows of a dropped run would be those of an earlier one. */
  let generation = 0;
  beforeAll(async () => {
    database = await testDatabase();
    server = await startServer(({ url }) => {
      const offset = Number(new URL(url, 'http://api').searchParams.get('offset') ?? 0);
      const left = Math.max(0, Math.min(PER_PAGE, TOTAL - offset));
      return afterDelay(
        DELAY,
        json(Array.from({ length: left }, (_, at) => ({ ...item(offset + at + 1), generation }))),
      );
    });
    folder = await mkdtemp(join(tmpdir(), 'headwater-visible-'));
  });
  afterAll(async () => {
    await server.close();
    await database.drop();
    await rm(folder, { recursive: true, force: true });
  });

  const start = async (schema: string, flags: readonly string[]) => {
    const config = join(folder, `${schema}.json`);
    const written = {
      api: { baseUrl: server.origin, pagination: { method: 'offset', limit: PER_PAGE } },
      config: { load: 'append', jobs: [{ endpoint: 'events' }] },
    };
    await writeFile(config, JSON.stringify(written));
    const to = `${database.url}?schema=${schema}&visibility=page`;
    const child = spawn(process.execPath, [COMMAND, 'run', config, '--to', to, ...flags, '--log-level', 'warn'], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let said = '';
    child.stderr.on('data', (text: Buffer) => (said += text.toString()));
    const ended = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>;
    return { child, ended: ended.then(([status, signal]) => ({ status, signal, said })) };
  };
  const isThere = async (schema: string): Promise<boolean> => {
    const [row] = await database.query(`SELECT to_regclass('"${schema}".events') IS NOT NULL AS there`);
    return row?.['there'] === true;
  };
  const rowsIn = async (schema: string): Promise<readonly (readonly unknown[])[]> => {
    if (!(await isThere(schema))) return [];
    const rows = await database.query(`SELECT id, generation FROM "${schema}".events ORDER BY generation, id`);
    return rows.map((row) => [row['id'], row['generation']]);
  };
  /** This tells whether a run was committed: whoever is killed later may have said so, and there is nothing to go on with. */
  const isOver = async (schema: string): Promise<boolean> => {
    const [row] = await database.query(
      `SELECT EXISTS (SELECT FROM _headwater.runs WHERE destination LIKE '%"${schema}"%') AS over`,
    );
    return row?.['over'] === true;
  };
  const all = (of: number, length = TOTAL): readonly (readonly unknown[])[] =>
    Array.from({ length }, (_, at) => [at + 1, of]);

  it('rows are visible to others while the run still has pages to ask for', async () => {
    const { ended } = await start('seen', []);
    const seen = new Set<number>();
    const over = new AbortController();
    void ended.then(() => over.abort());
    while (!over.signal.aborted) {
      seen.add((await rowsIn('seen')).length);
      await wait(20);
    }
    expect(await ended).toMatchObject({ status: 0 });
    const between = [...seen].filter((rows) => rows > 0 && rows < TOTAL);
    expect(between.length).toBeGreaterThanOrEqual(1);
    expect(between.every((rows) => rows % PER_PAGE === 0)).toBe(true);
    expect(await rowsIn('seen')).toEqual(all(0));
  });

  const random = randomFrom(SEED);
  const crashes = Array.from({ length: CRASHES }, (_, at) => ({
    at,
    way: (['resumed', 'begun again', 'repeated with its id'] as const)[at % 3] ?? 'resumed',
    kills: Array.from({ length: 1 + Math.floor(random() * 2) }, () => random()),
  }));

  it.each(crashes)(`$at: $way (seed ${SEED})`, async ({ at, way, kills }) => {
    const schema = `crash${at}`;
    const flags = way === 'resumed' ? ['--resume'] : way === 'begun again' ? [] : ['--run-id', 'one id'];
    let shown = 0;
    generation = 0;
    for (const kill of kills) {
      const before = server.requests.length;
      const { child, ended } = await start(schema, flags);
      while (child.exitCode === null && server.requests.length === before) await wait(1);
      await wait(kill * (TOTAL / PER_PAGE) * DELAY * 1.1);
      child.kill('SIGKILL');
      if ((await ended).signal === null) return;
      // PostgreSQL ends the transaction of a client that is gone within moments.
      const visible = await rowsIn(schema);
      shown += visible.length;
      expect(visible).toEqual(all(generation, visible.length));
      if (way !== 'repeated with its id' && (await isOver(schema))) return;
      if (way === 'begun again') generation += 1;
    }
    const last = await start(schema, flags);
    expect(await last.ended).toMatchObject({ status: 0 });
    expect({ shown, rows: await rowsIn(schema) }).toEqual({ shown, rows: all(generation) });
    const [tags] = await database.query(`SELECT count(*)::int AS tags, count(DISTINCT i.id)::int AS items
      FROM "${schema}".events_tags t JOIN "${schema}".events i ON i._row_id = t._parent_row_id WHERE t._position < 2`);
    expect(tags).toEqual({ tags: 2 * (TOTAL - 59), items: TOTAL - 59 });
    if (way !== 'repeated with its id') return;
    const before = server.requests.length;
    expect(await (await start(schema, flags)).ended).toMatchObject({ status: 0 });
    expect(server.requests).toHaveLength(before);
    expect(await rowsIn(schema)).toEqual(all(generation));
  });
});
