/** The records of pages and runs in a file journal, as lines of JSON. */
import { join } from 'node:path';
import type { RunManifest } from '../../core/durable-sink';
import { FatalError } from '../../core/errors/errors';
import type { Doubt, Evidence, Shaped } from '../../core/evidence';
import { isList, isObject, ownValue } from '../../core/json/objects';
import { stringifyJson } from '../../core/json/stringify';
import type { Checkpoint, Json, JsonObject, PageCursor } from '../../core/model';
import { checkedObject, checkedText, checksum, digitsOf, objectIn } from '../files/checksum';
import type { JournaledPage } from './journal';

/** Returns the file of the records. */
export const recordsIn = (folder: string): string => join(folder, 'journal.ndjson');

/** Returns the file of the lines of one dataType. */
export const dataIn = (folder: string, file: number): string => join(folder, `${file}.data`);

/** A page without its lines, and the place of the lines. */
export interface JournalRecord extends Pick<JournaledPage, 'run' | 'dataType' | 'count' | 'isPlain'> {
  readonly checkpoint: Checkpoint;
  /** The columns of `addedColumns`. */
  readonly added: readonly (readonly [name: string, value: string])[];
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

/** The checksum before a record, in hexadecimal digits, and the space after it. */
const PREFIX = /^([0-9a-f]{8}) /;
const PREFIX_BYTES = 9;

/** The line of a record, with its LF, and its checksum, from which the next record continues. */
export interface RecordLine {
  readonly line: string;
  readonly sum: number;
}

/** @param before the checksum of the record before it; for the first one, that of the run manifest */
export function recordLine({ checkpoint, added: extra, ...place }: JournalRecord, before: number): RecordLine {
  // Only a position or a cursor may have numbers that JSON.stringify would not write with all their digits.
  const isPlain = checkpoint.position === undefined && checkpoint.cursor === undefined;
  const text = isPlain
    ? JSON.stringify({ extra, checkpoint, ...place })
    : `${JSON.stringify({ extra, ...place }).slice(0, -1)},"checkpoint":${stringifyJson({ ...checkpoint })}}`;
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
  const value = objectIn(text.toString('utf8'));
  if (value === undefined) return undefined;
  const checkpoint = checkpointOf(value['checkpoint']);
  const added = pairsIn(value['extra']);
  const { run, dataType, count, file, offset, length, sum, safe, isPlain } = value;
  if (checkpoint === undefined || added === undefined || typeof dataType !== 'string') return undefined;
  if (!isCount(run) || !isCount(count) || !isCount(file) || !isCount(offset) || !isCount(length)) return undefined;
  if (!isCount(sum) || !isCount(safe)) return undefined;
  const place = { file, offset, length, sum, safe };
  return { checkpoint, run, dataType, added, count, ...place, ...(isPlain === true ? { isPlain } : {}) };
}

/** Serializes a run manifest. */
export const manifestText = (manifest: RunManifest): string => checkedText({ ...manifest });

/** A run manifest, and whether it has a checksum: earlier versions wrote none. */
export interface ReadManifest {
  readonly manifest: RunManifest;
  readonly isChecked: boolean;
}

/** Parses a run manifest; `undefined` if the text is none, or has changed. */
export function manifestOf(text: string): ReadManifest | undefined {
  const read = checkedObject(text);
  if (read === undefined) return undefined;
  const { id, attempt, fingerprint, startedAt, previousStart, runColumns } = read.value;
  if (typeof id !== 'string' || typeof fingerprint !== 'string') return undefined;
  if (typeof startedAt !== 'number' || typeof previousStart !== 'number') return undefined;
  const given = typeof attempt === 'string' ? { attempt } : {};
  const stamped = runColumns === true ? { runColumns } : {};
  return { manifest: { id, ...given, fingerprint, startedAt, previousStart, ...stamped }, isChecked: read.isChecked };
}

/** Reads a checkpoint from JSON; `undefined` when the value is none. */
export function checkpointOf(value: Json | undefined): Checkpoint | undefined {
  if (!isObject(value)) return undefined;
  const { call, job, pages, items, volume, digest, parents } = value;
  const evidence = ownValue(value, 'evidence');
  const position = ownValue(value, 'position');
  const cursor = cursorOf(value['cursor']);
  if (!isList(call) || !call.every(isCount) || typeof job !== 'string') return undefined;
  if (!isCount(pages) || !isCount(items) || typeof volume !== 'number') return undefined;
  return {
    call,
    job,
    pages,
    items,
    volume,
    ...(position === undefined ? {} : { position }),
    ...(typeof digest === 'string' ? { digest } : {}),
    ...(cursor === undefined ? {} : { cursor }),
    ...(typeof parents === 'string' ? { parents } : {}),
    ...(isObject(evidence) ? { evidence: evidenceOf(evidence) } : {}),
  };
}

function cursorOf(value: Json | undefined): PageCursor | undefined {
  if (!isObject(value)) return undefined;
  const { parent, value: reached, least, furthest, ascends, isAhead, isUnordered } = value;
  if (typeof parent !== 'string' || reached === undefined) return undefined;
  // A journal of an older version lacks the order of the items.
  return {
    parent,
    value: reached,
    least: least ?? reached,
    ascends: ascends === true,
    ...(furthest === undefined ? {} : { furthest }),
    ...(isAhead === true ? { isAhead } : {}),
    ...(isUnordered === true ? { isUnordered } : {}),
  };
}

function evidenceOf({
  unmet,
  total,
  doubts,
  print,
  facts,
  single,
  stopped,
  shaped,
  met,
  keys,
  place,
  skipped,
  columns,
  begins,
}: JsonObject): Evidence {
  const made = shapedOf(shaped);
  return {
    ...(isList(unmet) ? { unmet: unmet.filter((place) => typeof place === 'string') } : {}),
    ...(typeof total === 'number' ? { total } : {}),
    ...(isList(doubts) ? { doubts: doubts.filter(isDoubt) } : {}),
    ...(typeof print === 'string' ? { print } : {}),
    ...(isObject(facts) ? { facts } : {}),
    ...(single === true ? { single } : {}),
    ...(stopped === true ? { stopped } : {}),
    ...(made === undefined ? {} : { shaped: made }),
    ...(place === 'before' || place === 'first' ? { place } : {}),
    ...(typeof skipped === 'string' ? { skipped } : {}),
    ...(isList(columns) ? { columns: columns.filter((name) => typeof name === 'string') } : {}),
    ...(typeof begins === 'string' ? { begins } : {}),
    ...(isList(met) ? { met: met.filter(isCount) } : {}),
    ...(isList(keys) ? { keys: keys.filter((key) => typeof key === 'string') } : {}),
  };
}

function shapedOf(value: Json | undefined): Shaped | undefined {
  if (!isObject(value) || !isObject(value['dropped'])) return undefined;
  const { arrived, delivered } = value;
  const { unnest, filter, exclude, unique } = value['dropped'];
  if (!isCount(arrived) || !isCount(delivered)) return undefined;
  if (!isCount(unnest) || !isCount(filter) || !isCount(exclude) || !isCount(unique)) return undefined;
  return { arrived, delivered, dropped: { unnest, filter, exclude, unique } };
}

const isDoubt = (value: Json): value is JsonObject & Doubt =>
  isObject(value) &&
  ['code', 'message'].every((key) => typeof value[key] === 'string') &&
  (value['level'] === 'error' || value['level'] === 'warning');

/** Reads extra columns from JSON; `undefined` when the value is no array of pairs of strings. */
export function extraOf(value: Json | undefined): ReadonlyMap<string, string> | undefined {
  const pairs = pairsIn(value);
  return pairs === undefined ? undefined : new Map(pairs);
}

function pairsIn(value: Json | undefined): JournalRecord['added'] | undefined {
  if (!isList(value)) return undefined;
  const pairs = value.filter(isPair);
  return pairs.length === value.length ? pairs : undefined;
}

const isPair = (value: Json): value is readonly [string, string] =>
  isList(value) && value.length === 2 && value.every((text) => typeof text === 'string');

const isCount = (value: Json | undefined): value is number => Number.isSafeInteger(value) && Number(value) >= 0;

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
    `The run cannot go on: ${place} was changed or damaged by others (${what}). ${REMEDY}`,
  );

/** Returns the error for pages of a run that an earlier version of this program wrote. */
export const journalOutdated = (place: string): FatalError =>
  new FatalError('JOURNAL_DAMAGED', `The run cannot go on: an earlier version of Headwater wrote ${place}. ${REMEDY}`);

/** Returns the error for a part of a run that this process no longer has. */
export const partTaken = (name: string, part: string): FatalError =>
  new FatalError(
    'PART_TAKEN',
    `Part ${part} of the run belongs to another worker by now, or the run is over: ${name} takes nothing more of it from this one.`,
    { destination: name },
  );

const REMEDY = 'Run again without --resume: the run starts over. What was stored before stays until then.';
