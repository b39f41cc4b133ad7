/** What a journal of files keeps of a page, and of a run, as lines of JSON. */
import { isList, isObject, ownValue } from '../json/keys';
import { stringifyJson } from '../json/stringify';
import type { Doubt, Evidence } from '../evidence';
import type { Checkpoint, Json, JsonObject, RunHead } from '../model';
import type { JournaledPage } from './journal';
import { objectIn } from './object-in';

/** A page without its lines, and where these are. */
export interface JournalRecord extends Omit<JournaledPage, 'lines'> {
  /** The number of the data file. */
  readonly file: number;
  /** Bytes. */
  readonly offset: number;
  /** Bytes. */
  readonly length: number;
}

/** The line of a record, with its LF. */
export const recordLine = ({ checkpoint, extra, ...place }: JournalRecord): Uint8Array =>
  Buffer.from(
    `${stringifyJson({ ...place, extra: [...extra].map((pair) => [...pair]), checkpoint: { ...checkpoint } })}\n`,
  );

/** The record of a line; `undefined`: it is none, or not all of one. */
export function recordOf(line: Buffer): JournalRecord | undefined {
  const value = objectIn(line.toString('utf8'));
  if (value === undefined) return undefined;
  const checkpoint = checkpointOf(value['checkpoint']);
  const extra = extraOf(value['extra']);
  const { run, dataType, count, file, offset, length, isPlain } = value;
  if (checkpoint === undefined || extra === undefined || typeof dataType !== 'string') return undefined;
  if (!isCount(run) || !isCount(count) || !isCount(file) || !isCount(offset) || !isCount(length)) return undefined;
  return { checkpoint, run, dataType, extra, count, file, offset, length, ...(isPlain === true ? { isPlain } : {}) };
}

/** The text of a run's head. */
export const headText = (head: RunHead): string => stringifyJson({ ...head });

/** The head of a run; `undefined`: the text is not that of one. */
export function headOf(text: string): RunHead | undefined {
  const value = objectIn(text);
  if (value === undefined) return undefined;
  const { id, fingerprint, startedAt, previousStart } = value;
  if (typeof id !== 'string' || typeof fingerprint !== 'string') return undefined;
  if (typeof startedAt !== 'number' || typeof previousStart !== 'number') return undefined;
  return { id, fingerprint, startedAt, previousStart };
}

function checkpointOf(value: Json | undefined): Checkpoint | undefined {
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

function cursorOf(value: Json | undefined): Checkpoint['cursor'] | undefined {
  if (!isObject(value)) return undefined;
  const { parent, value: reached } = value;
  return typeof parent !== 'string' || reached === undefined ? undefined : { parent, value: reached };
}

function evidenceOf({ unmet, total, doubts, stopped }: JsonObject): Evidence {
  return {
    ...(isList(unmet) ? { unmet: unmet.filter((place) => typeof place === 'string') } : {}),
    ...(typeof total === 'number' ? { total } : {}),
    ...(isList(doubts) ? { doubts: doubts.filter(isDoubt) } : {}),
    ...(stopped === true ? { stopped } : {}),
  };
}

const isDoubt = (value: Json): value is JsonObject & Doubt =>
  isObject(value) &&
  ['code', 'message'].every((key) => typeof value[key] === 'string') &&
  (value['level'] === 'error' || value['level'] === 'warning');

function extraOf(value: Json | undefined): ReadonlyMap<string, string> | undefined {
  if (!isList(value)) return undefined;
  const pairs = value.filter(isPair);
  return pairs.length === value.length ? new Map(pairs) : undefined;
}

const isPair = (value: Json): value is readonly [string, string] =>
  isList(value) && value.length === 2 && value.every((text) => typeof text === 'string');

const isCount = (value: Json | undefined): value is number => Number.isSafeInteger(value) && Number(value) >= 0;
