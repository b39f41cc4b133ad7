/** Runs into a stream of NATS whose connection or process ends at each message that they publish (docs/sinks.md). */
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseJson, sinks } from '../../../src';
import type { DurableSink } from '../../../src/core/durable-sink';
import { ADDING } from '../../../src/explore/testing/contract/fixture';
import type { ReadRow } from '../../../src/testing';
import { expectEachRowOnce, operationsOf } from '../../support/broken-off';
import type { Wired, WiredLoad } from '../../support/broken-off';
import { everyOf, prepared } from '../../support/instants';
import { NatsProbe, natsUrl } from '../../support/nats-server';
import { NATS, wireTo } from '../../support/wire';
import type { Wire } from '../../support/wire';

jest.setTimeout(3_000_000);

const describeWithNats = natsUrl === undefined ? describe.skip : describe;

/** A connection that is lost waits for five seconds; in JetStream there are many more messages. */
const SINKS: readonly (readonly [string, number, (sink: DurableSink) => DurableSink])[] = [
  ['a folder', everyOf(9), (sink) => sink],
  ['JetStream, as on a cluster', everyOf(31), (sink) => sink.shared?.sink ?? sink],
];

describeWithNats.each(SINKS)(
  'a run into a stream that is broken off at any message, and keeps its pages in %s (needs HEADWATER_TEST_NATS)',
  (_, every, of) => {
    let probe: NatsProbe;
    let wire: Wire | undefined;
    beforeAll(async () => {
      probe = await NatsProbe.connect(natsUrl ?? '');
    });
    afterEach(() => wire?.close());
    afterAll(() => probe.close());

    const wired = async (): Promise<Wired> => {
      const workFolder = await mkdtemp(join(tmpdir(), 'headwater-nats-'));
      const [stream, prefix] = [`INSTANTS-${randomUUID()}`, `instants-${randomUUID()}`];
      const sinkAt = (server = '') => of(sinks.nats(`${server}/${stream}?subject=${prefix}`, { workFolder })(ADDING));
      const place = () =>
        Promise.resolve({
          sink: () => sinkAt(natsUrl),
          read: async (table: string) => {
            const messages = await probe.messages(stream).catch(() => []);
            return messages.flatMap(({ subject, text }) =>
              subject === `${prefix}.${table}` ? [parseJson(text) as ReadRow] : [],
            );
          },
          remove: async () => {
            await probe.clear(stream);
            await rm(workFolder, { recursive: true, force: true });
          },
        });
      const fixture = await prepared({ name: 'nats://', makes: 'messages', visible: 'at-once', place }, ADDING);
      await wire?.close();
      const own = (wire = await wireTo(natsUrl ?? '', NATS));
      return { fixture, wire: own, over: () => sinkAt(own.url), direct: () => sinkAt(natsUrl), mayFail: true };
    };
    const load: WiredLoad = { name: 'added', wired, expected: [1, 2, 2, 3, 4, 5] };

    it('has each item once', async () => {
      expect(await operationsOf(load)).toBeGreaterThan(5);
      await expectEachRowOnce(load, every);
    });
  },
);
