// Takes minutes, and begins first (scripts/jest/sequencer.cjs).
/**
 * The built command, killed with SIGKILL at random instants and started again with --resume: HEADWATER_CRASHES of them
 * (default 6), in turn over all ways of pagination and all destinations.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { lastValueFrom, toArray } from 'rxjs';
import { destinationOf, extract } from '../../../src';
import { afterDelay } from '../../support/answers';
import { startServer } from '../../support/api-server';
import type { ApiServer } from '../../support/api-server';
import { ALL_CASES } from '../../support/cases';
import { COMMAND } from '../../support/command';
import { randomFrom } from '../../support/random';
import { PLACES } from './places';
import type { KindOfPlace, Place } from './places';
import { answer, WORLDS } from './worlds';
import type { World } from './worlds';

const CRASHES = Number(process.env.HEADWATER_CRASHES ?? (ALL_CASES ? 6 : 3));
const SEED = Number(process.env.HEADWATER_CRASH_SEED ?? Date.now() % 1_000_000);
/** Milliseconds: a second run of the command takes no longer than this. */
const LONGEST = 60_000;

const missing = PLACES.filter((place) => place.missing !== undefined);
const places = PLACES.filter((place) => place.missing === undefined);
const without =
  missing.length === 0 ? '' : ` (without ${missing.map(({ name }) => name).join(' and ')}: scripts/services.sh run)`;

const UNKNOWN = 'a page that no run has';

describe(`a command that is killed${without}`, () => {
  jest.setTimeout(LONGEST + CRASHES * 15_000);
  let server: ApiServer;
  let folder: string;
  let number = 0;
  beforeAll(async () => {
    server = await startServer((request) => afterDelay(3, answer(request)));
    folder = await mkdtemp(join(tmpdir(), 'headwater-crash-'));
  });
  afterAll(async () => {
    await server.close();
    await rm(folder, { recursive: true, force: true });
  });

  const configOf = ({ pagination, config }: World) => ({ api: { baseUrl: server.origin, pagination }, config });
  const asked = (): string[] => server.requests.map(({ url }) => url);

  async function placeFor(kind: KindOfPlace): Promise<{ place: Place; home: string }> {
    number += 1;
    const home = await mkdtemp(join(folder, `${kind.name}-`));
    return { place: await kind.make(home, number), home };
  }

  /** Runs the command; `killAt` decides after how many requests and how many milliseconds more it is killed. */
  async function run(
    world: World,
    { place, home }: { place: Place; home: string },
    killAt?: readonly [number, number],
    goOn: readonly string[] = ['--resume'],
  ) {
    const config = join(home, 'config.json');
    await writeFile(config, JSON.stringify(configOf(world)));
    const before = server.requests.length;
    const child = spawn(process.execPath, [COMMAND, 'run', config, '--to', place.url, ...goOn, '--log-level', 'warn'], {
      cwd: home,
      stdio: ['ignore', 'ignore', 'pipe'],
      env: process.env,
    });
    let said = '';
    child.stderr.on('data', (text: Buffer) => (said += text.toString()));
    const ended = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>;
    if (killAt !== undefined) {
      const [requests, milliseconds] = killAt;
      while (child.exitCode === null && server.requests.length - before < requests) await wait(1);
      await wait(milliseconds);
      child.kill('SIGKILL');
    }
    const [status, signal] = await ended;
    if (signal === null && status !== 0) throw new Error(`exit status ${status}: ${said}`);
    return { finished: signal === null };
  }

  /** Undisturbed: what stands in the destination, and which address belongs to each page. */
  const references = new Map<
    string,
    Promise<{ content: string; requests: number; addresses: ReadonlyMap<string, string> }>
  >();
  const keyOf = (call: readonly number[], pages: number): string => `${call.join('.')}:${pages}`;
  async function referenceOf(world: World, kind: KindOfPlace) {
    const { pages$ } = extract(configOf(world));
    const pages = await lastValueFrom(pages$.pipe(toArray()));
    const addresses = new Map(
      pages.map(({ checkpoint: { call, pages: count }, reply }) => {
        const { pathname, search } = new URL(reply.response.request.url);
        return [keyOf(call, count), pathname + search];
      }),
    );
    const there = await placeFor(kind);
    const before = server.requests.length;
    await run(world, there);
    return { content: await there.place.read(), requests: server.requests.length - before, addresses };
  }

  /** While nobody writes: the addresses of the pages that are safe. */
  async function safePages(
    world: World,
    { place, home }: { place: Place; home: string },
    addresses: ReadonlyMap<string, string>,
  ) {
    const previous = process.cwd();
    process.chdir(home);
    try {
      const sink = destinationOf(place.url)(extract(configOf(world)).outputs);
      const safe: string[] = [];
      const { finished, unfinished } = await sink.open();
      if (unfinished !== undefined)
        for await (const { call, pages } of unfinished.checkpoints())
          safe.push(addresses.get(keyOf(call, pages)) ?? UNKNOWN);
      await sink.close();
      // Killed when all was done: another start would be another run.
      return unfinished === undefined && finished !== undefined ? undefined : safe;
    } finally {
      process.chdir(previous);
    }
  }

  const random = randomFrom(SEED);
  const crashes = Array.from({ length: CRASHES }, (_, at) => {
    const world = WORLDS[at % WORLDS.length] as World;
    const kind = places[Math.floor(at / WORLDS.length + at) % places.length] as KindOfPlace;
    return {
      at,
      world,
      kind,
      name: `${world.name}, into ${kind.name}`,
      place: random(),
      later: random(),
      again: random(),
      // A run that is given an id needs no --resume.
      goOn: at % 2 === 0 ? ['--resume'] : ['--run-id', `crash ${at}`],
    };
  });

  it.each(crashes)(`$at: $name (seed ${SEED})`, async ({ world, kind, place, later, again, goOn }) => {
    const key = `${world.name} ${kind.name}`;
    if (!references.has(key)) references.set(key, referenceOf(world, kind));
    const reference = await references.get(key);
    if (reference === undefined) throw new Error('no reference');
    const { content, requests, addresses } = reference;
    let there = await placeFor(kind);
    let finished = true;
    // A run that was quicker than its death is made once more in another place, and dies sooner.
    for (let sooner = 1; finished && sooner > 0.01; sooner /= 2) {
      if (sooner < 1) there = await placeFor(kind);
      // A third of them after the last request: while the tables are made.
      const requestsMade = place < 0.66 ? (place / 0.66) * sooner : sooner > 0.1 ? 1 : sooner;
      const killAt = [Math.ceil(requestsMade * requests), later * sooner * (place < 0.66 ? 8 : 400)] as const;
      ({ finished } = await run(world, there, killAt, goOn));
    }
    expect(finished).toBe(false);
    // Some are killed once more.
    const kills = again < 0.3 ? [[Math.ceil(again * requests), again * 40] as const] : [];
    while (!finished) {
      const safe = await safePages(world, there, addresses);
      if (safe === undefined) break;
      const before = asked().length;
      ({ finished } = await run(world, there, kills.shift(), goOn));
      const repeated = asked()
        .slice(before)
        .filter((address) => safe.includes(address));
      expect(repeated).toEqual([]);
      expect(safe).not.toContain(UNKNOWN);
    }
    if (goOn.includes('--run-id')) {
      const before = server.requests.length;
      expect(await run(world, there, undefined, goOn)).toEqual({ finished: true });
      expect(server.requests).toHaveLength(before);
    }
    expect(await there.place.read()).toBe(content);
  });
});
