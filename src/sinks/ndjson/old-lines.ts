/** The lines of an old file that lines are added to; somebody may have edited it. */
import { createReadStream, createWriteStream } from 'node:fs';
import { appendFile, rename, stat } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { FatalError } from '../../core/errors/errors';
import { BYTE_ORDER_MARK, completeLines } from '../files/complete-lines';
import { copyPlain } from '../files/compression';

/**
 * Copies the lines of a file, compressed or not. What stands behind the last line end is a line as well, and a byte order mark goes.
 *
 * @returns how many there are; blank ones are none
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

/** This tells whether there is nothing but white space in a line. */
export const isBlank = (line: Buffer): boolean =>
  line.length === 0 || (line[0] !== BRACE && line.every((byte) => byte <= SPACE));

/** Blank lines are none, and stay. */
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
