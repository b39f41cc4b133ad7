/** Checksums of the pages in a journal of PostgreSQL: what has been changed there must not pass for data. */
import { FatalError } from '../../core/errors/errors';
import { isObject } from '../../core/json/keys';
import { parseJson } from '../../core/json/parse';
import type { Checkpoint, JsonObject } from '../../core/model';
import { checkedObject, checkedText, checksum } from '../files/checksum';
import { journalDamage, journalOutdated } from '../journal/damage';
import { checkpointOf, extraOf } from '../journal/records';
import { objectIn } from '../files/object-in';

/** A page as its row has it, without its lines. */
export interface PageHead {
  readonly seq: number;
  readonly run: number;
  readonly dataType: string;
  readonly extra: string;
  readonly count: number;
}

/** The checksum of a checkpoint with its number: rows that were swapped are as wrong as others. */
export const checkpointSum = (seq: number, checkpoint: string): number => checksum(checkpoint, checksum(String(seq)));

export const linesSum = ({ seq, run, dataType, extra, count }: PageHead, lines: Uint8Array | string): number =>
  checksum(lines, checksum(JSON.stringify([seq, run, dataType, extra, count])));

/** @param sum `null` in rows of earlier versions */
function check(sum: string | null, actual: number, place: string, seq: number): void {
  if (sum === null) throw journalOutdated(place);
  if (Number(sum) !== actual) throw changed(place, seq);
}

const changed = (place: string, seq: number): Error =>
  journalDamage(place, `page ${seq + 1} of the run is not as it was written`);

/** @throws FatalError JOURNAL_DAMAGED */
export function checkedCheckpoint(
  row: { readonly seq: number; readonly checkpoint: string; readonly sum: string | null },
  place: string,
): Checkpoint {
  check(row.sum, checkpointSum(row.seq, row.checkpoint), place, row.seq);
  const checkpoint = checkpointOf(objectIn(row.checkpoint));
  if (checkpoint === undefined) throw changed(place, row.seq);
  return checkpoint;
}

/**
 * The extra columns of a page that is as it was written.
 *
 * @throws FatalError JOURNAL_DAMAGED
 */
export function checkedExtra(
  row: PageHead & { readonly lines: string; readonly sum: string | null },
  place: string,
): ReadonlyMap<string, string> {
  check(row.sum, linesSum(row, row.lines), place, row.seq);
  const extra = extraOf(parseJson(row.extra));
  if (extra === undefined) throw changed(place, row.seq);
  return extra;
}

/** Follows the pages of calls: none may be missing before another of the same call. */
export function pageCounter(place: string): (seq: number, checkpoint: Checkpoint) => void {
  const counts = new Map<string, number>();
  return (seq, { call, pages }) => {
    const key = call.join('.');
    if (pages !== 1 && pages !== (counts.get(key) ?? 0) + 1)
      throw journalDamage(place, `a page before page ${seq + 1} of the run is missing`);
    counts.set(key, pages);
  };
}

export const stateText = (state: JsonObject): string => checkedText({ state });

/**
 * The state in a text, which earlier versions wrote as it is.
 *
 * @throws FatalError DESTINATION_DAMAGED when it is damaged
 */
export function stateIn(text: string, place: string): JsonObject {
  const read = checkedObject(text);
  const state = read?.isChecked === true ? read.value['state'] : read?.value;
  if (isObject(state)) return state;
  const remedy = 'Delete it to begin anew.';
  throw new FatalError('DESTINATION_DAMAGED', `What the last run left in ${place} is damaged. ${remedy}`);
}
