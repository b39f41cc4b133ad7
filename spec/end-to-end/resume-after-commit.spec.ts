/** A process that ended right behind its commit: to go on with that run, nothing is left to do (docs/sinks.md#exactly-once). */
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deliver, sinks } from '../../src';
import type { Destination, Json, RunEvent } from '../../src';
import { json } from '../support/answers';
import { startServer } from '../support/api-server';
import type { ApiServer } from '../support/api-server';
import { describeWithPostgres, NEEDS, testDatabase } from '../support/postgres';
import { itWithSqlite } from '../support/sqlite';

let server: ApiServer;
let folder: string;
beforeEach(async () => {
  server = await startServer(() => json([{ id: 1 }, { id: 2 }]));
  folder = await mkdtemp(join(tmpdir(), 'headwater-spec-'));
});
afterEach(async () => {
  await server.close();
  await rm(folder, { recursive: true });
});
const config = (endpoint = 'items'): Json => ({
  api: { baseUrl: server.origin },
  config: { jobs: [{ endpoint, load: 'append' }] },
});

/** The destination, with a look at it when it has committed and is not closed yet. */
const seenAtCommit =
  (to: Destination, look: () => Promise<unknown>): Destination =>
  (...given) => {
    const sink = to(...given);
    return {
      ...sink,
      commit: async (...last) => {
        const stored = await sink.commit(...last);
        await look();
        return stored;
      },
    };
  };
async function resumed(to: readonly Destination[], endpoint = 'items') {
  const before = server.requests.length;
  const skipped: string[] = [];
  const onEvent = (event: RunEvent): void => {
    if (event.type === 'run.skipped') skipped.push(event.runId);
  };
  const { runId, alreadyCommitted, state } = await deliver(config(endpoint), to, { resume: true, onEvent });
  return { runId, alreadyCommitted, state, skipped, requests: server.requests.length - before };
}
/** A folder as a process leaves it that is killed; its lock goes with it. */
const copy = (from: string, to: string): Promise<void> =>
  cp(from, to, { recursive: true, filter: (path) => !/\block[^/]*$/.test(path) });
const OVER = { alreadyCommitted: true, requests: 0 };
const NEW = { alreadyCommitted: false, requests: 1 };

const FILES: readonly (readonly [string, (place: string) => Destination])[] = [
  ['duckdb', (place) => sinks.duckdb(join(place, 'o.duckdb'))],
  ['csv', (place) => sinks.csv(join(place, 'out'))],
  ['ndjson', (place) => sinks.ndjson(join(place, 'out'))],
  ['parquet', (place) => sinks.parquet(join(place, 'out'))],
];
const SQLITE: (typeof FILES)[number] = ['sqlite', (place) => sinks.sqlite(join(place, 'o.sqlite'))];

/** What a process leaves that ends behind the commit, and what goes on from there. */
async function endsBehindCommit(of: (place: string) => Destination): Promise<void> {
  const [first, left] = [join(folder, 'first'), join(folder, 'left')];
  const { runId, state } = await deliver(config(), [seenAtCommit(of(first), () => copy(first, left))]);
  expect(await resumed([of(left)])).toMatchObject({ ...OVER, runId, skipped: [runId], state });
  // That has been told now, as has the end of the run that came to its own.
  expect(await resumed([of(left)])).toMatchObject(NEW);
  expect(await resumed([of(first)])).toMatchObject(NEW);
}

describe('--resume after a commit that nobody was told of', () => {
  it.each(FILES)('says so, and loads nothing twice: %s', (_, of) => endsBehindCommit(of));
  itWithSqlite('says so, and loads nothing twice: sqlite', () => endsBehindCommit(SQLITE[1]));

  it('says so of several destinations that all have it', async () => {
    const both = (place: string): Destination[] => FILES.slice(0, 2).map(([, of]) => of(join(folder, place)));
    const look = (): Promise<void> => copy(join(folder, 'first'), join(folder, 'left'));
    await deliver(
      config(),
      both('first').map((to) => seenAtCommit(to, look)),
    );
    expect(await resumed(both('left'))).toMatchObject(OVER);
  });

  it('begins a new run without --resume, and of another configuration', async () => {
    const [first, left] = [join(folder, 'first'), join(folder, 'left')];
    const of = (place: string): Destination => sinks.csv(join(place, 'out'));
    await deliver(config(), [
      seenAtCommit(of(first), async () => {
        await copy(first, left);
        await copy(first, join(folder, 'other'));
      }),
    ]);
    expect(await resumed([of(join(folder, 'other'))], 'others')).toMatchObject(NEW);
    expect(await deliver(config(), [of(left)])).toMatchObject({ alreadyCommitted: false });
  });
});

describeWithPostgres(`--resume after a commit that nobody was told of, in PostgreSQL ${NEEDS}`, () => {
  it('says so, and loads nothing twice', async () => {
    const database = await testDatabase();
    try {
      const to = sinks.postgres(database.url);
      let head: unknown;
      let table = '';
      const { runId } = await deliver(config(), [
        seenAtCommit(to, async () => {
          const [found = {}] = await database.query(
            "SELECT schemaname FROM pg_tables WHERE tablename = 'destinations' AND schemaname LIKE '%headwater%'",
          );
          table = `"${String(found['schemaname'])}".destinations`;
          head = (await database.query(`SELECT head FROM ${table}`))[0]?.['head'];
        }),
      ]);
      expect(typeof head).toBe('string');
      expect(await database.query(`SELECT head FROM ${table}`)).toEqual([{ head: null }]);
      await database.query(`UPDATE ${table} SET head = '${String(head).replaceAll("'", "''")}'`);
      expect(await resumed([to])).toMatchObject({ ...OVER, runId });
      expect(await resumed([to])).toMatchObject(NEW);
    } finally {
      await database.drop();
    }
  });
});
