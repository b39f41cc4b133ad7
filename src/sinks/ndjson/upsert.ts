import { hash } from 'node:crypto';
import { open } from 'node:fs/promises';
import { crc32 } from 'node:zlib';
import { decimalText } from '../../core/json/decimal';
import { ownValue } from '../../core/json/keys';
import { lostDigitsAt } from '../../core/json/literals';
import { stringifyJson } from '../../core/json/stringify';
import type { Json, JsonObject } from '../../core/model';
import { bytesAt } from '../files/bytes-at';
import { completeLines } from '../files/complete-lines';
import { objectIn } from '../files/object-in';
import type { StoredRows } from '../row-counts';
import { isBlank } from './old-lines';

interface Span {
  /** The offset in bytes. */
  readonly offset: number;
  /** The number of bytes. */
  readonly length: number;
}

/** The line of a key, while lines are read. */
interface KeptLine extends Span {
  /** A checksum of the last old line of the key; {@link NONE}: there was none. */
  readonly old: number;
  /** This tells whether this line is a new one. */
  readonly isNew: boolean;
  /** This tells whether it is new and equals the old one. */
  readonly isSame: boolean;
}

/** The file that lines with equal keys are left out of. */
export interface KeyedLines {
  readonly from: string;
  readonly to: string;
  /** The columns of the key, at the top level of the objects. */
  readonly columns: readonly string[];
  /** The number of bytes of old lines, which stand first. */
  readonly oldBytes: number;
  /** What of a line tells whether it has changed; absent: all of it. */
  readonly comparable?: (line: Buffer) => string | Buffer;
}

/** What became of the lines. */
export interface KeptLines extends StoredRows {
  /** All lines that are left. */
  readonly total: number;
  /** The columns that no line has. */
  readonly missing: readonly string[];
  /** The columns that no old line has, where there are old lines. */
  readonly missingBefore: readonly string[];
  /** The columns that some line lacks. */
  readonly lacking: readonly string[];
}

/** Bytes that are copied at once, unless a line is longer. */
const BLOCK = 1_048_576;

/**
 * Copies lines of JSON so that each key has one line: the last one, in the place of the first one. Lines that are not
 * objects, or have nothing or `null` in all columns of the key, all stay. Keeps a digest and a few numbers for each key.
 *
 * @example await keepLastOfKeys({ from: 'all.ndjson', to: 'items.ndjson', columns: ['id'], oldBytes: 0 })
 */
export async function keepLastOfKeys({
  from,
  to,
  columns,
  oldBytes,
  comparable = (line) => line,
}: KeyedLines): Promise<KeptLines> {
  // A Map stays in the order in which its keys came first.
  const kept = new Map<string | number, KeptLine>();
  const seen = { missing: new Set(columns), lacking: new Set<string>() };
  let missingBefore: readonly string[] = [];
  let offset = 0;
  let blank = 0;
  for await (const { line, end } of completeLines(from)) {
    const key = keyOf(line, columns, seen) ?? offset;
    const isNew = offset >= oldBytes;
    const before = kept.get(key);
    const old = isNew ? (before?.old ?? NONE) : digestOf(comparable(line));
    const isSame = isNew && old !== NONE && old === digestOf(comparable(line));
    kept.set(key, { offset, length: end - offset, old, isNew, isSame });
    if (isBlank(line)) blank += 1;
    else if (!isNew) missingBefore = [...seen.missing];
    offset = end;
  }
  const source = await open(from, 'r');
  try {
    const target = await open(to, 'w');
    try {
      for (const span of neighboursAsOne(kept.values()))
        await target.appendFile(await bytesAt(source, span.offset, span.length, from));
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
  let [stored, matched, same] = [0, 0, 0];
  for (const { isNew, isSame, old } of kept.values()) {
    if (!isNew) continue;
    stored += 1;
    if (old !== NONE) matched += 1;
    if (isSame) same += 1;
  }
  const total = kept.size - blank;
  return { stored, matched, same, total, missing: [...seen.missing], missingBefore, lacking: [...seen.lacking] };
}

/** No line has this checksum. */
const NONE = -1;
/** Lengths that a number has room for beside a checksum. */
const LENGTHS = 2 ** 20;

/** A checksum and the length: nothing is stored by it, it only tells whether a line counts as changed. */
const digestOf = (line: string | Buffer): number => crc32(line) * LENGTHS + (line.length % LENGTHS);

/** Numbers that differ only in digits which JavaScript loses are keys of different rows. */
function lostDigitsOf(item: JsonObject, column: string): string | undefined {
  const literal = lostDigitsAt(item, column);
  return literal === undefined ? undefined : decimalText(literal);
}

/** The columns of the key that no line has had so far, and those that some line has not. */
interface Seen {
  readonly missing: Set<string>;
  readonly lacking: Set<string>;
}

function keyOf(line: Buffer, columns: readonly string[], { missing, lacking }: Seen): string | undefined {
  const item = objectIn(line.toString('utf8'));
  if (item === undefined) return undefined;
  for (const column of missing) if (ownValue(item, column) !== undefined) missing.delete(column);
  for (const column of columns) if (ownValue(item, column) === undefined) lacking.add(column);
  const values = columns.map((column) => ownValue(item, column) ?? null);
  if (values.every((value) => value === null)) return undefined;
  const texts = columns.map((column, at) => lostDigitsOf(item, column) ?? stringifyJson(values[at] as Json));
  return hash('sha1', texts.join(), 'base64');
}

function* neighboursAsOne(spans: Iterable<Span>): Generator<Span> {
  let { offset, length }: Span = { offset: 0, length: 0 };
  for (const span of spans) {
    if (span.offset === offset + length && length + span.length <= BLOCK) length += span.length;
    else {
      if (length > 0) yield { offset, length };
      ({ offset, length } = span);
    }
  }
  if (length > 0) yield { offset, length };
}
