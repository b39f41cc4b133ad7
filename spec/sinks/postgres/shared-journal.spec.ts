/** What processes that make parts of a run look up in the journal of a database. */
import type { SharedJournal } from '../../../src/core/durable-sink';
import type { Page } from '../../../src/core/model';
import { postgresSink } from '../../../src/sinks/postgres';
import { NEEDS, aHead, at, describeWithPostgres, full, tablePage, testDatabase } from '../../support/postgres';
import type { TestDatabase } from '../../support/postgres';

const [CALL, OTHER] = [
  [0, 0],
  [0, 1],
];

describeWithPostgres(`the journal of parts in PostgreSQL ${NEEDS}`, () => {
  let database: TestDatabase;
  let shared: SharedJournal;
  beforeEach(async () => {
    database = await testDatabase();
    const sink = postgresSink(database.url, [full]);
    await sink.open();
    await sink.begin(aHead('r'));
    await sink.close();
    if (sink.shared === undefined) throw new Error('It is not shared.');
    ({ shared } = sink);
  });
  afterEach(async () => {
    await shared.close();
    await database.drop();
  });

  const page = (call: readonly number[], number: number): Page =>
    tablePage('parents', [{ id: number }], { checkpoint: at(call, number) });
  const store = async (attempt: number, pages: readonly Page[]): Promise<void> => {
    const { write } = await shared.take(aHead('r'), '1.parents', attempt);
    await write.together?.(pages);
  };
  const found = async (pages: number): Promise<readonly (number | undefined)[]> => {
    const { checkpointOf } = await shared.take(aHead('r'), '2.children', 1);
    const checkpoints = [];
    for (let at = 0; at < pages; at += 1) checkpoints.push((await checkpointOf(CALL, at))?.pages);
    return checkpoints;
  };

  it('has the checkpoint of each page of a call, beside those of other calls', async () => {
    await store(1, [page(CALL, 1), page(OTHER, 1), page(CALL, 2), page(OTHER, 2), page(CALL, 3)]);
    expect(await found(4)).toEqual([1, 2, 3, undefined]);
  });

  it('has those of an attempt that went on, and of one that began again', async () => {
    await store(1, [page(CALL, 1), page(CALL, 2)]);
    await store(2, [page(CALL, 3)]);
    expect(await found(4)).toEqual([1, 2, 3, undefined]);
    await store(3, [page(CALL, 1), page(CALL, 2)]);
    expect(await found(3)).toEqual([1, 2, undefined]);
  });
});
