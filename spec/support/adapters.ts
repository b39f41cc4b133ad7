/** The sinks, each with what specs need to run against it: how a place is made, read, damaged and blocked, and how it differs. */
import { randomUUID } from 'node:crypto';
import { mkdtemp, open, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { parseJson, sinks } from '../../src';
import type { Destination } from '../../src';
import type { ContractPlace, ContractSubject, ReadRow } from '../../src/testing';
import { NatsProbe, natsUrl } from './nats-server';
import { closedInTheEnd } from './opened';
import { BUCKET, download, s3Url, useS3 } from './s3';
import { NEEDS_SQLITE } from './sqlite';
import {
  csvPlace,
  csvRows,
  duckdbPlace,
  lineRows,
  ndjsonPlace,
  parquetPlace,
  parquetRows,
  postgresPlace,
  sqlitePlace,
} from './tables';
import type { TablesPlace } from './tables';

/** Changes a byte in the middle of a file. */
export async function flip(path: string): Promise<void> {
  const handle = await open(path, 'r+');
  const { size } = await handle.stat();
  const at = Math.floor(size / 2);
  const { buffer } = await handle.read(Buffer.alloc(1), 0, 1, at);
  await handle.write(Buffer.from([(buffer[0] ?? 0) ^ 1]), 0, 1, at);
  await handle.close();
}

/** A sink of this package, and whether it can be had here. */
export interface ContractAdapter {
  /** The rules that are public hold for it. */
  readonly subject: ContractSubject;
  /** What it lacks here; absent: it is available. */
  readonly needs?: string;
}

/** Registers specs of a sink; where it cannot be had they are skipped, and say why. */
export function describeAvailable(name: string, needs: string | undefined, body: () => void): void {
  if (needs === undefined) describe(name, body);
  else describe.skip(`${name} (skipped: it needs ${needs})`, body);
}

/** A new place of a sink in a folder or in a file, for the contract. */
const placed =
  (make: () => Promise<TablesPlace>, kept?: (at: string) => string): ContractSubject['place'] =>
  async () => {
    const { at, to, rows, drop } = await make();
    const place: ContractPlace = {
      sink: (outputs) => to()(outputs),
      read: async (table) => (await rows(table)) ?? [],
      remove: drop,
    };
    return kept === undefined ? place : { ...place, damage: () => flip(kept(at)) };
  };
const inFolder = (folder: string): string => join(folder, '.headwater', 'journal', '0.data');
const besideFile = (file: string): string => join(`${file}.headwater`, '0.data');

type MakeInBucket = (place: string, options: { readonly journal: string }) => Destination;

/** A new place of a sink in a bucket. */
const inBucket =
  (make: MakeInBucket, read: (file: string) => Promise<readonly ReadRow[]>, suffix: string): ContractSubject['place'] =>
  async () => {
    useS3();
    const folder = await mkdtemp(join(tmpdir(), 'headwater-contract-'));
    const prefix = `contract-${randomUUID()}`;
    return {
      sink: (outputs) => make(`s3://${BUCKET}/${prefix}`, { journal: folder })(outputs),
      read: async (table) => {
        const copy = await mkdtemp(join(folder, 'read-'));
        const files = await download(prefix, copy);
        return files.includes(`${table}${suffix}`) ? read(join(copy, `${table}${suffix}`)) : [];
      },
      damage: async () => {
        const [own = ''] = (await readdir(folder)).filter((name) => name.startsWith('s3-'));
        await flip(inFolder(join(folder, own)));
      },
      remove: () => rm(folder, { recursive: true }),
    };
  };

let probed: Promise<NatsProbe> | undefined;
/** One connection for all places. */
function natsProbe(): Promise<NatsProbe> {
  if (probed !== undefined) return probed;
  const made = NatsProbe.connect(natsUrl ?? '');
  closedInTheEnd(async () => (await made).close());
  return (probed = made);
}

async function natsPlace(): Promise<ContractPlace> {
  const probe = await natsProbe();
  const workFolder = await mkdtemp(join(tmpdir(), 'headwater-contract-'));
  const [stream, prefix] = [`CONTRACT-${randomUUID()}`, `contract-${randomUUID()}`];
  const url = `${natsUrl ?? ''}/${stream}?subject=${prefix}`;
  return {
    sink: (outputs) => sinks.nats(url, { workFolder })(outputs),
    read: async (table) => {
      const messages = await probe.messages(stream).catch(() => []);
      const own = messages.filter(({ subject }) => subject === `${prefix}.${table}`);
      return own.map(({ text }) => parseJson(text) as ReadRow);
    },
    damage: () => flip(join(workFolder, 'journal', 'head.json')),
    remove: async () => {
      await probe.delete(stream).catch(() => undefined);
      await rm(workFolder, { recursive: true });
    },
  };
}

const NEEDS_SERVICES = 'scripts/services.sh run npm test';
const postgresNeeds =
  process.env.HEADWATER_TEST_POSTGRES === undefined ? `HEADWATER_TEST_POSTGRES: ${NEEDS_SERVICES}` : undefined;
const natsNeeds = natsUrl === undefined ? `HEADWATER_TEST_NATS: ${NEEDS_SERVICES}` : undefined;
const s3Needs = s3Url === undefined ? `HEADWATER_TEST_S3: ${NEEDS_SERVICES}` : undefined;

type Adapted = Pick<ContractSubject, 'makes' | 'place'> & Partial<Omit<ContractSubject, 'name'>>;
const adapter = (name: string, subject: Adapted, needs?: string): ContractAdapter => ({
  subject: { name, ...subject },
  ...(needs === undefined ? {} : { needs }),
});

/** Each sink that keeps the contract, in each form in which it has code of its own. */
export const CONTRACT_ADAPTERS: readonly ContractAdapter[] = [
  adapter('csv:', { makes: 'linked-tables', place: placed(csvPlace, inFolder) }),
  adapter('csv: at one go', {
    ...{ makes: 'linked-tables', keepsNothing: true },
    place: placed(() => csvPlace({ keepsNothing: true })),
  }),
  adapter('csv: compressed', {
    makes: 'linked-tables',
    place: placed(() => csvPlace({ compress: 'gzip' }), inFolder),
  }),
  adapter('ndjson:', { makes: 'tables', place: placed(ndjsonPlace, inFolder) }),
  adapter('ndjson: compressed', { makes: 'tables', place: placed(() => ndjsonPlace({ compress: 'gzip' }), inFolder) }),
  adapter('parquet:', { makes: 'tables', place: placed(parquetPlace, inFolder) }),
  adapter('duckdb:', { makes: 'tables', place: placed(duckdbPlace, besideFile) }),
  adapter('sqlite:', { makes: 'tables', place: placed(sqlitePlace, besideFile) }, NEEDS_SQLITE),
  adapter(
    'postgres://',
    {
      makes: 'tables',
      place: async () => {
        const { query, ...place } = await postgresPlace();
        const damage = async (): Promise<void> => {
          await query(`UPDATE _headwater.pages SET lines = replace(lines, '1', '2')`);
        };
        return { ...(await placed(() => Promise.resolve(place))()), damage };
      },
    },
    postgresNeeds,
  ),
  adapter('nats://', { makes: 'messages', visible: 'at-once', place: natsPlace }, natsNeeds),
  adapter(
    'ndjson:s3://',
    {
      makes: 'tables',
      place: inBucket(
        (to, own) => sinks.ndjson(to, { ...own, compress: 'gzip' }),
        async (file) => lineRows(gunzipSync(await readFile(file)).toString()),
        '.ndjson.gz',
      ),
    },
    s3Needs,
  ),
  adapter(
    'csv:s3://',
    {
      makes: 'linked-tables',
      place: inBucket(sinks.csv, async (file) => csvRows(await readFile(file, 'utf8')), '.csv'),
    },
    s3Needs,
  ),
  adapter('parquet:s3://', { makes: 'tables', place: inBucket(sinks.parquet, parquetRows, '.parquet') }, s3Needs),
];
