// Takes minutes, and begins first (scripts/jest/sequencer.cjs).
/** Runs into a bucket whose connection or process ends at each of their requests (docs/sinks.md). */
import { CONTRACT_ADAPTERS } from '../../support/adapters';
import { expectAllOrNone, expectEachRowOnce, operationsOf } from '../../support/broken-off';
import type { Wired, WiredLoad } from '../../support/broken-off';
import { LOADS, everyOf, prepared } from '../../support/instants';
import { NEEDS_S3, S3_ENVIRONMENT, describeWithS3, useS3 } from '../../support/s3';
import { HTTP, wireTo } from '../../support/wire';
import type { Wire } from '../../support/wire';

jest.setTimeout(3_000_000);

/** An instant takes a second and more. */
const EVERY = everyOf(15);
const adapters = CONTRACT_ADAPTERS.filter(({ subject: { name } }) => name.includes('s3://'));

describeWithS3(`a run into a bucket that is broken off at any request${NEEDS_S3}`, () => {
  let wire: Wire | undefined;
  afterEach(async () => {
    await wire?.close();
    useS3();
  });

  describe.each(adapters)('$subject.name', ({ subject }) => {
    const loads = LOADS.map(([name, outputs, expected]): WiredLoad => {
      const wired = async (): Promise<Wired> => {
        useS3();
        const fixture = await prepared(subject, outputs);
        await wire?.close();
        const own = (wire = await wireTo(S3_ENVIRONMENT.AWS_ENDPOINT_URL_S3, HTTP));
        const over = () => {
          process.env.AWS_ENDPOINT_URL_S3 = own.url;
          return fixture.place.sink(outputs);
        };
        const direct = () => {
          useS3();
          return fixture.place.sink(outputs);
        };
        return { fixture, wire: own, over, direct };
      };
      return { name, wired, expected };
    });

    it.each(loads)('has each row once, where rows are $name', async (load) => {
      expect(await operationsOf(load)).toBeGreaterThan(3);
      await expectEachRowOnce(load, EVERY);
    });

    it.each(loads)('leaves all of its rows or none to a new run, where rows are $name', (load) =>
      expectAllOrNone(load, EVERY, load.name === 'replaced'),
    );
  });
});
