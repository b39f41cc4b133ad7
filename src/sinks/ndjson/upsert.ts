import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import { decimalText } from '../../json/decimal';
import { ownValue } from '../../json/keys';
import { lostDigitsAt } from '../../json/literals';
import { stringifyJson } from '../../json/stringify';
import type { Json, JsonObject } from '../../model';
import { bytesAt } from '../files/bytes-at';
import { completeLines } from '../files/complete-lines';
import { objectIn } from '../files/object-in';

interface Span {
  /** The offset in bytes. */
  readonly offset: number;
  /** The number of bytes. */
  readonly length: number;
}

/** Bytes that are copied at once, unless a line is longer. */
const BLOCK = 1_048_576;

/**
 * Copies lines of JSON so that each key has one line: the last one, in the place of the first one. Lines that are not
 * objects, or have nothing or `null` in all columns of the key, all stay. Keeps a digest and two numbers for each key.
 *
 * @param columns the columns of the key, at the top level of the objects
 * @returns the columns that no line has, and those that some line lacks
 * @example await keepLastOfKeys('all.ndjson', 'items.ndjson', ['id'])
 */
export async function keepLastOfKeys(
  from: string,
  to: string,
  columns: readonly string[],
): Promise<{ readonly missing: readonly string[]; readonly lacking: readonly string[] }> {
  // A Map stays in the order in which its keys came first.
  const kept = new Map<string | number, Span>();
  const seen = { missing: new Set(columns), lacking: new Set<string>() };
  let offset = 0;
  for await (const { line, end } of completeLines(from)) {
    kept.set(keyOf(line, columns, seen) ?? offset, { offset, length: end - offset });
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
  return { missing: [...seen.missing], lacking: [...seen.lacking] };
}

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
  return createHash('sha1').update(texts.join()).digest('base64');
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
