import { setTimeout as delay } from 'node:timers/promises';
import type { DurableSink } from '../../../src/core/durable-sink';
import { postgresSink as postgres } from '../../../src/sinks/postgres';
import {
  aHead,
  append,
  at,
  checkpointsOf,
  describeWithPostgres,
  full,
  keyed,
  NEEDS,
  tablePage,
  testDatabase,
  testServer,
} from '../../support/postgres';
import { newTable } from '../../support/stored';
import type { TestDatabase, TestServer } from '../../support/postgres';

const PAGES = 12;
const ITEMS = 1_000;
const ALL = PAGES * ITEMS;

const pageOf = (table: string, number: number) =>
  tablePage(
    table,
    Array.from({ length: ITEMS }, (_, index) => ({ id: number * ITEMS + index, text: 'x'.repeat(100) })),
    // A call of its own for each table.
    { checkpoint: at([0, table.length], number + 1) },
  );

describeWithPostgres(`postgres, restarted ${NEEDS}`, () => {
  let server: TestServer;
  let database: TestDatabase;

  beforeAll(async () => {
    server = await testServer();
    database = await testDatabase(server.url);
  });
  afterAll(() => server.stop());

  const summary = async (table: string) =>
    (await database.query(`SELECT count(*)::int AS n, count(DISTINCT id)::int AS ids FROM ${table}`))[0];
  const fill = async (sink: DurableSink, table: string): Promise<void> => {
    for (let number = 0; number < PAGES; number += 1) await sink.write(pageOf(table, number));
  };

  it('between and during writes: no page is lost, none is there twice', async () => {
    const sink = postgres(`${database.url}?schema=writes`, [full]);
    await sink.open();
    await sink.begin(aHead('r'));
    let restarting: Promise<void> = Promise.resolve();
    for (let number = 0; number < PAGES; number += 1) {
      // At 5 nothing is written meanwhile, at 10 a page is on its way.
      if (number === 5) await server.restart();
      if (number === 10) restarting = server.restart();
      await sink.write(pageOf('item', number));
    }
    await restarting;
    await sink.close();
    const again = postgres(`${database.url}?schema=writes`, [full]);
    const checkpoints = await checkpointsOf(await again.open());
    expect(checkpoints.map(({ pages }) => pages)).toEqual(Array.from({ length: PAGES }, (_, index) => index + 1));
    expect(await again.commit({ n: 1 })).toEqual([newTable('item', ALL)]);
    await again.close();
    expect(await summary('writes.item')).toEqual({ n: ALL, ids: ALL });
  });

  it.each([0, 150])(
    '%d ms after a commit began: it is done once',
    async (after) => {
      const schema = `commit${after}`;
      const url = `${database.url}?schema=${schema}`;
      const sink = postgres(url, [keyed('keyed', 'id'), append]);
      await sink.open();
      await sink.begin(aHead('r'));
      await fill(sink, 'item');
      await fill(sink, 'keyed');
      const committed = sink.commit({ n: 1 });
      await delay(after);
      await server.restart();
      expect(await committed).toEqual([newTable('item', ALL), newTable('keyed', ALL)]);
      await sink.close();
      expect(await summary(`${schema}.item`)).toEqual({ n: ALL, ids: ALL });
      expect(await summary(`${schema}.keyed`)).toEqual({ n: ALL, ids: ALL });
      const again = postgres(url, [append]);
      expect(await again.open()).toMatchObject({ finished: 'r', state: { n: 1 } });
      await again.close();
    },
    30_000,
  );

  it('in the middle of a commit whose process does not come back: another goes on', async () => {
    const url = `${database.url}?schema=other`;
    const before = postgres(url, [append]);
    await before.open();
    await before.begin(aHead('old'));
    await before.write(tablePage('item', [{ id: -1 }]));
    await before.commit({ n: 1 });
    await before.begin(aHead('new'));
    await fill(before, 'item');
    const abandoned = before.commit({ n: 2 }).catch((error: unknown) => error);
    await delay(100);
    // With its place taken, the first can do nothing more, whenever it comes back.
    await server.restart();
    await database.query(`UPDATE _headwater.destinations SET owner = 'another' WHERE destination LIKE '["other"%'`);
    const outcome = await abandoned;
    // A commit that was over before the restart leaves it to this to find its place taken.
    await before.close().catch((error: unknown) => expect(error).toMatchObject({ code: 'DESTINATION_LOCKED' }));

    const sink = postgres(url, [append]);
    const standing = await sink.open();
    if (standing.unfinished === undefined) {
      const changes = [{ change: 'column_added', column: 'text', type: 'text' }];
      expect(outcome).toMatchObject([{ name: 'item', rows: ALL, added: ALL, changes }]);
    } else {
      expect(outcome).toMatchObject({ code: 'DESTINATION_LOCKED' });
      expect(standing).toMatchObject({ finished: 'old', state: { n: 1 }, unfinished: { manifest: { id: 'new' } } });
      expect(await summary('other.item')).toEqual({ n: 1, ids: 1 });
      await sink.commit({ n: 2 });
    }
    await sink.close();
    expect(await summary('other.item')).toEqual({ n: ALL + 1, ids: ALL + 1 });
  });
});
