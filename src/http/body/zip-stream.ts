import { crc32, createInflateRaw } from 'node:zlib';
import { BrokenItems } from '../../core/json/item-reader';
import { brokenUnless } from '../formats/broken-unless';
import { Unreadable } from '../../language/parts/format/unreadable';
import { chosenFiles, listed } from '../formats/zip/choose';
import { damagedFile, packedBytes } from '../formats/zip/content';
import { bufferOf, isZip } from '../formats/zip/directory';
import type { ZipEntry } from '../formats/zip/directory';
import { by, through } from '../transport/content-coding';
import { LONGEST_BODY } from './body-limit';
import { requireNoPattern } from './unpack';

type Bytes = AsyncIterable<Uint8Array>;

/** The bytes that tell a zip archive. */
const SIGNATURE = 4;

/**
 * The content of the one file of a zip archive that is asked for, as it is unpacked; any other bytes as they are. The archive
 * itself is held, since its directory comes last.
 *
 * @param pattern which file is read; then the bytes have to be an archive
 * @param found hears that they are one
 * @throws BrokenItems
 */
export async function* fileOf(
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

/** The bytes of a file, which have to be as many as the directory says, with the checksum that it says. */
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

/** The bytes of a piece of what is held. */
const PIECE = 2 ** 20;

export async function* pieces(body: Uint8Array): AsyncGenerator<Uint8Array, void, void> {
  for (let at = 0; at < body.length; at += PIECE) yield await Promise.resolve(body.subarray(at, at + PIECE));
}
