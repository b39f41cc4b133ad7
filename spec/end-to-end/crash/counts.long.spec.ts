/** What is told of the rows of tables after the command was killed while it stored them: the truth, as the tables have it. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';
import { json } from '../../support/answers';
import { startServer } from '../../support/api-server';
import type { ApiServer } from '../../support/api-server';
import { COMMAND } from '../../support/command';
import { queryDuckDB } from '../../support/duckdb';
import { itWithSqlite, querySqlite } from '../../support/sqlite';

const PAGE = 1000;
const ITEMS = 12_000;
/** How often the command is killed while it stores rows. */
const KILLS = 4;

type Rows = ReadonlyMap<number, number>;

/** What became of a table, by its rows before and after. */
function truth(before: Rows, after: Rows, sent: Rows, arrived: number): object {
  const came = [...sent];
  const isSame = ([id, depth]: readonly [number, number]): boolean => before.get(id) === depth;
  return {
    rows: sent.size,
    repeated: arrived - sent.size,
    added: came.filter(([id]) => !before.has(id)).length,
    changed: came.filter((row) => before.has(row[0]) && !isSame(row)).length,
    unchanged: came.filter(isSame).length,
    removed: [...before.keys()].filter((id) => !after.has(id)).length,
    total: after.size,
  };
}

describe('the counts of a run that was killed while it stored rows', () => {
  let server: ApiServer;
  let folder: string;
  let isSecond = false;
  let reportsOfLast: () => void = () => undefined;
  /** The second time, half of the ids are new, every third of the others has another value, and ten keys come twice. */
  const depthOf = (id: number): number => (isSecond && id % 3 === 0 ? 2 : 1);
  const idAt = (at: number): number => (isSecond ? (at < 10 ? ITEMS - 1 : at + ITEMS / 2) : at);
  const sentRows = (): Rows => new Map(Array.from({ length: ITEMS }, (_, at) => [idAt(at), depthOf(idAt(at))]));
  beforeEach(async () => {
    isSecond = false;
    folder = await mkdtemp(join(tmpdir(), 'headwater-killed-'));
    server = await startServer(({ url }) => {
      const offset = Number(new URL(url, 'http://api').searchParams.get('offset') ?? 0);
      const length = Math.max(0, Math.min(PAGE, ITEMS - offset));
      if (offset + length >= ITEMS) reportsOfLast();
      const note = 'A text of some length, so that there is something to store';
      return json({
        data: Array.from({ length }, (_, at) => {
          const id = idAt(offset + at);
          return { id, depth: depthOf(id), note };
        }),
      });
    });
    const api = { baseUrl: server.origin, pagination: { method: 'offset', limit: PAGE } };
    const job = { endpoint: 'rivers', dataField: 'data', load: 'merge', primaryKey: ['id'] };
    await writeFile(join(folder, 'config.json'), JSON.stringify({ api, config: { jobs: [job] } }));
  });
  afterEach(async () => {
    await server.close();
    await rm(folder, { recursive: true });
  });

  /** @param killAfter milliseconds after the last page was asked for; absent: the command comes to its end */
  async function run(to: string, killAfter?: number): Promise<string> {
    const last = new Promise<void>((resolve) => (reportsOfLast = resolve));
    const args = ['run', join(folder, 'config.json'), '--to', to, '--resume', '--log-format', 'json'];
    const child = spawn(process.execPath, [COMMAND, ...args], { stdio: ['ignore', 'ignore', 'pipe'] });
    const [said, ended] = [text(child.stderr), once(child, 'exit')];
    if (killAfter !== undefined) {
      // Where all pages are safe, the load begins at once.
      await Promise.race([last, wait(1500), ended]);
      await wait(killAfter);
      child.kill('SIGKILL');
    }
    await ended;
    return said;
  }
  const summaryIn = (said: string): unknown => {
    const entries = said
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    const tables = entries.find(({ event }) => event === 'summary')?.['tables'] as readonly object[] | undefined;
    return tables?.[0];
  };

  async function check(to: string, rows: () => Promise<Rows>): Promise<void> {
    expect(summaryIn(await run(to))).toMatchObject({ rows: ITEMS, added: ITEMS, total: ITEMS });
    isSecond = true;
    const begun = Date.now();
    for (let kill = 0; kill < KILLS; kill += 1) await run(to, kill * 60);
    expect(Date.now()).toBeGreaterThan(begun);
    const before = await rows();
    const first = await run(to);
    // Killed when all was stored: the next one is another run, which finds the rows as they are.
    const reported = summaryIn(first.includes('"event":"run.skipped"') ? await run(to) : first);
    const after = await rows();
    const sent = sentRows();
    expect([...sent].every(([id, depth]) => after.get(id) === depth)).toBe(true);
    expect(reported).toMatchObject(truth(before, after, sent, ITEMS));
  }

  it('are those of the tables, in DuckDB', () => {
    const file = join(folder, 'a.duckdb');
    const rows = async (): Promise<Rows> =>
      existsSync(file)
        ? new Map(
            (await queryDuckDB(file, 'SELECT id, depth FROM rivers')).map(([id, depth]) => [Number(id), Number(depth)]),
          )
        : new Map();
    return check(`duckdb:${file}`, rows);
  });

  itWithSqlite('are those of the tables, in SQLite', () => {
    const file = join(folder, 'a.sqlite');
    const rows = (): Promise<Rows> =>
      Promise.resolve(
        new Map(querySqlite(file, 'SELECT id, depth FROM rivers').map(({ id, depth }) => [Number(id), Number(depth)])),
      );
    return check(`sqlite:${file}`, rows);
  });
});
