import { FatalError } from '../../core/errors/errors';
import { isObject } from '../../core/json/keys';
import type { JsonObject } from '../../core/model';
import { checkedObject, checkedText } from '../files/checksum';
import { replaceFile, textOf } from '../files/durable-files';
import type { Receipt } from '../journal/journal';

/** A receipt with the record of its run, which follows it into the list of all runs. */
export interface RecordedReceipt extends Receipt {
  /** Absent in receipts of earlier versions. */
  readonly record?: JsonObject;
}

/**
 * Replaces the receipt, and resolves when it is safe.
 *
 * @throws FatalError DESTINATION or SINK_FAILED
 * @example await saveReceipt('work/receipt.json', { run: 'r', state: {} })
 */
export const saveReceipt = (path: string, { run, state, record }: RecordedReceipt): Promise<void> =>
  replaceFile(path, checkedText({ run, state, ...(record === undefined ? {} : { record }) }));

/**
 * The receipt of the last run that was committed.
 *
 * @throws FatalError DESTINATION_DAMAGED when the file is none
 */
export async function readReceipt(path: string): Promise<RecordedReceipt | undefined> {
  const text = await textOf(path);
  if (text === undefined) return undefined;
  const { run, state, record } = checkedObject(text)?.value ?? {};
  if (typeof run === 'string' && isObject(state)) return { run, state, ...(isObject(record) ? { record } : {}) };
  const remedy = 'It says what the last run left for the next one: restore it, or delete it to begin anew.';
  throw new FatalError('DESTINATION_DAMAGED', `The file ${JSON.stringify(path)} is no receipt of a run. ${remedy}`);
}
