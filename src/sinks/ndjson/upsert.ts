import { hash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { appendFile, open, rename, stat } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { crc32 } from 'node:zlib';
import { FatalError } from '../../core/errors/errors';
import { decimalText } from '../../core/json/decimal';
import { lostDigitsAt } from '../../core/json/literals';
import { ownValue } from '../../core/json/objects';
import { stringifyJson } from '../../core/json/stringify';
import type { Json, JsonObject } from '../../core/model';
import { objectIn } from '../files/checksum';
import { copyPlain } from '../files/compression';
import { BYTE_ORDER_MARK, completeLines } from '../files/lines';
import { partReader } from '../journal/reader';
import type { StoredRows } from '../row-counts';

interface Span {
  /** The offset in bytes. */
  readonly offset: number;
  /** The number of bytes. */
  readonly length: number;
}

/** The line of a key while lines are read. */
interface KeptLine extends Span {
  /** A checksum of the last old line of the key; {@link NONE}: there was none. */
  readonly old: number;
  /** True if this line is a new one. */
  readonly isNew: boolean;
  /** True if it is new and equals the old one. */
  readonly isSame: boolean;
}

/** The file from which lines with equal keys are left out. */
export interface KeyedLines {
  readonly from: string;
  readonly to: string;
  /** The columns of the key, at the top level of the objects. */
  readonly columns: readonly string[];
  /** The number of bytes of old lines, which come first. */
  readonly oldBytes: number;
  /** The lines of an old file that are all replaced; absent: there are none, or they are unknown. */
  readonly replaced?: OldDigests | undefined;
  /** Returns the part of a line that shows whether it has changed; absent: all of it. */
  readonly comparable?: (line: Buffer) => string | Buffer;
}

/** The counts of the lines. */
export interface KeptLines extends StoredRows {
  /** All lines that are left. */
  readonly total: number;
  /** The columns that no line has. */
  readonly missing: readonly string[];
  /** The columns that no old line has, if there are old lines. */
  readonly missingBefore: readonly string[];
  /** The columns that some line lacks. */
  readonly lacking: readonly string[];
}

/** The bytes that are copied at once, unless a line is longer. */
const BLOCK = 1_048_576;

/**
 * Copies lines of JSON so that each key has one line: the last one, at the position of the first. Lines that are no objects, or have
 * nothing or `null` in all columns of the key, all stay. Keeps a digest and a few numbers for each key.
 *
 * @example await keepLastOfKeys({ from: 'all.ndjson', to: 'items.ndjson', columns: ['id'], oldBytes: 0 })
 */
export async function keepLastOfKeys({
  from,
  to,
  columns,
  oldBytes,
  replaced,
  comparable = (line) => line,
}: KeyedLines): Promise<KeptLines> {
  // A Map keeps the order in which its keys came first.
  const kept = new Map<string | number, KeptLine>();
  const seen = { missing: new Set(columns), lacking: new Set<string>() };
  let missingBefore: readonly string[] = [];
  let offset = 0;
  let blank = 0;
  for await (const { line, end } of completeLines(from)) {
    const key = keyOf(line, columns, seen) ?? offset;
    const isNew = offset >= oldBytes;
    const old = isNew ? (kept.get(key)?.old ?? replaced?.digests.get(key) ?? NONE) : digestOf(comparable(line));
    const isSame = isNew && old !== NONE && old === digestOf(comparable(line));
    kept.set(key, { offset, length: end - offset, old, isNew, isSame });
    if (isBlank(line)) blank += 1;
    else if (!isNew) missingBefore = [...seen.missing];
    offset = end;
  }
  const source = await open(from, 'r');
  const read = partReader();
  try {
    const target = await open(to, 'w');
    try {
      for (const span of neighboursAsOne(kept.values()))
        await target.appendFile(await read({ handle: source, path: from, ...span }));
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
  return {
    ...{ stored, matched, same, total: kept.size - blank },
    ...{ missing: [...seen.missing], missingBefore, lacking: [...seen.lacking] },
  };
}

/** The lines of a file, and a checksum of the last one of each key. */
export interface OldDigests {
  readonly lines: number;
  readonly digests: ReadonlyMap<string | number, number>;
}

/** Reads the lines of a file that goes, whatever somebody has made of it. */
export async function digestsIn(
  path: string,
  { columns, comparable = (line) => line }: Pick<KeyedLines, 'columns' | 'comparable'>,
): Promise<OldDigests> {
  const digests = new Map<string | number, number>();
  const seen = { missing: new Set<string>(), lacking: new Set<string>() };
  let lines = 0;
  for await (const { line } of completeLines(path)) {
    if (isBlank(line)) continue;
    lines += 1;
    const key = keyOf(line, columns, seen);
    if (key !== undefined) digests.set(key, digestOf(comparable(line)));
  }
  return { lines, digests };
}

/** No line has this checksum. */
const NONE = -1;
/** The number of lengths that fit into a number beside a checksum. */
const LENGTHS = 2 ** 20;

/** Returns a checksum and the length: it only shows whether a line counts as changed. */
const digestOf = (line: string | Buffer): number => crc32(line) * LENGTHS + (line.length % LENGTHS);

/** Returns the digits of numbers that JavaScript would round: they are keys of different rows. */
function lostDigitsOf(item: JsonObject, column: string): string | undefined {
  const literal = lostDigitsAt(item, column);
  return literal === undefined ? undefined : decimalText(literal);
}

/** The columns of the key that no line has had so far, and those that some line lacked. */
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

/**
 * Copies the lines of a file, compressed or not, to which lines are added; a user may have edited it. Text after the last line end is a
 * line as well, and a byte order mark is removed.
 *
 * @returns their number; blank ones do not count
 * @throws FatalError DESTINATION_INCOMPATIBLE with the number of a line that is no JSON; DESTINATION_DAMAGED when the file cannot be read
 * @example await copyLines('out/items.ndjson.gz', 'out/.headwater/staging/items.ndjson')
 */
export async function copyLines(from: string, to: string): Promise<number> {
  await copyPlain(from, to);
  let count = 0;
  let blank = 0;
  let read = 0;
  for await (const { line, end } of completeLines(to)) {
    count += 1;
    read = end;
    const text = line.toString('utf8');
    if (!isJson(text)) throw unusable(from, `line ${count} is no JSON`);
    if (isBlank(line)) blank += 1;
  }
  const { size } = await stat(to);
  if (read < size) {
    const open = await textFrom(to, read);
    if (!isJson(open)) throw unusable(from, `its last line is not whole (line ${count + 1})`);
    await appendFile(to, '\n');
    if (open.trim() !== '') count += 1;
  }
  if (size < BYTE_ORDER_MARK.length || !(await startOf(to)).equals(BYTE_ORDER_MARK)) return count - blank;
  const draft = `${to}.unmarked`;
  await pipeline(createReadStream(to, { start: BYTE_ORDER_MARK.length }), createWriteStream(draft));
  await rename(draft, to);
  return count - blank;
}

const [SPACE, BRACE] = [0x20, 0x7b];

/** Returns whether a line has only white space. */
export const isBlank = (line: Buffer): boolean =>
  line.length === 0 || (line[0] !== BRACE && line.every((byte) => byte <= SPACE));

/** Returns whether a line is JSON or blank; blank lines stay. */
function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return text.trim() === '';
  }
}

async function textFrom(path: string, start: number): Promise<string> {
  const text = (await bytes(createReadStream(path, { start }))).toString('utf8');
  return start === 0 ? text.replace(/^\ufeff/, '') : text;
}

const startOf = (path: string): Promise<Buffer> => bytes(createReadStream(path, { end: BYTE_ORDER_MARK.length - 1 }));

async function bytes(chunks: AsyncIterable<Buffer>): Promise<Buffer> {
  const all: Buffer[] = [];
  for await (const chunk of chunks) all.push(chunk);
  return Buffer.concat(all);
}

function unusable(path: string, reason: string): FatalError {
  const message = `Rows cannot be added to ${JSON.stringify(path)}: ${reason}. Correct the file, or move it away.`;
  return new FatalError('DESTINATION_INCOMPATIBLE', message);
}
