import { gunzipSync } from 'node:zlib';
import { LONGEST_BODY } from './body-limit';
import { Unreadable } from '../formats/unreadable';

/** Whether bytes begin as a gzip file does; no character data begins so. */
export const isGzip = ([first, second]: Uint8Array): boolean => first === 0x1f && second === 0x8b;

/**
 * The content of a gzip file; any other bytes as they are.
 *
 * @throws Unreadable when the file is damaged, or holds more than {@link LONGEST_BODY} bytes
 */
export function unpack(bytes: Uint8Array): Uint8Array {
  if (!isGzip(bytes)) return bytes;
  try {
    return gunzipSync(bytes, { maxOutputLength: LONGEST_BODY });
  } catch (error) {
    const isTooLarge = (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE';
    throw new Unreadable(isTooLarge ? `unpacked it is longer than ${LONGEST_BODY} bytes` : 'it is a damaged gzip file');
  }
}
