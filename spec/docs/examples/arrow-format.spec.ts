/** The format in examples/arrow-format.cjs keeps the contract of sinks, with the package it names taken from src/. */
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { tableFromIPC } from 'apache-arrow';
import { destinationOf } from '../../../src';
import type { SinkDefinition } from '../../../src/components';
import { describeSink } from '../../../src/testing';
import type { ContractPlace, ReadRow } from '../../../src/testing';
import { flip } from '../../support/adapters';

jest.mock('headwater/components', () => jest.requireActual<object>('../../../src/components'), { virtual: true });

async function place(): Promise<ContractPlace> {
  const arrow = jest.requireActual<SinkDefinition>('../../../examples/arrow-format.cjs');
  const folder = await mkdtemp(join(tmpdir(), 'headwater-arrow-'));
  return {
    sink: (outputs) => destinationOf(`arrow:${folder}`, { components: [arrow] })(outputs),
    read: async (table) => {
      const file = join(folder, `${table}.arrow`);
      if (!existsSync(file)) return [];
      return tableFromIPC(await readFile(file))
        .toArray()
        .map((row) => ({ ...(row as { toJSON: () => ReadRow }).toJSON() }));
    },
    damage: () => flip(join(folder, '.headwater', 'journal', '0.data')),
    remove: () => rm(folder, { recursive: true }),
  };
}

describeSink({ name: 'arrow, a format of a user', makes: 'tables', place }, { describe, it });
