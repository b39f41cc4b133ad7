/** How far a run is, as data that another process can go on with. */
import { readFile, rm } from 'node:fs/promises';
import { FatalError } from '../../core/errors/errors';
import { isList, isObject } from '../../core/json/objects';
import { parseJson } from '../../core/json/parse';
import { stringifyJson } from '../../core/json/stringify';
import type { Checkpoint, Json, Page } from '../../core/model';
import { createSeal, isSealed } from '../../core/sealed';
import { replaceFile } from '../../sinks/files/durable-files';
import { createEvidenceTracker } from '../../sources/completeness/evidence-tracker';
import type { JobEvidence } from '../../sources/completeness/evidence-tracker';
import type { ExtractOptions } from '../extract';
import { createProgressTracker } from '../state/progress';

/** How far a run is: plain JSON, which may hold data of the API, and addresses that it gave. */
export interface SavedProgress {
  readonly version: 1;
  /** Tells runs apart that ask for different data: only one of the same goes on. */
  readonly fingerprint: string;
  /** When the run started: Unix seconds. */
  readonly startedAt: number;
  /** How many pages are safe. */
  readonly pages: number;
  /** Where the calls stand that are not over for good. */
  readonly checkpoints: readonly Checkpoint[];
  /** What the pages that are safe tell of the completeness of their jobs. */
  readonly evidence: Json;
}

/** Adds up the pages of a run that are safe. */
export interface RunProgress {
  /** Adds a page; pages are added in the order in which they came. */
  readonly add: (page: Page<unknown>) => void;
  readonly saved: () => SavedProgress;
  /** What goes on with the run, as the option `resume` of `extract` takes it. */
  readonly resume: () => NonNullable<ExtractOptions['resume']>;
}

/** What a run is when none of its pages is safe. */
export const noProgress = (fingerprint: string, startedAt: number): SavedProgress => ({
  ...{ version: 1, fingerprint, startedAt, pages: 0, checkpoints: [], evidence: [] },
});

/**
 * Adds up the checkpoints of pages, from what was saved before.
 *
 * @example
 * const progress = createProgress(saved);
 * progress.add(page);
 * await store.save(progress.saved());
 */
export function createProgress(from: SavedProgress = noProgress('', Math.floor(Date.now() / 1000))): RunProgress {
  const tracker = createProgressTracker();
  for (const checkpoint of from.checkpoints) tracker.add(checkpoint);
  const evidence = createEvidenceTracker(evidenceFrom(from.evidence));
  let { pages } = from;
  return {
    add: (page) => {
      pages += 1;
      tracker.add(page.checkpoint);
      // Only what the page tells of its items is looked at, and that is not decoded.
      evidence.addPage(page as Page);
    },
    saved: () => ({
      ...{ version: 1, fingerprint: from.fingerprint, startedAt: from.startedAt, pages },
      checkpoints: [...tracker.progress().values()],
      evidence: evidence.jobs().map(evidenceJson),
    }),
    resume: () => ({ startedAt: from.startedAt, progress: tracker.progress(), evidence: evidence.copy() }),
  };
}

const evidenceJson = (job: JobEvidence): Json =>
  parseJson(
    stringifyJson({
      ...job,
      unmet: [...job.unmet],
      met: [...job.met],
      windows: [...job.windows],
      doubts: [...job.doubts],
    }),
  );

/** What {@link evidenceJson} has made. */
const evidenceFrom = (json: Json): readonly JobEvidence[] =>
  (isList(json) ? json : []).map((job) => job as unknown as JobEvidence);

/** @example progressText(progress.saved()) */
const progressText = (saved: SavedProgress): string => stringifyJson(saved as unknown as Json);

/**
 * Reads what {@link progressText} has made.
 *
 * @param place where it stands, for messages
 * @throws FatalError JOURNAL_DAMAGED
 */
function progressFrom(text: string, place: string): SavedProgress {
  const found = read(text);
  if (found !== undefined && isObject(found) && found['version'] === 1 && isList(found['checkpoints']))
    return found as unknown as SavedProgress;
  const message = `The progress in ${place} is not as it was saved. Remove it to begin anew.`;
  throw new FatalError('JOURNAL_DAMAGED', message);
}

function read(text: string): Json | undefined {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

/** Where the progress of runs is kept, so that they go on after a failure, or in another process. */

/** Keeps the progress of one run at a time. */
export interface ProgressStore {
  /** What was saved last; `undefined`: nothing was, or the run is over. */
  readonly load: () => Promise<SavedProgress | undefined>;
  /** Replaces what was saved; resolves when it is safe. */
  readonly save: (progress: SavedProgress) => Promise<void>;
  /** Forgets it: the run is over. */
  readonly clear: () => Promise<void>;
}

/** A place for one text. */
export interface TextPlace {
  /** How messages call it. */
  readonly name: string;
  readonly read: () => Promise<string | undefined>;
  readonly write: (text: string) => Promise<void>;
  readonly remove: () => Promise<void>;
}

/** As much of a bucket of `@nats-io/kv` as is needed. */
export interface KeyValueBucket {
  readonly get: (key: string) => Promise<{ readonly operation: string; readonly string: () => string } | null>;
  readonly put: (key: string, value: string) => Promise<number>;
  readonly delete: (key: string) => Promise<void>;
}

/** As much of a Client or a Pool of `pg` as is needed. */
export interface PostgresQueries {
  readonly query: (text: string, values?: string[]) => Promise<{ readonly rows: readonly unknown[] }>;
}

/** A store in any place that holds a string: a cell, a key, an object. */
const inPlace = ({ name, read, write, remove }: TextPlace): ProgressStore => ({
  load: async () => {
    const text = await read();
    return text === undefined ? undefined : progressFrom(text, name);
  },
  save: (progress) => write(progressText(progress)),
  clear: remove,
});

const SEALED_FOR = 'progress';

/** @throws FatalError JOURNAL_DAMAGED from `load` for a file of another key, or one that was changed */
function inFile(path: string, { encryptionKey }: { readonly encryptionKey?: string } = {}): ProgressStore {
  const seal = encryptionKey === undefined ? undefined : createSeal(encryptionKey);
  const textOf = (bytes: Buffer): string => {
    const opened = isSealed(bytes) ? seal?.open(bytes, SEALED_FOR) : bytes;
    if (opened !== undefined) return opened.toString('utf8');
    throw new FatalError('JOURNAL_DAMAGED', `The progress in ${path} is encrypted with another key, or was changed.`);
  };
  return inPlace({
    name: path,
    read: async () => {
      const bytes = await readFile(path).catch(orNothing);
      return bytes === undefined ? undefined : textOf(bytes);
    },
    write: (text) => replaceFile(path, seal?.close(Buffer.from(text), SEALED_FOR) ?? text),
    remove: () => rm(path, { force: true }),
  });
}

function orNothing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}

function inMemory(): ProgressStore {
  let text: string | undefined;
  return inPlace({
    name: 'memory',
    read: () => Promise.resolve(text),
    write: (written) => Promise.resolve(void (text = written)),
    remove: () => Promise.resolve(void (text = undefined)),
  });
}

const inBucket = (bucket: KeyValueBucket, key: string): ProgressStore =>
  inPlace({
    name: `the key ${key}`,
    read: async () => {
      const entry = await bucket.get(key);
      return entry === null || entry.operation !== 'PUT' ? undefined : entry.string();
    },
    write: async (text) => {
      await bucket.put(key, text);
    },
    remove: () => bucket.delete(key),
  });

function inPostgres(
  client: PostgresQueries,
  { key, table = 'headwater_progress' }: { readonly key: string; readonly table?: string },
): ProgressStore {
  const name = table
    .split('.')
    .map((part) => `"${part.replaceAll('"', '""')}"`)
    .join('.');
  let made: Promise<unknown> | undefined;
  const query = async (text: string, values: string[]): Promise<readonly unknown[]> => {
    made ??= client.query(`CREATE TABLE IF NOT EXISTS ${name} (key text PRIMARY KEY, progress text NOT NULL)`);
    await made.catch((error: unknown) => {
      made = undefined;
      throw error;
    });
    return (await client.query(text, values)).rows;
  };
  return inPlace({
    name: `${table} (${key})`,
    read: async () => {
      const [row] = await query(`SELECT progress FROM ${name} WHERE key = $1`, [key]);
      return (row as { readonly progress: string } | undefined)?.progress;
    },
    write: async (text) => {
      const replace = 'ON CONFLICT (key) DO UPDATE SET progress = excluded.progress';
      await query(`INSERT INTO ${name} (key, progress) VALUES ($1, $2) ${replace}`, [key, text]);
    },
    remove: async () => {
      await query(`DELETE FROM ${name} WHERE key = $1`, [key]);
    },
  });
}

/** Makes stores. */
export interface ProgressStores {
  /** As long as the process lives. */
  readonly memory: () => ProgressStore;
  /** A file, replaced at one go; encrypted with the key of at least 16 characters, if there is one. */
  readonly file: (path: string, options?: { readonly encryptionKey?: string }) => ProgressStore;
  /** A key in a bucket of `@nats-io/kv`. */
  readonly natsKv: (bucket: KeyValueBucket, key: string) => ProgressStore;
  /** A row of a table, which is made where there is none; `table` is `headwater_progress` unless given. */
  readonly postgres: (
    client: PostgresQueries,
    options: { readonly key: string; readonly table?: string },
  ) => ProgressStore;
  /** Any place for a string: a key of Redis, an object in a bucket. */
  readonly in: (place: TextPlace) => ProgressStore;
}

/**
 * The stores that there are. Those of NATS and PostgreSQL use a bucket and a client of the application.
 *
 * @example
 * progressStores.file('stations.progress', { encryptionKey: process.env.HEADWATER_KEY });
 * progressStores.natsKv(await new Kvm(connection).create('progress'), 'stations');
 * progressStores.postgres(new Pool(), { key: 'stations' });
 */
export const progressStores: ProgressStores = {
  memory: inMemory,
  file: inFile,
  natsKv: inBucket,
  postgres: inPostgres,
  in: inPlace,
};
