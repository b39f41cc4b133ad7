/** Finds the end of a value in JSON that is known to be valid, without white space between tokens. */
import { skipString } from '../../core/json/skip-value';

const QUOTE = 0x22;
const COMMA = 0x2c;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/** @param from the first byte of a number, `true`, `false` or `null` */
export function endOfScalar(bytes: Uint8Array, from: number): number {
  let at = from;
  for (;;) {
    const byte = bytes[at];
    if (byte === COMMA || byte === CLOSE_OBJECT || byte === CLOSE_LIST || byte === undefined || byte <= 0x20) return at;
    at += 1;
  }
}

/** @param from the opening bracket of an object or an array of any depth */
export function endOfNested(bytes: Uint8Array, from: number): number {
  let depth = 0;
  for (let at = from; ;) {
    const byte = bytes[at];
    if (byte === QUOTE) at = skipString(bytes, at);
    else {
      at += 1;
      if (byte === OPEN_OBJECT || byte === OPEN_LIST) depth += 1;
      else if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) depth -= 1;
      if (depth === 0 || byte === undefined) return at;
    }
  }
}
