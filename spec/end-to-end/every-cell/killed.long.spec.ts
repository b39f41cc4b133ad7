/**
 * The built command, killed with SIGKILL at random instants and started again with --resume until its run is over: the
 * tables hold, cell by cell, what those of runs that nobody disturbed do. HEADWATER_CRASHES instants (default: two sequences of runs;
 * with HEADWATER_CASES=all, one for each kind of destination), over all destinations and all ways in which runs follow each other.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { destinationOf, extract } from '../../../src';
import type { Standing } from '../../../src/core/durable-sink';
import { afterDelay } from '../../support/answers';
import { startServer } from '../../support/api-server';
import type { ApiServer } from '../../support/api-server';
import { ALL_CASES } from '../../support/cases';
import { COMMAND } from '../../support/command';
import { configOf } from './configuration';
import { DESTINATIONS } from './destinations';
import type { DestinationOfCells } from './destinations';
import { LOADS, Model } from './model';
import type { LoadName } from './model';
import { randomFrom } from './odd-values';
import { World } from './world';

const there = DESTINATIONS.filter(({ needs }) => needs === undefined || process.env[needs] !== undefined);
const kinds = there.filter(({ nestedJson }) => nestedJson !== true);
const SEED = Number(process.env.HEADWATER_CRASH_SEED ?? Date.now() % 1_000_000);
const RUNS = 3;
/** Requests of a run, about. */
const REQUESTS = 12;
/** Milliseconds: to make the tables takes no longer. */
const MAKING = 500;
/** How often a run is killed at most. */
const KILLS = 2;
const CRASHES = Number(process.env.HEADWATER_CRASHES ?? (ALL_CASES ? kinds.length : 2) * RUNS * KILLS);
const SEQUENCES = Math.ceil(CRASHES / (RUNS * KILLS));

interface Command {
  readonly place: string;
  readonly config: ReturnType<typeof configOf>;
  readonly destination: DestinationOfCells;
}

describe('tables of a command that is killed', () => {
  jest.setTimeout(60_000 + SEQUENCES * 15_000);
  let folder: string;
  let number = 0;
  beforeAll(async () => (folder = await mkdtemp(join(tmpdir(), 'headwater-killed-'))));
  afterAll(() => rm(folder, { recursive: true, force: true }));

  /** @param moment when to kill it, from 0 to 1; absent: it comes to its end */
  async function start({ place, config, destination }: Command, server: ApiServer, moment?: number): Promise<void> {
    const file = join(folder, 'config.json');
    await writeFile(file, JSON.stringify(config));
    const before = server.requests.length;
    // Some ids come twice, which is a doubt, and later runs have fewer rows: that is accepted here.
    const args = [
      'run',
      file,
      '--to',
      destination.url(place),
      '--resume',
      '--accept-incomplete',
      '--log-level',
      'warn',
    ];
    const child = spawn(process.execPath, [COMMAND, ...args], { stdio: ['ignore', 'ignore', 'pipe'] });
    let said = '';
    child.stderr.on('data', (text: Buffer) => (said += text.toString()));
    const ended = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>;
    if (moment !== undefined) {
      // A third of them while tables are made.
      const requests = Math.min(moment / 0.66, 1) * REQUESTS;
      while (child.exitCode === null && server.requests.length - before < requests) await wait(1);
      await wait(moment < 0.66 ? moment * 10 : (moment - 0.66) * 3 * MAKING);
      child.kill('SIGKILL');
    }
    const [status, signal] = await ended;
    if (signal === null && status !== 0) throw new Error(`exit status ${status}: ${said}`);
  }

  /** What the destination knows of its runs, while nobody writes. */
  async function standing({ place, config, destination }: Command): Promise<Standing> {
    const sink = destinationOf(destination.url(place))(extract(config).outputs);
    const found = await sink.open();
    await sink.close();
    return found;
  }

  /** @param before the run before this one */
  async function isOver(command: Command, before: string | undefined): Promise<boolean> {
    const { finished, unfinished } = await standing(command);
    return unfinished === undefined && finished !== before;
  }

  const random = randomFrom(SEED);
  const sequences = Array.from({ length: SEQUENCES }, (_, at) => {
    const of = SEQUENCES <= kinds.length ? kinds : there;
    // Fewer than there are kinds: other ones each time.
    const first = SEQUENCES < kinds.length ? SEED : 0;
    const destination = of[(first + at) % of.length] as DestinationOfCells;
    const loads = Object.keys(LOADS) as LoadName[];
    const load = loads[(SEED + at + Math.floor(at / of.length)) % loads.length] as LoadName;
    const moments = Array.from({ length: RUNS }, () => Array.from({ length: KILLS }, random));
    return { at, name: destination.name, destination, load, moments };
  });

  it.each(sequences)(`$at: $name, $load (seed ${SEED})`, async ({ destination, load, moments }) => {
    const world = new World(1, destination.flavour);
    const server = await startServer((request) => afterDelay(3, world.answer(request)));
    const place = (await destination.prepare?.((number += 1))) ?? (await mkdtemp(join(folder, 'place-')));
    const command = { place, destination, config: configOf(server.origin, destination, load) };
    const model = new Model(destination, load);
    for (const [run, kills] of moments.entries()) {
      world.run = run;
      const { finished: before } = await standing(command);
      // Killed when all was done: another start would be another run.
      for (const moment of [...kills, undefined])
        if (!(await isOver(command, before))) await start(command, server, moment);
      model.run(world.feeds(run));
      expect({ run, faults: model.faults(await destination.tables(place)) }).toEqual({ run, faults: [] });
    }
    await server.close();
  });
});
