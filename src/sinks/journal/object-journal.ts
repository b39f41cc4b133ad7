/** The journal of a run whose parts are written by several machines, in a place that keeps texts by their keys: a bucket, a stream. */
import type { PartJournal, RunManifest } from '../../core/durable-sink';
import { FatalError } from '../../core/errors/errors';
import { stringifyJson } from '../../core/json/stringify';
import type { Checkpoint, JsonObject } from '../../core/model';
import { checkedObject, checkedText, checksum, objectIn, shortDigest } from '../files/checksum';
import { forEach } from './journal';
import type { KeptPage } from './journal';
import { journalDamage, manifestText, partTaken, runOver, recordFor, recordLine, recordOf } from './records';

/** The condition of a request: the object has a version, or does not exist. */
export type Condition = { readonly version: string } | 'absent';

/** A place of objects: texts by their keys, which have folders as paths do. */
export interface ObjectStore {
  /** Reads an object, and its version for later requests; `undefined`: there is none. */
  readonly text: (key: string) => Promise<{ readonly text: string; readonly version: string } | undefined>;
  /** Stores an object, under the condition that there is none, or that it has a version; returns whether it was met. */
  readonly put: (key: string, text: string, condition?: Condition) => Promise<boolean>;
  /** Returns the keys that begin with a prefix that ends with `/`, those in folders below as well. */
  readonly list: (start: string, isDeep: true) => Promise<readonly string[]>;
  readonly remove: (key: string) => Promise<void>;
  /** Removes all objects whose keys begin with a prefix that ends with `/`. */
  readonly removeAll: (start: string) => Promise<void>;
}

/** Returns the records of the runs that were committed to a store, each an object below `root`. */
export function objectRecords(root: string, store: Pick<ObjectStore, 'text' | 'put'>) {
  const keyOf = (run: string): string => `${root}runs/${encodeURIComponent(run)}.json`;
  return {
    /** Returns the record of the run of this id, if it was committed. */
    recordOf: async (run: string): Promise<JsonObject | undefined> => {
      const found = await store.text(keyOf(run));
      return found && (objectIn(found.text) ?? {});
    },
    add: (run: string, record: JsonObject) => store.put(keyOf(run), stringifyJson(record)),
  };
}

/** A run that several machines make. */
export interface BegunRun {
  readonly manifest: RunManifest;
  /** What the destination counted before it began: its commits, or its messages. */
  readonly generation: number;
}

/** The journal, for the process that begins and commits the run, too. */
export type ObjectJournal = ReturnType<typeof objectJournal>;

const DIGITS = 9;
const numbered = (folder: string, number: number): string => `${folder}${String(number).padStart(DIGITS, '0')}`;
/** So many pages are read at once. */
const AT_ONCE = 32;

/**
 * The objects of a part are a chain: each has the next number, and is stored only if nobody has stored that number. The first line of an
 * object is the attempt, the rest is a page. An attempt that takes a part stores an object without a page, as a mark; the attempt before it,
 * which does not know of the mark, fails at its next page.
 *
 * @param root the folder of all its keys, with `/` at the end
 * @example await objectJournal(name, '.headwater/csv/journal/', openBucket(address)).take(manifest, '1.000', 1)
 */
export function objectJournal(name: string, root: string, store: ObjectStore) {
  const head = `${root}run.json`;
  const folderOf = (run: RunManifest): string => `${root}${shortDigest(manifestText(run))}/`;
  const parentOf = (run: RunManifest, call: Checkpoint['call'], pages: number): string =>
    `${folderOf(run)}parents/${call.join('.')}/${pages}`;
  const begun = async (): Promise<BegunRun | undefined> => {
    const found = await store.text(head);
    if (found === undefined) return undefined;
    const begun = checkedObject(found.text) as BegunRun | undefined;
    if (begun === undefined) throw journalDamage(JSON.stringify(head), 'it has no run manifest');
    return begun;
  };
  /** Returns the page of an object; `undefined`: it is a mark. */
  const pageAt = async (run: RunManifest, key: string): Promise<KeptPage | undefined> => {
    const bytes = afterLine(Buffer.from((await store.text(key))?.text ?? ''));
    if (bytes.length === 0) return undefined;
    const lines = afterLine(bytes);
    const record = recordOf(bytes.subarray(0, bytes.length - lines.length - 1), checksum(manifestText(run)));
    if (record === undefined || record.length !== lines.length || record.sum !== checksum(lines))
      throw journalDamage(JSON.stringify(key), 'it is no page, or was changed');
    const { checkpoint, run: iteration, dataType: table, count, isPlain = false } = record;
    const extra = new Map(record.extra);
    return { checkpoint, iteration, table, extra, count, lines: () => lines, reply: { raw: { isPlain } } };
  };
  const hasBegun = async (run: RunManifest): Promise<boolean> => {
    const found = await begun();
    return found !== undefined && manifestText(found.manifest) === manifestText(run);
  };
  const keysOf = (run: RunManifest, part: string): Promise<readonly string[]> =>
    store.list(`${folderOf(run)}pages/${part}/`, true);
  const take = async (run: RunManifest, part: string, attempt: number) => {
    if (!(await hasBegun(run))) throw runOver(name, run.id);
    const folder = `${folderOf(run)}pages/${part}/`;
    const keyOf = (number: number): string => numbered(folder, number);
    let next = (await keysOf(run, part)).length;
    /** Stores the next object. A request whose response was lost is sent again, and finds what it has stored. */
    const append = async (page: string): Promise<boolean> => {
      const text = `${attempt}\n${page}`;
      const key = keyOf(next);
      next += 1;
      return (await store.put(key, text, 'absent')) || (await store.text(key))?.text === text;
    };
    do {
      const last = next === 0 ? undefined : await store.text(keyOf(next - 1));
      if (last !== undefined && parseInt(last.text, 10) > attempt) throw partTaken(name, part);
    } while (!(await append('')));
    const before = next - 1;
    const noteParent = async (checkpoint: Checkpoint): Promise<void> => {
      const { call, pages, parents } = checkpoint;
      const text = recordLine({ ...NO_LINES, checkpoint }, 0).line;
      if (parents !== undefined) await store.put(parentOf(run, call, pages), text);
    };
    const journal: PartJournal = {
      checkpoints: async function* () {
        for (let at = 0; at < before; at += 1) {
          const page = await pageAt(run, keyOf(at));
          if (page === undefined) continue;
          // The attempt before may have ended between the two objects.
          await noteParent(page.checkpoint);
          yield page.checkpoint;
        }
      },
      lastOf: async (other) => {
        for (const key of [...(await keysOf(run, other))].sort().reverse()) {
          const page = await pageAt(run, key);
          if (page !== undefined) return page.checkpoint;
        }
        return undefined;
      },
      checkpointOf: async (call, page) => {
        const text = (await store.text(parentOf(run, call, page + 1)))?.text;
        return text === undefined ? undefined : recordOf(Buffer.from(text.trimEnd()), 0)?.checkpoint;
      },
      write: async (page) => {
        const lines = page.lines();
        const record = recordFor(page, lines, { file: 0, offset: 0, safe: 0 });
        const { line } = recordLine(record, checksum(manifestText(run)));
        if (!(await append(`${line}${Buffer.from(lines).toString()}`))) throw partTaken(name, part);
        await noteParent(page.checkpoint);
      },
    };
    /** Throws what a page would, without one. */
    const check = async (): Promise<void> => {
      if ((await store.text(keyOf(next))) !== undefined) throw partTaken(name, part);
      if ((await store.text(keyOf(next - 1))) === undefined) throw runOver(name, run.id);
    };
    return { ...journal, check };
  };
  const dropFolder = async (folder: string): Promise<void> => {
    // Without it the rest does not count.
    await store.remove(head);
    await store.removeAll(folder);
  };
  return {
    take,
    /** Returns the run that has begun and is not dropped; `undefined`: there is none. */
    begun,
    /** Drops what there is of all runs. */
    drop: () => dropFolder(root),
    /** Drops what there is of the run of this id, unless it is the one that was committed last. */
    dropRun: async (run: string, committed: () => Promise<string | undefined>): Promise<void> => {
      const found = await begun();
      // Another run may have begun meanwhile: its pages stay.
      if (found?.manifest.id === run && (await committed()) !== run) await dropFolder(folderOf(found.manifest));
    },
    begin: async ({ manifest, generation }: BegunRun): Promise<void> => {
      const text = checkedText({ generation, manifest: { ...manifest } });
      // A process may begin the same run again.
      if (!(await store.put(head, text, 'absent')) && !(await hasBegun(manifest))) {
        const message = `The destination ${name} is taken: another run has just begun there.`;
        throw new FatalError('DESTINATION_LOCKED', message, { destination: name });
      }
      // Workers of other runs may have written since these were dropped.
      const own = folderOf(manifest);
      const left = (await store.list(root, true)).filter((key) => key !== head && !key.startsWith(own));
      // Folders of runs have names of one length.
      for (const folder of new Set(left.map((key) => key.slice(0, own.length)))) await store.removeAll(folder);
    },
    /** Returns all pages of the run, some at once: part by part, each in the order in which it was written. */
    pages: async function* (run: RunManifest): AsyncGenerator<readonly KeptPage[]> {
      const keys = [...(await store.list(`${folderOf(run)}pages/`, true))].sort();
      // Where an object of a chain is missing, its rows would be missing without a word.
      for (const [at, key] of keys.entries()) {
        const number = Number(key.slice(-DIGITS));
        if (number !== 0 && keys[at - 1] !== numbered(key.slice(0, -DIGITS), number - 1))
          throw journalDamage(JSON.stringify(key), 'the object before it is missing');
      }
      for (let from = 0; from < keys.length; from += AT_ONCE) {
        const some = keys.slice(from, from + AT_ONCE);
        const pages = new Map<string, KeptPage>();
        await forEach(some, async (key) => {
          const page = await pageAt(run, key);
          if (page !== undefined) pages.set(key, page);
        });
        yield some.flatMap((key) => pages.get(key) ?? []);
      }
    },
  };
}

const NO_LINES = { run: 0, dataType: '', extra: [], count: 0, file: 0, offset: 0, length: 0, sum: 0, safe: 0 };
const afterLine = (bytes: Buffer): Buffer => bytes.subarray(1 + bytes.indexOf('\n'));
