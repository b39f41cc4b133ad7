import type { ScratchBuffer } from '../../model';

/** Bytes; what is larger is given back after use. */
const LARGEST_KEPT = 16 * 1024 * 1024;

/**
 * Room for one piece after the other: each takes the place of the one before. Memory for large pieces costs more than
 * filling it, since the collector has to run for every few of them.
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
