import { crc32, createInflateRaw } from 'node:zlib';
import { BrokenItems } from '../../core/json/item-reader';
import type { Response } from '../../core/model';
import { Unreadable } from '../../language/parts/errors';
import type { ChosenFormat } from '../../language/parts/format';
import { brokenUnless } from '../formats/streaming';
import { bufferOf, chosenFiles, damagedFile, isZip, listed, packedBytes } from '../formats/zip';
import type { ZipEntry } from '../formats/zip';
import { textOf, utf8Pieces } from './characters';
import { LONGEST_BODY, by, gunzipEach, through } from './content-coding';
import { isGzip, requireNoPattern } from './read-body';

/** Opens a body as a stream of bytes in UTF-8. */
export function openBody(response: Response, format: ChosenFormat | undefined) {
  let isPacked = false;
  const unpacked = bytesOf(response, format?.file, () => (isPacked = true));
  return {
    bytes: utf8Pieces(unpacked, { headers: response.headers, format }),
    /**
     * Returns the text of pieces of the body that begin and end with a character.
     *
     * @throws BrokenItems
     */
    textOf: (bytes: Uint8Array): string => brokenUnless(() => textOf(bytes, { headers: {}, ...named(format) })),
    /** Returns, at the end of the body, whether it could have been cut off unnoticed at the end of a line. */
    mayBeCut: () => response.isEndUnknown === true && format?.showsEnd === false && !isPacked,
  };
}

/** Returns the format of a body that is in UTF-8 now, whatever its encoding was. */
const named = (format: ChosenFormat | undefined) => (format === undefined ? {} : { format: { name: format.name } });

/**
 * Returns the body of a response as it arrives, with a gzip file or a file of a zip archive unpacked; for a response
 * that is held in memory, its body.
 *
 * Errors: errors of the connection; BrokenItems for a damaged file.
 */
async function* bytesOf(
  { stream, body }: Response,
  file: string | undefined,
  packed: () => void,
): AsyncGenerator<Uint8Array, void, void> {
  try {
    yield* gunzipped(fileOf(gunzipped(stream ?? pieces(body), packed), file, packed));
  } catch (error) {
    if (String((error as NodeJS.ErrnoException).code).startsWith('Z_'))
      throw new BrokenItems('it is a damaged gzip file, or it ends too early');
    throw error;
  }
}

const gunzipped = (bytes: AsyncIterable<Uint8Array>, packed?: () => void): AsyncIterable<Uint8Array> =>
  through(bytes, (first) => {
    if (!isGzip(first)) return undefined;
    packed?.();
    return gunzipEach;
  });

type Bytes = AsyncIterable<Uint8Array>;

/** The number of bytes that identify a zip archive. */
const SIGNATURE = 4;

/**
 * Unpacks the one selected file of a zip archive as a stream; any other bytes stay as they are. The archive itself is
 * held in memory, because its directory comes last.
 *
 * @param pattern the file to read; with it, the bytes have to be an archive
 * @param found is called if they are one
 * @throws BrokenItems
 */
async function* fileOf(
  bytes: Bytes,
  pattern: string | undefined,
  found: () => void,
): AsyncGenerator<Uint8Array, void, void> {
  const held: Uint8Array[] = [];
  let length = 0;
  let isArchive: boolean | undefined;
  for await (const piece of bytes) {
    if (isArchive === false) {
      yield piece;
      continue;
    }
    held.push(piece);
    length += piece.length;
    if (isArchive === undefined && length >= SIGNATURE) {
      isArchive = isZip(Buffer.concat(held));
      if (!isArchive) {
        brokenUnless(() => requireNoPattern(pattern));
        yield* held.splice(0);
      }
    }
    if (length > LONGEST_BODY && isArchive === true)
      throw new BrokenItems(`it is a zip archive of more than ${LONGEST_BODY} bytes`);
  }
  if (isArchive === undefined) brokenUnless(() => requireNoPattern(pattern));
  if (isArchive !== true) return yield* held;
  found();
  yield* unpacked(Buffer.concat(held), pattern);
}

async function* unpacked(archive: Uint8Array, pattern: string | undefined): AsyncGenerator<Uint8Array, void, void> {
  const { file, packed } = brokenUnless(() => {
    const [first, ...others] = chosenFiles(archive, pattern);
    if (first === undefined || others.length > 0)
      throw new Unreadable(
        `with "stream" one file of a zip archive is read; name it in format.file: ${listed(first === undefined ? [] : [first, ...others])}`,
      );
    return { file: first, packed: packedBytes(archive, first) };
  });
  const content = file.method === 0 ? pieces(packed) : through(pieces(packed), () => by(createInflateRaw()));
  yield* checked(content, file);
}

/** Returns the bytes of a file, and checks their number and checksum against the directory. */
async function* checked(content: Bytes, { name, size, crc }: ZipEntry): AsyncGenerator<Uint8Array, void, void> {
  const broken = (): BrokenItems => new BrokenItems(damagedFile(name).message);
  let left = size;
  let sum = 0;
  try {
    for await (const piece of content) {
      left -= piece.length;
      if (left < 0) throw broken();
      sum = crc32(bufferOf(piece), sum);
      yield piece;
    }
  } catch (error) {
    throw String((error as NodeJS.ErrnoException).code).startsWith('Z_') ? broken() : error;
  }
  if (left !== 0 || sum !== crc) throw broken();
}

/** The number of bytes of a piece of a held body. */
const PIECE = 2 ** 20;

async function* pieces(body: Uint8Array): AsyncGenerator<Uint8Array, void, void> {
  for (let at = 0; at < body.length; at += PIECE) yield await Promise.resolve(body.subarray(at, at + PIECE));
}
