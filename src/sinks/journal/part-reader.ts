import type { FileHandle } from 'node:fs/promises';
import { damaged } from '../files/bytes-at';
import { createScratchBuffer } from './scratch-buffer';

/** A part of a file. */
export interface FilePart {
  readonly handle: FileHandle;
  /** The path of the file, for people. */
  readonly path: string;
  /** The offset in bytes from the start of the file. */
  readonly offset: number;
  /** The number of bytes. */
  readonly length: number;
}

/** Bytes that are read at once where parts follow each other. */
const BLOCK = 1_048_576;

/**
 * Reads parts of files, those that follow each other several at once: each reading is a turn of another thread. What it gives counts
 * until the next part is asked for.
 *
 * @returns throws FatalError DESTINATION_DAMAGED when the file is shorter
 * @example const read = partReader(); const lines = await read({ handle, path: '0.data', offset: 0, length: 4 });
 */
export function partReader(): (part: FilePart) => Promise<Uint8Array> {
  const scratch = createScratchBuffer();
  let held: { readonly path: string; readonly offset: number; readonly bytes: Uint8Array } | undefined;
  let last: { readonly path: string; readonly end: number } | undefined;
  return async ({ handle, path, offset, length }) => {
    const follows = last?.path === path && last.end === offset;
    last = { path, end: offset + length };
    const from = offset - (held?.offset ?? 0);
    if (held?.path === path && from >= 0 && from + length <= held.bytes.length)
      return held.bytes.subarray(from, from + length);
    const room = scratch(follows ? Math.max(length, BLOCK) : length);
    held = undefined;
    let end = 0;
    while (end < length) {
      const { bytesRead } = await handle.read(room, end, room.length - end, offset + end);
      if (bytesRead === 0) throw damaged(path);
      end += bytesRead;
    }
    held = { path, offset, bytes: room.subarray(0, end) };
    return room.subarray(0, length);
  };
}
