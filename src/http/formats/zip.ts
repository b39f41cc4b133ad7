import { isUtf8 } from 'node:buffer';
import { crc32, inflateRawSync } from 'node:zlib';
import { Unreadable } from '../../language/parts/errors';

/**
 * The most bytes of a response body, packed and unpacked: half of what fits into one string. A compressed body that is
 * small on the wire thus cannot fill the memory.
 */
export const LONGEST_BODY = 256 * 2 ** 20;

/** A file of a zip archive, by the directory at the end of the archive. */
export interface ZipEntry {
  readonly name: string;
  /** The compression method: 0 for none, 8 for deflate. */
  readonly method: number;
  readonly isEncrypted: boolean;
  /** True if it is a symbolic link: its content is the path of another file. */
  readonly isLink: boolean;
  readonly crc: number;
  /** The number of bytes in the archive. */
  readonly packed: number;
  /** The number of bytes after unpacking. */
  readonly size: number;
  /** The offset of its bytes. */
  readonly from: number;
}

/** Signatures of the parts of an archive. */
const FILE = 0x04034b50;
const ENTRY = 0x02014b50;
const END = 0x06054b50;
const END_64 = 0x06064b50;
const LOCATOR_64 = 0x07064b50;

const FILE_LENGTH = 30;
const ENTRY_LENGTH = 46;
const END_LENGTH = 22;
const LOCATOR_LENGTH = 20;
const END_64_LENGTH = 56;
const LONGEST_COMMENT = 0xffff;

/** The values that mean that a number of eight bytes is elsewhere. */
const WIDE_16 = 0xffff;
const WIDE_32 = 0xffffffff;
const ZIP_64 = 1;
const ENCRYPTED = 0x2041;
/** The system of an entry whose files have a mode, and the kind of file in that mode. */
const UNIX = 3;
const FILE_KIND = 0o170000;
const LINK = 0o120000;

/** Returns whether bytes begin like a zip archive: with a file, or with the end of an archive without files. */
export function isZip(bytes: Uint8Array): boolean {
  if (bytes.length < 4) return false;
  const signature = bufferOf(bytes).readUInt32LE(0);
  return signature === FILE || signature === END;
}

/** The same bytes, with the methods of a buffer. */
export const bufferOf = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);

/**
 * Returns the files of an archive, without folders and without additions of macOS. The directory has to be right before
 * the end, with the number of files and bytes in the end record, and each file has to begin with its name: an archive
 * that was cut off or appended to is refused, and a damaged name cannot hide a file.
 *
 * @throws Unreadable
 */
export function filesIn(archive: Uint8Array): readonly ZipEntry[] {
  const bytes = bufferOf(archive);
  const end = endOf(bytes);
  const entries: ZipEntry[] = [];
  let at = end.at;
  while (at < end.at + end.length) {
    if (at + ENTRY_LENGTH > end.at + end.length || bytes.readUInt32LE(at) !== ENTRY) throw damaged();
    const next = at + ENTRY_LENGTH + [28, 30, 32].reduce((sum, place) => sum + bytes.readUInt16LE(at + place), 0);
    if (next > end.at + end.length) throw damaged();
    entries.push(entryAt(bytes, at));
    at = next;
  }
  if (entries.length !== end.count) throw damaged();
  return entries.filter(({ name }) => !name.endsWith('/') && !/^__MACOSX\/|(?:^|\/)\.DS_Store$/.test(name));
}

const damaged = (): Unreadable => new Unreadable('it is a damaged zip archive, or it ends too early');

interface Directory {
  readonly at: number;
  readonly length: number;
  readonly count: number;
}

/** Finds the directory; its comment has to reach to the last byte. */
function endOf(bytes: Buffer): Directory {
  const first = Math.max(0, bytes.length - END_LENGTH - LONGEST_COMMENT);
  for (let at = bytes.length - END_LENGTH; at >= first; at -= 1) {
    if (bytes.readUInt32LE(at) !== END || at + END_LENGTH + bytes.readUInt16LE(at + 20) !== bytes.length) continue;
    const count = bytes.readUInt16LE(at + 10);
    const directory = { at: bytes.readUInt32LE(at + 16), length: bytes.readUInt32LE(at + 12), count };
    const isWide = count === WIDE_16 || directory.at === WIDE_32 || directory.length === WIDE_32;
    // Without a locator the archive has exactly that number of files.
    const wide = isWide ? endOf64(bytes, at - LOCATOR_LENGTH) : undefined;
    const { found, before } = wide ?? { found: directory, before: at };
    const hasOneDisk = bytes.readUInt16LE(at + 8) === count && bytes.readUInt32LE(at + 4) % WIDE_32 === 0;
    if (wide === undefined && !hasOneDisk) throw new Unreadable('it is a part of a zip archive in several parts');
    if (found.at + found.length !== before) throw damaged();
    return found;
  }
  throw damaged();
}

/** Returns the end of an archive with more files or bytes than two and four bytes can count. */
function endOf64(bytes: Buffer, locator: number): { readonly found: Directory; readonly before: number } | undefined {
  if (locator < 0 || bytes.readUInt32LE(locator) !== LOCATOR_64) return undefined;
  const before = wideAt(bytes, locator + 8);
  if (before + END_64_LENGTH > locator || bytes.readUInt32LE(before) !== END_64) throw damaged();
  const found = {
    at: wideAt(bytes, before + 48),
    length: wideAt(bytes, before + 40),
    count: wideAt(bytes, before + 32),
  };
  return { found, before };
}

/** Returns a number of eight bytes; an archive in memory has none that JavaScript cannot hold. */
function wideAt(bytes: Buffer, at: number): number {
  if (at + 8 > bytes.length) throw damaged();
  const value = bytes.readBigUInt64LE(at);
  if (value > BigInt(Number.MAX_SAFE_INTEGER)) throw damaged();
  return Number(value);
}

function entryAt(bytes: Buffer, at: number): ZipEntry {
  const nameEnd = at + ENTRY_LENGTH + bytes.readUInt16LE(at + 28);
  const name = bytes.subarray(at + ENTRY_LENGTH, nameEnd);
  const extra = bytes.subarray(nameEnd, nameEnd + bytes.readUInt16LE(at + 30));
  const narrow = [24, 20, 42].map((place) => bytes.readUInt32LE(at + place));
  const [size = 0, packed = 0, header = 0] = narrow.includes(WIDE_32) ? widened(narrow, extra) : narrow;
  return {
    name: textOf(name),
    method: bytes.readUInt16LE(at + 10),
    isLink: bytes[at + 5] === UNIX && ((bytes.readUInt32LE(at + 38) >>> 16) & FILE_KIND) === LINK,
    isEncrypted: (bytes.readUInt16LE(at + 8) & ENCRYPTED) !== 0,
    crc: bytes.readUInt32LE(at + 16),
    packed,
    size,
    from: contentAt(bytes, header, name),
  };
}

const textOf = (name: Buffer): string => name.toString(isUtf8(name) ? 'utf8' : 'latin1');

/** Returns the offset of the bytes of a file, behind its own header. */
function contentAt(bytes: Buffer, header: number, name: Buffer): number {
  if (header + FILE_LENGTH > bytes.length || bytes.readUInt32LE(header) !== FILE) throw damaged();
  const nameAt = header + FILE_LENGTH;
  const nameEnd = nameAt + bytes.readUInt16LE(header + 26);
  if (!bytes.subarray(nameAt, nameEnd).equals(name)) throw damaged();
  return nameEnd + bytes.readUInt16LE(header + 28);
}

/** Returns the numbers; those that need eight bytes follow each other in a separate field. */
function widened(narrow: readonly number[], extra: Buffer): readonly number[] {
  for (let at = 0; at + 4 <= extra.length; at += 4 + extra.readUInt16LE(at + 2)) {
    if (extra.readUInt16LE(at) !== ZIP_64) continue;
    const field = extra.subarray(at + 4, at + 4 + extra.readUInt16LE(at + 2));
    let place = 0;
    return narrow.map((value) => {
      if (value !== WIDE_32) return value;
      place += 8;
      return wideAt(field, place - 8);
    });
  }
  throw damaged();
}

const STORED = 0;
const DEFLATED = 8;

/**
 * Returns the content of a file of an archive, and checks its length and checksum against the directory.
 *
 * @param limit the most bytes of the content
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
 * Returns the packed bytes of a file.
 *
 * @throws Unreadable if they cannot be unpacked
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

/** Unpacks at most the number of bytes in the directory: more bytes are damaged, or meant to fill the memory. */
function inflated(packed: Uint8Array, { name, size }: ZipEntry): Uint8Array {
  try {
    return inflateRawSync(packed, { maxOutputLength: Math.max(size, 1) });
  } catch {
    throw damagedFile(name);
  }
}

/** The part that every Excel file has. */
const WORKBOOK = /^xl\/workbook\.(xml|bin)$/i;
/** The most names that a message lists. */
const LISTED = 20;

/**
 * Selects the files of an archive to read: those whose names match a pattern; without one, the only file.
 *
 * @param pattern the pattern, in which `*` stands for any characters
 * @throws Unreadable with the existing names
 */
export function chosenFiles(archive: Uint8Array, pattern: string | undefined): readonly ZipEntry[] {
  // A link leads to another file of the archive, or to one that must not be read.
  const files = filesIn(archive).filter(({ isLink }) => !isLink);
  if (files.length === 0) throw new Unreadable('it is a zip archive without files');
  if (files.some(({ name }) => WORKBOOK.test(name)))
    throw new Unreadable('it is an Excel workbook: read it with {"type": "xlsx"} as the format');
  if (pattern === undefined) {
    if (files.length === 1) return files;
    throw new Unreadable(
      `the zip archive has several files; name one, or a pattern of them, in format.file: ${listed(files)}`,
    );
  }
  const chosen = files.filter(({ name }) => fits(name, pattern));
  const names = chosen.map(({ name }) => name);
  const again = names.find((name, at) => names.indexOf(name) < at);
  if (again !== undefined)
    throw new Unreadable(`the zip archive has several files of the name ${JSON.stringify(again)}`);
  if (chosen.length > 0) return chosen;
  throw new Unreadable(`no file of the zip archive has a name like format.file; it has ${listed(files)}`);
}

/** Returns names of files for a message. */
export function listed(files: readonly { readonly name: string }[]): string {
  const names = files.slice(0, LISTED).map(({ name }) => JSON.stringify(name));
  return files.length > LISTED ? `${names.join(', ')} and ${files.length - LISTED} more` : names.join(', ');
}

/** Returns whether a name matches a pattern in which `*` stands for any characters. */
function fits(name: string, pattern: string): boolean {
  const [first = '', ...others] = pattern.split('*');
  const last = others.pop();
  if (last === undefined) return name === pattern;
  if (!name.startsWith(first)) return false;
  let from = first.length;
  for (const part of others) {
    const at = name.indexOf(part, from);
    if (at < 0) return false;
    from = at + part.length;
  }
  return name.length - last.length >= from && name.endsWith(last);
}
