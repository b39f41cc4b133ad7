/** The records of pages and runs in a file journal, as lines of JSON. */
import { join } from 'node:path';
import type { RunManifest } from '../../core/durable-sink';
import { FatalError } from '../../core/errors/errors';
import { stringifyJson } from '../../core/json/stringify';
import type { Checkpoint } from '../../core/model';
import { addedColumns } from '../../tables/run-columns';
import { checkedObject, checkedText, checksum, digitsOf, objectIn } from '../files/checksum';
import type { JournaledPage, KeptPage } from './journal';

/** Returns the file of the records. */
export const recordsIn = (folder: string): string => join(folder, 'journal.ndjson');

/** Returns the file of the lines of one dataType. */
export const dataIn = (folder: string, file: number): string => join(folder, `${file}.data`);

/** A page without its lines, and the place of the lines. */
export interface JournalRecord extends Pick<JournaledPage, 'run' | 'dataType' | 'count' | 'isPlain'> {
  readonly checkpoint: Checkpoint;
  /** The columns of `addedColumns`. */
  readonly extra: readonly (readonly [name: string, value: string])[];
  /** The number of the data file. */
  readonly file: number;
  /** The offset in bytes. */
  readonly offset: number;
  /** The number of bytes. */
  readonly length: number;
  /** The checksum of the lines. */
  readonly sum: number;
  /** The bytes of earlier records that were safe against a loss of power, with their lines, when this record was written. */
  readonly safe: number;
}

/**
 * Returns the record of a page whose lines are at a place.
 *
 * @param judges whether to find out, from all bytes of the items, if they are plain; only some formats want to know
 */
export function recordFor(
  page: KeptPage,
  lines: Uint8Array,
  place: Pick<JournalRecord, 'file' | 'offset' | 'safe'>,
  judges = true,
): JournalRecord {
  const { iteration: run, table: dataType, count, checkpoint, reply } = page;
  const plain = judges && reply.raw?.isPlain === true ? { isPlain: true } : {};
  const extra = Array.from(addedColumns(page));
  return { run, dataType, count, ...place, length: lines.length, sum: checksum(lines), extra, checkpoint, ...plain };
}

/** The checksum before a record, in hexadecimal digits, and the space after it. */
const PREFIX = /^([0-9a-f]{8}) /;
const PREFIX_BYTES = 9;

/**
 * Returns the line of a record, with its LF, and its checksum, from which the next record continues.
 *
 * @param before the checksum of the record before it; for the first one, that of the run manifest
 */
export function recordLine(record: JournalRecord, before: number) {
  const { checkpoint, ...place } = record;
  // Only a position or a cursor may have numbers that JSON.stringify would not write with all their digits.
  const isPlain = checkpoint.position === undefined && checkpoint.cursor === undefined;
  const text = isPlain
    ? JSON.stringify(record)
    : `${JSON.stringify(place).slice(0, -1)},"checkpoint":${stringifyJson({ ...checkpoint })}}`;
  const sum = checksum(text, before);
  return { line: `${digitsOf(sum)} ${text}\n`, sum };
}

/** Returns the checksum in a line, right or wrong. */
export const statedSum = (line: Buffer): number =>
  parseInt(PREFIX.exec(line.toString('latin1', 0, PREFIX_BYTES))?.[1] ?? '0', 16);

/**
 * Returns the record of a line; `undefined`: it is invalid, changed, or moved.
 *
 * @param before as in {@link recordLine}
 */
export function recordOf(line: Buffer, before: number): JournalRecord | undefined {
  if (!PREFIX.test(line.toString('latin1', 0, PREFIX_BYTES))) return undefined;
  const text = line.subarray(PREFIX_BYTES);
  if (checksum(text, before) !== statedSum(line)) return undefined;
  // With its checksum, it is what `recordLine` made of a record.
  return objectIn(text.toString('utf8')) as JournalRecord | undefined;
}

/** Serializes a run manifest. */
export const manifestText = (manifest: RunManifest): string => checkedText({ ...manifest });

/** Parses a run manifest; `undefined` if the text is none, or has changed. */
export const manifestOf = (text: string): RunManifest | undefined => checkedObject(text) as RunManifest | undefined;

/**
 * Returns the error for an interrupted run whose pages have changed and cannot be used.
 *
 * @param place the file or the table, for users
 * @param what what is wrong with it
 * @example throw journalDamage('"out/.headwater/journal/0.data"', 'page 3 of the table "items" is not as it was written')
 */
export const journalDamage = (place: string, what: string): FatalError =>
  new FatalError(
    'JOURNAL_DAMAGED',
    `The run cannot go on: ${place} was changed or damaged by others (${what}). ` +
      'Run again without --resume: the run starts over. What was stored before stays until then.',
  );

/** Returns the error for a part of a run that a later attempt has. */
export const partTaken = (name: string, part: string): FatalError =>
  new FatalError(
    'PART_TAKEN',
    `Part ${part} of the run belongs to another worker by now: ${name} takes nothing more of it from this one.`,
    { destination: name },
  );

/** Returns the error for a run that a destination does not have, or no longer has, as the one that goes on. */
export const runOver = (name: string, run: string): FatalError =>
  new FatalError(
    'RUN_OVER',
    `The run ${JSON.stringify(run)} is over: another run has taken its place in ${name}, or it was stored or cancelled. ` +
      'Nothing more of it is stored. Submit it again, if its rows are missing, when no other run writes there.',
    { destination: name },
  );
