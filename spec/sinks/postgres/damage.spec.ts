import type { DurableSink, Standing } from '../../../src/core/durable-sink';
import { postgresSink as postgres } from '../../../src/sinks/postgres';
import {
  aHead,
  at,
  checkpointsOf,
  describeWithPostgres,
  full,
  NEEDS,
  tablePage,
  testDatabase,
} from '../../support/postgres';
import type { Rows, TestDatabase } from '../../support/postgres';

const PAGES = [0, 1, 2, 3].map((page) => ({
  ...tablePage('user', [
    { id: page * 2, name: 'aa' },
    { id: page * 2 + 1, name: 'bb' },
  ]),
  checkpoint: at([0, 0], page + 1),
}));
const STATE = { time: { previousStart: 1_600_000_000 } };

describeWithPostgres(`a journal in PostgreSQL that somebody has changed ${NEEDS}`, () => {
  let database: TestDatabase;
  let sinks: DurableSink[] = [];
  let runs = 0;
  beforeEach(async () => {
    database = await testDatabase();
  });
  afterEach(async () => {
    await Promise.all(sinks.map((sink) => sink.close()));
    sinks = [];
    await database.drop();
  });
  const sinkOf = (): DurableSink => {
    const sink = postgres(database.url, [full]);
    sinks.push(sink);
    return sink;
  };
  const rows = (): Promise<Rows> => database.query('SELECT id, name FROM "user" ORDER BY id');
  const wanted = PAGES.flatMap(({ items }) => items);
  const finish = async (sink: DurableSink, from: number): Promise<void> => {
    for (const page of PAGES.slice(from)) await sink.write(page);
    await sink.commit(STATE);
    await sink.close();
  };
  /** A run that was committed, and one that was not. */
  const prepare = async (): Promise<void> => {
    const first = sinkOf();
    await first.open();
    await first.begin(aHead(`r${(runs += 1)}`));
    await finish(first, 0);
    const second = sinkOf();
    await second.open();
    await second.begin(aHead('r'));
    for (const page of PAGES.slice(0, 3)) await second.write(page);
    await second.close();
  };
  const goOn = async (sink: DurableSink, standing: Standing): Promise<void> => {
    if (standing.damage !== undefined) throw standing.damage;
    await finish(sink, (await checkpointsOf(standing)).length);
  };
  const PAGES_TABLE = '_headwater.pages';

  it.each([
    ['lines', `UPDATE ${PAGES_TABLE} SET lines = replace(lines, '"aa"', '"ab"') WHERE seq = 1`, /page 2 .*not as/],
    ['lines that are cut', `UPDATE ${PAGES_TABLE} SET lines = left(lines, 9) WHERE seq = 0`, /page 1 .*not as/],
    ['a count', `UPDATE ${PAGES_TABLE} SET count = 1 WHERE seq = 0`, /page 1 .*not as/],
    ['another table', `UPDATE ${PAGES_TABLE} SET data_type = 'others' WHERE seq = 0`, /page 1 .*not as/],
    [
      'a checkpoint',
      `UPDATE ${PAGES_TABLE} SET checkpoint = replace(checkpoint, '1', '2') WHERE seq = 0`,
      /page 1 .*not/,
    ],
    ['a checkpoint that is cut', `UPDATE ${PAGES_TABLE} SET checkpoint = left(checkpoint, 9)`, /page 1 .*not as/],
    ['a missing page', `DELETE FROM ${PAGES_TABLE} WHERE seq = 1`, /a page before page 3 of the run is missing/],
    ['pages in another order', `UPDATE ${PAGES_TABLE} SET seq = 9 - seq`, /not as it was written/],
    ['the head', `UPDATE _headwater.destinations SET head = replace(head, '0', '1')`, /has no run manifest/],
    ['half of the head', `UPDATE _headwater.destinations SET head = left(head, 9)`, /has no run manifest/],
  ])('%s: an error that says what to do, and a run without --resume starts over', async (_, sql, message) => {
    await prepare();
    await database.query(sql);
    const sink = sinkOf();
    const failure: unknown = await goOn(sink, await sink.open()).catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: 'JOURNAL_DAMAGED', message: expect.stringMatching(message) as string });
    expect(String(failure)).toContain('Run again without --resume');
    await sink.close();
    expect(await rows()).toEqual(wanted);
    const again = sinkOf();
    expect((await again.open()).state).toMatchObject(STATE);
    await again.begin(aHead('r again'));
    await finish(again, 0);
    expect(await rows()).toEqual(wanted);
  });

  it('last pages that are gone are fetched again', async () => {
    await prepare();
    await database.query(`DELETE FROM ${PAGES_TABLE} WHERE seq > 0`);
    const sink = sinkOf();
    await goOn(sink, await sink.open());
    expect(await rows()).toEqual(wanted);
  });

  it('a state that is damaged is not gone on with', async () => {
    await prepare();
    await database.query(`UPDATE _headwater.destinations SET state = replace(state, '16', '17')`);
    await expect(sinkOf().open()).rejects.toMatchObject({
      code: 'DESTINATION_DAMAGED',
      message: expect.stringMatching(
        /What the last run left in the row .* is damaged\. Delete it to start over/,
      ) as string,
    });
  });
});
