import type { FileHandle } from 'node:fs/promises';
import { FatalError } from '../../core/errors/errors';
import type { ScratchBuffer } from '../../core/model';

/**
 * A part of a file.
 *
 * @param offset the offset in bytes from the start of the file
 * @param length the number of bytes
 * @param path the path of the file, for people
 * @throws FatalError DESTINATION_DAMAGED when the file is shorter
 * @example await bytesAt(handle, 0, 4, 'items.ndjson')
 */
export async function bytesAt(
  handle: FileHandle,
  offset: number,
  length: number,
  path: string,
  scratch: ScratchBuffer = (size) => Buffer.allocUnsafe(size),
): Promise<Uint8Array> {
  const bytes = scratch(length);
  for (let at = 0; at < length;) {
    const { bytesRead } = await handle.read(bytes, at, length - at, offset + at);
    if (bytesRead === 0) throw damaged(path);
    at += bytesRead;
  }
  return bytes;
}

/** The error for a file that lacks what was written to it. */
export function damaged(path: string): FatalError {
  const remedy = 'Run again with --resume: what is whole is kept, the rest is fetched anew.';
  return new FatalError('DESTINATION_DAMAGED', `${JSON.stringify(path)} was changed or damaged by others. ${remedy}`);
}
