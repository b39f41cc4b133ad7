import { createReadStream } from 'node:fs';
import { FatalError } from '../../core/errors/errors';

export interface CompleteLine {
  /** The line without its LF. */
  readonly line: Buffer;
  /** The offset after its LF, in bytes. */
  readonly end: number;
}

/** The byte that ends a line. */
export const LF = 10;
/** The mark that some programs write before the first line. */
export const BYTE_ORDER_MARK = Buffer.from('\ufeff');

/**
 * Returns the lines of a file, one at a time. Anything after the last LF is no line; a byte order mark belongs to no line.
 *
 * @param end the number of bytes of the file that are read; absent: all
 * @throws the error of the system
 * @example for await (const { line } of completeLines('items.ndjson')) count += 1;
 */
export async function* completeLines(path: string, end = Infinity): AsyncGenerator<CompleteLine> {
  if (end === 0) return;
  const chunks: AsyncIterable<Buffer> = createReadStream(path, { highWaterMark: 262_144, end: end - 1 });
  let pieces: Buffer[] = [];
  let at = 0;
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

/** Returns the error for a file that lacks what was written to it. */
export function damaged(path: string): FatalError {
  const remedy = 'Run again with --resume: what is whole is kept, the rest is requested again.';
  return new FatalError('DESTINATION_DAMAGED', `${JSON.stringify(path)} was changed or damaged by others. ${remedy}`);
}
