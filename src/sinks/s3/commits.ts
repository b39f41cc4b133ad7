/** Replaces old objects by new ones exactly once, whatever ends the process, on any machine. */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { FatalError } from '../../core/errors/errors';
import { checkedObject, checkedText } from '../files/checksum';
import { filesIn } from '../files/folder-commit';
import type { CommitRecord } from '../files/folder-commit';
import { forEach } from '../journal/journal';
import { objectRecords } from '../journal/object-journal';
import type { Condition } from '../journal/object-journal';
import type { BucketAddress } from './address';
import type { OpenBucket } from './client';

/** The maximum number of checks of a commit that another machine is carrying out. */
const ATTEMPTS = 10;
/** The version of no object. */
const NO_VERSION = { version: '"0"' };

/**
 * The commits in a bucket. A commit uploads its files beside the tables, then replaces the commit record, under the condition that it is
 * the record from the start of the run: this decides. After that, the next process that opens the destination copies the files to their
 * places, and may repeat it.
 */
export class BucketCommits {
  /** The folder of this machine for new files. */
  readonly staging: string;
  readonly #records: ReturnType<typeof objectRecords>;
  readonly #key: string;
  readonly #work: string;
  #last: { readonly record: BucketRecord; readonly version: string } | undefined;

  constructor(
    private readonly bucket: OpenBucket,
    private readonly address: BucketAddress,
    work: string,
  ) {
    this.staging = join(work, 'staging');
    this.#work = `.headwater/${address.format}/`;
    this.#key = `${this.#work}commit.json`;
    this.#records = objectRecords(this.#work, bucket);
  }

  /** Returns the record of the run of this id, if it was committed. */
  get recordOf() {
    return this.#records.recordOf;
  }

  /** Returns the last commit, as of the last read. */
  get last(): BucketRecord | undefined {
    return this.#last?.record;
  }

  /** Returns the number of commits so far. */
  get generation(): number {
    return this.last?.generation ?? 0;
  }

  /**
   * Checks that objects can be stored, and only under a condition: otherwise two runs could overwrite each other's objects.
   *
   * @throws FatalError DESTINATION_ADDRESS
   */
  async check(): Promise<void> {
    const probe = `${this.#work}conditional`;
    const isStored = (condition: Condition): Promise<boolean> => this.bucket.put(probe, '{}', condition);
    const ignoresAbsence = (await isStored('absent')) && (await isStored('absent'));
    const ignored = ignoresAbsence ? 'If-None-Match' : (await isStored(NO_VERSION)) ? 'If-Match' : undefined;
    if (ignored === undefined) return;
    const why = `its server ignores the header ${ignored}, so that two runs could overwrite the tables of each other`;
    throw new FatalError(
      'DESTINATION_ADDRESS',
      `The destination ${this.address.name} cannot be used: ${why}. Use a server with conditional writes.`,
    );
  }

  /** Reads the last commit, and completes it. */
  async settle(): Promise<BucketRecord | undefined> {
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
      await this.read();
      if (this.#last === undefined || this.#last.record.at === 'done') return this.last;
      await this.#carryOut(this.#last.record, this.#last.version);
    }
    throw this.#taken('Another run is being committed to it');
  }

  /**
   * Uploads the files of the staging folder, and decides that they belong to the destination, unless another run was committed since the
   * last read.
   *
   * @throws FatalError DESTINATION_LOCKED when another run was
   */
  async decide(commit: Omit<CommitRecord, 'files'>): Promise<void> {
    const before = this.#last;
    const files = (await filesIn(this.staging)).sort();
    const staged = `${this.#work}staging/${this.generation}/${randomUUID()}/`;
    await forEach(files, (file) => this.bucket.upload(join(this.staging, file), `${staged}${file}`));
    const record: BucketRecord = { ...commit, files, generation: this.generation + 1, at: 'decided', staged };
    const condition = before === undefined ? 'absent' : { version: before.version };
    const isStored = await this.bucket.put(this.#key, recordText(record), condition);
    await this.read();
    // A request whose response came too late is retried, and finds what it stored itself.
    if (this.last?.staged !== staged && !isStored) throw this.overtaken();
  }

  /** Reads the last commit. */
  async read(): Promise<void> {
    const found = await this.bucket.text(this.#key);
    this.#last = found && { record: recordIn(found.text, this.#key), version: found.version };
  }

  /** Returns the error for a run that began before another one was committed. */
  overtaken(): FatalError {
    return this.#taken('Another run was committed to it since this one began, and may have stored the same rows');
  }

  /** Carries out a commit. Another machine may do the same at the same time, and be ahead. */
  async #carryOut(record: BucketRecord, version: string): Promise<void> {
    const { files, removed, staged, receipt, run } = record;
    const gone: string[] = [];
    await forEach(files, async (file) => {
      if (!(await this.bucket.copy(`${staged}${file}`, file))) gone.push(file);
    });
    const [first] = gone;
    if (first !== undefined) {
      const now = await this.bucket.text(this.#key);
      if (now?.version !== version) return;
      const what = `the object ${JSON.stringify(`${staged}${first}`)} of a commit that was decided on is gone`;
      throw new FatalError(
        'DESTINATION_DAMAGED',
        `${this.address.name} is damaged: ${what}. Restore it, or empty the prefix.`,
      );
    }
    await forEach(removed, (file) => this.bucket.remove(file));
    await this.#records.add(receipt.run, run);
    await this.bucket.put(this.#key, recordText({ ...record, at: 'done' }), { version });
    // Uploads of runs that began before the commit can never decide.
    const start = `${this.#work}staging/`;
    const isDead = (key: string): boolean => Number.parseInt(key.slice(start.length), 10) < record.generation;
    await forEach((await this.bucket.list(start, true)).filter(isDead), (key) => this.bucket.remove(key));
  }

  #taken(why: string): FatalError {
    const remedy = 'Nothing of this run was stored. Run again, without --resume, when no other run writes there.';
    return new FatalError('DESTINATION_LOCKED', `The destination ${this.address.name} is taken: ${why}. ${remedy}`);
  }
}

/** The last commit in a bucket, in the one object that says what its tables are. */
export interface BucketRecord extends CommitRecord {
  /** The number of commits so far; the uploads of a run are named by the number of the commit before it. */
  readonly generation: number;
  /** `decided`: its files are complete, and some may not be in their places yet. */
  readonly at: 'decided' | 'done';
  /** The prefix of the keys of its complete files. */
  readonly staged: string;
}

/** Returns the text of the object. */
const recordText = (record: BucketRecord): string => checkedText({ ...record, receipt: { ...record.receipt } });

/** @throws FatalError DESTINATION_DAMAGED when the text is no record, or was changed */
function recordIn(text: string, key: string): BucketRecord {
  const record = checkedObject(text) as BucketRecord | undefined;
  if (record !== undefined) return record;
  const message = `The object ${JSON.stringify(key)} is damaged: what was stored last is not known. Remove it to start over.`;
  throw new FatalError('DESTINATION_DAMAGED', message);
}
