/**
 * Bytes that a response body may have, as it travels and unpacked: half of what fits into one text, and a compressed
 * body that is small on the wire cannot fill the memory.
 */
export const LONGEST_BODY = 256 * 2 ** 20;
