import { crc32, inflateRawSync } from 'node:zlib';
import { LONGEST_BODY } from '../longest-body';
import { Unreadable } from '../../../language/parts/format/unreadable';
import type { ZipEntry } from './directory';

const STORED = 0;
const DEFLATED = 8;

/**
 * The content of a file of an archive: as many bytes as the directory says, with the checksum that it says.
 *
 * @param limit the most bytes that it may have
 * @throws Unreadable
 */
export function contentOf(archive: Uint8Array, entry: ZipEntry, limit = LONGEST_BODY): Uint8Array {
  const { name, method, size, crc } = entry;
  if (size > limit) throw new Unreadable(`unpacked it is longer than ${LONGEST_BODY} bytes`);
  const packed = packedBytes(archive, entry);
  const content = method === STORED ? packed : inflated(packed, entry);
  if (content.length !== size || crc32(content) !== crc) throw damagedFile(name);
  return content;
}

/**
 * The bytes of a file as they are packed.
 *
 * @throws Unreadable where they cannot be unpacked
 */
export function packedBytes(archive: Uint8Array, entry: ZipEntry): Uint8Array {
  const { name, method, packed, from, isEncrypted } = entry;
  if (isEncrypted) throw new Unreadable(`the file ${JSON.stringify(name)} of the zip archive is encrypted`);
  if (method !== STORED && method !== DEFLATED)
    throw new Unreadable(
      `the file ${JSON.stringify(name)} of the zip archive is packed by method ${method}, not by deflate`,
    );
  if (from + packed > archive.length) throw damagedFile(name);
  return archive.subarray(from, from + packed);
}

export const damagedFile = (name: string): Unreadable =>
  new Unreadable(`the file ${JSON.stringify(name)} of the zip archive is damaged`);

/** No more is unpacked than the directory says: what goes on is damaged, or there to fill the memory. */
function inflated(packed: Uint8Array, { name, size }: ZipEntry): Uint8Array {
  try {
    return inflateRawSync(packed, { maxOutputLength: Math.max(size, 1) });
  } catch {
    throw damagedFile(name);
  }
}
