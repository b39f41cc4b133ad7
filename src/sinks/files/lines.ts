import { createReadStream, createWriteStream } from 'node:fs';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { FatalError } from '../../core/errors/errors';

export interface CompleteLine {
  /** The line without its LF. */
  readonly line: Buffer;
  /** The offset after its LF, in bytes. */
  readonly end: number;
}

/** The approximate number of bytes that are read or written at once. */
export const BLOCK = 262_144;
/** The byte that ends a line. */
export const LF = 10;
/** The mark that some programs write before the first line. */
export const BYTE_ORDER_MARK = Buffer.from('\ufeff');

/**
 * Returns the lines of a file, one at a time. Anything after the last LF is no line; a byte order mark belongs to no line.
 *
 * @param end where the bytes end that are read; absent: at the end of the file
 * @param start the beginning of a line
 * @throws the error of the system
 * @example for await (const { line } of completeLines('items.ndjson')) count += 1;
 */
export const completeLines = (path: string, end = Infinity, start = 0): AsyncGenerator<CompleteLine> =>
  linesAmong(end === 0 ? [] : createReadStream(path, { highWaterMark: BLOCK, start, end: end - 1 }), start);

/**
 * Returns the lines among bytes, as {@link completeLines}.
 *
 * @param start the offset of the first byte in the file
 */
export async function* linesAmong(
  chunks: AsyncIterable<Buffer> | Iterable<Buffer>,
  start = 0,
): AsyncGenerator<CompleteLine> {
  let pieces: Buffer[] = [];
  let at = start;
  for await (const chunk of chunks) {
    let from = 0;
    for (let to = chunk.indexOf(LF); to !== -1; to = chunk.indexOf(LF, from)) {
      const last = chunk.subarray(from, to);
      const line = pieces.length === 0 ? last : Buffer.concat([...pieces, last]);
      const isMarked = at === 0 && line.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK);
      pieces = [];
      from = to + 1;
      at += line.length + 1;
      yield { line: isMarked ? line.subarray(BYTE_ORDER_MARK.length) : line, end: at };
    }
    if (from < chunk.length) pieces.push(chunk.subarray(from));
  }
}

/** Returns some bytes of a file, by the offsets of the first and the last one. */
export const bytesIn = (path: string, range: { readonly start?: number; readonly end?: number }): Promise<Buffer> =>
  buffer(createReadStream(path, range));

/** Makes a file of lines. */
export async function writeLines(path: string, lines: AsyncIterable<Uint8Array>): Promise<void> {
  const end = Buffer.of(LF);
  await pipeline(async function* () {
    let pieces: Uint8Array[] = [];
    let size = 0;
    for await (const line of lines) {
      pieces.push(line, end);
      size += line.length + 1;
      if (size < BLOCK) continue;
      yield Buffer.concat(pieces);
      pieces = [];
      size = 0;
    }
    yield Buffer.concat(pieces);
  }, createWriteStream(path));
}

/** Returns the error for a file that lacks what was written to it. */
export function damaged(path: string): FatalError {
  const remedy = 'Run again with --resume: what is whole is kept, the rest is requested again.';
  return new FatalError('DESTINATION_DAMAGED', `${JSON.stringify(path)} was changed or damaged by others. ${remedy}`);
}
