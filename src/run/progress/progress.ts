/** The progress of a run, as data from which another process can resume it. */
import { readFile, rm } from 'node:fs/promises';
import { FatalError } from '../../core/errors/errors';
import { isList, isObject } from '../../core/json/objects';
import { parseJson } from '../../core/json/parse';
import { stringifyJson } from '../../core/json/stringify';
import type { Checkpoint, Json, Page } from '../../core/model';
import { createSeal, isSealed } from '../../core/sealed';
import { replaceFile } from '../../sinks/files/durable-files';
import { createEvidenceTracker } from '../../sources/completeness/judgement';
import type { JobEvidence } from '../../sources/completeness/judgement';
import type { ExtractOptions } from '../extract';
import { createProgressTracker } from '../state/progress';

/** The progress of a run: plain JSON, which may contain data and addresses of the API. */
export interface SavedProgress {
  readonly version: 1;
  /** Identifies the data that a run asks for: only a run with the same fingerprint is resumed. */
  readonly fingerprint: string;
  /** When the run started: Unix seconds. */
  readonly startedAt: number;
  /** The number of stored pages. */
  readonly pages: number;
  /** The checkpoints of the calls that have not ended for good. */
  readonly checkpoints: readonly Checkpoint[];
  /** The evidence of the stored pages about the completeness of their jobs. */
  readonly evidence: Json;
}

/** Adds up the stored pages of a run. */
export interface RunProgress {
  /** Adds a page; pages are added in the order of their arrival. */
  readonly add: (page: Page<unknown>) => void;
  readonly saved: () => SavedProgress;
  /** Returns the value of the option `resume` of `extract`. */
  readonly resume: () => NonNullable<ExtractOptions['resume']>;
}

/** Returns the progress of a run without stored pages. */
export const noProgress = (fingerprint: string, startedAt: number): SavedProgress => ({
  ...{ version: 1, fingerprint, startedAt, pages: 0, checkpoints: [], evidence: [] },
});

/**
 * Adds up the checkpoints of pages to the saved progress.
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
      // Only the evidence of the page about its items is read, not the decoded items.
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
      texts: [...job.texts],
      doubts: [...job.doubts],
    }),
  );

/** Reads the output of {@link evidenceJson}. */
const evidenceFrom = (json: Json): readonly JobEvidence[] =>
  (isList(json) ? json : []).map((job) => job as unknown as JobEvidence);

/** @example progressText(progress.saved()) */
const progressText = (saved: SavedProgress): string => stringifyJson(saved as unknown as Json);

/**
 * Reads the output of {@link progressText}.
 *
 * @param place the place of the text, for messages
 * @throws FatalError JOURNAL_DAMAGED
 */
function progressFrom(text: string, place: string): SavedProgress {
  const found = read(text);
  if (found !== undefined && isObject(found) && found['version'] === 1 && isList(found['checkpoints']))
    return found as unknown as SavedProgress;
  const message = `The progress in ${place} is not as it was saved. Remove it to start over.`;
  throw new FatalError('JOURNAL_DAMAGED', message);
}

function read(text: string): Json | undefined {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

// Stores for the progress of runs, which can be resumed from them after a failure, or in another process.

/** Keeps the progress of one run at a time. */
export interface ProgressStore {
  /** Returns the progress that was saved last; `undefined`: there is none, or the run has ended. */
  readonly load: () => Promise<SavedProgress | undefined>;
  /** Replaces the saved progress; resolves when it is stored. */
  readonly save: (progress: SavedProgress) => Promise<void>;
  /** Removes the progress, since the run has ended. */
  readonly clear: () => Promise<void>;
}

/** A place for one string. */
export interface TextPlace {
  /** The name of the place in messages. */
  readonly name: string;
  readonly read: () => Promise<string | undefined>;
  readonly write: (text: string) => Promise<void>;
  readonly remove: () => Promise<void>;
}

/** The used part of a bucket of `@nats-io/kv`. */
export interface KeyValueBucket {
  readonly get: (key: string) => Promise<{ readonly operation: string; readonly string: () => string } | null>;
  readonly put: (key: string, value: string) => Promise<number>;
  readonly delete: (key: string) => Promise<void>;
}

/** The used part of a Client or a Pool of `pg`. */
export interface PostgresQueries {
  readonly query: (text: string, values?: string[]) => Promise<{ readonly rows: readonly unknown[] }>;
}

/** Returns a store in any place that holds a string: a cell, a key, an object. */
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

/** Makes progress stores. */
export interface ProgressStores {
  /** Keeps the progress as long as the process lives. */
  readonly memory: () => ProgressStore;
  /** A file that is replaced atomically; encrypted if there is a key, of at least 16 characters. */
  readonly file: (path: string, options?: { readonly encryptionKey?: string }) => ProgressStore;
  /** A key in a bucket of `@nats-io/kv`. */
  readonly natsKv: (bucket: KeyValueBucket, key: string) => ProgressStore;
  /** A row of a table, which is created if it does not exist; `table` is `headwater_progress` by default. */
  readonly postgres: (
    client: PostgresQueries,
    options: { readonly key: string; readonly table?: string },
  ) => ProgressStore;
  /** Any place for a string: a key of Redis, an object in a bucket. */
  readonly in: (place: TextPlace) => ProgressStore;
}

/**
 * The available progress stores. Those of NATS and PostgreSQL use a bucket and a client of the application.
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
