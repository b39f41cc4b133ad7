/** The one object that says what the tables in a bucket are. */
import { FatalError } from '../../core/errors/errors';
import { checkedObject, checkedText } from '../files/checksum';
import { commitRecordOf, storedTables } from '../files/folder-commit';
import type { CommitRecord } from '../files/folder-commit';

/** The last commit in a bucket. */
export interface BucketRecord extends CommitRecord {
  /** How many commits there were; the uploads of a run are named by that of the commit before it. */
  readonly generation: number;
  /** `decided`: its files are complete, and some may not be in their places yet. */
  readonly at: 'decided' | 'done';
  /** What the keys of its complete files begin with. */
  readonly staged: string;
}

/** The text of the object. */
export function recordText({ stored, receipt, run, ...others }: BucketRecord): string {
  const tables = storedTables(stored);
  return checkedText({ ...others, receipt: { ...receipt }, stored: tables, ...(run === undefined ? {} : { run }) });
}

/** @throws FatalError DESTINATION_DAMAGED when the text is no record, or was changed */
export function recordIn(text: string, key: string): BucketRecord {
  const read = checkedObject(text);
  const commit = commitRecordOf(read?.value);
  const { generation, at, staged } = read?.value ?? {};
  const isWhole = read?.isChecked === true && typeof generation === 'number' && typeof staged === 'string';
  if (commit !== undefined && isWhole && (at === 'decided' || at === 'done'))
    return { ...commit, generation, at, staged };
  const message = `The object ${JSON.stringify(key)} is damaged: what was stored last is not known. Remove it to begin anew.`;
  throw new FatalError('DESTINATION_DAMAGED', message);
}
