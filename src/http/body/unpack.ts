import { LONGEST_BODY } from './body-limit';
import { Unreadable } from '../../language/parts/format/unreadable';
import { gunzipAll } from '../transport/gunzip';
import { chosenFiles } from '../formats/zip/choose';
import { contentOf } from '../formats/zip/content';
import { isZip } from '../formats/zip/directory';

/** A body that came as it is, or a file of one that was packed. */
export interface Unpacked {
  /** The name of the file in a zip archive. */
  readonly name?: string;
  readonly bytes: Uint8Array;
}

/** Whether bytes begin as a gzip file does; no character data begins so. */
export const isGzip = ([first, second]: Uint8Array): boolean => first === 0x1f && second === 0x8b;

/** Tells whether a body may be characters, and no file that has to be unpacked first. */
export const isText = (bytes: Uint8Array): boolean => !isGzip(bytes) && !isZip(bytes);

/**
 * The files of a body: of a zip archive those that are asked for, and of a gzip file its content, be it in an archive or around
 * one. Any other bytes are what they are.
 *
 * @param pattern which files of an archive are read; then the body has to be one
 * @throws Unreadable when it is damaged, or holds more than {@link LONGEST_BODY} bytes
 */
export function unpack(body: Uint8Array, pattern?: string): readonly Unpacked[] {
  const bytes = unzipped(body, LONGEST_BODY);
  if (!isZip(bytes)) {
    requireNoPattern(pattern);
    return [{ bytes }];
  }
  let left = LONGEST_BODY;
  return chosenFiles(bytes, pattern).map((file) => {
    const content = unzipped(contentOf(bytes, file, left), left);
    if (isZip(content)) throw nested(file.name);
    left -= content.length;
    return { name: file.name, bytes: content };
  });
}

/** @throws Unreadable where a body is no zip archive, but files of one are asked for */
export function requireNoPattern(pattern: string | undefined): void {
  if (pattern !== undefined) throw new Unreadable('it is no zip archive, although format.file names a file of one');
}

const nested = (name: string): Unreadable =>
  new Unreadable(`the file ${JSON.stringify(name)} of the zip archive is a zip archive itself`);

/** The content of a gzip file; any other bytes as they are. */
export function unzipped(bytes: Uint8Array, limit: number): Uint8Array {
  if (!isGzip(bytes)) return bytes;
  try {
    return gunzipAll(bytes, limit);
  } catch (error) {
    const isTooLarge = (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE';
    throw new Unreadable(isTooLarge ? `unpacked it is longer than ${LONGEST_BODY} bytes` : 'it is a damaged gzip file');
  }
}
