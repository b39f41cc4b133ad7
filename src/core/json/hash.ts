/** Numbers that stand for values: 53 bits, so that a million different values hardly ever share one. */

const [FIRST, SECOND] = [0x811c9dc5, 0x9e3779b9];
const [PRIME, OTHER_PRIME] = [0x01000193, 0x85ebca6b];
const HIGH = 2 ** 21;

/**
 * Returns a number that is equal for equal bytes, and else most likely differs.
 *
 * @example hashOfBytes(Buffer.from('[17]'), 1, 3)
 */
export function hashOfBytes(bytes: Uint8Array, from: number, to: number): number {
  let [first, second] = [FIRST, SECOND];
  for (let at = from; at < to; at += 1) {
    const byte = bytes[at] as number;
    first = Math.imul(first ^ byte, PRIME);
    second = Math.imul(second ^ byte, OTHER_PRIME);
  }
  return (first >>> 0) * HIGH + (second >>> 11);
}

/** Does the same for a text. */
export function hashOfText(text: string): number {
  const bytes = Buffer.from(text);
  return hashOfBytes(bytes, 0, bytes.length);
}
