/** The command, killed with SIGKILL before a chosen step of the end of its run, and called again with --resume. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { json } from '../../support/answers';
import { startServer } from '../../support/api-server';
import type { ApiServer } from '../../support/api-server';
import { COMMAND } from '../../support/command';
import { closedInTheEnd } from '../../support/opened';
import type { KindOfPlace, Place } from './places';

const STEPS = join(__dirname, '../../support/steps.cjs');
const ROWS = 3;
/** What the command says last. */
const REPORTED = 'Extractor finished successfully';

/** How one call of the command ended. */
interface Call {
  readonly said: string;
  readonly status: number | null;
  readonly requests: number;
}

/**
 * Describes what becomes of runs that add rows to these destinations.
 *
 * @param kills how often each is killed, before steps at equal distances
 * @param random where the first of these steps is, from 0 to 1 of a distance: 0 is the last step of all
 */
export function describeLastSteps(
  kinds: readonly (readonly KindOfPlace[])[],
  kills: number,
  random: () => number = () => 0,
): void {
  let server: ApiServer;
  let folder: string;
  /** The number of the run: its rows are told from those of other runs by it. */
  let run = 0;
  beforeAll(async () => {
    const rows = (): object[] => Array.from({ length: ROWS }, (_, at) => ({ id: at + 1, name: markOf(at) }));
    server = await startServer(() => json(rows()));
    folder = await mkdtemp(join(tmpdir(), 'headwater-last-steps-'));
    const job = { endpoint: 'rivers', load: 'append' };
    await writeFile(
      join(folder, 'config.json'),
      JSON.stringify({ api: { baseUrl: server.origin }, config: { jobs: [job] } }),
    );
  });
  afterAll(async () => {
    await server.close();
    await rm(folder, { recursive: true });
  });

  const markOf = (at: number): string => `run ${run} row ${at};`;

  async function call(places: readonly Place[], env: NodeJS.ProcessEnv, flags: readonly string[] = []): Promise<Call> {
    const before = server.requests.length;
    const to = places.flatMap(({ url }) => ['--to', url]);
    const args = ['--require', STEPS, COMMAND, 'run', join(folder, 'config.json'), ...to, ...flags];
    const options = { cwd: folder, env: { ...process.env, ...env } };
    const child = spawn(process.execPath, args, { ...options, stdio: ['ignore', 'ignore', 'pipe'] });
    closedInTheEnd(() => child.kill('SIGKILL'));
    const [said] = await Promise.all([text(child.stderr), once(child, 'exit')]);
    return { said, status: child.exitCode, requests: server.requests.length - before };
  }

  const cases = kinds.map((kind) => ({ name: kind.map(({ name }) => name).join(' and '), kind }));
  it.each(cases)('$name', async ({ kind }) => {
    const places: Place[] = [];
    for (const [at, { name, make }] of kind.entries())
      places.push(await make(await mkdtemp(join(folder, `${name}-`)), run * 10 + at));
    run += 1;
    const { said, status } = await call(places, {});
    expect({ status, said }).toMatchObject({ status: 0 });
    const steps = Number(/^Steps: (\d+)$/m.exec(said)?.[1]);
    expect(steps).toBeGreaterThan(kills / 4);
    const start = random();
    const chosen = Array.from({ length: kills }, (_, at) => steps - Math.floor(((at + start) * steps) / kills));
    for (const [at, killBefore] of chosen.entries()) {
      run += 1;
      const again = at % 2 === 0 ? 1 + (at % 30) : undefined;
      const calls = [await call(places, { HEADWATER_KILL_BEFORE: String(killBefore) })];
      // Who was told of the success has no reason to call again.
      const isReported = (): boolean => calls.at(-1)?.said.includes(REPORTED) === true;
      if (again !== undefined && !isReported())
        calls.push(await call(places, { HEADWATER_KILL_BEFORE: String(again), HEADWATER_STEPS: 'all' }, ['--resume']));
      if (!isReported()) calls.push(await call(places, {}, ['--resume']));
      const end = calls.at(-1);
      const all = calls.map((each) => each.said).join('');
      for (const { read } of places) {
        const found = await read();
        const rows = Array.from({ length: ROWS }, (_, at) => found.split(markOf(at)).length - 1);
        expect({ killBefore, again, rows, all }).toMatchObject({ rows: [1, 1, 1] });
      }
      expect({ killBefore, again, all }).toMatchObject({ all: expect.stringMatching(/Stored .*\b3 rows/) as string });
      expect(end?.said).toContain(REPORTED);
      if (calls.length > 1 && end?.said.includes('Steps:') === true) expect(end.status).toBe(0);
      if (end?.said.includes('was committed before') === true) expect(end.requests).toBe(0);
    }
  });
}
