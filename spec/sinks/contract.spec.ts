// Takes minutes, and begins first (scripts/jest/sequencer.cjs).
/** Each sink keeps the contract that is exported for sinks of users. */
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { destinationOf } from '../../src';
import { describeSink, sinkContract } from '../../src/testing';
import type { ContractPlace, ContractSubject } from '../../src/testing';
import { createStore, webhook } from '../docs/show/webhook-sink';
import { CONTRACT_ADAPTERS, describeAvailable, flip } from '../support/adapters';
import { ALL_CASES, sharedCases, someOf } from '../support/cases';

const casesOf = sharedCases();
const last = CONTRACT_ADAPTERS.findLast(({ needs }) => needs === undefined);
for (const [number, adapter] of CONTRACT_ADAPTERS.entries())
  describeSink(adapter.subject, {
    describe: (name, body) => describeAvailable(name, adapter.needs, body),
    it: casesOf(number, adapter === last),
  });

describeSink(
  {
    name: 'webhook, a sink of a user',
    makes: 'messages',
    place: async () => {
      const folder = await mkdtemp(join(tmpdir(), 'headwater-contract-'));
      const store = createStore();
      const server = createServer(store.listener).listen(0, '127.0.0.1');
      await new Promise((resolve) => server.once('listening', resolve));
      const url = `webhook:http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      const workFolder = join(folder, 'work');
      return {
        sink: (outputs) => destinationOf(url, { components: [webhook(workFolder)] })(outputs),
        read: (table) => Promise.resolve(store.visible(table)),
        damage: () => flip(join(workFolder, '0.data')),
        remove: async () => {
          server.closeAllConnections();
          await new Promise((resolve) => server.close(resolve));
          await rm(folder, { recursive: true });
        },
      };
    },
  },
  { describe, it },
);

describe('sinkContract', () => {
  const ndjson = CONTRACT_ADAPTERS.find(({ subject }) => subject.name === 'ndjson:')?.subject as ContractSubject;
  const brokenBy = async (changes: Partial<ContractPlace>): Promise<readonly string[]> => {
    const checks = sinkContract({ ...ndjson, place: async () => ({ ...(await ndjson.place()), ...changes }) });
    const broken: string[] = [];
    const damaged = checks.filter(({ name }) => name.startsWith('says that pages were damaged'));
    for (const { name, run } of new Set([...someOf(checks, 5), ...damaged])) await run().catch(() => broken.push(name));
    return broken;
  };

  it('finds a reader that sees everything twice', async () => {
    const broken = await brokenBy({ read: () => Promise.resolve([{ id: 1 }, { id: 1 }]) });
    expect(broken.length).toBeGreaterThan(ALL_CASES ? 15 : 3);
  });

  it('finds damage that nobody notices', async () => {
    const broken = await brokenBy({ damage: () => Promise.resolve() });
    expect(broken).toEqual(['says that pages were damaged, and takes another run']);
  });
});
