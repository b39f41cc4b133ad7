import type { ScratchBuffer } from '../../core/model';

/** Maximum bytes that are kept; larger memory is released after use. */
const LARGEST_KEPT = 16 * 1024 * 1024;

/**
 * A scratch buffer for one chunk after the other: each overwrites the one before. Allocating memory for large chunks costs
 * more than filling it, since the garbage collector has to run for every few of them.
 *
 * @example const scratch = createScratchBuffer(); const lines = page.lines('', '', scratch);
 */
export function createScratchBuffer(): ScratchBuffer {
  let kept = new Uint8Array(0);
  return (bytes) => {
    if (bytes > LARGEST_KEPT) return new Uint8Array(bytes);
    if (kept.length < bytes) kept = new Uint8Array(Math.min(LARGEST_KEPT, 2 * bytes));
    return kept.subarray(0, bytes);
  };
}
