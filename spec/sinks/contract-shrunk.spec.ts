/** A run that may lack items replaces no table by one with fewer rows, in any destination (docs/completeness.md). */
import type { DurableSink, RunFacts } from '../../src/core/durable-sink';
import type { Page } from '../../src/core/model';
import { ADDING, KEYED, SinkFixture, THREE, pageOf, rivers } from '../../src/explore/testing/contract/fixture';
import type { OutputPlan } from '../../src/plan/plan';
import { CONTRACT_ADAPTERS, describeAvailable } from '../support/adapters';

const ACCEPTED: RunFacts = {
  ...{ outcome: 'doubtful', version: '0', requests: 1, retries: 0, warnings: 1 },
  ...{ pages: 1, resumedPages: 0, items: 1 },
};
const DOUBTFUL: RunFacts = { ...ACCEPTED, keepsRows: true };
const REPLACED_BY_KEY: readonly OutputPlan[] = KEYED.map((output) => ({ ...output, incremental: false }));
const FEWER = [rivers([5, 7])];

const kept = CONTRACT_ADAPTERS.filter(
  ({ subject: { makes, keepsNothing, visible } }) =>
    makes !== 'messages' && makes !== undefined && !keepsNothing && visible !== 'at-once',
);

describe.each(kept)('a table that a doubtful run replaces: $subject.name', ({ subject, needs }) => {
  describeAvailable(subject.name, needs, () => {
    let fixture: SinkFixture;
    beforeEach(async () => {
      fixture = new SinkFixture(subject, await subject.place());
    });
    afterEach(() => fixture.end());

    const begun = (id: string, pages: readonly Page[], outputs?: readonly OutputPlan[]): Promise<DurableSink> =>
      fixture.begun(id, pages, outputs);
    const refusal = (before: string, after: string): object => ({
      code: 'TABLE_SHRUNK',
      message: expect.stringMatching(
        `has ${before}, and this run would leave ${after}, .*--resume --accept-incomplete`,
      ) as string,
    });

    it.each([
      ['without a key', undefined],
      ['with a key', REPLACED_BY_KEY],
    ])('keeps its rows and tells both numbers, %s; the run goes on when that is accepted', async (name, outputs) => {
      await fixture.run('run-1', THREE, outputs);
      const sink = await begun('run-2', FEWER, outputs);
      await expect(sink.commit({}, DOUBTFUL)).rejects.toMatchObject(refusal('6 rows', '2 rows'));
      await sink.close();
      await fixture.expectIds([1, 2, 3, 4, 5, 6], name);
      const again = fixture.sink(outputs);
      expect((await again.open()).unfinished?.manifest.id).toBe('run-2');
      await again.commit({}, ACCEPTED);
      await again.close();
      await fixture.expectIds([5, 7], 'the accepted run was not stored');
    });

    it('keeps its rows where the run has none', async () => {
      await fixture.run('run-1', THREE);
      const sink = await begun('run-2', [rivers([])]);
      await expect(sink.commit({}, DOUBTFUL)).rejects.toMatchObject(refusal('6 rows', '0 rows'));
      await sink.close();
      await fixture.expectIds([1, 2, 3, 4, 5, 6], 'the rows are gone');
    });

    it('is counted where its last rows came from another run than the last one', async () => {
      await fixture.run('run-1', THREE);
      await fixture.run('run-2', [pageOf('lakes', [{ id: 9, name: 'lake' }], { call: [0, 1] })]);
      const sink = await begun('run-3', FEWER);
      await expect(sink.commit({}, DOUBTFUL)).rejects.toMatchObject(refusal('6 rows', '2 rows'));
      await sink.close();
    });

    it('is stored for the first time, with as many rows, and where rows are added or merged', async () => {
      const first = await begun('run-1', THREE);
      await first.commit({}, DOUBTFUL);
      await first.close();
      const same = await begun('run-2', THREE);
      await same.commit({}, DOUBTFUL);
      await same.close();
      const added = await begun('run-3', [rivers([7])], ADDING);
      await added.commit({}, DOUBTFUL);
      await added.close();
      const merged = await begun('run-4', [rivers([7, 8])], KEYED);
      await merged.commit({}, DOUBTFUL);
      await merged.close();
      await fixture.expectIds([1, 2, 3, 4, 5, 6, 7, 8], 'rows are missing');
    });
  });
});
