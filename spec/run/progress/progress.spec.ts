/** Every store keeps the contract; those of servers against real ones (scripts/services.sh). */
import { jetstream } from '@nats-io/jetstream';
import { Kvm } from '@nats-io/kv';
import { connect } from '@nats-io/transport-node';
import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Pool } from 'pg';
import { progressStores } from '../../../src';
import type { ProgressStore, SavedProgress } from '../../../src';
import { natsUrl } from '../../support/nats-server';

/** URL of the database that scripts/services.sh starts. */
const postgresUrl = process.env['HEADWATER_TEST_POSTGRES'];

const saved = (pages: number): SavedProgress => ({
  ...{ version: 1, fingerprint: 'print', startedAt: 1_717_243_200, pages, evidence: [{ id: '1', unmet: [] }] },
  checkpoints: [{ call: [0, 0], job: "o'clock", pages, items: 3, volume: 0, position: { after: 9007199254740993n } }],
});
/** Two handles of one place, as two processes have them. */
type Opened = { readonly one: ProgressStore; readonly other: ProgressStore; readonly close: () => Promise<void> };
const unique = (): string => `spec-${process.pid}-${Date.now()}`;

const inFile = (encryptionKey?: string) => (): Promise<Opened> => {
  const folder = mkdtempSync(join(tmpdir(), 'headwater-spec-'));
  const open = (): ProgressStore =>
    progressStores.file(join(folder, 'progress'), encryptionKey === undefined ? {} : { encryptionKey });
  return Promise.resolve({
    one: open(),
    other: open(),
    close: () => rm(folder, { recursive: true }),
  });
};
const inNats = async (): Promise<Opened> => {
  const connection = await connect({ servers: natsUrl ?? '' });
  const name = unique();
  const bucket = await new Kvm(jetstream(connection)).create(name);
  const open = (): ProgressStore => progressStores.natsKv(bucket, 'stations');
  const close = async (): Promise<void> => {
    await bucket.destroy();
    await connection.close();
  };
  return { one: open(), other: open(), close };
};
const inPostgres = async (): Promise<Opened> => {
  const pool = new Pool({ connectionString: postgresUrl });
  const schema = unique();
  await pool.query(`CREATE SCHEMA "${schema}"`);
  const open = (): ProgressStore => progressStores.postgres(pool, { key: "o'clock", table: `${schema}.pro"gress` });
  const close = async (): Promise<void> => {
    await pool.query(`DROP SCHEMA "${schema}" CASCADE`);
    await pool.end();
  };
  return { one: open(), other: open(), close };
};
const inMemory = (): Promise<Opened> => {
  const store = progressStores.memory();
  return Promise.resolve({ one: store, other: store, close: () => Promise.resolve() });
};

const STORES: readonly (readonly [string, () => Promise<Opened>, boolean])[] = [
  ['memory', inMemory, true],
  ['a file', inFile(), true],
  ['an encrypted file', inFile('sixteen characters'), true],
  ['NATS', inNats, natsUrl !== undefined],
  ['PostgreSQL', inPostgres, postgresUrl !== undefined],
];

// Without a server of its kind (scripts/services.sh) a store cannot be tried.
describe.each(STORES.filter(([, , isThere]) => isThere))('progress in %s', (_, open) => {
  let opened: Opened;
  beforeEach(async () => void (opened = await open()));
  afterEach(() => opened.close());

  it('is what was saved last, whoever asks, until it is cleared', async () => {
    const { one, other } = opened;
    expect(await one.load()).toBeUndefined();
    await one.clear();
    await one.save(saved(1));
    expect(await other.load()).toEqual(saved(1));
    await other.save(saved(2));
    expect(await one.load()).toEqual(saved(2));
    await one.clear();
    expect(await other.load()).toBeUndefined();
    await other.save(saved(3));
    expect(await one.load()).toEqual(saved(3));
  });
});
