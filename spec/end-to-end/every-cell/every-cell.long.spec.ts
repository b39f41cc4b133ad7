/**
 * Every destination with tables holds what the API sent, cell by cell: several runs over an API whose items have
 * everything that JSON can have, compared with a model of the documents that shares no code with the engine.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deliver, destinationOf } from '../../../src';
import { startServer } from '../../support/api-server';
import { someOf } from '../../support/cases';
import { configOf } from './configuration';
import { DESTINATIONS } from './destinations';
import { LOADS, Model } from './model';
import type { LoadName } from './model';
import { RUNS, World } from './world';

const SEEDS = (process.env.HEADWATER_CELL_SEEDS ?? '1').split(',').map(Number);
const missing = DESTINATIONS.filter(({ needs }) => needs !== undefined && process.env[needs] === undefined);
const there = DESTINATIONS.filter((destination) => !missing.includes(destination));
const without =
  missing.length === 0 ? '' : ` (without ${missing.map(({ name }) => name).join()}: scripts/services.sh run)`;

describe(`every cell${without}`, () => {
  let folder: string;
  let number = 0;
  beforeAll(async () => (folder = await mkdtemp(join(tmpdir(), 'headwater-cells-'))));
  afterAll(() => rm(folder, { recursive: true, force: true }));

  // Each destination and each way of loading, half of them in `npm test`; all of them together with HEADWATER_CELLS=all, as CI does beside real servers.
  const loads = Object.keys(LOADS) as LoadName[];
  const loadsOf = (at: number): readonly LoadName[] =>
    process.env.HEADWATER_CELLS === 'all' ? loads : loads.slice(at % loads.length).slice(0, 1);
  const cases = there.flatMap((destination, at) =>
    loadsOf(at).flatMap((load) => SEEDS.map((seed) => ({ destination, load, seed, name: destination.name }))),
  );

  it.each(someOf(cases, 2))('$name, $load, seed $seed', async ({ destination, load, seed }) => {
    const world = new World(seed, destination.flavour);
    const server = await startServer(world.answer);
    const place = (await destination.prepare?.((number += 1))) ?? (await mkdtemp(join(folder, 'place-')));
    const model = new Model(destination, load);
    for (world.run = 0; world.run < RUNS; world.run += 1) {
      // Some ids come twice, which is a doubt, and later runs have fewer rows.
      await deliver(configOf(server.origin, destination, load), [destinationOf(destination.url(place))], {
        acceptIncomplete: true,
      });
      model.run(world.feeds(world.run));
      expect({ run: world.run, faults: model.faults(await destination.tables(place)) }).toEqual({
        run: world.run,
        faults: [],
      });
    }
    await server.close();
  });
});
