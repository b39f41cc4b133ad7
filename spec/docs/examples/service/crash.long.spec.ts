/** The example service, killed with SIGKILL at random instants and started again, under messages of twenty tenants. */
import { setTimeout as delay } from 'node:timers/promises';
import { natsUrl } from '../../../support/nats-server';
import { randomFrom } from '../../../support/random';
import { itemsOf, linkPackage, World } from './support';
import type { Login } from './support';

const withNats = natsUrl === undefined ? describe.skip : describe;
const reason = natsUrl === undefined ? ' (skipped: HEADWATER_TEST_NATS is not set)' : '';

const MESSAGES = 1000;
const KILLS = 8;
const TOKEN_SECONDS = 4;
/** Credentials are renewed a tenth of their lifetime before their end (docs/language/authentication.md#renewal). */
const MARGIN_SECONDS = TOKEN_SECONDS / 10;
/**
 * A lifetime counts from when the login was sent, and the API hears of that later: on a busy machine by hundreds of milliseconds.
 * A service that logs in for each message would do so many times in what is left.
 */
const LATENESS = 1000;
const SEED = Number(process.env.HEADWATER_CRASH_SEED ?? Date.now() % 1_000_000);

const tenants = Array.from({ length: 20 }, (_, at) => `tenant-${at}`);
const tenantOf = (at: number): string => tenants[at % tenants.length] ?? '';

/** Logins that came while the one before them, of the same tenant and the same life of the service, was good. */
const needless = (logins: readonly Login[]): readonly Login[] =>
  logins.filter((login, at) => {
    const before = logins.slice(0, at).findLast(({ tenant, life }) => tenant === login.tenant && life === login.life);
    const lifetime = 1000 * (TOKEN_SECONDS - MARGIN_SECONDS);
    return before !== undefined && login.at - before.at < lifetime - LATENESS;
  });

withNats(`the example service${reason}`, () => {
  beforeAll(linkPackage);

  it(`loses and doubles nothing under kill -9, and logs in once a tenant and expiry (seed ${SEED})`, async () => {
    const random = randomFrom(SEED);
    const world = await World.make(tenants, TOKEN_SECONDS);
    let service = await world.start();
    const numbers = Array.from({ length: MESSAGES }, (_, at) => at);
    await Promise.all(
      numbers.map((at) =>
        world.ask(tenantOf(at), `m-${at}`, { configuration: 'things', parameters: { key: `${at}` } }),
      ),
    );
    const redelivered: string[] = [];
    const note = (): void =>
      void redelivered.push(...service.settled().flatMap(({ delivery, message }) => (delivery > 1 ? message : [])));
    let killed = 0;
    while (killed < KILLS) {
      const before = await world.waiting();
      if (before === 0) break;
      // Not before it is at work: a kill counts that breaks something off.
      while (service.settled().length === 0) await delay(5);
      await delay(random() * 1500);
      await service.kill();
      note();
      killed += 1;
      // What had been sent before is with the API by now, and belongs to that life.
      await delay(50);
      service = await world.start();
    }
    await world.untilSettled();
    expect(await service.stop()).toBe(0);
    note();

    const expected = numbers.flatMap((at) =>
      itemsOf(tenantOf(at), `${at}`).map((id) => `${tenantOf(at)}.things ${id}`),
    );
    expect([...(await world.items())].sort()).toEqual([...expected].sort());
    expect(await world.messages('dead')).toEqual([]);
    // It was killed in the middle of work, which came again.
    expect(killed).toBe(KILLS);
    expect(redelivered).not.toEqual([]);
    expect(needless(world.logins)).toEqual([]);
    expect(new Set(world.logins.map(({ tenant }) => tenant))).toEqual(new Set(tenants));
    // There were expiries within a life.
    const lives = new Set(world.logins.map(({ tenant, life }) => `${tenant} ${life}`));
    expect(world.logins.length).toBeGreaterThan(lives.size);
  });
});
